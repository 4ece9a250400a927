"""Micro-batches written by foreachBatch: each is one snapshot, a restart adds only what is new."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from support.lakes import IN_FILES, Lake
from support.peer import Peer

Register = Callable[..., str]
Row = tuple[int, str, int]
Write = Callable[[DataFrame, int], None]


# What streams do does not depend on the catalog's database.
pytestmark = pytest.mark.parametrize("kind", ["postgres"], indirect=True)


class Feed:
    """A folder of JSON files that is read one file at a time."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """An empty folder, and a checkpoint that is not yet there."""
        self.spark, self.folder, self.checkpoint = spark, folder / "in", folder / "checkpoint"
        self.folder.mkdir()

    def add(self, number: int, *rows: Row) -> None:
        """One more file; files are read in the order of their times."""
        lines = [json.dumps(dict(zip(("id", "name", "n"), row, strict=True))) for row in rows]
        hidden, file = (self.folder / f"{mark}{number}.json" for mark in ("_", ""))
        hidden.write_text("\n".join(lines))
        os.utime(hidden, (1_700_000_000 + number, 1_700_000_000 + number))
        hidden.rename(file)

    def run(self, write: Write) -> list[int]:
        """Hands all that is new to `write`, file by file; the numbers of the batches."""
        seen: list[int] = []

        def batch(rows: DataFrame, number: int) -> None:
            write(rows, number)
            seen.append(number)

        stream = self.spark.readStream.schema("id INT, name STRING, n INT")
        source = stream.option("maxFilesPerTrigger", 1).json(str(self.folder))
        query = (
            source.writeStream.foreachBatch(batch)
            .option("checkpointLocation", str(self.checkpoint))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return seen


@pytest.fixture
def feed(spark: SparkSession, tmp_path: Path) -> Feed:
    """Two files; the second changes a row of the first."""
    made = Feed(spark, tmp_path)
    made.add(0, (1, "one", 10), (2, "two", 20), (3, "three", 30))
    made.add(1, (2, "deux", 200), (4, "quatre", 400))
    return made


@pytest.fixture(params=[{}, IN_FILES], ids=["default", "files"])
def target(request: pytest.FixtureRequest, lake: Lake, register: Register) -> str:
    """The name of an empty table in Spark."""
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INT, name VARCHAR, n INT)")
    return f"{register(lake, request.param)}.t"


def _judge(
    spark: SparkSession, lake: Lake, target: str, snapshots: int, rows: Sequence[Row]
) -> dict[int, int]:
    """Both engines see these rows at this snapshot; the row ids."""
    with Peer(lake) as peer:
        assert peer.head() == snapshots
        theirs = peer.rows("SELECT id, name, n, rowid FROM t ORDER BY id, n")
    ours = spark.sql(f"SELECT id, name, n, rowid FROM {target} ORDER BY id, n").collect()
    assert [tuple(row) for row in ours] == theirs
    assert [row[:3] for row in theirs] == rows
    return {row[2]: row[3] for row in theirs}


def test_merge(spark: SparkSession, lake: Lake, target: str, feed: Feed) -> None:
    def merge(rows: DataFrame, _: int) -> None:
        rows.createOrReplaceTempView("updates")
        rows.sparkSession.sql(
            f"MERGE INTO {target} AS t USING updates AS s ON t.id = s.id "
            "WHEN MATCHED AND s.n < 0 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
            "WHEN NOT MATCHED THEN INSERT *"
        )

    assert feed.run(merge) == [0, 1]
    rows = [(1, "one", 10), (2, "deux", 200), (3, "three", 30), (4, "quatre", 400)]
    before = _judge(spark, lake, target, 3, rows)

    feed.add(2, (3, "", -1), (1, "uno", 11), (5, "cinco", 50))
    assert feed.run(merge) == [2]
    assert feed.run(merge) == []
    rows = [(1, "uno", 11), (2, "deux", 200), (4, "quatre", 400), (5, "cinco", 50)]
    after = _judge(spark, lake, target, 4, rows)

    assert (after[11], after[200], after[400]) == (before[10], before[200], before[400])
    assert after[50] not in before.values()


def test_append(spark: SparkSession, lake: Lake, target: str, feed: Feed) -> None:
    def append(rows: DataFrame, _: int) -> None:
        rows.writeTo(target).append()

    assert feed.run(append) == [0, 1]
    first = [(1, "one", 10), (2, "two", 20), (2, "deux", 200), (3, "three", 30), (4, "quatre", 400)]
    before = _judge(spark, lake, target, 3, first)

    feed.add(2, (5, "cinq", 50))
    assert feed.run(append) == [2]
    after = _judge(spark, lake, target, 4, [*first, (5, "cinq", 50)])

    assert {n: row for n, row in after.items() if n != 50} == before


def test_a_batch_that_failed_is_written_once(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    def fail(rows: DataFrame, number: int) -> None:
        if number == 1:
            rows = rows.selectExpr("id", "name", "n * (1 / (id - 4)) AS n")
        rows.selectExpr("id", "name", "CAST(n AS INT) AS n").writeTo(target).append()

    with pytest.raises(StreamingQueryException, match="DIVIDE_BY_ZERO"):
        feed.run(fail)
    _judge(spark, lake, target, 2, [(1, "one", 10), (2, "two", 20), (3, "three", 30)])

    assert feed.run(lambda rows, _: rows.writeTo(target).append()) == [1]
    rows = [(1, "one", 10), (2, "two", 20), (2, "deux", 200), (3, "three", 30), (4, "quatre", 400)]
    _judge(spark, lake, target, 3, rows)
