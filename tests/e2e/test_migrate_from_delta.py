"""`migrate_from_delta`: a table of Delta becomes one of the lake, its files where they are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.asking import refused
from support.catalogdb import read_catalog
from support.deltalog import write_table, z85
from support.deltasources import DeltaSources
from support.lakes import Lake
from support.lines import READ_SOURCES, since
from support.moving import bytes_below, same_in_both
from support.peer import Peer, literal

Register = Callable[..., str]


def call(lake: str, source: str, options: str = "") -> str:
    """The statement that moves a table to table `t`."""
    return f"CALL {lake}.system.migrate_from_delta({literal(source)}, 't'{options})"


def migrate(spark: SparkSession, lake: str, source: str, options: str = "") -> list[Any]:
    """The lines of a move to table `t`."""
    return [tuple(row) for row in spark.sql(call(lake, source, options)).collect()]


MOVED = (
    "types",
    "bare types",
    "partitioned",
    "instants",
    "mapped",
    "by ids",
    "upgraded",
    "widened",
    "checkpointed",
    "cloned",
    "evolved",
    "old calendar",
)
OPENED = {"checkpointed", "cloned", "restored"}
"""The tables whose log has a checkpoint, a Parquet file that Delta's Kernel opens."""


def tables(*names: str) -> list[Any]:
    """Parameters with the marks that they need."""
    return [
        pytest.param(name, marks=[since(READ_SOURCES)] if name in OPENED else []) for name in names
    ]


@pytest.mark.parametrize("table", tables(*MOVED))
def test_both_engines_read_what_delta_reads(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, table: str
) -> None:
    name = register(lake)
    before = bytes_below(deltas.table(table))
    shared = ", allow_shared_files => true" if table == "cloned" else ""

    migrate(spark, name, deltas.table(table), shared)

    same_in_both(spark, lake, name, deltas.expected(table))
    assert bytes_below(deltas.table(table)) == before


def test_a_dry_run_counts_what_would_be_rewritten_and_changes_nothing(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources
) -> None:
    """DuckDB reads INT96, which Spark writes for instants, as local times."""
    name = register(lake)
    files = list(Path(deltas.table("types")).glob("*.parquet"))
    size = sum(file.stat().st_size for file in files)
    before = read_catalog(lake).rows("snapshot")

    lines = migrate(spark, name, deltas.table("types"), ", dry_run => true")

    assert lines == [
        ("columns", None, 17, None),
        ("data files", None, 2, size),
        ("rows before deletes", None, 3, None),
        ("data files to rewrite", None, 2, size),
    ]
    assert read_catalog(lake).rows("snapshot") == before
    assert not [*lake.data_path.rglob("*.parquet")]


@pytest.mark.parametrize(
    ("table", "rewritten"),
    [("bare types", 0), ("partitioned", 0), ("mapped", 0), ("upgraded", 0), ("instants", 2)],
)
def test_files_stay_where_they_are(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    deltas: DeltaSources,
    table: str,
    rewritten: int,
) -> None:
    """Delta's connector writes instants as INT96, also those of partition columns."""
    name = register(lake)

    migrate(spark, name, deltas.table(table))

    files = read_catalog(lake).rows("data_file")
    assert sum(bool(row["path_is_relative"]) for row in files) == rewritten
    assert len(files) >= rewritten


def test_partition_columns_become_keys(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources
) -> None:
    name = register(lake)

    migrate(spark, name, deltas.table("partitioned"))

    query = "SELECT id FROM {}t WHERE d = DATE'2020-01-01' AND n = 1 AND p IS NULL"
    assert duckdb_rows(lake, query.format("")) == [(4,)]
    assert [row.id for row in spark.sql(query.format(f"{name}.main.")).collect()] == [4]
    spark.sql(f"INSERT INTO {name}.main.t (id, p, d) VALUES (9, 'x', DATE'2024-01-01')")
    assert duckdb_rows(lake, "SELECT p, d FROM t WHERE id = 9 AND p = 'x'")


@pytest.mark.parametrize("table", tables("mapped", "by ids", "checkpointed"))
def test_both_engines_change_a_moved_table(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, table: str
) -> None:
    """A later column does not bring back a dropped one; upkeep keeps the rows."""
    name = register(lake)
    migrate(spark, name, deltas.table(table))
    before = duckdb_rows(lake)

    with Peer(lake) as peer:
        peer.run("ALTER TABLE t ADD COLUMN old VARCHAR")
        peer.run("DELETE FROM t WHERE id = 1")
    spark.sql(f"CALL {name}.system.rewrite_data_files('t', delete_threshold => 0.0)")
    spark.sql(f"CALL {name}.system.merge_adjacent_files('t')")

    assert duckdb_rows(lake) == [(*row, None) for row in before if row[0] != 1]
    assert spark.table(f"{name}.main.t").count() == len(before) - 1


def test_definitions_are_refused_or_dropped_when_asked(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources
) -> None:
    name, source = register(lake), deltas.table("defined")

    lines = migrate(spark, name, source, ", dry_run => true")

    definitions = [
        "the generated column `twice`",
        "the identity column `number`",
        "the length of column `code`",
        "the CHECK constraint `positive`",
    ]
    assert [line[1] for line in lines if line[0] == "in the way"] == definitions
    refused(spark, call(name, source), "DUCKLAKE_UNSUPPORTED", "CHECK constraint `positive`")

    lines = migrate(spark, name, source, ", drop_unsupported => true")

    left = [line[1] for line in lines if line[0] == "left behind"]
    assert left == ["the clustering: set it by CLUSTER BY", *definitions]
    same_in_both(spark, lake, name, deltas.expected("defined"))
    assert [row.nullable for row in spark.table(f"{name}.main.t").schema][:2] == [False, True]


@pytest.mark.parametrize(
    ("table", "code", "word"),
    [
        ("variants", "DUCKLAKE_UNSUPPORTED", "column `v` has the type variant"),
        ("widened to doubles", "DUCKLAKE_CANNOT_ADD_FILE", "int32"),
    ],
)
def test_what_duckdb_cannot_read_is_refused(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    deltas: DeltaSources,
    table: str,
    code: str,
    word: str,
) -> None:
    name = register(lake)

    lines = migrate(spark, name, deltas.table(table), ", dry_run => true")

    assert any(line[0] == "in the way" and word in line[1] for line in lines)
    refused(spark, call(name, deltas.table(table)), code, word)
    assert spark.sql(f"SHOW TABLES IN {name}.main").count() == 0


def copied(deltas: DeltaSources, name: str, folder: Path) -> Path:
    """A copy of a table that a test may change; it has no checksums."""
    without = shutil.ignore_patterns("*.crc")
    return Path(shutil.copytree(deltas.table(name), folder / "copy", ignore=without))


def edit_log(table: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes all actions of a table's log, which has no checkpoint."""
    log = table / "_delta_log"
    for file in log.glob("*.json"):
        actions = [json.loads(line) for line in file.read_text().splitlines()]
        for action in actions:
            change(action)
        file.write_text("\n".join(map(json.dumps, actions)))


@since(READ_SOURCES)
def test_the_kernel_reads_no_old_calendar(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources
) -> None:
    """Delta's connector does, and the lake as it."""
    statement = call(register(lake), deltas.table("old calendar"), ", checksum => true")

    refused(spark, statement, "DUCKLAKE_CANNOT_ADD_FILE", "by the reader of its own format")


def test_an_unknown_feature_is_refused(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    def add(action: dict[str, Any]) -> None:
        if "protocol" in action:
            action["protocol"] |= {"minReaderVersion": 3, "minWriterVersion": 7}
            action["protocol"].setdefault("readerFeatures", []).append("teleport")
            action["protocol"].setdefault("writerFeatures", []).append("teleport")

    table = copied(deltas, "by ids", tmp_path)
    edit_log(table, add)

    refused(spark, call(register(lake), str(table)), "DUCKLAKE_UNSUPPORTED", "teleport")


def test_vectors_in_the_log(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    """A deletion vector may stand in the log, in the alphabet Z85."""
    table = copied(deltas, "by ids", tmp_path)

    def inline(action: dict[str, Any]) -> None:
        file_action = action.get("add") or action.get("remove") or {}
        vector = file_action.get("deletionVector")
        if vector:
            file = next(
                file
                for file in table.glob("deletion_vector_*.bin")
                if file.stat().st_size == vector["offset"] + vector["sizeInBytes"] + 8
            )
            start = vector["offset"] + 4
            bitmap = file.read_bytes()[start : start + vector["sizeInBytes"]]
            vector.update(storageType="i", pathOrInlineDv=z85(bitmap))
            del vector["offset"]

    edit_log(table, inline)
    for file in table.glob("deletion_vector_*.bin"):
        file.unlink()
    name = register(lake)

    migrate(spark, name, str(table))

    same_in_both(spark, lake, name, deltas.expected("by ids"))


@pytest.mark.parametrize(
    ("name", "rewritten"),
    [("partitioned", 0), ("instants", 1), ("mapped", 2), ("upgraded", 1)],
)
def test_partition_columns_that_are_not_in_the_files(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    deltas: DeltaSources,
    tmp_path: Path,
    name: str,
    rewritten: int,
) -> None:
    """Older writers leave them out. With column mapping the paths do not have the values, either.

    DuckDB reads an instant of a path in the time zone of its session.
    """
    table = copied(deltas, name, tmp_path)
    partition: list[str] = []

    def leave_out(action: dict[str, Any]) -> None:
        if "add" in action:
            partition[:] = action["add"]["partitionValues"]
            file = table / unquote(action["add"]["path"])
            rows = pq.ParquetFile(file).read()
            kept = [column for column in rows.column_names if column not in partition]
            pq.write_table(rows.select(kept), file)
            action["add"]["size"] = file.stat().st_size

    edit_log(table, leave_out)
    catalog = register(lake)

    lines = migrate(spark, catalog, str(table))

    assert sum(line[2] for line in lines if line[0] == "data files to rewrite") == rewritten
    assert partition
    same_in_both(spark, lake, catalog, deltas.expected(name))


def test_a_partition_value_that_the_path_does_not_have(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    """Paths are free in Delta: the log has the values, and so has the file here."""
    table = copied(deltas, "partitioned", tmp_path)

    def move(action: dict[str, Any]) -> None:
        if "add" in action and action["add"]["partitionValues"]["p"] == "007":
            (file,) = table.glob("p=007/**/*.parquet")
            file.rename(table / "moved.parquet")
            action["add"]["path"] = "moved.parquet"

    edit_log(table, move)
    name = register(lake)

    lines = migrate(spark, name, str(table))

    assert [line for line in lines if line[0] == "data files to rewrite"] == []
    same_in_both(spark, lake, name, deltas.expected("partitioned"))


def test_an_id_with_another_name_is_refused(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    """With the mode `id` a file may have other names than the log; by name it would be NULL."""
    table = copied(deltas, "by ids", tmp_path)

    def rename(action: dict[str, Any]) -> None:
        if "metaData" in action:
            schema = json.loads(action["metaData"]["schemaString"])
            for field in schema["fields"]:
                if field["name"] == "id":
                    field["metadata"]["delta.columnMapping.physicalName"] = "elsewhere"
            action["metaData"]["schemaString"] = json.dumps(schema)

    edit_log(table, rename)

    refused(spark, call(register(lake), str(table)), "DUCKLAKE_CANNOT_ADD_FILE", "field id")


def test_a_missing_file_leaves_the_lake_as_it_was(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, tmp_path: Path
) -> None:
    """The deletion vectors are read after files were rewritten."""
    name = register(lake)
    table = copied(deltas, "by ids", tmp_path)
    for file in table.glob("deletion_vector_*.bin"):
        file.unlink()
    before = read_catalog(lake).rows("snapshot")

    refused(spark, call(name, str(table)), "DUCKLAKE_UNREADABLE_FILE", "deletion_vector")

    assert read_catalog(lake).rows("snapshot") == before
    assert not [*lake.data_path.rglob("*.parquet")]


def test_a_file_belongs_to_one_table(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources
) -> None:
    name, source = register(lake), deltas.table("by ids")
    migrate(spark, name, source)

    spark.sql(f"ALTER TABLE {name}.main.t RENAME TO other")

    refused(spark, call(name, source), "DUCKLAKE_FILE_ALREADY_REGISTERED")


def test_a_file_without_a_count_of_rows(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Statistics are not required."""
    write_table(tmp_path / "t", [3, 1])
    name = register(lake)

    lines = migrate(spark, name, str(tmp_path / "t"))

    assert [line[0] for line in lines] == ["columns", "data files"]
    assert duckdb_rows(lake) == [(1,), (3,)]


@pytest.mark.parametrize("missing", ["metaData", "protocol"])
def test_a_log_that_describes_no_table(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, missing: str
) -> None:
    write_table(tmp_path / "t", [1])
    log = tmp_path / "t" / "_delta_log" / f"{0:020}.json"
    lines = log.read_text().splitlines()
    log.write_text("\n".join(line for line in lines if missing not in line))

    moved = call(register(lake), str(tmp_path / "t"))

    refused(spark, moved, "DUCKLAKE_INVALID_ARGUMENT", "that describes no table")


def test_a_folder_without_a_log(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    refused(spark, call(register(lake), str(tmp_path)), "DUCKLAKE_INVALID_ARGUMENT", "_delta_log")
