"""The `changes` lines of the recorded lakes against the change feed in Spark."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Any, TypeAlias

from pyspark.sql import SparkSession

from interop.deviations import refusal
from support.compare import arrow_table, has_long_integer, quoted, unordered_differences
from support.expected import Changes, Column, Relation, Snapshot
from support.fixtures import Fixture
from support.peer import literal
from support.reading import CATALOG, condition_of

FULL = os.environ.get("DUCKLAKE_FULL") == "1"
BATCH = 16
FEW = 4
_NUMBER = "_test_number"

Line = tuple[Changes, Relation]
"""The changes of a snapshot, and the table at that snapshot."""


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
        "rows that one transaction inserted and deleted are told as updates, and were never there",
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
        "the old version of an updated row in a rewritten file is told twice",
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


def _is_incomplete(fixture: Fixture, change: Changes) -> bool:
    return any(
        fnmatchcase(fixture.case, case) and (change.table, change.snapshot) == (table, snapshot)
        for case, table, snapshot in INCOMPLETE
    )


def _amended(fixture: Fixture, change: Changes) -> Changes:
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


def feed_differences(
    session: SparkSession,
    fixture: Fixture,
    snapshots: Sequence[Snapshot],
    changes: Sequence[Changes],
) -> list[str]:
    """What is wrong with the feeds of single snapshots, in sentences."""
    found: list[str] = []
    for change in changes:
        if _is_incomplete(fixture, change):
            query = f"SELECT * FROM ducklake_table_changes({_arguments(change)})"
            condition = condition_of(session, query)
            if condition != "DUCKLAKE_CHANGES_EXPIRED":
                found.append(f"changes of {change.table} at {change.snapshot}: {condition}")
    complete = [_amended(fixture, c) for c in changes if not _is_incomplete(fixture, c)]
    for batch in _batches(_lines(fixture, snapshots, complete)):
        found += _differences(session, batch)
    return found


def _lines(
    fixture: Fixture, snapshots: Sequence[Snapshot], changes: Sequence[Changes]
) -> list[Line]:
    by_id = {snapshot.id: snapshot for snapshot in snapshots}
    lines = []
    for change in changes:
        relation = by_id[change.snapshot].relation(change.schema, change.table)
        is_readable = relation.error is None and change.error is None
        if is_readable and not refusal(fixture, change.snapshot, relation):
            lines.append((change, relation))
    return lines


def _batches(lines: list[Line]) -> list[list[Line]]:
    """Lines that one query can read: a table in one shape. A normal run reads the newest."""

    def shape(line: Line) -> tuple[str, str, str]:
        return line[1].schema, line[1].name, repr(line[1].columns)

    groups = [list(group) for _, group in groupby(sorted(lines, key=shape), shape)]
    if not FULL:
        newest = {
            (group[0][1].schema, group[0][1].name): group[-FEW:]
            for group in sorted(groups, key=_last)
        }
        return list(newest.values())
    return [group[n : n + BATCH] for group in groups for n in range(0, len(group), BATCH)]


def _last(lines: list[Line]) -> int:
    return max(change.snapshot for change, _ in lines)


def _differences(session: SparkSession, batch: list[Line]) -> list[str]:
    relation = batch[0][1]
    readable = [
        number
        for number in range(len(relation.columns))
        if not any(has_long_integer(other, number) for _, other in batch)
        and not any(_has_long_integer(change, number) for change, _ in batch)
    ]
    names = [quoted(_shown(relation.columns[number].name)) for number in readable]
    frame = session.sql(
        " UNION ALL ".join(
            f"SELECT {number} AS {_NUMBER}, {', '.join(['change_type', 'rowid', *names])} "
            f"FROM ducklake_table_changes({_arguments(change)})"
            for number, (change, _) in enumerate(batch)
        )
    )
    rows = arrow_table(frame)
    columns = [
        Column("change_type", "VARCHAR"),
        Column("rowid", "BIGINT"),
        *(relation.columns[number] for number in readable),
    ]
    found = []
    for number, (change, _) in enumerate(batch):
        own = rows.filter([n == number for n in rows.column(_NUMBER).to_pylist()])
        recorded = [
            [row[0], str(row[1]), *(row[2][column] for column in readable)] for row in change.rows
        ]
        place = f"changes of {change.schema}.{change.table} at {change.snapshot}"
        table = own.drop_columns([_NUMBER])
        found += [f"{place}: {text}" for text in unordered_differences(columns, recorded, table)]
    return found


def _shown(name: str) -> str:
    """The name of a column of the table in the feed."""
    return f"{name}_1" if name.lower() in ("snapshot_id", "rowid", "change_type") else name


def _has_long_integer(change: Changes, column: int) -> bool:
    values = (row[2][column] for row in change.rows)
    return any(
        isinstance(v, str) and v.lstrip("-").isdigit() and len(v.lstrip("-")) > 38 for v in values
    )


def _arguments(change: Changes) -> str:
    names = ", ".join(literal(name) for name in (CATALOG, change.schema, change.table))
    return f"{names}, {change.snapshot}, {change.snapshot}"
