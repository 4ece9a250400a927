"""Files that DuckDB registered below a folder of another year or bucket than that of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.adding import add_by_duckdb, duckdb_rows, parquet
from support.asking import rows
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, made

Register = Callable[..., str]

IN_2021 = [
    "ts >= '2021-01-01'",
    "ts = '2021-05-01'",
    "year(ts) = 2021",
    "ts IN (TIMESTAMP_NTZ '2021-05-01 00:00:00', TIMESTAMP_NTZ '2030-01-01 00:00:00')",
]


@contextmanager
def set_to(spark: SparkSession, values: dict[str, str]) -> Iterator[None]:
    """Settings of the session while the block runs."""
    for key, value in values.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key in values:
            spark.conf.unset(key)


def misplaced(lakes: LakeFactory, folder: Path) -> Lake:
    """Row 1 of 2021 and row 2 of 2020, in two files below `year=2020`."""
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (i INT, ts TIMESTAMP)",
        "ALTER TABLE t SET PARTITIONED BY (year(ts))",
    )
    for i, day in ((1, "2021-05-01"), (2, "2020-05-01")):
        select = f"SELECT {i}::INT AS i, TIMESTAMP '{day}' AS ts"
        add_by_duckdb(lake, parquet(folder / "year=2020" / f"{i}.parquet", select))
    return lake


@pytest.fixture(params=["registered", "merged"])
def misplaced_lake(request: pytest.FixtureRequest, lakes: LakeFactory, tmp_path: Path) -> Lake:
    """A lake with misplaced rows; DuckDB's merge keeps the value and gives up the mapping."""
    lake = misplaced(lakes, tmp_path)
    if request.param == "merged":
        made(lake, "CALL ducklake_merge_adjacent_files('lake', 't')")
    return lake


def test_filters_find_the_rows(
    spark: SparkSession, misplaced_lake: Lake, register: Register
) -> None:
    catalog = register(misplaced_lake)

    for condition in IN_2021:
        assert rows(spark, f"SELECT i FROM {catalog}.t WHERE {condition}") == [(1,)], condition
    for condition in IN_2021[:3]:
        assert duckdb_rows(misplaced_lake, f"SELECT i FROM t WHERE {condition}") == [(1,)]


def test_statements_change_the_rows(
    spark: SparkSession, misplaced_lake: Lake, register: Register
) -> None:
    table = f"{register(misplaced_lake, IN_FILES)}.t"

    spark.sql(f"UPDATE {table} SET i = i + 10 WHERE ts >= '2021-01-01'")
    assert duckdb_rows(misplaced_lake, "SELECT i FROM t ORDER BY i") == [(2,), (11,)]
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT TIMESTAMP_NTZ '2021-05-01 00:00:00' AS ts) s "
        "ON t.ts = s.ts WHEN MATCHED THEN UPDATE SET i = 20 "
        "WHEN NOT MATCHED THEN INSERT (i) VALUES (0)"
    )
    assert duckdb_rows(misplaced_lake, "SELECT i FROM t ORDER BY i") == [(2,), (20,)]
    spark.sql(f"DELETE FROM {table} WHERE ts >= '2021-01-01'")
    assert duckdb_rows(misplaced_lake, "SELECT i FROM t") == [(2,)]


@pytest.mark.parametrize(("year", "left"), [(2020, [(1,), (3,)]), (2021, [(2,), (3,)])])
def test_a_partition_is_replaced_by_its_rows(
    spark: SparkSession,
    misplaced_lake: Lake,
    register: Register,
    year: int,
    left: list[tuple[int]],
) -> None:
    table = f"{register(misplaced_lake, IN_FILES)}.t"

    with set_to(spark, {"spark.sql.sources.partitionOverwriteMode": "dynamic"}):
        spark.sql(f"INSERT OVERWRITE {table} VALUES (3, TIMESTAMP_NTZ '{year}-07-01 00:00:00')")

    assert duckdb_rows(misplaced_lake, "SELECT i FROM t ORDER BY i") == left


def test_rows_of_another_bucket_are_found_and_joined(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    """DuckDB finds them by a join and by ranges, and not by their keys."""
    lake = lakes.new("sqlite")
    bucketed = "({0} INT)", "SET PARTITIONED BY (bucket(4, {0}))"
    made(
        lake,
        f"CREATE TABLE t {bucketed[0].format('i')}",
        f"ALTER TABLE t {bucketed[1].format('i')}",
        f"CREATE TABLE u {bucketed[0].format('j')}",
        f"ALTER TABLE u {bucketed[1].format('j')}",
    )
    add_by_duckdb(
        lake,
        parquet(tmp_path / "bucket=3" / "a.parquet", "SELECT i::INT AS i FROM range(10) r(i)"),
    )
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("INSERT INTO u SELECT i FROM range(10) r(i)")
    catalog = register(lake)
    settings = {
        "spark.sql.sources.v2.bucketing.enabled": "true",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }

    with set_to(spark, settings):
        joined = rows(spark, f"SELECT count(*) FROM {catalog}.t JOIN {catalog}.u ON i = j")

    assert joined == [(10,)] == duckdb_rows(lake, "SELECT count(*) FROM t JOIN u ON i = j")
    assert rows(spark, f"SELECT count(*) FROM {catalog}.t WHERE i IN (0, 1, 2)") == [(3,)]
    assert duckdb_rows(lake, "SELECT count(*) FROM t WHERE i < 3") == [(3,)]
