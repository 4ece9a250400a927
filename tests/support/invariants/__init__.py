"""The rules that hold for every lake after every commit, checked from the outside.

Sources: the DuckLake specification 1.0 and what DuckDB 1.5.5 was seen to need. An invariant is a
function from a lake to complaints; `check` runs all of them. What 1.1 names otherwise has the names
of 1.0 here.
"""

from __future__ import annotations

from support.catalogdb import read_catalog
from support.invariants import deletes, files, lifetimes, numbers, shapes, statistics
from support.invariants.model import Scope, Subject, named_as_in_10
from support.invariants.tolerated import DEVIATIONS, is_tolerated
from support.lakes import Lake

__all__ = ["DEVIATIONS", "INVARIANTS", "Scope", "check"]

INVARIANTS = (
    *numbers.INVARIANTS,
    *lifetimes.INVARIANTS,
    *shapes.INVARIANTS,
    *files.INVARIANTS,
    *deletes.INVARIANTS,
    *statistics.INVARIANTS,
)


def check(lake: Lake, scope: Scope | None = None) -> list[str]:
    """What is wrong with a lake, as `invariant: complaint`; empty when all is well.

    Args:
        lake: a lake of specification 1.0 or 1.1 that nobody is writing to.
        scope: what the caller knows of its history; by default that DuckDB wrote none of it.
    """
    subject = Subject(lake, named_as_in_10(read_catalog(lake)), scope or Scope())
    return [
        f"{invariant.__name__}: {complaint.text}"
        for invariant in INVARIANTS
        for complaint in invariant(subject)
        if not is_tolerated(subject, invariant.__name__, complaint)
    ]
