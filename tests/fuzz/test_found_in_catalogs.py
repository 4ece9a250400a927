"""What the cases of `test_broken_catalogs` found, each as the smallest damage that shows it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, value
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
