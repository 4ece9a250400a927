"""Judges a history: whether the lake gave each session what snapshot isolation promises.

A reading is of one snapshot when the spans of all its keys have a snapshot in common. Write skew is
no fault.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from chaos.commits import FOREVER, Commits, NoSpanError, Span
from chaos.history import TOTAL, History, Operation, Reading

Kind = Literal[
    "lost commit",
    "torn commit",
    "double commit",
    "failed, but there",
    "wrong snapshot",
    "lost update",
    "no snapshot",
    "fractured read",
    "went back",
    "stale read",
    "own write unseen",
]


@dataclass(frozen=True)
class Fault:
    """What is wrong, and with which operation; None: with the rows at the end."""

    kind: Kind
    operation: Operation | None
    text: str

    def __str__(self) -> str:
        """One line of a report."""
        if self.operation is None:
            return f"{self.kind}: {self.text}"
        return (
            f"{self.kind}: operation {self.operation.id} of {self.operation.session}: {self.text}"
        )


def faults(history: History) -> list[Fault]:
    """All that is wrong with a history; empty when it keeps snapshot isolation.

    Beyond it, a reading of the newest snapshot must see all that was acknowledged before it began.
    """
    commits = Commits(history)
    return [*_outcomes(commits), *_ends(commits), *_updates(commits), *_reads(commits)]


def _outcomes(commits: Commits) -> Iterator[Fault]:
    """Acknowledged: once; failed: not at all; unknown: at most once."""
    for each in commits.history.operations:
        if not each.is_write:
            continue
        found = commits.history.commits.get(each.id, ())
        if len(found) > 1:
            yield Fault("double commit", each, f"it is in the snapshots {found}")
        if found and each.outcome == "failed":
            yield Fault("failed, but there", each, f"it is in snapshot {found[0]}: {each.error}")
        if not found and each.outcome == "acknowledged":
            yield Fault("lost commit", each, f"no snapshot is of it, not even {each.snapshot}")
        if found and each.snapshot not in (None, *found):
            yield Fault("wrong snapshot", each, f"it is {found[0]}, said to be {each.snapshot}")


def _ends(commits: Commits) -> Iterator[Fault]:
    """What there is at the end is what was committed."""
    final = commits.history.final
    for _, each in commits.ordered:
        missing = [key for key in each.appended if each.id not in final.values.get(key, ())]
        if missing:
            kind: Kind = "lost commit" if len(missing) == len(each.appended) else "torn commit"
            yield Fault(kind, each, f"its value is not in {', '.join(map(str, missing))}")
    for key, values in final.values.items():
        expected = commits.values(key)
        for value in sorted(set(values)):
            if values.count(value) > 1:
                yield Fault("double commit", None, f"{key} has {value} more than once")
            if value not in expected:
                yield Fault("no snapshot", None, f"{key} has {value}, which no commit appended")
        if key.kind == "list" and sorted(values) == sorted(expected) and values != expected:
            yield Fault("lost update", None, f"{key} has another order than its snapshots")
    moved = commits.moves[-1][1] if commits.moves else 0
    if final.accounts not in (None, (TOTAL - moved, moved)):
        yield Fault("lost update", None, f"the accounts have {final.accounts}, moved was {moved}")


def _updates(commits: Commits) -> Iterator[Fault]:
    """Who updates a list that it has read finds it as it was read: the first committer wins."""
    for snapshot, each in commits.ordered:
        read = {
            key: values
            for reading in each.readings
            if not reading.is_after_writes
            for key, values in reading.values.items()
        }
        for key in each.appended:
            if key.kind == "list" and key in read:
                place = bisect_left(commits.by_key[key], (snapshot, 0))
                if place != len(read[key]):
                    others = commits.values(key)[len(read[key]) : place]
                    yield Fault("lost update", each, f"{key} had got {others} since it was read")


def _reads(commits: Commits) -> Iterator[Fault]:
    """Each reading is of one snapshot, and no session goes back."""
    acknowledged = sorted(
        (each.ended, each.snapshot)
        for each in commits.history.operations
        if each.outcome == "acknowledged" and each.is_write and each.ended and each.snapshot
    )
    ends = [ended for ended, _ in acknowledged]
    newest = [0, *accumulate((snapshot for _, snapshot in acknowledged), max)]
    floors: defaultdict[str, int] = defaultdict(int)
    for each in sorted(commits.history.operations, key=lambda each: each.begun):
        known = newest[bisect_right(ends, each.begun)]
        floor = floors[each.session]
        for snapshot, parts in _parts(each).items():
            try:
                begin, end, text = _common(_spans(commits, each, parts))
            except NoSpanError as error:
                yield Fault("no snapshot", each, str(error))
                continue
            if begin >= end:
                yield Fault("fractured read", each, text)
            elif snapshot is not None:
                if not begin <= snapshot < end:
                    yield Fault("wrong snapshot", each, f"asked for {snapshot}: {text}")
            elif end <= floor:
                yield Fault("went back", each, f"it had seen {floor}: {text}")
            elif end <= known:
                yield Fault("stale read", each, f"{known} was acknowledged: {text}")
            else:
                floors[each.session] = max(floors[each.session], begin)
        if not all(_sees_itself(each, reading) for reading in each.readings):
            yield Fault("own write unseen", each, "its transaction does not see it")
        if each.outcome == "acknowledged" and each.snapshot and each.is_write:
            floors[each.session] = max(floors[each.session], each.snapshot)


def _parts(operation: Operation) -> dict[int | None, list[Reading]]:
    """The readings of each snapshot that was asked for, and those of the base."""
    found: defaultdict[int | None, list[Reading]] = defaultdict(list)
    for reading in operation.readings:
        found[reading.snapshot].append(reading)
    return found


def _spans(
    commits: Commits, operation: Operation, readings: list[Reading]
) -> Iterator[tuple[str, Span]]:
    """The snapshots that each part of readings may be of, without the operation's own writes."""
    for reading in readings:
        own = operation if reading.is_after_writes else None
        for key, values in reading.values.items():
            others = tuple(value for value in values if own is None or value != own.id)
            yield str(key), commits.span_of(key, others)
        if reading.accounts is not None:
            moved = own.moved if own else 0
            first, second = reading.accounts
            yield "the first account", commits.span_of_moved(TOTAL - first - moved)
            yield "the second account", commits.span_of_moved(second - moved)


def _common(spans: Iterator[tuple[str, Span]]) -> tuple[int, int, str]:
    """The snapshots that all spans have in common, and what says so."""
    found = [("the beginning", (0, FOREVER)), *spans]
    newest, (begin, _) = max(found, key=lambda part: part[1][0])
    oldest, (_, end) = min(found, key=lambda part: part[1][1])
    return begin, end, f"{newest} is of {begin} or later, {oldest} of before {end}"


def _sees_itself(operation: Operation, reading: Reading) -> bool:
    return not reading.is_after_writes or all(
        operation.id in reading.values[key] for key in operation.appended if key in reading.values
    )
