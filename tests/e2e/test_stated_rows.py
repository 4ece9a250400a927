"""INSERT of few rows that the statement states: the driver writes them, and no job is started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]
VALUES = "VALUES (1, 'a'), (2, NULL), (3, 'c')"
ROWS = [(1, "a"), (2, None), (3, "c")]


@contextmanager
def jobs(spark: SparkSession, group: str) -> Iterator[list[int]]:
    """The jobs that are started meanwhile; known when it ends."""
    context = spark.sparkContext
    found: list[int] = []
    context.setJobGroup(group, group)
    try:
        yield found
    finally:
        found += context.statusTracker().getJobIdsForGroup(group)
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
        context.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [0, 10])
def test_no_job_is_started(spark: SparkSession, lake: Lake, register: Register, limit: int) -> None:
    catalog = register(lake, {"data-inlining-row-limit": str(limit)})
    spark.sql(f"CREATE TABLE {catalog}.t (i INT, s STRING)")

    with jobs(spark, f"stated {catalog} {limit}") as started:
        spark.sql(f"INSERT INTO {catalog}.t {VALUES}")
        spark.sql(f"INSERT INTO {catalog}.t (i) VALUES (4)")

    assert started == []
    expected = [*ROWS, (4, None)]
    assert sorted(map(tuple, spark.table(f"{catalog}.t").collect())) == expected
    with Peer(lake) as peer:
        assert sorted(peer.rows("FROM t")) == expected
        files = peer.value("SELECT count(*) FROM ducklake_list_files('lake', 't')")
        assert files == (2 if limit == 0 else 0)
        assert peer.head() == 3


QUERIES = {
    "SELECT 1, 'a'": [(1, "a")],
    "SELECT CAST(id * 2 AS INT), 's' || id FROM range(3, 9, 3, 1)": [(6, "s3"), (12, "s6")],
    "SELECT i + 1, upper(s) FROM VALUES (1, 'a'), (2, NULL) v(i, s)": [(2, "A"), (3, None)],
    "SELECT 1, 'a' UNION ALL SELECT CAST(id AS INT), 'r' FROM range(7, 9, 1, 1)": [
        *((1, "a"), (7, "r"), (8, "r")),
    ],
    "SELECT CAST(monotonically_increasing_id() AS INT), uuid() FROM range(0, 5, 1, 1)": None,
}


@pytest.mark.parametrize("limit", [0, 10])
@pytest.mark.parametrize("query", QUERIES)
def test_expressions_over_stated_rows_are_no_job(
    spark: SparkSession, lake: Lake, register: Register, query: str, limit: int
) -> None:
    catalog = register(lake, {"data-inlining-row-limit": str(limit)})
    spark.sql(f"CREATE TABLE {catalog}.t (i INT, s STRING)")

    with jobs(spark, f"expressions {catalog}") as started:
        spark.sql(f"INSERT INTO {catalog}.t {query}")

    assert started == []
    with Peer(lake) as peer:
        rows = sorted(peer.rows("FROM t"))
    if expected := QUERIES[query]:
        assert rows == expected
    else:
        assert [number for number, _ in rows] == list(range(5))
        assert len({text for _, text in rows}) == 5


def test_a_subquery_is_a_job(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (i INT, s STRING)")

    with jobs(spark, f"subquery {catalog}") as started:
        spark.sql(f"INSERT INTO {catalog}.t SELECT (SELECT sum(i) + 1 FROM {catalog}.t), 'a'")

    assert started
    assert [tuple(row) for row in spark.table(f"{catalog}.t").collect()] == [(None, "a")]


def test_many_rows_are_a_job(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (i INT)")
    many = ", ".join(f"({i})" for i in range(1001))

    with jobs(spark, f"many {catalog}") as started:
        spark.sql(f"INSERT INTO {catalog}.t VALUES {many}")

    assert len(started) == 1
    assert spark.table(f"{catalog}.t").count() == 1001


@pytest.mark.parametrize("layout", ["PARTITIONED BY (s)", "CLUSTER BY (s)"])
def test_rows_of_a_layout(spark: SparkSession, lake: Lake, register: Register, layout: str) -> None:
    catalog = register(lake, {"data-inlining-row-limit": "0"})
    spark.sql(f"CREATE TABLE {catalog}.t (i INT, s STRING) {layout}")

    spark.sql(f"INSERT INTO {catalog}.t {VALUES}")

    with Peer(lake) as peer:
        assert sorted(peer.rows("FROM t")) == ROWS


@pytest.mark.parametrize("limit", [0, 10])
def test_a_refused_row_leaves_nothing(
    spark: SparkSession, lake: Lake, register: Register, limit: int
) -> None:
    """The error is that of rows which a task writes."""
    catalog = register(lake, {"data-inlining-row-limit": str(limit)})
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (i INTEGER, u UTINYINT)")
    refused = []
    for rows in ("VALUES (1, 2), (2, 300)", "SELECT id, 300 FROM range(2000)"):
        with pytest.raises(PySparkException) as raised:
            spark.sql(f"INSERT INTO {catalog}.t {rows}")
        refused.append(raised.value.getCondition())

    assert refused == ["DUCKLAKE_INVALID_VALUE"] * 2
    with Peer(lake) as peer:
        assert peer.head() == 1
        assert peer.rows("FROM t") == []
    assert not list(lake.data_path.rglob("*.parquet"))


def test_in_a_transaction(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (i INT, s STRING)")
    spark.sql(f"CALL {catalog}.system.begin_transaction()")

    with jobs(spark, f"transaction {catalog}") as started:
        spark.sql(f"INSERT INTO {catalog}.t {VALUES}")
    spark.sql(f"DELETE FROM {catalog}.t WHERE i = 2")
    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    assert started == []
    with Peer(lake) as peer:
        assert sorted(peer.rows("FROM t")) == [ROWS[0], ROWS[2]]
        assert peer.head() == 2
