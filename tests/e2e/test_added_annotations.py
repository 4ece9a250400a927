"""Registered files with annotations of types that DuckDB does not heed, or that it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.adding import add_by_duckdb, edit_footer, parquet
from support.asking import refused
from support.lakes import Lake
from support.peer import made

Register = Callable[..., str]

JSON = bytes.fromhex("180162 2526 4ccc000000")
"""The name `b`, the converted type and the logical type of a column in DuckDB's files."""
BSON = bytes.fromhex("180162 2528 5ccc000000")
"""Only the converted type, of BSON; no reader knows the field behind it."""
LOGICAL = bytes.fromhex("180162 6ccc000000")
"""Only the logical type."""


@pytest.mark.parametrize("kind", ["sqlite"])
@pytest.mark.parametrize(
    ("annotation", "column", "by_duckdb", "by_spark"),
    [
        (BSON, "BLOB", r"Unsupported converted type \(20\)", "BSON"),
        (BSON, None, r"Unsupported converted type \(20\)", "BSON"),
        (LOGICAL, "JSON", 'Expected type "JSON" but found type "BLOB"', "JSON"),
    ],
    ids=["bson", "bson-in-an-extra-column", "logical-type-alone"],
)
def test_the_engines_refuse_a_file(
    lake: Lake,
    register: Register,
    spark: SparkSession,
    tmp_path: Path,
    annotation: bytes,
    column: str | None,
    by_duckdb: str,
    by_spark: str,
) -> None:
    file = tmp_path / "b.parquet"
    parquet(file, "SELECT 1 AS a, '[2]'::JSON AS b")
    path = edit_footer(file, JSON, annotation)
    made(lake, f"CREATE TABLE t (a INT{f', b {column}' if column else ''})")

    with pytest.raises(duckdb.Error, match=by_duckdb):
        add_by_duckdb(lake, path, ", ignore_extra_columns => true")

    call = f"add_data_files('t', '{path}', ignore_extra_columns => true)"
    statement = f"CALL {register(lake)}.system.{call}"
    refused(spark, statement, "DUCKLAKE_CANNOT_ADD_FILE", "column `b`", by_spark)
