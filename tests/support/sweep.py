"""How much a run tests: the gate takes a part of what is dear, the full sweep all of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")

FULL = os.environ.get("DUCKLAKE_FULL") == "1"
"""Whether this is the full sweep (`./sbt verifyAll`)."""

STARTS = FULL or os.environ.get("DUCKLAKE_FULL") == "starts"
"""Whether tests run that the gate leaves out, most of which start a Spark of their own."""

MOVED_HISTORIES = int(os.environ.get("DUCKLAKE_SEEDS", "20" if FULL else "2"))
"""How many random histories of another format each test of moves has."""


FIRST_HISTORY = int(os.environ.get("DUCKLAKE_FIRST_SEED", "0"))
"""The seed of the first of these histories."""


TESTS = Path(__file__).resolve().parent.parent


def dear_tests() -> list[str]:
    """The lines of `sweep.txt`: files, or a file and a test of it with `::` between them."""
    lines = (TESTS / "sweep.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def only_in_the_full_sweep(why: str) -> pytest.MarkDecorator:
    """The mark of a test, or of a parameter, that the gate leaves out.

    Args:
        why: what makes it dear, or which test of the gate stands for it.
    """
    reason = f"only in the full sweep (DUCKLAKE_FULL=1 or starts): {why}"
    return pytest.mark.skipif(not STARTS, reason=reason)


def is_left_out(item: pytest.Item) -> bool:
    """Whether a mark leaves out the test in this run."""
    return any(mark.args[0] for mark in item.iter_markers("skipif"))


def swept(values: Sequence[T], every: int, first: int = 0) -> list[T]:
    """All values in the full sweep; else one of so many, from the given place on."""
    return list(values) if FULL else list(values)[first % every :: every]
