"""A second `migrate_from_delta` brings what the source has changed since the first.

Tables are moved as they were at a version: the later part of their log is put aside until then.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.asking import refused
from support.catalogdb import read_catalog
from support.deltalog import append, commit, delete_file, set_vector, write_table
from support.deltasources import FOLLOWED, DeltaSources
from support.lakes import Lake
from support.lines import READ_SOURCES, since
from support.moving import same_in_both
from support.peer import Peer, literal

Register = Callable[..., str]

pytestmark = since(READ_SOURCES)


class Versions:
    """A copy of a table of Delta that has only the older part of its log."""

    def __init__(self, source: str, folder: Path) -> None:
        """Copies the table to a new folder below `folder`."""
        self.path = folder / "table"
        shutil.copytree(source, self.path)
        self._aside = folder / "later"
        self._log = self.path / "_delta_log"
        shutil.copytree(self._log, self._aside)
        self.newest = max(int(file.stem) for file in self._log.glob("*.json") if _is_commit(file))

    def show(self, version: int) -> None:
        """Makes a version the newest one."""
        shutil.rmtree(self._log)
        shutil.copytree(self._aside, self._log)
        for file in self._log.iterdir():
            number = file.name.split(".")[0]
            if file.name == "_last_checkpoint" or (number.isdigit() and int(number) > version):
                file.unlink()
        for checksum in self._log.glob(".*.crc"):
            checksum.unlink()

    def actions(self, version: int) -> list[dict[str, Any]]:
        """What a version has changed."""
        lines = (self._aside / f"{version:020}.json").read_text().splitlines()
        return [json.loads(line) for line in lines]


def _is_commit(file: Path) -> bool:
    return file.stem.isdigit()


def call(lake: str, source: object, options: str = "") -> str:
    """The statement that moves a table to table `t`."""
    return f"CALL {lake}.system.migrate_from_delta({literal(str(source))}, 't'{options})"


def migrate(spark: SparkSession, lake: str, source: object, options: str = "") -> list[Any]:
    """The lines of a move to table `t`."""
    return [tuple(row) for row in spark.sql(call(lake, source, options)).collect()]


def snapshots(lake: Lake) -> int:
    return len(read_catalog(lake).rows("snapshot"))


@pytest.mark.parametrize("versioned", FOLLOWED)
def test_both_engines_read_what_delta_reads(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    deltas: DeltaSources,
    versioned: str,
    tmp_path: Path,
) -> None:
    """The lake follows through some versions, and reads each as Delta's connector and Kernel do.

    DUCKLAKE_SEEDS says how many random histories there are.
    """
    name = register(lake)
    source = Versions(deltas.table(versioned), tmp_path)
    dice = random.Random(versioned)
    stops = [each for each in range(source.newest) if each in (0, 1) or dice.random() < 0.5]
    for version in [*stops, source.newest]:
        source.show(version)
        before = snapshots(lake)
        trial = migrate(spark, name, source.path, ", dry_run => true")
        assert snapshots(lake) == before
        *lines, checksum = migrate(spark, name, source.path, ", checksum => true")
        assert (lines, checksum[0]) == (trial, "checksum")
        assert snapshots(lake) <= before + 1
        same_in_both(spark, lake, name, deltas.expected(versioned, version))

    same_in_both(spark, lake, name, deltas.expected(versioned))
    assert migrate(spark, name, source.path) == [("new data files", None, 0, 0)]


def test_columns(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    """Parts of nested columns that have no id of Delta keep theirs, and no id is given twice."""
    name = register(lake)
    source = Versions(deltas.table("mapped"), tmp_path)
    source.show(1)
    migrate(spark, name, source.path)
    source.show(source.newest)

    lines = migrate(spark, name, source.path)

    assert [line[1] for line in lines if line[0] == "column"] == [
        "`gone` is dropped",
        "`name` is `label` now",
        "`p` is `part` now",
        "`s.a` is `s.first` now",
        "`l.element.x` is `l.element.z` now",
        "`gone` is new",
    ]
    columns = read_catalog(lake).rows("column")
    living = [row["column_id"] for row in columns if row["end_snapshot"] is None]
    assert len(living) == len(set(living))
    ended = {row["column_id"] for row in columns if row["column_name"] == "gone"}
    assert len(ended) == 2
    past = "SELECT count(gone), count(name) FROM t AT (VERSION => 1)"
    assert duckdb_rows(lake, past) == [(10, 10)]


def test_deleted_rows_in_the_change_feed(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    name = register(lake)
    source = Versions(deltas.table("checkpointed"), tmp_path)
    source.show(3)
    migrate(spark, name, source.path)
    source.show(4)

    lines = migrate(spark, name, source.path)

    assert [(line[0], line[2]) for line in lines] == [
        ("new data files", 0),
        ("data files with other deletes", 2),
    ]
    last = max(row["snapshot_id"] for row in read_catalog(lake).rows("snapshot"))
    feed = f"ducklake_table_changes('lake', 'main', 't', {last}, {last})"
    changed = duckdb_rows(lake, f"SELECT change_type, id FROM {feed} ORDER BY id")
    gone = [id for id in range(110) if id % 5 == 0 and id % 7]
    assert changed == [("delete", id) for id in gone]


@pytest.mark.parametrize(
    "change", ["INSERT INTO t VALUES (100)", "DELETE FROM t", "ALTER TABLE t ADD COLUMN c INTEGER"]
)
def test_a_table_that_the_lake_changed_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, change: str
) -> None:
    name = register(lake)
    write_table(tmp_path / "d", [1, 2])
    migrate(spark, name, tmp_path / "d")
    with Peer(lake) as peer:
        peer.run(change)
    append(tmp_path / "d", 1, [3])

    refused(spark, call(name, tmp_path / "d"), "DUCKLAKE_UNSUPPORTED", "the table since it moved")


def test_files_without_rows_whose_log_does_not_say_it(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = tmp_path / "d"
    write_table(table, [1, 2])
    append(table, 1, [], path="empty.parquet")
    migrate(spark, name, table)
    append(table, 2, [3], path="c.parquet")

    migrate(spark, name, table)

    assert duckdb_rows(lake) == [(1,), (2,), (3,)]


def test_rows_that_the_lake_deleted_and_forgot_are_missed(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """The snapshot is expired, and the log does not say that the file had rows."""
    name = register(lake)
    write_table(tmp_path / "d", [1, 2])
    migrate(spark, name, tmp_path / "d")
    spark.sql(f"DELETE FROM {name}.main.t")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE other (a INTEGER)")
    spark.sql(f"CALL {name}.system.expire_snapshots(older_than => now())")
    append(tmp_path / "d", 1, [3])

    refused(spark, call(name, tmp_path / "d"), "DUCKLAKE_UNSUPPORTED", "the table since it moved")


def test_other_deletes_of_a_file_whose_rows_nobody_counts(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """All rows of the file were deleted, so the lake does not know it."""
    name = register(lake)
    table = tmp_path / "d"
    write_table(table, [1, 2], vectors=True)
    append(table, 1, [3])
    set_vector(table, 2, "a.parquet", [0, 1])
    migrate(spark, name, table)
    assert duckdb_rows(lake) == [(3,)]
    set_vector(table, 3, "a.parquet", [0], before=[0, 1])

    trial = migrate(spark, name, table, ", dry_run => true")

    why = f"its log does not say how many rows {table}/a.parquet has, whose deletes are others"
    assert [line[1] for line in trial if line[0] == "in the way"] == [why]
    refused(spark, call(name, table), "DUCKLAKE_UNSUPPORTED", why)
    assert duckdb_rows(lake) == [(3,)]


def test_other_histories_are_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Another table, a log that was cut, one that was cleaned, and a file that comes back."""
    name = register(lake)
    table = tmp_path / "d"
    log = table / "_delta_log"
    write_table(table, [1, 2])
    append(table, 1, [3])
    migrate(spark, name, table)
    write_table(tmp_path / "other", [1], identity="00000000-0000-0000-0000-000000000002")
    other = call(name, tmp_path / "other")
    refused(spark, other, "DUCKLAKE_UNSUPPORTED", "moved from another one")

    newest = log / f"{1:020}.json"
    text = newest.read_text()
    newest.unlink()
    refused(spark, call(name, table), "DUCKLAKE_UNSUPPORTED", "rolled back to before its version 1")

    newest.write_text(text)
    delete_file(table, 2, "a.parquet")
    assert ("ended data files", 1) in [(line[0], line[2]) for line in migrate(spark, name, table)]
    assert duckdb_rows(lake) == [(3,)]
    append(table, 3, [1, 2], path="a.parquet")
    trial = migrate(spark, name, table, ", dry_run => true")
    why = f"file {table}/a.parquet is a file of the lake already"
    assert [line[1] for line in trial if line[0] == "in the way"] == [why]
    refused(
        spark, call(name, table), "DUCKLAKE_FILE_ALREADY_REGISTERED", "file of the lake already"
    )


def test_a_log_without_the_version_that_moved_is_refused(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    name = register(lake)
    source = Versions(deltas.table("checkpointed"), tmp_path)
    source.show(1)
    migrate(spark, name, source.path)
    source.show(source.newest)
    for version in range(2):
        (source.path / "_delta_log" / f"{version:020}.json").unlink()

    refused(spark, call(name, source.path), "DUCKLAKE_UNSUPPORTED", "cannot be read any more")


def test_deleted_rows_that_come_back_are_in_the_way(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    """As a RESTORE does: the files get their deletion vectors of before."""
    name = register(lake)
    source = Versions(deltas.table("checkpointed"), tmp_path)
    source.show(4)
    migrate(spark, name, source.path)
    added = {
        version: [action["add"] for action in source.actions(version) if "add" in action]
        for version in (3, 4)
    }
    gone = [{key: one[key] for key in ("path", "dataChange", "deletionVector")} for one in added[4]]
    actions = [{"remove": {**one, "deletionTimestamp": 0}} for one in gone]
    commit(source.path, 5, *actions, *({"add": one} for one in added[3]))

    trial = migrate(spark, name, source.path, ", dry_run => true")
    assert [line[1] for line in trial if line[0] == "in the way"] == [
        f"deleted rows of {source.path}/{one['path']} are there again" for one in added[3]
    ]
    refused(spark, call(name, source.path), "DUCKLAKE_UNSUPPORTED", "Bringing back deleted rows")


def test_other_deleted_rows_in_place_of_some_are_in_the_way(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    """A RESTORE leaves as many rows deleted as there were, and not the same."""
    name = register(lake)
    table = Versions(deltas.table("restored"), tmp_path)
    table.show(8)
    migrate(spark, name, table.path)
    table.show(9)

    trial = migrate(spark, name, table.path, ", dry_run => true")

    assert [line[0] for line in trial if "are there again" in str(line[1])] == ["in the way"]
    refused(spark, call(name, table.path), "DUCKLAKE_UNSUPPORTED", "Bringing back deleted rows")


def test_files_that_were_written_again_are_followed(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    """Delta's connector writes INT96. A deletion vector is about the old file, and hits the new."""
    name = register(lake)
    source = Versions(deltas.table("stamped"), tmp_path)
    source.show(1)
    migrate(spark, name, source.path)
    source.show(2)
    trial = migrate(spark, name, source.path, ", dry_run => true")
    assert [line[0] for line in trial] == [
        "new data files",
        "rows in new data files",
        "data files to rewrite",
    ]
    assert migrate(spark, name, source.path) == trial
    source.show(3)

    lines = migrate(spark, name, source.path)

    assert [line[0] for line in lines] == ["new data files", "data files with other deletes"]
    last = max(row["snapshot_id"] for row in read_catalog(lake).rows("snapshot"))
    feed = f"ducklake_table_changes('lake', 'main', 't', {last}, {last})"
    changed = duckdb_rows(lake, f"SELECT change_type, id FROM {feed} ORDER BY id")
    assert changed == [("delete", id) for id in range(0, 21, 5)]
    with Peer(lake) as peer:
        peer.run("INSERT INTO t (id) VALUES (100)")
    source.show(source.newest)
    refused(spark, call(name, source.path), "DUCKLAKE_UNSUPPORTED", "the table since it moved")
