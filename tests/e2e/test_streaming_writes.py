"""Streams written by `toTable`: each epoch is one snapshot, and there once, also when repeated."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from support.asking import refused, rows, value
from support.lakes import IN_FILES, Lake, LakeFactory
from support.lines import COLUMN_IDS, has
from support.meanwhile import meanwhile
from support.peer import Peer
from support.streams import Feed, Row

Register = Callable[..., str]
TABLE = "CREATE TABLE t (id INT, name VARCHAR, n INT)"
FIRST = ((1, "one", 10), (2, "two", 20))
SECOND = ((3, "three", 30), (4, "four", 40))
THIRD = ((5, "five", 50),)


@pytest.fixture
def feed(spark: SparkSession, tmp_path: Path) -> Feed:
    """Two files of two rows."""
    made = Feed(spark, tmp_path)
    made.add(FIRST, SECOND)
    return made


@pytest.fixture(params=[{}, IN_FILES], ids=["inlined", "files"])
def target(request: pytest.FixtureRequest, lake: Lake, register: Register) -> str:
    """The name of an empty table in Spark."""
    with Peer(lake) as peer:
        peer.run(TABLE)
    return f"{register(lake, request.param)}.main.t"


@pytest.fixture
def catalog(lake: Lake, register: Register) -> str:
    """The lake in Spark, with an empty table."""
    with Peer(lake) as peer:
        peer.run(TABLE)
    return register(lake)


def both(spark: SparkSession, lake: Lake, table: str) -> list[Row]:
    """The rows of a table, which are the same in both engines."""
    with Peer(lake) as peer:
        theirs = peer.rows(f"SELECT * FROM {table.split('.')[-1]} ORDER BY ALL")
    assert rows(spark, f"SELECT * FROM {table} ORDER BY ALL") == theirs
    return theirs


def data_files(lake: Lake) -> set[Path]:
    """The data files in the lake's folder, also those that no snapshot names."""
    return set(lake.data_path.rglob("*.parquet"))


def failure(query: StreamingQuery) -> str:
    """The error of a query that must fail."""
    with pytest.raises(StreamingQueryException) as caught:
        query.awaitTermination()
    return str(caught.value)


@contextlib.contextmanager
def unchanged(lake: Lake) -> Iterator[None]:
    """What is done makes neither snapshots nor files."""
    with Peer(lake) as peer:
        head = peer.head()
    files = data_files(lake)
    yield
    with Peer(lake) as peer:
        assert peer.head() == head
    assert data_files(lake) == files


def test_each_epoch_is_one_snapshot(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    assert feed.run(target) == [0, 1]
    feed.add(THIRD)
    assert feed.run(target, options={"commit-message": "the third"}) == [2]

    assert both(spark, lake, target) == [*FIRST, *SECOND, *THIRD]
    with Peer(lake) as peer:
        messages = "SELECT snapshot_id, commit_message FROM ducklake_snapshots('lake') ORDER BY ALL"
        assert peer.rows(messages)[-3:] == [(2, None), (3, None), (4, "the third")]
    with unchanged(lake):
        assert feed.run(target) == []


def test_a_repeated_epoch_is_written_once(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    feed.run(target)
    feed.forget_last_commit()
    with Peer(lake) as peer:
        peer.run(
            "INSERT INTO t VALUES (0, 'by DuckDB', 0)",
            "ALTER TABLE t RENAME TO u",
            "COMMENT ON TABLE u IS 'ours'",
            "ALTER TABLE u RENAME TO t",
            "CALL ducklake_flush_inlined_data('lake')",
            "CALL ducklake_merge_adjacent_files('lake')",
            "CALL ducklake_expire_snapshots('lake', older_than => now() + INTERVAL 1 DAY)",
            "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
            "CHECKPOINT lake",
        )

    with unchanged(lake):
        assert feed.run(target) == [1]
    feed.add(THIRD)
    assert feed.run(target) == [2]

    assert both(spark, lake, target) == [(0, "by DuckDB", 0), *FIRST, *SECOND, *THIRD]


def test_an_epoch_stays_known_after_a_rollback(
    spark: SparkSession, lake: Lake, catalog: str, feed: Feed
) -> None:
    table = f"{catalog}.main.t"
    feed.run(table)
    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => 2)").collect()
    feed.forget_last_commit()

    with unchanged(lake):
        assert feed.run(table) == [1]

    assert both(spark, lake, table) == [*FIRST]


def test_a_table_made_anew_gets_the_epoch_that_is_repeated(
    spark: SparkSession, lake: Lake, catalog: str, feed: Feed
) -> None:
    table = f"{catalog}.main.t"
    feed.run(table)
    with Peer(lake) as peer:
        peer.run("DROP TABLE t", TABLE)
    feed.forget_last_commit()

    assert feed.run(table) == [1]

    assert both(spark, lake, table) == [*SECOND]


def test_two_queries_write_to_one_table(
    spark: SparkSession, lake: Lake, catalog: str, feed: Feed, tmp_path: Path
) -> None:
    table = f"{catalog}.main.t"
    other = Feed(spark, tmp_path, "other")
    other.add(THIRD)

    queries = [feed.start(table), other.start(table)]
    for query in queries:
        query.awaitTermination()
    for one in (feed, other):
        one.forget_last_commit()
    with unchanged(lake):
        assert (feed.run(table), other.run(table)) == ([1], [0])

    assert both(spark, lake, table) == [*FIRST, *SECOND, *THIRD]


@pytest.mark.parametrize("options", [{}, IN_FILES], ids=["inlined", "files"])
def test_complete_mode_replaces_all_rows(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed, options: dict[str, str]
) -> None:
    table = f"{register(lake, options)}.main.sums"
    sums = feed.frame().selectExpr("id % 2 AS odd", "n").groupBy("odd").sum("n")
    frame = sums.withColumnRenamed("sum(n)", "total")

    feed.run(table, frame, "complete")
    with Peer(lake) as peer:
        assert peer.rows("SELECT * FROM sums ORDER BY ALL") == [(0, 60), (1, 40)]
        assert peer.rows("SELECT * FROM sums AT (VERSION => 2) ORDER BY ALL") == [(0, 20), (1, 10)]
        assert peer.head() == 3
    feed.add(THIRD)
    feed.run(table, frame, "complete")
    feed.forget_last_commit()
    with unchanged(lake):
        feed.run(table, frame, "complete")

    assert both(spark, lake, table) == [(0, 60), (1, 90)]


def test_a_table_that_is_not_there_is_made(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed
) -> None:
    table = f"{register(lake, IN_FILES)}.main.made"
    writer = feed.frame().writeStream.partitionBy("name").trigger(availableNow=True)

    writer.option("checkpointLocation", str(feed.checkpoint)).toTable(table).awaitTermination()

    assert both(spark, lake, table) == [*FIRST, *SECOND]
    folders = {file.parent.name for file in data_files(lake)}
    assert folders == {"name=one", "name=two", "name=three", "name=four"}
    assert rows(spark, f"SHOW TBLPROPERTIES {table}") == []


def test_a_new_table_is_sorted_as_clusterby_says(
    spark: SparkSession, lake: Lake, catalog: str, feed: Feed
) -> None:
    writer = feed.frame().writeStream.clusterBy("n").trigger(availableNow=True)

    place = writer.option("checkpointLocation", str(feed.checkpoint))
    place.toTable(f"{catalog}.main.made").awaitTermination()

    assert both(spark, lake, f"{catalog}.main.made") == [*FIRST, *SECOND]
    properties = dict(rows(spark, f"SHOW TBLPROPERTIES {catalog}.main.made"))
    assert properties["ducklake.sorted-by"] == "n ASC NULLS LAST"
    assert not [key for key in properties if key.startswith("_")]


def test_rows_of_a_partition_come_together_where_other_columns_do_not_fit(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = f"{register(lake, IN_FILES)}.main.parted"
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE parted (id BIGINT, name VARCHAR, n BIGINT)",
            "ALTER TABLE parted SET PARTITIONED BY (name, id)",
            "ALTER TABLE parted SET SORTED BY (n)",
        )
    feed = Feed(spark, tmp_path)
    feed.add(tuple((i % 2, f"name{i % 10}", i) for i in range(200)))

    feed.run(table)

    assert value(spark, f"SELECT count(*) FROM {table}") == 200
    assert value(spark, f"SELECT count(*) FROM {table}.files") == 10

    with Peer(lake) as peer:
        peer.run("ALTER TABLE parted SET PARTITIONED BY (bucket(4, id))")
    feed.add(((1, "one", 1),))
    with unchanged(lake):
        assert "buckets of the column `id`" in failure(feed.start(table))


def test_columns_are_found_by_name_and_fitted(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = f"{register(lake)}.main.fitted"
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE fitted (extra VARCHAR DEFAULT 'none', n BIGINT, id TINYINT NOT NULL, "
            "s STRUCT(b INT, a VARCHAR), moment TIMESTAMP)",
            "ALTER TABLE fitted SET PARTITIONED BY (extra, hour(moment))",
        )
    feed = Feed(spark, tmp_path)
    feed.add(((1, 10, {"a": "x", "b": 7}),), columns=("id", "n", "s"))
    frame = feed.frame("id INT, n INT, s STRUCT<a: STRING, b: INT>")
    frame = frame.selectExpr("DATE '2026-01-02' AS moment", "*")

    feed.run(table, frame)
    fitted = "SELECT extra, n, id, s.b, s.a, moment FROM"
    expected = [("none", 10, 1, 7, "x", datetime(2026, 1, 2))]
    assert rows(spark, f"{fitted} {table}") == expected
    with Peer(lake) as peer:
        assert peer.rows(f"{fitted} fitted") == expected

    with unchanged(lake):
        feed.add(((None, 1, None),), columns=("id", "n", "s"))
        assert "NOT_NULL_ASSERT_VIOLATION" in failure(feed.start(table, frame))
        other = feed.frame("id INT, n INT, zzz INT")
        assert "INCOMPATIBLE_DATA_FOR_TABLE" in failure(feed.start(table, other))


@pytest.mark.parametrize("by_format", [False, True], ids=["table", "format"])
def test_a_running_query_meets_other_changes(
    spark: SparkSession, lake: Lake, target: str, feed: Feed, by_format: bool
) -> None:
    writer = feed.frame().writeStream.option("checkpointLocation", str(feed.checkpoint))
    named = writer.format("ducklake").option("path", target)
    query = named.start() if by_format else writer.toTable(target)
    try:
        query.processAllAvailable()
        with Peer(lake) as peer:
            peer.run("DELETE FROM t WHERE id = 1", "ALTER TABLE t SET PARTITIONED BY (name)")
        feed.add(THIRD)
        query.processAllAvailable()
        assert both(spark, lake, target) == [*FIRST[1:], *SECOND, *THIRD]

        with Peer(lake) as peer:
            peer.run("ALTER TABLE t ADD COLUMN more INT DEFAULT 9")
        feed.add(FIRST)
        is_known = has(COLUMN_IDS) and not by_format
        said = "`more` INT has been added" if is_known else "whose columns"
        with pytest.raises(StreamingQueryException, match=said):
            query.processAllAvailable()
    finally:
        query.stop()
    assert feed.run(target) == [3]
    now = [(*row, 9) for row in (*FIRST, *FIRST[1:], *SECOND, *THIRD)]
    assert both(spark, lake, target) == sorted(now)


def test_files_of_an_encrypted_lake_are_encrypted(
    spark: SparkSession, lakes: LakeFactory, register: Register, feed: Feed
) -> None:
    lake = lakes.new("sqlite")
    options = {"encrypted": "true", "data-path": f"{lake.data_path}/", **IN_FILES}
    table = f"{register(lake, options)}.main.made"

    feed.run(table)

    assert rows(spark, f"SELECT * FROM {table} ORDER BY ALL") == [*FIRST, *SECOND]
    assert {file.read_bytes()[:4] for file in data_files(lake)} == {b"PARE"}


def test_deletes_during_an_epoch_do_not_end_the_query(
    spark: SparkSession, lake: Lake, catalog: str, feed: Feed, tmp_path: Path
) -> None:
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (0, 'zero', 0), (9, 'nine', 9)")

    def delete() -> None:
        with Peer(lake) as peer:
            head = peer.head()
            peer.run("DELETE FROM t WHERE id = 0")
        assert head == 2, "the epoch was over before the delete"

    with meanwhile(tmp_path / "held", delete) as hold:
        feed.start(f"{catalog}.main.t", hold(feed.frame(), "name")).awaitTermination()

    assert both(spark, lake, f"{catalog}.main.t") == [*FIRST, *SECOND, (9, "nine", 9)]


def test_an_epoch_that_fails_leaves_nothing(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed
) -> None:
    with Peer(lake) as peer:
        peer.run(TABLE)
    table = f"{register(lake, IN_FILES)}.main.t"
    frame = feed.frame().selectExpr("id", "name", "CAST(n / (id - 2) AS INT) AS n")

    with unchanged(lake):
        assert "DIVIDE_BY_ZERO" in failure(feed.start(table, frame))

    assert feed.run(table) == [0, 1]
    assert both(spark, lake, table) == [*FIRST, *SECOND]


def test_what_streams_do_not_do_is_refused(
    spark: SparkSession, lake: Lake, catalog: str, feed: Feed
) -> None:
    table = f"{catalog}.main.t"
    with unchanged(lake):
        assert "[DUCKLAKE_UNSUPPORTED]" in failure(feed.start(table, mode="update"))
        assert "`commit-message`" in failure(feed.start(table, options={"userMetadata": "x"}))
        assert "mergeSchema" in failure(feed.start(table, options={"mergeSchema": "true"}))
        sums = feed.frame().groupBy("id", "name").sum("n").withColumnRenamed("sum(n)", "n")
        some = {"replaceWhere": "id = 1"}
        feed.checkpoint = feed.checkpoint.with_name("complete")
        assert "foreachBatch" in failure(feed.start(table, sums, "complete", some))

        rate = spark.readStream.format("rate").load()
        frame = rate.selectExpr("CAST(value AS INT) AS id", "'x' AS name", "1 AS n")
        writer = frame.writeStream.trigger(continuous="1 second")
        place = str(feed.checkpoint.with_name("continuous"))
        query = writer.option("checkpointLocation", place).toTable(table)
        assert "continuous trigger" in failure(query)

        batch = spark.createDataFrame([FIRST[0]], "id INT, name STRING, n INT")
        with pytest.raises(PySparkException, match="checkpointLocation"):
            batch.writeTo(table).option("checkpointLocation", "x").append()
    word = "is not known as an option of a write"
    insert = f"INSERT INTO {table} WITH ('queryName' = 'x') VALUES (1, 'a', 1)"
    refused(spark, insert, "DUCKLAKE_INVALID_SETTING", word)
    assert value(spark, f"SELECT count(*) FROM {table}") == 0
