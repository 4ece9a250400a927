"""CALL rollback_to_snapshot of a whole lake: what is in no table."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.catalogdb import execute, read_catalog
from support.jobs import described_jobs
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, made
from support.rawfiles import live_files

Register = Callable[..., str]

MACROS = {
    "other parameters": (["CREATE MACRO m(a, b) AS a - b"], ["CREATE MACRO m(b, a) AS a - b"]),
    "a default of another type": (
        ["CREATE MACRO m(a := 1) AS typeof(a)"],
        ["CREATE MACRO m(a := '1') AS typeof(a)"],
    ),
    "a schema in another folder": (
        ['CREATE SCHEMA "my s"', 'CREATE MACRO "my s".m() AS 1'],
        ['CREATE SCHEMA "my s"', 'CREATE MACRO "my s".m() AS 1'],
    ),
}
"""What makes a macro, and what makes another one of its name."""


@pytest.mark.parametrize("case", MACROS)
def test_a_lake_with_another_macro_does_not_go_back(
    spark: SparkSession, lakes: LakeFactory, register: Register, case: str
) -> None:
    lake = lakes.new("sqlite")
    before, after = MACROS[case]
    drop = "DROP MACRO m" if len(before) == 1 else 'DROP SCHEMA "my s" CASCADE'
    with Peer(lake) as peer:
        peer.run(*before)
        past = peer.head()
        peer.run(drop, *after)
    catalog = register(lake)
    known = read_catalog(lake)

    call = f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => {past})"
    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "other macros", ".m)")

    assert read_catalog(lake) == known


def test_a_macro_that_was_made_again_is_no_other(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    macro = "CREATE OR REPLACE MACRO s.m(a, b := 2) AS a - b"
    made(lake, "CREATE SCHEMA s", macro, "DROP SCHEMA s CASCADE", "CREATE SCHEMA s", macro)
    made(lake, "CREATE TABLE t (a INT)")
    catalog = register(lake)

    call = f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => 2)"
    assert rows(spark, call) == [("main", "t", 7)]

    with Peer(lake) as peer:
        assert peer.rows("SELECT s.m(5)") == [(3,)]


def test_a_view_gives_the_name_of_a_table_back(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """One table was dropped, and the other one changed its name with a view."""
    lake = lakes.new("sqlite")
    past = made(
        lake,
        *(f"CREATE TABLE {name} AS SELECT '{name}' AS a" for name in ("t", "u")),
        *(f"CREATE VIEW {name} AS SELECT '{name}' AS a" for name in ("v", "w")),
    )
    made(
        lake,
        "DROP TABLE t",
        "ALTER VIEW v RENAME TO t",
        "ALTER TABLE u RENAME TO x",
        "ALTER VIEW w RENAME TO u",
        "ALTER TABLE x RENAME TO w",
    )
    catalog = register(lake)

    call = f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => {past})"
    assert rows(spark, call) == [("main", "t", past + 6), ("main", "u", past + 6)]

    with Peer(lake) as peer:
        relations = "SELECT table_name, table_type FROM information_schema.tables ORDER BY ALL"
        kinds = {"t": "BASE TABLE", "u": "BASE TABLE", "v": "VIEW", "w": "VIEW"}
        assert dict(peer.rows(relations)) == kinds
        assert [peer.value(f"SELECT a FROM {name}") for name in kinds] == list(kinds)
    assert [rows(spark, f"SELECT a FROM {catalog}.main.{name}") for name in kinds] == [
        [(name,)] for name in kinds
    ]


def test_the_options_of_a_schema_come_back_with_it(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """It gets another id each time, and each time both engines see the options."""
    made(
        lake,
        "CREATE SCHEMA s",
        "CALL lake.set_option('parquet_compression', 'zstd', schema => 's')",
        "CREATE TABLE s.t AS SELECT i AS a FROM range(20) r(i)",
        "CREATE TABLE u (a INT)",
    )
    catalog = register(lake, IN_FILES)
    call = f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => 3)"

    for _ in range(2):
        made(lake, "DROP SCHEMA s CASCADE")
        rows(spark, call)

    spark.sql(f"INSERT INTO {catalog}.s.t VALUES (20)")
    made(lake, "INSERT INTO s.t SELECT i AS a FROM range(21, 50) r(i)")
    footers = [pq.ParquetFile(file).metadata for file in live_files(lake, "t")]
    codecs = [footer.row_group(0).column(0).compression for footer in footers]
    assert codecs == ["ZSTD"] * 3


def test_a_schema_comes_back_with_those_around_it(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """A schema in a schema may get its old directory when the schema around it gets another one."""
    lake = lakes.new("sqlite")
    catalog = register(lake, {"ducklake-version": "1.1", "data-path": lake.data_address})
    create = [f"CREATE SCHEMA {catalog}.`my a`", f"CREATE SCHEMA {catalog}.`my a`.b"]
    for statement in (*create, f"DROP SCHEMA {catalog}.`my a` CASCADE", *create):
        spark.sql(statement)
    (path,) = {row["path"] for row in read_catalog(lake).rows("schema") if row["schema_id"] == 2}
    execute(lake, f"UPDATE ducklake_schema SET path = '{path}' WHERE schema_name = 'b'")

    rows(spark, f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => 2)")

    live = {
        row["schema_name"]: row
        for row in read_catalog(lake).rows("schema")
        if row["end_snapshot"] is None
    }
    assert live["b"]["parent_schema_id"] == live["my a"]["schema_id"]
    assert len(live) == 3


def test_tables_go_back_one_after_another(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """The driver never has the files of two tables in memory. What was written goes at a fault."""
    lake = lakes.new("sqlite")
    filled = "AS SELECT i FROM range(30) r(i)"
    made(
        lake,
        f"CREATE TABLE a {filled}",
        f"CREATE TABLE b {filled}",
        "DELETE FROM a",
        "DELETE FROM b",
    )
    (b,) = (row["table_id"] for row in read_catalog(lake).rows("table") if row["table_name"] == "b")
    execute(lake, f"UPDATE ducklake_data_file SET record_count = NULL WHERE table_id = {b}")
    catalog = register(lake)
    files = sorted(lake.data_path.rglob("*.parquet"))

    call = f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => 2)"
    with described_jobs(spark) as ran:
        refused(spark, call, "DUCKLAKE_CORRUPT_CATALOG", "record_count")

    texts = [text or "" for text in ran]
    assert any("main.a" in text for text in texts) and not any("main.b" in text for text in texts)
    assert sorted(lake.data_path.rglob("*.parquet")) == files
