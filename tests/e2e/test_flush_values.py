"""Values that a flush moves to files, and those that it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.compacting import merge
from support.flushing import flush, kept, made
from support.lakes import Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]

EXACT = (
    ("TIMESTAMP_NS", "'2020-01-01 00:00:00.123456789'"),
    ("TIMESTAMP_NS", "'infinity'"),
    ("TIMESTAMP_S", "'290000-01-01 00:00:00'"),
    ("TIMESTAMP_MS", "'-infinity'"),
    ("TIMESTAMPTZ", "'0044-03-15 (BC) 00:00:00+00'"),
    ("DATE", "'infinity'"),
    ("DATE", "'0044-03-15 (BC)'"),
    ("TIME", "'24:00:00'"),
    ("TIMETZ", "'12:00:00.5+02:30'"),
    ("TIMETZ", "'12:00:00+00'"),
    ("INTERVAL", "'1 year 2 days 00:00:00.000001'"),
    ("HUGEINT", "12345678901234567890123456789012345678"),
    ("UBIGINT", "18446744073709551615"),
    ("UINTEGER", "4294967295"),
    ("DECIMAL(38, 10)", "-1234567890123456789012345678.0123456789"),
    ("DECIMAL(15, 3)", "-123456789012.345"),
    ("DECIMAL(4, 2)", "-12.34"),
    ("FLOAT", "'nan'"),
    ("DOUBLE", "'-0.0'"),
    ("VARCHAR", "'é ''quoted'' 水'"),
    ("BLOB", "'\\xFF\\x00'"),
    ("UUID", "'00112233-4455-6677-8899-aabbccddeeff'"),
    ("BOOLEAN", "true"),
    ("JSON", "'{\"a\": [1, null]}'"),
    ("INT[]", "[1, NULL, 3]"),
    ("INT[]", "[]"),
    ("STRUCT(a INT, b STRUCT(c VARCHAR))", "{'a': 1, 'b': {'c': 'x'}}"),
    ("MAP(VARCHAR, INT[])", "MAP {'a': [1], 'b': NULL}"),
)


@pytest.mark.every_database
def test_values_keep_every_bit(spark: SparkSession, lake: Lake, register: Register) -> None:
    """Whatever Spark's types can hold; the first row is NULL, to differ from others."""
    columns = ", ".join(f"c{n} {kind}" for n, (kind, _) in enumerate(EXACT))
    values = ", ".join(f"{value}::{kind}" for kind, value in EXACT)
    shown = ", ".join(f"c{n}::VARCHAR" for n in range(len(EXACT)))
    made(
        lake,
        f"CREATE TABLE t ({columns})",
        f"INSERT INTO t VALUES ({', '.join(['NULL'] * len(EXACT))}), ({values})",
    )
    catalog = register(lake)
    query = f"SELECT {shown} FROM t ORDER BY rowid"
    with Peer(lake) as peer:
        before = peer.rows(query)

    assert flush(spark, catalog) == [("main", "t", 2)]

    with Peer(lake) as peer:
        assert peer.rows(query) == before
    assert len(read_catalog(lake).rows("data_file")) == 1
    texts_of = spark.sql(f"SELECT c0, c8, c10, c11 FROM {catalog}.t WHERE c22 IS NOT NULL")
    assert [str(value) for value in texts_of.collect()[0]][1:] == [
        "12:00:00.5+02:30",
        "1 year 2 days 00:00:00.000001",
        "12345678901234567890123456789012345678",
    ]


def test_offsets_in_files_are_not_lost_by_updates(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (i INT, x TIMETZ)",
        "INSERT INTO t VALUES (1, '12:00:00+02'), (2, '12:00:00+00')",
    )
    catalog = register(lake)
    flush(spark, catalog)

    spark.sql(f"UPDATE {catalog}.t SET i = 20 WHERE i = 2")
    with pytest.raises(PySparkException, match="x"):
        spark.sql(f"UPDATE {catalog}.t SET i = 10 WHERE i = 1")

    with Peer(lake) as peer:
        assert peer.rows("SELECT i, x::VARCHAR FROM t ORDER BY i") == [
            (1, "12:00:00+02"),
            (20, "12:00:00+00"),
        ]


def test_offsets_in_files_are_merged(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    catalog = register(lake)
    texts = ["12:00:00+02", "12:00:00-11:30", "12:00:00+00", "23:59:59.5+01"]
    made(lake, "CREATE TABLE t (i INT, x TIMETZ)")
    for number in (0, 2):
        made(lake, *(f"INSERT INTO t VALUES ({i}, '{texts[i]}')" for i in (number, number + 1)))
        flush(spark, catalog)

    assert merge(spark, catalog, "'t'") == [("main", "t", 2, 1)]

    with Peer(lake) as peer:
        assert peer.rows("SELECT i, x::VARCHAR FROM t ORDER BY i") == list(enumerate(texts))
        assert peer.rows("SELECT i FROM t WHERE x = TIMETZ '12:00:00-11:30'") == [(1,)]
    assert spark.sql(f"SELECT x FROM {catalog}.t WHERE i = 1").collect() == [(texts[1],)]


REFUSED = (
    ("HUGEINT", "170141183460469231731687303715884105727"),
    ("INTERVAL", "'-1 day'"),
)


@pytest.mark.parametrize(("kind_of", "value"), REFUSED)
def test_what_no_file_can_hold_is_refused(
    spark: SparkSession, lake: Lake, register: Register, kind_of: str, value: str
) -> None:
    refuse(spark, lake, register, kind_of, value)


def test_nanoseconds_of_a_time_are_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """DuckDB cannot keep them in PostgreSQL, and dies when it flushes them."""
    refuse(spark, lakes.new("sqlite"), register, "TIME_NS", "'12:00:00.123456789'")


def refuse(spark: SparkSession, lake: Lake, register: Register, kind_of: str, value: str) -> None:
    """A flush of the value fails and leaves its table as it was; the table before it is flushed."""
    head = made(
        lake,
        "CREATE TABLE a (i INT)",
        "INSERT INTO a VALUES (1)",
        f"CREATE TABLE t (i INT, odd {kind_of})",
        f"INSERT INTO t VALUES (1, NULL), (2, {value}::{kind_of})",
    )
    catalog = register(lake)

    with pytest.raises(PySparkException, match="odd") as error:
        flush(spark, catalog)

    assert error.value.getCondition() == "DUCKLAKE_FLUSH_INCOMPLETE"
    parameters = error.value.getMessageParameters()
    assert parameters["failed"] == "main.t"
    assert parameters["flushed"] == "main.a (1 rows)"
    assert kept(lake) == 2
    assert len(list(lake.data_path.rglob("*.parquet"))) == 1
    with Peer(lake) as peer:
        assert peer.head() == head + 1
        assert peer.rows("SELECT i FROM a") == [(1,)]


def test_bounds_of_widened_floats_are_exact(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (f FLOAT)",
        "INSERT INTO t VALUES (0.1)",
        "ALTER TABLE t ALTER COLUMN f TYPE DOUBLE",
    )

    flush(spark, register(lake))

    (bounds,) = read_catalog(lake).rows("file_column_stats")
    assert (bounds["min_value"], bounds["max_value"]) == ("0.10000000149011612",) * 2
