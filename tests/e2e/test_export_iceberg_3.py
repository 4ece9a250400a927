"""`export_iceberg` with `format_version => 3`: deletion vectors and nanoseconds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ducklake_spark as dl
from pyspark.sql import SparkSession

from support.asking import refused
from support.exported import (
    delete_files,
    export,
    iceberg_by_duckdb,
    lake_rows,
    metadata,
    same_in_iceberg,
)
from support.lakes import IN_FILES, Lake
from support.peer import made

Register = Callable[..., str]

THIRD = ", format_version => 3"


def test_vectors_that_stay_are_not_written_again(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(
        lake,
        "CREATE TABLE t AS SELECT i AS id FROM range(20) r(i)",
        "INSERT INTO t SELECT i FROM range(100, 120) r(i)",
        "DELETE FROM t WHERE id = 5",
        "DELETE FROM t WHERE id = 105",
    )
    export(spark, "iceberg", name, tmp_path, THIRD)
    assert delete_files(tmp_path) == {".puffin": 2}
    made(lake, "DELETE FROM t WHERE id = 106")

    export(spark, "iceberg", name, tmp_path, THIRD)

    same_in_iceberg(tmp_path, lake_rows(lake))
    assert delete_files(tmp_path) == {".puffin": 3}


def test_row_ids_of_the_lake_and_of_iceberg_differ(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Files have those of the lake where Iceberg looks for its own, and the snapshots as well."""
    name = register(lake, IN_FILES)
    made(lake, "CREATE TABLE t AS SELECT i AS id FROM range(20) r(i)")
    snapshot = made(lake, "UPDATE t SET id = 100 + id WHERE id < 5")

    export(spark, "iceberg", name, tmp_path, THIRD)
    first = json.loads(metadata(tmp_path).read_text())
    made(lake, "INSERT INTO t VALUES (7)")
    export(spark, "iceberg", name, tmp_path, f"{THIRD}, version => '{snapshot - 1}'")
    second = json.loads(metadata(tmp_path).read_text())

    assert first["last-sequence-number"] == snapshot
    assert [one["first-row-id"] for one in first["snapshots"]] == [2**52]
    assert first["next-row-id"] == 2**52 + 25
    assert second["last-sequence-number"] == snapshot + 1
    assert second["snapshots"][1]["first-row-id"] == first["next-row-id"]
    same_in_iceberg(tmp_path, lake_rows(lake, snapshot), 1)
    same_in_iceberg(tmp_path, lake_rows(lake, snapshot - 1), 2)


def test_a_table_becomes_one_of_format_3_and_stays_it(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Position delete files stay until their data files lose more rows."""
    name = register(lake, IN_FILES)
    made(
        lake,
        "CREATE TABLE t AS SELECT i AS id FROM range(20) r(i)",
        "INSERT INTO t SELECT i FROM range(100, 120) r(i)",
        "DELETE FROM t WHERE id IN (5, 105)",
    )
    export(spark, "iceberg", name, tmp_path)
    first = lake_rows(lake)

    upgraded = export(spark, "iceberg", name, tmp_path, THIRD)
    made(lake, "DELETE FROM t WHERE id = 6")
    export(spark, "iceberg", name, tmp_path)

    assert upgraded["version"][1] == 2
    assert delete_files(tmp_path) == {".parquet": 2, ".puffin": 1}
    for version, rows in enumerate((first, first, lake_rows(lake)), 1):
        same_in_iceberg(tmp_path, rows, version)
        text = metadata(tmp_path, version).read_text()
        assert json.loads(text)["format-version"] == min(version + 1, 3)


def test_nanoseconds(spark: SparkSession, lake: Lake, register: Register, tmp_path: Path) -> None:
    made(
        lake,
        "CREATE TABLE t (id INTEGER, ts TIMESTAMP_NS, s STRUCT(x TIMESTAMP_NS))",
        "INSERT INTO t VALUES (1, '2020-01-01 00:00:00.123456789', {'x': NULL}), (2, NULL, NULL)",
        "INSERT INTO t VALUES (3, '1969-12-31 23:59:59.999999999', {'x': '2021-01-01'})",
    )
    name = register(lake)
    refused(
        spark,
        f"CALL {name}.system.export_iceberg('t', '{tmp_path}')",
        "DUCKLAKE_UNSUPPORTED",
        "column `ts` has the type timestamp_ns",
    )

    export(spark, "iceberg", name, tmp_path, THIRD)

    same_in_iceberg(tmp_path, lake_rows(lake))


def test_iceberg_s_own_library_reads_it(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """By its generic reader, with the deletion vectors."""
    made(
        lake,
        "CREATE TABLE t AS SELECT i AS id, 'n' || i AS name FROM range(100) r(i)",
        "DELETE FROM t WHERE id % 7 = 3",
    )
    found = dl.Lake(spark, register(lake, IN_FILES))
    trial = found.table("t").export_iceberg(str(tmp_path), format_version=3, dry_run=True)
    assert ("readers need", "format 3") in [(line.what, line.detail) for line in trial.collect()]

    found.export_iceberg("t", str(tmp_path), format_version=3)

    assert iceberg_by_duckdb(tmp_path) == lake_rows(lake)
    assert sorted(generic_rows(spark, metadata(tmp_path))) == lake_rows(lake)


def generic_rows(spark: SparkSession, file: Path) -> list[tuple[int, str]]:
    """The rows of a table with the columns `id` and `name`, by Iceberg's generic reader."""
    context: Any = spark.sparkContext
    iceberg = context._jvm.org.apache.iceberg
    files = iceberg.hadoop.HadoopFileIO(context._jsc.hadoopConfiguration())
    table = iceberg.BaseTable(iceberg.StaticTableOperations(str(file), files), "t")
    records = iceberg.data.IcebergGenerics.read(table).build().iterator()
    rows = []
    while records.hasNext():
        record = records.next()
        rows.append((record.getField("id"), record.getField("name")))
    return rows


def test_other_formats_are_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (id INTEGER)")
    call = f"CALL {register(lake)}.system.export_iceberg('t', '{tmp_path}', format_version => 1)"

    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "can only be 2 or 3, not 1")
    assert list(tmp_path.iterdir()) == []
