"""Bounds that a dropped column or table leaves behind, after a rollback to a narrower type."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]

COLUMN = (
    "INSERT INTO t SELECT 5000000000, i FROM range(20) r(i)",
    "ALTER TABLE t DROP COLUMN a",
)
TABLE = ("INSERT INTO t SELECT 5000000000, i FROM range(20) r(i)", "DROP TABLE t")


@pytest.mark.damages  # the invariants read ended files with the types of now
@pytest.mark.parametrize("last", [COLUMN, TABLE], ids=["column", "table"])
def test_duckdb_reads_a_column_that_got_its_narrow_type_back(
    lake: Lake, register: Register, spark: SparkSession, last: tuple[str, ...]
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (a INT, k INT)",
            "INSERT INTO t SELECT i, i FROM range(20) r(i)",
            "ALTER TABLE t ALTER COLUMN a TYPE BIGINT",
            *last,
        )
    catalog = register(lake)

    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', 2)")

    rows = {(i, i) for i in range(20)}
    assert {tuple(row) for row in spark.table(f"{catalog}.t").collect()} == rows
    with Peer(lake) as peer:
        assert set(peer.rows("SELECT * FROM t")) == rows
        assert peer.rows("SELECT k FROM t WHERE a = 7") == [(7,)]
        assert peer.rows("SELECT min(a), max(a) FROM t") == [(0, 19)]
