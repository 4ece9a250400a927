"""What `doctor` says about one thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "wrong"]

_MOST_NAMES = 3


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: what was looked at.
        state: how it is.
        found: what was found.
        mend: what to do; empty where it is well.
    """

    check: str
    state: State
    found: str
    mend: str = ""


def few(names: list[str]) -> str:
    """The first names, and how many more there are.

    Example:
        >>> few(["a", "b"]), few(["a", "b", "c", "d", "e"])
        ('a, b', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{more}"
