"""Lakes of version 1.1: derived from those of DuckDB 1.5, as no DuckDB 2.0 is at hand.

What Spark writes to a lake of 1.1 is read by DuckDB 1.5 after the lake was brought back to 1.0.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from interop.test_fixtures import opened, recorded, travelled, visited
from support.asking import column, refused, rows
from support.catalogdb import execute, read_catalog
from support.fixtures import Fixture, FixtureStore
from support.lakes import CATALOG_KINDS, IN_FILES, CatalogKind, Lake, LakeFactory
from support.lines import MADE_VIEWS, since
from support.peer import Peer
from support.postgres import PostgresServer
from support.raising import lower_to_10, raise_to_11
from support.reading import snapshot_differences
from support.sweep import swept

Register = Callable[..., str]

READ: list[tuple[CatalogKind, str]] = [
    ("sqlite", "inlined"),
    ("postgres", "inlined"),
    ("duckdb", "inlined"),
    ("sqlite", "schema_evolution"),
]
NEWER = {"ducklake-version": "1.1"}


@pytest.mark.parametrize(("kind", "case"), swept(READ, 3))
def test_a_lake_of_1_1_reads_as_before_it_was_raised(
    kind: CatalogKind, case: str, tmp_path: Path, server: PostgresServer, spark: SparkSession
) -> None:
    store, fixture = FixtureStore(tmp_path, server), Fixture("1.0", kind, case)
    lake, snapshots = store.lake(fixture), recorded(store, fixture)
    raise_to_11(lake)

    newest = opened(spark, lake, {})
    found = snapshot_differences(newest, snapshots)
    found += visited(newest, fixture, snapshots[-1])
    found += travelled(newest, fixture, snapshots[:-1:3])

    assert not found, "\n".join(found)


@since(MADE_VIEWS)
@pytest.mark.every_database
def test_what_spark_writes_to_a_lake_of_1_1_duckdb_reads_once_it_is_lowered(
    lake: Lake, spark: SparkSession, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INTEGER, name VARCHAR)", "INSERT INTO t VALUES (1, 'one')")
    raise_to_11(lake)
    catalog = register(lake)

    for statement in (
        "INSERT INTO {c}.t VALUES (2, 'two'), (3, 'three')",
        "INSERT INTO {c}.t SELECT CAST(id AS INT), concat('n', id) FROM range(10, 40)",
        "UPDATE {c}.t SET name = 'TWO' WHERE id = 2",
        "DELETE FROM {c}.t WHERE id IN (1, 15)",
        "ALTER TABLE {c}.t ADD COLUMN more INT",
        "INSERT INTO {c}.t VALUES (50, 'fifty', 5)",
        "CREATE TABLE {c}.u AS SELECT * FROM {c}.t WHERE id > 30",
        "CREATE VIEW {c}.main.v (a COMMENT 'first', b) AS SELECT id, name FROM {c}.main.t",
        "MERGE INTO {c}.u USING {c}.t ON u.id = t.id "
        "WHEN MATCHED AND u.id = 31 THEN DELETE WHEN NOT MATCHED THEN INSERT *",
        "CALL {c}.system.merge_adjacent_files('t')",
    ):
        spark.sql(statement.format(c=catalog)).collect()
    wanted = {name: rows(spark, f"SELECT * FROM {catalog}.{name} ORDER BY id") for name in "tu"}
    comments = {row[0]: row[2] for row in rows(spark, f"DESCRIBE {catalog}.main.v")}
    inlined = {
        name
        for name in read_catalog(lake).tables
        if name.startswith("ducklake_inlined_data_") and name != "ducklake_inlined_data_tables"
    }
    firsts = {next(iter(read_catalog(lake).tables[name].types)) for name in inlined}
    files = read_catalog(lake).rows("data_file")

    assert comments["a"] == "first" and not comments["b"]
    assert firsts == {"_ducklake_row_id"}
    assert {row["row_group_count"] for row in files} == {1}
    refused(spark, f"ALTER TABLE {catalog}.t ADD COLUMN _ducklake_x INT", "DUCKLAKE_INVALID_NAME")
    spark.sql(f"DROP VIEW {catalog}.main.v")
    lower_to_10(lake)
    with Peer(lake) as peer:
        assert {name: peer.rows(f"FROM {name} ORDER BY id") for name in "tu"} == wanted


@since(MADE_VIEWS)
def test_comments_on_view_columns_come_from_the_tables_and_follow_a_replacement(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    lake = lakes.new("sqlite")
    catalog = register(lake, NEWER)
    spark.sql(f"CREATE TABLE {catalog}.t (a INT COMMENT 'of the table', b INT)")

    spark.sql(f"CREATE VIEW {catalog}.main.v AS SELECT a AS x, b FROM {catalog}.main.t")
    first = {row[0]: row[2] for row in rows(spark, f"DESCRIBE {catalog}.main.v")}
    head = read_catalog(lake).head()["snapshot_id"]
    spark.sql(f"ALTER VIEW {catalog}.main.v SET TBLPROPERTIES ('k' = 'v')")
    second = {row[0]: row[2] for row in rows(spark, f"DESCRIBE {catalog}.main.v")}

    assert first["x"] == second["x"] == "of the table" and not first["b"]
    changes = {
        r["snapshot_id"]: r["changes_made"] for r in read_catalog(lake).rows("snapshot_changes")
    }
    assert changes[head + 1].startswith("altered_view:")


@since(MADE_VIEWS)
def test_a_view_of_duckdb_stays_one_when_its_properties_change(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INTEGER, b INTEGER)")
        peer.run("CREATE VIEW v AS SELECT * FROM t", "CREATE VIEW w AS SELECT ID FROM t")
        peer.run('CREATE VIEW q AS SELECT "id" FROM t', "ALTER TABLE t DROP COLUMN b")
    raise_to_11(lake)
    views = {row["view_name"]: row["view_id"] for row in read_catalog(lake).rows("view")}
    for name, of, comment in (("v", "b", "gone"), ("w", "id", "of w"), ("q", "ID", "of q")):
        tag = f"{views[name]}, '{of}', 4, NULL, 'comment', '{comment}'"
        execute(lake, f"INSERT INTO ducklake_view_column_tag VALUES ({tag})")
    catalog = register(lake)

    for name in views:
        spark.sql(f"ALTER VIEW {catalog}.main.{name} SET TBLPROPERTIES ('k' = 'v')")

    after = read_catalog(lake)
    assert {(row["view_id"], row["dialect"]) for row in after.rows("view")} == {
        (view, "duckdb") for view in views.values()
    }
    assert all(row["end_snapshot"] is None for row in after.rows("view_column_tag"))
    assert [row[2] for row in rows(spark, f"DESCRIBE {catalog}.main.w")] == ["of w"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"], indirect=True)
def test_the_least_and_the_greatest_text_come_from_the_catalog_where_they_are_values(
    lake: Lake, spark: SparkSession, register: Register
) -> None:
    raise_to_11(lake)
    c = register(lake, IN_FILES)
    spark.sql(f"CREATE TABLE {c}.t (id INT, s STRING, cut STRING)")
    for first, text in ((1, "b"), (10, "Ä"), (20, "\U0001f600"), (30, "\uffee")):
        spark.sql(
            f"INSERT INTO {c}.t SELECT CAST(id AS INT), IF(id % 2 = 0, NULL, concat('{text}', id)),"
            f" concat(repeat('{text[0]}', 300), id) FROM range({first}, {first + 5})"
        )
    query = f"SELECT min(s), max(s) FROM {c}.t"
    cut = f"SELECT min(cut), max(cut) FROM {c}.t"

    def answered(statement: str) -> bool:
        (row,) = spark.sql(f"EXPLAIN {statement}").collect()
        return "from the catalog" in row[0]

    assert answered(query) and rows(spark, query) == [("b1", "\U0001f60023")]
    assert not answered(cut)
    assert rows(spark, cut) == [("b" * 300 + "1", "\U0001f600" * 300 + "24")]
    spark.sql(f"DELETE FROM {c}.t WHERE s = 'b1'")
    assert not answered(query) and rows(spark, query) == [("b3", "\U0001f60023")]
    lower_to_10(lake)
    with Peer(lake) as peer:
        assert peer.rows("SELECT min(s), max(s) FROM t") == [("b3", "\U0001f60023")]


def test_only_a_statement_that_commits_migrates(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)")
    c = register(lake, {**NEWER, "automatic-migration": "true"})

    for statement in (
        "EXPLAIN INSERT INTO {c}.t VALUES (2)",
        "EXPLAIN DELETE FROM {c}.t WHERE a = 1",
        "DROP TABLE IF EXISTS {c}.nothere",
        "CREATE SCHEMA IF NOT EXISTS {c}.main",
        "DELETE FROM {c}.t WHERE a = 99",
    ):
        spark.sql(statement.format(c=c)).collect()
    refused(spark, f"CREATE SCHEMA {c}.main", "SCHEMA_ALREADY_EXISTS")
    for call, condition in (
        ("set_option('nothing', 'x')", "DUCKLAKE_INVALID_OPTION"),
        ("add_data_files('t', '/no/such/file.parquet')", "DUCKLAKE_CANNOT_ADD_FILE"),
        ("rollback_to_snapshot('nothere', 1)", "TABLE_OR_VIEW_NOT_FOUND"),
        ("undo_commit(99)", "DUCKLAKE_NO_SUCH_SNAPSHOT"),
    ):
        refused(spark, f"CALL {c}.system.{call}", condition)
    assert version_of(lake) == "1.0"

    spark.sql(f"INSERT INTO {c}.t SELECT a + 1 FROM {c}.t")
    assert version_of(lake) == "1.1"
    assert column(spark, f"SELECT a FROM {c}.t") == [1, 2]


@pytest.mark.parametrize(
    ("call", "left"),
    [
        ("rollback_to_snapshot('t', 2)", [1]),
        ("rollback_to_snapshot(snapshot_version => 2)", [1]),
        ("undo_commit(3)", [1]),
        ("set_option('data_inlining_row_limit', '5')", [1, 2]),
    ],
)
def test_the_first_call_for_an_older_lake_migrates_it_and_does_its_work(
    lakes: LakeFactory, spark: SparkSession, register: Register, call: str, left: list[int]
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"
        )
    c = register(lake, {**NEWER, "automatic-migration": "true"})

    spark.sql(f"CALL {c}.system.{call}").collect()

    assert version_of(lake) == "1.1"
    assert sorted(column(spark, f"SELECT a FROM {c}.t")) == left


def test_the_statement_that_migrates_may_use_what_1_1_has(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (ts TIMESTAMP)", "INSERT INTO t VALUES ('2020-02-29 12:00')")
    c = register(lake, {**NEWER, "automatic-migration": "true"})

    spark.sql(f"CREATE TABLE {c}.u PARTITIONED BY (days(ts)) AS SELECT ts FROM {c}.t")

    keys = [row["transform"] for row in read_catalog(lake).rows("partition_column")]
    assert (version_of(lake), keys) == ("1.1", ["epoch_day"])
    assert rows(spark, f"SELECT * FROM {c}.u") == rows(spark, f"SELECT * FROM {c}.t")


def version_of(lake: Lake) -> str:
    """The version text in the catalog."""
    (row,) = (row for row in read_catalog(lake).rows("metadata") if row["key"] == "version")
    return str(row["value"])


def test_names_that_1_1_sets_free_are_inlined_and_its_own_are_refused(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    lake = lakes.new("sqlite")
    c = register(lake, NEWER)

    spark.sql(f"CREATE TABLE {c}.t (row_id INT, begin_snapshot INT)")
    spark.sql(f"INSERT INTO {c}.t VALUES (1, 2)")
    spark.sql(f"UPDATE {c}.t SET begin_snapshot = 3")

    assert rows(spark, f"SELECT row_id, begin_snapshot, rowid FROM {c}.t") == [(1, 3, 0)]
    assert not read_catalog(lake).rows("data_file")
    for statement in (
        f"ALTER TABLE {c}.t ADD COLUMN _DuckLake_x INT",
        f"ALTER TABLE {c}.t RENAME COLUMN row_id TO _ducklake_row_id",
        f"CREATE TABLE {c}.u (_ducklake_ INT)",
    ):
        refused(spark, statement, "DUCKLAKE_INVALID_NAME", "reserved")


def test_a_lake_that_another_engine_migrates_is_used_on(
    lake: Lake, spark: SparkSession, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (i INT)")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1)")

    raise_to_11(lake)

    assert column(spark, f"SELECT i FROM {catalog}.t") == [1]
    spark.sql(f"INSERT INTO {catalog}.t VALUES (2)")
    assert column(spark, f"SELECT i FROM {catalog}.t") == [1, 2]
    lower_to_10(lake)
    assert column(spark, f"SELECT i FROM {catalog}.t VERSION AS OF 2") == [1]


@since(MADE_VIEWS)
@pytest.mark.parametrize("kind", CATALOG_KINDS)
def test_schemas_in_schemas(
    kind: CatalogKind, lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    lake = lakes.new(kind)
    options = NEWER | ({"data-path": str(lake.data_path)} if kind == "postgres" else {})
    c = register(lake, options)
    for statement in (
        "CREATE SCHEMA {c}.a",
        "CREATE SCHEMA {c}.a.b",
        "CREATE SCHEMA {c}.b",
        "CREATE SCHEMA {c}.`a.b`",
        "CREATE TABLE {c}.a.b.t AS SELECT 1 AS i",
        "CREATE TABLE {c}.b.t AS SELECT 2 AS i",
        "CREATE TABLE {c}.`a.b`.t AS SELECT 3 AS i",
        "INSERT INTO {c}.a.b.t VALUES (4)",
        "ALTER TABLE {c}.a.b.t RENAME TO a.b.u",
        "CREATE VIEW {c}.a.b.v AS SELECT i + 10 AS j FROM {c}.a.b.u",
        "ALTER TABLE {c}.a.b.u SET PARTITIONED BY (i)",
        "CALL {c}.system.set_option('data_inlining_row_limit', '0', schema => '\"a\".\"b\"')",
    ):
        spark.sql(statement.format(c=c)).collect()

    assert column(spark, f"SELECT i FROM {c}.a.b.u") == [1, 4]
    assert column(spark, f"SELECT j FROM {c}.a.b.v") == [11, 14]
    assert column(spark, f"SELECT i FROM {c}.b.t") == [2]
    assert column(spark, f"SELECT i FROM {c}.`a.b`.t") == [3]
    assert column(spark, f"SHOW SCHEMAS IN {c}") == ["`a.b`", "a", "b", "main"]
    assert column(spark, f"SHOW SCHEMAS IN {c}.a") == ["a.b"]
    assert {row[1] for row in rows(spark, f"SHOW TABLES IN {c}.a.b")} >= {"u"}
    assert column(spark, f"SELECT record_count FROM {c}.a.b.u.files") in ([], [1], [1, 1])
    flushed = rows(spark, f"CALL {c}.system.flush_inlined_data('u', '\"a\".\"b\"')")
    assert [row[:2] for row in flushed] == [("a.b", "u")]
    made = [r["changes_made"] for r in read_catalog(lake).rows("snapshot_changes")]
    assert 'created_schema:"a"."b"' in made
    assert any('created_table:"a"."b"."u"' in text for text in made)
    refused(spark, f"DROP SCHEMA {c}.a", "SCHEMA_NOT_EMPTY")
    refused(spark, f"CREATE SCHEMA {c}.nowhere.x", "SCHEMA_NOT_FOUND")
    spark.sql(f"DROP SCHEMA {c}.a CASCADE")
    assert column(spark, f"SHOW SCHEMAS IN {c}") == ["`a.b`", "b", "main"]
    spark.sql(
        f"CALL {c}.system.rollback_to_snapshot(snapshot_version => {len(made) - 1})"
    ).collect()
    assert column(spark, f"SELECT j FROM {c}.a.b.v") == [11, 14]


def test_a_lake_of_1_1_with_columns_of_the_future_is_only_read(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    lake = lakes.new("sqlite")
    c = register(lake, NEWER)
    spark.sql(f"CREATE TABLE {c}.t AS SELECT 1 AS i")
    execute(lake, "ALTER TABLE ducklake_table ADD COLUMN color VARCHAR")
    c = register(lake, {"pool.size": "3"})

    assert column(spark, f"SELECT i FROM {c}.t") == [1]
    for statement in (
        f"INSERT INTO {c}.t VALUES (2)",
        f"CALL {c}.system.expire_snapshots(versions => array(1))",
        f"CALL {c}.system.set_option('target_file_size', '1MB')",
    ):
        refused(spark, statement, "DUCKLAKE_UNSUPPORTED", "ducklake_table.color")
