"""`migrate_from_delta` with `history => true`: versions of a table become snapshots of a lake."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from e2e.test_migrate_from_delta import tables
from support.adding import duckdb_rows
from support.asking import refused
from support.catalogdb import read_catalog
from support.deltalog import append, delete_file, write_table
from support.deltasources import BROUGHT, DeltaSources
from support.lakes import CatalogKind, Lake, LakeFactory
from support.moving import same_in_both
from support.peer import Peer, literal

Register = Callable[..., str]


def call(lake: str, source: object, options: str = "") -> str:
    """The statement that moves a table with its history to table `t`."""
    moved = f"{literal(str(source))}, 't', history => true{options}"
    return f"CALL {lake}.system.migrate_from_delta({moved})"


def migrate(spark: SparkSession, lake: str, source: object, options: str = "") -> list[Any]:
    """The lines of a move with its history to table `t`."""
    return [tuple(row) for row in spark.sql(call(lake, source, options)).collect()]


def brought(lake: Lake) -> dict[int, int]:
    """The snapshots, by the versions of which they have the rows."""
    rows = read_catalog(lake).rows("snapshot_changes")
    told = {row["snapshot_id"]: row["commit_extra_info"] for row in rows}
    return {int(text.split()[1]): number for number, text in told.items() if text}


@pytest.mark.parametrize("versioned", tables(*BROUGHT))
def test_both_engines_read_each_version_as_delta_does(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, versioned: str
) -> None:
    """By the number of the snapshot and by time; the feed adds up to what changed.

    DUCKLAKE_SEEDS says how many random histories there are.
    """
    name = register(lake)
    source = deltas.table(versioned)
    trial = migrate(spark, name, source, ", dry_run => true")
    assert len(read_catalog(lake).rows("snapshot")) == 1

    assert migrate(spark, name, source) == trial

    found = brought(lake)
    times = deltas.times(versioned)
    assert min(found) == 0
    assert [line[1].split(",")[0] for line in trial if line[0] == "version"] == [
        f"version {version}" for version in sorted(found)
    ]
    for version, (time, _) in times.items():
        at = found[max(known for known in found if known <= version)]
        same_in_both(spark, lake, name, deltas.expected(versioned, version), at)
        with Peer(lake) as peer:
            moment = time.isoformat(timespec="milliseconds")
            by_time = peer.rows(f"FROM t AT (TIMESTAMP => '{moment}') ORDER BY ALL")
            assert by_time == peer.rows(f"FROM t AT (VERSION => {at}) ORDER BY ALL")
    same_in_both(spark, lake, name, deltas.expected(versioned))
    feeds_add_up(lake, sorted(found.values()))
    rows = {row["snapshot_id"]: row for row in read_catalog(lake).rows("snapshot_changes")}
    for version, snapshot in found.items():
        assert rows[snapshot]["commit_message"] == times[version][1]


def feeds_add_up(lake: Lake, snapshots: list[int]) -> None:
    """What DuckDB's feed of each snapshot inserts and deletes is how the number of rows changes."""
    with Peer(lake) as peer:
        for number in snapshots:
            feed = f"ducklake_table_changes('lake', 'main', 't', {number}, {number})"
            kinds = dict(peer.rows(f"SELECT change_type, count(*) FROM {feed} GROUP BY ALL"))
            now = peer.rows(f"SELECT count(*) FROM t AT (VERSION => {number})")[0][0]
            earlier = f"SELECT count(*) FROM t AT (VERSION => {number - 1})"
            before = peer.rows(earlier)[0][0] if number > snapshots[0] else 0
            assert now - before == kinds.get("insert", 0) - kinds.get("delete", 0)


def test_a_history_whose_files_are_gone_begins_later(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = tmp_path / "d"
    write_table(table, [1, 2])
    append(table, 1, [3])
    delete_file(table, 2, "a.parquet")
    append(table, 3, [4], path="c.parquet")
    (table / "a.parquet").unlink()

    lines = migrate(spark, name, table)

    begins = "version 1 is before it, but 1 of its files are gone"
    assert ("the history begins there", begins, 1, None) in lines
    assert brought(lake) == {2: 1, 3: 2}
    assert duckdb_rows(lake, "FROM t AT (VERSION => 1)") == [(3,)]
    assert duckdb_rows(lake) == [(3,), (4,)]


def test_a_file_that_comes_back_is_copied(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """The lake would delete it, when the snapshot that has it for the first time expires."""
    name = register(lake)
    table = tmp_path / "d"
    write_table(table, [1, 2])
    append(table, 1, [3])
    delete_file(table, 2, "b.parquet")
    append(table, 3, [3])

    lines = migrate(spark, name, table)

    size = (table / "b.parquet").stat().st_size
    assert ("data files to rewrite", None, 1, size) in lines
    assert brought(lake) == {0: 1, 1: 2, 2: 3, 3: 4}
    assert duckdb_rows(lake, "FROM t AT (VERSION => 2) ORDER BY id") == [(1,), (2,), (3,)]
    assert duckdb_rows(lake, "FROM t AT (VERSION => 3) ORDER BY id") == [(1,), (2,)]
    assert duckdb_rows(lake) == [(1,), (2,), (3,)]
    with Peer(lake) as peer:
        peer.run("CALL ducklake_expire_snapshots('lake', versions => [0, 1, 2, 3])")
        peer.run("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
    assert not (table / "b.parquet").exists()
    assert duckdb_rows(lake) == [(1,), (2,), (3,)]


def test_a_table_with_a_copy_is_followed(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = tmp_path / "d"
    write_table(table, [1, 2])
    append(table, 1, [3])
    delete_file(table, 2, "b.parquet")
    append(table, 3, [3])
    migrate(spark, name, table)
    follow = f"CALL {name}.system.migrate_from_delta({literal(str(table))}, 't')"

    assert [tuple(row) for row in spark.sql(follow).collect()] == [("new data files", None, 0, 0)]
    append(table, 4, [4], path="c.parquet")
    delete_file(table, 5, "b.parquet")
    lines = spark.sql(follow).collect()

    assert [(line[0], line[2]) for line in lines] == [
        ("new data files", 1),
        ("ended data files", 1),
    ]
    assert duckdb_rows(lake) == [(1,), (2,), (4,)]
    assert sorted(tuple(row) for row in spark.table(f"{name}.main.t").collect()) == [
        (1,),
        (2,),
        (4,),
    ]


def test_versions_of_one_moment_get_the_times_by_which_delta_finds_them(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = tmp_path / "d"
    write_table(table, [1, 2])
    append(table, 1, [3])
    append(table, 2, [4], path="c.parquet")
    for version, second in enumerate((1000, 1000, 500)):
        os.utime(table / "_delta_log" / f"{version:020}.json", (second, second))

    migrate(spark, name, table)

    with Peer(lake) as peer:
        times = peer.rows("SELECT epoch_us(snapshot_time) FROM ducklake_snapshots('lake')")
    assert times == [(999_999_999,), (1_000_000_000,), (1_000_001_000,), (1_000_002_000,)]


def test_a_lake_with_newer_snapshots_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Unless they are older than the history."""
    name = register(lake)
    write_table(tmp_path / "old", [1])
    with Peer(lake) as peer:
        peer.run("CREATE TABLE other AS SELECT 1 AS x")
    before = read_catalog(lake).rows("snapshot")

    refused(spark, call(name, tmp_path / "old"), "DUCKLAKE_UNSUPPORTED", "its history begins at")
    trial = migrate(spark, name, tmp_path / "old", ", dry_run => true")

    assert trial[-1][0] == "in the way"
    assert read_catalog(lake).rows("snapshot") == before
    write_table(tmp_path / "young", [1])
    append(tmp_path / "young", 1, [2])
    migrate(spark, name, tmp_path / "young")
    assert duckdb_rows(lake, "FROM t AT (VERSION => 2)") == [(1,)]
    assert duckdb_rows(lake, "FROM t AT (VERSION => 3) ORDER BY id") == [(1,), (2,)]
    assert read_catalog(lake).rows("snapshot")[: len(before)] == before


def test_a_lake_that_the_move_makes(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register, tmp_path: Path
) -> None:
    made = lakes.new(kind)
    name = register(made, {"data-path": f"{made.data_path}/"})
    write_table(tmp_path / "d", [1])
    append(tmp_path / "d", 1, [2])

    migrate(spark, name, tmp_path / "d")

    assert brought(made) == {0: 1, 1: 2}
    assert duckdb_rows(made, "FROM t AT (VERSION => 1)") == [(1,)]
    with Peer(made) as peer:
        peer.run("INSERT INTO t VALUES (3)")
        newest = "SELECT max(snapshot_id) = arg_max(snapshot_id, snapshot_time) "
        assert peer.rows(f"{newest} FROM ducklake_snapshots('lake')") == [(True,)]
    assert duckdb_rows(made) == [(1,), (2,), (3,)]
