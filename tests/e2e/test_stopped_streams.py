"""What stops a stream that reads a lake, and what refuses to begin."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import SparkSession

from support.lakes import Lake, LakeFactory
from support.peer import Peer
from support.streams import Stream

Register = Callable[..., str]

CANNOT = "DUCKLAKE_STREAM_CANNOT_CONTINUE"
MANY = "INSERT INTO t SELECT i, 'many' FROM range({}, {}) r(i)"
"""More rows than DuckDB keeps in the catalog."""

THERE = [(1, "one"), (3, "three")]


def leave_open(stream: Stream) -> None:
    """Plans a batch of all that is new, which its sink does not take."""

    def fail(_: object) -> None:
        raise ValueError("the sink is full")

    with pytest.raises(StreamingQueryException, match="the sink is full"):
        stream.run(stream.of(), fail)


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
        CANNOT,
        f"snapshot {updated} deletes or updates rows",
        f"main.t.changes`, from `start-snapshot` {updated - 1} on",
        "skip-changes",
    )
    assert stream.rows(stream.of(skip_changes="true")) == [(4, "four"), (5, "five")]

    with Peer(lake) as peer:
        peer.run("CALL ducklake_flush_inlined_data('lake')", MANY.format(100, 120))
        peer.run("DELETE FROM t WHERE id BETWEEN 105 AND 119")
    assert stream.rows(stream.of(skip_changes="true")) == [(i, "many") for i in range(100, 120)]


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
    stream.refused(stream.of(), CANNOT, f"snapshot {deleted} deletes or updates rows")
    assert stream.rows(stream.of(skip_changes="true")) == [(5, "five")]


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


def test_a_stream_follows_only_its_own_table(stream: Stream, lake: Lake) -> None:
    frame = stream.of()
    assert stream.rows(frame) == THERE
    with Peer(lake) as peer:
        peer.run("ALTER TABLE t ADD COLUMN more INTEGER", "INSERT INTO t VALUES (4, 'four', 4)")
    stream.refused(frame, CANNOT, "columns of the table have changed", "`more`")
    frame = stream.of()
    assert stream.rows(frame) == [(4, "four", 4)]

    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (5, 'five', 5)", "ALTER TABLE t RENAME TO renamed")
    stream.refused(frame, CANNOT, "renamed to", "main.renamed")
    assert stream.rows(stream.of("renamed")) == [(5, "five", 5)]

    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id BIGINT, name VARCHAR, more INTEGER)")
    stream.refused(frame, CANNOT, "another one has its name")
    stream.refused(stream.of(), CANNOT, "another table")
    with Peer(lake) as peer:
        peer.run("DROP TABLE t", "DROP TABLE renamed")
    stream.refused(frame, CANNOT, "the table was dropped")


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
    stream.refused(stream.of(), CANNOT, "names snapshot 2", "newest snapshot is 1")
    insert(2)
    stream.refused(stream.of(), CANNOT, "names snapshot 2 of", "restored")
    insert(3)
    stream.refused(stream.of(), CANNOT, "names snapshot 2 of", "restored")


def test_a_stream_that_needs_an_expired_snapshot_is_refused(stream: Stream, lake: Lake) -> None:
    assert stream.rows(stream.of()) == THERE
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (4, 'four')", "INSERT INTO t VALUES (5, 'five')")
        last = peer.head()
        peer.run(f"CALL ducklake_expire_snapshots('lake', versions => {[*range(last)]})")

    stream.refused(stream.of(), CANNOT, f"from `start-snapshot` {last} on", "DuckDB has expired")
    limited = stream.of(max_files_per_trigger=1)
    stream.refused(limited, CANNOT, f"from `start-snapshot` {last} on")


def test_an_open_batch_whose_end_has_expired_is_refused(stream: Stream, lake: Lake) -> None:
    leave_open(stream)
    with Peer(lake) as peer:
        planned = peer.head()
        peer.run("INSERT INTO t VALUES (4, 'four')")
        peer.run(f"CALL ducklake_expire_snapshots('lake', versions => {[*range(planned + 1)]})")

    words = (f"was to end with snapshot {planned}", "expired since", "another checkpoint")
    stream.refused(stream.of(), CANNOT, *words)


@pytest.mark.parametrize("read", [False, True], ids=["first", "later"])
def test_an_open_batch_of_a_lake_that_was_restored_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path, *, read: bool
) -> None:
    made = lakes.new("sqlite")
    file, copy = Path(made.database), tmp_path / "copy"
    with Peer(made) as peer:
        peer.run("CREATE TABLE t (a INT)")
    stream = Stream(spark, tmp_path, register(made))
    if read:
        assert stream.rows(stream.of()) == []
    shutil.copy(file, copy)
    with Peer(made) as peer:
        peer.run("INSERT INTO t VALUES (1)")
    leave_open(stream)

    shutil.copy(copy, file)

    stream.refused(stream.of(), CANNOT, "names snapshot 2", "newest snapshot is 1", "restored")


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


def test_a_start_that_has_expired_does_not_stop_a_stream_beyond_it(
    stream: Stream, lake: Lake
) -> None:
    with Peer(lake) as peer:
        start = peer.head() + 1
        peer.run("INSERT INTO t VALUES (4, 'four')", "INSERT INTO t VALUES (5, 'five')")
    options = {"start_snapshot": start}
    assert stream.rows(stream.of(**options)) == [(4, "four"), (5, "five")]
    with Peer(lake) as peer:
        peer.run(
            "CALL ducklake_expire_snapshots('lake', older_than => now())",
            "INSERT INTO t VALUES (6, 'six')",
        )
    assert stream.rows(stream.of(**options)) == [(6, "six")]
    stream.checkpoint = stream.checkpoint / "new"
    stream.refused(stream.of(**options), "DUCKLAKE_NO_SUCH_SNAPSHOT", str(start))


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
