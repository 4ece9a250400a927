"""The catalog rows of a flush: those of Spark are those of DuckDB, but for what is meant."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.lakes import CatalogKind, LakeFactory
from support.metadata import Allowed, compare
from support.peer import Peer

Register = Callable[..., str]

ALLOWED = (
    Allowed(
        "row ids",
        "rows have their ids in the file; a first one beside them makes merges renumber",
        "ducklake_data_file",
        "row_id_start",
        lambda left, right: left is not None and right is None,
    ),
    Allowed(
        "largest snapshot",
        "recorded for each delete file that names snapshots; DuckDB leaves it out for flushed rows",
        "ducklake_delete_file",
        "partial_max",
        lambda left, right: left is None and right is not None,
    ),
    Allowed(
        "recorded for all engines to see",
        "DuckDB records no flush of deletes alone, and its delete files respect none (decision 02)",
        "ducklake_snapshot_changes",
        "changes_made",
        lambda left, right: (
            set(right.split(",")) == {*left.split(","), "inserted_into_table:1", "inline_flush:1"}
        ),
    ),
    Allowed(
        "superseded tables stay",
        "sessions that are attached still ask for them",
        "ducklake_inlined_data_tables",
        None,
        lambda left, right: left is None,
    ),
    Allowed(
        "superseded tables stay",
        "sessions that are attached still ask for them",
        "(columns of the tables)",
        None,
        lambda left, right: left is None and right["table"].startswith("ducklake_inlined_data_1_"),
    ),
)

CASES = {
    "rows": (
        ("row ids", "largest snapshot"),
        "CREATE TABLE t (i INT, s VARCHAR, d DOUBLE)",
        "INSERT INTO t VALUES (1, 'a', 0.5), (2, 'b', NULL), (3, NULL, -1)",
        "DELETE FROM t WHERE i = 2",
        "INSERT INTO t VALUES (4, 'd', 2)",
    ),
    "deletes of a file": (
        ("recorded for all engines to see",),
        "CREATE TABLE t (i INT)",
        "INSERT INTO t SELECT i FROM range(50) r(i)",
        "DELETE FROM t WHERE i = 7",
        "DELETE FROM t WHERE i IN (3, 9)",
    ),
    "deletes beside a delete file": (
        ("recorded for all engines to see",),
        "CREATE TABLE t (i INT)",
        "INSERT INTO t SELECT i FROM range(50) r(i)",
        "DELETE FROM t WHERE i < 20",
        "DELETE FROM t WHERE i = 30",
    ),
    "rows and deletes": (
        ("row ids", "largest snapshot", "recorded for all engines to see"),
        "CREATE TABLE t (i INT)",
        "INSERT INTO t SELECT i FROM range(50) r(i)",
        "INSERT INTO t VALUES (100)",
        "UPDATE t SET i = i + 1000 WHERE i = 5",
        "DELETE FROM t WHERE i = 100",
    ),
    "partitions": (
        ("row ids", "superseded tables stay"),
        "CREATE TABLE t (i INT, s VARCHAR)",
        "ALTER TABLE t SET PARTITIONED BY (s)",
        "INSERT INTO t VALUES (1, 'a b'), (2, NULL)",
    ),
    "superseded tables": (
        ("row ids", "superseded tables stay"),
        "CREATE TABLE t (i INT, s VARCHAR)",
        "INSERT INTO t VALUES (1, 'a')",
        "ALTER TABLE t ADD COLUMN k INT",
        "ALTER TABLE t DROP COLUMN s",
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_rows_of_a_flush_are_those_of_duckdb(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind, name: str
) -> None:
    met, *steps = CASES[name]
    theirs, ours = lakes.new(kind), lakes.new(kind)
    for lake in (theirs, ours):
        with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
            peer.run(*map(str, steps))

    with Peer(theirs) as peer:
        flushed = peer.rows("CALL ducklake_flush_inlined_data('lake')")
    catalog = register(ours)
    result = spark.sql(f"CALL {catalog}.system.flush_inlined_data()").collect()

    assert [tuple(row) for row in result] == flushed
    found = compare(read_catalog(theirs), read_catalog(ours), ALLOWED)
    assert found.report("DuckDB", "Spark") == ""
    assert found.met == set(met)
