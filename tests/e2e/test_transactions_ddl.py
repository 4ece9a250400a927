"""Schemas, tables and views within a transaction over several statements; DuckDB is the judge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.lakes import CatalogKind, Lake, LakeFactory
from support.lines import MADE_VIEWS, since
from support.peer import Peer, made
from support.transactions import BASE, Statement, check_alike

Register = Callable[..., str]

STATEMENTS: dict[str, tuple[Statement, ...]] = {
    "a new table": (
        ("CREATE TABLE {c}.n (id INT, s STRING)", "CREATE TABLE n (id INT, s VARCHAR)"),
        "INSERT INTO {c}.n VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        "UPDATE {c}.n SET s = 'x' WHERE id = 2",
        "DELETE FROM {c}.n WHERE id = 1",
        "INSERT INTO {c}.u SELECT id, s FROM {c}.n",
    ),
    "created from a query": (
        "CREATE TABLE {c}.n AS SELECT id, name FROM {c}.t WHERE id < 12",
        "INSERT INTO {c}.n VALUES (100, 'own')",
        "DELETE FROM {c}.n WHERE id < 3",
    ),
    "made and dropped, beside another": (
        "CREATE TABLE {c}.n AS SELECT id, name FROM {c}.t",
        "INSERT INTO {c}.u SELECT id, name FROM {c}.n WHERE id > 27",
        "DROP TABLE {c}.n",
    ),
    "dropped and made again": (
        "INSERT INTO {c}.u VALUES (9, 'lost')",
        "DROP TABLE {c}.u",
        ("CREATE TABLE {c}.u (other STRING)", "CREATE TABLE u (other VARCHAR)"),
        "INSERT INTO {c}.u VALUES ('new')",
    ),
    "renamed, and the name taken": (
        "INSERT INTO {c}.u VALUES (9, 'kept')",
        "ALTER TABLE {c}.u RENAME TO {to}old",
        ("CREATE TABLE {c}.u (id INT)", "CREATE TABLE u (id INT)"),
        "INSERT INTO {c}.u SELECT id FROM {c}.old",
    ),
    "a new column": (
        ("ALTER TABLE {c}.u ADD COLUMN more INT", "ALTER TABLE u ADD COLUMN more INT"),
        "UPDATE {c}.u SET more = id WHERE id < 3",
        "INSERT INTO {c}.u VALUES (9, 'own', 90)",
        "DELETE FROM {c}.u WHERE more = 1",
    ),
    "columns renamed and dropped": (
        "ALTER TABLE {c}.t RENAME COLUMN name TO title",
        "ALTER TABLE {c}.t DROP COLUMN score",
        "UPDATE {c}.t SET title = 'x' WHERE id < 3",
        "INSERT INTO {c}.t VALUES (100, 'own')",
    ),
    "a new table changed before it has rows": (
        ("CREATE TABLE {c}.n (id INT)", "CREATE TABLE n (id INT)"),
        ("ALTER TABLE {c}.n ADD COLUMN s STRING", "ALTER TABLE n ADD COLUMN s VARCHAR"),
        "ALTER TABLE {c}.n RENAME TO {to}m",
        "INSERT INTO {c}.m VALUES (1, 'a')",
    ),
    "a schema with a table and a view": (
        "CREATE SCHEMA {c}.s",
        ("CREATE TABLE {c}.s.n (id INT)", "CREATE TABLE s.n (id INT)"),
        "INSERT INTO {c}.s.n VALUES (1), (2)",
        "DELETE FROM {c}.s.n WHERE id = 1",
        "INSERT INTO {c}.u SELECT id, 'of s' FROM {c}.s.n",
    ),
}


@pytest.fixture(params=[0, 10], ids=["files", "inlined"])
def limit(request: pytest.FixtureRequest) -> int:
    """How many rows are inlined, in both lakes."""
    return int(request.param)


def files_below(lake: Lake) -> set[Path]:
    """All files below the data path."""
    return {path for path in lake.data_path.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", STATEMENTS)
def test_definitions_and_rows_are_one_snapshot(
    spark: SparkSession,
    lake: Lake,
    lakes: LakeFactory,
    kind: CatalogKind,
    register: Register,
    limit: int,
    name: str,
) -> None:
    check_alike(spark, register, (lake, lakes.new(kind)), limit, BASE, STATEMENTS[name])


@since(MADE_VIEWS)
@pytest.mark.every_database
def test_a_view_of_a_new_table(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, *BASE)
    catalog = register(lake)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"CREATE SCHEMA {catalog}.s")
    spark.sql(f"CREATE TABLE {catalog}.s.n AS SELECT id FROM {catalog}.u WHERE id > 3")
    spark.sql(f"CREATE VIEW {catalog}.s.v AS SELECT id + 1 AS more FROM {catalog}.s.n")
    spark.sql(f"CREATE VIEW {catalog}.s.w AS SELECT 1 AS one")
    spark.sql(f"DROP VIEW {catalog}.s.w")

    assert sorted(rows(spark, f"SELECT more FROM {catalog}.s.v")) == [(5,), (6,)]
    with Peer(lake) as peer:
        assert peer.rows("SELECT 1 FROM duckdb_schemas() WHERE schema_name = 's'") == []
    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    assert sorted(rows(spark, f"SELECT more FROM {catalog}.s.v")) == [(5,), (6,)]
    with Peer(lake) as peer:
        assert sorted(peer.rows("SELECT id FROM s.n")) == [(4,), (5,)]
    spark.sql(f"DROP SCHEMA {catalog}.s CASCADE")


@since(MADE_VIEWS)
def test_a_view_shows_the_transaction(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, *BASE)
    catalog = register(lake)
    spark.sql(f"CREATE VIEW {catalog}.main.v AS SELECT count(*) AS many FROM {catalog}.u")
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (9, 'own')")
    spark.sql(f"ALTER TABLE {catalog}.t RENAME COLUMN name TO title")
    spark.sql(f"CREATE VIEW {catalog}.main.w AS SELECT title FROM {catalog}.t")

    assert value(spark, f"SELECT many FROM {catalog}.main.v") == 7
    assert value(spark, f"SELECT count(title) FROM {catalog}.main.w") == 29
    spark.sql(f"CALL {catalog}.system.rollback_transaction()")
    assert value(spark, f"SELECT many FROM {catalog}.main.v") == 6
    refused(spark, f"SELECT * FROM {catalog}.main.w", "TABLE_OR_VIEW_NOT_FOUND")


@since(MADE_VIEWS)
def test_a_view_is_made_beside_a_transaction_of_a_lake_whose_settings_are_gone(
    spark: SparkSession, lake: Lake, lakes: LakeFactory, register: Register
) -> None:
    """RESET takes the settings of catalogs; the session still has the catalogs that it used."""
    other, session = lakes.new("sqlite"), spark.newSession()
    for each in (lake, other):
        made(each, "CREATE TABLE u AS SELECT 7 AS id")
    open_one = register(lake, session=session)
    session.sql(f"CALL {open_one}.system.begin_transaction()")
    session.sql(f"INSERT INTO {open_one}.u VALUES (8)")
    session.sql("RESET")
    catalog = register(other, session=session)

    session.sql(f"CREATE VIEW {catalog}.main.v AS SELECT id + 1 AS more FROM {catalog}.u")

    assert rows(session, f"SELECT * FROM {catalog}.main.v") == [(8,)]
    session.sql(f"CALL {open_one}.system.commit_transaction()")
    with Peer(lake) as peer:
        assert peer.rows("SELECT id FROM u ORDER BY id") == [(7,), (8,)]


def test_a_rollback_takes_definitions_back(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *BASE)
    catalog = register(lake)
    files = files_below(lake)
    before = rows(spark, f"SHOW TABLES IN {catalog}.main")
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"CREATE TABLE {catalog}.n AS SELECT * FROM {catalog}.t")
    spark.sql(f"DROP TABLE {catalog}.u")
    spark.sql(f"ALTER TABLE {catalog}.t RENAME COLUMN name TO title")
    assert spark.table(f"{catalog}.t").columns == ["id", "title", "score"]
    refused(spark, f"SELECT * FROM {catalog}.u", "TABLE_OR_VIEW_NOT_FOUND")

    spark.sql(f"CALL {catalog}.system.rollback_transaction()")

    assert rows(spark, f"SHOW TABLES IN {catalog}.main") == before
    assert spark.table(f"{catalog}.t").columns == ["id", "name", "score"]
    assert value(spark, f"SELECT count(*) FROM {catalog}.u") == 6
    assert files_below(lake) == files


def test_a_replaced_table(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, *BASE)
    catalog = register(lake, {"data-inlining-row-limit": "0"})
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"CREATE OR REPLACE TABLE {catalog}.u AS SELECT id, name FROM {catalog}.t")
    spark.sql(f"DELETE FROM {catalog}.u WHERE id >= 10")
    spark.sql(f"CREATE OR REPLACE TABLE {catalog}.u AS SELECT name FROM {catalog}.u")

    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM u") == 9
        known = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 'u')")
    assert {Path(file).name for (file,) in known} <= {path.name for path in files_below(lake)}


def test_the_same_name_of_others_is_a_conflict(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *BASE)
    catalog = register(lake, {"data-inlining-row-limit": "0"})
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"CREATE TABLE {catalog}.n AS SELECT * FROM {catalog}.t")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (9, 'own')")
    made(lake, "CREATE TABLE n (other INT)")
    with Peer(lake) as peer:
        base = peer.head()

    refused(
        spark, f"CALL {catalog}.system.commit_transaction()", "DUCKLAKE_COMMIT_CONFLICT", "main.n"
    )

    with Peer(lake) as peer:
        assert peer.head() == base
        assert peer.value("SELECT count(*) FROM u") == 6


def test_options_of_a_new_table_hold_at_once(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *BASE)
    catalog = register(lake)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"CREATE TABLE {catalog}.n (id INT) TBLPROPERTIES ('data_inlining_row_limit' = '0')")
    spark.sql(f"INSERT INTO {catalog}.n VALUES (1)")
    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM ducklake_list_files('lake', 'n')") == 1
