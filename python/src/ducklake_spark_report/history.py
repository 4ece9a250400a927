"""What happened to a lake: commits in words, growth, and commits per day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import accumulate

from ducklake_spark_report.facts import Commit, Point

KINDS = ("rows added", "rows changed", "tables changed", "upkeep", "other")
"""What a commit is mostly about."""

MOST_POINTS = 300
"""Growth is shown at no more snapshots."""

MOST_BARS = 60
"""Commits are counted in no more spans of time."""

_ADDED = {"inserted_into_table", "inlined_insert"}
_DELETED = {"deleted_from_table", "inlined_delete"}
_UPKEEP = {
    *("merge_adjacent", "rewrite_delete", "compacted_table"),
    *("inline_flush", "flushed_inlined"),
}
_SHAPE = ("created_", "dropped_", "altered_")

_SPANS = (
    *(timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6)),
    *(timedelta(days=1), timedelta(days=7), timedelta(days=28), timedelta(days=364)),
)


def kind(changes: Iterable[str]) -> str:
    """What a commit is mostly about, by the kinds of its changes.

    Example:
        >>> kind(["inserted_into_table", "deleted_from_table"])
        'rows changed'
        >>> kind(["merge_adjacent"]), kind([])
        ('upkeep', 'other')
    """
    found = set(changes)
    if found & _UPKEEP:
        return "upkeep"
    if any(each.startswith(_SHAPE) for each in found):
        return "tables changed"
    if found & _DELETED:
        return "rows changed"
    return "rows added" if found & _ADDED else "other"


def growth(
    times: Mapping[int, datetime],
    begun: Mapping[int, tuple[int, int]],
    ended: Mapping[int, tuple[int, int]],
) -> tuple[Point, ...]:
    """Live files and bytes from each snapshot on, at no more than `MOST_POINTS`.

    Args:
        times: of the snapshots, in their order.
        begun: files and bytes that begin with a snapshot; what began before the first counts too.
        ended: the same of those that end.

    Example:
        >>> day = datetime(2026, 1, 1, tzinfo=timezone.utc)
        >>> [each.files for each in growth({4: day, 5: day}, {2: (3, 30), 5: (1, 9)}, {4: (2, 20)})]
        [1, 2]
    """
    steps = sorted({*begun, *ended})
    files = accumulate(begun.get(at, (0, 0))[0] - ended.get(at, (0, 0))[0] for at in steps)
    sizes = accumulate(begun.get(at, (0, 0))[1] - ended.get(at, (0, 0))[1] for at in steps)
    after = iter(zip(steps, files, sizes, strict=True))
    return tuple(_at(_thinned(list(times.items())), after))


def _at(
    snapshots: Iterable[tuple[int, datetime]], steps: Iterator[tuple[int, int, int]]
) -> Iterator[Point]:
    """The last step at or before each snapshot. A clock that went back stands still instead."""
    files = size = 0
    ahead = next(steps, None)
    latest = datetime.min.replace(tzinfo=timezone.utc)
    for snapshot, time in snapshots:
        latest = max(latest, time)
        while ahead is not None and ahead[0] <= snapshot:
            _, files, size = ahead
            ahead = next(steps, None)
        yield Point(latest, files, size)


def _thinned(snapshots: Sequence[tuple[int, datetime]]) -> list[tuple[int, datetime]]:
    """Every so many snapshots, the first and the last always.

    Example:
        >>> day = datetime(2026, 1, 1, tzinfo=timezone.utc)
        >>> kept = _thinned([(number, day) for number in range(1000)])
        >>> len(kept), kept[0][0], kept[-1][0]
        (300, 0, 999)
    """
    last = len(snapshots) - 1
    if last < MOST_POINTS:
        return list(snapshots)
    return [snapshots[round(place * last / (MOST_POINTS - 1))] for place in range(MOST_POINTS)]


def activity(
    commits: Sequence[Commit],
) -> tuple[timedelta, list[datetime], dict[str, list[int]]]:
    """How many commits of each kind there were in each span of time.

    Returns:
        The length of a span, where each begins, and counts by kind.

    Example:
        >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
        >>> first = Commit(1, noon, "upkeep", "", "", ())
        >>> span, begins, counts = activity([first])
        >>> len(begins), counts["upkeep"]
        (1, [1])
    """
    times = [each.time for each in commits]
    whole = max(times) - min(times)
    span = next((each for each in _SPANS if whole < each * (MOST_BARS - 1)), _SPANS[-1])
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    first = (min(times) - epoch) // span
    length = (max(times) - epoch) // span - first + 1
    counts = {name: [0] * length for name in KINDS}
    for each in commits:
        counts[each.kind][(each.time - epoch) // span - first] += 1
    return span, [epoch + (first + place) * span for place in range(length)], counts
