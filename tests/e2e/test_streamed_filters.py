"""The filters of a stream's query leave out files and rows, and change no result and no offset."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from support.lakes import Lake
from support.peer import Peer
from support.streams import Row, Rows, Stream
from support.sweep import FULL

FILE = "INSERT INTO t SELECT i, '{1}', i % 7 FROM range({0}00, {0}30) r(i)"
"""A file of 30 rows, whose name is the partition."""

FEW = "INSERT INTO t VALUES ({}, '{}', NULL)"
"""A row that DuckDB keeps in the catalog."""


@pytest.fixture
def parts(stream: Stream, lake: Lake) -> Stream:
    """The stream of a table with files of the partitions `a` and `b`."""
    with Peer(lake) as peer:
        peer.run(
            "DELETE FROM t",
            "ALTER TABLE t ADD COLUMN n BIGINT",
            "ALTER TABLE t SET PARTITIONED BY (name)",
            *(FILE.format(number, name) for number, name in enumerate("abab", 4)),
            FEW.format(1, "a"),
            FEW.format(2, "b"),
        )
    return stream


def ordered(rows: Iterable[Row]) -> Rows:
    """The rows in an order of their own, for they have NULLs."""
    return sorted(rows, key=str)


def read(stream: Stream, frame: DataFrame) -> tuple[Rows, int]:
    """The rows, and how many rows Spark counted at the source."""
    folder = stream.checkpoint.parent / f"out{len(list(stream.checkpoint.parent.iterdir()))}"
    writer = frame.writeStream.format("parquet").trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(stream.checkpoint)).start(str(folder))
    query.awaitTermination()
    counted = sum(json.loads(each.json)["numInputRows"] for each in query.recentProgress)
    rows = stream.spark.read.parquet(str(folder / "part-*.parquet")).collect()
    return ordered(map(tuple, rows)), counted


def expected(lake: Lake, condition: str) -> Rows:
    """What DuckDB reads."""
    with Peer(lake) as peer:
        return ordered(peer.rows(f"FROM t WHERE {condition}"))


def offset(stream: Stream) -> dict[str, object]:
    """The last offset of the checkpoint."""
    last = max((stream.checkpoint / "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
    found: dict[str, object] = json.loads(last.read_text().splitlines()[-1])
    return found


@pytest.mark.parametrize("limits", [{}, {"max_files_per_trigger": 1}])
def test_files_of_other_partitions_are_not_opened(
    parts: Stream, lake: Lake, limits: dict[str, object]
) -> None:
    with Peer(lake) as peer:
        paths = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
    others = [Path(path) for (path,) in paths if "name=b" in path]
    assert len(others) == 2
    wanted = expected(lake, "name = 'a'")
    for path in others:
        path.rename(f"{path}.gone")

    found, counted = read(parts, parts.of(**limits).where("name = 'a'"))
    assert (found, counted) == (wanted, 61)

    parts.checkpoint = parts.checkpoint / "all"
    with pytest.raises(StreamingQueryException):
        parts.run(parts.of(**limits))
    for path in others:
        Path(f"{path}.gone").rename(path)


@pytest.mark.parametrize("limits", [{}, {"max_files_per_trigger": 2}])
def test_a_filter_is_no_part_of_the_offset(
    parts: Stream, lake: Lake, limits: dict[str, object]
) -> None:
    read(parts, parts.of(**limits).where("name = 'a'"))
    filtered = offset(parts)
    batches = len(list((parts.checkpoint / "offsets").glob("[0-9]*")))
    parts.checkpoint = parts.checkpoint.parent / "other"
    read(parts, parts.of(**limits))
    assert offset(parts) == filtered
    assert len(list((parts.checkpoint / "offsets").glob("[0-9]*"))) == batches

    with Peer(lake) as peer:
        peer.run(FILE.format(8, "a"), FILE.format(9, "b"))
    found, _ = read(parts, parts.of(**limits).where("name = 'b' AND id > 905").select("id"))
    assert found == [(i,) for i in range(906, 930)]


def test_a_query_with_another_filter_goes_on_in_the_middle(parts: Stream, lake: Lake) -> None:
    seen: Rows = []

    def stop(rows: Rows) -> None:
        if seen:
            raise ValueError("stop")
        seen.extend(rows)

    limited = parts.of(max_files_per_trigger=2)
    with pytest.raises(StreamingQueryException, match="stop"):
        parts.run(limited.where("name = 'a'"), stop)
    assert seen == expected(lake, "id BETWEEN 400 AND 429")
    rest = parts.rows(limited.where("name = 'b' OR id = 1"))
    assert rest == expected(lake, "id BETWEEN 700 AND 729 OR id < 3")


CONDITIONS = (
    "name = 'a'",
    "name <> 'a'",
    "name > 'a' AND n IS NULL",
    "id < 2 OR id > 520",
    "n IN (1, 3, NULL)",
    "NOT (n < 3)",
    "n <=> NULL",
    "id + 1 = 406",
    "name LIKE 'b%' AND id % 2 = 0",
    "n = 2 AND rand() < 2",
    "id IN (SELECT 405)",
    "false",
)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_any_filter_gives_the_rows_of_a_batch(parts: Stream, lake: Lake, condition: str) -> None:
    def batch() -> DataFrame:
        return parts.spark.table(f"{parts.catalog}.main.t").where(condition)

    found, _ = read(parts, parts.of(max_rows_per_trigger=50).where(condition))
    assert found == ordered(map(tuple, batch().collect()))
    with Peer(lake) as peer:
        peer.run(FILE.format(8, "a"), FILE.format(9, "b"), FEW.format(3, "b"))
    later = batch().where("id >= 800 OR id = 3")  # older Sparks keep the snapshot of a frame
    assert read(parts, parts.of().where(condition))[0] == ordered(map(tuple, later.collect()))


def test_a_filter_of_a_table_reads_its_own_row_groups_later(parts: Stream, lake: Lake) -> None:
    parts.rows(parts.of())
    with Peer(lake) as peer:
        peer.run(FILE.format(8, "a"), FILE.format(9, "b"))
    found, counted = read(parts, parts.of().where("name = 'b'"))
    assert found == expected(lake, "name = 'b' AND id >= 900")
    assert counted == 30


@pytest.mark.parametrize("table", ["t", "t.changes"])
def test_files_of_later_snapshots_are_not_opened_when_their_bounds_exclude_the_filter(
    parts: Stream, lake: Lake, table: str
) -> None:
    with Peer(lake) as peer:
        head = peer.head()
        peer.run(FILE.format(8, "a"), FILE.format(9, "a"))
        path = str(peer.value("SELECT filename FROM t WHERE id = 900"))
    wanted = expected(lake, "id BETWEEN 800 AND 829")

    Path(path).rename(f"{path}.gone")
    frame = parts.of(table, start_snapshot=head + 1)
    filtered = frame.where("id > 750 AND id < 850")
    assert read(parts, filtered.select("id", "name", "n")) == (wanted, 30)

    parts.checkpoint = parts.checkpoint.parent / "all"
    with pytest.raises(StreamingQueryException):
        parts.run(frame.select("id"))
    Path(f"{path}.gone").rename(path)


OF_CHANGES = (
    "name = 'new'",
    "name <> 'new'",
    "change_type = 'update_preimage'",
    "change_type IN ('update_postimage', 'insert') AND n = 3",
    "change_type = 'delete' OR id < 410",
    "snapshot_id > 12 AND change_type <> 'insert'",
    "rowid < 40",
)


@pytest.mark.parametrize("condition", OF_CHANGES)
def test_filters_of_a_change_feed_keep_its_images(
    parts: Stream, lake: Lake, condition: str
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "UPDATE t SET name = 'new' WHERE id % 10 = 3",
            "DELETE FROM t WHERE n = 5",
            "UPDATE t SET n = 3 WHERE name = 'new'",
            FEW.format(3, "new"),
            "UPDATE t SET name = 'old' WHERE id = 3",
        )
        head = peer.head()
    changes = f"table_changes('t', 2, {head})"
    columns = "snapshot_id, rowid, change_type, id, name, n"
    with Peer(lake) as peer:
        wanted = peer.rows(f"SELECT {columns} FROM {changes} WHERE {condition}")
    assert wanted
    frame = parts.of("t.changes", start_snapshot=2).where(condition)
    found, _ = read(parts, frame.selectExpr(*columns.split(", ")))
    assert found == ordered(wanted)


def test_a_stream_that_is_there_twice_has_all_rows(parts: Stream, lake: Lake) -> None:
    rows = parts.of()
    both = rows.where("name = 'a'").union(rows.where("name = 'b'"))
    assert parts.rows(both) == expected(lake, "true")


def test_a_filter_behind_a_watermark_leaves_out_no_time(stream: Stream, lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE w (id INT, moment TIMESTAMPTZ)")
        for hour in (1, 9, 2, 12):
            peer.run(f"INSERT INTO w VALUES ({hour}, TIMESTAMPTZ '2026-01-01 {hour:02}:00:00+00')")

    def counts(checkpoint: str, *, first: bool) -> Rows:
        stream.checkpoint = stream.checkpoint.parent / checkpoint
        rows = stream.of("w", max_files_per_trigger=1)
        early = "moment < TIMESTAMP '2026-01-01 05:00:00Z'"
        filtered = rows.where(early) if first else rows
        marked = filtered.withWatermark("moment", "1 hour")
        kept = marked if first else marked.where(early)
        return stream.rows(kept.groupBy(f.window("moment", "1 hour")).count().select("count"))

    # Behind the watermark the rows of the hours 9 and 12 close the windows of 1 and 2.
    # Before it they are not seen, and no window closes.
    assert counts("behind", first=False) == [(1,), (1,)]
    assert counts("before", first=True) == []


@pytest.mark.skipif(not FULL, reason="random filters; a part of them is above")
@pytest.mark.parametrize("seed", range(20))
def test_random_filters_and_limits(parts: Stream, lake: Lake, seed: int) -> None:
    chance = random.Random(seed)
    pieces = [
        f"id {chance.choice('<>=')} {chance.randrange(400, 730)}",
        f"name = '{chance.choice('abc')}'",
        f"n {chance.choice('<>=')} {chance.randrange(7)}",
    ]
    condition = f" {chance.choice(('AND', 'OR'))} ".join(chance.sample(pieces, 2))
    limits = {"max_rows_per_trigger": chance.choice((1, 31, 100, 1000))}
    assert read(parts, parts.of(**limits).where(condition))[0] == expected(lake, condition)
