"""From a long list of steps that fails to a short one that fails alike."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from pyspark.errors import PySparkException

Step = TypeVar("Step")

_WORDS = re.compile(r"[A-Za-z_ ,.:-]*")


def shrunk(
    steps: Sequence[Step],
    fails: Callable[[list[Step]], bool],
    *,
    runs: int = 40,
    seconds: float = 300,
    now: Callable[[], float] = time.monotonic,
) -> list[Step]:
    """The shortest list found that still fails; the steps themselves when none does.

    Leaves out one half, then the other, then each quarter, and so on down to single steps; what is
    left out without need stays out.

    Args:
        steps: a list that fails.
        fails: whether a list with some of the steps, in their order, fails alike.
        runs: how often that is asked at most.
        seconds: when it is asked no more.
        now: a clock in seconds.
    """
    kept, deadline = list(steps), now() + seconds
    size, start, was_shorter = len(kept) // 2, 0, False
    while size and runs and now() < deadline:
        if start >= len(kept):
            if size == 1 and not was_shorter:
                break
            size, start, was_shorter = max(1, size // 2), 0, False
            continue
        rest = kept[:start] + kept[start + size :]
        runs -= 1
        if rest and fails(rest):
            kept, was_shorter = rest, True
        else:
            start += size
    return kept


def kind_of(failure: BaseException) -> str:
    """What two failures for one reason have in common: class and condition, or the first words.

    An assertion's message says what is wrong before the word `after`.
    """
    condition = failure.getCondition() if isinstance(failure, PySparkException) else None
    text = condition or str(failure).partition(" after ")[0]
    found = _WORDS.match(text)
    return f"{type(failure).__name__}: {found.group().strip() if found else ''}"
