"""Streams read the columns that their queries need, and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from support.lakes import Lake
from support.peer import Peer
from support.streams import Rows, Stream

MANY = "INSERT INTO t SELECT i, 'many', i * 2, {{'x': i, 'y': 'y'}} FROM range({0}00, {0}30) r(i)"
"""A file of 30 rows."""


@pytest.fixture
def wide(stream: Stream, lake: Lake) -> Stream:
    """The stream of a table that has got two more columns."""
    with Peer(lake) as peer:
        peer.run(
            "ALTER TABLE t ADD COLUMN double BIGINT DEFAULT 7",
            "ALTER TABLE t ADD COLUMN part STRUCT(x INT, y VARCHAR)",
            MANY.format(4),
        )
    return stream


def read(stream: Stream, frame: DataFrame) -> tuple[Rows, list[list[str]], int]:
    """The rows, the columns that the last batch has read, and how many rows Spark counted."""
    folder = stream.checkpoint.parent / f"out{len(list(stream.checkpoint.parent.iterdir()))}"
    writer = frame.writeStream.format("parquet").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(stream.checkpoint))
    query = writer.start(str(folder))
    query.awaitTermination()
    plan: Any = query._jsq.explainInternal(False)  # type: ignore[attr-defined]
    scans = [re.findall(r"(\w+)#", found) for found in re.findall(r"MicroBatchScan\[(.*?)\]", plan)]
    counted = sum(json.loads(each.json)["numInputRows"] for each in query.recentProgress)
    rows = sorted(map(tuple, _read(stream, folder)))
    return rows, scans, counted


def _read(stream: Stream, folder: Path) -> list[Any]:
    return stream.spark.read.parquet(str(folder / "part-*.parquet")).collect()


def test_only_the_needed_columns_are_read(wide: Stream, lake: Lake) -> None:
    frame = wide.of().where("double > 820 OR id < 4").select("id")
    found, scans, counted = read(wide, frame)

    with Peer(lake) as peer:
        assert found == sorted(peer.rows("SELECT id FROM t WHERE double > 820 OR id < 4"))
        assert scans == [["id", "double"]]
        assert counted == peer.value("SELECT count(*) FROM t")
        peer.run(MANY.format(5))

    found, scans, counted = read(wide, wide.of().select(f.upper("name").alias("n"), "part.x"))
    assert found == [("MANY", i) for i in range(500, 530)]
    assert (scans, counted) == ([["name", "part"]], 30)


def test_another_query_goes_on_with_the_checkpoint(wide: Stream, lake: Lake) -> None:
    rows = wide.of(max_files_per_trigger=1)
    with Peer(lake) as peer:
        peer.run(MANY.format(5))
    with pytest.raises(StreamingQueryException, match="stop"):
        wide.run(rows.select("id"), _raise)
    found = wide.rows(rows.select("double", "id"))
    with Peer(lake) as peer:
        assert found == sorted(peer.rows("SELECT double, id FROM t"))
        peer.run(MANY.format(6))
    assert wide.rows(wide.of()) == [(i, "many", i * 2, (i, "y")) for i in range(600, 630)]


def _raise(_: Rows) -> None:
    raise ValueError("stop")


@pytest.mark.parametrize(("feed", "own"), [("changes", "rowid"), ("insertions", "double")])
def test_columns_of_a_feed(wide: Stream, lake: Lake, feed: str, own: str) -> None:
    frame = wide.of(f"t.{feed}", start_snapshot=2)
    found, scans, _ = read(wide, frame.select(own, "id"))
    with Peer(lake) as peer:
        expected = peer.rows(f"SELECT {own}, id FROM table_{feed}('t', 2, {peer.head()})")
    assert found == sorted(expected)
    assert sorted(scans[0]) == sorted([own, "id"])


def test_rows_are_counted_without_columns(wide: Stream, lake: Lake) -> None:
    counts = wide.of().groupBy().count()
    batches: list[Any] = []
    writer = counts.writeStream.foreachBatch(lambda rows, _: batches.append(rows.collect()))
    writer = writer.outputMode("complete").trigger(availableNow=True)
    writer.option("checkpointLocation", str(wide.checkpoint)).start().awaitTermination()
    with Peer(lake) as peer:
        assert batches[-1] == [(peer.value("SELECT count(*) FROM t"),)]


def test_a_stream_that_is_there_twice_reads_all_columns(wide: Stream, lake: Lake) -> None:
    rows = wide.of()
    both = rows.select("id").union(rows.select("double"))
    found = wide.rows(both)
    with Peer(lake) as peer:
        expected = peer.rows("SELECT id FROM t UNION ALL SELECT double FROM t")
    assert sorted(found) == sorted(expected)


def test_two_streams_of_a_table_each_read_their_columns(wide: Stream, lake: Lake) -> None:
    one, other = wide.of().select("id"), wide.of().select("double", "id")
    joined = one.join(other, "id").select("id", "double")
    found, scans, _ = read(wide, joined)
    with Peer(lake) as peer:
        assert found == sorted(peer.rows("SELECT id, double FROM t"))
    assert sorted(scans) == [["id"], ["id", "double"]]


def test_a_hidden_column_is_still_refused(wide: Stream) -> None:
    with pytest.raises(StreamingQueryException, match="hidden column in a stream"):
        wide.run(wide.of().select("id", "rowid"))
