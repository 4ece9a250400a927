"""The commits of a history in their order, and what a key had in each snapshot.

Each commit is a snapshot with a number, so all commits have one order. From it follows which
snapshots may be those of what was read of a key.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from chaos.history import History, Key, Operation

FOREVER = 1 << 62
Span = tuple[int, int]
"""Snapshots, the first inclusive, the last exclusive."""


class NoSpanError(Exception):
    """What was read of a key was its content in no snapshot."""


@dataclass(frozen=True)
class Commits:
    """The commits of a history in their order."""

    history: History

    @cached_property
    def operations(self) -> dict[int, Operation]:
        """All operations by id."""
        return {each.id: each for each in self.history.operations}

    @cached_property
    def ordered(self) -> list[tuple[int, Operation]]:
        """The writes that became snapshots, with these."""
        found = [
            (snapshots[0], self.operations[id])
            for id, snapshots in self.history.commits.items()
            if id in self.operations and self.operations[id].is_write
        ]
        return sorted(found, key=lambda pair: pair[0])

    @cached_property
    def by_key(self) -> dict[Key, list[tuple[int, int]]]:
        """Snapshots and values of each key, in order."""
        found: defaultdict[Key, list[tuple[int, int]]] = defaultdict(list)
        for snapshot, operation in self.ordered:
            for key in operation.appended:
                found[key].append((snapshot, operation.id))
        return found

    @cached_property
    def moves(self) -> list[tuple[int, int]]:
        """Snapshots that moved an amount, and what was moved until then."""
        moving = [(snapshot, each.moved) for snapshot, each in self.ordered if each.moved]
        sums = accumulate(moved for _, moved in moving)
        return [(snapshot, total) for (snapshot, _), total in zip(moving, sums, strict=True)]

    def values(self, key: Key) -> tuple[int, ...]:
        """All values of a key."""
        return tuple(value for _, value in self.by_key.get(key, ()))

    def span_of(self, key: Key, read: tuple[int, ...]) -> Span:
        """The snapshots in which a key had these values. Errors: NoSpanError."""
        expected = self.values(key)[: len(read)]
        if key.kind == "bag":
            read, expected = tuple(sorted(read)), tuple(sorted(expected))
        if read != expected:
            raise NoSpanError(f"{key} had {_short(read)}, its first values were {_short(expected)}")
        return _span([snapshot for snapshot, _ in self.by_key.get(key, ())], len(read))

    def span_of_moved(self, moved: int) -> Span:
        """The snapshots in which so much had been moved. Errors: NoSpanError."""
        totals = [0, *(total for _, total in self.moves)]
        place = bisect_left(totals, moved)
        if totals[place : place + 1] != [moved]:
            raise NoSpanError(f"an account had {moved} more or less than in the beginning")
        return _span([snapshot for snapshot, _ in self.moves], place)


def _span(snapshots: list[int], count: int) -> Span:
    """From the last one of the first so many on, until the next."""
    begin = snapshots[count - 1] if count else 0
    return begin, snapshots[count] if count < len(snapshots) else FOREVER


def _short(values: tuple[int, ...]) -> str:
    return f"({'… ' if len(values) > 5 else ''}{', '.join(map(str, values[-5:]))})"
