"""Streams of Spark's CHANGES: the rows of the change feed, snapshot by snapshot."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame

from support.lakes import Lake
from support.lines import CHANGES, since
from support.peer import Peer
from support.streams import Rows, Stream

pytestmark = since(CHANGES)

WANTED = ("_commit_version", "rowid", "_change_type", "id", "name")
"""The columns of DuckDB's feed."""


def changes(stream: Stream, *columns: str, **options: object) -> DataFrame:
    """The stream of a table's changes; `_` in the name of an option stands for a hyphen."""
    reader = stream.spark.readStream
    for name, value in options.items():
        reader = reader.option(name.replace("_", "-"), str(value))
    frame = reader.changes(f"{stream.catalog}.main.t")
    return frame.select(*columns) if columns else frame


def change(lake: Lake) -> tuple[int, int]:
    """Makes four snapshots of the table; the first and the last of them."""
    with Peer(lake) as peer:
        before = peer.head()
        peer.run(
            "INSERT INTO t SELECT i, 'many' FROM range(100, 130) r(i)",
            "UPDATE t SET name = 'new' WHERE id IN (1, 105)",
            "CREATE TABLE other (a INT)",
            "DELETE FROM t WHERE id > 120",
            "INSERT INTO t VALUES (4, 'four')",
        )
        return before + 1, peer.head()


def feed(lake: Lake, first: int, last: int) -> Rows:
    """DuckDB's feed."""
    with Peer(lake) as peer:
        return sorted(peer.rows(f"FROM table_changes('t', {first}, {last})"))


def test_a_stream_from_a_version_on_has_the_rows_of_the_feed(stream: Stream, lake: Lake) -> None:
    first, last = change(lake)
    options: dict[str, Any] = {"startingVersion": first, "computeUpdates": "true"}
    assert stream.rows(changes(stream, *WANTED, **options)) == feed(lake, first, last)
    assert stream.rows(changes(stream, *WANTED, **options)) == []
    with Peer(lake) as peer:
        peer.run("UPDATE t SET name = 'newer' WHERE id = 4")
    found = stream.rows(changes(stream, *WANTED, **options))
    assert found == feed(lake, last + 1, last + 1)
    assert [row[2] for row in found] == ["update_postimage", "update_preimage"]


def test_all_columns_are_those_of_the_clause(stream: Stream, lake: Lake) -> None:
    first, last = change(lake)
    table = f"{stream.catalog}.main.t"
    batch = stream.spark.sql(f"SELECT * FROM {table} CHANGES FROM VERSION {first}")
    frame = changes(stream, startingVersion=first)
    assert frame.schema == batch.schema
    found = stream.rows(frame)
    assert found == sorted(map(tuple, batch.collect()))
    assert {row[3] for row in found} == {"insert", "delete"}
    assert [row[4] for row in found] and all(first <= row[4] <= last for row in found)


def test_a_stream_has_limits_and_may_begin_at_a_time(stream: Stream, lake: Lake) -> None:
    first, last = change(lake)
    options: dict[str, Any] = {"computeUpdates": "true", "max_files_per_trigger": 1}
    found = stream.run(changes(stream, *WANTED, startingVersion=first, **options))
    assert len(found) > 2
    assert sorted(row for batch in found for row in batch) == feed(lake, first, last)
    for batch in found:
        versions = {row[0] for row in batch}
        assert batch == feed(lake, min(versions), max(versions))

    with Peer(lake) as peer:
        times = "SELECT snapshot_time FROM ducklake_snapshots('lake') WHERE snapshot_id = {}"
        time = peer.value(times.format(last))
    stream.checkpoint = stream.checkpoint / "time"
    found = stream.rows(changes(stream, *WANTED, startingTimestamp=time, computeUpdates="true"))
    assert found == feed(lake, last, last)


def test_a_stream_without_a_start_begins_with_the_next_snapshot(stream: Stream, lake: Lake) -> None:
    assert stream.rows(changes(stream, *WANTED)) == []
    first, last = change(lake)
    found = stream.rows(changes(stream, *WANTED, computeUpdates="true"))
    assert found == feed(lake, first, last)


def test_net_changes_are_those_of_the_clause(stream: Stream, lake: Lake) -> None:
    first, _ = change(lake)
    options: dict[str, Any] = {"startingVersion": first, "deduplicationMode": "netChanges"}
    table = f"{stream.catalog}.main.t"
    net = f"CHANGES FROM VERSION {first} WITH (deduplicationMode = 'netChanges')"
    wanted = stream.spark.sql(f"SELECT id, name, _change_type FROM {table} {net}")
    provider = "spark.sql.streaming.stateStore.providerClass"
    rocks = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    stream.spark.conf.set(provider, rocks)
    try:
        found = stream.rows(changes(stream, "id", "name", "_change_type", **options))
    finally:
        stream.spark.conf.unset(provider)
    assert found == sorted(map(tuple, wanted.collect()))


def test_the_clause_in_sql_streams_what_the_reader_does(stream: Stream, lake: Lake) -> None:
    first, last = change(lake)
    table = f"STREAM {stream.catalog}.main.t"
    wanted = ", ".join(WANTED)

    def streamed(clause: str, name: str) -> list[Rows]:
        one = Stream(stream.spark, stream.checkpoint / name, stream.catalog)
        return one.run(stream.spark.sql(f"SELECT {wanted} FROM {table} CHANGES {clause}"))

    updates = "computeUpdates = 'true'"
    (found,) = streamed(f"FROM VERSION {first} WITH ({updates})", "version")
    assert found == feed(lake, first, last)

    bound = f"FROM VERSION {first} EXCLUSIVE WITH ({updates}, 'max-files-per-trigger' = '1')"
    batches = streamed(bound, "after")
    assert len(batches) > 1
    assert sorted(row for batch in batches for row in batch) == feed(lake, first + 1, last)

    with Peer(lake) as peer:
        times = "SELECT snapshot_time::VARCHAR FROM ducklake_snapshots('lake') WHERE snapshot_id = "
        time = peer.value(f"{times}{last}")
    (found,) = streamed(f"FROM TIMESTAMP '{time}' WITH ({updates})", "time")
    assert found == feed(lake, last, last)

    assert [row for batch in streamed("", "next") for row in batch] == []
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (5, 'five')")
    assert streamed("", "next") == [feed(lake, last + 1, last + 1)]


@pytest.mark.parametrize("start", ["startingVersion", "startingTimestamp"])
def test_a_start_that_has_expired_is_refused_only_without_a_checkpoint(
    stream: Stream, lake: Lake, start: str
) -> None:
    first, last = change(lake)
    with Peer(lake) as peer:
        at = f"snapshot_id = {first}"
        moment = peer.value(f"SELECT snapshot_time::VARCHAR FROM lake.snapshots() WHERE {at}")
    options: dict[str, Any] = {start: first if start == "startingVersion" else str(moment)}
    options["computeUpdates"] = "true"
    assert stream.rows(changes(stream, *WANTED, **options)) == feed(lake, first, last)
    with Peer(lake) as peer:
        peer.run("CALL ducklake_expire_snapshots('lake', older_than => now())")
        assert peer.value(f"SELECT count(*) FROM lake.snapshots() WHERE {at}") == 0
        peer.run("UPDATE t SET name = 'newer' WHERE id = 4")
    found = stream.rows(changes(stream, *WANTED, **options))
    assert found == feed(lake, last + 1, last + 1)
    assert len(found) == 2

    if start == "startingVersion":
        stream.checkpoint = stream.checkpoint / "anew"
        with pytest.raises(StreamingQueryException, match="DUCKLAKE_NO_SUCH_SNAPSHOT"):
            stream.run(changes(stream, **options))
        reader = stream.spark.read.options(**{start: first})
        with pytest.raises(Exception, match="DUCKLAKE_NO_SUCH_SNAPSHOT"):
            reader.changes(f"{stream.catalog}.main.t").collect()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"startingVersion": 1, "endingVersion": 2}, "A stream of CHANGES with an end"),
        ({"startingVersion": 1, "skip-changes": "true"}, "skip-changes"),
        ({"startingVersion": 1, "max_rows_per_trigger": 0}, "no whole number from 1"),
        ({"startingVersion": 10**6}, "1000000"),
    ],
)
def test_options_that_a_stream_has_not_are_refused(
    stream: Stream, options: dict[str, object], why: str
) -> None:
    with pytest.raises(Exception, match=r"\[DUCKLAKE_") as raised:
        stream.rows(changes(stream, **options))
    assert why in str(raised.value)


def test_options_of_streams_are_none_of_batches(stream: Stream) -> None:
    reader = stream.spark.read.option("startingVersion", 1).option("max-files-per-trigger", 1)
    with pytest.raises(Exception, match=r"\[DUCKLAKE_.*max-files-per-trigger"):
        reader.changes(f"{stream.catalog}.main.t").collect()
    with pytest.raises(Exception, match=r"\[DUCKLAKE_.*CHANGES without a start"):
        stream.spark.read.changes(f"{stream.catalog}.main.t").collect()
