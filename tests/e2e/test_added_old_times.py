"""Registered files of old writers, whose timestamps do not say whether they are instants."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from support.adding import (
    add_by_duckdb,
    add_by_spark,
    duckdb_rows,
    edit_footer,
    old_calendar,
)
from support.asking import refused, rows, value
from support.lakes import Lake
from support.peer import Peer, made

Register = Callable[..., str]

UNITS = {"ms": b"\x1c", "us": b"\x2c"}
"""Units of Arrow, and the field of the footer that has them."""

MILLIS = (-1, 1_700_000_000_123)
ROWS = [
    (datetime(1969, 12, 31, 23, 59, 59, 999000),),
    (datetime(2023, 11, 14, 22, 13, 20, 123000),),
]


def old(folder: Path, unit: str) -> str:
    """A Parquet file whose column `ts` has only a converted type; its path.

    Arrow writes both annotations. A bit of the footer turns the field of the newer annotation into
    one that no reader knows.
    """
    file = folder / f"{unit}.parquet"
    times = pa.array(MILLIS, pa.timestamp("ms", "UTC")).cast(pa.timestamp(unit, "UTC"))
    pq.write_table(pa.table({"ts": times}), file, store_schema=False)
    newer = b"\x8c\x11\x1c" + UNITS[unit] + bytes(4)
    return edit_footer(file, b"\x4c" + newer, b"\x5c" + newer)


@pytest.mark.parametrize("kind", ["sqlite"])
def test_both_engines_read_local_times(
    lake: Lake, register: Register, spark: SparkSession, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (ts TIMESTAMP)")
    catalog = register(lake)
    add_by_duckdb(lake, old(tmp_path, "us"))

    add_by_spark(spark, catalog, old(tmp_path, "ms"))

    table = f"{catalog}.t"
    twice = sorted(ROWS * 2)
    assert rows(spark, f"SELECT * FROM {table} ORDER BY ts") == twice
    assert value(spark, f"SELECT count(*) FROM {table} WHERE ts < '1970-01-01'") == 2
    assert duckdb_rows(lake) == twice
    spark.sql(f"CALL {catalog}.system.merge_adjacent_files('t')")
    with Peer(lake) as peer:
        peer.run("SET TimeZone = 'America/New_York'")
        assert peer.rows("SELECT * FROM t ORDER BY ts") == twice
        assert peer.rows("SELECT count(*) FROM ducklake_list_files('lake', 't')") == [(1,)]


@pytest.mark.parametrize("kind", ["sqlite"])
def test_columns_of_instants_refuse_them(
    lake: Lake, register: Register, spark: SparkSession, tmp_path: Path
) -> None:
    file = old(tmp_path, "us")
    made(lake, "CREATE TABLE t (ts TIMESTAMPTZ)")
    with pytest.raises(Exception, match="Expected TIMESTAMP WITH TIME ZONE, found type TIMESTAMP"):
        add_by_duckdb(lake, file)

    call = f"CALL {register(lake)}.system.add_data_files('t', '{file}')"
    refused(spark, call, "DUCKLAKE_CANNOT_ADD_FILE", "timestamptz", file)


def in_old_calendar(spark: SparkSession, folder: Path, form: str, select: str) -> str:
    """A folder with a file of Spark in the calendar of Spark 2; its path."""
    with old_calendar(spark, form):
        spark.sql(select).coalesce(1).write.parquet(str(folder))
    return str(folder)


@pytest.mark.parametrize(
    ("form", "select", "column"),
    [
        ("TIMESTAMP_MICROS", "NULL AS s, TIMESTAMP'1899-12-31 23:59:59' AS seen", "seen"),
        ("TIMESTAMP_MICROS", "NAMED_STRUCT('day', DATE'1582-10-04') AS s, NULL AS seen", "s.day"),
        ("INT96", "NULL AS s, TIMESTAMP'2020-01-01 00:00:00' AS seen", "seen"),
    ],
)
def test_files_of_the_old_calendar_are_refused(
    lake: Lake,
    register: Register,
    spark: SparkSession,
    tmp_path: Path,
    form: str,
    select: str,
    column: str,
) -> None:
    """DuckDB and Spark read different values. INT96 has no minimum: its values may be old."""
    instants = "TIMESTAMP" if form == "INT96" else "TIMESTAMPTZ"
    made(lake, f"CREATE TABLE t (s STRUCT(day DATE), seen {instants})")
    catalog = register(lake)
    types = "CAST(s AS STRUCT<day: DATE>) AS s, CAST(seen AS TIMESTAMP) AS seen"
    query = f"SELECT {types} FROM (SELECT {select})"
    folder = in_old_calendar(spark, tmp_path / "old", form, query)

    call = f"CALL {catalog}.system.add_data_files('t', '{folder}')"
    message = refused(spark, call, "DUCKLAKE_CANNOT_ADD_FILE", f"calendar in column `{column}`")

    assert folder in message
    assert duckdb_rows(lake) == []


def test_files_of_the_old_calendar_with_newer_values_are_added(
    lake: Lake, register: Register, spark: SparkSession, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (day DATE, seen TIMESTAMPTZ)")
    catalog = register(lake)
    query = (
        "SELECT DATE'1582-10-15' AS day, TIMESTAMP'1900-01-01 00:00:00' AS seen "
        "UNION ALL SELECT NULL, NULL"
    )

    add_by_spark(
        spark, catalog, in_old_calendar(spark, tmp_path / "old", "TIMESTAMP_MICROS", query)
    )

    found = duckdb_rows(
        lake, "SELECT CAST(day AS VARCHAR), epoch(seen)::BIGINT FROM t ORDER BY ALL"
    )
    assert found == [("1582-10-15", -2208988800), (None, None)]
