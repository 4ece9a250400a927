"""What cannot be done, in words for people."""

from __future__ import annotations


class Failure(Exception):
    """A message for people, who need no trace of calls."""

    def __init__(self, message: str, mend: str = "") -> None:
        """A message, and what to do about it."""
        super().__init__(f"{message} {mend}".strip())
        self.why = message
        self.mend = mend


class RunAgain(Failure):
    """Others were at work, and nothing was changed: the same may work next time."""
