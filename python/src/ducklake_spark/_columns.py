"""Columns of PySpark where a method takes SQL: as conditions and as values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from pyspark.sql import Column, DataFrame, SparkSession, functions

from ducklake_spark._sql import Value, expression
from ducklake_spark.errors import UnsupportedError

Condition: TypeAlias = "str | Column"
"""SQL, or a Column such as `F.col("id") == 1`."""

NewValue: TypeAlias = "Value | Column"
"""What a column is set to: text is SQL; Columns, numbers, dates and the like are themselves."""

_EXTENSION = "ducklake.spark.DuckLakeExtensions"


def has_column(*given: object) -> bool:
    """Whether a Column is among conditions, or among the values of mappings.

    Example:
        >>> has_column("id = 1", {"name": "upper(name)"}, None)
        False
    """
    values = [
        value
        for each in given
        for value in (each.values() if isinstance(each, Mapping) else (each,))
    ]
    return any(isinstance(value, Column) for value in values)


def as_column(value: NewValue, rows: DataFrame) -> Column:
    """A value or a condition as a Column of the kind that a DataFrame takes."""
    if isinstance(value, Column):
        return value
    if type(rows).__module__.startswith("pyspark.sql.connect."):
        # In a process with sessions of both kinds, the other module makes classic Columns.
        from pyspark.sql.connect import functions as of_connect

        return of_connect.expr(expression(value))
    return functions.expr(expression(value))


def sql_of(value: NewValue) -> str:
    """A value or a condition as SQL.

    Raises:
        ValueError: it is a Column, for which Spark has no text.
    """
    if isinstance(value, Column):
        raise ValueError("a Column has no text in SQL: give all conditions and values as text")
    return expression(value)


def refuse_without_extension(spark: SparkSession) -> None:
    """Refuse a Column in a session without the extension, which knows the table by the name `t`.

    Raises:
        UnsupportedError: the session does not have the extension.
    """
    if _EXTENSION not in (spark.conf.get("spark.sql.extensions", None) or ""):
        raise UnsupportedError(
            "A Column in a merge of a session without the extension of ducklake_spark is not "
            "supported. Give SQL texts, or start Spark with `spark.sql.extensions` = "
            f"{_EXTENSION}. SQLSTATE: 0A000",
            UnsupportedError.condition,
            {"what": "A Column in a merge"},
            sql_state="0A000",
        )
