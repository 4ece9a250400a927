"""A layout that hashes does not come between a statement and its commit.

DuckDB passes over files that were written before it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.flushing import kept
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers, made
from support.proxy import PostgresProxy, begins_a_commit

Register = Callable[..., str]
WAIT_SECONDS = 60


def disturbed(
    spark: SparkSession, lake: Lake, proxy: PostgresProxy, call: str, meanwhile: str
) -> None:
    """Run the call, at whose first commit DuckDB runs a statement."""
    with proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
        running = pool.submit(spark.sql, call)
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        with Peer(lake) as peer:
            peer.run(meanwhile)
        gate.open()
        running.result(timeout=WAIT_SECONDS)


def holds(lake: Lake, after: list[tuple[int]]) -> None:
    """DuckDB reads these rows, finds the 7, and no file is left over."""
    with Peer(lake) as peer:
        assert sorted(peer.rows("SELECT k FROM t")) == after
        assert peer.rows("SELECT k FROM t WHERE k = 7") == [(7,)]
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []


@pytest.mark.parametrize(
    ("meanwhile", "after"),
    [
        ("INSERT INTO t SELECT i FROM range(20) r(i)", [(i,) for i in range(20)]),
        ("INSERT INTO t VALUES (1), (7)", [(1,), (7,)]),
    ],
)
def test_a_hash_and_rows_that_come_at_once_conflict(
    spark: SparkSession,
    lakes: LakeFactory,
    proxy: PostgresProxy,
    register: Register,
    meanwhile: str,
    after: list[tuple[int]],
) -> None:
    lake = lakes.new("postgres")
    made(lake, "CREATE TABLE t (k INTEGER)")
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))
    call = f"CALL {catalog}.system.set_partitioned_by('t', array('bucket(4, k)'))"

    with pytest.raises(PySparkException) as raised:
        disturbed(spark, lake, proxy, call, meanwhile)

    assert raised.value.getCondition() == "DUCKLAKE_COMMIT_CONFLICT"
    holds(lake, after)


def test_a_flush_begins_anew_when_a_hash_comes_at_once(
    spark: SparkSession, lakes: LakeFactory, proxy: PostgresProxy, register: Register
) -> None:
    lake = lakes.new("postgres")
    made(lake, "CREATE TABLE t (k INTEGER)", "INSERT INTO t VALUES (1), (7)", limit=10)
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))
    call = f"CALL {catalog}.system.flush_inlined_data('t')"

    disturbed(spark, lake, proxy, call, "ALTER TABLE t SET PARTITIONED BY (bucket(4, k))")

    assert kept(lake) == 0
    holds(lake, [(1,), (7,)])
