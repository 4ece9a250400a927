"""Reads of a change feed: what filters leave unread, hidden columns, and streams."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from support.feeds import Feed, by_duckdb, by_spark, by_time_travel, differences
from support.lakes import LakeFactory
from support.lines import CHANGES, has
from support.peer import Peer

Register = Callable[..., str]


def test_filters_on_snapshots_and_types_narrow_what_is_opened(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (a INT)", *(f"INSERT INTO t VALUES ({i})" for i in range(3)))
        peer.run("DELETE FROM t WHERE a = 0", "UPDATE t SET a = 7 WHERE a = 1")
        needed = [
            Path(peer.value(f"SELECT filename FROM {images}")).name
            for images in ("t WHERE a = 7", "t AT (VERSION => 5) WHERE a = 1")
        ]
    for file in made.data_path.rglob("*.parquet"):
        if file.name not in needed:
            file.unlink()
    feed = f"ducklake_table_changes('{register(made)}', 't', 1, 6)"

    def asked(condition: str) -> list[tuple[object, ...]]:
        found = spark.sql(f"SELECT snapshot_id, rowid, a FROM {feed} WHERE {condition}")
        return sorted(tuple(row) for row in found.collect())

    kind = "change_type = 'update_postimage'"
    for newest in ("snapshot_id = 6", "snapshot_id > 5", "snapshot_id BETWEEN 6 AND 9"):
        assert asked(f"{newest} AND {kind}") == [(6, 1, 7)]
    assert asked("snapshot_id = 5 AND change_type = 'insert'") == []
    assert asked("snapshot_id IN (1, 0) AND a = 3") == []
    assert asked("snapshot_id > 6") == asked("snapshot_id = 4 AND snapshot_id = 5") == []
    with pytest.raises(PySparkException) as raised:
        asked("snapshot_id = 4 AND change_type = 'insert'")
    assert raised.value.getCondition() == "DUCKLAKE_UNREADABLE_FILE"


def spoil(file: Path, group: int, column: int) -> None:
    """Overwrites a column of a row group, so that nobody can read it."""
    chunk = pq.read_metadata(file).row_group(group).column(column)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    with file.open("r+b") as content:
        content.seek(start)
        content.write(b"\xff" * chunk.total_compressed_size)


def test_row_groups_and_columns_that_are_not_asked_for_are_not_read(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CALL ducklake_set_option('lake', 'parquet_row_group_size', 2048)",
            "CREATE TABLE t (a BIGINT, b VARCHAR)",
            "INSERT INTO t SELECT i, 'v' || i FROM range(4096) r(i)",
            "DELETE FROM t WHERE a IN (7, 4007)",
        )
        file = Path(peer.value("SELECT data_file FROM ducklake_list_files('lake', 't')"))
        first = peer.value("SELECT begin_snapshot FROM __ducklake_metadata_lake.ducklake_data_file")
    spoil(file, group=1, column=0)
    spoil(file, group=0, column=1)
    feed = f"ducklake_table_changes('{register(made)}', 't', {first}, {first + 1})"

    def asked(columns: str, condition: str) -> list[tuple[object, ...]]:
        found = spark.sql(f"SELECT {columns} FROM {feed} WHERE {condition}")
        return sorted(tuple(row) for row in found.collect())

    assert asked("change_type, rowid, a", "a BETWEEN 6 AND 8") == [
        ("delete", 7, 7),
        *(("insert", a, a) for a in (6, 7, 8)),
    ]
    for columns, condition in (("a", "a = 4007"), ("b", "a = 7")):
        with pytest.raises(PySparkException) as raised:
            asked(columns, condition)
        assert raised.value.getCondition() == "DUCKLAKE_UNREADABLE_FILE"


def test_the_images_of_an_update_meet_without_a_shuffle(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (a INT, b INT)",
            "INSERT INTO t SELECT i, 0 FROM range(100) r(i)",
            "INSERT INTO t SELECT i, 0 FROM range(100, 200) r(i)",
            "UPDATE t SET b = 1 WHERE a % 50 = 7",
        )
    lake = register(made)
    feed = spark.read.option("start-snapshot", 4).table(f"{lake}.main.t.changes")
    net = spark.read.option("startingVersion", 4).option("deduplicationMode", "netChanges")

    def plan(frame: DataFrame) -> str:
        return str(frame._jdf.queryExecution().executedPlan().toString())

    images = sorted(tuple(row) for row in feed.select("change_type", "a", "b").collect())
    assert images == [
        *(("update_postimage", a, 1) for a in (7, 57, 107, 157)),
        *(("update_preimage", a, 0) for a in (7, 57, 107, 157)),
    ]
    assert "changes of snapshots 4 to 4" in plan(feed)
    assert "Exchange" not in plan(feed)
    if has(CHANGES):
        assert "Exchange" in plan(net.changes(f"{lake}.main.t"))


def test_hidden_columns_of_insertions_and_deletions_are_duckdbs(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 2") as peer:
        peer.run(
            "CREATE TABLE t (a INT)",
            "INSERT INTO t SELECT i FROM range(6) r(i)",
            "INSERT INTO t VALUES (10), (11)",
            "UPDATE t SET a = 20 WHERE a IN (1, 10)",
            "DELETE FROM t WHERE a IN (2, 11)",
            "CREATE TABLE own (rowid VARCHAR, a INT)",
            "INSERT INTO own VALUES ('mine', 1)",
        )
        queries = [
            f"SELECT rowid, snapshot_id, a FROM ducklake_table_{kind}('{{}}', 'main', 't', 1, 5)"
            for kind in ("insertions", "deletions")
        ]
        expected = [sorted(peer.rows(query.format("lake"))) for query in queries]
        head = peer.head()
    assert [len(each) for each in expected] == [10, 4]
    lake = register(made)

    found = [spark.sql(query.format(lake)).collect() for query in queries]

    assert [sorted(map(tuple, rows)) for rows in found] == expected
    feed = spark.read.option("start-snapshot", head)
    assert feed.table(f"{lake}.t.insertions").select("rowid", "a").collect() == []
    (mine,) = feed.table(f"{lake}.own.insertions").select("rowid", "snapshot_id", "a").collect()
    assert tuple(mine) == ("mine", head, 1)


@pytest.mark.parametrize(
    "statement", ["TRUNCATE TABLE {t}", "INSERT OVERWRITE {t} SELECT 7", "DELETE FROM {t}"]
)
def test_duckdb_alone_repeats_the_inlined_deletes_of_a_file_that_ends(
    spark: SparkSession, lakes: LakeFactory, register: Register, statement: str
) -> None:
    """DuckDB's own TRUNCATE writes a delete file then, and does not end the file."""
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT i::INT AS a FROM range(100) r(i)")
        peer.run("DELETE FROM t WHERE a = 70")
    catalog = register(lake)
    spark.sql(statement.format(t=f"{catalog}.t"))
    feed = Feed("changes", "t", 3, 3)

    actual = by_spark(spark, catalog, [feed])

    assert actual == {feed: by_time_travel(lake, feed)}
    repeated = '{"snapshot_id": 3, "rowid": 70, "change_type": "delete", "a": 70}'
    assert differences(by_duckdb(lake, [feed]), actual) == {feed: [f"- {repeated}"]}
