"""Deletion vectors of several snapshots in one Puffin file, as DuckDB 2.0 writes them."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from support.asking import rows
from support.catalogdb import read_catalog
from support.feeds import Feed, PlayedStory, Story, by_duckdb, by_spark, play
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer
from support.puffin import use_containers
from support.sweep import FULL

Register = Callable[..., str]

STORY = Story(
    "t",
    (
        "CREATE TABLE {t} (a BIGINT, b VARCHAR)",
        "INSERT INTO {t} SELECT i, 'v' || i FROM range(100000) r(i)",
        "DELETE FROM {t} WHERE a % 1000 = 7",
        "UPDATE {t} SET b = 'u' WHERE a IN (8, 70000)",
        "INSERT INTO {t} SELECT i, 'w' || i FROM range(200000, 200010) r(i)",
        "DELETE FROM {t} WHERE a BETWEEN 99951 AND 99999",
        "DELETE FROM {t} WHERE a IN (200003, 5)",
        "DELETE FROM {t} WHERE a IN (200009, 11)",
    ),
)
COUNTS = "SELECT count(*), sum(a), max(b) FROM {table}"


def asked(story: PlayedStory, *, are_many: bool) -> list[Feed]:
    """Feeds of the story; only the full sweep asks for those that have all rows of the table."""
    feeds = story.feeds(are_many=are_many)
    few = [feed for feed in feeds if feed.kind == "deletions" or feed.first > story.before + 2]
    return feeds if FULL else few


def by_peer(lake: Lake, versions: range) -> list[list[object]]:
    """What DuckDB finds at each snapshot."""
    with Peer(lake) as peer:
        counts = [peer.rows(COUNTS.format(table=f"t AT (VERSION => {at})")) for at in versions]
    return [[list(row) for row in each] for each in counts]


def found(spark: SparkSession, catalog: str, versions: range) -> list[list[object]]:
    """What Spark finds at each snapshot."""
    names = [f"{catalog}.t VERSION AS OF {at}" for at in versions]
    return [[list(row) for row in rows(spark, COUNTS.format(table=name))] for name in names]


def test_every_snapshot_reads_as_before_the_containers(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    (story,) = play(lake, [STORY], limit=0)
    versions = range(story.before + 2, story.head + 1)
    feeds = asked(story, are_many=True)
    wanted, changes = by_peer(lake, versions), by_duckdb(lake, feeds)

    assert use_containers(lake) == 5

    catalog = register(lake, IN_FILES)
    assert found(spark, catalog, versions) == wanted
    assert by_spark(spark, catalog, feeds) == changes


def test_later_deletes_and_upkeep_keep_the_history(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    (story,) = play(lake, [STORY], limit=0)
    versions = range(story.before + 2, story.head + 1)
    feeds = asked(story, are_many=False)
    wanted, changes = by_peer(lake, versions), by_duckdb(lake, feeds)
    use_containers(lake)
    catalog = register(lake, IN_FILES)

    spark.sql(f"DELETE FROM {catalog}.t WHERE a IN (12, 200001)")
    after = rows(spark, f"SELECT count(*) FROM {catalog}.t")
    inlining = register(lake)
    spark.sql(f"DELETE FROM {inlining}.t WHERE a = 13")
    spark.sql(f"CALL {catalog}.system.flush_inlined_data()")
    spark.sql(f"CALL {catalog}.system.rewrite_data_files('t', delete_threshold => 0.0)")

    assert found(spark, catalog, versions) == wanted
    assert by_spark(spark, catalog, feeds) == changes
    assert [row[0] for row in after] == [wanted[-1][0][0] - 2]  # type: ignore[index]
    formats = {row["format"] for row in read_catalog(lake).rows("delete_file")}
    assert "parquet" in formats
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM t WHERE a IN (5, 7, 11, 12, 13, 200001)") == 0
        assert peer.value("SELECT count(*) FROM t") == wanted[-1][0][0] - 3  # type: ignore[index]
