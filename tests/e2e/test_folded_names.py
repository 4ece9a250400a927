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
