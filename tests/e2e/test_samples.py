"""TABLESAMPLE: Spark draws each row by itself, from the rows that the table has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.lakes import CatalogKind, Lake
from support.peer import Peer

KINDS: list[CatalogKind] = ["sqlite"]


@pytest.fixture
def sampled(lake: Lake, register: Callable[..., str]) -> str:
    """A table of two files with deleted rows, and inlined rows."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run(
            "CREATE TABLE t (i INT)",
            "INSERT INTO t SELECT i FROM range(500) r(i)",
            "INSERT INTO t SELECT i FROM range(500, 1000) r(i)",
            "DELETE FROM t WHERE i < 100",
            "INSERT INTO t VALUES (1000), (1001)",
        )
        # DuckDB's default of the same clause, of all rows.
        assert peer.rows("SELECT count(*), sum(i) FROM t TABLESAMPLE 100 PERCENT") == [
            (902, sum(range(100, 1002)))
        ]
    return f"{register(lake)}.t"


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_drawn_one_by_one(spark: SparkSession, sampled: str) -> None:
    def drawn(sample: str) -> list[int]:
        rows = spark.sql(f"SELECT i FROM {sampled} TABLESAMPLE {sample} ORDER BY i").collect()
        return [row.i for row in rows]

    assert drawn("(100 PERCENT)") == list(range(100, 1002))
    assert drawn("(0 PERCENT)") == []
    assert len(drawn("(10 ROWS)")) == 10
    tenth = drawn("(10 PERCENT) REPEATABLE (3)")
    assert tenth == drawn("(10 PERCENT) REPEATABLE (3)")
    assert set(tenth) < set(range(100, 1002))
    # Whole files would give 0, 400, 500 or 900 rows.
    assert 40 < len(tenth) < 150


@pytest.mark.parametrize("kind", KINDS)
def test_a_count_of_a_sample_is_not_that_of_the_catalog(spark: SparkSession, sampled: str) -> None:
    clause = f"{sampled} TABLESAMPLE (50 PERCENT) REPEATABLE (7)"
    count, least, greatest = spark.sql(f"SELECT count(*), min(i), max(i) FROM {clause}").collect()[
        0
    ]
    rows = sorted(row.i for row in spark.sql(f"SELECT i FROM {clause}").collect())

    assert (count, least, greatest) == (len(rows), rows[0], rows[-1])
    assert 300 < count < 600


@pytest.mark.parametrize("kind", KINDS)
def test_samples_of_whole_blocks_are_refused(spark: SparkSession, sampled: str) -> None:
    with pytest.raises(PySparkException, match="SYSTEM"):
        spark.sql(f"SELECT i FROM {sampled} TABLESAMPLE SYSTEM (10 PERCENT)").collect()
