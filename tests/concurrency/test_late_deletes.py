"""Rows that a flush moves are changed before it commits: it commits, and no change is lost."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from support.flushing import by_duckdb, by_spark, differences, flush, kept, made
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.proxy import PostgresProxy, begins_a_commit

Register = Callable[..., str]
WAIT_SECONDS = 60

BEFORE = (
    "CREATE TABLE t (i INT, s VARCHAR)",
    "INSERT INTO t VALUES (0, 'a'), (1, 'a'), (2, 'a'), (3, 'a'), (4, 'a')",
    "UPDATE t SET s = 'b' WHERE i = 1",
    "DELETE FROM t WHERE i = 3",
    "ALTER TABLE t ADD COLUMN x INT DEFAULT 7",
    "INSERT INTO t VALUES (5, 'a', 1), (6, 'a', 2)",
)
MEANWHILE = (
    "UPDATE t SET s = 'c' WHERE i = 1",
    "DELETE FROM t WHERE i IN (2, 5)",
    "UPDATE t SET s = 'd', x = 8 WHERE i IN (1, 6)",
)


def changed_at_the_commit(lake: Lake, proxy: PostgresProxy, call: Callable[[], object]) -> None:
    """Run the call, at whose first commit DuckDB changes the rows."""
    with proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
        running = pool.submit(call)
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        made(lake, *MEANWHILE)
        gate.open()
        running.result(timeout=WAIT_SECONDS)


@pytest.mark.parametrize("second", ["Spark", "DuckDB"])
def test_rows_that_change_while_they_are_flushed_stay_changed(
    spark: SparkSession,
    lakes: LakeFactory,
    proxy: PostgresProxy,
    register: Register,
    second: str,
) -> None:
    """A twin that nobody flushes tells what must be seen of each snapshot and each range."""
    twin = lakes.new("postgres")
    head = made(twin, *BEFORE, *MEANWHILE)
    expected = by_duckdb(twin, head)
    lake = lakes.new("postgres")
    made(lake, *BEFORE)
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))

    changed_at_the_commit(lake, proxy, lambda: flush(spark, catalog))

    with Peer(lake) as peer:
        assert peer.head() == head + 1
    # The four rows that are no more, once each, and the three that came: (1, c), (1, d), (6, d).
    assert kept(lake) == 4 + 3
    assert differences(expected, by_duckdb(lake, head)) == {}
    ours = by_spark(spark, f"{catalog}.t", head)
    assert differences(by_spark(spark, f"{register(twin)}.t", head), ours) == {}

    if second == "Spark":
        flush(spark, catalog)
    else:
        made(lake, "CALL ducklake_flush_inlined_data('lake')")

    assert kept(lake) == 0
    assert differences(expected, by_duckdb(lake, head)) == {}
    assert differences(ours, by_spark(spark, f"{catalog}.t", head)) == {}
    assert (
        check(lake, Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)) == []
    )


def test_a_flush_begins_anew_when_too_many_rows_change(
    spark: SparkSession, lakes: LakeFactory, proxy: PostgresProxy, register: Register
) -> None:
    """Each change would be a row that the commit writes."""
    lake = lakes.new("postgres")
    made(lake, "CREATE TABLE t (i INT)", "INSERT INTO t SELECT i FROM range(1500) r(i)", limit=2000)
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))

    with proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
        running = pool.submit(flush, spark, catalog)
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        made(lake, "DELETE FROM t WHERE i >= 100", limit=2000)
        gate.open()
        assert running.result(timeout=WAIT_SECONDS) == [("main", "t", 1500)]

    assert kept(lake) == 0
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM t") == 100
        assert peer.value("SELECT count(*) FROM t AT (VERSION => 2)") == 1500
