"""Sources whose files may belong to somebody else: the lake's upkeep would delete rows there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyiceberg import types as ice
from pyiceberg.schema import Schema
from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.asking import refused
from support.catalogdb import read_catalog
from support.deltalog import append, write_table
from support.exported import export
from support.iceberg import IcebergTable
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import literal, made

Register = Callable[..., str]

ALLOWED = ", allow_shared_files => true"
SCHEMA = Schema(ice.NestedField(1, "id", ice.LongType(), required=False))


def call(lake: str, format: str, source: object, options: str = "") -> str:
    """The statement that moves a table to table `t`."""
    return f"CALL {lake}.system.migrate_from_{format}({literal(str(source))}, 't'{options})"


def in_the_way(spark: SparkSession, statement: str) -> list[str]:
    """What a dry run says of it."""
    return [row.detail for row in spark.sql(statement).collect() if row.what == "in the way"]


@pytest.mark.parametrize(
    ("value", "options"), [("false", ""), ("false", ", history => true"), ("no", "")]
)
def test_a_table_of_iceberg_that_nobody_may_sweep(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, value: str, options: str
) -> None:
    """As Iceberg's procedure `snapshot` makes it, over the files of another table."""
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", SCHEMA)
    table.append("a", [{"id": 1}, {"id": 2}])
    table.table.updateProperties().set("gc.enabled", value).commit()
    plain = call(name, "iceberg", table.metadata, options)
    trial = call(name, "iceberg", table.metadata, options + ", dry_run => true")

    (why,) = in_the_way(spark, trial)
    assert "gc.enabled = false" in why
    assert "allow_shared_files => true" in why
    refused(spark, plain, "DUCKLAKE_UNSUPPORTED", "gc.enabled = false")
    assert in_the_way(spark, trial.replace(options, options + ALLOWED, 1)) == []
    assert len(read_catalog(lake).rows("snapshot")) == 1

    spark.sql(call(name, "iceberg", table.metadata, options + ALLOWED))

    assert duckdb_rows(lake) == [(1,), (2,)]


def test_a_property_that_allows_sweeping_is_no_hindrance(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = IcebergTable(spark, tmp_path / "ice", SCHEMA)
    table.append("a", [{"id": 1}])
    table.table.updateProperties().set("gc.enabled", "true").commit()

    spark.sql(call(register(lake), "iceberg", table.metadata))

    assert duckdb_rows(lake) == [(1,)]


def test_files_outside_of_the_folder_of_a_table_of_delta(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """As a shallow clone has them. Absolute paths below the folder are its own, also later ones."""
    name = register(lake)
    source = tmp_path / "in"
    write_table(source, [1])
    append(source, 1, [2], f"{source}/own.parquet")
    spark.sql(call(name, "delta", source))
    append(source, 2, [3], f"{tmp_path}/other.parquet")

    (why,) = in_the_way(spark, call(name, "delta", source, ", dry_run => true"))

    assert why.startswith("1 data files outside of its folder")
    refused(spark, call(name, "delta", source), "DUCKLAKE_UNSUPPORTED", "outside of its folder")
    assert duckdb_rows(lake) == [(1,), (2,)]
    spark.sql(call(name, "delta", source, ALLOWED))
    assert duckdb_rows(lake) == [(1,), (2,), (3,)]


@pytest.mark.parametrize("format", ["delta", "iceberg"])
@pytest.mark.parametrize("options", ["", ALLOWED, ALLOWED + ", history => true"])
def test_an_export_does_not_move_into_another_lake(
    spark: SparkSession,
    lake: Lake,
    lakes: LakeFactory,
    register: Register,
    tmp_path: Path,
    format: str,
    options: str,
) -> None:
    """Nor into its own, whatever the call allows: two tables would own each file."""
    made(lake, "CREATE TABLE t AS SELECT i AS id FROM range(100) r(i)")
    name = register(lake, IN_FILES)
    export(spark, format, name, tmp_path / "out")
    made(lake, "DELETE FROM t WHERE id < 5", "INSERT INTO t FROM range(5)")
    export(spark, format, name, tmp_path / "out", ", flush => true")
    other = lakes.new("sqlite")

    for target in (register(other), name):
        statement = call(target, format, tmp_path / "out", options).replace("'t'", "'moved'")
        refused(spark, statement, "DUCKLAKE_UNSUPPORTED", "it is the export of a lake")

    assert len(read_catalog(other).rows("data_file")) == 0
