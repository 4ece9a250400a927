"""One clear error for each thing that can be wrong with a lake; the rest stays readable."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.asking import column, refused, rows, value
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, made
from support.postgres import PostgresServer

pytestmark = pytest.mark.every_database

Register = Callable[..., str]


def change_catalog(lake: Lake, server: PostgresServer, sql: str) -> None:
    """Run a statement in the catalog database, past every engine."""
    if lake.kind == "postgres":
        server.run_sql(lake.database, sql)
    elif lake.kind == "sqlite":
        with sqlite3.connect(lake.database) as connection:
            connection.execute(sql)
    else:
        with duckdb.connect(lake.database) as connection:
            connection.execute(sql)


def only_file(lake: Lake) -> Path:
    """The one data file of the lake."""
    (file,) = lake.data_path.rglob("*.parquet")
    return file


@pytest.mark.damages("removes the file")
def test_a_missing_data_file_is_named(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, "CREATE TABLE t AS SELECT i AS a, i AS b FROM range(1000) AS r(i)")
    file = only_file(lake)
    file.unlink()

    refused(spark, f"SELECT sum(b) FROM {register(lake)}.t", "DUCKLAKE_UNREADABLE_FILE", file.name)


@pytest.mark.damages("overwrites the file")
@pytest.mark.parametrize("damage", ["cut", "empty", "garbage"])
def test_a_corrupt_data_file_is_named(
    spark: SparkSession, lake: Lake, register: Register, damage: str
) -> None:
    made(lake, "CREATE TABLE t AS SELECT i AS a, i AS b FROM range(1000) AS r(i)")
    file = only_file(lake)
    content = file.read_bytes()
    damaged = {"cut": content[: len(content) // 2], "empty": b"", "garbage": b"x" * len(content)}
    file.write_bytes(damaged[damage])

    refused(spark, f"SELECT sum(b) FROM {register(lake)}.t", "DUCKLAKE_UNREADABLE_FILE", file.name)


@pytest.mark.damages("removes the file")
def test_a_missing_delete_file_is_named(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t AS SELECT i AS a FROM range(1000) AS r(i)",
        "DELETE FROM t WHERE a % 2 = 0",
    )
    (file,) = lake.data_path.rglob("*-delete.parquet")
    file.unlink()
    catalog = register(lake)

    refused(spark, f"SELECT sum(a) FROM {catalog}.t", "DUCKLAKE_UNREADABLE_FILE", file.name)
    assert value(spark, f"SELECT sum(a) FROM {catalog}.t VERSION AS OF 1") == 499500


@pytest.mark.damages("stores an unknown type")
def test_a_column_of_an_unknown_type_fails_only_where_it_is_selected(
    spark: SparkSession, lake: Lake, register: Register, server: PostgresServer
) -> None:
    made(lake, "CREATE TABLE t AS SELECT 1 AS a, 'x' AS odd")
    change_catalog(
        lake,
        server,
        "UPDATE ducklake_column SET column_type = 'martian' WHERE column_name = 'odd'",
    )
    catalog = register(lake)

    assert value(spark, f"SELECT a FROM {catalog}.t") == 1
    refused(spark, f"SELECT odd FROM {catalog}.t", "DUCKLAKE_UNSUPPORTED_TYPE", "odd", "martian")
    assert "odd" in column(spark, f"SHOW COLUMNS IN {catalog}.main.t")


def test_a_value_of_39_digits_is_named(spark: SparkSession, lake: Lake, register: Register) -> None:
    long = "170141183460469231731687303715884105727"
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t (a HUGEINT, b INTEGER); INSERT INTO t VALUES ({long}, 1)")
    catalog = register(lake)

    refused(spark, f"SELECT a FROM {catalog}.t", "DUCKLAKE_INVALID_VALUE", "a", long)
    assert value(spark, f"SELECT b FROM {catalog}.t") == 1


@pytest.mark.parametrize("version", ["9.9", "1.2", "0.0", "soon"])
def test_a_catalog_of_another_version_is_refused(
    spark: SparkSession, lake: Lake, register: Register, server: PostgresServer, version: str
) -> None:
    made(lake, "CREATE TABLE t AS SELECT 1 AS a")
    change_catalog(
        lake, server, f"UPDATE ducklake_metadata SET value = '{version}' WHERE key = 'version'"
    )

    refused(
        spark, f"SELECT * FROM {register(lake)}.t", "DUCKLAKE_UNSUPPORTED_VERSION", version, "1.0"
    )


@pytest.mark.parametrize("option", ["create-if-not-exists", "read-only"])
def test_a_database_without_a_lake_is_refused_where_none_may_be_made(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind, option: str
) -> None:
    lake = lakes.new(kind)
    if kind == "sqlite":
        sqlite3.connect(lake.database).execute("CREATE TABLE other (a INTEGER)").close()
    elif kind == "duckdb":
        duckdb.connect(lake.database).close()
    catalog = register(lake, {option: "true" if option == "read-only" else "false"})

    refused(spark, f"SHOW TABLES IN {catalog}.main", "DUCKLAKE_NO_LAKE")


def test_a_lake_that_does_not_exist_yet_is_empty_and_stays_so(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind
) -> None:
    lake = lakes.new(kind)
    catalog = register(lake, {"data-path": f"{lake.data_path}/"})

    assert column(spark, f"SHOW SCHEMAS IN {catalog}") == ["main"]
    assert rows(spark, f"SHOW TABLES IN {catalog}.main") == []
    assert not Path(lake.database).exists()
    assert not lake.data_path.exists()


@pytest.mark.parametrize("file_kind", ["sqlite", "duckdb"])
def test_a_file_that_is_no_database_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register, file_kind: CatalogKind
) -> None:
    lake = lakes.new(file_kind)
    Path(lake.database).write_bytes(b"this is no database, only a text that is long enough" * 200)

    refused(
        spark,
        f"SHOW TABLES IN {register(lake)}.main",
        "DUCKLAKE_NOT_A_DATABASE",
        Path(lake.database).name,
    )


def test_a_server_that_does_not_answer_is_named(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("postgres")
    uri = "ducklake:postgres:dbname=d host=127.0.0.1 port=1 user=u connect_timeout=2"
    nowhere = Lake("postgres", uri, lake.data_path, "d")

    refused(spark, f"SHOW TABLES IN {register(nowhere)}.main", "DUCKLAKE_CONNECTION_FAILED")


def test_a_server_that_goes_away_is_named_and_may_come_back(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    with PostgresServer() as mortal:
        lake = LakeFactory(tmp_path, mortal).new("postgres")
        made(lake, "CREATE TABLE t AS SELECT 42 AS a")
        catalog = register(lake)
        assert value(spark, f"SELECT a FROM {catalog}.t") == 42

        mortal.stop()
        refused(spark, f"SELECT a FROM {catalog}.t", "DUCKLAKE_CONNECTION_FAILED")
        mortal.start()

        assert value(spark, f"SELECT a FROM {catalog}.t") == 42


@pytest.mark.parametrize("file_kind", ["sqlite", "duckdb"])
def test_a_catalog_file_that_goes_away_is_not_made_anew(
    spark: SparkSession, lakes: LakeFactory, register: Register, file_kind: CatalogKind
) -> None:
    lake = lakes.new(file_kind)
    made(lake, "CREATE TABLE t AS SELECT 42 AS a")
    catalog = register(lake)
    assert value(spark, f"SELECT a FROM {catalog}.t") == 42

    shutil.move(lake.database, f"{lake.database}.away")
    refused(spark, f"SELECT a FROM {catalog}.t", "TABLE_OR_VIEW_NOT_FOUND")

    assert not Path(lake.database).exists()


@pytest.mark.parametrize("file_kind", ["sqlite", "duckdb"])
def test_a_catalog_file_in_a_folder_that_is_not_there_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register, file_kind: CatalogKind
) -> None:
    lake = lakes.new(file_kind)
    shutil.rmtree(Path(lake.database).parent)
    catalog = register(lake, {"data-path": str(lake.data_path)})

    refused(spark, f"CREATE TABLE {catalog}.t (a INT)", "DUCKLAKE_INVALID_URI", "folder")

    assert not Path(lake.database).parent.exists()


def test_a_data_path_that_disagrees_is_refused_unless_it_overrides(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t AS SELECT 42 AS a")
    shutil.copytree(lake.data_path, tmp_path / "copy")
    elsewhere = {"data-path": f"{tmp_path}/copy/"}

    query = f"SELECT a FROM {register(lake, elsewhere)}.t"
    refused(spark, query, "DUCKLAKE_INVALID_SETTING", "data-path")
    moved = register(lake, {**elsewhere, "override-data-path": "true"})
    assert value(spark, f"SELECT a FROM {moved}.t") == 42
    name = value(spark, f"SELECT filename FROM {moved}.t")
    assert name.startswith(f"{tmp_path}/copy/")
