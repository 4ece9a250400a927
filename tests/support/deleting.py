"""What a DELETE that the catalog alone decides is asked in both engines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from support.asking import rows
from support.lakes import Lake
from support.peer import Peer


@contextmanager
def no_files(lake: Lake) -> Iterator[None]:
    """For a while no file of the lake can be opened."""
    away = lake.data_path.with_name("away")
    lake.data_path.rename(away)
    try:
        yield
    finally:
        away.rename(lake.data_path)


def same(spark: SparkSession, lake: Lake, catalog: str, query: str) -> list[tuple[object, ...]]:
    """The answer of both engines, which must be one."""
    with Peer(lake) as peer:
        theirs = peer.rows(query.format(t="t"))
    ours = rows(spark, query.format(t=f"{catalog}.t"))
    assert sorted(map(repr, ours)) == sorted(map(repr, theirs))
    return theirs


def is_known(spark: SparkSession, table: str, condition: str) -> bool:
    """Whether Spark leaves the DELETE to the catalog."""
    plan = rows(spark, f"EXPLAIN DELETE FROM {table} WHERE {condition}")[0][0]
    assert ("DeleteFromTable" in plan) != ("WriteDelta" in plan), plan
    return "DeleteFromTable" in plan


def changes(lake: Lake, first: int, last: int) -> list[tuple[int, str, int]]:
    """What DuckDB's feed reports of table `t`: snapshot, kind, and how many rows, each once."""
    with Peer(lake) as peer:
        found = peer.rows(
            "SELECT snapshot_id, change_type, count(*), count(DISTINCT rowid) FROM "
            f"ducklake_table_changes('lake', 'main', 't', {first}, {last}) "
            "GROUP BY ALL ORDER BY ALL"
        )
    assert [row for row in found if row[2] != row[3]] == []
    return [(snapshot, kind, count) for snapshot, kind, count, _ in found]
