"""Parquet files that DuckDB 2.0 wrote: columns and groups that are REQUIRED, and its new types."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.catalogdb import execute, read_catalog
from support.compare import arrow_table, unordered_differences
from support.expected import Column
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, literal
from support.raising import raise_to_11

Register = Callable[..., str]

FOLDER = Path(__file__).parent.parent / "compat" / "duckdb-2.0"
RECORDED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text())
BY_BOTH = ("required", "optional", "nested", "clocks", "variant")


def columns(name: str) -> list[Column]:
    """The columns of a file by DuckDB 2.0."""
    return [Column(column, kind) for column, kind in RECORDED[name]["columns"]]


def in_place(lake: Lake, name: str) -> None:
    """Make a lake whose table `t` has the file in place of the one that DuckDB 1.5.5 wrote."""
    source = FOLDER / f"{name}.parquet"
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(f"CREATE TABLE t AS FROM read_parquet({literal(str(source))})")
    (file,) = lake.data_path.rglob("*.parquet")
    shutil.copyfile(source, file)
    data = source.read_bytes()
    (footer,) = struct.unpack_from("<I", data, len(data) - 8)
    execute(
        lake,
        f"UPDATE ducklake_data_file SET file_size_bytes = {len(data)}, footer_size = {footer}",
        "DELETE FROM ducklake_file_column_stats",
        "DELETE FROM ducklake_table_column_stats",
    )


@pytest.mark.parametrize("name", BY_BOTH)
def test_a_file_of_a_lake_is_read_and_merged(
    spark: SparkSession, lakes: LakeFactory, register: Register, name: str
) -> None:
    lake = lakes.new("sqlite")
    in_place(lake, name)
    catalog = register(lake, IN_FILES)
    query = f"SELECT * FROM {catalog}.t"
    recorded = RECORDED[name]["rows"]

    assert unordered_differences(columns(name), recorded, arrow_table(spark.sql(query))) == []

    spark.sql(f"INSERT INTO {catalog}.t {query}")
    assert unordered_differences(columns(name), recorded * 2, arrow_table(spark.sql(query))) == []
    if name not in ("required", "clocks"):
        merged = rows(spark, f"CALL {catalog}.system.merge_adjacent_files('t')")
        assert merged, "the two files are merged"
        table = arrow_table(spark.sql(query))
        assert unordered_differences(columns(name), recorded * 2, table) == []
        with Peer(lake) as peer:
            assert peer.value("SELECT count(*) FROM t") == 2 * len(recorded)


@pytest.mark.parametrize("name", ["required", "optional", "nested"])
def test_a_file_is_registered(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path, name: str
) -> None:
    lake = lakes.new("sqlite")
    file = tmp_path / "file.parquet"
    shutil.copyfile(FOLDER / f"{name}.parquet", file)
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t AS FROM read_parquet({literal(str(file))}) LIMIT 0")
    catalog = register(lake)

    spark.sql(f"CALL {catalog}.system.add_data_files('t', '{file}')")

    table = arrow_table(spark.sql(f"SELECT * FROM {catalog}.t"))
    assert unordered_differences(columns(name), RECORDED[name]["rows"], table) == []
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM t") == len(RECORDED[name]["rows"])


def test_new_types_are_read_and_never_spoiled(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    in_place(lake, "fine")
    kinds = {"instant": "timestamptz_ns", "nothing": "null"}
    execute(
        lake,
        *(
            f"UPDATE ducklake_column SET column_type = '{kind}' WHERE column_name = '{name}'"
            for name, kind in kinds.items()
        ),
    )
    catalog = register(lake, IN_FILES)

    assert spark.table(f"{catalog}.t").dtypes == [
        ("id", "int"),
        ("instant", "timestamp"),
        ("nothing", "void"),
    ]
    read = "SELECT id, unix_micros(instant), nothing FROM {table} ORDER BY id"
    table = f"{catalog}.t"
    assert rows(spark, read.format(table=table)) == [(0, -1, None), (1, 0, None), (2, 1, None)]
    assert rows(spark, f"SELECT id FROM {table} WHERE instant < timestamp_micros(0)") == [(0,)]
    assert rows(spark, f"SELECT count(*) FROM {table} WHERE nothing IS NULL") == [(3,)]
    refused(spark, f"UPDATE {table} SET id = 9 WHERE id = 0", "DUCKLAKE_UNSUPPORTED", "`instant`")

    spark.sql(f"INSERT INTO {table} VALUES (3, timestamp_micros(7), NULL)")
    spark.sql(f"UPDATE {table} SET id = 4 WHERE id = 3")
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    assert rows(spark, read.format(table=table)) == [(0, -1, None), (2, 1, None), (4, 7, None)]
    refused(
        spark,
        f"CREATE TABLE {catalog}.u (i TIMESTAMP) "
        "TBLPROPERTIES ('ducklake.type.i' = 'timestamptz_ns')",
        "DUCKLAKE_UNSTORABLE_TYPE",
        "DuckDB 2.0",
    )


def test_files_with_instants_in_nanoseconds_are_registered(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (i TIMESTAMPTZ)", "CREATE TABLE u (i TIMESTAMPTZ)")
    execute(lake, "UPDATE ducklake_column SET column_type = 'timestamptz_ns' WHERE table_id = 1")
    raise_to_11(lake)
    kind = pa.timestamp("ns", tz="UTC")
    for name, unit in (("nanos", kind), ("same", kind), ("micros", pa.timestamp("us", tz="UTC"))):
        table = pa.table({"i": pa.array([-1500, None, 2000], kind).cast(unit, safe=False)})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    catalog = register(lake)

    spark.sql(f"CALL {catalog}.system.add_data_files('t', '{tmp_path}/nanos.parquet')")

    read = f"SELECT unix_micros(i) FROM {catalog}.t ORDER BY 1"
    assert rows(spark, read) == [(None,), (-2,), (2,)]
    early = f"SELECT count(*) FROM {catalog}.t WHERE i < timestamp_micros(-1)"
    assert rows(spark, early) == [(1,)]
    (known,) = read_catalog(lake).rows("file_column_stats")
    assert (known["min_value"], known["max_value"]) == (
        "1969-12-31 23:59:59.9999985+00",
        "1970-01-01 00:00:00.000002+00",
    )
    coarse = f"CALL {catalog}.system.add_data_files('t', '{tmp_path}/micros.parquet')"
    refused(spark, coarse, "DUCKLAKE_CANNOT_ADD_FILE", "`i`")
    spark.sql(f"CALL {catalog}.system.add_data_files('u', '{tmp_path}/same.parquet')")
    assert rows(spark, f"SELECT count(i) FROM {catalog}.u") == [(2,)]
