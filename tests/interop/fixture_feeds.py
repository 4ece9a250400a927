"""The `changes` lines of the recorded lakes against the change feed in Spark."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby

from pyspark.sql import SparkSession

from interop.deviations import refusal
from interop.feed_deviations import amended, is_incomplete
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


def feed_differences(
    session: SparkSession,
    fixture: Fixture,
    snapshots: Sequence[Snapshot],
    changes: Sequence[Changes],
) -> list[str]:
    """What is wrong with the feeds of single snapshots, in sentences."""
    found: list[str] = []
    for change in changes:
        if is_incomplete(fixture, change):
            query = f"SELECT * FROM ducklake_table_changes({_arguments(change)})"
            condition = condition_of(session, query)
            if condition != "DUCKLAKE_CHANGES_EXPIRED":
                found.append(f"changes of {change.table} at {change.snapshot}: {condition}")
    complete = [amended(fixture, c) for c in changes if not is_incomplete(fixture, c)]
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
