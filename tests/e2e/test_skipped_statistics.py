"""The option `skip_stats_columns`: columns whose files get no bounds in the statistics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from support.adding import parquet
from support.asking import refused, rows
from support.catalogdb import read_catalog
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, made

Register = Callable[..., str]


def of_files(lake: Lake, table: int = 1) -> list[tuple[Any, ...]]:
    """Column, bounds and counts of the statistics of each file of a table."""
    names = ("data_file_id", "column_id", "min_value", "max_value", "value_count", "null_count")
    found = read_catalog(lake).rows("file_column_stats")
    rows = (tuple(row[n] for n in names)[1:] for row in found if row["table_id"] == table)
    return sorted(rows, key=str)


def ids(lake: Lake) -> dict[int, str]:
    """The stored ids by the table that they are for."""
    stored = read_catalog(lake).rows("metadata")
    return {r["scope_id"]: r["value"] for r in stored if r["key"] == "skip_stats_columns"}


def test_writes_and_registered_files_have_no_such_bounds(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INT, b VARCHAR, s STRUCT(x INT, y INT))")
    catalog = register(lake, IN_FILES)
    row = "SELECT 7::INT AS a, 'b' AS b, {'x': 1::INT, 'y': 2::INT} AS s"
    file = parquet(tmp_path / "a.parquet", row)

    call = "CALL {c}.system.set_option('skip_stats_columns', '{names}', table_name => 't')"
    spark.sql(call.format(c=catalog, names="B, s"))
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 'x', named_struct('x', 3, 'y', 4))")
    spark.sql(f"CALL {catalog}.system.add_data_files('t', '{file}')")

    assert ids(lake) == {1: "2,3"}
    counted = [(2, None, None, 1, 0), (4, None, None, 1, 0), (5, None, None, 1, 0)]
    assert of_files(lake) == sorted(
        [(1, "1", "1", 1, 0), (1, "7", "7", 1, 0), *counted, *counted], key=str
    )
    of_table = {
        r["column_id"]: r["min_value"] for r in read_catalog(lake).rows("table_column_stats")
    }
    assert of_table == {1: "1"}
    assert rows(spark, f"SELECT a FROM {catalog}.t WHERE b = 'x'") == [(1,)]
    with Peer(lake) as peer:
        assert peer.rows("SELECT a, min(b) FROM t WHERE b < 'd' GROUP BY a") == [(7, "b")]

    spark.sql(call.format(c=catalog, names=""))
    spark.sql(f"INSERT INTO {catalog}.t VALUES (9, 'z', NULL)")
    assert (2, "z", "z", 1, 0) in of_files(lake)
    wrong = call.format(c=catalog, names="a, nothing")
    refused(spark, wrong, "DUCKLAKE_INVALID_OPTION", "no column `nothing`")
    alone = f"CALL {catalog}.system.set_option('skip_stats_columns', 'a')"
    refused(spark, alone, "DUCKLAKE_INVALID_OPTION", "for one table")


def test_the_option_is_a_table_property_too(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    catalog = register(lake, IN_FILES)

    spark.sql(
        f"CREATE TABLE {catalog}.t TBLPROPERTIES ('skip_stats_columns' = 'b') "
        "AS SELECT 1 AS a, 'x' AS b"
    )
    (table,) = ids(lake)
    assert ids(lake) == {table: "2"}
    assert of_files(lake, table) == [(1, "1", "1", 1, 0), (2, None, None, 1, 0)]

    spark.sql(f"ALTER TABLE {catalog}.t ADD COLUMN c INT")
    spark.sql(f"ALTER TABLE {catalog}.t SET TBLPROPERTIES ('skip_stats_columns' = 'c')")
    assert ids(lake) == {table: "3"}
    spark.sql(f"ALTER TABLE {catalog}.t UNSET TBLPROPERTIES ('skip_stats_columns')")
    assert ids(lake) == {}
    statement = (
        f"CREATE TABLE {catalog}.u (a INT) PARTITIONED BY (a) "
        "TBLPROPERTIES ('skip_stats_columns' = 'a')"
    )
    refused(spark, statement, "DUCKLAKE_INVALID_OPTION", "`a` is a partition key")
