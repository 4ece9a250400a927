"""Registered files of all sorts: both engines write the same catalog rows and read alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.adding import add_by_duckdb, add_by_spark, duckdb_rows, parquet
from support.catalogdb import read_catalog
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.peer import Peer, made

Register = Callable[..., str]
SAME = (
    "column_mapping",
    "name_mapping",
    "file_column_stats",
    "file_partition_value",
)
ORDER = ("data_file_id", "mapping_id", "target_field_id", "column_id")
SPELLED = {"12.34": "12.3400", "true": "1", "\\x00\\xFF": "00FF"}
"""DuckDB's spelling of bounds of registered files, and that of files which it wrote itself."""

TYPES = {
    "i16": ("SMALLINT", "-3::TINYINT"),
    "i32": ("INTEGER", "60000::USMALLINT"),
    "i64": ("BIGINT", "4000000000::UINTEGER"),
    "u16": ("USMALLINT", "200::UTINYINT"),
    "u64": ("UBIGINT", "18446744073709551615::UBIGINT"),
    "f64": ("DOUBLE", "1.5::FLOAT"),
    "dec": ("DECIMAL(18, 4)", "12.34::DECIMAL(6, 2)"),
    "wide": ("DECIMAL(38, 2)", "12.34::DECIMAL(38, 2)"),
    "d": ("DATE", "DATE '1969-12-31'"),
    "ts": ("TIMESTAMP", "TIMESTAMP_MS '1969-12-31 23:59:59.999'"),
    "ns": ("TIMESTAMP_NS", "TIMESTAMP '2020-01-01 00:00:00.000001'"),
    "s": ("TIMESTAMP_S", "TIMESTAMP '2020-01-01 00:00:01'"),
    "tz": ("TIMESTAMPTZ", "TIMESTAMPTZ '2020-01-01 00:00:00.5+02'"),
    "b": ("BOOLEAN", "true"),
    "x": ("BLOB", "'\\x00\\xFF'::BLOB"),
    "u": ("UUID", "'00000000-0000-0000-0000-0000000000ff'::UUID"),
    "t": ("VARCHAR", "'Ä'"),
    "nan": ("DOUBLE", "'nan'::DOUBLE"),
    "nothing": ("INTEGER", "NULL::INTEGER"),
}


def stored(lake: Lake, name: str) -> list[list[object]]:
    """The rows of a catalog table in one spelling, without the order of columns in a mapping."""
    rows = sorted(read_catalog(lake).rows(name), key=lambda row: [str(row.get(k)) for k in ORDER])
    return [
        [SPELLED.get(str(value), value) for key, value in row.items() if not is_order(name, key)]
        for row in rows
    ]


def is_order(name: str, key: str) -> bool:
    """Whether the column numbers the columns of a mapping: those of the path have no order."""
    return name == "name_mapping" and key == "column_id"


def in_both(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    shape: tuple[str, ...],
    files: list[str],
    options: str = "",
) -> tuple[Lake, str]:
    """Adds the files by each engine to a lake of its own: the same rows; the lake of Spark."""
    ours, theirs = lakes.new("sqlite"), lakes.new("sqlite")
    for lake in (ours, theirs):
        made(lake, *shape)
    catalog = register(ours)
    for file in files:
        add_by_spark(spark, catalog, file, options)
        add_by_duckdb(theirs, file, options)
    for name in SAME:
        assert stored(ours, name) == stored(theirs, name), name
    rows = list(map(str, duckdb_rows(ours)))
    assert rows == list(map(str, duckdb_rows(theirs)))
    assert spark.table(f"{catalog}.t").count() == len(rows)
    return ours, catalog


def test_types_that_widen(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in TYPES.items())
    values = ", ".join(f"{value} AS {name}" for name, (_, value) in TYPES.items())
    file = parquet(tmp_path / "x.parquet", f"SELECT {values} UNION ALL SELECT {values}")

    lake, catalog = in_both(spark, lakes, register, (f"CREATE TABLE t ({columns})",), [file])

    for name in TYPES:
        if name in ("nan", "nothing", "x", "u64"):
            continue
        (text,) = duckdb_rows(lake, f"SELECT DISTINCT CAST({name} AS VARCHAR) FROM t")[0]
        typed = f"SELECT count(*) FROM {catalog}.t WHERE {name} = CAST('{text}' AS "
        kind = spark.table(f"{catalog}.t").schema[name].dataType.simpleString()
        assert spark.sql(f"{typed}{kind})").collect()[0][0] == 2, name
    assert spark.sql(f"SELECT count(*) FROM {catalog}.t WHERE nan > 5").collect()[0][0] == 2


def test_keys_of_the_path(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    folders = (
        "n=007/s=a%20b%2Fc",
        "n=8/s=",
        "n=__HIVE_DEFAULT_PARTITION__/s=__HIVE_DEFAULT_PARTITION__",
        "s=x/n=1/n=2",
        "n=3/other=5/s=%zz%",
    )
    files = [parquet(tmp_path / folder / "f.parquet", "SELECT 1::INT AS a") for folder in folders]

    lake, catalog = in_both(
        spark, lakes, register, ("CREATE TABLE t (a INT, n INT, s VARCHAR)",), files
    )

    found = spark.sql(f"SELECT a, n, s FROM {catalog}.t").collect()
    assert sorted(map(str, map(tuple, found))) == sorted(map(str, duckdb_rows(lake)))
    assert {row.n for row in found} == {7, 8, None, 1, 3}


def test_what_the_file_lacks_and_what_the_table_lacks(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Rows without a column show NULL, or its first default; statistics do not hide them."""
    made(
        lake,
        "CREATE TABLE t (a INT, s STRUCT(x INT, y INT))",
        "INSERT INTO t SELECT i, {'x': i, 'y': i} FROM range(20) AS r(i)",
        "ALTER TABLE t ADD COLUMN b INT DEFAULT 7",
        "INSERT INTO t SELECT i, {'x': i, 'y': i}, 1 FROM range(20, 40) AS r(i)",
    )
    catalog = register(lake)
    file = parquet(
        tmp_path / "x.parquet", "SELECT 99::INT AS A, {'x': 5::INT, 'z': 1} AS s, 2 AS q"
    )

    with pytest.raises(PySparkException) as caught:
        add_by_spark(spark, catalog, file)
    assert "`s.z`" in str(caught.value)
    add_by_spark(spark, catalog, file, ", allow_missing => true, ignore_extra_columns => true")

    for query, answer in (
        ("SELECT a, s.x, s.y, b FROM {t} WHERE a = 99", [(99, 5, None, 7)]),
        ("SELECT count(*) FROM {t} WHERE s.y IS NULL", [(1,)]),
        ("SELECT count(*) FROM {t} WHERE b = 7", [(21,)]),
        ("SELECT max(b), min(b), count(b) FROM {t}", [(7, 1, 41)]),
    ):
        assert [tuple(r) for r in spark.sql(query.format(t=f"{catalog}.t")).collect()] == answer
        assert duckdb_rows(lake, query.format(t="t")) == answer, query


def test_files_of_other_writers(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    """Without statistics, without rows, with INT96, of Spark with nested columns."""
    kind = pa.struct([("k", pa.int32())])
    table = pa.table(
        {
            "a": pa.array([1, None, 3], pa.int32()),
            "l": pa.array([[{"k": 1}], [], None], pa.list_(kind)),
            "ts": pa.array([0, 1, None], pa.timestamp("us")),
        }
    )
    bare, empty, old = (str(tmp_path / f"{name}.parquet") for name in ("bare", "empty", "old"))
    pq.write_table(table, bare, write_statistics=False)
    pq.write_table(table.slice(0, 0), empty)
    pq.write_table(table, old, use_deprecated_int96_timestamps=True)
    spark.sql(
        "SELECT CAST(5 AS INT) AS a, array(named_struct('k', 6)) AS l,"
        " TIMESTAMP_NTZ '2020-01-01 00:00:00' AS ts"
    ).coalesce(1).write.parquet(str(tmp_path / "spark"))

    lake, catalog = in_both(
        spark,
        lakes,
        register,
        ("CREATE TABLE t (a INT, l STRUCT(k INT)[], ts TIMESTAMP)",),
        [bare, empty, old, f"{tmp_path}/spark/*.parquet"],
    )

    for query in (
        "SELECT count(*), count(a), count(l), count(ts), max(a) FROM {t}",
        "SELECT count(*) FROM {t} WHERE a = 3",
        "SELECT count(*) FROM {t} WHERE ts IS NULL",
    ):
        ours = [tuple(row) for row in spark.sql(query.format(t=f"{catalog}.t")).collect()]
        assert ours == duckdb_rows(lake, query.format(t="t")), query


def test_lists_whose_elements_lie_in_a_bag(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    """As Hive and Spark's legacy format write them. DuckDB reads NULLs when it adds such a file."""
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INT[], b STRUCT(k INT)[])")
    spark.conf.set("spark.sql.parquet.writeLegacyFormat", "true")
    try:
        spark.sql("SELECT array(1, NULL, 3) AS a, array(named_struct('k', 6), NULL) AS b").coalesce(
            1
        ).write.parquet(str(tmp_path / "old"))
    finally:
        spark.conf.unset("spark.sql.parquet.writeLegacyFormat")
    catalog = register(lake)

    add_by_spark(spark, catalog, str(tmp_path / "old"))

    rows = [([1, None, 3], [{"k": 6}, None])]
    assert duckdb_rows(lake) == rows
    made(lake, "INSERT INTO t SELECT * FROM t", "CALL ducklake_merge_adjacent_files('lake')")
    assert duckdb_rows(lake) == rows * 2
    assert [
        (row.a, [k and k.asDict() for k in row.b]) for row in spark.table(f"{catalog}.t").collect()
    ] == rows * 2


def test_a_compression_that_duckdb_does_not_read_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a BIGINT)")
    written = spark.range(9).withColumnRenamed("id", "a").coalesce(1).write
    written.option("compression", "lz4").parquet(str(tmp_path / "lz4"))

    with pytest.raises(PySparkException, match="compressed by LZ4") as caught:
        add_by_spark(spark, register(lake), str(tmp_path / "lz4"))

    assert caught.value.getCondition() == "DUCKLAKE_CANNOT_ADD_FILE"


def test_an_encoding_that_duckdb_does_not_read_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    """DuckDB registers such a file, and fails to read it. That of floating numbers it reads."""
    lake, split = lakes.new("sqlite"), "BYTE_STREAM_SPLIT"
    made(lake, "CREATE TABLE t (a BIGINT)", "CREATE TABLE f (a DOUBLE)")
    for name, kind in (("whole", pa.int64()), ("float", pa.float64())):
        rows = pa.table({"a": pa.array([1, 2], kind)})
        file = tmp_path / f"{name}.parquet"
        pq.write_table(rows, file, use_dictionary=False, column_encoding={"a": split})
    whole, catalog = str(tmp_path / "whole.parquet"), register(lake)
    with duckdb_peer.connect() as connection, pytest.raises(duckdb.Error, match=split):
        connection.execute(f"FROM read_parquet('{whole}')").fetchall()

    with pytest.raises(PySparkException, match=f"{split} in column `a`") as caught:
        add_by_spark(spark, catalog, whole)

    assert caught.value.getCondition() == "DUCKLAKE_CANNOT_ADD_FILE"
    add = f"CALL {catalog}.system.add_data_files('f', '{tmp_path}/float.parquet')"
    spark.sql(add).collect()
    assert duckdb_rows(lake, "FROM f ORDER BY a") == [(1.0,), (2.0,)]


def test_rows_of_added_files_are_changed_like_others(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (a INT, p INT)", "INSERT INTO t VALUES (0, 0)")
    catalog = register(lake)
    for p in (1, 2):
        parquet(tmp_path / f"p={p}" / "x.parquet", "SELECT i::INT AS a FROM range(50) AS r(i)")

    added = spark.sql(
        f"CALL {catalog}.system.add_data_files('t', '{tmp_path}/**/*.parquet')"
    ).collect()
    spark.sql(f"UPDATE {catalog}.t SET a = 1000 WHERE a = 7 AND p = 2")
    spark.sql(f"DELETE FROM {catalog}.t WHERE p = 1 AND a < 40")

    assert len(added) == 2
    query = "SELECT p, count(*), sum(a) FROM {t} GROUP BY p ORDER BY p"
    right = [(0, 1, 0), (1, 10, 445), (2, 50, 1225 + 993)]
    assert [tuple(row) for row in spark.sql(query.format(t=f"{catalog}.t")).collect()] == right
    assert duckdb_rows(lake, query.format(t="t")) == right


def test_a_file_registered_twice_keeps_the_deletes_of_each(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    """DuckDB registers a file twice; each of the two data files has deletes of its own."""
    lake = lakes.new("sqlite")
    file = parquet(tmp_path / "x.parquet", "SELECT i::INT AS a FROM range(6) AS r(i)")
    made(lake, "CREATE TABLE t (a INT)")
    for _ in range(2):
        add_by_duckdb(lake, file)
    catalog = register(lake, IN_FILES)

    for rowid in (1, 8, 9):
        spark.sql(f"DELETE FROM {catalog}.t WHERE rowid = {rowid}")

    left = spark.sql(f"SELECT rowid FROM {catalog}.t").collect()
    assert {row.rowid for row in left} == {0, 2, 3, 4, 5, 6, 7, 10, 11}
    feed = spark.sql(f"SELECT * FROM ducklake_table_changes('{catalog}', 't', 4, 6)").collect()
    assert sorted(map(tuple, feed)) == [
        (4, 1, "delete", 1),
        (5, 8, "delete", 2),
        (6, 9, "delete", 3),
    ]


def test_files_that_somebody_owns_are_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (a INT)",
        "CREATE TABLE u (a INT)",
        "INSERT INTO u SELECT i::INT FROM range(50) AS r(i)",
        "DROP TABLE u",
    )
    (own,) = lake.data_path.rglob("*.parquet")
    link = tmp_path / "link.parquet"
    link.symlink_to(own)
    (tmp_path / "other.ducklake").write_bytes(b"")
    other = parquet(tmp_path / "other.ducklake.files" / "main" / "t" / "x.parquet", "SELECT 1 AS a")
    loose = parquet(tmp_path / "loose.files" / "x.parquet", "SELECT 1::INT AS a")
    catalog = register(lake)

    for path, why in (
        (str(own), "file of the lake"),
        (f"file://{own}", "file of the lake"),
        (str(own.parent / "." / ".." / own.parent.name / "*.parquet"), "file of the lake"),
        (other, "other.ducklake"),
        (str(link), "file of the lake"),
    ):
        with pytest.raises(PySparkException, match=why) as caught:
            add_by_spark(spark, catalog, path)
        assert caught.value.getCondition() == "DUCKLAKE_FILE_ALREADY_REGISTERED"
    assert add_by_spark(spark, catalog, f"file://{loose}") == [loose]
    assert duckdb_rows(lake) == [(1,)]


@pytest.mark.parametrize("kind", ["postgres", "duckdb"])
def test_files_of_a_lake_in_another_schema_are_refused(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    kind: CatalogKind,
    tmp_path: Path,
) -> None:
    """Two lakes in one database; a lake whose data path holds that of the other owns nothing."""
    lake = lakes.new(kind)
    inner = replace(lake, data_path=lake.data_path / "inner")
    for mine, schema in ((lake, "outer_lake"), (inner, "inner_lake")):
        with Peer(mine, f"METADATA_SCHEMA '{schema}'", "DATA_INLINING_ROW_LIMIT 0") as peer:
            peer.run("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (7)")
    outer = register(lake, {"metadata-schema": "outer_lake"})
    nested = register(inner, {"metadata-schema": "inner_lake"})
    (own,) = inner.data_path.rglob("*.parquet")
    file = parquet(lake.data_path / "in" / "x.parquet", "SELECT 8::INT AS a")

    with pytest.raises(PySparkException, match="the lake in schema `inner_lake`") as caught:
        add_by_spark(spark, outer, str(own))

    assert caught.value.getCondition() == "DUCKLAKE_FILE_ALREADY_REGISTERED"
    assert add_by_spark(spark, nested, file) == [file]
    assert [row.a for row in spark.table(f"{outer}.t").collect()] == [7]
