"""How many cases a run has: a few in the gate, more in the full sweep, or as many as one asks."""

from __future__ import annotations

import os

from support.sweep import FULL

FIRST = int(os.environ.get("DUCKLAKE_SEED", 1))
_SWEPT = 100


def cases(of_the_gate: int) -> range:
    """The numbers of the cases; DUCKLAKE_FUZZ says how many, DUCKLAKE_SEED is the first.

    Args:
        of_the_gate: how many a run has without these; the full sweep has a hundred times as many.
    """
    usual = of_the_gate * _SWEPT if FULL else of_the_gate
    return range(FIRST, FIRST + int(os.environ.get("DUCKLAKE_FUZZ", usual)))
