"""A stream that merges its small files beside other writers, on PostgreSQL."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.invariants import Scope, check
from support.lakes import IN_FILES, LakeFactory
from support.logs import logged
from support.peer import Peer, committed_by_peers
from support.postgres import PostgresServer
from support.proxy import Cut, Matcher, PostgresProxy, begins_a_commit, begins_a_read, commits
from support.streams import Feed, Rows
from support.sweep import only_in_the_full_sweep

Register = Callable[..., str]
EVERY_THIRD = {"compact-after-epochs": "3"}


def batches(first: int, last: int) -> list[Rows]:
    """Batches of two rows each."""
    return [[(n, f"a{n}", n), (n + 1000, f"b{n}", n)] for n in range(first, last)]


def after_commit(number: int) -> Matcher:
    """Finds each statement after so many commits."""
    begun, ended = count(1), threading.Event()
    is_last = threading.Event()

    def found(sent: bytes) -> bool:
        if ended.is_set():
            return True
        if begins_a_commit(sent) and next(begun) == number:
            is_last.set()
        if is_last.is_set() and commits(sent):
            ended.set()
        return False

    return found


@pytest.mark.parametrize(
    ("gone", "is_merged"), [({1}, True), ({0, 1, 2}, False)], ids=["one", "each"]
)
def test_files_that_others_change_are_left_to_the_next_run(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    server: PostgresServer,
    tmp_path: Path,
    gone: set[int],
    is_merged: bool,
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INT, name VARCHAR, n INT)")
    events = Feed(spark, tmp_path)
    events.add(*map(tuple, batches(0, 3)))
    with PostgresProxy(server) as proxy:
        table = f"{register(replace(lake, uri=proxy.uri(lake.database)), IN_FILES)}.main.t"
        # Three commits of epochs, then that of the merge, whose file is written.
        numbers = count(1)
        with proxy.held(lambda sent: begins_a_commit(sent) and next(numbers) == 4) as gate:
            query = events.start(table, options=EVERY_THIRD)
            gate.wait()
            with Peer(lake) as peer:
                assert peer.head() == 4
                peer.run(f"DELETE FROM t WHERE id IN ({', '.join(map(str, gone))})")
            gate.open()
            query.awaitTermination()
        assert gate.has_come

        files = "SELECT count(*) FROM ducklake_list_files('lake', 't')"
        with Peer(lake) as peer:
            assert (peer.head(), peer.value(files)) == ((6, 2) if is_merged else (5, 3))

        events.add(*map(tuple, batches(3, 6)))
        assert events.run(table, options=EVERY_THIRD) == [3, 4, 5]

        expected = sorted(row for row in chain(*batches(0, 6)) if row[0] not in gone)
        with Peer(lake) as peer:
            assert peer.value(files) < 3 + 3
            assert peer.rows("FROM t ORDER BY id") == expected
        assert rows(spark, f"SELECT * FROM {table} ORDER BY id") == expected
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []


def test_several_runs_make_four_files_each_at_most(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INT, name VARCHAR, n INT)")
        peer.run("ALTER TABLE t SET PARTITIONED BY (id)")
    table = f"{register(lake, IN_FILES)}.main.t"
    events = Feed(spark, tmp_path)
    # Two files in each of seven partitions after two epochs, and one in each after the third.
    events.add(*(tuple((n, f"e{epoch}", epoch) for n in range(7)) for epoch in range(3)))
    events.run(table, options={"compact-after-epochs": "2"})
    in_a_partition = (
        "SELECT count(*) FROM ducklake_list_files('lake', 't') "
        "GROUP BY regexp_extract(data_file, 'id=([0-9]+)', 1) ORDER BY ALL"
    )
    with Peer(lake) as peer:
        assert peer.rows(in_a_partition) == [(2,)] * 4 + [(3,)] * 3
        assert peer.value("SELECT count(*) FROM t") == 21
    events.add(tuple((n, "e3", 3) for n in range(7)))
    events.run(table, options={"compact-after-epochs": "2"})
    with Peer(lake) as peer:
        left = [count for (count,) in peer.rows(in_a_partition)]
        assert len(left) == 7 and left.count(1) == 4
        assert peer.value("SELECT count(*) FROM t") == 28


@pytest.mark.parametrize("keys", [{}, {"merge-keys": "id"}], ids=["append", "upsert"])
def test_a_catalog_that_is_lost_after_the_commit_does_not_fail_the_stream(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    server: PostgresServer,
    tmp_path: Path,
    keys: dict[str, str],
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INT, name VARCHAR, n INT)")
    events = Feed(spark, tmp_path)
    events.add(*map(tuple, batches(0, 3)))
    with PostgresProxy(server) as proxy:
        table = f"{register(replace(lake, uri=proxy.uri(lake.database)), IN_FILES)}.main.t"
        with (
            logged(spark, "ducklake.spark.maintenance.StreamUpkeep") as log,
            proxy.cutting(Cut(after_commit(3), number=0, blocked=lambda _: True)) as cut,
        ):
            assert events.run(table, options={**EVERY_THIRD, **keys}) == [0, 1, 2]
        assert cut.happened
    assert str(log).count("WARN Files of main.t are not merged: ") == 1
    with Peer(lake) as peer:
        assert peer.rows("FROM t ORDER BY id") == sorted(chain(*batches(0, 3)))


@only_in_the_full_sweep("it waits for the end of a minute")
def test_a_run_ends_after_a_minute_and_the_next_one_goes_on(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    server: PostgresServer,
    tmp_path: Path,
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INT, name VARCHAR, n INT)")
    events = Feed(spark, tmp_path)
    events.add(*map(tuple, batches(0, 3)))
    with PostgresProxy(server) as proxy, ThreadPoolExecutor(1) as pool:
        table = f"{register(replace(lake, uri=proxy.uri(lake.database)), IN_FILES)}.main.t"
        is_upkeep = after_commit(3)
        with (
            logged(spark, "ducklake.spark.maintenance.StreamUpkeep") as log,
            proxy.held(lambda sent: is_upkeep(sent) and begins_a_read(sent)) as gate,
        ):
            query = events.start(table, options=EVERY_THIRD)
            gate.wait()
            # The merge gets no core while others have them all.
            cores = spark.sparkContext.defaultParallelism
            sleep = "reflect('java.lang.Thread', 'sleep', 80000L)"
            tasks = f"SELECT {sleep} FROM range(0, {cores}, 1, {cores})"
            others = pool.submit(lambda: spark.sql(tasks).collect())
            jobs = spark.sparkContext.statusTracker()
            while not jobs.getActiveStageIds():
                assert not others.done(), others.result()
                time.sleep(0.01)
            begin = time.monotonic()
            gate.open()
            query.awaitTermination()
            waited = time.monotonic() - begin
            assert "Upkeep of main.t was broken off after 60 seconds" in str(log)
        assert 55 < waited < 75
        others.result()

        files = "SELECT count(*) FROM ducklake_list_files('lake', 't')"
        with Peer(lake) as peer:
            assert peer.value(files) == 3
        events.add(*map(tuple, batches(3, 6)))
        events.run(table, options=EVERY_THIRD)
        with Peer(lake) as peer:
            assert peer.value(files) == 1
            assert peer.rows("FROM t ORDER BY id") == sorted(chain(*batches(0, 6)))
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []
