"""Views that DuckDB made and whose text runs in Spark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from support.asking import column, refused, rows, value
from support.lakes import Lake
from support.lines import MADE_VIEWS, PLAIN_VIEWS, before, since
from support.peer import Peer, made

UNUSABLE_VIEW = "DUCKLAKE_UNUSABLE_VIEW"


def test_a_view_is_read(spark: SparkSession, catalog: str) -> None:
    found = rows(spark, f"SELECT id, amount FROM {catalog}.main.rich ORDER BY id")

    assert [(number, str(amount)) for number, amount in found] == [(1, "1000.00"), (99, "49.50")]


@since(MADE_VIEWS)
def test_views_are_listed(spark: SparkSession, catalog: str) -> None:
    assert [row[1] for row in rows(spark, f"SHOW VIEWS IN {catalog}.main")] == ["rich"]
    assert rows(spark, f"SHOW VIEWS IN {catalog}.s") == []


@since(PLAIN_VIEWS)
def test_a_view_without_its_schema_is_refused_with_the_reason(
    spark: SparkSession, catalog: str
) -> None:
    refused(spark, f"SELECT * FROM {catalog}.rich", UNUSABLE_VIEW, "main.rich")


@before(PLAIN_VIEWS)
def test_the_extension_reads_a_view_without_its_schema(spark: SparkSession, catalog: str) -> None:
    assert rows(spark, f"SELECT id FROM {catalog}.rich WHERE id = 1") == [(1,)]


def test_column_aliases_are_obeyed(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t AS SELECT 1 AS a, 'x' AS b",
            'CREATE VIEW v (n, "odd ""name""") AS SELECT a, b FROM t',
        )
    catalog = register(lake)

    frame = spark.sql(f"SELECT * FROM {catalog}.main.v")
    assert frame.columns == ["n", 'odd "name"']
    assert [tuple(row) for row in frame.collect()] == [(1, "x")]


def test_names_in_the_text_are_those_of_the_views_schema(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE SCHEMA s",
            "CREATE TABLE s.t AS SELECT 'in s' AS place",
            "CREATE TABLE main.t AS SELECT 'in main' AS place",
            "CREATE VIEW s.v AS SELECT t.place FROM s.t",
            "CREATE VIEW main.v AS SELECT place FROM t",
        )
    catalog = register(lake)

    assert value(spark, f"SELECT place FROM {catalog}.s.v") == "in s"
    assert value(spark, f"SELECT place FROM {catalog}.main.v") == "in main"


def test_a_name_in_a_view_of_spark_is_of_that_views_schema(
    spark: SparkSession, lake: Lake, register: Callable[..., str], tmp_path: Path
) -> None:
    """Wherever the reader is: a view of the lake and a table of Spark's catalog have one name."""
    made(
        lake,
        "CREATE TABLE t AS SELECT 'lake' AS place",
        "CREATE VIEW twin AS SELECT place FROM t",
        "CREATE VIEW alone AS SELECT place FROM t",
    )
    session = spark.newSession()
    catalog = register(lake, session=session)
    table, view = "spark_catalog.default.twin", "spark_catalog.default.reading"
    try:
        place = f"USING parquet LOCATION '{tmp_path}/twin'"
        session.sql(f"CREATE TABLE {table} {place} AS SELECT 'own' AS place")
        session.sql(f"CREATE VIEW {view} AS SELECT place FROM twin")
        session.sql("CREATE TEMPORARY VIEW in_default AS SELECT place FROM twin")
        session.sql(f"USE {catalog}.main")
        session.sql("CREATE TEMPORARY VIEW in_lake AS SELECT place FROM twin")
        session.sql("CREATE TEMPORARY VIEW in_main AS SELECT o.place FROM main.alone AS o")

        for current in (f"{catalog}.main", "spark_catalog.default"):
            session.sql(f"USE {current}")
            assert value(session, f"SELECT place FROM {view}") == "own"
            assert value(session, "SELECT place FROM in_default") == "own"
            assert value(session, "SELECT place FROM in_lake") == "lake"
            assert value(session, "SELECT place FROM in_main") == "lake"
    finally:
        session.sql(f"DROP VIEW IF EXISTS {view}")
        session.sql(f"DROP TABLE IF EXISTS {table}")


def test_a_temporary_view_in_a_view_hides_a_view_of_the_lake(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    made(
        lake,
        "CREATE TABLE t AS SELECT 'lake' AS place",
        "CREATE VIEW hidden AS SELECT place FROM t",
        "CREATE VIEW later AS SELECT place FROM t",
    )
    session = spark.newSession()
    session.sql(f"USE {register(lake, session=session)}.main")
    session.sql("CREATE TEMPORARY VIEW hidden AS SELECT 'temporary' AS place")
    session.sql("CREATE TEMPORARY VIEW of_hidden AS SELECT place FROM hidden")
    session.sql("CREATE TEMPORARY VIEW of_later AS SELECT place FROM later")
    session.sql("CREATE TEMPORARY VIEW later AS SELECT 'temporary' AS place")

    assert value(session, "SELECT place FROM of_hidden") == "temporary"
    assert value(session, "SELECT place FROM of_later") == "lake"


def test_a_view_over_a_view(spark: SparkSession, lake: Lake, register: Callable[..., str]) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t AS SELECT i AS a FROM range(10) AS r(i)",
            "CREATE VIEW v AS SELECT a FROM t WHERE a > 4",
            "CREATE VIEW w AS SELECT max(a) AS m FROM main.v",
        )
    catalog = register(lake)

    assert value(spark, f"SELECT m FROM {catalog}.main.w") == 9


def test_a_view_that_only_duckdb_can_run_is_refused_by_name(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t AS SELECT 1 AS a",
            "CREATE VIEW v AS SELECT list_aggregate([a], 'histogram') AS h FROM t",
        )
    catalog = register(lake)

    refused(spark, f"SELECT * FROM {catalog}.main.v", UNUSABLE_VIEW, "v")
    assert column(spark, f"SELECT view_name FROM {catalog}.system.views") == ["v"]
    assert value(spark, f"SELECT a FROM {catalog}.t") == 1


def test_a_view_sees_a_commit_of_duckdb(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a", "CREATE VIEW v AS SELECT sum(a) AS s FROM t")
    catalog = register(lake)
    before = value(spark, f"SELECT s FROM {catalog}.main.v")
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (41)")

    assert (before, value(spark, f"SELECT s FROM {catalog}.main.v")) == (1, 42)


def test_a_view_at_an_old_snapshot_reads_the_old_table(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t AS SELECT 1 AS a",
            "CREATE VIEW v AS SELECT sum(a) AS s FROM t",
            "INSERT INTO t VALUES (41)",
            "DROP VIEW v",
        )
    pinned = register(lake, {"snapshot-version": "2"})

    assert value(spark, f"SELECT s FROM {pinned}.main.v") == 1
    refused(spark, f"SELECT * FROM {register(lake)}.main.v", "TABLE_OR_VIEW_NOT_FOUND")
