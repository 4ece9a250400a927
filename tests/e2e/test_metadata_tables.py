"""The tables, procedures and functions about a lake and about a table, against DuckDB's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.example import HEAD
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer

pytestmark = pytest.mark.every_database

Register = Callable[..., str]

SNAPSHOTS = [
    "snapshot_id",
    "snapshot_time",
    "schema_version",
    "changes",
    "author",
    "commit_message",
    "commit_extra_info",
]
LIST_FILES = [
    "data_file",
    "data_file_size_bytes",
    "data_file_footer_size",
    "data_file_encryption_key",
    "delete_file",
    "delete_file_size_bytes",
    "delete_file_footer_size",
    "delete_file_encryption_key",
]
TABLE_INFO = [
    "table_name",
    "schema_id",
    "table_id",
    "table_uuid",
    "file_count",
    "file_size_bytes",
    "delete_file_count",
    "delete_file_size_bytes",
]


def three_forms(spark: SparkSession, catalog: str, name: str) -> list[list[tuple[object, ...]]]:
    """The rows of a table about the lake, of the procedure, and of the table function."""
    forms = (
        f"SELECT * FROM {catalog}.system.{name}",
        f"CALL {catalog}.system.{name}()",
        f"SELECT * FROM ducklake_{name}('{catalog}')",
    )
    return [rows(spark, form) for form in forms]


def test_snapshots(spark: SparkSession, example: Lake, catalog: str) -> None:
    with Peer(example) as peer:
        expected = peer.rows("SELECT snapshot_id, schema_version FROM ducklake_snapshots('lake')")
        changes = dict(peer.rows("SELECT snapshot_id, changes FROM ducklake_snapshots('lake')"))

    frame = spark.sql(f"SELECT * FROM {catalog}.system.snapshots")
    found = frame.collect()

    assert frame.columns == SNAPSHOTS
    assert dict(frame.dtypes)["changes"] == "map<string,array<string>>"
    assert dict(frame.dtypes)["snapshot_time"] == "timestamp"
    assert [(row["snapshot_id"], row["schema_version"]) for row in found] == expected
    assert {row["snapshot_id"]: row["changes"] for row in found} == changes
    first, *others = three_forms(spark, catalog, "snapshots")
    assert [sorted(form, key=str) for form in others] == [sorted(first, key=str)] * 2


def test_current_snapshot(spark: SparkSession, catalog: str) -> None:
    assert three_forms(spark, catalog, "current_snapshot") == [[(HEAD,)]] * 3


def test_a_reading_session_has_committed_nothing(spark: SparkSession, catalog: str) -> None:
    assert three_forms(spark, catalog, "last_committed_snapshot") == [[(None,)]] * 3


def test_table_info(spark: SparkSession, example: Lake, catalog: str) -> None:
    with Peer(example) as peer:
        expected = peer.rows(
            "SELECT table_name, schema_id, table_id, CAST(table_uuid AS VARCHAR), file_count,"
            " file_size_bytes, delete_file_count, delete_file_size_bytes"
            " FROM ducklake_table_info('lake') ORDER BY table_id"
        )

    frame = spark.sql(f"SELECT * FROM {catalog}.system.table_info ORDER BY table_id")

    assert frame.columns == TABLE_INFO
    assert [tuple(row) for row in frame.collect()] == expected
    for form in three_forms(spark, catalog, "table_info"):
        assert sorted(form) == sorted(expected)


@pytest.mark.parametrize("version", [None, 4, 1])
def test_list_files(spark: SparkSession, example: Lake, catalog: str, version: int | None) -> None:
    option = "" if version is None else f", snapshot_version => {version}"
    with Peer(example) as peer:
        expected = peer.rows(f"FROM ducklake_list_files('lake', 'events'{option})")

    frame = spark.sql(f"SELECT * FROM ducklake_list_files('{catalog}', 'events'{option})")
    called = rows(spark, f"CALL {catalog}.system.list_files('events'{option})")

    assert frame.columns == LIST_FILES
    assert [tuple(row) for row in frame.collect()] == expected
    assert called == expected


def test_list_files_of_another_schema(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE events AS SELECT 1 AS a",
            "CREATE SCHEMA s",
            "CREATE TABLE s.events AS SELECT 2 AS b",
        )
        expected = peer.rows("FROM ducklake_list_files('lake', 'events', schema => 's')")
    catalog = register(lake)
    by_name = f"CALL {catalog}.system.list_files(table_name => 'events', schema => 's')"
    by_function = f"SELECT * FROM ducklake_list_files('{catalog}', 'events', schema => 's')"
    dotted = f"CALL {catalog}.system.list_files('s.events')"

    found = [rows(spark, query) for query in (by_name, by_function, dotted)]
    assert len(expected) == 1
    assert found == [expected] * 3


def test_options(spark: SparkSession, example: Lake, catalog: str) -> None:
    with Peer(example) as peer:
        expected = peer.rows("SELECT option_name, value, scope FROM ducklake_options('lake')")

    frame = spark.sql(f"SELECT * FROM {catalog}.system.options")

    assert frame.columns == ["option_name", "description", "value", "scope", "scope_entry"]
    found = {(row["option_name"], row["value"], row["scope"]) for row in frame.collect()}
    assert found == set(expected)


def test_settings(spark: SparkSession, example: Lake, catalog: str) -> None:
    frame = spark.sql(f"SELECT * FROM {catalog}.system.settings")
    (row,) = frame.collect()

    own = ["catalog_type", "extension_version", "data_path"]
    assert frame.columns == [*own, "address", "lake_exists", "transaction_begun"]
    assert (row["catalog_type"], row["data_path"]) == (example.kind, f"{example.data_path}/")
    assert row["lake_exists"] is True


@pytest.mark.parametrize(("kind", "read_only"), [("sqlite", "false"), ("duckdb", "true")])
def test_settings_where_there_is_no_lake(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Callable[..., str],
    kind: CatalogKind,
    read_only: str,
) -> None:
    missing = lakes.new(kind)
    catalog = register(missing, {"read-only": read_only})

    asked = [
        f"SELECT * FROM {catalog}.system.settings",
        f"CALL {catalog}.system.settings()",
        f"SELECT * FROM ducklake_settings('{catalog}')",
    ]
    found = [spark.sql(sql).collect() for sql in asked]

    path = missing.database
    for (row,) in found:
        assert (row[0], *row[2:]) == (kind, f"{path}.files/", f"{kind}:{path}", False, None)
    assert not Path(path).exists()


def test_files_of_a_table(spark: SparkSession, catalog: str) -> None:
    frame = spark.sql(f"SELECT * FROM {catalog}.main.events.files")

    more = ["data_file_id", "record_count", "delete_count", "begin_snapshot", "row_id_start"]
    assert frame.columns == [*LIST_FILES, *more, "partition"]
    assert dict(frame.dtypes)["partition"] == "map<string,string>"
    counts = frame.select("record_count", "delete_count", "begin_snapshot", "row_id_start")
    assert [tuple(row) for row in counts.collect()] == [(100, 11, 4, 0)]
    assert value(spark, f"SELECT count(*) FROM {catalog}.events.files") == 1


def test_files_are_counted_as_they_are_listed(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """Also those of an open transaction, and those that it has ended."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (k INT, v INT)", "ALTER TABLE t SET PARTITIONED BY (k)")
        for number in range(6):
            peer.run(f"INSERT INTO t VALUES ({number % 3}, {number})")
        known = len(peer.rows("FROM ducklake_list_files('lake', 't')"))
    catalog = register(lake, {"data-inlining-row-limit": "0"})
    files = f"{catalog}.t.files"

    def counted() -> int:
        assert value(spark, f"SELECT count(*) FROM {files}") == len(rows(spark, f"FROM {files}"))
        return len(rows(spark, f"SELECT data_file FROM {files}"))

    assert counted() == known == 6
    assert len(rows(spark, f"SELECT data_file_id, partition FROM {files} LIMIT 4")) == 4
    found = spark.sql(
        f"SELECT partition, record_count FROM {files} ORDER BY data_file_id"
    ).collect()
    assert [tuple(row) for row in found] == [({"k": str(n % 3)}, 1) for n in range(6)]
    grouped = spark.sql(f"SELECT partition, file_count, record_count FROM {catalog}.t.partitions")
    assert [tuple(row) for row in grouped.collect()] == [({"k": str(n)}, 2, 2) for n in range(3)]
    spark.sql(f"CALL {catalog}.system.begin_transaction()").collect()
    spark.sql(f"INSERT INTO {catalog}.t VALUES (7, 7)").collect()
    assert counted() == 7
    spark.sql(f"DELETE FROM {catalog}.t WHERE k = 1").collect()
    assert counted() == 5
    spark.sql(f"CALL {catalog}.system.rollback_transaction()").collect()


def test_snapshots_of_a_table(spark: SparkSession, catalog: str) -> None:
    query = "SELECT snapshot_id FROM {}.{}.events.snapshots ORDER BY 1"

    assert rows(spark, query.format(catalog, "main")) == [(n,) for n in range(1, 10)]
    assert rows(spark, query.format(catalog, "s")) == [(11,), (12,)]


def test_the_catalog_chooses_snapshots(spark: SparkSession, catalog: str) -> None:
    """By id, by time and by a limit: the rows are those that Spark would choose of all."""
    table = f"{catalog}.system.snapshots"
    everything = spark.sql(f"SELECT * FROM {table} ORDER BY snapshot_id").collect()
    ids = [row.snapshot_id for row in everything]
    assert ids == list(range(HEAD + 1))
    middle = ids[len(ids) // 2]

    def chosen(rest: str, columns: str = "snapshot_id") -> list[object]:
        return [row[0] for row in spark.sql(f"SELECT {columns} FROM {table} {rest}").collect()]

    (time,) = chosen(f"WHERE snapshot_id = {middle}", "CAST(snapshot_time AS STRING)")
    assert chosen(f"WHERE snapshot_id > {middle}") == ids[middle + 1 :]
    assert chosen(f"WHERE {middle} >= snapshot_id") == ids[: middle + 1]
    assert chosen(f"WHERE snapshot_id = {middle}", "changes") == [everything[middle].changes]
    assert chosen(f"WHERE snapshot_id IN (1, {middle})") == [1, middle]
    assert chosen(f"WHERE NOT snapshot_id <=> {middle}") == [i for i in ids if i != middle]
    assert chosen("WHERE snapshot_id > 1 AND snapshot_id < 1") == []
    assert chosen(f"WHERE snapshot_time < TIMESTAMP '{time}'") == ids[:middle]
    assert chosen(f"WHERE snapshot_time = TIMESTAMP '{time}'") == [middle]
    assert chosen("ORDER BY snapshot_id DESC LIMIT 3") == ids[::-1][:3]
    assert chosen("ORDER BY snapshot_id LIMIT 3 OFFSET 2") == ids[2:5]
    assert chosen("ORDER BY snapshot_time DESC LIMIT 2") == ids[::-1][:2]
    assert (
        chosen(f"WHERE snapshot_id <= {middle} ORDER BY 1 DESC LIMIT 2")
        == ids[: middle + 1][::-1][:2]
    )
    assert len(chosen("LIMIT 4")) == 4
    assert chosen("", "count(*)") == [len(ids)]
    assert chosen("", "max(snapshot_id)") == [HEAD]
    of_table = [
        row[0] for row in spark.sql(f"SELECT * FROM {catalog}.main.events.snapshots").collect()
    ]
    for limit in range(len(of_table) + 2):
        for order, expected in (("", of_table), (" DESC", of_table[::-1])):
            query = (
                f"FROM {catalog}.main.events.snapshots ORDER BY snapshot_id{order} LIMIT {limit}"
            )
            found = [row[0] for row in spark.sql(f"SELECT snapshot_id {query}").collect()]
            assert found == expected[:limit]


@pytest.mark.parametrize("kind", ["sqlite"])
def test_snapshots_of_a_table_are_those_of_its_id(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (i INT)",
            "DROP TABLE t",
            "CREATE TABLE t (i INT)",
            "ALTER TABLE t RENAME TO renamed",
            "CREATE TABLE t (i INT)",
        )
    catalog = register(lake)
    query = "SELECT snapshot_id FROM {}.{}.snapshots ORDER BY 1"

    assert rows(spark, query.format(catalog, "renamed")) == [(3,), (4,)]
    assert rows(spark, query.format(catalog, "t")) == [(5,)]


def test_partitions_of_a_table(spark: SparkSession, catalog: str) -> None:
    frame = spark.sql(f"SELECT * FROM {catalog}.main.events.partitions")

    assert frame.columns == ["partition", "file_count", "record_count", "file_size_bytes"]


def test_options_of_a_table(spark: SparkSession, catalog: str) -> None:
    frame = spark.sql(f"SELECT * FROM {catalog}.main.events.options")

    assert frame.columns == ["option_name", "value", "scope"]
    limit = frame.where("option_name = 'data_inlining_row_limit'").collect()
    assert [tuple(row) for row in limit] == [("data_inlining_row_limit", "10", "DEFAULT")]


def test_schemas_and_tables(spark: SparkSession, example: Lake, catalog: str) -> None:
    with Peer(example) as peer:
        listed = peer.rows(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_catalog = 'lake' AND table_type = 'BASE TABLE' ORDER BY ALL"
        )
        ids = peer.rows("SELECT table_name, schema_id FROM ducklake_table_info('lake')")

    schemas = spark.sql(f"SELECT * FROM {catalog}.system.schemas")
    tables = spark.sql(f"SELECT * FROM {catalog}.system.tables")

    assert schemas.columns == ["schema_name", "schema_id", "names"]
    assert tables.columns == ["schema_name", "table_name", "schema_id"]
    assert [(row.schema_name, row.table_name) for row in tables.collect()] == listed
    assert sorted((row.table_name, row.schema_id) for row in tables.collect()) == sorted(ids)
    known = {(row.schema_name, row.schema_id, *row.names) for row in schemas.collect()}
    assert known >= {(row.schema_name, row.schema_id, row.schema_name) for row in tables.collect()}


def test_views_and_macros(spark: SparkSession, catalog: str) -> None:
    views = spark.sql(f"SELECT * FROM {catalog}.system.views")
    macros = spark.sql(f"SELECT * FROM {catalog}.system.macros")

    names = ["schema_name", "view_name", "dialect", "sql", "column_aliases"]
    assert views.columns == names
    assert [tuple(row)[:3] for row in views.collect()] == [("main", "rich", "duckdb")]
    expected = ["schema_name", "macro_name", "type", "parameters", "definition"]
    assert macros.columns == expected
    assert macros.count() == 0


def test_files_scheduled_for_deletion(spark: SparkSession, catalog: str) -> None:
    frame = spark.sql(f"SELECT * FROM {catalog}.system.files_scheduled_for_deletion")

    assert (frame.columns, frame.count()) == (["path", "schedule_start"], 0)


def test_a_table_that_is_not_there_is_refused(spark: SparkSession, catalog: str) -> None:
    refused(
        spark, f"CALL {catalog}.system.list_files('nothing')", "TABLE_OR_VIEW_NOT_FOUND", "nothing"
    )
