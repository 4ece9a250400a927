"""What the cases of `test_broken_lakes` found, each as the smallest damage that shows it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import column, refused, value
from support.catalogdb import execute, read_catalog
from support.lakes import Lake, LakeFactory
from support.peer import literal, made

Register = Callable[..., str]

pytestmark = pytest.mark.damages

TABLE = (
    "CREATE TABLE t (a INTEGER, s STRUCT(x INTEGER))",
    "ALTER TABLE t SET PARTITIONED BY (a)",
    "INSERT INTO t SELECT 7, {'x': i} FROM range(20) r(i)",
)


def damaged(lakes: LakeFactory, *statements: str) -> Lake:
    """A lake in SQLite, which takes any value in any column, with a table `t`, then damaged."""
    lake = lakes.new("sqlite")
    made(lake, *TABLE)
    execute(lake, *statements)
    return lake


@pytest.mark.parametrize(
    ("damage", "parts"),
    [
        ("ducklake_table SET table_uuid = 'x'", ["ducklake_table where table_id is 1", "no UUID"]),
        ("ducklake_schema SET schema_uuid = ''", ["column schema_uuid", "`` is no UUID"]),
        ("ducklake_data_file SET record_count = 'x'", ["column record_count", "`x` is no number"]),
        ("ducklake_data_file SET file_size_bytes = x'00'", ["column file_size_bytes", "binary"]),
        ("ducklake_data_file SET path_is_relative = ''", ["column path_is_relative", "no number"]),
        (
            "ducklake_data_file SET record_count = -1",
            ["column record_count", "`-1` is out of range"],
        ),
        (
            f"ducklake_data_file SET record_count = {2**62}",
            ["ducklake_data_file where data_file_id is 0", "column record_count", "out of range"],
        ),
        ("ducklake_data_file SET file_size_bytes = -5", ["column file_size_bytes", "`-5` is out"]),
        (
            f"ducklake_data_file SET file_size_bytes = {2**63 - 1}",
            ["column file_size_bytes", f"out of range, 0 to {2**46}"],
        ),
        ("ducklake_data_file SET record_count = NULL", ["where data_file_id is 0", "is NULL"]),
        ("ducklake_column SET nulls_allowed = 'x'", ["ducklake_column", "column nulls_allowed"]),
        (
            "ducklake_partition_column SET partition_key_index = 4294967296",
            ["partition_key_index", "`4294967296` is out of range"],
        ),
        (
            "ducklake_column SET parent_column = 99 WHERE parent_column IS NOT NULL",
            ["column `x`", "its parent column 99 is not there"],
        ),
        (
            "ducklake_column SET parent_column = column_id WHERE column_name = 's'",
            ["column `s`", "its parent column 2 is not there"],
        ),
        (
            "ducklake_column SET column_type = 'map' WHERE column_name = 's'",
            ["column `s`", "its type is map, and it has 1 parts"],
        ),
        (
            "ducklake_column SET table_id = 99",
            ["table 1", "it has no columns"],
        ),
    ],
)
def test_a_value_that_cannot_be_used_is_named(
    spark: SparkSession, lakes: LakeFactory, register: Register, damage: str, parts: list[str]
) -> None:
    catalog = register(damaged(lakes, f"UPDATE {damage}"))

    refused(
        spark,
        f"SELECT count(s.x) FROM {catalog}.main.t WHERE a = 7 AND s.x > 3",
        "DUCKLAKE_CORRUPT_CATALOG",
        *parts,
    )


def test_a_path_that_no_file_system_has_is_named(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    scheduled = "(5, 'a' || char(0) || 'b', 1, '2020-01-01 00:00:00+00')"
    lake = damaged(
        lakes,
        f"INSERT INTO ducklake_files_scheduled_for_deletion VALUES {scheduled}",
        "UPDATE ducklake_data_file SET path = 'a' || char(0)",
    )
    catalog = register(lake)

    orphans = f"CALL {catalog}.system.delete_orphaned_files(cleanup_all => true, dry_run => true)"
    for question in (f"SELECT max(s.x) FROM {catalog}.main.t WHERE s.x < 9", orphans):
        refused(spark, question, "DUCKLAKE_CORRUPT_CATALOG", "column path", "NUL character")


def test_a_data_path_that_no_file_system_has_is_named(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    path = "UPDATE ducklake_metadata SET value = 'a' || char(0) WHERE key = 'data_path'"
    catalog = register(damaged(lakes, path))

    for question in (f"SELECT * FROM {catalog}.main.t", f"SHOW TABLES IN {catalog}.main"):
        refused(spark, question, "DUCKLAKE_UNSUPPORTED_PATH", "data path of the lake", "Nul")


def test_options_that_cannot_be_read_are_errors_of_all_that_shows_them(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    scope = "UPDATE ducklake_metadata SET scope = 'schema' WHERE key = 'created_by'"
    catalog = register(damaged(lakes, scope))

    for statement in ("SHOW CREATE TABLE", "SHOW TBLPROPERTIES", "DESCRIBE TABLE EXTENDED"):
        refused(
            spark,
            f"{statement} {catalog}.main.t",
            "DUCKLAKE_CORRUPT_CATALOG",
            "option `created_by`",
        )


def test_null_in_an_inlined_row_of_a_column_that_is_not_null_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    rows = ("CREATE TABLE t (a INTEGER NOT NULL, b INTEGER)", "INSERT INTO t VALUES (1, 2), (3, 4)")
    made(lake, *rows, limit=10)
    (table,) = (row["table_name"] for row in read_catalog(lake).rows("inlined_data_tables"))
    execute(lake, f"UPDATE {table} SET a = NULL WHERE b = 4")
    catalog = register(lake)

    assert column(spark, f"SELECT b FROM {catalog}.main.t") == [2, 4]
    refused(spark, f"SELECT a FROM {catalog}.main.t", "DUCKLAKE_INVALID_VALUE", "`a`", table)
    spark.sql(f"ALTER TABLE {catalog}.main.t ALTER COLUMN a DROP NOT NULL")
    assert value(spark, f"SELECT a FROM {catalog}.main.t WHERE b = 4") is None


def test_statistics_that_are_computed_of_some_tables_are_named(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    made(lake, *(f"CREATE TABLE {name} AS SELECT 1 AS a FROM range(9)" for name in ("one", "two")))
    execute(
        lake,
        "UPDATE ducklake_table_column_stats SET max_value = '99' WHERE table_id = 1",
        "UPDATE ducklake_table_column_stats SET contains_null = 'x' WHERE table_id = 2",
    )
    catalog = register(lake)

    compute = f"CALL {catalog}.system.recompute_statistics()"
    parts = ("Done, and staying so: main.one", "main.two", "`x` is no number")
    refused(spark, compute, "DUCKLAKE_MAINTENANCE_INCOMPLETE", *parts)


def test_an_expiry_whose_snapshots_cannot_be_shown_removes_none(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    made_of = literal("{'x': ")
    lake = damaged(
        lakes,
        f"UPDATE ducklake_snapshot_changes SET changes_made = {made_of} WHERE snapshot_id = 1",
    )
    catalog = register(lake)
    before = read_catalog(lake)

    expire = f"CALL {catalog}.system.expire_snapshots(older_than => now())"
    refused(spark, expire, "DUCKLAKE_CORRUPT_CATALOG", "ducklake_snapshot_changes", "{'x': ")

    assert read_catalog(lake) == before
    assert value(spark, f"SELECT count(*) FROM {catalog}.main.t") == 20
