"""Streams that read a lake: each row once, in the batches of the snapshots that DuckDB commits."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)
from pyspark.sql.streaming.query import StreamingQuery

from support.lakes import Lake, LakeFactory
from support.logs import logged
from support.peer import Peer
from support.streams import Rows, Stream

Register = Callable[..., str]

MANY = "INSERT INTO t SELECT i, 'many' FROM range({}, {}) r(i)"
"""More rows than DuckDB keeps in the catalog."""

OPENSSL = ("httpfs",)
"""DuckDB encrypts with the library of this extension."""

THERE = [(1, "one"), (3, "three")]


def test_a_stream_of_a_table_has_its_rows_and_then_the_new_ones(stream: Stream, lake: Lake) -> None:
    assert stream.run(stream.of()) == [THERE]
    assert stream.run(stream.of()) == []

    with Peer(lake) as peer:
        before = peer.head()
        peer.run(
            "INSERT INTO t VALUES (4, 'four')",
            MANY.format(100, 130),
            "CREATE TABLE other (a INT)",
            "INSERT INTO t VALUES (5, NULL)",
        )
        expected = peer.rows(f"FROM table_insertions('t', {before + 1}, {peer.head()})")
    assert stream.run(stream.of()) == [sorted(expected)]

    with Peer(lake) as peer:
        peer.run("INSERT INTO other VALUES (1)")
    assert stream.rows(stream.of()) == []

    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (6, 'six')")
    assert stream.rows(stream.of()) == [(6, "six")]


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_compactions_are_no_changes(stream: Stream, lake: Lake, engine: str) -> None:
    def call(procedure: str, arguments: str = "") -> None:
        if engine == "spark":
            stream.spark.sql(f"CALL {stream.catalog}.system.{procedure}({arguments})").collect()
        else:
            with Peer(lake) as peer:
                peer.run(f"CALL ducklake_{procedure}('lake'{arguments and f', {arguments}'})")

    with Peer(lake) as peer:
        peer.run(MANY.format(100, 130), "DELETE FROM t WHERE id = 105")
    many = [(i, "many") for i in range(100, 130) if i != 105]
    assert stream.rows(stream.of()) == [*THERE, *many]
    call("flush_inlined_data")
    assert stream.rows(stream.of()) == []

    with Peer(lake) as peer:
        peer.run("DELETE FROM t WHERE id BETWEEN 110 AND 129")
    assert stream.rows(stream.of(skip_changes="true")) == []
    call("rewrite_data_files", "delete_threshold => 0.1")
    with Peer(lake) as peer:
        peer.run(MANY.format(200, 230), MANY.format(230, 260))
    assert stream.rows(stream.of()) == [(i, "many") for i in range(200, 260)]

    call("merge_adjacent_files")
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (4, 'four')")
    assert stream.rows(stream.of()) == [(4, "four")]


def test_a_batch_that_failed_is_read_again_as_it_was(stream: Stream, lake: Lake) -> None:
    def fail(_: Rows) -> None:
        raise ValueError("the sink is full")

    def add(*values: str) -> None:
        with Peer(lake) as peer:
            peer.run(*(f"INSERT INTO t VALUES {row}" for row in values))

    with pytest.raises(StreamingQueryException, match="the sink is full"):
        stream.run(stream.of(), fail)
    add("(4, 'four')")
    assert stream.run(stream.of()) == [THERE, [(4, "four")]]

    add("(5, 'five')")
    with pytest.raises(StreamingQueryException, match="the sink is full"):
        stream.run(stream.of(), fail)
    add("(6, 'six')")
    assert stream.run(stream.of()) == [[(5, "five")], [(6, "six")]]


def test_a_stream_that_starts_at_a_snapshot_is_cut_at_the_snapshots(
    stream: Stream, lake: Lake
) -> None:
    with Peer(lake) as peer:
        start = peer.head() + 1
        peer.run(
            "INSERT INTO t VALUES (4, 'four'), (5, 'five')",
            MANY.format(100, 130),
            "CREATE TABLE other (a INT)",
            *["INSERT INTO other VALUES (1)"] * 70,
            MANY.format(200, 230),
            "INSERT INTO t VALUES (6, 'six')",
        )
        snapshots = {"small": (start, start), "many": (start + 1, start + 1)}
        expected = {
            name: sorted(peer.rows(f"FROM table_insertions('t', {first}, {last})"))
            for name, (first, last) in snapshots.items()
        }
        rest = sorted(peer.rows(f"FROM table_insertions('t', {start + 2}, {peer.head()})"))
        times = "SELECT snapshot_time FROM ducklake_snapshots('lake') WHERE snapshot_id = {}"
        time = peer.value(times.format(start + 2))

    found = stream.run(stream.of(start_snapshot=start, max_rows_per_trigger=31))
    assert found == [expected["small"], expected["many"], rest]
    stream.checkpoint = stream.checkpoint / "files"
    found = stream.run(stream.of(start_snapshot=start, max_files_per_trigger=2))
    assert found == [sorted(expected["small"] + expected["many"]), rest]
    stream.checkpoint = stream.checkpoint / "time"
    assert stream.run(stream.of(start_timestamp=time)) == [rest]


@pytest.mark.parametrize("feed", ["changes", "insertions", "deletions"])
def test_a_stream_of_a_change_feed_is_duckdbs_feed(stream: Stream, lake: Lake, feed: str) -> None:
    table = f"t.{feed}"
    assert stream.run(stream.of(table)) == [[]]
    with Peer(lake) as peer:
        before = peer.head()
        peer.run(
            "INSERT INTO t VALUES (4, 'four')",
            "UPDATE t SET name = 'ONE' WHERE id = 1",
            MANY.format(100, 130),
            "DELETE FROM t WHERE id IN (3, 105, 106)",
        )
        query = f"FROM table_{feed}('t', {{}}, {peer.head()})"
        expected = sorted(peer.rows(query.format(before + 1)))
        whole = sorted(peer.rows(query.format(1)))

    found = stream.run(stream.of(table, max_files_per_trigger=1))
    assert len(found) > 1
    assert sorted(row for batch in found for row in batch) == expected
    stream.checkpoint = stream.checkpoint / "whole"
    assert stream.rows(stream.of(table, start_snapshot=1)) == whole


def test_hidden_columns_are_those_of_the_feeds(stream: Stream, lake: Lake) -> None:
    frame = stream.of("t.insertions", start_snapshot=2).select("rowid", "snapshot_id", "id")
    assert stream.rows(frame) == [(0, 2, 1), (1, 2, 2), (2, 2, 3)]

    stream.checkpoint = stream.checkpoint / "hidden"
    refused = stream.of().select("id", "filename")
    stream.refused(refused, "DUCKLAKE_UNSUPPORTED", "hidden column", "main.t.insertions")


def test_a_query_may_have_a_stream_twice(stream: Stream, lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run(MANY.format(100, 130), "UPDATE t SET name = 'ONE' WHERE id IN (1, 110)")
    frame = stream.of("t.changes", start_snapshot=1)
    twice = frame.where("change_type LIKE 'update%'").union(frame.where("id = 110"))
    kinds = sorted((row[3], row[2]) for row in stream.rows(twice))
    updates = ["update_postimage", "update_preimage"]
    assert kinds == sorted(
        [*((id, kind) for id in (1, 110) for kind in updates)]
        + [(110, kind) for kind in ("insert", *updates)]
    )


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_expiry_does_not_overtake_a_stream_whose_table_rests(stream: Stream, lake: Lake) -> None:
    def other() -> int:
        with Peer(lake) as peer:
            peer.run("CREATE OR REPLACE TABLE other (a INT)")
            return peer.head()

    with closing(sqlite3.connect(lake.database)) as catalog, catalog:
        catalog.execute("UPDATE ducklake_snapshot SET snapshot_time = '2026-01-01 00:00:00+00'")
    assert stream.rows(stream.of()) == THERE
    seen = other()
    assert stream.run(stream.of()) == [[]]
    other()
    assert stream.run(stream.of()) == []
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (4, 'four')")
        peer.run(f"CALL ducklake_expire_snapshots('lake', versions => {[*range(seen + 1)]})")
    assert stream.run(stream.of()) == [[(4, "four")]]


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
def test_a_running_stream_waits_for_its_own_table(stream: Stream, lake: Lake) -> None:
    batches: list[Rows] = []
    writer = stream.of().writeStream.foreachBatch(
        lambda rows, _: batches.append(sorted(map(tuple, rows.collect())))
    )
    query = writer.option("checkpointLocation", str(stream.checkpoint)).start()
    try:
        query.processAllAvailable()
        for statement in (
            "CREATE TABLE other (a INT)",
            "INSERT INTO other VALUES (1)",
            "INSERT INTO t VALUES (4, 'four')",
            "INSERT INTO other VALUES (2)",
        ):
            with Peer(lake) as peer:
                peer.run(statement)
            query.processAllAvailable()
        progress = query.recentProgress
    finally:
        query.stop()

    assert batches == [THERE, [(4, "four")]]
    assert {source.description for each in progress for source in each.sources} == {
        f"stream of {stream.catalog}.main.t"
    }
    assert progress[0].sources[0].metrics == {"snapshotsBehind": "0"}


def test_an_encrypted_lake_is_streamed(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    made = lakes.new("sqlite")
    options = ("ENCRYPTED", "DATA_INLINING_ROW_LIMIT 0")
    with Peer(made, *options, extensions=OPENSSL) as peer:
        peer.run("CREATE TABLE t (id BIGINT, name VARCHAR)", MANY.format(0, 2))
    stream = Stream(spark, tmp_path, register(made))
    assert stream.rows(stream.of()) == [(0, "many"), (1, "many")]
    with Peer(made, extensions=OPENSSL) as peer:
        peer.run(MANY.format(2, 4))
    assert stream.rows(stream.of()) == [(2, "many"), (3, "many")]


class _Idle(StreamingQueryListener):
    """Counts how often Spark found nothing to do in the queries of the session."""

    def __init__(self) -> None:
        self.count = 0

    def onQueryStarted(self, event: QueryStartedEvent) -> None: ...

    def onQueryProgress(self, event: QueryProgressEvent) -> None: ...

    def onQueryIdle(self, event: QueryIdleEvent) -> None:
        self.count += 1

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None: ...

    def wait(self, query: StreamingQuery, more: int) -> None:
        """Waits until there was nothing to do so many times more; the query is the only one."""
        wanted, deadline = self.count + more, time.monotonic() + 120
        while self.count < wanted:
            assert query.isActive and time.monotonic() < deadline, query.exception()
            time.sleep(0.01)


@pytest.mark.parametrize("trigger", [None, "20 milliseconds"])
def test_an_idle_stream_asks_little(
    spark: SparkSession, stream: Stream, trigger: str | None
) -> None:
    """Without a trigger it asks once a second, however often Spark asks it; else each time."""
    key = "spark.sql.streaming.noDataProgressEventInterval"
    spark.conf.set(key, "0")
    idle = _Idle()
    spark.streams.addListener(idle)
    writer = stream.of().writeStream.format("noop")
    writer = writer.option("checkpointLocation", str(stream.checkpoint))
    if trigger is not None:
        writer = writer.trigger(processingTime=trigger)
    query = writer.start()
    try:
        query.processAllAvailable()
        idle.wait(query, 2)
        begun = time.monotonic()
        with logged(spark, "ducklake.catalog.jdbc.Session", "DEBUG", "%t: %m%n") as log:
            idle.wait(query, 150)
            lines = str(log).splitlines()
        seconds = time.monotonic() - begun
    finally:
        query.stop()
        spark.streams.removeListener(idle)
        spark.conf.unset(key)

    statements = sum(str(query.runId) in line and " ms: " in line for line in lines)
    if trigger is None:
        assert 0 < statements <= 2 * (seconds + 2)
    else:
        assert statements > 50
