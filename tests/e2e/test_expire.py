"""CALL expire_snapshots and cleanup_old_files: the catalog is DuckDB's, and no file is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import execute, read_catalog
from support.expiring import (
    cleanup,
    expire,
    history,
    leftovers,
    listed,
    made,
    parquet_files,
    placed,
)
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.metadata import compare
from support.peer import Peer, literal

Register = Callable[..., str]

ROUNDS = ([2, 3, 999], [5, 6, 7, 8], [14, 15, 16, 22], list(range(40)))
"""Which snapshots go in each call: in the middle, those before a drop, then all but the newest."""


@pytest.mark.every_database
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
        execute(twin, *leftovers(twin))
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


@pytest.mark.every_database
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


@pytest.mark.parametrize("kind", ["postgres", "duckdb"], indirect=True)
def test_options_of_duckdb_mean_the_same(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """Fractions of days, an age in seconds, and a number that no signed one reaches."""
    most = 2**64 - 1
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (i INT)",
            *(f"INSERT INTO t VALUES ({i})" for i in range(3)),
            "CALL lake.set_option('expire_older_than', '1.5 days')",
            "CALL lake.set_option('delete_older_than', '7')",
            f"CALL lake.set_option('data_inlining_row_limit', '{most}')",
            f"CALL lake.set_option('parquet_row_group_size', '{most}')",
            "CALL lake.set_option('target_file_size', '0B')",
        )
    hours = {0: 40, 1: 37, 2: 35}
    for id, ago in hours.items():
        time = (datetime.now(timezone.utc) - timedelta(hours=ago)).isoformat()
        execute(
            lake, f"UPDATE ducklake_snapshot SET snapshot_time = '{time}' WHERE snapshot_id = {id}"
        )
    catalog = register(lake)

    spark.sql(f"INSERT INTO {catalog}.t SELECT CAST(id AS INT) FROM range(20)")
    with Peer(lake) as peer:
        assert peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')") == []
        old = peer.rows(
            "SELECT snapshot_id FROM ducklake_expire_snapshots('lake', dry_run => true)"
        )
        assert old == [(0,), (1,)]
    assert [row[0] for row in expire(spark, catalog, "dry_run => true")] == [0, 1]
    spark.sql(f"CALL {catalog}.system.checkpoint()")

    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*), sum(i) FROM t") == [(23, 193)]


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
    Peer(lake).close()
    with pytest.raises(PySparkException) as error:
        spark.sql(f"CALL {register(lake)}.system.{procedure}({arguments})").collect()
    assert error.value.getCondition() == "DUCKLAKE_INVALID_ARGUMENT"


def test_an_open_transaction_of_duckdb_must_be_younger_than_the_age(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """It reuses the id of a snapshot that has expired, whoever let it expire; ours is refused."""
    lake = lakes.new("postgres")
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (i INT)", "BEGIN", "ALTER TABLE t ADD COLUMN j INT")
        spark.sql(f"INSERT INTO {catalog}.t VALUES (1)")
        spark.sql(f"INSERT INTO {catalog}.t VALUES (2)")
        expire(spark, catalog, "older_than => now()")
        peer.run("COMMIT")

    ids = [row["snapshot_id"] for row in read_catalog(lake).rows("snapshot")]
    assert sorted(ids) == [2, 3]
    changes = {
        row["snapshot_id"]: row["changes_made"]
        for row in read_catalog(lake).rows("snapshot_changes")
    }
    assert changes[2] == "altered_table:1"


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


@pytest.mark.every_database
def test_of_very_many_scheduled_files_the_first_are_shown(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake = lakes.new(kind)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (i INT)", "INSERT INTO t SELECT i FROM range(20) r(i)")
    [kept] = parquet_files(lake)
    values = ", ".join(
        f"({n}, 'main/t/gone-{n:05}.parquet', true, '2026-01-01 00:00:{n % 60:02}+00')"
        for n in range(10_005)
    )
    stored = kept.relative_to(lake.data_path)
    execute(
        lake,
        f"INSERT INTO ducklake_files_scheduled_for_deletion VALUES {values}",
        "INSERT INTO ducklake_files_scheduled_for_deletion "
        f"VALUES (0, {literal(str(stored))}, true, '2026-01-01 00:00:00+00')",
    )
    catalog = register(lake)
    age = "older_than => TIMESTAMP '2026-02-01 00:00:00'"

    planned = cleanup(spark, catalog, f"{age}, dry_run => true")
    assert len(read_catalog(lake).rows("files_scheduled_for_deletion")) == 10_006
    done = cleanup(spark, catalog, age)

    assert len(set(planned)) == 10_000
    assert planned == done
    left = read_catalog(lake).rows("files_scheduled_for_deletion")
    assert [row["path"] for row in left] == [str(stored)]
    assert kept.exists()


@pytest.mark.every_database
def test_deletes_in_the_catalog_go_with_their_file(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    """DuckDB leaves them until its next flush, or until an expiry of Spark."""
    lake, twin = lakes.new(kind), lakes.new(kind)
    for each in (lake, twin):
        with Peer(each) as peer:
            peer.run(
                "CREATE TABLE t (i INT)",
                "CREATE TABLE other (i INT)",
                "INSERT INTO t SELECT i FROM range(20) r(i)",
                "INSERT INTO other SELECT i FROM range(20) r(i)",
                "DELETE FROM t WHERE i < 3",
                "DELETE FROM other WHERE i = 4",
            )
    catalog, twins = register(lake), register(twin)
    for name in (catalog, twins):
        spark.sql(f"CALL {name}.system.rewrite_data_files('t', delete_threshold => 0)").collect()

    expire(spark, catalog, "older_than => now()")
    with Peer(twin) as peer:
        peer.run(f"CALL ducklake_expire_snapshots('lake', versions => {[*range(peer.head())]})")

    def deleted(of: Lake, table: int) -> list[int]:
        return [row["row_id"] for row in read_catalog(of).rows(f"inlined_delete_{table}")]

    assert (deleted(lake, 1), deleted(lake, 2)) == ([], [4])
    assert (sorted(deleted(twin, 1)), deleted(twin, 2)) == ([0, 1, 2], [4])
    expire(spark, twins, "older_than => now()")
    assert (deleted(twin, 1), deleted(twin, 2)) == ([], [4])
    spark.sql(f"CALL {twins}.system.flush_inlined_data()").collect()
    assert deleted(twin, 2) == []
    for each in (lake, twin):
        assert check(each, Scope(None)) == []
        with Peer(each) as peer:
            assert peer.rows("SELECT count(*), min(i) FROM t") == [(17, 3)]
            assert peer.rows("SELECT count(*), sum(i) FROM other") == [(19, 186)]


def test_tags_and_options_of_dropped_objects_go(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """DuckDB drops a schema without ending its tags, and keeps the options for ever."""
    set_option = "CALL lake.set_option('target_file_size', '1MB', "
    with Peer(lake) as peer:
        peer.run(
            "CREATE SCHEMA s",
            "CREATE TABLE s.t (i INT)",
            "CREATE TABLE kept (i INT)",
            f"{set_option}schema => 's')",
            f"{set_option}schema => 's', table_name => 't')",
            f"{set_option}schema => 'main')",
            f"{set_option}table_name => 'kept')",
        )
    catalog = register(lake)
    spark.sql(f"COMMENT ON NAMESPACE {catalog}.s IS 'gone'")
    spark.sql(f"COMMENT ON TABLE {catalog}.kept IS 'kept'")
    with Peer(lake) as peer:
        peer.run("DROP SCHEMA s CASCADE")

    expire(spark, catalog, "older_than => now()")

    left = read_catalog(lake)
    assert [row["value"] for row in left.rows("tag")] == ["kept"]
    scopes = [(row["scope"], row["scope_id"]) for row in left.rows("metadata") if row["scope"]]
    assert sorted(scopes) == [("schema", 0), ("table", 3)]
