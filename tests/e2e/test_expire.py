"""CALL expire_snapshots and cleanup_old_files: the catalog is DuckDB's, and no file is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import Catalog, execute, read_catalog
from support.flushing import Rows, texts
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.metadata import compare
from support.peer import Peer, literal

Register = Callable[..., str]

STEPS = (
    "CREATE TABLE t (i INT, s VARCHAR)",
    "INSERT INTO t SELECT i, 's' || i FROM range(40) r(i)",
    "DELETE FROM t WHERE i < 20",
    "DELETE FROM t WHERE i < 30",
    "INSERT INTO t VALUES (100, 'a'), (101, NULL)",
    "UPDATE t SET s = 'b' WHERE i = 100",
    "ALTER TABLE t ADD COLUMN x INT DEFAULT 7",
    "COMMENT ON TABLE t IS 'rows'",
    "ALTER TABLE t RENAME TO t2",
    "ALTER TABLE t2 RENAME TO t",
    "CREATE TABLE p (k INT, v INT)",
    "ALTER TABLE p SET PARTITIONED BY (k)",
    "ALTER TABLE p SET SORTED BY (v DESC)",
    "INSERT INTO p SELECT i % 3, i FROM range(60) r(i)",
    "INSERT INTO p VALUES (1, 1)",
    "DELETE FROM p WHERE v % 2 = 0",
    "COMMENT ON COLUMN p.v IS 'value'",
    "CREATE SCHEMA other",
    "CREATE VIEW other.seen AS SELECT i FROM t",
    "CREATE MACRO other.twice(a) AS a * 2",
    "CREATE TABLE other.u AS SELECT i, {'a': i} AS n FROM range(30) r(i)",
    "INSERT INTO other.u VALUES (5, {'a': 1})",
    "DROP TABLE p",
    "DROP VIEW other.seen",
    "DROP MACRO other.twice",
    "DROP TABLE other.u",
    "DROP SCHEMA other",
    "DELETE FROM t WHERE i = 35",
    "INSERT INTO t SELECT i, 'n', i FROM range(200, 230) r(i)",
    "DELETE FROM t WHERE i BETWEEN 205 AND 225",
)

ROUNDS = ([2, 3, 999], [5, 6, 7, 8], [14, 15, 16, 22], list(range(40)))
"""Which snapshots go in each call: in the middle, those before a drop, then all but the newest."""


def expire(spark: SparkSession, catalog: str, arguments: str) -> Rows:
    """The ids, schema versions and changes of the snapshots that go."""
    called = spark.sql(f"CALL {catalog}.system.expire_snapshots({arguments})")
    assert called.columns == [
        *("snapshot_id", "snapshot_time", "schema_version", "changes"),
        *("author", "commit_message", "commit_extra_info"),
    ]
    return [(row.snapshot_id, row.schema_version, row.changes) for row in called.collect()]


def cleanup(spark: SparkSession, catalog: str, arguments: str = "") -> list[str]:
    """The deleted files."""
    called = spark.sql(f"CALL {catalog}.system.cleanup_old_files({arguments})")
    assert called.columns == ["path"]
    return sorted(row.path for row in called.collect())


def made(lake: Lake) -> int:
    """Runs the steps, with an added file whose names are mapped; the newest snapshot."""
    with Peer(lake) as peer:
        lake.data_path.mkdir(exist_ok=True)
        added = literal(str(lake.data_path / "added.parquet"))
        peer.run(
            *STEPS[:11],
            f"COPY (SELECT 7 AS k, 8 AS v) TO {added}",
            f"CALL ducklake_add_data_files('lake', 'p', {added})",
            *STEPS[11:],
        )
        return peer.head()


def parquet_files(lake: Lake) -> set[Path]:
    """The files below the data path."""
    return set(lake.data_path.rglob("*.parquet"))


def listed(lake: Lake) -> set[str]:
    """The names of the files that the catalog lists or has scheduled."""
    catalog = read_catalog(lake)
    tables = ("data_file", "delete_file", "files_scheduled_for_deletion")
    return {str(row["path"]).rpartition("/")[2] for name in tables for row in catalog.rows(name)}


def history(lake: Lake) -> dict[int, Rows]:
    """The rows of `t` in each snapshot that is kept and has it, as DuckDB reads them."""
    with Peer(lake) as peer:
        kept = [
            int(id) for (id,) in peer.rows("SELECT snapshot_id FROM ducklake_snapshots('lake')")
        ]
        named = [id for id in kept if id > 0 and id != 9]
        return {
            id: texts(peer.rows(f"SELECT rowid, * FROM t AT (VERSION => {id})")) for id in named
        }


def placed(lake: Lake) -> Catalog:
    """The catalog, with the data path as `data` in absolute paths."""
    catalog = read_catalog(lake)
    for row in catalog.rows("data_file"):
        row["path"] = row["path"].replace(str(lake.data_path), "data")
    return catalog


def test_the_catalog_is_that_of_duckdb(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake, twin = lakes.new(kind), lakes.new(kind)
    head = made(lake)
    assert made(twin) == head
    catalog = register(lake)
    before = history(lake)

    for versions in ROUNDS:
        ids = [str(id) for id in versions]
        with Peer(twin) as peer:
            theirs = peer.rows(
                "SELECT snapshot_id, schema_version, changes FROM "
                f"ducklake_expire_snapshots('lake', versions => [{', '.join(ids)}])"
            )
        arguments = f"versions => array({', '.join(ids)})"
        planned = expire(spark, catalog, f"{arguments}, dry_run => true")
        done = expire(spark, catalog, arguments)

        assert planned == done == theirs
        assert compare(placed(lake), placed(twin)).report("Spark", "DuckDB") == ""
        scope = Scope(None, expired=frozenset(range(head)))
        assert check(lake, scope) == []
        after = history(lake)
        assert after == {id: before[id] for id in after}

    assert list(history(lake)) == [head]
    assert {
        row.snapshot_id for row in spark.sql(f"CALL {catalog}.system.snapshots()").collect()
    } == {head}
    assert spark.table(f"{catalog}.t").count() == len(before[head])

    there = parquet_files(lake)
    assert cleanup(spark, catalog) == []
    with Peer(twin) as peer:
        assert peer.rows("CALL ducklake_cleanup_old_files('lake')") == []
        theirs = peer.rows("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
    planned_files = cleanup(spark, catalog, "cleanup_all => true, dry_run => true")
    assert parquet_files(lake) == there
    gone = cleanup(spark, catalog, "cleanup_all => true")
    assert planned_files == gone
    assert len(gone) == len(theirs) == 5
    assert parquet_files(lake) == there - {Path(path) for path in gone}
    assert {path.name for path in parquet_files(lake)} == listed(lake)
    assert compare(placed(lake), placed(twin)).report("Spark", "DuckDB") == ""
    assert check(lake, Scope(None, is_free_of_orphans=True)) == []
    assert history(lake) == {head: before[head]}


def test_ages_are_points_in_time_and_options_are_obeyed(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """DuckDB compares texts on SQLite, so that all snapshots of the day are too old."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (i INT)",
            "INSERT INTO t SELECT i FROM range(20) r(i)",
            "DELETE FROM t WHERE i < 15",
            "TRUNCATE t",
        )
    times = {0: "2026-01-05 00:00:00", 1: "2026-01-06 08:00:00", 2: "2026-01-06 20:00:00"}
    execute(
        lake,
        *(
            f"UPDATE ducklake_snapshot SET snapshot_time = '{time}+00' WHERE snapshot_id = {id}"
            for id, time in times.items()
        ),
    )
    catalog = register(lake)

    def expired(arguments: str) -> list[Any]:
        return [row[0] for row in expire(spark, catalog, arguments)]

    assert expired("") == []
    noon = "older_than => TIMESTAMP '2026-01-06 12:00:00+00'"
    assert expired(f"{noon}, dry_run => true") == [0, 1]
    assert expired("versions => array(), dry_run => true") == []
    spark.sql(f"CALL {catalog}.system.set_option('expire_older_than', '1 month')")
    assert expired("dry_run => true") == [0, 1, 2]
    assert expired("versions => array(), dry_run => true") == []
    assert expired("") == [0, 1, 2]

    assert expired("older_than => TIMESTAMP '2100-01-01 00:00:00'") == [3]
    assert cleanup(spark, catalog) == []
    spark.sql(f"CALL {catalog}.system.set_option('delete_older_than', '1 day')")
    scheduled = "ducklake_files_scheduled_for_deletion"
    execute(
        lake,
        f"UPDATE {scheduled} SET schedule_start = '2026-01-05 00:00:00+00' WHERE data_file_id = 0",
    )
    assert cleanup(spark, catalog, "older_than => TIMESTAMP '2026-01-05 00:00:00+00'") == []
    assert len(cleanup(spark, catalog)) == 1
    assert len(cleanup(spark, catalog, "older_than => TIMESTAMP '2100-01-01 00:00:00'")) == 1


@pytest.mark.parametrize(
    ("procedure", "arguments"),
    [
        ("expire_snapshots", "versions => array(1), older_than => now()"),
        ("cleanup_old_files", "cleanup_all => true, older_than => now()"),
    ],
)
def test_two_criteria_are_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register, procedure: str, arguments: str
) -> None:
    lake = lakes.new("sqlite")
    Peer(lake).connection.close()
    with pytest.raises(PySparkException) as error:
        spark.sql(f"CALL {register(lake)}.system.{procedure}({arguments})").collect()
    assert error.value.getCondition() == "DUCKLAKE_INVALID_ARGUMENT"


def test_a_scheduled_file_that_is_registered_twice_is_kept(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """DuckDB deletes it, and the other table cannot be read any more."""
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        lake.data_path.mkdir()
        shared = lake.data_path / "shared.parquet"
        other_spelling = f"{lake.data_path}//shared.parquet"
        peer.run(
            f"COPY (SELECT 7 AS i) TO {literal(str(shared))}",
            "CREATE TABLE a (i BIGINT)",
            "CREATE TABLE b (i BIGINT)",
            f"CALL ducklake_add_data_files('lake', 'a', {literal(str(shared))})",
            f"CALL ducklake_add_data_files('lake', 'b', {literal(other_spelling)})",
            "DROP TABLE a",
        )
    catalog = register(lake)
    expire(spark, catalog, "older_than => now()")

    assert cleanup(spark, catalog, "cleanup_all => true") == []
    assert spark.table(f"{catalog}.b").collect() == [(7,)]
    spark.sql(f"DROP TABLE {catalog}.b")
    expire(spark, catalog, "older_than => now()")
    assert len(set(cleanup(spark, catalog, "cleanup_all => true"))) == 2
    assert not shared.exists()
    assert read_catalog(lake).rows("files_scheduled_for_deletion") == []


def test_files_that_are_gone_count_as_deleted_and_others_are_told(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (i INT)",
            "INSERT INTO t SELECT i FROM range(20) r(i)",
            "INSERT INTO t SELECT i FROM range(20) r(i)",
            "INSERT INTO t SELECT i FROM range(20) r(i)",
            "TRUNCATE t",
        )
    catalog = register(lake)
    expire(spark, catalog, "older_than => now()")
    missing, stubborn, third = sorted(parquet_files(lake))
    missing.unlink()
    stubborn.unlink()
    stubborn.mkdir()
    (stubborn / "inside").touch()

    with pytest.raises(PySparkException) as error:
        cleanup(spark, catalog, "cleanup_all => true")

    assert error.value.getCondition() == "DUCKLAKE_MAINTENANCE_INCOMPLETE"
    assert str(stubborn) in str(error.value)
    assert not third.exists()
    left = read_catalog(lake).rows("files_scheduled_for_deletion")
    assert [Path(str(row["path"])).name for row in left] == [stubborn.name]
