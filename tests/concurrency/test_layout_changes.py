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

from support.invariants import Scope, check
from support.lakes import LakeFactory
from support.peer import Peer, committed_by_peers
from support.proxy import PostgresProxy, begins_a_commit

Register = Callable[..., str]
BY_HASH = "ALTER TABLE t SET PARTITIONED BY (bucket(4, k))"


@pytest.mark.parametrize(
    ("before", "statement", "meanwhile", "after"),
    [
        (["INSERT INTO t VALUES (1), (7)"], "flush_inlined_data('t')", BY_HASH, [(1,), (7,)]),
        (
            [],
            "set_partitioned_by('t', array('bucket(4, k)'))",
            "INSERT INTO t SELECT i FROM range(20) r(i)",
            [(i,) for i in range(20)],
        ),
        (
            [],
            "set_partitioned_by('t', array('bucket(4, k)'))",
            "INSERT INTO t VALUES (1), (7)",
            [(1,), (7,)],
        ),
    ],
)
def test_a_hash_and_rows_that_come_at_once_conflict(
    spark: SparkSession,
    lakes: LakeFactory,
    proxy: PostgresProxy,
    register: Register,
    before: list[str],
    statement: str,
    meanwhile: str,
    after: list[tuple[int]],
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (k INTEGER)", *before)
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))

    with proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
        running = pool.submit(spark.sql, f"CALL {catalog}.system.{statement}")
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        with Peer(lake) as peer:
            peer.run(meanwhile)
        gate.open()
        with pytest.raises(PySparkException) as raised:
            running.result(timeout=60)

    assert raised.value.getCondition() == "DUCKLAKE_COMMIT_CONFLICT"
    with Peer(lake) as peer:
        assert sorted(peer.rows("SELECT k FROM t")) == after
        assert peer.rows("SELECT k FROM t WHERE k = 7") == [(7,)]
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []
