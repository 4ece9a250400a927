"""CREATE, ALTER and DROP SCHEMA from Spark."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from support.asking import column, refused, rows
from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]


def test_a_schema_is_made_and_used_by_both(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)

    spark.sql(f"CREATE SCHEMA {catalog}.`a b` COMMENT 'first'")
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {catalog}.`A B`")
    spark.sql(f"CREATE TABLE {catalog}.`a b`.t (i INT)")

    refused(spark, f"CREATE SCHEMA {catalog}.`A B`", "SCHEMA_ALREADY_EXISTS", "A B")
    refused(spark, f"CREATE SCHEMA {catalog}.x LOCATION '/tmp'", "DUCKLAKE_UNSUPPORTED", "LOCATION")
    refused(spark, f"CREATE SCHEMA {catalog}.x.y", "DUCKLAKE_UNSUPPORTED", "x.y")
    assert column(spark, f"SHOW SCHEMAS IN {catalog}") == ["`a b`", "main"]
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run('INSERT INTO "a b".t VALUES (1)', "CREATE SCHEMA s")
        assert peer.head() == 4
    assert rows(spark, f"SELECT i FROM {catalog}.`a b`.t") == [(1,)]
    (file,) = lake.data_path.rglob("*.parquet")
    assert len(file.parent.parent.name) == 36


def test_comments_and_properties_of_a_schema(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE SCHEMA {catalog}.s COMMENT 'first'")

    spark.sql(f"COMMENT ON SCHEMA {catalog}.s IS 'second'")
    spark.sql(f"ALTER SCHEMA {catalog}.s SET DBPROPERTIES ('k' = 'v')")

    answer = {row[0]: row[1] for row in rows(spark, f"DESCRIBE SCHEMA EXTENDED {catalog}.s")}
    assert answer["Comment"] == "second" and answer["Properties"] == "((k,v))"
    with Peer(lake) as peer:
        peer.run("CREATE TABLE s.t AS SELECT 1 AS a", "FROM ducklake_snapshots('lake')")
    assert rows(spark, f"SELECT a FROM {catalog}.s.t") == [(1,)]


def test_a_schema_goes_with_all_that_it_holds_or_not_at_all(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run(
            "CREATE SCHEMA s",
            "CREATE TABLE s.t AS SELECT 1 AS a",
            "CREATE VIEW s.v AS SELECT 1 AS a",
            "CREATE MACRO s.plus(a) AS a + 1",
            "CREATE MACRO s.rows(a) AS TABLE SELECT a",
            "CREATE MACRO main.kept(a) AS a + 2",
            "CREATE SCHEMA only_macro",
            "CREATE MACRO only_macro.m(a) AS a",
        )
        before = peer.head()

    refused(spark, f"DROP SCHEMA {catalog}.s", "SCHEMA_NOT_EMPTY", "s")
    refused(spark, f"DROP SCHEMA {catalog}.only_macro", "SCHEMA_NOT_EMPTY", "only_macro")
    refused(spark, f"DROP SCHEMA {catalog}.nope", "SCHEMA_NOT_FOUND", "nope")
    spark.sql(f"DROP SCHEMA {catalog}.s CASCADE")
    spark.sql(f"DROP SCHEMA IF EXISTS {catalog}.nope")

    assert column(spark, f"SHOW SCHEMAS IN {catalog}") == ["main", "only_macro"]
    assert rows(spark, f"SELECT a FROM {catalog}.s.t VERSION AS OF {before}") == [(1,)]
    with Peer(lake) as peer:
        assert peer.head() == before + 1
        assert peer.value("SELECT kept(1)") == 3
        changes = f"SELECT changes FROM ducklake_snapshots('lake') WHERE snapshot_id = {before + 1}"
        assert set(peer.value(changes)) == {
            "schemas_dropped",
            "tables_dropped",
            "views_dropped",
            "scalar_macros_dropped",
            "table_macros_dropped",
        }
        peer.run("CREATE SCHEMA s", "CREATE TABLE s.t (b INT)")
    assert column(spark, f"SHOW COLUMNS IN {catalog}.s.t") == ["b"]
