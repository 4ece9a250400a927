"""Readers that expiry knows: it keeps what they have not read, and says whom it strands."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import ducklake_spark as dl
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.catalogdb import execute
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.lines import CHANGES, since
from support.logs import logged
from support.peer import Peer
from support.streams import Rows, Stream

Register = Callable[..., str]

ARGUMENT = "DUCKLAKE_INVALID_ARGUMENT"
CANNOT = "DUCKLAKE_STREAM_CANNOT_CONTINUE"
ODD = "it's `the` \"1st\" %_ \\ straße 🦆. ' -- "
ALL = "older_than => now() + INTERVAL 1 DAY"
MANY = "INSERT INTO t SELECT i, 'many' FROM range({0}00, {0}30) r(i)"
"""A file of 30 rows."""

THERE = [(1, "one"), (3, "three")]


@pytest.fixture
def lake(lakes: LakeFactory, kind: CatalogKind) -> Iterator[Lake]:
    """A new lake, of which any snapshot but the newest may expire."""
    made_lake = lakes.new(kind)
    Peer(made_lake).close()
    yield made_lake
    with Peer(made_lake) as peer:
        head = peer.head()
    assert check(made_lake, Scope(None, expired=frozenset(range(head)))) == []


def many(number: int) -> Rows:
    """The rows of such a file."""
    return [(i, "many") for i in range(number * 100, number * 100 + 30)]


def text(given: str) -> str:
    """A literal of Spark SQL."""
    escaped = given.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def call(stream: Stream, procedure: str, arguments: str = "") -> list[Any]:
    """What a procedure returns."""
    return stream.spark.sql(f"CALL {stream.catalog}.system.{procedure}({arguments})").collect()


def expire(stream: Stream) -> list[Any]:
    """All snapshots that may go expire, and then the files; a dry run says the same before."""
    dry = call(stream, "expire_snapshots", f"{ALL}, dry_run => true")
    done = call(stream, "expire_snapshots", ALL)
    assert done == dry
    call(stream, "cleanup_old_files", "cleanup_all => true")
    return done


def readers(stream: Stream) -> list[Any]:
    """The readers that are registered."""
    return stream.spark.sql(f"SELECT * FROM {stream.catalog}.system.readers").collect()


def snapshots(lake: Lake) -> list[int]:
    """The snapshots that DuckDB lists."""
    with Peer(lake) as peer:
        found = peer.rows("SELECT snapshot_id FROM ducklake_snapshots('lake') ORDER BY 1")
    return [snapshot for (snapshot,) in found]


def age(lake: Lake) -> None:
    """As if all readers had registered a century ago."""
    execute(
        lake,
        """UPDATE ducklake_metadata SET "value" = replace("value", ' 20', ' 19')
           WHERE "key" LIKE 'spark_reader.%'""",
    )


def fail(_: Rows) -> None:
    """A sink that takes nothing."""
    raise ValueError("the sink is full")


@pytest.mark.every_database
def test_a_stopped_stream_reads_each_row_once(stream: Stream, lake: Lake) -> None:
    assert stream.rows(stream.of()) == THERE
    with Peer(lake) as peer:
        read = peer.head()
        peer.run(*map(MANY.format, (4, 5)), "INSERT INTO t VALUES (6, 'six')")
    (reader,) = readers(stream)
    assert reader[1:4] == ("main", "t", read)

    done = expire(stream)

    stayed = {row.snapshot_id: row.kept_for for row in done if row.kept_for}
    assert stayed == {number: [reader.name] for number in range(read, read + 3)}
    assert {row.strands for row in done} == {None}
    assert snapshots(lake) == list(range(read, read + 4))
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (7, 'seven')", "CALL lake.set_option('auto_compact', true)")
        options = "SELECT value, scope_entry FROM ducklake_options('lake') WHERE option_name = "
        ((value, entry),) = peer.rows(f"{options} 'spark_reader.{reader.name}'")
    assert (value.split()[0], entry) == (str(read), "main.t")
    call(stream, "merge_adjacent_files", "'t'")
    expire(stream)
    assert stream.rows(stream.of()) == [(6, "six"), (7, "seven"), *many(4), *many(5)]


@pytest.mark.every_database
def test_a_feed_keeps_the_rows_that_were_deleted(stream: Stream, lake: Lake) -> None:
    def feed() -> Any:  # noqa: ANN401
        columns = ("snapshot_id", "rowid", "change_type", "id", "name")
        return stream.of("t.changes", start_snapshot=2).select(*columns)

    assert len(stream.rows(feed())) == 4
    with Peer(lake) as peer:
        first = peer.head() + 1
        peer.run(MANY.format(4), "DELETE FROM t WHERE id >= 400", "UPDATE t SET name = 'new'")
        expected = sorted(peer.rows(f"FROM table_changes('t', {first}, {peer.head()})"))

    expire(stream)

    assert stream.rows(feed()) == expected
    assert [row.snapshot_id for row in readers(stream)] == [snapshots(lake)[-1]]


def test_the_first_batch_is_kept_while_it_is_read(stream: Stream, lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run(*map(MANY.format, (4, 5, 6)))
        first = peer.head()
    with pytest.raises(StreamingQueryException, match="the sink is full"):
        stream.run(stream.of(max_files_per_trigger=1), fail)
    assert [row.snapshot_id for row in readers(stream)] == [first]

    def grow(number: int) -> None:
        with Peer(lake) as peer:
            peer.run(MANY.format(number), f"DELETE FROM t WHERE id = {number}00")
        expire(stream)

    grow(7)
    seen: list[Rows] = []

    def stop(found: Rows) -> None:
        if len(seen) == 2:
            raise ValueError("the sink is full")
        seen.append(found)

    with pytest.raises(StreamingQueryException, match="the sink is full"):
        stream.run(stream.of(max_files_per_trigger=1, skip_changes="true"), stop)
    grow(8)
    assert first in snapshots(lake)

    rest = stream.rows(stream.of(max_files_per_trigger=1, skip_changes="true"))
    found = sorted([*(row for batch in seen for row in batch), *rest])
    assert found == [*THERE, *(row for number in range(4, 9) for row in many(number))]
    assert first not in [row.snapshot_id for row in readers(stream)]


@since(CHANGES)
def test_a_stream_of_the_clause_is_a_reader(stream: Stream, lake: Lake) -> None:
    def changes(**options: int) -> Any:  # noqa: ANN401
        found = stream.spark.readStream.options(**options).changes(f"{stream.catalog}.main.t")
        return found.select("_commit_version", "_change_type", "id")

    assert len(stream.rows(changes(startingVersion=2))) == 4
    with Peer(lake) as peer:
        read = peer.head()
        peer.run("DELETE FROM t WHERE id = 1")
    assert [row.snapshot_id for row in readers(stream)] == [read]

    expire(stream)

    assert stream.rows(changes()) == [(read + 1, "delete", 1)]


@pytest.mark.every_database
def test_a_reader_that_stays_away_is_stranded(stream: Stream, lake: Lake) -> None:
    assert stream.rows(stream.of()) == THERE
    call(stream, "register_reader", f"{text(ODD)}, 't', 2")
    with Peer(lake) as peer:
        read = peer.head()
        peer.run(MANY.format(4), MANY.format(5))
    own = next(row.name for row in readers(stream) if row.name != ODD)
    age(lake)

    with logged(stream.spark, "ducklake.catalog.commit.expiry.SnapshotExpiry") as log:
        done = expire(stream)

    stranded = {row.snapshot_id: sorted(row.strands or []) for row in done}
    assert stranded == {
        number: sorted([ODD] * (number >= 2) + [own] * (number >= read))
        for number in range(read + 2)
    }
    assert f"reader {own} of table 1 has lost the snapshots after {read}" in log.toString()
    assert snapshots(lake) == [read + 2]
    assert readers(stream) == []
    stream.refused(stream.of(), CANNOT, f"reader `{own}`", f"from `start-snapshot` {read + 2} on")
    stream.refused(stream.of(max_files_per_trigger=1), CANNOT, f"reader `{own}`")
    assert readers(stream) == []
    with Peer(lake) as peer:
        peer.run(MANY.format(6))
    expire(stream)
    assert snapshots(lake) == [read + 3]


def test_a_late_reader_that_loses_nothing_stays(stream: Stream, lake: Lake) -> None:
    assert stream.rows(stream.of()) == THERE
    age(lake)

    assert {row.strands for row in expire(stream)} == {None}
    assert len(readers(stream)) == 1
    assert stream.rows(stream.of()) == []
    assert readers(stream)[0].registered_at > datetime(2025, 1, 1)


def test_retention_is_an_option(stream: Stream, lake: Lake) -> None:
    assert stream.rows(stream.of()) == THERE
    with Peer(lake) as peer:
        peer.run(MANY.format(4))
    refused(
        stream.spark,
        f"CALL {stream.catalog}.system.set_option('reader-retention', '1 hour')",
        "DUCKLAKE_INVALID_OPTION",
        "at least 2 hours",
    )
    age(lake)
    call(stream, "set_option", "'reader-retention', '200 years'")
    call(stream, "set_option", "'expire_older_than', '0 seconds'")
    steps = {row.step: row.note for row in call(stream, "checkpoint")}
    assert steps["expire_snapshots"] == f"kept for readers: {readers(stream)[0].name}"
    name = readers(stream)[0].name

    call(stream, "set_option", "'reader-retention', '2 hours'")
    steps = {row.step: row.note for row in call(stream, "checkpoint")}
    assert steps["expire_snapshots"] == f"strands readers: {name}"


@pytest.mark.every_database
def test_readers_outside_of_spark(stream: Stream, lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE other (a INT)", MANY.format(4))
        head = peer.head()
    assert call(stream, "register_reader", f"{text(ODD)}, 't', 2") == [(2,)]
    assert call(stream, "register_reader", f"name => {text(ODD)}, table_name => 'other'") == [
        (head,)
    ]
    assert call(stream, "register_reader", f"{text(ODD)}, 't', 3") == [(3,)]
    assert snapshots(lake)[-1] == head
    found = [row[:4] for row in readers(stream)]
    assert found == [(ODD, "main", "t", 3), (ODD, "main", "other", head)]

    with Peer(lake) as peer:
        peer.run("DELETE FROM t", "CALL ducklake_merge_adjacent_files('lake')")
    done = {row.snapshot_id: row.kept_for for row in expire(stream)}
    assert done[2] is None
    assert done[3] == [ODD]
    assert snapshots(lake)[0] == 3
    with Peer(lake) as peer:
        peer.run("CALL ducklake_expire_snapshots('lake', versions => [4])")
    assert 4 not in snapshots(lake)
    assert [row[:4] for row in readers(stream)] == found

    call(stream, "forget_reader", f"{text(ODD)}, 'other'")
    assert [row[:3] for row in readers(stream)] == [(ODD, "main", "t")]
    call(stream, "forget_reader", text(ODD))
    assert readers(stream) == []
    expire(stream)
    assert len(snapshots(lake)) == 1


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_errors(stream: Stream, lake: Lake) -> None:
    system = f"CALL {stream.catalog}.system."
    gone = "DUCKLAKE_NO_SUCH_SNAPSHOT"
    refused(stream.spark, f"{system}register_reader('a', 't', 99)", gone, "Snapshot 99")
    refused(stream.spark, f"{system}register_reader(' ', 't')", ARGUMENT, "is blank")
    refused(stream.spark, f"{system}forget_reader('a')", ARGUMENT, "the name of no reader: a")
    refused(stream.spark, f"{system}register_reader('a', 'u')", "TABLE_OR_VIEW_NOT_FOUND", "`u`")
    call(stream, "begin_transaction")
    refused(stream.spark, f"{system}register_reader('a', 't')", "DUCKLAKE_UNSUPPORTED", "register")
    call(stream, "rollback_transaction")
    with pytest.raises(StreamingQueryException, match="neither true nor false: perhaps"):
        stream.run(stream.of(register_reader="perhaps"))
    assert readers(stream) == []


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_named_and_read_snapshots(stream: Stream, lake: Lake) -> None:
    call(stream, "register_reader", "'r', 't', 2")
    call(stream, "keep_snapshot", "'one', 1")
    call(stream, "keep_snapshot", "'two', 2")

    done = {row.snapshot_id: row[-3:] for row in expire(stream)}

    assert done == {
        0: (None, None, None),
        1: (["one"], None, None),
        2: (["two"], ["r"], None),
    }


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_versions_are_kept_for_readers_too(stream: Stream, lake: Lake) -> None:
    call(stream, "register_reader", "'r', 't', 2")
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (9, 'nine')")

    done = call(stream, "expire_snapshots", "versions => array(1, 3)")

    assert [(row.snapshot_id, row.kept_for) for row in done] == [(1, None), (3, ["r"])]
    assert snapshots(lake) == [0, 2, 3, 4]


def test_a_stream_may_stay_unknown(
    stream: Stream, lake: Lake, register: Register, spark: SparkSession, tmp_path: Path
) -> None:
    with logged(spark, "ducklake.spark.streaming.ReaderPosition") as log:
        assert stream.rows(stream.of(register_reader="false")) == THERE
        assert readers(stream) == []
        assert log.toString() == ""

        only_read = Stream(spark, tmp_path / "other", register(lake, {"read-only": "true"}))
        assert only_read.rows(only_read.of(max_rows_per_trigger=1)) == THERE
        lines = log.toString().splitlines()
    assert len(lines) == 1
    assert "main.t is not registered as a reader" in lines[0]
    assert "`register-reader` = false" in lines[0]
    assert readers(stream) == []


def test_a_copy_of_a_checkpoint_is_a_reader_of_its_own(
    stream: Stream, lake: Lake, spark: SparkSession, tmp_path: Path
) -> None:
    assert stream.rows(stream.of()) == THERE
    copy = Stream(spark, tmp_path / "copy", stream.catalog)
    shutil.copytree(stream.checkpoint, copy.checkpoint)
    assert copy.rows(copy.of()) == []
    with Peer(lake) as peer:
        behind = peer.head()
        peer.run(MANY.format(4))
    assert copy.rows(copy.of()) == many(4)

    assert sorted(row.snapshot_id for row in readers(stream)) == [behind, behind + 1]
    expire(stream)

    assert stream.rows(stream.of()) == many(4)


def test_two_sources_of_one_query_are_two_readers(stream: Stream, lake: Lake) -> None:
    def both() -> Any:  # noqa: ANN401
        return stream.of().union(stream.of(max_files_per_trigger=7))

    assert stream.rows(both()) == sorted(THERE * 2)
    assert len(readers(stream)) == 2


def test_a_forgotten_reader_comes_back_with_its_next_run(stream: Stream, lake: Lake) -> None:
    assert stream.rows(stream.of()) == THERE
    (before,) = readers(stream)
    call(stream, "forget_reader", text(before.name))
    assert readers(stream) == []

    with Peer(lake) as peer:
        peer.run(MANY.format(4))
    assert stream.rows(stream.of()) == many(4)

    (after,) = readers(stream)
    assert (after.name, after.snapshot_id) == (before.name, before.snapshot_id + 1)


def test_records_are_no_properties(stream: Stream, lake: Lake) -> None:
    assert stream.rows(stream.of()) == THERE
    shown = rows(stream.spark, f"SHOW TBLPROPERTIES {stream.catalog}.main.t")
    assert not [key for key, _ in shown if key.startswith("spark_reader")]
    with Peer(lake) as peer:
        peer.run("DROP TABLE t", "CREATE TABLE t (id BIGINT, name VARCHAR)")
    assert [row[1:3] for row in readers(stream)] == [(None, None)]
    call(stream, "forget_reader", text(readers(stream)[0].name))
    expire(stream)


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_python(stream: Stream, lake: Lake) -> None:
    here = dl.Lake(stream.spark, stream.catalog)

    assert here.register_reader("first", "t", 2) == 2
    assert here.register_reader("last", "main.t") == 3
    assert [row[:4] for row in here.readers().collect()] == [
        ("first", "main", "t", 2),
        ("last", "main", "t", 3),
    ]
    here.forget_reader("first", "t")
    here.forget_reader("last")
    with pytest.raises(dl.InvalidArgumentError, match="no reader"):
        here.forget_reader("last")
    assert here.readers().collect() == []
