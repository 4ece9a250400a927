"""Geometries that are no well-known binary, or not in DuckDB's form of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.adding import add_by_duckdb, duckdb_rows, parquet
from support.asking import refused, rows
from support.lakes import IN_FILES, Lake
from support.lines import GEOMETRY_WRITES, since
from support.peer import made

Register = Callable[..., str]

POINT = bytes.fromhex("0101000000000000000000f03f0000000000000040")
BIG_ENDIAN = bytes.fromhex("00000000013ff00000000000004000000000000000")
NO_SHAPE = bytes.fromhex("0109000000000000000000f03f0000000000000040")


def native(file: Path, stored: bytes) -> str:
    """A file with Parquet's own type for geometries, and these bytes in place of a point's."""
    options = "geoparquet_version 'NONE', compression uncompressed, dictionary_size_limit 1"
    path = parquet(file, "SELECT 'POINT (1 2)'::GEOMETRY AS g", options)
    content = file.read_bytes()
    assert content.count(POINT) == 1
    file.write_bytes(content.replace(POINT, stored))
    return path


@pytest.mark.parametrize("kind", ["sqlite"])
def test_registered_geometries_are_those_of_duckdb(
    lake: Lake, register: Register, spark: SparkSession, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (g GEOMETRY)")
    table = f"{register(lake)}.t"
    add_by_duckdb(lake, native(tmp_path / "big.parquet", BIG_ENDIAN))

    assert duckdb_rows(lake) == [(POINT,)]
    assert [bytes(g) for (g,) in rows(spark, f"SELECT g FROM {table}")] == [POINT]

    add_by_duckdb(lake, native(tmp_path / "none.parquet", NO_SHAPE))

    with pytest.raises(duckdb.Error, match="Unsupported geometry type in WKB"):
        duckdb_rows(lake)
    refused(spark, f"SELECT g FROM {table}", "DUCKLAKE_INVALID_VALUE", "`g`", "X'0109000000")


@since(GEOMETRY_WRITES)
@pytest.mark.parametrize("kind", ["sqlite"])
def test_written_geometries_are_those_of_duckdb(
    lake: Lake, register: Register, spark: SparkSession
) -> None:
    made(lake, "CREATE TABLE t (g GEOMETRY)")
    table = f"{register(lake, IN_FILES)}.t"

    insert = f"INSERT INTO {table} VALUES (X'{NO_SHAPE.hex()}')"
    refused(spark, insert, "DUCKLAKE_INVALID_VALUE", "`g`", "X'0109000000", "well-known binary")
    spark.sql(f"INSERT INTO {table} VALUES (X'{BIG_ENDIAN.hex()}'), (NULL)")

    assert duckdb_rows(lake) == [(POINT,), (None,)]
    assert {g and bytes(g) for (g,) in rows(spark, f"SELECT g FROM {table}")} == {POINT, None}


@pytest.mark.parametrize("kind", ["sqlite"])
def test_geoparquet_is_no_blob(
    lake: Lake, register: Register, spark: SparkSession, tmp_path: Path
) -> None:
    select = "SELECT 'POINT (1 2)'::GEOMETRY AS g"
    file = parquet(tmp_path / "geo.parquet", select, "geoparquet_version 'V1'")
    made(lake, "CREATE TABLE t (g BLOB)", "CREATE TABLE u (g BLOB)")

    call = f"CALL {register(lake)}.system.add_data_files('u', '{file}')"
    refused(spark, call, "DUCKLAKE_CANNOT_ADD_FILE", "`g`")

    add_by_duckdb(lake, file)
    with pytest.raises(duckdb.Error, match='failed to cast column "g" from type GEOMETRY'):
        duckdb_rows(lake)
