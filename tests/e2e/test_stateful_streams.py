"""Stateful queries over a stream of a lake equal the query of the table, also over restarts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]
Query = Callable[[DataFrame, DataFrame], DataFrame]

MAKE = (
    "CREATE TABLE clicks (id BIGINT, kind VARCHAR, clicked TIMESTAMPTZ)",
    "CREATE TABLE views (id BIGINT, seen TIMESTAMPTZ)",
)

START = "TIMESTAMPTZ '2026-01-01 00:00:00+00'"

ROUNDS = (
    (0, 40),
    (30, 80),
    (60, 100),
)
"""The first and the last number of the rows of each round; some numbers come twice."""


def fill(lake: Lake, first: int, last: int) -> None:
    """Adds rows, a minute for each number: clicks in two snapshots, and a view of each third."""
    clicks = (
        f"INSERT INTO clicks SELECT i, 'k' || i % 3, {START} + to_minutes(i) "
        "FROM range({}, {}) r(i)"
    )
    middle = (first + last) // 2
    views = (
        f"INSERT INTO views SELECT i, {START} + to_minutes(i + 1) "
        f"FROM range({first}, {last}, 3) r(i) WHERE NOT EXISTS (FROM views v WHERE v.id = i)"
    )
    with Peer(lake) as peer:
        peer.run(clicks.format(first, middle), clicks.format(middle, last), views)


def distinct(clicks: DataFrame, _: DataFrame) -> DataFrame:
    """Each click once."""
    return clicks.withWatermark("clicked", "10 hours").dropDuplicates(["id", "clicked"])


def windows(clicks: DataFrame, _: DataFrame) -> DataFrame:
    """Counts of kinds in half an hour."""
    late = clicks.withWatermark("clicked", "10 hours")
    counts = late.groupBy(F.window("clicked", "30 minutes"), "kind").count()
    return counts.select("window.start", "window.end", "kind", "count")


def joined(clicks: DataFrame, views: DataFrame) -> DataFrame:
    """Clicks with the view within two minutes."""
    left = clicks.withWatermark("clicked", "10 hours").alias("c")
    right = views.withWatermark("seen", "10 hours").alias("v")
    near = F.expr("c.id = v.id AND v.seen BETWEEN c.clicked AND c.clicked + INTERVAL 2 MINUTES")
    return left.join(right, near).select("c.id", "kind", "clicked", "seen")


@pytest.mark.parametrize(
    ("query", "mode"), [(distinct, "append"), (windows, "complete"), (joined, "append")]
)
def test_a_query_with_state_equals_that_of_the_table(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    tmp_path: Path,
    query: Query,
    mode: str,
) -> None:
    with Peer(lake) as peer:
        peer.run(*MAKE)
    catalog = register(lake)
    found: list[tuple[Any, ...]] = []

    def take(rows: DataFrame, _: int) -> None:
        if mode == "complete":
            found.clear()
        found.extend(map(tuple, rows.collect()))

    for first, last in ROUNDS:
        fill(lake, first, last)
        names = ("clicks", "views")
        reader = spark.readStream.option("max-files-per-trigger", 1)
        streams = [reader.table(f"{catalog}.main.{name}") for name in names]
        writer = query(*streams).writeStream.foreachBatch(take).outputMode(mode)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()
        tables = [spark.table(f"{catalog}.main.{name}") for name in names]
        assert sorted(found) == sorted(map(tuple, query(*tables).collect()))
    assert len(found) > 10
