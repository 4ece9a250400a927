"""Two DuckDBs that change one data file at the same time leave two delete files (format 4.6).

DuckDB 1.5.5 gives the rows of such a file twice. The deletes of both were committed, so both count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import rows, value
from support.lakes import Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]

ROWS = 100
GONE = Counter((i,) for i in range(50))
LEFT = Counter((i,) for i in range(50, ROWS))


def _deleted(first: int, end: int) -> str:
    return f"DELETE FROM t WHERE a >= {first} AND a < {end}"


def _both(lake: Lake, first: str, second: str) -> None:
    """Two DuckDBs do this at the same time."""
    with (
        Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as one,
        Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as two,
    ):
        one.run("BEGIN", first)
        two.run("BEGIN", second)
        one.run("COMMIT")
        two.run("COMMIT")


@pytest.fixture(params=["two deletes", "a flush and a delete"])
def torn(request: pytest.FixtureRequest, lakes: LakeFactory) -> Lake:
    """A lake whose table has one data file with two live delete files."""
    lake = lakes.new("postgres")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(f"CREATE TABLE t AS SELECT i::INTEGER AS a FROM range({ROWS}) r(i)")
    if request.param == "two deletes":
        with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
            peer.run(_deleted(0, 10))
        _both(lake, _deleted(10, 30), _deleted(30, 50))
    else:
        with Peer(lake, "DATA_INLINING_ROW_LIMIT 30") as peer:
            peer.run(_deleted(0, 30))
        _both(lake, "CALL ducklake_flush_inlined_data('lake')", _deleted(30, 50))
    return lake


def _seen(lake: Lake) -> Counter[tuple[object, ...]]:
    with Peer(lake) as peer:
        return Counter(peer.rows("SELECT a FROM t"))


def _gone(spark: SparkSession, table: str) -> Counter[tuple[object, ...]]:
    """The rows that the change feed says were deleted, of those that the two DuckDBs deleted."""
    feed = spark.read.option("start-snapshot", 1).table(f"{table}.deletions")
    return Counter(tuple(row) for row in feed.where("a < 50").select("a").collect())


def test_the_deletes_of_both_count(spark: SparkSession, torn: Lake, register: Register) -> None:
    table = f"{register(torn)}.main.t"
    with Peer(torn) as peer:
        assert len(peer.rows("FROM ducklake_list_files('lake', 't')")) == 2

    assert Counter(rows(spark, f"SELECT a FROM {table}")) == LEFT
    assert value(spark, f"SELECT count(*) FROM {table}") == len(LEFT)
    assert value(spark, f"SELECT count(*) FROM {table}.files") == 1
    assert _gone(spark, table) == GONE


def test_list_files_has_what_duckdb_lists(
    spark: SparkSession, torn: Lake, register: Register
) -> None:
    with Peer(torn) as peer:
        listed = Counter(peer.rows("SELECT delete_file FROM ducklake_list_files('lake', 't')"))

    found = rows(spark, f"CALL {register(torn)}.system.list_files('t')")
    assert Counter((row[4],) for row in found) == listed
    assert len(listed) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM {c}.t WHERE a = 50",
        "UPDATE {c}.t SET a = a WHERE a = 50",
        "CALL {c}.system.rewrite_data_files('t', delete_threshold => 0.1)",
    ],
)
def test_what_spark_writes_next_mends_the_file(
    spark: SparkSession, torn: Lake, register: Register, statement: str
) -> None:
    catalog = register(torn)

    spark.sql(statement.format(c=catalog)).collect()

    left = LEFT - Counter([(50,)] if statement.startswith("DELETE") else [])
    assert _seen(torn) == left
    assert Counter(rows(spark, f"SELECT a FROM {catalog}.main.t")) == left
    assert _gone(spark, f"{catalog}.main.t") == GONE


def test_a_rollback_takes_back_what_came_after(
    spark: SparkSession, torn: Lake, register: Register
) -> None:
    catalog = register(torn)
    with Peer(torn) as peer:
        head = peer.head()
    spark.sql(f"DELETE FROM {catalog}.t WHERE a < 60").collect()

    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', {head})").collect()

    assert Counter(rows(spark, f"SELECT a FROM {catalog}.main.t")) == LEFT
    assert _seen(torn) == LEFT
