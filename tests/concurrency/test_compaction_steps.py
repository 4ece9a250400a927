"""Rows that go while a compaction of several steps is at work, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import pytest
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.proxy import PostgresProxy, begins_a_commit
from support.sweep import FULL

Register = Callable[..., str]
WAIT_SECONDS = 120
GROUPS = 70
"""More than the 64 of a step, so that there are two steps: each partition is a group."""
LAST = GROUPS - 1

ROWS = {(p, i) for p in range(GROUPS) for i in range(8)}
MERGE = "CALL {c}.system.merge_adjacent_files('t')"
REWRITE = "CALL {c}.system.rewrite_data_files('t', delete_threshold => 0)"


def filled(lakes: LakeFactory, *more: str) -> Lake:
    """A table with two files of four rows in each partition."""
    lake = lakes.new("postgres")
    half = "INSERT INTO t SELECT p, i FROM range({n}) a(p), range({a}, {b}) b(i)"
    with Peer(lake) as peer:
        peer.run(
            "CALL lake.set_option('data_inlining_row_limit', 0)",
            "CREATE TABLE t (p INTEGER, i INTEGER)",
            "ALTER TABLE t SET PARTITIONED BY (p)",
            half.format(n=GROUPS, a=0, b=4),
            half.format(n=GROUPS, a=4, b=8),
            *more,
        )
    return lake


def disturbed(
    spark: SparkSession, lake: Lake, proxy: PostgresProxy, catalog: str, call: str, meanwhile: str
) -> int:
    """Run DuckDB's statement when the first step is written and not committed.

    Returns how many groups the call has compacted.
    """
    with proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: spark.sql(call.format(c=catalog)).collect())
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        with Peer(lake) as peer:
            peer.run(meanwhile)
        gate.open()
        return len(running.result(timeout=WAIT_SECONDS))


def holds(spark: SparkSession, lake: Lake, catalog: str, expected: set[tuple[int, int]]) -> None:
    """Both engines read these rows, each once, and no file is left over."""
    with Peer(lake) as peer:
        assert peer.rows("SELECT p, i FROM t ORDER BY ALL") == sorted(expected)
    found = spark.sql(f"SELECT p, i FROM {catalog}.main.t ORDER BY p, i").collect()
    assert [tuple(row) for row in found] == sorted(expected)
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []


SOME = (f"DELETE FROM t WHERE p = {LAST} AND i IN (1, 6)", (1, 6))
ALL = (f"DELETE FROM t WHERE p = {LAST}", tuple(range(8)))
CASES = [(REWRITE, *ALL)]
if FULL:
    CASES += [(MERGE, *SOME), (MERGE, *ALL), (REWRITE, *SOME)]
"""In each run a row is deleted while files are merged, too: see the conflict below."""


@pytest.mark.parametrize(("call", "meanwhile", "gone"), CASES)
def test_a_later_step_brings_no_deleted_row_back(
    spark: SparkSession,
    lakes: LakeFactory,
    proxy: PostgresProxy,
    register: Register,
    call: str,
    meanwhile: str,
    gone: tuple[int, ...],
) -> None:
    deleted = {row for row in ROWS if row[1] == 3 and call == REWRITE}
    lake = filled(lakes, *(["DELETE FROM t WHERE i = 3"] if deleted else []))
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))

    disturbed(spark, lake, proxy, catalog, call, meanwhile)

    expected = {(p, i) for p, i in ROWS - deleted if p != LAST or i not in gone}
    holds(spark, lake, catalog, expected)


def test_a_conflict_costs_only_the_groups_concerned(
    spark: SparkSession, lakes: LakeFactory, proxy: PostgresProxy, register: Register
) -> None:
    lake = filled(lakes)
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))

    groups = disturbed(spark, lake, proxy, catalog, MERGE, "DELETE FROM t WHERE p = 7 AND i = 1")

    assert groups == GROUPS - 1
    ids = sorted(int(row["next_file_id"]) for row in read_catalog(lake).rows("snapshot"))
    assert [after - before for before, after in pairwise(ids)][-2:] == [63, 6]
    holds(spark, lake, catalog, ROWS - {(7, 1)})
