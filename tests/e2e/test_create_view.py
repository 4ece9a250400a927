"""Views made from Spark: stored with dialect `spark`, read under any name of the lake."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.lakes import Lake
from support.lines import MADE_VIEWS, since
from support.peer import Peer

pytestmark = since(MADE_VIEWS)

Register = Callable[..., str]


def test_a_view_reads_the_same_under_another_name_of_the_lake(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog, other = register(lake), register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a, 'x' AS \"b c\"")

    spark.sql(
        f"CREATE VIEW {catalog}.main.v (one, `two 2`) COMMENT 'both' AS "
        f"WITH u AS (SELECT * FROM `{catalog}`.main.t) SELECT a, `b c` FROM u "
        f"WHERE a IN (SELECT a FROM {catalog}.main.t)"
    )

    for name in (catalog, other):
        assert rows(spark, f"SELECT one, `two 2` FROM {name}.main.v") == [(1, "x")]
    with Peer(lake) as peer:
        stored = peer.rows("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal")
        assert stored == [("v", "both")]
        peer.run("CREATE VIEW d AS SELECT 2 AS a", "INSERT INTO t VALUES (1, 'x')")
    spark.sql(f"ALTER VIEW {catalog}.main.v RENAME TO {catalog}.main.w")
    shown = [row[1] for row in rows(spark, f"SHOW VIEWS IN {catalog}.main")]
    assert sorted(shown) == ["d", "w"]
    assert rows(spark, f"SELECT one FROM {other}.main.w") == [(1,), (1,)]
    dialects = f"SELECT view_name, dialect FROM {catalog}.system.views ORDER BY view_name"
    assert rows(spark, dialects) == [("d", "duckdb"), ("w", "spark")]


def test_views_are_replaced_changed_renamed_and_dropped(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE VIEW {catalog}.main.v AS SELECT 1 AS a")

    spark.sql(f"CREATE OR REPLACE VIEW {catalog}.main.v COMMENT 'c' AS SELECT 2 AS b")
    assert rows(spark, f"SELECT b FROM {catalog}.main.v") == [(2,)]
    spark.sql(f"ALTER VIEW {catalog}.main.v AS SELECT 3 AS c")
    spark.sql(f"ALTER VIEW {catalog}.main.v SET TBLPROPERTIES ('own' = 'x')")
    spark.sql(f"ALTER VIEW {catalog}.main.v RENAME TO {catalog}.w")
    assert rows(spark, f"SELECT c FROM {catalog}.main.w") == [(3,)]
    assert ("own", "x") in rows(spark, f"SHOW TBLPROPERTIES {catalog}.main.w")
    spark.sql(f"CREATE VIEW IF NOT EXISTS {catalog}.main.W AS SELECT 4 AS d")
    with Peer(lake) as peer:
        assert peer.head() == 5
        assert peer.value("SELECT count(*) FROM duckdb_views() WHERE view_name = 'w'") == 1
        assert peer.rows("FROM w") == [(3,)]
    spark.sql(f"DROP VIEW {catalog}.main.w")
    spark.sql(f"DROP VIEW IF EXISTS {catalog}.main.w")
    assert rows(spark, f"SHOW VIEWS IN {catalog}.main") == []
    with Peer(lake) as peer:
        assert peer.head() == 6


def test_a_view_stays_in_its_schema(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE SCHEMA {catalog}.s")
    spark.sql(f"CREATE VIEW {catalog}.s.v AS SELECT 1 AS a")

    spark.sql(f"ALTER VIEW {catalog}.s.v RENAME TO w")
    move = f"ALTER VIEW {catalog}.s.w RENAME TO {catalog}.v"
    refused(spark, move, "DUCKLAKE_UNSUPPORTED", "from schema `s` to `main`")

    assert rows(spark, f"SELECT a FROM {catalog}.s.w") == [(1,)]


def test_a_view_of_the_past_reads_it_under_any_name(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog, other = register(lake), register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a", "INSERT INTO t VALUES (2)")

    spark.sql(
        f"CREATE VIEW {catalog}.main.v AS SELECT count(*) AS n, "
        f"(SELECT count(*) FROM {catalog}.main.t) AS now FROM {catalog}.main.t VERSION AS OF 1"
    )

    assert rows(spark, f"SELECT n, now FROM {other}.main.v") == [(1, 2)]
    stored = value(spark, f"SELECT sql FROM {other}.system.views")
    assert stored.count("{DUCKLAKE_CATALOG}.main.t") == 2


def test_names_are_shared_with_tables(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (a INT)")
    spark.sql(f"CREATE VIEW {catalog}.main.v AS SELECT 1 AS a")

    refused(
        spark, f"CREATE VIEW {catalog}.main.T AS SELECT 1 AS a", "TABLE_OR_VIEW_ALREADY_EXISTS", "T"
    )
    refused(spark, f"CREATE TABLE {catalog}.V (a INT)", "TABLE_OR_VIEW_ALREADY_EXISTS", "V")
    refused(spark, f"ALTER TABLE {catalog}.t RENAME TO V", "TABLE_OR_VIEW_ALREADY_EXISTS", "V")
    refused(spark, f"ALTER VIEW {catalog}.main.v RENAME TO T", "VIEW_ALREADY_EXISTS", "T")
    refused(spark, f"DROP TABLE {catalog}.main.v", "WRONG_COMMAND_FOR_OBJECT_TYPE", "v")
    refused(spark, f"DROP VIEW {catalog}.main.t", "WRONG_COMMAND_FOR_OBJECT_TYPE", "t")
    with Peer(lake) as peer:
        assert peer.head() == 2


def test_a_text_that_leans_on_the_current_schema_is_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE SCHEMA {catalog}.s")
    spark.sql(f"CREATE TABLE {catalog}.s.t (a INT)")
    session = spark.newSession()
    for key, setting in lake.spark_settings(catalog).items():
        session.conf.set(key, setting)
    session.sql(f"USE {catalog}.s")

    refused(
        session, "CREATE VIEW main.v AS SELECT a FROM t", "DUCKLAKE_UNUSABLE_VIEW", "`t`", "schema"
    )
    refused(
        session,
        "CREATE VIEW main.v (a COMMENT 'x') AS SELECT a FROM s.t",
        "DUCKLAKE_UNSUPPORTED",
        "comment",
    )
    session.sql("CREATE VIEW main.v AS SELECT a FROM s.t")
    session.sql("CREATE VIEW near AS SELECT a FROM t")

    assert value(spark, f"SELECT count(*) FROM {catalog}.main.v") == 0
    assert value(spark, f"SELECT count(*) FROM {catalog}.s.near") == 0


LIVE_VIEWS = (
    "SELECT dialect, sql FROM __ducklake_metadata_lake.ducklake_view WHERE end_snapshot IS NULL"
)


def test_a_view_of_duckdb_with_other_properties_is_still_duckdbs(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """Names in double quotes would be texts in Spark's dialect."""
    with Peer(lake) as peer:
        peer.run('CREATE TABLE t AS SELECT 1 AS "b c"', 'CREATE VIEW v AS SELECT "b c" FROM t')
        before = peer.rows(LIVE_VIEWS)
    catalog = register(lake)

    spark.sql(f"ALTER VIEW {catalog}.main.v SET TBLPROPERTIES ('own' = 'x')")

    assert rows(spark, f"SELECT * FROM {catalog}.main.v") == [(1,)]
    assert ("own", "x") in rows(spark, f"SHOW TBLPROPERTIES {catalog}.main.v")
    with Peer(lake) as peer:
        assert peer.rows(LIVE_VIEWS) == before
        assert peer.rows("FROM v") == [(1,)]


def test_a_view_of_duckdb_is_replaced_by_the_same_text_of_spark(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE VIEW v AS SELECT 'a' AS a")
    catalog = register(lake)
    text = value(spark, f"SELECT sql FROM {catalog}.system.views")

    spark.sql(f"CREATE OR REPLACE VIEW {catalog}.main.v AS {text}")

    with Peer(lake) as peer:
        assert [row[0] for row in peer.rows(LIVE_VIEWS)] == ["spark"]
    assert rows(spark, f"SELECT a FROM {catalog}.main.v") == [("a",)]


def test_names_in_double_quotes_by_a_setting_are_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 1 AS a")
    for setting in ("spark.sql.ansi.enabled", "spark.sql.ansi.doubleQuotedIdentifiers"):
        spark.conf.set(setting, "true")
    try:
        refused(
            spark,
            f'CREATE VIEW {catalog}.main.v AS SELECT "a" FROM {catalog}.main.t',
            "DUCKLAKE_UNUSABLE_VIEW",
            "double quotes",
        )
        spark.sql(f"CREATE VIEW {catalog}.main.w AS SELECT a FROM {catalog}.main.t")
    finally:
        for setting in ("spark.sql.ansi.enabled", "spark.sql.ansi.doubleQuotedIdentifiers"):
            spark.conf.unset(setting)

    assert rows(spark, f"SELECT a FROM {catalog}.main.w") == [(1,)]


def test_the_same_text_means_what_it_means_now(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE SCHEMA {catalog}.s")
    spark.sql(f"CREATE TABLE {catalog}.s.t AS SELECT 1 AS a")
    try:
        spark.sql(f"USE {catalog}.s")
        spark.sql(f"CREATE VIEW {catalog}.s.v AS SELECT a FROM t")
        again = f"CREATE OR REPLACE VIEW {catalog}.s.v AS SELECT a FROM t"
        spark.sql(again)
        commented = f"CREATE OR REPLACE VIEW {catalog}.s.v (a COMMENT 'c') AS SELECT a FROM t"
        refused(spark, commented, "DUCKLAKE_UNSUPPORTED", "comment")
        spark.sql(f"USE {catalog}.main")
        spark.sql(f"CREATE TABLE {catalog}.main.t AS SELECT 2 AS a")
        refused(spark, again, "DUCKLAKE_UNUSABLE_VIEW", "current catalog and schema")
    finally:
        spark.sql("USE spark_catalog.default")

    assert rows(spark, f"SELECT a FROM {catalog}.s.v") == [(1,)]
