"""A second `migrate_from_iceberg` brings what the source has changed since the first."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg import types as ice
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.asking import refused
from support.catalogdb import read_catalog
from support.iceberg import IcebergTable, call, catalog, migrate, read_rows, texts
from support.icebergsteps import COLUMN_CHANGES, PLAIN, delete_ids, random_steps
from support.lakes import Lake
from support.peer import Peer
from support.sweep import FIRST_HISTORY, MOVED_HISTORIES

Register = Callable[..., str]
CHECKED = ", checksum => true"
Move = Callable[[str], list[Any]]

LONG, TEXT = ice.LongType(), ice.StringType()


def same(spark: SparkSession, lake: Lake, name: str, table: IcebergTable) -> None:
    """Both engines read from the lake what Iceberg's own reader reads from the source."""
    found = texts(duckdb_rows(lake))
    assert found == table.rows()
    assert texts(spark.table(f"{name}.main.t").collect()) == found


def snapshots(lake: Lake) -> int:
    return len(read_catalog(lake).rows("snapshot"))


def test_files_deletes_and_time_travel(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    first = table.append("a", [{"id": n} for n in range(5)])
    table.append("b", [{"id": n} for n in range(5, 8)])
    table.delete("p", [(first, 0)])
    migrate(spark, name, table.metadata)
    before = snapshots(lake)
    table.append("c", [{"id": n} for n in range(8, 11)])
    table.delete("q", [(first, 1)])
    delete_ids(table, "e", 5, 6, 7, 9)

    trial = migrate(spark, name, table.metadata, ", dry_run => true")
    lines = migrate(spark, name, table.metadata)

    assert trial == lines
    assert [(line[0], line[2]) for line in lines] == [
        ("new data files", 1),
        ("rows in new data files", 3),
        ("data files with other deletes", 2),
    ]
    assert snapshots(lake) == before + 1
    same(spark, lake, name, table)
    assert duckdb_rows(lake, "SELECT id FROM t ORDER BY id") == [(2,), (3,), (4,), (8,), (10,)]
    past = f"SELECT count(*) FROM t AT (VERSION => {before - 1})"
    assert duckdb_rows(lake, past) == [(7,)]
    feed = f"ducklake_table_changes('lake', 'main', 't', {before}, {before})"
    changed = duckdb_rows(lake, f"SELECT change_type, id FROM {feed} ORDER BY ALL")
    assert [row for row in changed if row[0] == "delete"] == [("delete", id) for id in (1, 5, 6, 7)]


def test_a_call_without_news_makes_no_snapshot(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("a", [{"id": 1}])
    migrate(spark, name, table.metadata)
    before = snapshots(lake)

    assert migrate(spark, name, table.metadata) == [("new data files", None, 0, 0)]
    delete_ids(table, "e", 99)
    lines = migrate(spark, name, table.metadata)
    assert [line[0] for line in lines] == ["new data files", "data files with other deletes"]

    assert snapshots(lake) == before
    table.append("b", [{"id": 2}])
    migrate(spark, name, table.metadata)
    same(spark, lake, name, table)


def test_an_empty_table_gets_its_first_rows(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    migrate(spark, name, table.metadata)
    table.append("a", [{"id": 1}])

    migrate(spark, name, table.metadata)

    same(spark, lake, name, table)


def test_columns(spark: SparkSession, lake: Lake, register: Register, tmp_path: Path) -> None:
    """Columns are added, renamed, dropped, widened and moved, within a struct, too."""
    name = register(lake)
    inner = ice.StructType(
        ice.NestedField(11, "x", ice.IntegerType(), required=False),
        ice.NestedField(12, "y", TEXT, required=False),
    )
    schema = Schema(
        ice.NestedField(1, "a", ice.IntegerType(), required=False),
        ice.NestedField(2, "b", TEXT, required=False),
        ice.NestedField(3, "f", ice.FloatType(), required=False),
        ice.NestedField(4, "s", inner, required=False),
        ice.NestedField(5, "m", ice.DecimalType(5, 2), required=False),
    )
    table = catalog(tmp_path).create_table("db.t", schema)

    def append(**row: object) -> None:
        table.append(pa.Table.from_pylist([row], schema_to_pyarrow(table.schema())))

    append(a=1, b="old", f=0.5, s={"x": 1, "y": "y"}, m=None)
    migrate(spark, name, table.metadata_location)
    with table.update_schema() as change:
        change.delete_column("b")
    with table.update_schema() as change:
        change.update_column("a", LONG)
        change.update_column("f", ice.DoubleType())
        change.update_column("m", ice.DecimalType(12, 2))
        change.rename_column("a", "b")
        change.add_column(("s", "z"), LONG)
        change.update_column(("s", "x"), LONG)
        change.rename_column(("s", "y"), "why")
        change.add_column("new", TEXT, doc="fresh")
        change.move_first("f")
    append(b=2**40, f=1e300, s={"x": 2**40, "why": "w", "z": 3}, new="n", m=None)

    lines = migrate(spark, name, table.metadata_location)

    assert [line[1] for line in lines if line[0] == "column"] == [
        "`b` is dropped",
        "`f` is float64, and was float32",
        "`a` is `b` now",
        "`b` is int64, and was int32",
        "`s.x` is int64, and was int32",
        "`s.y` is `s.why` now",
        "`s.z` is new",
        "`m` is decimal(12,2), and was decimal(5,2)",
        "`new` is new",
        "the columns have another order",
    ]
    expected = read_rows(table.metadata_location)
    assert duckdb_rows(lake) == expected
    mine = spark.table(f"{name}.main.t")
    assert mine.columns == ["f", "b", "s", "m", "new"]
    assert sorted((row.b, row.s.x, row.new) for row in mine.collect()) == [
        (1, 1, None),
        (2**40, 2**40, "n"),
    ]
    described = duckdb_rows(lake, "SELECT column_name FROM (DESCRIBE t)")
    assert [row[0] for row in described] == ["f", "b", "s", "m", "new"]


def test_files_that_compaction_replaced(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    paths = [table.append(f"f{n}", [{"id": n}]) for n in range(3)]
    migrate(spark, name, table.metadata)
    table.remove(*paths[:2])
    table.append("all", [{"id": 0}, {"id": 1}])

    lines = migrate(spark, name, table.metadata)

    assert ("ended data files", 2) in [(line[0], line[2]) for line in lines]
    same(spark, lake, name, table)


def test_partitions(spark: SparkSession, lake: Lake, register: Register, tmp_path: Path) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.set_key("ref", "name")
    table.append("x", [{"id": 1, "name": "x"}], table.partition_of("x"))
    migrate(spark, name, table.metadata)
    table.append("y", [{"id": 2, "name": "y"}], table.partition_of("y"))
    migrate(spark, name, table.metadata)
    same(spark, lake, name, table)
    assert duckdb_rows(lake, "SELECT id FROM t WHERE name = 'y'") == [(2,)]

    table.table.updateSpec().removeField("name").commit()

    refused(spark, call(name, table.metadata), "DUCKLAKE_UNSUPPORTED", "partition keys")


def test_a_bucket_key_that_was_left_behind_stays_behind(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Files that are older than the key were in its way, and go later."""
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    old = table.append("old", [{"id": 1}])
    table.set_key("bucket", "name", 4)
    table.append_divided([{"id": 2, "name": "x"}, {"id": 3, "name": None}])
    lines = migrate(spark, name, table.metadata)
    assert [line[0] for line in lines if "bucket" in str(line[1])] == ["partition key left behind"]
    table.remove(old)
    table.append_divided([{"id": 4, "name": "y"}], "g")

    trial = migrate(spark, name, table.metadata, ", dry_run => true")
    lines = migrate(spark, name, table.metadata)

    assert trial == lines
    assert [line[0] for line in lines if "bucket" in str(line[1])] == ["partition key left behind"]
    same(spark, lake, name, table)
    assert duckdb_rows(lake, "SELECT id FROM t WHERE name = 'y'") == [(4,)]


CHANGES = {
    "insert": "INSERT INTO t VALUES (100, 'x')",
    "delete": "DELETE FROM t WHERE id = 1",
    "column": "ALTER TABLE t ADD COLUMN c INTEGER",
    "rename": "ALTER TABLE t RENAME COLUMN name TO other",
}


@pytest.mark.parametrize(
    ("change", "engine"),
    [
        ("insert", "duckdb"),
        ("delete", "spark"),
        ("column", "duckdb"),
        ("insert", "expired"),
        ("delete", "expired"),
        ("rename", "expired"),
    ],
)
def test_a_table_that_the_lake_changed_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, change: str, engine: str
) -> None:
    """Also when the snapshot that changed it has expired."""
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("a", [{"id": 1}, {"id": 2}])
    migrate(spark, name, table.metadata)
    if engine == "spark":
        spark.sql(CHANGES[change].replace(" t ", f" {name}.main.t "))
    else:
        with Peer(lake) as peer:
            peer.run(CHANGES[change])
    if engine == "expired":
        spark.sql(f"CREATE TABLE {name}.main.other (id INT)")
        spark.sql(f"CALL {name}.system.expire_snapshots(older_than => now() + INTERVAL 1 DAY)")
    table.append("b", [{"id": 3}])

    refused(spark, call(name, table.metadata), "DUCKLAKE_UNSUPPORTED", "the table since it moved")
    lines = migrate(spark, name, table.metadata, ", dry_run => true")
    assert "in the way" in [line[0] for line in lines]


def test_other_tables_of_the_lake_may_change(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """So may the name of the table."""
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("a", [{"id": 1}])
    migrate(spark, name, table.metadata)
    spark.sql(f"CREATE TABLE {name}.main.other AS SELECT 1 AS x")
    spark.sql(f"ALTER TABLE {name}.main.t RENAME TO u")
    spark.sql(f"ALTER TABLE {name}.main.u RENAME TO t")
    spark.sql(f"CALL {name}.system.expire_snapshots(older_than => now() + INTERVAL 1 DAY)")
    table.append("b", [{"id": 2}])

    migrate(spark, name, table.metadata)

    same(spark, lake, name, table)


def test_other_histories_are_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("a", [{"id": 1}])
    past = table.table.currentSnapshot().snapshotId()
    table.append("b", [{"id": 2}])
    moved = table.table.currentSnapshot().snapshotId()
    migrate(spark, name, table.metadata)
    other = IcebergTable(spark, tmp_path / "other", PLAIN)
    refused(spark, call(name, other.metadata), "DUCKLAKE_UNSUPPORTED", "moved from another one")

    table.table.manageSnapshots().rollbackTo(past).commit()
    refused(spark, call(name, table.metadata), "DUCKLAKE_UNSUPPORTED", "rolled back")

    table.table.manageSnapshots().setCurrentSnapshot(moved).commit()
    table.append("c", [{"id": 3}])
    table.table.expireSnapshots().expireSnapshotId(moved).commit()
    refused(spark, call(name, table.metadata), "DUCKLAKE_UNSUPPORTED", "has expired there")


def test_a_column_that_the_lake_never_saw(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("a", [{"id": 1}])
    migrate(spark, name, table.metadata)
    text = table._iceberg.types.Types.StringType.get()
    table.table.updateSchema().addColumn("c", text).commit()
    table.table.updateSchema().deleteColumn("c").commit()

    refused(spark, call(name, table.metadata), "DUCKLAKE_UNSUPPORTED", "lost it again")


@pytest.mark.parametrize("seed", range(FIRST_HISTORY, FIRST_HISTORY + MOVED_HISTORIES))
def test_random_histories(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, seed: int
) -> None:
    """Files come and go, rows are deleted in each way, and columns change.

    The lake follows now and then.

    Iceberg's own reader, on its own and as the judge of each move, reads the same rows.
    """
    dice = random.Random(seed)
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    migrate(spark, name, table.metadata)
    for _ in random_steps(table, dice, 16, changes=COLUMN_CHANGES):
        if dice.random() < 0.4:
            migrate(spark, name, table.metadata, CHECKED)
            same(spark, lake, name, table)
    migrate(spark, name, table.metadata, CHECKED)
    same(spark, lake, name, table)
