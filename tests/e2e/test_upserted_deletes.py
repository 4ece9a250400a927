"""Streams that merge by key, in tables with NOT NULL columns: a delete has its key only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from support.asking import rows
from support.lakes import IN_FILES, Lake
from support.peer import Peer
from support.streams import Feed

Register = Callable[..., str]
GONE = {"merge-keys": "id", "delete-when": "op = 'd'"}
EVENT = "id INT, v STRING, n INT, op STRING"
EVENTS = ("id", "v", "n", "op")
LAYOUTS = {
    "driver": "",
    "statement": "PARTITIONED BY (bucket(3, id))",
}
"""How rows are merged: those of a partitioned table by a statement of Spark."""


@pytest.fixture
def feed(spark: SparkSession, tmp_path: Path) -> Feed:
    """No files yet."""
    return Feed(spark, tmp_path)


@pytest.fixture(params=[*LAYOUTS.values()], ids=[*LAYOUTS])
def target(
    request: pytest.FixtureRequest, spark: SparkSession, lake: Lake, register: Register
) -> str:
    """An empty table in Spark."""
    table = f"{register(lake, IN_FILES)}.main.s"
    spark.sql(f"CREATE TABLE {table} (id INT NOT NULL, v STRING NOT NULL, n INT) {request.param}")
    return table


@pytest.mark.parametrize("sequence", [{}, {"sequence-by": "n"}], ids=["keys", "sequence"])
def test_a_delete_needs_only_its_key(
    spark: SparkSession, lake: Lake, target: str, feed: Feed, sequence: dict[str, str]
) -> None:
    feed.add(
        ((1, "a", 1, "u"), (2, "b", 1, None), (9, None, 1, "d")),
        ((1, None, 2, "d"), (3, "c", 2, "u"), (8, None, 2, "d")),
        ((2, "B", 3, "u"), (3, None, 3, "d")),
        columns=EVENTS,
    )

    assert feed.run(target, feed.frame(EVENT), options={**GONE, **sequence}) == [0, 1, 2]

    assert rows(spark, f"SELECT * FROM {target}") == [(2, "B", 3)]
    with Peer(lake) as peer:
        assert peer.rows("SELECT * FROM s") == [(2, "B", 3)]


def test_other_rows_keep_the_rule(spark: SparkSession, target: str, feed: Feed) -> None:
    feed.add(((1, "a", 1, "u"),), ((1, None, 2, "u"), (2, None, 2, "d")), columns=EVENTS)

    for _ in range(2):
        with pytest.raises(StreamingQueryException, match=r"(?s)NOT_NULL_ASSERT_VIOLATION.*\bv\b"):
            feed.run(target, feed.frame(EVENT), options=GONE)

    assert rows(spark, f"SELECT * FROM {target}") == [(1, "a", 1)]


def test_the_values_of_a_delete_need_not_fit(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    """A number that is too large for its column, in a row of which only the key counts."""
    feed.add(((1, "a", 1, "u"), (2, "b", 2, "u")), ((1, "a", 2**40, "d"),), columns=EVENTS)

    feed.run(target, feed.frame("id INT, v STRING, n BIGINT, op STRING"), options=GONE)

    assert rows(spark, f"SELECT * FROM {target}") == [(2, "b", 2)]


def test_a_condition_that_draws_lots_is_evaluated_once(
    spark: SparkSession, target: str, feed: Feed
) -> None:
    feed.add(tuple((n, f"v{n}", n) for n in range(200)), columns=("id", "v", "n"))
    options = {**GONE, "delete-when": "uuid() < '8'"}

    feed.run(target, feed.frame("id INT, v STRING, n INT"), options=options)

    found = rows(spark, f"SELECT * FROM {target}")
    assert 0 < len(found) < 200
    assert all(row == (row[0], f"v{row[0]}", row[0]) for row in found)
