"""Delete files and counts that contradict the data file: no statement loses other rows by them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import column, refused
from support.catalogdb import execute, read_catalog
from support.lakes import Lake, LakeFactory
from support.peer import connect, literal, made
from support.puffin import vector

Register = Callable[..., str]

pytestmark = pytest.mark.damages

WRITES = (
    "DELETE FROM {0}.main.t WHERE a = 5",
    "UPDATE {0}.main.t SET a = 50 WHERE a = 5",
    "MERGE INTO {0}.main.t USING (SELECT 5 AS b) ON a = b WHEN MATCHED THEN DELETE",
    "CALL {0}.system.rewrite_data_files(table_name => 't', delete_threshold => 0)",
)
"""Statements that decide by the positions and the counts of a data file."""


def _ten_rows(lakes: LakeFactory) -> Lake:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t AS SELECT i::INTEGER AS a FROM range(10) r(i)")
    return lake


def _deletes(lake: Lake, positions: list[int], kind: str) -> Path:
    """Let the data file have a delete file with these positions, as the catalog says it."""
    made(lake, "DELETE FROM t WHERE a = 0")
    (row,) = read_catalog(lake).rows("delete_file")
    file = next(lake.data_path.rglob(str(row["path"]))).with_name(f"given.{kind}")
    if kind == "puffin":
        file.write_bytes(vector(positions))
    else:
        shown = ", ".join(f"('data.parquet', {position}::BIGINT)" for position in positions)
        ids = "FIELD_IDS {file_path: 2147483646, pos: 2147483645}"
        with connect() as duckdb:
            duckdb.execute(
                f"COPY (SELECT * FROM (VALUES {shown}) v(file_path, pos)) "
                f"TO {literal(str(file))} ({ids})"
            )
    execute(
        lake,
        f"UPDATE ducklake_delete_file SET path = {literal(file.name)}, format = {literal(kind)}, "
        f"delete_count = {len(positions)}, file_size_bytes = {file.stat().st_size}, "
        "footer_size = NULL",
    )
    return file


@pytest.mark.parametrize("kind", ["parquet", "puffin"])
def test_deletes_of_rows_that_are_not_there_end_no_file(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: str
) -> None:
    lake = _ten_rows(lakes)
    file = _deletes(lake, [*range(100, 109)], kind)
    catalog = register(lake)
    before = read_catalog(lake)

    for statement in (
        *WRITES,
        "SELECT max(a) FROM {0}.main.t",
        "CALL {0}.system.table_changes('t', 1, 2)",
    ):
        refused(
            spark,
            statement.format(catalog),
            "DUCKLAKE_UNREADABLE_FILE",
            file.name,
            "position 100 is no row of the data file, which has 10",
        )

    assert read_catalog(lake) == before


@pytest.mark.parametrize("count", [2, 11])
def test_a_data_file_with_other_rows_than_the_catalog_says_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register, count: int
) -> None:
    lake = _ten_rows(lakes)
    made(lake, "DELETE FROM t WHERE a = 0")
    execute(lake, f"UPDATE ducklake_data_file SET record_count = {count}")
    catalog = register(lake)
    before = read_catalog(lake)

    for statement in (*WRITES, "SELECT max(a) FROM {0}.main.t"):
        refused(
            spark,
            statement.format(catalog),
            "DUCKLAKE_UNREADABLE_FILE",
            f"it has 10 rows, and the catalog says {count}",
        )

    assert read_catalog(lake) == before


def test_an_inlined_delete_of_a_row_that_is_not_there_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = _ten_rows(lakes)
    made(lake, "DELETE FROM t WHERE a = 0", limit=10)
    execute(lake, "UPDATE ducklake_inlined_delete_1 SET row_id = 10")
    catalog = register(lake)
    before = read_catalog(lake)

    flush = "CALL {0}.system.flush_inlined_data()"
    feed = "CALL {0}.system.table_changes('t', 1, 2)"
    for statement in (*WRITES, flush, feed, "SELECT * FROM {0}.main.t"):
        refused(
            spark,
            statement.format(catalog),
            "DUCKLAKE_CORRUPT_CATALOG",
            "data file 0",
            "its inlined deletes name position 10, and it has 10 rows",
        )

    assert read_catalog(lake) == before


def test_the_last_row_may_be_deleted(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = _ten_rows(lakes)
    _deletes(lake, [0, 9], "puffin")
    catalog = register(lake)

    spark.sql(WRITES[0].format(catalog))

    assert column(spark, f"SELECT a FROM {catalog}.main.t") == [1, 2, 3, 4, 6, 7, 8]
