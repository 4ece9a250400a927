"""Snapshots for people: the newest first, with names instead of numbers."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import SupportsIndex

from pyspark.sql import DataFrame

from ducklake_spark._calls import LakeCalls, about
from ducklake_spark_catalog.texts import constant


def history(calls: LakeCalls, snapshots: DataFrame, limit: SupportsIndex | None) -> DataFrame:
    """Snapshots with the names of what they changed.

    Args:
        calls: the lake.
        snapshots: rows of `snapshots`.
        limit: no more snapshots than these; all when left out.
    """
    newest_first = snapshots.orderBy("snapshot_id", ascending=False)
    shown = newest_first if limit is None else newest_first.limit(operator.index(limit))
    columns = [name for name in shown.columns if name != "changes"]
    place = shown.columns.index("changes")
    return shown.selectExpr(*columns[:place], _named(_names(calls)), *columns[place:])


def _names(calls: LakeCalls) -> dict[str, str]:
    """The names of schemas and tables that there are, by their numbers as texts."""
    rows = about(calls.spark, calls.catalog, "schemas").collect()
    schemas = {row.schema_id: row.schema_name for row in rows}
    tables = about(calls.spark, calls.catalog, "table_info").collect()
    return {str(number): name for number, name in schemas.items()} | {
        str(row.table_id): f"{schemas[row.schema_id]}.{row.table_name}" for row in tables
    }


def _named(names: Mapping[str, str]) -> str:
    """The column `changes` with names, as SQL; what was created has its name already."""
    pairs = ", ".join(constant(text) for pair in names.items() for text in pair)
    name = f"one -> coalesce(try_element_at(map({pairs}), one), one)"
    return (
        "transform_values(changes, (kind, subjects) -> "
        f"IF(endswith(kind, '_created'), subjects, transform(subjects, {name}))) AS changes"
    )
