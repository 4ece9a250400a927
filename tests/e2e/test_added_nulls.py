"""Added files with columns of Parquet's NULL type, as pandas writes columns without values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from support.adding import add_by_spark, duckdb_rows
from support.asking import refused, rows
from support.lakes import Lake, LakeFactory
from support.peer import Peer, made

Register = Callable[..., str]

TYPES = [
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"),
    *("UINTEGER", "UBIGINT", "FLOAT", "DOUBLE", "DECIMAL(9,2)", "DECIMAL(30,2)", "VARCHAR", "BLOB"),
    *("DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
    *("UUID", "INTERVAL", "JSON", "TIMETZ", "VARIANT", "GEOMETRY"),
    *("INTEGER[]", "VARCHAR[]", "STRUCT(a INTEGER)", "MAP(VARCHAR, INTEGER)"),
]


def file_of(folder: Path, **columns: pa.Array) -> str:
    """A file with the column `i` of 1 and 2, and these columns."""
    path = folder / "nulls.parquet"
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.table({"i": pa.array([1, 2]), **columns}), path)
    return str(path)


def test_every_nullable_column_takes_the_null_type(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("duckdb")
    names = [f"c{n}" for n in range(len(TYPES))]
    declared = ", ".join(f"{name} {kind}" for name, kind in zip(names, TYPES, strict=True))
    made(lake, f"CREATE TABLE t (i BIGINT, {declared})")
    catalog = register(lake)

    path = file_of(tmp_path / "f", **{name: pa.nulls(2) for name in names})
    assert add_by_spark(spark, catalog, path) == [path]

    all_null = " AND ".join(f"{name} IS NULL" for name in names)
    any_value = " OR ".join(f"{name} IS NOT NULL" for name in names)
    for condition, found in ((all_null, [(1,), (2,)]), (any_value, [])):
        query = f"SELECT i FROM {{}} WHERE {condition} ORDER BY i"
        assert rows(spark, query.format(f"{catalog}.t")) == found
        assert duckdb_rows(lake, query.format("t")) == found
    nothing = (None,) * len(names)
    assert rows(spark, f"SELECT * FROM {catalog}.t ORDER BY i") == [(1, *nothing), (2, *nothing)]
    assert duckdb_rows(lake) == [(1, *nothing), (2, *nothing)]
    spark.sql(f"UPDATE {catalog}.t SET c3 = 5 WHERE i = 1")
    assert duckdb_rows(lake, "SELECT i, c3 FROM t ORDER BY i") == [(1, 5), (2, None)]


def test_elements_and_fields_of_the_null_type(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (i BIGINT, l VARCHAR[], s STRUCT(a VARCHAR, b DATE[], c INTEGER))")
    catalog = register(lake)
    kind = pa.struct([("a", pa.null()), ("b", pa.null()), ("c", pa.int32())])
    path = file_of(
        tmp_path / "f",
        l=pa.array([[], [None]], pa.list_(pa.null())),
        s=pa.array([{"a": None, "b": None, "c": 3}, None], kind),
    )

    add_by_spark(spark, catalog, path)

    shown = rows(spark, f"SELECT i, l, s.a, s.b, s.c, s IS NULL FROM {catalog}.t ORDER BY i")
    assert shown == [(1, [], None, None, 3, False), (2, [None], None, None, None, True)]
    with Peer(lake) as peer:
        answer = peer.rows("SELECT i, l, s.a, s.b, s.c, s IS NULL FROM t ORDER BY i")
    assert answer == shown


def test_a_column_that_takes_no_null_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (i BIGINT, x VARCHAR NOT NULL, l INTEGER[])")
    catalog = register(lake)
    path = file_of(tmp_path / "f", x=pa.nulls(2), l=pa.nulls(2))

    refused(
        spark,
        f"CALL {catalog}.system.add_data_files('t', '{path}')",
        "DUCKLAKE_CANNOT_ADD_FILE",
        "`x`",
    )


@pytest.mark.parametrize("kind_of_column", ["INTEGER", "VARCHAR"])
def test_null_stays_null_where_older_files_have_a_default(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    tmp_path: Path,
    kind_of_column: str,
) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (i BIGINT)",
        "INSERT INTO t VALUES (0)",
        f"ALTER TABLE t ADD COLUMN x {kind_of_column} DEFAULT '5'",
    )
    catalog = register(lake)

    add_by_spark(spark, catalog, file_of(tmp_path / "f", x=pa.nulls(2)))

    shown = [(i, None if x is None else str(x)) for i, x in duckdb_rows(lake)]
    assert shown == [(0, "5"), (1, None), (2, None)]
    found = rows(spark, f"SELECT i, CAST(x AS STRING) FROM {catalog}.t ORDER BY i")
    assert found == [(0, "5"), (1, None), (2, None)]
