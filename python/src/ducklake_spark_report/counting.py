"""Rows of tables, counted without Spark."""

from __future__ import annotations

from collections.abc import Sequence

from ducklake_spark_catalog.catalog import Catalog
from ducklake_spark_catalog.database import Row
from ducklake_spark_report.asking import Asking
from ducklake_spark_report.options import options
from ducklake_spark_report.tables import tables


def with_rows(catalog: Catalog, listed: Sequence[Row], snapshot: int) -> list[Row]:
    """Tables with the number of their rows, and of those that are kept in the catalog.

    At a past snapshot the numbers are NULL: files that were merged since hold rows of later
    snapshots, and delete files hold later deletes.
    """
    if snapshot != catalog.check(None):
        return [_counted(row, None, None) for row in listed]
    asking = Asking(catalog, snapshot)
    found = {(each.schema, each.name): each for each in tables(asking, options(asking))}
    counted = [(row, found[row["schema_name"], row["table_name"]]) for row in listed]
    return [_counted(row, table.rows, table.inlined_rows) for row, table in counted]


def _counted(row: Row, rows: int | None, inlined: int | None) -> Row:
    """A table with two more numbers behind its name."""
    names = {name: row[name] for name in ("schema_name", "table_name")}
    return {**names, "row_count": rows, "inlined_row_count": inlined, **row}
