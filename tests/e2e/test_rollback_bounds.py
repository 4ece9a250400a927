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
@pytest.mark.parametrize(
    ("last", "past", "count"), [(COLUMN, 2, 20), (TABLE, 1, 0)], ids=["column", "table"]
)
def test_duckdb_reads_a_column_that_got_its_narrow_type_back(
    lake: Lake,
    register: Register,
    spark: SparkSession,
    last: tuple[str, ...],
    past: int,
    count: int,
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (a INT, k INT)",
            "INSERT INTO t SELECT i, i FROM range(20) r(i)",
            "ALTER TABLE t ALTER COLUMN a TYPE BIGINT",
            *last,
        )
    catalog = register(lake)

    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', {past})")

    rows = {(i, i) for i in range(count)}
    assert {tuple(row) for row in spark.table(f"{catalog}.t").collect()} == rows
    with Peer(lake) as peer:
        assert set(peer.rows("SELECT * FROM t")) == rows
        assert peer.rows("SELECT k FROM t WHERE a >= 0 ORDER BY k") == [(k,) for k in range(count)]
        extremes = (0, 19) if count else (None, None)
        assert peer.rows("SELECT min(a), max(a) FROM t") == [extremes]
