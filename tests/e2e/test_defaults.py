"""Defaults of columns: each engine inserts the value that the other one declared, or refuses."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import Lake
from support.lines import CAST_DEFAULTS, LIKE, since
from support.peer import Peer

Register = Callable[..., str]

DEFAULTS = {
    "i": ("INT", "5", 5),
    "n": ("INT", "-5", -5),
    "d": ("DECIMAL(10,2)", "1.5", "1.50"),
    "f": ("DOUBLE", "1e3", 1000.0),
    "t": ("STRING", "'it\\'s'", "it's"),
    "w": ("STRING", "'NULL'", "NULL"),
    "u": ("STRING", "upper('a')", "A"),
    "b": ("BOOLEAN", "true", True),
    "y": ("BINARY", "X'00FF'", b"\x00\xff"),
    "dt": ("DATE", "DATE '2020-01-02'", "2020-01-02"),
    "ts": ("TIMESTAMP", "TIMESTAMP '2020-01-02 03:04:05'", "2020-01-02 03:04:05"),
    "sum": ("INT", "1 + 2", 3),
    "cut": ("INT", "5 / 2", 2),
    "cat": ("STRING", "'a' || 'b'", "ab"),
    "none": ("INT", "NULL", None),
    "whole": ("DOUBLE", "CAST(2.7 AS INT)", 2.0),
    "ratio": ("DOUBLE", "1.0 / 3", 0.333333),
    "digits": ("STRING", "1.0 / 3", "0.333333"),
    "large": ("STRING", "1e10", "1.0E10"),
    "joined": ("STRING", "'a' || 1e10", "a1.0E10"),
    "tenths": ("DOUBLE", "0.1D + 0.2D", 0.30000000000000004),
    "tie": ("DECIMAL(3,2)", "2.01D / 2", "1.01"),
    "longer": ("BIGINT", "2147483647L + 1", 2147483648),
}

DEFAULTS_OF_DUCKDB = {
    "cut": ("INTEGER", "CAST(2.7 AS INTEGER)"),
    "up": ("BIGINT", "CAST(2.5 AS BIGINT)"),
    "down": ("BIGINT", "CAST(-2.5 AS BIGINT)"),
    "even": ("INTEGER", "(5 / 2)"),
    "small": ("SMALLINT", "(7 / 2)"),
    "tiny": ("TINYINT", "(7 / 2)"),
    "unsigned": ("UINTEGER", "(7 / 2)"),
    "single": ("INTEGER", "CAST(CAST(2.5 AS FLOAT) AS INTEGER)"),
    "sum": ("INTEGER", "(2.4 + 0.1)"),
    "third": ("DOUBLE", "(1.0 / 3)"),
    "narrow": ("FLOAT", "(1.0 / 3)"),
    "tie": ("DECIMAL(3,2)", "(2.01 / 2)"),
    "eighth": ("DECIMAL(3,2)", "(1 / 8)"),
    "negative": ("DECIMAL(3,2)", "(-1 / 8)"),
    "rest": ("DOUBLE", "(-7.5 % 2)"),
    "text": ("VARCHAR", "('a' || 1.50)"),
    "large": ("VARCHAR", "('a' || 1e10)"),
    "flag": ("VARCHAR", "('a' || true)"),
    "day": ("VARCHAR", "('a' || DATE '2020-01-02')"),
    "none": ("INTEGER", "NULL::INTEGER"),
}


@since(CAST_DEFAULTS)
def test_defaults_and_not_null_hold_in_duckdb(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    declared = ", ".join(f"{n} {kind} DEFAULT {sql}" for n, (kind, sql, _) in DEFAULTS.items())

    spark.sql(
        f"CREATE TABLE {catalog}.t (id INT NOT NULL, {declared}, "
        "today DATE DEFAULT current_date(), made TIMESTAMP DEFAULT now())"
    )

    with Peer(lake) as peer:
        peer.run("INSERT INTO t (id) VALUES (1)")
        with pytest.raises(Exception, match="NOT NULL"):
            peer.run("INSERT INTO t (id) VALUES (NULL)")
        assert peer.value("SELECT today = made::DATE AND made <= now() FROM t") is True
    spark.sql(f"INSERT INTO {catalog}.t (id) VALUES (2)")
    shown = spark.table(f"{catalog}.t").collect()
    assert len(shown) == 2
    for row, (name, (_, _, expected)) in itertools.product(shown, DEFAULTS.items()):
        found = bytes(row[name]) if isinstance(row[name], bytearray) else row[name]
        assert found == expected or str(found) == expected, name


def test_defaults_of_duckdb_are_the_same_in_spark(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    declared = ", ".join(
        f"{n} {kind} DEFAULT {sql}" for n, (kind, sql) in DEFAULTS_OF_DUCKDB.items()
    )
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t (id INT, {declared})", "INSERT INTO t (id) VALUES (1)")

    spark.sql(f"INSERT INTO {catalog}.t (id) VALUES (2)")

    theirs, ours = spark.table(f"{catalog}.t").orderBy("id").collect()
    assert ours[1:] == theirs[1:]


@since(LIKE)
@pytest.mark.parametrize(
    "needing", ["(id, power) VALUES (1, 2)", "(id, s) VALUES (1, 'x')", "VALUES (1, DEFAULT, 'x')"]
)
def test_a_default_that_only_duckdb_knows_is_refused_where_it_is_needed(
    spark: SparkSession, lake: Lake, register: Register, needing: str
) -> None:
    """Spark's log is another logarithm."""
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (id INT, power DOUBLE DEFAULT log(100), "
            "s VARCHAR DEFAULT 'it''s' || now())"
        )

    not_constant = "INVALID_DEFAULT_VALUE.NOT_CONSTANT"
    refused(spark, f"INSERT INTO {catalog}.t {needing}", not_constant, "only DuckDB knows")
    assert rows(spark, f"SELECT * FROM {catalog}.t") == []
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 2, 'x')")
    spark.sql(f"CREATE TABLE {catalog}.alike LIKE {catalog}.t")
    spark.sql(f"CREATE TABLE {catalog}.copied AS SELECT * FROM {catalog}.t")

    with Peer(lake) as peer:
        for table in ("t", "alike", "copied"):
            peer.run(f"INSERT INTO {table} (id) VALUES (2)")
            shown = peer.rows(f"SELECT power, s LIKE 'it''s20%' FROM {table} WHERE id = 2")
            assert shown == [(2.0, True)], table
    assert rows(spark, f"SELECT power FROM {catalog}.t ORDER BY id") == [(2.0,), (2.0,)]
