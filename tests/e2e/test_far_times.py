"""Times that DuckDB does not read as text: its files are found, and its tables stay readable."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]

FIRST = -9223372036854000000
"""Microseconds: 290309-12-21 (BC) 19:59:06, the day before DuckDB's first TIMESTAMP as text."""


@pytest.mark.damages  # DuckDB, and so the invariants, cannot print such a time
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("column", ["TIMESTAMP_NTZ", "TIMESTAMP"])
def test_duckdb_reads_the_first_day(
    lake: Lake, register: Register, spark: SparkSession, column: str
) -> None:
    name = f"{register(lake)}.t"
    spark.sql(f"CREATE TABLE {name} (k INT, ts {column})")

    spark.sql(f"INSERT INTO {name} SELECT 1, CAST(timestamp_micros({FIRST}L) AS {column})")
    spark.sql(f"INSERT INTO {name} SELECT 2, CAST(timestamp_micros(0L) AS {column})")

    with Peer(lake) as peer:
        assert sorted(peer.rows("SELECT k, epoch_us(ts) FROM t")) == [(1, FIRST), (2, 0)]
        assert peer.rows("SELECT k FROM t WHERE epoch_us(ts) < 0") == [(1,)]
        assert peer.rows("SELECT k FROM t WHERE ts < '1960-01-01'") == [(1,)]
