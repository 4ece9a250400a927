"""Where the change feed in Spark must not give what DuckDB recorded, each place with its reason.

Nothing is skipped: a place that is wrong says what holds instead, one that is incomplete must be
refused, and where DuckDB failed the rows of the table before and after are the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from support.expected import Changes, Relation, Snapshot
from support.fixtures import Fixture

Rows: TypeAlias = list[tuple[str, int, list[Any]]]


@dataclass(frozen=True)
class Place:
    """A recorded feed that DuckDB gave wrongly, and how the truth is made of it."""

    reason: str
    specs: tuple[str, ...]
    case: str
    table: str
    snapshot: int | None
    truth: Callable[[Rows], Rows]

    def holds(self, fixture: Fixture, change: Changes) -> bool:
        """Whether it speaks of these changes."""
        return (
            fixture.spec in self.specs
            and fnmatchcase(fixture.case, self.case)
            and change.table == self.table
            and self.snapshot in (None, change.snapshot)
        )


def _without(*row_ids: int) -> Callable[[Rows], Rows]:
    return lambda rows: [row for row in rows if row[1] not in row_ids]


def _with(*more: tuple[str, int, list[Any]]) -> Callable[[Rows], Rows]:
    return lambda rows: [*rows, *more]


def _once(rows: Rows) -> Rows:
    """Each row once."""
    return [row for number, row in enumerate(rows) if row not in rows[:number]]


def _instead(wrong: Any, right: Any) -> Callable[[Rows], Rows]:  # noqa: ANN401
    return lambda rows: [
        (kind, row_id, [right if value == wrong else value for value in values])
        for kind, row_id, values in rows
    ]


ALL = ("0.2", "0.3", "0.4", "1.0", "1.1-dev1")

WRONG = (
    Place(
        "rows that one transaction inserted and deleted are reported as updates",
        ALL,
        "*dml",
        "t",
        10,
        _without(59, 60),
    ),
    Place(
        "the feed lacks rows of files that were merged later",
        ("0.2", "0.3"),
        "merged",
        "t",
        23,
        _with(("insert", 5, ["3", "u"])),
    ),
    Place(
        "the old version of an updated row in a rewritten file is reported twice",
        ("0.3",),
        "rewritten",
        "t",
        8,
        _once,
    ),
    Place(
        "a column added after an inlined insert is read as its default",
        ("0.3", "0.4"),
        "inlined",
        "evo",
        19,
        lambda rows: [(k, n, ["5", "a5", "5"] if v == ["5", "a5", "7"] else v) for k, n, v in rows],
    ),
    Place(
        "bytes in a variant are read as text in base 64",
        ("0.4",),
        "variant*",
        "scalars",
        None,
        _instead({"type": "VARCHAR", "value": "AP8="}, {"type": "BLOB", "value": "\\x00\\xFF"}),
    ),
)

INCOMPLETE = (("*expired", "rewritten", 12),)
"""Feeds of which DuckDB leaves out rows, for they were in files that only an expired snapshot saw:
they are refused."""


def is_incomplete(fixture: Fixture, change: Changes) -> bool:
    """Whether DuckDB left out rows of these changes."""
    return any(
        fnmatchcase(fixture.case, case) and (change.table, change.snapshot) == (table, snapshot)
        for case, table, snapshot in INCOMPLETE
    )


@dataclass(frozen=True)
class Failure:
    """Feeds, by table and snapshot, that DuckDB could not read; `lakes` has `spec-kind`."""

    reason: str
    lakes: tuple[str, ...]
    case: str
    feeds: tuple[tuple[str, int], ...]

    def holds(self, fixture: Fixture, change: Changes) -> bool:
        """Whether it speaks of these changes."""
        return (
            f"{fixture.spec}-{fixture.kind}" in self.lakes
            and fixture.case == self.case
            and (change.table, change.snapshot) in self.feeds
        )


FAILED = (
    Failure(
        "it cannot read some nested values that it inlined in SQLite and PostgreSQL itself",
        ("0.4-sqlite", "0.4-postgres", "1.0-sqlite", "1.0-postgres"),
        "inlined_nested_odd",
        (("nested_text", 2), ("nested_types", 4), ("nested_temporal", 6)),
    ),
    Failure(
        "the table's bounds of today do not cast to the column's type of then",
        ("1.0-duckdb", "1.0-sqlite", "1.0-postgres"),
        "schema_evolution",
        (("widen_extremes", 63), ("widen_extremes", 64), ("widen_cross", 69), ("widen_cross", 70)),
    ),
)


def repaired(change: Changes, snapshots: Sequence[Snapshot]) -> Changes:
    """The changes that DuckDB failed to read, from the table's rows before and after.

    These rows are the truth of `interop.deviations`. All such snapshots only inserted rows, or
    altered the table and have no changes.
    """
    before, after = (
        _rows(snapshot.relation(change.schema, change.table))
        for at in (change.snapshot - 1, change.snapshot)
        for snapshot in snapshots
        if snapshot.id == at
    )
    assert before.items() <= after.items(), f"{change} does more than insert rows"
    rows = tuple(("insert", id, after[id]) for id in after.keys() - before.keys())
    return replace(change, rows=rows, error=None)


def _rows(relation: Relation) -> dict[int, list[Any]]:
    assert relation.error is None, relation
    return dict(zip(relation.row_ids, relation.rows, strict=True))


def amended(fixture: Fixture, change: Changes) -> Changes:
    """The changes with the truth where DuckDB was wrong.

    Now and then DuckDB calls the two images of an update insert and delete, up to 1.5.5.
    """
    rows: Rows = list(change.rows)
    for place in WRONG:
        if place.holds(fixture, change):
            rows = place.truth(rows)
    inserted = {row_id for kind, row_id, _ in rows if kind == "insert"}
    updated = inserted & {row_id for kind, row_id, _ in rows if kind == "delete"}
    names = {"insert": "update_postimage", "delete": "update_preimage"}
    return replace(
        change,
        rows=tuple(
            (names.get(kind, kind) if row_id in updated else kind, row_id, values)
            for kind, row_id, values in rows
        ),
    )
