"""`migrate_from_iceberg` with `history => true`: snapshots of a table become those of a lake."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg import types as ice
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.table import StaticTable
from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.asking import refused
from support.catalogdb import read_catalog
from support.iceberg import IcebergTable, call, catalog, migrate, sorted_rows, texts
from support.icebergsteps import COLUMN_CHANGES, PLAIN, delete_ids, random_steps
from support.lakes import Lake
from support.sweep import FIRST_HISTORY, MOVED_HISTORIES

Register = Callable[..., str]

WITH = ", history => true"


def brought(lake: Lake) -> dict[int, int]:
    """The snapshots of the lake, by those of the source of which they have the rows."""
    rows = read_catalog(lake).rows("snapshot_changes")
    told = {row["snapshot_id"]: row["commit_extra_info"] for row in rows}
    return {
        int(text.split()[1]): number
        for number, text in told.items()
        if text and text.startswith("snapshot ")
    }


def moment(millis: int) -> str:
    return dt.datetime.fromtimestamp(millis / 1000, dt.UTC).isoformat(timespec="milliseconds")


def same_history(
    spark: SparkSession, lake: Lake, name: str, table: IcebergTable, *, is_cut: bool = False
) -> None:
    """Both engines read each snapshot by its number, and by its time, as Iceberg's reader does.

    Of a history that is cut, older snapshots have not come.
    """
    found = brought(lake)
    last = 0
    for snapshot, millis in table.history():
        last = found.get(snapshot, last)
        if is_cut and last == 0:
            continue
        expected = table.rows(snapshot)
        assert texts(duckdb_rows(lake, f"FROM t AT (VERSION => {last})")) == expected
        mine = spark.sql(f"SELECT * FROM {name}.main.t VERSION AS OF {last}")
        assert texts(mine.collect()) == expected
        by_time = duckdb_rows(lake, f"FROM t AT (TIMESTAMP => '{moment(millis)}')")
        assert texts(by_time) == table.rows(table.at(millis))
    assert texts(duckdb_rows(lake)) == table.rows()


def test_files_and_deletes(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    first = table.append("a", [{"id": n} for n in range(5)])
    second = table.append("b", [{"id": n} for n in range(5, 8)])
    table.delete("p", [(first, 0)])
    table.delete("q", [(first, 1)])
    delete_ids(table, "e", 5, 6, 7)
    table.append("c", [{"id": 9}])
    table.remove(second)  # which has no rows any more: no snapshot
    trial = migrate(spark, name, table.metadata, f"{WITH}, dry_run => true")
    assert len(read_catalog(lake).rows("snapshot")) == 1

    lines = migrate(spark, name, table.metadata, WITH)

    assert lines == trial
    assert len([line for line in lines if line[0] == "version"]) == 7
    same_history(spark, lake, name, table)
    rows = {row["snapshot_id"]: row for row in read_catalog(lake).rows("snapshot_changes")}
    messages = [row["commit_message"] for _, row in sorted(rows.items())]
    assert messages == [None, "append", "append", "delete", "delete", "delete", "append"]
    gone = {3: [0], 4: [1], 5: [5, 6, 7]}
    for number, deleted in gone.items():
        feed = f"ducklake_table_changes('lake', 'main', 't', {number}, {number})"
        changed = duckdb_rows(lake, f"SELECT change_type, id FROM {feed} ORDER BY ALL")
        assert changed == [("delete", id) for id in deleted]
    ours = spark.sql(f"CALL {name}.system.table_changes('main', 't', 3, 6)")
    assert sorted((row.snapshot_id, row.change_type, row.id) for row in ours.collect()) == [
        *[(number, "delete", id) for number, deleted in gone.items() for id in deleted],
        (6, "insert", 9),
    ]
    times = [row["snapshot_time"] for row in read_catalog(lake).rows("snapshot")]
    assert len(set(times)) == 7


def test_the_table_can_be_followed_and_written_after(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("a", [{"id": 1}])
    table.append("b", [{"id": 2}])
    migrate(spark, name, table.metadata, WITH)
    table.append("c", [{"id": 3}])

    migrate(spark, name, table.metadata)

    assert texts(duckdb_rows(lake)) == table.rows()
    before = "SELECT id FROM t AT (VERSION => 2) ORDER BY ALL"
    assert duckdb_rows(lake, before) == [(1,), (2,)]
    spark.sql(f"INSERT INTO {name}.main.t VALUES (4, 'd')")
    assert duckdb_rows(lake, "SELECT id FROM t ORDER BY id") == [(1,), (2,), (3,), (4,)]
    assert duckdb_rows(lake, before) == [(1,), (2,)]
    again = call(name, table.metadata, WITH)
    refused(spark, again, "DUCKLAKE_UNSUPPORTED", "it has moved before")


def test_columns(spark: SparkSession, lake: Lake, register: Register, tmp_path: Path) -> None:
    """Each snapshot has the columns of its time; those that no snapshot has come with the move."""
    name = register(lake)
    table = catalog(tmp_path).create_table("db.t", PLAIN)

    def append(**row: object) -> None:
        table.append(pa.Table.from_pylist([row], schema_to_pyarrow(table.schema())))

    append(id=1, name="a")
    with table.update_schema() as change:
        change.rename_column("name", "label")
        change.add_column("n", ice.IntegerType())
    append(id=2, label="b", n=7)
    with table.update_schema() as change:
        change.update_column("n", ice.LongType())
        change.delete_column("label")
        change.move_first("n")
    append(id=3, n=2**40)
    with table.update_schema() as change:
        change.add_column("late", ice.StringType())

    migrate(spark, name, table.metadata_location, WITH)

    found = brought(lake)
    assert list(found.values()) == [1, 2, 3]
    source = StaticTable.from_metadata(table.metadata_location)
    for snapshot, number in found.items():
        expected = source.scan(snapshot_id=snapshot).to_arrow()
        query = f"FROM t AT (VERSION => {number}) ORDER BY ALL"
        assert duckdb_rows(lake, query) == sorted_rows(expected)
        mine = spark.sql(f"SELECT * FROM {name}.main.t VERSION AS OF {number}")
        assert mine.columns == expected.column_names
        assert len(mine.collect()) == expected.num_rows
    newest = spark.table(f"{name}.main.t")
    assert newest.columns == ["n", "id", "late"]
    assert duckdb_rows(lake) == sorted_rows(source.scan().to_arrow())


def test_a_history_that_expired_begins_later(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("a", [{"id": 1}])
    gone = table.table.currentSnapshot().snapshotId()
    table.append("b", [{"id": 2}])
    table.append("c", [{"id": 3}])
    table.table.expireSnapshots().expireSnapshotId(gone).commit()

    lines = migrate(spark, name, table.metadata, WITH)

    begins = f"snapshot {gone}, which is before it, has expired"
    assert ("the history begins there", begins, 1, None) in lines
    assert len(brought(lake)) == 2
    same_history(spark, lake, name, table)


@pytest.mark.parametrize("version", [2, 3])
def test_a_history_that_went_back(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, version: int
) -> None:
    """Files and deleted rows come back: these files are copied."""
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN, version=version)
    first = table.append("a", [{"id": n} for n in range(5)])
    second = table.append("b", [{"id": n} for n in range(5, 8)])
    past = table.table.currentSnapshot().snapshotId()
    table.delete_positions("p", [(first, 0), (second, 1)])
    delete_ids(table, "e", 4)
    table.remove(second)
    table.go_back_to(past)
    table.delete_positions("q", [(first, 2), (second, 2)])
    table.append("c", [{"id": 9}])
    trial = migrate(spark, name, table.metadata, f"{WITH}, dry_run => true")

    lines = migrate(spark, name, table.metadata, WITH)

    assert lines == trial
    rewritten = [line for line in lines if line[0] == "data files to rewrite"]
    assert [line[2] for line in rewritten] == [2]
    assert not [line for line in lines if line[0] == "the history begins there"]
    same_history(spark, lake, name, table)


def test_keys_that_have_changed(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """The table has the newest keys from the beginning; files of older keys have no values."""
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("old", [{"id": n, "name": "x"} for n in range(4)])
    table.set_key("ref", "name")
    table.append_divided([{"id": n, "name": f"n{n % 3}"} for n in range(10, 20)])
    delete_ids(table, "e", 1, 11)
    table.remove(*list(table.files)[1:2])

    migrate(spark, name, table.metadata, WITH)

    same_history(spark, lake, name, table)
    assert duckdb_rows(lake, "SELECT id FROM t WHERE name = 'n2' ORDER BY id") == [(14,), (17,)]


@pytest.mark.parametrize("seed", range(FIRST_HISTORY, FIRST_HISTORY + MOVED_HISTORIES))
def test_random_histories(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, seed: int
) -> None:
    """Files come and go, rows are deleted in each way, columns and keys change.

    The table is set back now and then.
    """
    dice = random.Random(seed)
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN, version=2 + seed % 2)
    changes = (*COLUMN_CHANGES, "drop", "key")
    for _ in random_steps(table, dice, 16, goes_back=True, changes=changes):
        pass

    lines = migrate(spark, name, table.metadata, WITH)

    begins = [detail for what, detail, *_ in lines if what == "the history begins there"]
    assert all("its partition keys were others" in detail for detail in begins)
    same_history(spark, lake, name, table, is_cut=bool(begins))
