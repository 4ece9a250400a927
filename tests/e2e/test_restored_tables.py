"""A table that was dropped and that a rollback brought back: its rows and its change feed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import column, refused, rows
from support.lakes import Lake, LakeFactory
from support.lines import CHANGES, since
from support.peer import Peer, made

Register = Callable[..., str]

CAME_BACK = {2: 20, 3: 21, 6: 21}
"""Snapshots of the table, and how many rows they have."""


FLUSH = pytest.param(
    "CALL ducklake_flush_inlined_data('lake')",
    marks=pytest.mark.damages("one file has rows of both lives of the table"),
)


@since(CHANGES)
@pytest.mark.parametrize("after", ["SELECT 1", FLUSH])
def test_the_feed_of_a_table_that_comes_back_has_all_its_rows(
    spark: SparkSession, lake: Lake, register: Register, after: str
) -> None:
    """DROP does not end inlined rows, and a feed may end where the table is dropped."""
    made(
        lake,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT i FROM range(20) r(i)",
        "INSERT INTO t VALUES (100)",
        "DROP TABLE t",
        "CREATE TABLE u (a INT)",
        limit=10,
    )
    catalog = register(lake)
    call = f"CALL {catalog}.system.rollback_to_snapshot('t', 3)"
    assert rows(spark, call) == [("main", "t", 6)]
    feed = f"ducklake_table_changes('{catalog}', 't', 1, 6)"
    counts = "SELECT snapshot_id, change_type, count(*) FROM {} {} GROUP BY ALL ORDER BY ALL"
    until_drop = [(2, "insert", 20), (3, "insert", 1), (4, "delete", 21)]
    clause = f"{catalog}.t CHANGES FROM VERSION 1 TO VERSION 6 WHERE _commit_version <= 4"

    assert rows(spark, counts.format(feed, "")) == [*until_drop, (6, "insert", 21)]
    assert rows(spark, counts.format(feed, "WHERE snapshot_id <= 4")) == until_drop
    assert rows(spark, counts.format(feed, "WHERE snapshot_id = 5")) == []
    assert rows(spark, counts.format(feed, "WHERE snapshot_id = 3")) == [(3, "insert", 1)]
    assert len(rows(spark, f"SELECT * FROM {clause}")) == 42
    with Peer(lake) as peer:
        peer.run(after)
        own = "ducklake_table_changes('lake', 'main', 't', 6, 6)"
        assert peer.rows(counts.format(own, "")) == [(6, "insert", 21)]
        for version, expected in CAME_BACK.items():
            asked = f"SELECT count(*) FROM t AT (VERSION => {version})"
            assert peer.rows(asked) == [(expected,)]
    for version, expected in CAME_BACK.items():
        asked = f"SELECT a FROM {catalog}.t VERSION AS OF {version}"
        assert len(column(spark, asked)) == expected
    assert rows(spark, counts.format(feed, "")) == [*until_drop, (6, "insert", 21)]


@pytest.mark.damages("expires snapshots")
def test_a_feed_after_the_expiry_of_a_dropped_tables_rows_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT i FROM range(20) r(i)",
        "DROP TABLE t",
        limit=0,
    )
    catalog = register(lake)
    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', 2)").collect()
    made(lake, "CALL ducklake_expire_snapshots('lake', versions => [0, 1, 2])")

    feed = f"SELECT change_type FROM ducklake_table_changes('{catalog}', 't', {{}}, 4)"
    refused(spark, feed.format(3), "DUCKLAKE_CHANGES_EXPIRED", "4")
    assert rows(spark, feed.format(4)) == [("insert",)] * 20
