"""The `changes` lines of the recorded lakes against the change feed in Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import pyarrow.compute as pc
from pyspark.sql import SparkSession

from interop.deviations import LONG_INTEGER
from interop.feed_deviations import amended, is_incomplete, repaired
from support.compare import arrow_table, has_long_integer, quoted, unordered_differences
from support.expected import Changes, Column, Relation, Snapshot
from support.fixtures import Fixture
from support.peer import literal
from support.reading import CATALOG, condition_of
from support.sweep import FULL

BATCH = 16
FEW = 4
_NUMBER = "_test_number"


@dataclass(frozen=True)
class Line:
    """The changes of a snapshot, and the table at that snapshot; what DuckDB failed to read."""

    change: Changes
    relation: Relation
    is_repaired: bool

    @property
    def unreadable(self) -> tuple[int, ...]:
        """The columns with a value of 39 digits, which no type of Spark holds."""
        answer = replace(self.relation, rows=tuple(values for _, _, values in self.change.rows))
        return tuple(n for n in range(len(answer.columns)) if has_long_integer(answer, n))

    @property
    def place(self) -> str:
        """Of which table and snapshot it is, for messages."""
        return f"changes of {self.change.schema}.{self.change.table} at {self.change.snapshot}"

    def select(self, columns: str) -> str:
        """The query of columns of the feed."""
        names = ", ".join(literal(n) for n in (CATALOG, self.change.schema, self.change.table))
        ends = f"{self.change.snapshot}, {self.change.snapshot}"
        return f"SELECT {columns} FROM ducklake_table_changes({names}, {ends})"


def feed_differences(
    session: SparkSession,
    fixture: Fixture,
    snapshots: Sequence[Snapshot],
    changes: Sequence[Changes],
) -> list[str]:
    """What is wrong with the feeds of single snapshots, in sentences."""
    found: list[str] = []
    lines = []
    for change in changes:
        line = _line(fixture, snapshots, change)
        if is_incomplete(fixture, change):
            found += _not_refused(session, line, "*", "DUCKLAKE_CHANGES_EXPIRED")
        else:
            lines.append(line)
            for number in line.unreadable:
                column = quoted(_shown(line.relation.columns[number].name))
                found += _not_refused(session, line, column, LONG_INTEGER)
    for batch in _batches(lines):
        found += _differences(session, batch)
    return found


def _line(fixture: Fixture, snapshots: Sequence[Snapshot], change: Changes) -> Line:
    (snapshot,) = (snapshot for snapshot in snapshots if snapshot.id == change.snapshot)
    answer = repaired(change, snapshots) if change.error else amended(fixture, change)
    return Line(answer, snapshot.relation(change.schema, change.table), change.error is not None)


def _not_refused(session: SparkSession, line: Line, columns: str, wanted: str) -> list[str]:
    """What comes of a query that must be refused, when it is not refused with this condition."""
    condition = condition_of(session, line.select(columns))
    return [] if condition == wanted else [f"{line.place}: {columns}: {condition}, not {wanted}"]


def _batches(lines: list[Line]) -> list[list[Line]]:
    """Lines that one query can read: a table in one shape, with the same columns to leave out.

    A normal run reads the newest, and what DuckDB failed to read.
    """

    def shape(line: Line) -> tuple[str, str, str]:
        what = (line.relation.columns, line.unreadable)
        return line.relation.schema, line.relation.name, repr(what)

    groups = [list(group) for _, group in groupby(sorted(lines, key=shape), shape)]
    if FULL:
        return [group[n : n + BATCH] for group in groups for n in range(0, len(group), BATCH)]
    newest = {shape(group[0])[:2]: group[-FEW:] for group in sorted(groups, key=_last)}
    failed = [[line for line in group if line.is_repaired] for group in groups]
    return [*newest.values(), *filter(None, failed)]


def _last(lines: list[Line]) -> int:
    return max(line.change.snapshot for line in lines)


def _differences(session: SparkSession, batch: list[Line]) -> list[str]:
    relation = batch[0].relation
    readable = [n for n in range(len(relation.columns)) if n not in batch[0].unreadable]
    names = [quoted(_shown(relation.columns[number].name)) for number in readable]
    frame = session.sql(
        " UNION ALL ".join(
            line.select(", ".join([f"{number} AS {_NUMBER}", "change_type", "rowid", *names]))
            for number, line in enumerate(batch)
        )
    )
    rows = arrow_table(frame)
    columns = [
        Column("change_type", "VARCHAR"),
        Column("rowid", "BIGINT"),
        *(relation.columns[number] for number in readable),
    ]
    found = []
    for number, line in enumerate(batch):
        own = rows.filter(pc.field(_NUMBER) == number)
        recorded = [
            [kind, str(row_id), *(values[column] for column in readable)]
            for kind, row_id, values in line.change.rows
        ]
        texts = unordered_differences(columns, recorded, own.drop_columns([_NUMBER]))
        found += [f"{line.place}: {text}" for text in texts]
    return found


def _shown(name: str) -> str:
    """The name of a column of the table in the feed."""
    return f"{name}_1" if name.lower() in ("snapshot_id", "rowid", "change_type") else name
