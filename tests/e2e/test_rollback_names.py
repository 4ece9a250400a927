"""Inlined rows that come back into a table whose columns the catalog cannot hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.lakes import Lake
from support.peer import Peer, made

Register = Callable[..., str]

LONG = "c" * 70
"""Too long for PostgreSQL: there is no inlined table with it."""


@pytest.mark.every_database
@pytest.mark.parametrize("keys", ["", "ALTER TABLE t SET PARTITIONED BY (p)"])
def test_inlined_rows_come_back_beside_a_long_name(
    spark: SparkSession, lake: Lake, register: Register, keys: str
) -> None:
    made(lake, "CREATE TABLE t (i INTEGER, p VARCHAR)", *filter(None, [keys]))
    made(lake, "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)", limit=10)
    past = made(lake, f"ALTER TABLE t ADD COLUMN {LONG} INTEGER DEFAULT 7")
    before = now(lake)
    catalog = register(lake)
    spark.sql(f"DELETE FROM {catalog}.t WHERE i < 3")
    made(lake, "INSERT INTO t VALUES (4, 'd', 8)")

    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', {past})")

    assert now(lake) == before
    assert sorted(rows(spark, f"SELECT rowid, * FROM {catalog}.t")) == before
    with Peer(lake) as peer:
        assert peer.rows(f"SELECT rowid, * FROM t AT (VERSION => {past}) ORDER BY i") == before
        peer.run("INSERT INTO t VALUES (5, 'e', 9)", "DELETE FROM t WHERE i = 1")
        assert peer.rows("SELECT i FROM t ORDER BY i") == [(2,), (3,), (5,)]


def now(lake: Lake) -> list[tuple[object, ...]]:
    """Row ids and rows as DuckDB reads them."""
    with Peer(lake) as peer:
        return peer.rows("SELECT rowid, * FROM t ORDER BY i")
