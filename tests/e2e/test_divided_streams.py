"""Streams that divide one snapshot into batches: each row once, whatever happens between."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from bench import synthetic
from support.lakes import Lake, describe
from support.peer import Peer
from support.streams import Rows, Stream
from support.sweep import FULL

FILE = "INSERT INTO t SELECT i, 'f{0}' FROM range({0}00, {0}30) r(i)"
"""More rows than DuckDB keeps in the catalog: a file of its own."""

FEW = "INSERT INTO t VALUES ({}, 'few')"
"""A row that DuckDB keeps in the catalog."""

START = [(1, "one"), (3, "three")]
"""What is left of the inlined rows with which the table begins."""


class StopError(Exception):
    """Ends a query in a batch."""


def file(number: int, *deleted: int) -> Rows:
    """The rows of a file."""
    numbers = range(number * 100, number * 100 + 30)
    return [(i, f"f{number}") for i in numbers if i not in deleted]


def rows(lake: Lake, table: str = "t") -> Rows:
    """The rows of the table as DuckDB reads them."""
    with Peer(lake) as peer:
        return sorted(peer.rows(f"FROM {table}"))


def attempt(stream: Stream, count: int, **options: object) -> tuple[list[Rows], bool]:
    """At most so many batches, for the query fails in the one after them.

    Also whether it was refused, because files of which it had read a part were merged.
    """
    seen: list[Rows] = []

    def stop(found: Rows) -> None:
        if len(seen) == count:
            raise StopError
        seen.append(found)

    try:
        stream.run(stream.of(**options), stop)
    except StreamingQueryException as failed:
        refused = "a compaction has replaced files of this part" in str(failed)
        assert refused or "StopError" in str(failed)
        return seen, refused
    return seen, False


def until(stream: Stream, count: int, **options: object) -> list[Rows]:
    """At most so many batches: the query fails in the one after them."""
    seen, refused = attempt(stream, count, **options)
    assert not refused
    return seen


def many_files(stream: Stream, count: int, first: int = 0) -> None:
    """One snapshot of Spark with many files, of a hundred rows each."""
    ids = f"range({first}, {first + count * 100}, 1, {count})"
    stream.spark.sql(f"INSERT INTO {stream.catalog}.main.t SELECT id, 'many' FROM {ids}")


def test_the_first_batch_is_divided_by_files(stream: Stream, lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run(*map(FILE.format, (4, 5, 6)), "DELETE FROM t WHERE id = 505", FEW.format(7))
    found = stream.run(stream.of(max_files_per_trigger=1))
    assert found == [START, file(4), file(5, 505), file(6), [(7, "few")]]
    assert stream.run(stream.of(max_files_per_trigger=1)) == []

    stream.checkpoint = stream.checkpoint / "two"
    found = stream.run(stream.of(max_files_per_trigger=2))
    assert found == [START + file(4), file(5, 505) + file(6), [(7, "few")]]
    stream.checkpoint = stream.checkpoint / "rows"
    found = stream.run(stream.of(max_rows_per_trigger=35))
    assert found == [START + file(4), file(5, 505), sorted([*file(6), (7, "few")])]


def test_rows_that_come_during_the_first_batch_are_later_ones(stream: Stream, lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run(*map(FILE.format, (4, 5)))

    def change(found: Rows) -> None:
        if found == file(4):
            with Peer(lake) as peer:
                peer.run(FILE.format(6), "DELETE FROM t WHERE id BETWEEN 500 AND 503")

    options: dict[str, Any] = {"max_files_per_trigger": 1, "skip_changes": "true"}
    # AvailableNow ends with the snapshot that was the newest when it began.
    assert stream.run(stream.of(**options), change) == [START, file(4), file(5)]
    assert stream.rows(stream.of(**options)) == file(6)


@pytest.mark.parametrize("seed", range(20 if FULL else 2))
def test_random_divisions_have_each_row_once(stream: Stream, lake: Lake, seed: int) -> None:
    chance = random.Random(seed)
    numbers = iter(range(10, 1000))

    def add() -> list[str]:
        number = next(numbers)
        return [chance.choice((FILE, FEW)).format(number)]

    def change() -> list[str]:
        first = chance.randrange(1000, 2000)
        return [
            chance.choice(("DELETE FROM t", "UPDATE t SET name = 'new'"))
            + f" WHERE id BETWEEN {first} AND {first + 40}"
        ]

    def compact() -> list[str]:
        calls = ("flush_inlined_data('lake')", "merge_adjacent_files('lake')")
        rewrite = "rewrite_data_files('lake', 't', delete_threshold => 0.01)"
        return [f"CALL ducklake_{chance.choice((*calls, rewrite))}"]

    with Peer(lake) as peer:
        for _ in range(chance.randrange(8, 20)):
            peer.run(*chance.choice((add, add, change, compact))())
    expected = rows(lake)
    found: Rows = []
    for _ in range(6):
        limit = chance.choice(("max_files_per_trigger", "max_rows_per_trigger"))
        most = chance.randrange(1, 4) * (30 if "rows" in limit else 1)
        options = {limit: most, "skip_changes": "true"}
        seen, refused = attempt(stream, chance.randrange(3), **options)
        found += [row for batch in seen for row in batch]
        if refused:
            break
        with Peer(lake) as peer:
            before = peer.head()
            peer.run(*add())
            expected += peer.rows(f"FROM table_insertions('t', {before + 1}, {peer.head()})")
            peer.run(*compact())
    if not refused:
        seen, refused = attempt(stream, 1000, skip_changes="true")
        found += [row for batch in seen for row in batch]
    missed, doubled = Counter(expected) - Counter(found), Counter(found) - Counter(expected)
    assert not doubled
    assert refused or not missed


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_compactions_between_two_batches_neither_lose_nor_double_rows(
    stream: Stream, lake: Lake, engine: str
) -> None:
    with Peer(lake) as peer:
        peer.run(*map(FILE.format, (4, 5, 6)), FEW.format(7), "DELETE FROM t WHERE id = 601")
        peer.run(*map(FILE.format, (8, 9)), "UPDATE t SET name = 'new' WHERE id = 905")
    expected = rows(lake)
    seen = until(stream, 2, max_files_per_trigger=1)
    assert seen == [START, file(4)]

    if engine == "duckdb":
        with Peer(lake) as peer:
            peer.run(
                "CALL ducklake_flush_inlined_data('lake')",
                "CALL ducklake_merge_adjacent_files('lake')",
            )
    else:
        for procedure in ("flush_inlined_data()", "merge_adjacent_files()"):
            stream.spark.sql(f"CALL {stream.catalog}.system.{procedure}").collect()
    assert rows(lake) == expected

    rest = stream.run(stream.of(max_files_per_trigger=1, skip_changes="true"))
    assert len(rest) > 1
    assert sorted(row for batch in (*seen, *rest) for row in batch) == expected


def test_one_snapshot_of_many_files_is_divided(stream: Stream, lake: Lake) -> None:
    many_files(stream, 8)
    expected = rows(lake)
    found = stream.run(stream.of(max_files_per_trigger=3))
    assert [len(batch) for batch in found] == [len(START), 300, 300, 200]
    assert sorted(row for batch in found for row in batch) == expected

    many_files(stream, 5, first=1000)
    seen = until(stream, 1, max_files_per_trigger=2)
    rest = stream.run(stream.of(max_files_per_trigger=2))
    assert [len(batch) for batch in (*seen, *rest)] == [200, 200, 100]
    found = sorted(row for batch in (*seen, *rest) for row in batch)
    assert found == [(i, "many") for i in range(1000, 1500)]


def test_a_batch_of_more_files_than_are_asked_for_at_once(
    spark: SparkSession, register: Callable[..., str], tmp_path: Path
) -> None:
    # The files are rows of the catalog only: no batch is read.
    lake = describe("sqlite", tmp_path, "", None)  # type: ignore[arg-type]
    synthetic.make_sqlite(Path(lake.database), 2500)
    stream = Stream(spark, tmp_path, register(lake))
    rows = stream.of("points", max_rows_per_trigger=1200 * synthetic.ROWS_PER_FILE)
    writer = rows.writeStream.foreachBatch(lambda batch, number: None).trigger(availableNow=True)
    writer.option("checkpointLocation", str(stream.checkpoint)).start().awaitTermination()
    offsets = sorted((stream.checkpoint / "offsets").glob("[0-9]"))
    ends = [json.loads(file.read_text().splitlines()[-1]).get("part", {}) for file in offsets]
    assert [(end.get("lastFile"), end.get("files")) for end in ends] == [
        (1199, 1200),
        (2399, 2400),
        (None, None),
    ]


def test_a_part_of_a_snapshot_may_be_given_in_bytes(stream: Stream, lake: Lake) -> None:
    many_files(stream, 4)
    with Peer(lake) as peer:
        sizes = peer.rows("SELECT data_file_size_bytes FROM ducklake_list_files('lake', 't')")
    limit = 2 * max(size for (size,) in sizes)
    found = stream.run(stream.of(max_bytes_per_trigger=limit))
    assert [len(batch) for batch in found] == [len(START), 200, 200]
    assert sorted(row for batch in found for row in batch) == rows(lake)


def test_merging_files_of_a_part_that_was_read_ends_the_stream(stream: Stream, lake: Lake) -> None:
    many_files(stream, 4)
    limit = {"max_files_per_trigger": 1}
    seen = until(stream, 3, **limit)
    assert [len(batch) for batch in seen] == [len(START), 100, 100]
    with Peer(lake) as peer:
        peer.run("CALL ducklake_merge_adjacent_files('lake')")
    stream.refused(
        stream.of(**limit), "DUCKLAKE_STREAM_CANNOT_CONTINUE", "a part of snapshot", "compaction"
    )
    stream.checkpoint = stream.checkpoint / "anew"
    assert stream.rows(stream.of(**limit)) == rows(lake)


def test_a_snapshot_that_expires_half_read_ends_the_stream(stream: Stream, lake: Lake) -> None:
    many_files(stream, 3)
    limit = {"max_files_per_trigger": 1}
    until(stream, 2, **limit)
    with Peer(lake) as peer:
        peer.run(FEW.format(7), "CALL ducklake_expire_snapshots('lake', older_than => now())")
    stream.refused(stream.of(**limit), "DUCKLAKE_STREAM_CANNOT_CONTINUE", "expired")


def test_a_snapshot_that_changes_rows_is_not_divided(stream: Stream, lake: Lake) -> None:
    many_files(stream, 3)
    assert stream.rows(stream.of(max_files_per_trigger=1)) == rows(lake)
    with Peer(lake) as peer:
        before = peer.head()
        peer.run("UPDATE t SET name = 'new'", FILE.format(9))
    limit = {"max_files_per_trigger": 1}
    refused = ("DUCKLAKE_STREAM_CANNOT_CONTINUE", f"snapshot {before + 1} deletes or updates")
    stream.refused(stream.of(**limit), *refused)
    stream.checkpoint = stream.checkpoint / "skips"
    skipping = stream.of(start_snapshot=before + 1, skip_changes="true", **limit)
    assert stream.rows(skipping) == file(9)
    stream.checkpoint = stream.checkpoint / "changes"
    changes = stream.run(stream.of("t.changes", start_snapshot=before + 1, **limit))
    assert [len(batch) for batch in changes] == [2 * (len(START) + 300), 30]
