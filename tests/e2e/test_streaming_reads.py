"""Streams that read a lake: each row once, in the batches of the snapshots that DuckDB commits."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from support.lakes import Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]
Rows = list[tuple[Any, ...]]

MANY = "INSERT INTO t SELECT i, 'many' FROM range({}, {}) r(i)"
"""More rows than DuckDB keeps in the catalog."""


OPENSSL = ("httpfs",)
"""DuckDB encrypts with the library of this extension."""


class Stream:
    """A stream of a lake with a checkpoint, run again and again until nothing is new."""

    def __init__(self, spark: SparkSession, folder: Path, catalog: str) -> None:
        """A stream that has not begun."""
        self.spark, self.catalog = spark, catalog
        self.checkpoint = folder / "checkpoint"

    def of(self, table: str = "t", **options: object) -> DataFrame:
        """The stream as Spark analyses it now; `_` in the name of an option stands for a hyphen."""
        reader = self.spark.readStream
        for name, value in options.items():
            reader = reader.option(name.replace("_", "-"), str(value))
        return reader.table(f"{self.catalog}.main.{table}")

    def run(
        self, frame: DataFrame, seen: Callable[[Rows], object] = lambda rows: None
    ) -> list[Rows]:
        """The rows of each batch that there is now."""
        batches: list[Rows] = []

        def keep(rows: DataFrame, _: int) -> None:
            found = sorted(map(tuple, rows.collect()))
            seen(found)
            batches.append(found)

        writer = frame.writeStream.foreachBatch(keep).trigger(availableNow=True)
        writer.option("checkpointLocation", str(self.checkpoint)).start().awaitTermination()
        return batches

    def rows(self, frame: DataFrame) -> Rows:
        """The rows of all batches that there are now."""
        return sorted(row for batch in self.run(frame) for row in batch)

    def refused(self, frame: DataFrame, condition: str, *words: str) -> None:
        """The next batch fails for a reason that names these words."""
        with pytest.raises(StreamingQueryException) as raised:
            self.run(frame)
        for word in (f"[{condition}]", *words):
            assert word in str(raised.value)


@pytest.fixture
def stream(spark: SparkSession, lake: Lake, register: Register, tmp_path: Path) -> Stream:
    """A stream of a lake with a table `t` of three rows, one of them deleted."""
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (id BIGINT, name VARCHAR)",
            "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')",
            "DELETE FROM t WHERE id = 2",
        )
    return Stream(spark, tmp_path, register(lake))


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
        peer.run("INSERT INTO other VALUES (1)", "CALL ducklake_flush_inlined_data('lake')")
        peer.run("CALL ducklake_merge_adjacent_files('lake')")
    assert stream.rows(stream.of()) == []

    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (6, 'six')")
    assert stream.rows(stream.of()) == [(6, "six")]


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


def test_deletes_and_updates_stop_a_stream_of_a_table_or_are_skipped(
    stream: Stream, lake: Lake
) -> None:
    assert stream.rows(stream.of()) == THERE
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (4, 'four')", "UPDATE t SET name = 'ONE' WHERE id = 1")
        updated = peer.head()
        peer.run("INSERT INTO t VALUES (5, 'five')")

    stream.refused(
        stream.of(),
        "DUCKLAKE_STREAM_CANNOT_CONTINUE",
        f"snapshot {updated} deletes or updates rows",
        f"main.t.changes`, from `start-snapshot` {updated - 1} on",
        "skip-changes",
    )
    assert stream.rows(stream.of(skip_changes="true")) == [(4, "four"), (5, "five")]

    with Peer(lake) as peer:
        peer.run("CALL ducklake_flush_inlined_data('lake')", MANY.format(100, 120))
        peer.run("DELETE FROM t WHERE id BETWEEN 105 AND 119")
    assert stream.rows(stream.of(skip_changes="true")) == [(i, "many") for i in range(100, 120)]
    with Peer(lake) as peer:
        peer.run("CALL ducklake_rewrite_data_files('lake', delete_threshold => 0.1)")
    assert stream.rows(stream.of()) == []


def test_a_flush_of_deletes_deletes_nothing(stream: Stream, lake: Lake) -> None:
    flush = "CALL ducklake_flush_inlined_data('lake')"
    with Peer(lake) as peer:
        peer.run(flush, MANY.format(100, 130), "DELETE FROM t WHERE id = 105")
    left = [(i, "many") for i in range(100, 130) if i != 105]
    assert stream.rows(stream.of()) == [*THERE, *left]
    with Peer(lake) as peer:
        peer.run(flush, "INSERT INTO t VALUES (4, 'four')")
    assert stream.rows(stream.of()) == [(4, "four")]

    bulk = "DELETE FROM t WHERE id BETWEEN 110 AND 129"
    with Peer(lake) as peer:
        peer.run("BEGIN", bulk, flush, "COMMIT", "INSERT INTO t VALUES (5, 'five')")
        deleted = peer.head() - 1
    cannot = "DUCKLAKE_STREAM_CANNOT_CONTINUE"
    stream.refused(stream.of(), cannot, f"snapshot {deleted} deletes or updates rows")
    assert stream.rows(stream.of(skip_changes="true")) == [(5, "five")]


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


@pytest.mark.parametrize("limit", [0, 10], ids=["files", "inlined"])
def test_a_null_that_is_older_than_not_null_is_no_other_value(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path, limit: int
) -> None:
    made = lakes.new("sqlite")
    with Peer(made, f"DATA_INLINING_ROW_LIMIT {limit}") as peer:
        peer.run(
            "CREATE TABLE t (a INTEGER)",
            "INSERT INTO t VALUES (NULL)",
            "UPDATE t SET a = 1",
            "ALTER TABLE t ALTER COLUMN a SET NOT NULL",
        )
    stream = Stream(spark, tmp_path, register(made))
    rows = stream.of(start_snapshot=2, skip_changes="true")

    with pytest.raises(StreamingQueryException, match="DROP NOT NULL makes its rows readable"):
        stream.run(rows)
    with Peer(made) as peer:
        peer.run("ALTER TABLE t ALTER COLUMN a DROP NOT NULL")
    assert stream.rows(stream.of(start_snapshot=2, skip_changes="true")) == [(None,)]


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


def test_a_stream_follows_only_its_own_table(stream: Stream, lake: Lake) -> None:
    frame = stream.of()
    assert stream.rows(frame) == THERE
    with Peer(lake) as peer:
        peer.run("ALTER TABLE t ADD COLUMN more INTEGER", "INSERT INTO t VALUES (4, 'four', 4)")
    cannot = "DUCKLAKE_STREAM_CANNOT_CONTINUE"
    stream.refused(frame, cannot, "columns of the table have changed", "`more`")
    frame = stream.of()
    assert stream.rows(frame) == [(4, "four", 4)]

    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (5, 'five', 5)", "ALTER TABLE t RENAME TO renamed")
    stream.refused(frame, cannot, "renamed to", "main.renamed")
    assert stream.rows(stream.of("renamed")) == [(5, "five", 5)]

    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id BIGINT, name VARCHAR, more INTEGER)")
    stream.refused(frame, cannot, "another one has its name")
    stream.refused(stream.of(), cannot, "another table")
    with Peer(lake) as peer:
        peer.run("DROP TABLE t", "DROP TABLE renamed")
    stream.refused(frame, cannot, "the table was dropped")


def test_a_lake_that_was_restored_from_a_copy_is_found_out(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    made = lakes.new("sqlite")
    file, copy = Path(made.database), tmp_path / "copy"

    def insert(value: int) -> None:
        with Peer(made) as peer:
            peer.run(f"INSERT INTO t VALUES ({value})")

    with Peer(made) as peer:
        peer.run("CREATE TABLE t (a INT)")
    stream = Stream(spark, tmp_path, register(made))
    shutil.copy(file, copy)
    insert(1)
    assert stream.rows(stream.of()) == [(1,)]

    shutil.copy(copy, file)
    cannot = "DUCKLAKE_STREAM_CANNOT_CONTINUE"
    stream.refused(stream.of(), cannot, "up to snapshot 2", "newest snapshot is 1")
    insert(2)
    stream.refused(stream.of(), cannot, "up to snapshot 2 of", "restored")
    insert(3)
    stream.refused(stream.of(), cannot, "up to snapshot 2 of", "restored")


def test_a_stream_that_needs_an_expired_snapshot_is_refused(stream: Stream, lake: Lake) -> None:
    assert stream.rows(stream.of()) == THERE
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (4, 'four')", "INSERT INTO t VALUES (5, 'five')")
        last = peer.head()
        peer.run(f"CALL ducklake_expire_snapshots('lake', versions => {[*range(last)]})")

    stream.refused(stream.of(), "DUCKLAKE_CHANGES_EXPIRED", f"from snapshot {last} on")
    limited = stream.of(max_files_per_trigger=1)
    stream.refused(limited, "DUCKLAKE_CHANGES_EXPIRED", f"from snapshot {last} on")


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


REFUSED = {
    "start-snapshot": ("99", "DUCKLAKE_NO_SUCH_SNAPSHOT", "the newest is 3"),
    "end-snapshot": ("3", "DUCKLAKE_INVALID_SETTING", "A stream has no end"),
    "versionAsOf": ("3", "DUCKLAKE_INVALID_SETTING", "`start-snapshot` names the first one"),
    "snapshot-id": ("3", "DUCKLAKE_INVALID_SETTING", "`start-snapshot` names the first one"),
    "maxFilesPerTrigger": ("1", "DUCKLAKE_INVALID_SETTING", "`max-files-per-trigger`"),
    "max-rows-per-trigger": ("0", "DUCKLAKE_INVALID_ARGUMENT", "whole number from 1"),
    "skip-change": ("true", "DUCKLAKE_INVALID_SETTING", "nearest known option is `skip-changes`"),
}
"""Options of a stream with their values, the condition of the error, and a word of it."""


def test_options_that_a_stream_does_not_have_are_refused(
    spark: SparkSession, stream: Stream
) -> None:
    def refused(table: str, name: str, value: str, *words: str) -> None:
        with pytest.raises(PySparkException) as raised:
            stream.run(spark.readStream.option(name, value).table(f"{stream.catalog}.main.{table}"))
        assert all(word in str(raised.value) for word in words), str(raised.value)

    for name, (value, *words) in REFUSED.items():
        refused("t", name, value, *words)
    refused("t.changes", "skip-changes", "true", "A change feed has all changes")
    refused("t.changes", "end-snapshot", "3", "A stream has no end")
    with pytest.raises(Exception, match="is an option of streams"):
        spark.read.option("max-files-per-trigger", 1).table(f"{stream.catalog}.main.t").count()


def test_a_catalog_that_is_pinned_has_no_streams(
    spark: SparkSession, lake: Lake, register: Register, stream: Stream
) -> None:
    pinned = register(lake, {"snapshot-version": "2"})
    for table in ("t", "t.changes"):
        with pytest.raises(PySparkException, match="pinned to a snapshot"):
            stream.run(spark.readStream.table(f"{pinned}.main.{table}"))


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
