"""How a command ends when it cannot do what it was asked."""

from __future__ import annotations

import click


class Failure(click.ClickException):
    """A message for people, without a trace of calls; the exit code is 1."""

    def __init__(self, message: str, mend: str = "") -> None:
        """A message, and what to do about it."""
        super().__init__(f"{message} {mend}".strip())
        self.why = message
        self.mend = mend


class RunAgain(Failure):
    """Others were at work, and nothing was changed: the same command may do it next time."""

    exit_code = 3
