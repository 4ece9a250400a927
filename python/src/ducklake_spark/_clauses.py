"""The clauses of a MERGE, as SQL text and as calls of `DataFrame.mergeInto`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame

from ducklake_spark._assign import insertion, settings_of
from ducklake_spark._columns import Condition, NewValue, as_column, sql_of

_OF_OTHER_ROWS = (
    "MISSING_ATTRIBUTES.RESOLVED_ATTRIBUTE_APPEAR_IN_OPERATION",
    "MISSING_ATTRIBUTES.RESOLVED_ATTRIBUTE_MISSING_FROM_INPUT",
    "CANNOT_RESOLVE_DATAFRAME_COLUMN",
)

KINDS = ("WHEN MATCHED", "WHEN NOT MATCHED", "WHEN NOT MATCHED BY SOURCE")
"""The kinds of clauses, in the order in which SQL wants them."""

Values: TypeAlias = "tuple[tuple[str, NewValue], ...] | None"
"""Quoted names of columns and their values."""

ALL: Values = None
"""All columns; which these are is settled when the MERGE runs."""


@dataclass(frozen=True)
class Clause:
    """One clause: `UPDATE`, `INSERT` or `DELETE`, with values for the first two."""

    kind: str
    action: str
    values: Values
    condition: Condition | None

    def sql(self) -> str:
        """The clause as SQL.

        Raises:
            ValueError: the condition or a value is a Column.

        Example:
            >>> Clause(KINDS[0], "UPDATE", (("`n`", 3),), "t.id > 1").sql()
            'WHEN MATCHED AND (t.id > 1) THEN UPDATE SET `n` = 3'
            >>> Clause(KINDS[1], "INSERT", ALL, None).sql()
            'WHEN NOT MATCHED THEN INSERT *'
        """
        limit = "" if self.condition is None else f" AND ({sql_of(self.condition)})"
        return f"{self.kind}{limit} THEN {self._action()}"

    def _action(self) -> str:
        if self.action == "DELETE":
            return "DELETE"
        if self.values is None:
            return "UPDATE SET *" if self.action == "UPDATE" else "INSERT *"
        names = [name for name, _ in self.values]
        values = [sql_of(value) for _, value in self.values]
        if self.action == "UPDATE":
            return f"UPDATE SET {settings_of(names, values)}"
        return insertion(names, values)


def merge_columns(
    source: DataFrame,
    target: str,
    condition: Condition,
    clauses: Iterable[Clause],
    *,
    schema_evolution: bool = False,
) -> None:
    """Run a MERGE whose conditions and values may be Columns.

    Args:
        source: the rows of the source.
        target: the quoted name of the table.
        condition: which rows match.
        clauses: in the order that SQL wants.
        schema_evolution: whether the source may add columns and widen types.
    """
    writer = source.mergeInto(target, as_column(condition, source))
    if schema_evolution:
        writer = writer.withSchemaEvolution()
    for clause in clauses:
        limit = None if clause.condition is None else as_column(clause.condition, source)
        values = _columns(clause, source)
        if clause.kind == KINDS[1]:
            fresh = writer.whenNotMatched(limit)
            writer = fresh.insertAll() if values is None else fresh.insert(values)
            continue
        of_source = clause.kind == KINDS[0]
        known = writer.whenMatched(limit) if of_source else writer.whenNotMatchedBySource(limit)
        if clause.action == "DELETE":
            writer = known.delete()
        else:
            writer = known.updateAll() if values is None else known.update(values)
    with _told_of_names():
        writer.merge()


def _columns(clause: Clause, source: DataFrame) -> dict[str, Column] | None:
    if clause.values is None:
        return None
    return {name: as_column(value, source) for name, value in clause.values}


@contextmanager
def _told_of_names() -> Iterator[None]:
    """Say what to write instead of a Column that belongs to the rows of another DataFrame."""
    try:
        yield
    except AnalysisException as failure:
        if failure.getCondition() not in _OF_OTHER_ROWS:
            raise
        raise AnalysisException(
            "A Column belongs to another DataFrame, whose rows are not those of the table. Name the"
            ' column instead: F.col("id"), and in a merge F.col("t.id") or F.col("s.id"). '
            "SQLSTATE: 42704",
            failure.getCondition(),
            failure.getMessageParameters(),
        ) from failure
