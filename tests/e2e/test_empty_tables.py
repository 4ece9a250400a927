"""Columns of a table without rows take any change: new columns take the place of the old ones."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import Lake
from support.lines import EVOLVING_INSERT, since
from support.peer import Peer

Register = Callable[..., str]


def test_types_of_an_empty_table_change_freely(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (a INTEGER, s STRUCT(x INTEGER, y VARCHAR), l INTEGER[])",
            "ALTER TABLE t SET PARTITIONED BY (a)",
            "INSERT INTO t VALUES (1, {'x': 1, 'y': 'one'}, [1])",
            "DELETE FROM t",
        )
        past = peer.head() - 1
    table = f"{register(lake)}.main.t"

    spark.sql(f"ALTER TABLE {table} ALTER COLUMN a TYPE STRING")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN s.x TYPE STRING")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN l.element TYPE STRING")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN due DATE NOT NULL")
    spark.sql(
        f"INSERT INTO {table} VALUES ('b', named_struct('x', 'c', 'y', 'd'), array('e'), "
        "DATE '2026-01-01')"
    )

    with Peer(lake) as peer:
        assert peer.rows("FROM t") == [("b", {"x": "c", "y": "d"}, ["e"], date(2026, 1, 1))]
        peer.run("INSERT INTO t VALUES ('f', NULL, ['g'], '2026-01-02')")
        assert peer.rows(f"SELECT a, s.x, l FROM t AT (VERSION => {past})") == [(1, 1, [1])]
    assert rows(spark, f"SELECT a, s.x, l[0] FROM {table} ORDER BY a") == [
        ("b", "c", "e"),
        ("f", None, "g"),
    ]
    assert rows(spark, f"SELECT a, s.x, l[0] FROM {table} VERSION AS OF {past}") == [(1, 1, 1)]
    keys = [column.name for column in spark.catalog.listColumns(table) if column.isPartition]
    assert keys == ["a"]


def test_a_table_with_rows_keeps_its_types(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    table = f"{register(lake)}.main.t"
    spark.sql(f"CREATE TABLE {table} (a INT, s STRUCT<x: INT>)")
    spark.sql(f"INSERT INTO {table} VALUES (1, NULL)")

    change = f"ALTER TABLE {table} ALTER COLUMN a TYPE STRING"
    refused(spark, change, "DUCKLAKE_INVALID_CHANGE", "without loss")
    needed = f"ALTER TABLE {table} ADD COLUMN b INT NOT NULL"
    refused(spark, needed, "DUCKLAKE_INVALID_CHANGE", "constant default")
    spark.sql(f"DELETE FROM {table}")
    spark.sql(change)
    spark.sql(needed)

    assert [row[1] for row in rows(spark, f"DESCRIBE {table}")] == [
        "string",
        "struct<x:int>",
        "int",
    ]


@since(EVOLVING_INSERT)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_an_insert_that_evolves_keeps_the_types_of_an_empty_table(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    table = f"{register(lake)}.main.t"
    spark.sql(f"CREATE TABLE {table} (a BIGINT)")

    spark.sql(f"INSERT WITH SCHEMA EVOLUTION INTO {table} BY NAME SELECT 1 AS a, 'x' AS b")

    assert [row[1] for row in rows(spark, f"DESCRIBE {table}")] == ["bigint", "string"]
