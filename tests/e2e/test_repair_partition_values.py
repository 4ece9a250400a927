"""`repair_partition_values`: wrong partition values become those of the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession

from e2e.test_untrue_partitions import STAMPS, UNITS, WHERE, from_iceberg
from support.adding import duckdb_rows
from support.asking import rows
from support.catalogdb import execute, read_catalog
from support.lakes import IN_FILES, Lake
from support.peer import made

Register = Callable[..., str]
pytestmark = pytest.mark.damages("partition values that are not those of the rows")


def stored(lake: Lake) -> list[tuple[int, str | None]]:
    """The values of the catalog, in the order of the files and keys."""
    found = [
        (row["data_file_id"], row["partition_key_index"], row["partition_value"])
        for row in read_catalog(lake).rows("file_partition_value")
    ]
    return [(key, value) for _, key, value in sorted(found)]


def repair(spark: SparkSession, catalog: str, arguments: str = "'t'") -> list[tuple[Any, ...]]:
    """The lines of a repair, without the names of schema and table."""
    called = f"CALL {catalog}.system.repair_partition_values({arguments})"
    return [tuple(row)[2:] for row in spark.sql(called).collect()]


@pytest.mark.every_database
@pytest.mark.parametrize("kind_of_time", ["TIMESTAMP", "TIMESTAMPTZ"])
def test_ordinals_of_iceberg_become_parts_of_the_calendar(
    spark: SparkSession, lake: Lake, register: Register, kind_of_time: str
) -> None:
    from_iceberg(lake, UNITS["all"], kind_of_time)
    catalog, before = register(lake), stored(lake)

    trial = repair(spark, catalog, "'t', dry_run => true")
    assert stored(lake) == before
    lines = repair(spark, catalog)

    snapshot = max(row["snapshot_id"] for row in read_catalog(lake).rows("snapshot"))
    assert [line[0] for line in lines] == [f"{unit}(ts)" for unit in UNITS["all"]]
    assert [(*line[:3], None) for line in lines] == trial
    assert {line[2:] for line in lines} == {(0, snapshot)}
    calendar = (
        "SELECT year(u), month(u), day(u), hour(u) FROM (SELECT id, {} AS u FROM t) ORDER BY id"
    )
    moment = "ts" if kind_of_time == "TIMESTAMP" else "(ts AT TIME ZONE 'UTC')"
    wanted = [str(part) for row in duckdb_rows(lake, calendar.format(moment)) for part in row]
    assert [value for _, value in stored(lake)] == wanted
    for condition in WHERE:
        query = f"SELECT id FROM {{}} WHERE {condition} ORDER BY id"
        expected = duckdb_rows(lake, query.format("t"))
        assert rows(spark, query.format(f"{catalog}.t")) == expected, condition
    assert len(duckdb_rows(lake)) == len(STAMPS)
    assert repair(spark, catalog) == []


@pytest.mark.every_database
def test_duckdb_finds_the_rows_of_wrong_buckets(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """A file with one value has the bucket of the value; that of several values is not known.

    Nothing contradicts one of them: values of another integer type might have that bucket.
    """
    made(
        lake,
        "CREATE TABLE t (i INT)",
        "ALTER TABLE t SET PARTITIONED BY (bucket(4, i))",
        "INSERT INTO t VALUES (5), (5)",
        "INSERT INTO t VALUES (NULL)",
        "INSERT INTO t SELECT 8 * unnest(range(100))",
    )
    files = sorted({row["data_file_id"] for row in read_catalog(lake).rows("data_file")})
    right = dict(zip(files, [value for _, value in stored(lake)], strict=True))
    wrong = {file: "3" if value != "3" else "2" for file, value in right.items()}
    for file in files:
        execute(
            lake,
            f"UPDATE ducklake_file_partition_value SET partition_value = '{wrong[file]}' "
            f"WHERE data_file_id = {file}",
        )
    assert duckdb_rows(lake, "SELECT count(*) FROM t WHERE i = 5") == [(0,)]
    catalog = register(lake, IN_FILES)

    ((_, repaired, left, _),) = repair(spark, catalog)

    assert duckdb_rows(lake, "SELECT count(*) FROM t WHERE i = 5") == [(2,)]
    assert (len(files), repaired, left) == (6, 2, 3)
    now = dict(zip(files, [value for _, value in stored(lake)], strict=True))
    assert [now[file] == right[file] for file in files[:2]] == [True, True]
    assert [now[file] == wrong[file] for file in files[2:]] == [True] * (len(files) - 2)


def test_true_values_and_other_tables_stay(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INT, ts TIMESTAMP)",
        "ALTER TABLE t SET PARTITIONED BY (year(ts), id)",
        "INSERT INTO t VALUES (1, '2024-05-01'), (2, '2023-05-01'), (3, NULL)",
        "INSERT INTO t VALUES (NULL, '2020-01-01')",
        "CREATE TABLE u (id INT, ts TIMESTAMP)",
        "ALTER TABLE u SET PARTITIONED BY (year(ts))",
        "INSERT INTO u VALUES (1, '2024-05-01')",
    )
    catalog, before = register(lake), stored(lake)
    snapshots = read_catalog(lake).rows("snapshot")

    assert repair(spark, catalog, "") == []

    assert (stored(lake), read_catalog(lake).rows("snapshot")) == (before, snapshots)


def test_a_wrong_value_that_nothing_proves_stays_and_is_told(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INT, ts TIMESTAMP)",
        "INSERT INTO t VALUES (1, '2023-05-01'), (2, '2024-05-01')",
        "ALTER TABLE t SET PARTITIONED BY (year(ts))",
        "INSERT INTO t VALUES (3, '2022-05-01')",
    )
    spec = max(row["partition_id"] for row in read_catalog(lake).rows("partition_info"))
    first = min(row["data_file_id"] for row in read_catalog(lake).rows("data_file"))
    table = max(row["table_id"] for row in read_catalog(lake).rows("data_file"))
    execute(
        lake,
        f"UPDATE ducklake_data_file SET partition_id = {spec} WHERE data_file_id = {first}",
        f"INSERT INTO ducklake_file_partition_value VALUES ({first}, {table}, 0, '54')",
    )
    catalog, snapshots = register(lake), read_catalog(lake).rows("snapshot")

    assert repair(spark, catalog) == [("year(ts)", 0, 1, None)]

    assert read_catalog(lake).rows("snapshot") == snapshots
    assert "54" in [value for _, value in stored(lake)]
