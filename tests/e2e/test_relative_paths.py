"""Lakes with a relative data path, which DuckDB made in another folder than that of Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import column, refused, value
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.peer import connect, literal

Register = Callable[..., str]

FOLDER = "relative_lake"
"""The data path; no folder of this name is where the tests run."""


@pytest.fixture(params=["sqlite", "duckdb"])
def kind(request: pytest.FixtureRequest) -> CatalogKind:
    """The kinds whose catalog is a file."""
    chosen: CatalogKind = request.param
    return chosen


@pytest.fixture
def home(lakes: LakeFactory, kind: CatalogKind, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """A lake that is made and read by DuckDB in its folder; Spark runs in another one."""
    lake = lakes.new(kind)
    folder = Path(lake.database).parent
    monkeypatch.chdir(folder)
    asked(lake, f"DATA_PATH '{FOLDER}/'", "CREATE TABLE t AS SELECT i::INT a FROM range(100) r(i)")
    return replace(lake, data_path=folder / FOLDER)


def asked(lake: Lake, option: str, *statements: str) -> list[tuple[object, ...]]:
    """What DuckDB answers to the last statement, in its working folder."""
    with connect() as peer:
        peer.execute(f"ATTACH {literal(lake.uri)} AS lake ({option})")
        peer.execute("USE lake")
        for statement in statements:
            peer.execute(statement)
        return peer.fetchall()


def test_spark_reads_and_writes_where_the_files_are(
    spark: SparkSession, home: Lake, register: Register
) -> None:
    catalog = register(home, IN_FILES)

    assert value(spark, f"SELECT max(a) FROM {catalog}.t WHERE a < 50") == 49
    spark.sql(f"INSERT INTO {catalog}.t SELECT CAST(id + 100 AS INT) FROM range(100)")
    spark.sql(f"DELETE FROM {catalog}.t WHERE a % 2 = 1")

    assert asked(home, "READ_ONLY", "SELECT count(*), max(a) FROM t WHERE a >= 0") == [(100, 198)]
    files = column(spark, f"SELECT data_file FROM {catalog}.main.t.files")
    assert len(files) > 1, "the file of DuckDB and those of Spark"
    assert all(path.startswith(f"{home.data_path}/main/t/") for path in files)
    (shown,) = column(
        spark, f"SELECT value FROM {catalog}.system.options WHERE option_name = 'data_path'"
    )
    assert shown == f"{FOLDER}/"


def test_files_that_are_in_neither_folder_are_not_added_to(
    spark: SparkSession, home: Lake, register: Register
) -> None:
    away = home.data_path.rename(home.data_path.with_name("away"))
    catalog = register(home, IN_FILES)

    for statement in (
        "INSERT INTO {}.t VALUES (1000)",
        "CREATE TABLE {}.u (a INT)",
        "CALL {}.system.delete_orphaned_files(cleanup_all => true)",
    ):
        refused(
            spark,
            statement.format(catalog),
            "DUCKLAKE_INVALID_SETTING",
            f"`{FOLDER}/`",
            f"{home.data_path}/",
            f"{FOLDER}/. Start Spark",
        )
    reading = f"SELECT max(a) FROM {catalog}.t WHERE a < 50"
    refused(spark, reading, "DUCKLAKE_UNREADABLE_FILE", f"{home.data_path}/main/t/")
    assert not home.data_path.exists()

    away.rename(home.data_path)
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1000)")
    assert value(spark, f"SELECT max(a) FROM {catalog}.t WHERE a >= 50") == 1000


def test_a_setting_may_be_the_same_text_or_the_absolute_path(
    spark: SparkSession, home: Lake, register: Register
) -> None:
    for path in (FOLDER, f"{FOLDER}/", str(home.data_path)):
        catalog = register(home, {"data-path": path})
        assert value(spark, f"SELECT max(a) FROM {catalog}.t WHERE a < 50") == 49
    for path in ("elsewhere/", str(home.data_path.parent)):
        catalog = register(home, {"data-path": path})
        refused(spark, f"SELECT * FROM {catalog}.t", "DUCKLAKE_INVALID_SETTING", f"`{path}`")


def test_a_lake_without_files_belongs_to_the_folder_of_its_catalog(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake = lakes.new(kind)
    asked(lake, f"DATA_PATH '{FOLDER}/'", "SELECT 1")
    catalog = register(lake, IN_FILES)

    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 1 AS a")

    (file,) = column(spark, f"SELECT data_file FROM {catalog}.main.t.files")
    assert Path(file).is_relative_to(Path(lake.database).parent / FOLDER)
    assert Path(file).exists()


def test_a_catalog_in_postgres_has_no_folder(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lake = lakes.new("postgres")
    monkeypatch.chdir(tmp_path)
    asked(lake, f"DATA_PATH '{FOLDER}/'", "CREATE TABLE t AS SELECT i::INT a FROM range(100) r(i)")
    catalog = register(lake, IN_FILES)

    refused(spark, f"INSERT INTO {catalog}.t VALUES (1)", "DUCKLAKE_INVALID_SETTING", f"{FOLDER}/")

    there = {"data-path": str(tmp_path / FOLDER), "override-data-path": "true"}
    chosen = register(lake, {**IN_FILES, **there})
    spark.sql(f"INSERT INTO {chosen}.t VALUES (1000)")
    assert asked(lake, "READ_ONLY", "SELECT count(*), max(a) FROM t WHERE a >= 0") == [(101, 1000)]
