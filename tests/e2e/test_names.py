"""Names: the default schema, letter case, quotes, USE, the default catalog."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from support.asking import column, refused, rows, value
from support.compare import quoted
from support.lakes import Lake
from support.peer import Peer


def test_a_table_without_a_schema_is_in_main(spark: SparkSession, catalog: str) -> None:
    assert value(spark, f"SELECT count(*) FROM {catalog}.events") == 92
    assert value(spark, f"SELECT count(*) FROM {catalog}.main.events") == 92
    assert value(spark, f"SELECT count(*) FROM {catalog}.s.events") == 2


def test_names_match_without_regard_to_case(spark: SparkSession, catalog: str) -> None:
    assert value(spark, f"SELECT max(ID) FROM {catalog}.Main.EVENTS") == 102
    assert value(spark, f"SELECT max(A) FROM {catalog}.S.Events") == 2


def test_names_keep_their_case(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run('CREATE SCHEMA "Sales"', 'CREATE TABLE "Sales"."Items" ("ItemId" INTEGER)')
    catalog = register(lake)

    assert column(spark, f"SHOW SCHEMAS IN {catalog}") == ["Sales", "main"]
    assert rows(spark, f"SHOW TABLES IN {catalog}.sales")[0][1] == "Items"
    assert spark.table(f"{catalog}.SALES.items").columns == ["ItemId"]


def test_quoted_names_may_hold_any_character(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    names = ("dot.ted", "sp ace", "quo`te", 'dou"ble', "ünï 🦆", "select", "a/b", "100%")
    with Peer(lake) as peer:
        for number, name in enumerate(names):
            as_duckdb = '"' + name.replace('"', '""') + '"'
            peer.run(f"CREATE TABLE {as_duckdb} ({as_duckdb} INTEGER)")
            peer.run(f"INSERT INTO {as_duckdb} VALUES ({number})")
    catalog = register(lake)

    for number, name in enumerate(names):
        query = (
            f"SELECT {quoted(name)} FROM {catalog}.main.{quoted(name)} WHERE {quoted(name)} >= 0"
        )
        assert value(spark, query) == number


def test_use_sets_catalog_and_schema(spark: SparkSession, example: Lake) -> None:
    session = spark.newSession()
    for key, text in example.spark_settings("lake").items():
        session.conf.set(key, text)

    session.sql("USE lake")
    assert value(session, "SELECT count(*) FROM events") == 92
    session.sql("USE lake.s")
    assert value(session, "SELECT count(*) FROM events") == 2


def test_the_lake_may_be_the_default_catalog(spark: SparkSession, example: Lake) -> None:
    session = spark.newSession()
    for key, text in example.spark_settings("lake").items():
        session.conf.set(key, text)
    session.conf.set("spark.sql.defaultCatalog", "lake")

    assert value(session, "SELECT count(*) FROM events") == 92
    assert value(session, "SELECT count(*) FROM s.events") == 2
    assert value(session, "SELECT current_catalog()") == "lake"
    assert [row[1] for row in rows(session, "SHOW TABLES IN s")] == ["events"]
    assert [row[0] for row in rows(session, "SHOW COLUMNS IN s.events")] == ["a", "b"]


def test_two_catalogs_may_show_the_same_lake(
    spark: SparkSession, example: Lake, register: Callable[..., str]
) -> None:
    one, other = register(example), register(example, {"snapshot-version": "5"})

    counts = f"SELECT (SELECT count(*) FROM {one}.events), (SELECT count(*) FROM {other}.events)"
    assert rows(spark, counts) == [(92, 103)]


def test_a_table_or_schema_that_is_not_there_is_sparks_own_error(
    spark: SparkSession, catalog: str
) -> None:
    refused(spark, f"SELECT * FROM {catalog}.main.nothing", "TABLE_OR_VIEW_NOT_FOUND")
    refused(spark, f"SELECT * FROM {catalog}.nowhere.t", "TABLE_OR_VIEW_NOT_FOUND")
    refused(spark, f"SHOW TABLES IN {catalog}.nowhere", "SCHEMA_NOT_FOUND")


def test_a_schema_called_system_keeps_its_own_tables(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE SCHEMA system", "CREATE TABLE lake.system.snapshots AS SELECT 'mine' AS whose"
        )
    catalog = register(lake)

    assert value(spark, f"SELECT whose FROM {catalog}.system.snapshots") == "mine"
    assert value(spark, f"SELECT id FROM {catalog}.system.current_snapshot") == 2
    assert "system" in column(spark, f"SHOW SCHEMAS IN {catalog}")


def test_the_tables_about_the_lake_are_not_listed(spark: SparkSession, catalog: str) -> None:
    assert column(spark, f"SHOW SCHEMAS IN {catalog}") == ["main", "s"]
