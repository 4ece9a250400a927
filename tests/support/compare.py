"""Compare what Spark reads with what DuckDB recorded; differences come as sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField

from support.canonical import Value, from_arrow, from_text
from support.expected import Column, Relation
from support.figures import compared
from support.sparktypes import spark_type
from support.typetext import parse_type

ROW_ID = "_test_row_id"
_SHOWN = 3

EXPRESSION_VALUES = {"(1 + 2)": "3"}
"""Values of the default expressions that occur in the fixtures, by hand."""

ONLY_IN_DUCKDB = {"upper('abc')": "only DuckDB knows the value of upper('abc')"}
"""Default expressions of the fixtures that Spark refuses to use, with its reason."""
_RAISED = re.compile(r"raise_error\('(.*)'\)")


def quoted(name: str) -> str:
    """A name as a quoted identifier of Spark."""
    return "`" + name.replace("`", "``") + "`"


def has_long_integer(relation: Relation, column: int) -> bool:
    """Whether a recorded value of the column has the 39 digits that no Spark type holds."""
    values = (row[column] for row in relation.rows)
    is_wide = relation.columns[column].type in ("HUGEINT", "UHUGEINT")
    return is_wide and any(value and len(value.lstrip("-")) > 38 for value in values)


def column_differences(
    spark: SparkSession, expected: Sequence[Column], fields: Sequence[StructField]
) -> list[str]:
    """Names, types, nullability, comments and defaults."""
    names = [column.name for column in expected]
    if [field.name for field in fields] != names:
        return [f"columns are {[field.name for field in fields]}, not {names}"]
    found = []
    for column, field in zip(expected, fields, strict=True):
        facts = {
            "type": (spark_type(parse_type(column.type)), field.dataType.simpleString()),
            "nullable": (column.nullable, field.nullable),
            "comment": (column.comment, field.metadata.get("comment")),
            "default": (_duckdb_default(column), _spark_default(spark, column, field)),
        }
        found += [
            f"column {column.name}: {fact} is {actual!r}, not {wanted!r}"
            for fact, (wanted, actual) in facts.items()
            if wanted != actual
        ]
    return found


def _duckdb_default(column: Column) -> Value:
    """The value of a recorded default."""
    text = column.default
    if text is None or text == "NULL":
        return None
    if text in ONLY_IN_DUCKDB:
        return ONLY_IN_DUCKDB[text]
    if text.startswith("'"):
        content = text.rpartition("'")[0][1:].replace("''", "'")
    else:
        content = EXPRESSION_VALUES.get(text, text)
    return from_text(content, parse_type(column.type))


_defaults: dict[tuple[str, str], Value] = {}


def _spark_default(spark: SparkSession, column: Column, field: StructField) -> Value:
    """The value of the default that Spark shows, or why it has none."""
    text = field.metadata.get("CURRENT_DEFAULT")
    if text is None:
        return None
    if raised := _RAISED.fullmatch(text):
        return raised[1].replace("\\'", "'")
    key = (text, field.dataType.simpleString())
    if key not in _defaults:
        table = arrow_table(spark.sql(f"SELECT CAST(({text}) AS {key[1]}) AS value"))
        (_defaults[key],) = arrow_columns(table, [column])[0]
    return _defaults[key]


def arrow_table(frame: DataFrame) -> pa.Table:
    """The rows of a frame as Spark sends them.

    Not `toArrow()`: its cast to the declared schema fails for a NULL of type VARIANT.
    """
    batches = frame._collect_as_arrow(empty_list_if_zero_records=False)  # type: ignore[operator]
    return pa.Table.from_batches(batches)


def arrow_columns(table: pa.Table, columns: Sequence[Column]) -> list[list[Value]]:
    """The first columns of an Arrow table in the common form."""
    return [
        from_arrow(_whole(table.column(number)), parse_type(column.type))
        for number, column in enumerate(columns)
    ]


def _whole(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return whole if isinstance(whole, pa.Array) else whole.chunk(0)


def recorded_rows(columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> list[Value]:
    """Recorded rows in the common form."""
    kinds = [parse_type(column.type) for column in columns]
    return [
        tuple(from_text(value, kind) for value, kind in zip(row, kinds, strict=True))
        for row in rows
    ]


def row_differences(
    columns: Sequence[Column], expected: Sequence[Value], actual: Sequence[Value]
) -> list[str]:
    """Rows that differ; both sides in the same order."""
    if list(expected) == list(actual):
        return []
    found = [f"{len(actual)} rows, not {len(expected)}"] if len(actual) != len(expected) else []
    pairs = zip(expected, actual, strict=False)
    for number, (wanted, got) in enumerate(pairs):
        if wanted == got:
            continue
        found += [
            f"row {number}, column {column.name} ({column.type}): {b!r}, not {a!r}"
            for column, a, b in zip(columns, wanted, got, strict=False)
            if a != b
        ]
    return found[:_SHOWN] or ["same cells, other order"]


def table_differences(relation: Relation, rows: pa.Table, columns: Sequence[Column]) -> list[str]:
    """Values and row ids of a table; `rows` has the given columns and then ROW_ID."""
    chosen = [relation.columns.index(column) for column in columns]
    recorded = [[row[number] for number in chosen] for row in relation.rows]
    table = rows.sort_by(ROW_ID)
    row_ids = table.column(ROW_ID).to_pylist()
    if row_ids != list(relation.row_ids):
        return [f"row ids are {_short(row_ids)}, not {_short(list(relation.row_ids))}"]
    actual = list(zip(*arrow_columns(table, columns), strict=True))
    compared.update({"tables": 1, "cells": len(actual) * len(columns)})
    return row_differences(columns, recorded_rows(columns, recorded), actual)


def unordered_differences(
    columns: Sequence[Column], recorded: Sequence[Sequence[object]], table: pa.Table
) -> list[str]:
    """Values of a result without an order."""
    actual = list(zip(*arrow_columns(table, columns), strict=True)) if columns else []
    wanted = recorded_rows(columns, recorded)
    return row_differences(columns, sorted(wanted, key=repr), sorted(actual, key=repr))


def _short(values: list[int]) -> str:
    return str(values) if len(values) <= 12 else f"{values[:12]} and {len(values) - 12} more"
