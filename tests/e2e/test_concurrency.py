"""Queries while DuckDB commits: one snapshot for a query, many threads at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.asking import rows, value
from support.lakes import Lake
from support.peer import Peer
from support.sweep import FULL

Register = Callable[..., str]
SECONDS = 4
PATIENT = {"busy-timeout": "60000"}
"""For a file that DuckDB opens again and again."""


@contextmanager
def committing(lake: Lake) -> Iterator[list[int]]:
    """DuckDB adds a row to `t` and to `u` in one transaction, again and again; counts them."""
    stop, commits = threading.Event(), [0]

    def commit() -> None:
        with Peer(lake) as peer:
            for _ in range(1 if lake.kind == "duckdb" else 20):
                peer.run("BEGIN", "INSERT INTO t VALUES (1)", "INSERT INTO u VALUES (1)", "COMMIT")
                commits[0] += 1

    def work() -> None:
        while not stop.is_set():
            try:
                commit()
            except duckdb.Error as error:  # DuckDB does not wait for a file that Spark has open
                if "lock" not in str(error).lower():
                    raise
            time.sleep(0.1 if lake.kind == "duckdb" else 0)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield commits
    finally:
        stop.set()
        worker.join(timeout=60)


def rounds(commits: list[int], seconds: float) -> Iterator[None]:
    """Rounds for some seconds, and until DuckDB committed twice; it has a minute for that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end or (commits[0] < 2 and time.monotonic() < end + 60):
        yield
    assert commits[0] >= 2


@pytest.fixture
def pair(lake: Lake) -> Lake:
    """A lake with two tables that always have the same number of rows."""
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER)", "CREATE TABLE u (a INTEGER)")
    return lake


@pytest.mark.parametrize(
    "query",
    [
        "SELECT (SELECT count(*) FROM {c}.t) = (SELECT count(*) FROM {c}.t)",
        "SELECT (SELECT count(*) FROM {c}.t) = (SELECT count(*) FROM {c}.u)",
        "SELECT count(x.i) = count(y.i) FROM (SELECT rowid AS i FROM {c}.t) x"
        " FULL JOIN (SELECT rowid AS i FROM {c}.u) y ON x.i = y.i",
        "SELECT sum(n) = 0 FROM (SELECT count(*) AS n FROM {c}.t"
        " UNION ALL SELECT -count(*) FROM {c}.u)",
    ],
)
def test_a_query_sees_one_snapshot_of_all_tables(
    spark: SparkSession, pair: Lake, register: Register, query: str
) -> None:
    catalog = register(pair, PATIENT)
    seen = set()

    with committing(pair) as commits:
        for _ in rounds(commits, SECONDS / 4):
            seen.add(value(spark, query.format(c=catalog)))

    assert seen == {True}


@pytest.mark.parametrize("kind", ["postgres"])
def test_a_statement_that_writes_sees_one_snapshot_of_all_tables(
    spark: SparkSession, pair: Lake, register: Register
) -> None:
    catalog = register(pair, PATIENT)
    spark.sql(f"CREATE TABLE {catalog}.d (n BIGINT)")
    difference = f"(SELECT count(*) FROM {catalog}.t) - (SELECT count(*) FROM {catalog}.u)"

    with committing(pair) as commits:
        for _ in rounds(commits, SECONDS / 2):
            spark.sql(f"INSERT INTO {catalog}.d SELECT {difference}")

    assert set(rows(spark, f"SELECT n FROM {catalog}.d")) == {(0,)}


def test_a_frame_with_two_mentions_sees_one_snapshot(
    spark: SparkSession, pair: Lake, register: Register
) -> None:
    catalog = register(pair, PATIENT)
    differences = set()

    with committing(pair) as commits:
        for _ in rounds(commits, SECONDS / 3):
            t, u = spark.table(f"{catalog}.t"), spark.table(f"{catalog}.u")
            counts = t.groupBy().count().crossJoin(u.groupBy().count().toDF("other")).first()
            assert counts is not None
            differences.add(counts[0] - counts[1])

    assert differences == {0}


@pytest.mark.every_database
def test_many_threads_plan_at_once(spark: SparkSession, example: Lake, register: Register) -> None:
    catalog = register(example)
    query = f"""SELECT count(*) FROM {catalog}.events a JOIN {catalog}.events b ON a.id = b.id
                WHERE a.id IN (SELECT id FROM {catalog}.events VERSION AS OF 4)
                  AND a.id < (SELECT max(id) FROM {catalog}.events)"""

    with ThreadPoolExecutor(max_workers=8) as pool:
        answers = list(pool.map(lambda _: value(spark, query), range(24 if FULL else 8)))

    assert {*answers} == {90}


def test_a_broadcast_join_and_a_subquery_plan_from_other_threads(
    spark: SparkSession, example: Lake, register: Register
) -> None:
    catalog = register(example)
    query = f"""SELECT /*+ BROADCAST(b) */ count(*), max(s.a)
                FROM {catalog}.events a JOIN {catalog}.events b ON a.id = b.id
                JOIN {catalog}.s.events s ON s.a = a.id
                WHERE a.amount <= (SELECT max(amount) FROM {catalog}.events)"""

    assert rows(spark, query) == [(2, 2)]
