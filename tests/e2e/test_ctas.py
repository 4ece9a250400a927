"""CREATE TABLE AS SELECT, CREATE OR REPLACE and REPLACE TABLE: each one snapshot, or nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.lakes import IN_FILES, Lake
from support.peer import Peer, made

Register = Callable[..., str]


def files_of(lake: Lake) -> int:
    """Files below the data path, whether a snapshot names them or not."""
    return len(list(lake.data_path.rglob("*.parquet")))


def test_a_table_with_its_rows_is_one_snapshot(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)

    spark.sql(
        f"CREATE TABLE {catalog}.t PARTITIONED BY (k) COMMENT 'c' "
        "TBLPROPERTIES ('ducklake.sorted-by' = 'id DESC', 'parquet_compression' = 'zstd') "
        "AS SELECT id % 3 AS k, id, named_struct('a', id) AS s FROM range(30)"
    )

    with Peer(lake) as peer:
        assert peer.head() == 1
        assert peer.rows("SELECT k, count(*), sum(s.a) FROM t GROUP BY k ORDER BY k") == [
            (0, 10, 135),
            (1, 10, 145),
            (2, 10, 155),
        ]
        files = [
            row[0] for row in peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
        ]
        assert files and all("/t/k=" in file for file in files)
        codecs = f"SELECT DISTINCT compression FROM parquet_metadata({files})"
        assert peer.rows(codecs) == [("ZSTD",)]
        peer.run("INSERT INTO t VALUES (7, 70, {'a': 700})", "DELETE FROM t WHERE k = 0")
    assert value(spark, f"SELECT sum(s.a) FROM {catalog}.t") == 1000


def test_a_replaced_table_is_another_one(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT range AS a FROM range(5)")
        before = peer.head()

    spark.sql(f"CREATE OR REPLACE TABLE {catalog}.t AS SELECT a * 2 AS b FROM {catalog}.t")
    assert sorted(rows(spark, f"SELECT b FROM {catalog}.t")) == [(n,) for n in (0, 2, 4, 6, 8)]
    spark.sql(f"REPLACE TABLE {catalog}.t AS SELECT 'x' AS c")
    assert rows(spark, f"SELECT c FROM {catalog}.t") == [("x",)]
    spark.sql(f"CREATE OR REPLACE TABLE {catalog}.T (d INT DEFAULT 4)")
    spark.sql(f"CREATE OR REPLACE TABLE {catalog}.u AS SELECT id FROM range(0)")

    assert value(spark, f"SELECT sum(a) FROM {catalog}.t VERSION AS OF {before}") == 10
    refused(
        spark, f"REPLACE TABLE {catalog}.nope AS SELECT 1 AS a", "TABLE_OR_VIEW_NOT_FOUND", "nope"
    )
    with Peer(lake) as peer:
        assert peer.head() == before + 4
        assert peer.rows("SHOW TABLES") == [("T",), ("u",)]
        assert peer.rows("FROM u") == []
        peer.run("INSERT INTO t DEFAULT VALUES", "INSERT INTO u VALUES (1)")
    assert rows(spark, f"SELECT d FROM {catalog}.t") == [(4,)]
    assert rows(spark, f"SELECT id FROM {catalog}.u") == [(1,)]


def test_dataframes_create_and_replace(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = register(lake)

    spark.range(5).writeTo(f"{catalog}.main.t").create()
    spark.range(7).writeTo(f"{catalog}.main.t").createOrReplace()
    spark.range(3).writeTo(f"{catalog}.main.t").replace()
    spark.range(2).write.saveAsTable(f"{catalog}.main.u")
    spark.range(4).write.mode("overwrite").saveAsTable(f"{catalog}.main.u")
    spark.range(4).write.mode("append").saveAsTable(f"{catalog}.main.u")
    spark.range(9).write.mode("ignore").saveAsTable(f"{catalog}.main.u")

    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        spark.range(1).write.saveAsTable(f"{catalog}.main.u")
    with Peer(lake) as peer:
        assert peer.head() == 6
        assert peer.rows("SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM u)") == [(3, 8)]


def test_the_format_is_found_and_needs_a_name(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)

    writer = spark.range(3).write.format("ducklake").option("commit-message", "why")
    writer.saveAsTable(f"{catalog}.main.t")

    with Peer(lake) as peer:
        answer = "SELECT commit_message FROM ducklake_snapshots('lake') WHERE snapshot_id = 1"
        assert peer.value(answer) == "why"
        assert peer.value("SELECT count(*) FROM t") == 3
    assert rows(spark, f"SHOW TBLPROPERTIES {catalog}.t") == []
    with pytest.raises(PySparkException, match="DUCKLAKE_INVALID_SETTING"):
        spark.read.format("ducklake").load()


def test_a_query_that_fails_leaves_nothing_behind(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 1 AS a")
    before = files_of(lake)

    fails = "IF(id = 9999, raise_error('the last part fails'), id) AS id"
    bad = spark.range(0, 10000, 1, 1).selectExpr(fails, "id % 3 AS k")
    for write in (
        bad.writeTo(f"{catalog}.main.n").partitionedBy(bad.k).create,
        bad.writeTo(f"{catalog}.main.t").replace,
        bad.writeTo(f"{catalog}.main.t").createOrReplace,
    ):
        with pytest.raises(PySparkException, match="the last part fails"):
            write()

    assert files_of(lake) == before
    assert rows(spark, f"SELECT a FROM {catalog}.t") == [(1,)]
    with Peer(lake) as peer:
        assert peer.head() == 1
        assert peer.rows("SHOW TABLES") == [("t",)]


def test_what_is_there_already_or_cannot_be_stored_is_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake, IN_FILES)
    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 1 AS a")
    made(lake, "CREATE VIEW v AS SELECT 1 AS a")

    for name, query, condition in (
        ("T", "SELECT 2 AS a", "TABLE_OR_VIEW_ALREADY_EXISTS"),
        ("V", "SELECT 2 AS a", "TABLE_OR_VIEW_ALREADY_EXISTS"),
        ("x", "SELECT NULL AS a", "DUCKLAKE_UNSTORABLE_TYPE"),
        ("x", "SELECT 1 AS row_id", "DUCKLAKE_INVALID_NAME"),
        ("nope.x", "SELECT 1 AS a", "SCHEMA_NOT_FOUND"),
    ):
        refused(spark, f"CREATE TABLE {catalog}.{name} AS {query}", condition)
    refused(
        spark,
        f"CREATE OR REPLACE TABLE {catalog}.v AS SELECT 1 AS a",
        "TABLE_OR_VIEW_ALREADY_EXISTS",
        "v",
    )
    spark.sql(f"CREATE TABLE IF NOT EXISTS {catalog}.t AS SELECT 2 AS b")

    assert rows(spark, f"SELECT a FROM {catalog}.t") == [(1,)]
    assert files_of(lake) == 1
    with Peer(lake) as peer:
        assert peer.head() == 2
