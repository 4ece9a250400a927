"""Names that differ in the case of other letters than A to Z are two, for DuckDB and for Spark."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import column, refused, rows, value
from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]

on_one = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

PAIRS = (("\u00c4", "\u00e4"), ("\u212a", "k"), ("\u00df", "\u1e9e"), ("\u0130", "i"))
"""Upper and lower case, the sign of Kelvin, sharp s, and the dotted I of Turkish."""


@on_one
def test_tables_and_schemas_of_such_names_are_two(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        for number, (one, other) in enumerate(PAIRS):
            peer.run(f'CREATE TABLE "{one}" AS SELECT {number} AS i', f'CREATE SCHEMA "{one}"')
            peer.run(f'CREATE TABLE "{one}"."{other}" AS SELECT {number} AS i')
    catalog = register(lake)

    for number, (one, other) in enumerate(PAIRS):
        refused(spark, f"SELECT * FROM {catalog}.main.`{other}`", "TABLE_OR_VIEW_NOT_FOUND")
        spark.sql(f"CREATE TABLE {catalog}.main.`{other}` (i INTEGER)")
        spark.sql(f"CREATE SCHEMA {catalog}.`{other}`")
        assert value(spark, f"SELECT i FROM {catalog}.main.`{one}`") == number
        assert rows(spark, f"SELECT i FROM {catalog}.main.`{other}`") == []
        assert column(spark, f"SHOW TABLES IN {catalog}.`{other}`") == []
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'main'") == 8


@on_one
def test_columns_that_are_one_for_spark_are_refused_unless_case_counts(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    pairs = (*PAIRS[:3], ("\u0130", "i\u0307"))
    with Peer(lake) as peer:
        for number, (one, other) in enumerate(pairs):
            peer.run(
                f'CREATE TABLE t{number} ("{one}" INT, "{other}" INT)',
                f"INSERT INTO t{number} VALUES (1, 10), (2, 20)",
                f"CREATE TABLE s{number} AS SELECT {{'{one}': 1, '{other}': 2}} AS s",
            )
    strict = spark.newSession()
    strict.conf.set("spark.sql.caseSensitive", "true")
    loose, exact = register(lake), register(lake, session=strict)

    for number, (one, other) in enumerate(pairs):
        for statement in ("SELECT * FROM {c}.t{n}", "INSERT INTO {c}.t{n} VALUES (3, 30)"):
            refused(spark, statement.format(c=loose, n=number), "DUCKLAKE_UNSUPPORTED", one, other)
        refused(spark, f"SELECT * FROM {loose}.s{number}", "DUCKLAKE_UNSUPPORTED", one)
        strict.sql(f"INSERT INTO {exact}.t{number} VALUES (3, 30)")
        strict.sql(f"UPDATE {exact}.t{number} SET `{other}` = 5 WHERE `{one}` = 1")
        assert value(strict, f"SELECT s.`{other}` FROM {exact}.s{number}") == 2
        asked = f"SELECT * FROM {exact}.t{number} ORDER BY 1"
        assert rows(strict, asked) == [(1, 5), (2, 20), (3, 30)]
    with Peer(lake) as peer:
        for number in range(len(pairs)):
            found = peer.rows(f"SELECT * FROM t{number} ORDER BY 1")
            assert found == [(1, 5), (2, 20), (3, 30)]
