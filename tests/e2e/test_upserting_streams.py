"""Streams that merge their rows by key: the newest row of each key, and each epoch once."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from support.asking import rows
from support.connect import connected, serving
from support.lakes import IN_FILES, Lake
from support.lines import VARIANT_WRITES, has
from support.meanwhile import meanwhile
from support.peer import Peer
from support.streams import Feed, Row, random_events

Register = Callable[..., str]
TABLE = "CREATE TABLE t (id INT, name VARCHAR, n INT)"
BY_N = {"merge-keys": "id", "sequence-by": "n"}
GONE = {**BY_N, "delete-when": "op = 'd'"}
EVENT = "id INT, name STRING, n INT, op STRING"
EVENTS = ("id", "name", "n", "op")


@pytest.fixture
def feed(spark: SparkSession, tmp_path: Path) -> Feed:
    """No files yet."""
    return Feed(spark, tmp_path)


@pytest.fixture(params=[{}, IN_FILES], ids=["inlined", "files"])
def target(request: pytest.FixtureRequest, lake: Lake, register: Register) -> str:
    """The name of an empty table in Spark."""
    with Peer(lake) as peer:
        peer.run(TABLE)
    return f"{register(lake, request.param)}.main.t"


def both(spark: SparkSession, lake: Lake, table: str) -> list[Row]:
    """The rows of a table, which are the same in both engines."""
    with Peer(lake) as peer:
        theirs = peer.rows(f"SELECT * FROM {table.split('.')[-1]} ORDER BY ALL")
    assert rows(spark, f"SELECT * FROM {table} ORDER BY ALL") == theirs
    return theirs


@contextlib.contextmanager
def unchanged(lake: Lake) -> Iterator[None]:
    """What is done makes neither snapshots nor files."""
    with Peer(lake) as peer:
        head = peer.head()
    files = set(lake.data_path.rglob("*.parquet"))
    yield
    with Peer(lake) as peer:
        assert peer.head() == head
    assert set(lake.data_path.rglob("*.parquet")) == files


def refusal(
    feed: Feed,
    table: str,
    options: dict[str, str],
    frame: DataFrame | None = None,
    mode: str = "append",
) -> str:
    """The error of a query that must fail."""
    with pytest.raises((StreamingQueryException, PySparkException)) as caught:
        feed.start(table, frame, mode, options).awaitTermination()
    return str(caught.value)


def test_rows_replace_those_with_their_key(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    feed.add(((1, "one", 1), (2, "two", 1)), ((2, "TWO", 2), (3, "three", 2)))

    assert feed.run(target, options={"merge-keys": "ID", "commit-message": "m"}) == [0, 1]

    assert both(spark, lake, target) == [(1, "one", 1), (2, "TWO", 2), (3, "three", 2)]
    with Peer(lake) as peer:
        feed_of = "SELECT change_type, id, name FROM ducklake_table_changes('lake','main','t',3,3)"
        assert peer.rows(f"{feed_of} ORDER BY id, change_type") == [
            ("update_postimage", 2, "TWO"),
            ("update_preimage", 2, "two"),
            ("insert", 3, "three"),
        ]
        messages = "SELECT commit_message FROM ducklake_snapshots('lake') ORDER BY snapshot_id"
        assert peer.rows(messages)[-2:] == [("m",), ("m",)]


def test_the_sequence_says_which_row_is_newer(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    feed.add(
        ((1, "b", 20), (1, "a", 10), (1, "c", 20), (2, "x", 5)),
        ((1, "late", 15), (1, "same", 20), (2, "y", 6)),
    )

    feed.run(target, options=BY_N)

    assert both(spark, lake, target) == [(1, "b", 20), (2, "y", 6)]


def test_rows_are_deleted_by_a_condition_on_the_stream(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    feed.add(
        ((1, "a", 1, "u"), (2, "b", 1, "u"), (3, "c", 1, None), (4, "d", 2, "d")),
        ((1, None, 2, "d"), (2, None, 0, "d"), (5, "e", 1, "u"), (5, "e", 2, "d")),
        ((1, "again", 3, "u"),),
        columns=EVENTS,
    )

    feed.run(target, feed.frame(EVENT), options=GONE)

    assert both(spark, lake, target) == [(1, "again", 3), (2, "b", 1), (3, "c", 1)]


@pytest.mark.parametrize("options", [{"merge-keys": "id"}, BY_N], ids=["keys", "sequence"])
def test_a_repeated_epoch_is_merged_once(
    spark: SparkSession, lake: Lake, target: str, feed: Feed, options: dict[str, str]
) -> None:
    feed.add(((1, "a", 1),), ((1, "b", 2), (2, "c", 2)))
    feed.run(target, options=options)
    feed.forget_last_commit()

    with unchanged(lake):
        assert feed.run(target, options=options) == [1]
    assert both(spark, lake, target) == [(1, "b", 2), (2, "c", 2)]


def test_output_mode_update_merges_aggregates(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE sums (odd INT, total BIGINT)")
    table = f"{register(lake)}.main.sums"
    feed.add(((1, "", 10), (2, "", 20)), ((3, "", 30),))
    sums = feed.frame().selectExpr("id % 2 AS odd", "n").groupBy("odd").sum("n")
    frame = sums.withColumnRenamed("sum(n)", "total")

    feed.run(table, frame, "update", {"merge-keys": "odd"})
    feed.forget_last_commit()
    with unchanged(lake):
        feed.run(table, frame, "update", {"merge-keys": "odd"})

    assert both(spark, lake, table) == [(0, 20), (1, 40)]


def test_columns_are_fitted_as_in_appends(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id BIGINT, name VARCHAR, n INT DEFAULT 7, s STRUCT(a INT))")
        peer.run("INSERT INTO t VALUES (1, 'old', 1, {'a': 1}), (3, 'kept', 3, {'a': 3})")
    feed.add(((1, "new"), (2, "two")), columns=("id", "name"))

    table = f"{register(lake)}.main.t"
    feed.run(table, feed.frame("name STRING, id INT"), options={"merge-keys": "id"})

    found = [(1, "new", 1, {"a": 1}), (2, "two", 7, None), (3, "kept", 3, {"a": 3})]
    with Peer(lake) as peer:
        assert peer.rows("SELECT * FROM t ORDER BY id") == found


KEYS = (
    ("TINYINT", "CAST(id AS TINYINT)"),
    ("UBIGINT", "CAST(id AS DECIMAL(20, 0))"),
    ("HUGEINT", "CAST(id AS DECIMAL(38, 0))"),
    ("DECIMAL(9, 2)", "CAST(id AS DECIMAL(9, 2))"),
    ("DOUBLE", "CAST(id AS DOUBLE)"),
    ("BOOLEAN", "id = 1"),
    ("VARCHAR", "concat('k', id)"),
    ("BLOB", "CAST(concat('k', id) AS BINARY)"),
    ("DATE", "date_add(DATE'2024-01-01', id)"),
    ("TIMESTAMP", "TIMESTAMP_NTZ'2024-01-01 00:00:00' + make_interval(0, 0, 0, id)"),
    ("TIMESTAMPTZ", "TIMESTAMP'2024-01-01 00:00:00' + make_interval(0, 0, 0, id)"),
    ("STRUCT(a INT)", "named_struct('a', id)"),
    ("INT[]", "array(id, 1)"),
)


def test_keys_of_every_type(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    catalog = register(lake)
    others = ", v VARIANT, g GEOMETRY" if has(VARIANT_WRITES) else ""
    for number, (dataType, key) in enumerate(KEYS):
        with Peer(lake) as peer:
            peer.run(f"CREATE TABLE k{number} (k {dataType}{others}, n INT)")
            peer.run(f"INSERT INTO k{number} (n) VALUES (0)")
        feed = Feed(spark, tmp_path, f"keys{number}")
        feed.add(((1, "a", 1), (2, "b", 2)), ((1, "a", 3),))
        frame = feed.frame().selectExpr(f"{key} AS k", "n")

        feed.run(f"{catalog}.main.k{number}", frame, options={"merge-keys": "k"})

        with Peer(lake) as peer:
            assert peer.rows(f"SELECT n FROM k{number} ORDER BY n") == [(0,), (2,), (3,)], dataType


def test_tables_with_a_layout(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed
) -> None:
    catalog = register(lake, IN_FILES)
    spark.sql(
        f"CREATE TABLE {catalog}.main.t (id INT, name STRING, n INT, c CHAR(4)) "
        "PARTITIONED BY (bucket(3, id), n)"
    )
    spark.sql(f"ALTER TABLE {catalog}.main.t SET SORTED BY (name)")
    feed.add(((1, "a", 1, "x"), (2, "b", 1, "y")), ((1, "c", 2, "z"),), columns=EVENTS)
    frame = feed.frame(EVENT).withColumnRenamed("op", "c")

    feed.run(f"{catalog}.main.t", frame, options={"merge-keys": "id, c", "sequence-by": "n"})
    feed.add(((1, "d", 3, "x"), (1, "e", 1, "z")), columns=EVENTS)
    feed.run(f"{catalog}.main.t", frame, options={"merge-keys": "`id`,c", "sequence-by": "n"})

    with Peer(lake) as peer:
        found = peer.rows("SELECT id, name, n, trim(c) FROM t ORDER BY ALL")
    assert found == [(1, "c", 2, "z"), (1, "d", 3, "x"), (2, "b", 1, "y")]


def test_what_cannot_be_merged_is_refused(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    feed.add(((1, "a", 1, "u"), (1, "b", None, "u")), columns=EVENTS)
    only = {"merge-keys": "id"}
    with unchanged(lake):
        for options, words in (
            (only, "two rows with the same `id`"),
            (BY_N, "NULL in `n`"),
            ({"merge-keys": "x"}, "no column of"),
            ({"merge-keys": ""}, "names no column"),
            ({"merge-keys": "id, id"}, "twice"),
            ({"merge-keys": "id,`ID`"}, "names `id` twice"),
            ({"merge-keys": "id.a"}, "no name of a column"),
            ({**only, "sequence-by": "op"}, "no column of"),
            ({"sequence-by": "n"}, "without `merge-keys`"),
            ({"delete-when": "true"}, "without `merge-keys`"),
            ({**only, "delete-when": "nothing = 1"}, "nothing"),
            ({**only, "delete-when": "id"}, "BOOLEAN"),
            ({**only, "delete-when": "id = (SELECT 1)"}, "more than one row"),
            ({**only, "txn-app-id": "x"}, "numbers its epochs itself"),
            ({**only, "replaceWhere": "id = 1"}, "replaceWhere"),
            ({**only, "userMetadata": "x"}, "userMetadata"),
        ):
            assert words in refusal(feed, target, options), options
        assert "too many data columns" in refusal(feed, target, only, feed.frame(EVENT))
        assert "which the stream lacks" in refusal(
            feed, target, BY_N, feed.frame("id INT, name STRING")
        )
        feed.checkpoint = feed.checkpoint.with_name("modes")
        assert "merge-keys" in refusal(feed, target, {}, mode="update")
        sums = feed.frame().groupBy("id").sum("n").withColumnRenamed("sum(n)", "n")
        assert "output mode complete" in refusal(feed, target, only, sums, "complete")
        batch = spark.createDataFrame([(1, "a", 1)], "id INT, name STRING, n INT")
        with pytest.raises(PySparkException, match="merge-keys"):
            batch.writeTo(target).option("merge-keys", "id").append()


def test_null_keys_are_refused(target: str, feed: Feed) -> None:
    feed.add(((None, "a", 1),))
    assert "NULL in `id`" in refusal(feed, target, BY_N)


def test_over_connect(spark: SparkSession, lake: Lake, target: str, tmp_path: Path) -> None:
    with serving(spark) as address:
        remote = connected(address)
        for key, value in lake.spark_settings(target.split(".")[0]).items():
            remote.conf.set(key, value)
        feed = Feed(remote, tmp_path)
        feed.add(((1, "a", 1),), ((1, "b", 2), (2, "c", 2)))
        feed.start(target, options=BY_N).awaitTermination()
        remote.stop()

    assert both(spark, lake, target) == [(1, "b", 2), (2, "c", 2)]


def test_another_change_of_the_same_rows_comes_first(
    spark: SparkSession, lake: Lake, target: str, feed: Feed, tmp_path: Path
) -> None:
    """DuckDB changes the row while the epoch computes its rows: the merge runs again."""
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (1, 'first', 1), (2, 'second', 1)")
    feed.add(((1, "stream", 5), (2, "stream", 5)))

    def update() -> None:
        with Peer(lake) as peer:
            head = peer.head()
            peer.run("UPDATE t SET name = 'theirs', n = 9 WHERE id = 1")
        assert head == 2, "the epoch was over before the update"

    with meanwhile(tmp_path / "held", update) as hold:
        feed.start(target, hold(feed.frame(), "name"), options=BY_N).awaitTermination()

    assert both(spark, lake, target) == [(1, "theirs", 9), (2, "stream", 5)]


def test_a_serializable_epoch_sees_new_keys_of_others(
    spark: SparkSession, lake: Lake, target: str, feed: Feed, tmp_path: Path
) -> None:
    feed.add(((1, "stream", 5), (2, "stream", 5)))
    options = {**BY_N, "isolation-level": "serializable"}

    def insert() -> None:
        with Peer(lake) as peer:
            head = peer.head()
            peer.run("INSERT INTO t VALUES (1, 'theirs', 1)")
        assert head == 1, "the epoch was over before the insert"

    with meanwhile(tmp_path / "held", insert) as hold:
        feed.start(target, hold(feed.frame(), "name"), options=options).awaitTermination()

    assert both(spark, lake, target) == [(1, "stream", 5), (2, "stream", 5)]


def test_few_rows_are_merged_without_a_join(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    """One job computes the rows of such an epoch; another one finds the keys that may be there."""

    def jobs(*batch: Row) -> int:
        feed.add(batch)
        query = feed.start(target, options={**BY_N, "commit-author": "stream"})
        query.awaitTermination()
        return len(spark.sparkContext.statusTracker().getJobIdsForGroup(str(query.runId)))

    assert jobs((1, "a", 1), (2, "b", 1)) == 1
    assert jobs((3, "c", 1), (3, "d", 2), (3, "e", 1)) == 1
    assert jobs((3, "f", 3), (4, "g", 1)) == 2

    assert both(spark, lake, target) == [(1, "a", 1), (2, "b", 1), (3, "f", 3), (4, "g", 1)]
    with Peer(lake) as peer:
        authors = peer.rows("SELECT author FROM ducklake_snapshots('lake') ORDER BY snapshot_id")
    assert authors[-3:] == [("stream",)] * 3


SORTED = pytest.mark.parametrize(
    "layout", [(), ("ALTER TABLE t SET SORTED BY (name)",)], ids=["driver", "statement"]
)
"""Few rows are merged by the driver, unless they are sorted for the table."""


@SORTED
def test_all_rows_with_a_key_are_replaced_and_keep_what_the_stream_lacks(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed, layout: tuple[str, ...]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (id INT, name VARCHAR, n INT, more VARCHAR DEFAULT 'none')",
            *layout,
            "INSERT INTO t VALUES (1, 'a', 1, 'x'), (1, 'b', NULL, 'y'), (1, 'c', 9, 'z')",
            "INSERT INTO t VALUES (2, 'd', 1, NULL), (3, 'e', 1, NULL), (NULL, 'f', 1, 'w')",
        )
    feed.add(
        ((1, "new", 5, "u"), (2, None, 2, "d"), (3, "late", 1, "u"), (4, "made", 1, "u")),
        columns=EVENTS,
    )

    feed.run(f"{register(lake)}.main.t", feed.frame(EVENT), options=GONE)

    with Peer(lake) as peer:
        assert peer.rows("FROM t ORDER BY id NULLS LAST, more") == [
            (1, "new", 5, "x"),
            (1, "new", 5, "y"),
            (1, "c", 9, "z"),
            (3, "e", 1, None),
            (4, "made", 1, "none"),
            (None, "f", 1, "w"),
        ]


def test_more_rows_with_a_key_than_the_driver_takes(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    with Peer(lake) as peer:
        peer.run("INSERT INTO t SELECT 1, 'old', i FROM range(12_000) r(i)")
    feed.add(((1, "new", -1),))

    feed.run(target, options={"merge-keys": "id"})

    with Peer(lake) as peer:
        assert peer.rows("SELECT DISTINCT name, n, count(*) FROM t GROUP BY ALL") == [
            ("new", -1, 12_000)
        ]


def test_a_table_named_by_its_format_is_merged_as_it_is_now(
    spark: SparkSession, lake: Lake, target: str, feed: Feed
) -> None:
    """Spark loads such a table once for a query of many epochs."""
    feed.add(((1, "a", 1), (2, "b", 1)), ((1, "c", 2),), ((1, "d", 3), (3, "e", 1)))
    writer = feed.frame().writeStream.format("ducklake").option("path", target)
    writer = writer.option("checkpointLocation", str(feed.checkpoint)).options(**BY_N)

    writer.trigger(availableNow=True).start().awaitTermination()

    assert both(spark, lake, target) == [(1, "d", 3), (2, "b", 1), (3, "e", 1)]


@pytest.mark.parametrize("key", ["CHAR(4)", "VARCHAR(4)"])
def test_keys_with_a_length_are_found(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed, key: str
) -> None:
    """DuckDB writes texts without the blanks that Spark adds to them."""
    catalog = register(lake, IN_FILES)
    spark.sql(f"CREATE TABLE {catalog}.main.t (id INT, name {key}, n INT)")
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (1, 'x', 1)")
    feed.add(((2, "x", 2), (3, "y", 1)))

    feed.run(f"{catalog}.main.t", options={"merge-keys": "name"})

    with Peer(lake) as peer:
        found = peer.rows("SELECT id, trim(name) FROM t ORDER BY id")
    assert found == [(2, "x"), (3, "y")]


def test_large_epochs(spark: SparkSession, lake: Lake, target: str, feed: Feed) -> None:
    """More rows than the driver takes."""
    count = 12_000
    first = tuple((n, "a", 1) for n in range(count))
    second = tuple((n, "b", 2 if n % 2 else 0) for n in range(count, 0, -1))
    feed.add(first, (*second, (1, "c", 3)))

    feed.run(target, options=BY_N)

    with Peer(lake) as peer:
        found = peer.rows("SELECT name, count(*), sum(id) FROM t GROUP BY name ORDER BY name")
    odd, even = count // 2 - 1, count // 2
    assert found == [
        ("a", even, sum(range(0, count, 2))),
        ("b", odd + 1, sum(range(3, count, 2)) + count),
        ("c", 1, 1),
    ]


MODEL = """
CREATE TABLE events AS SELECT * FROM read_json('{folder}/*.json', columns =
    {{id: 'INT', name: 'VARCHAR', n: 'INT', op: 'VARCHAR', epoch: 'INT'}});
"""
EXPECTED = """
SELECT id, name, n FROM (
    SELECT *, row_number() OVER (PARTITION BY id ORDER BY n DESC) AS place FROM events)
WHERE place = 1 AND op = 'u' ORDER BY ALL
"""


@SORTED
def test_random_events(
    spark: SparkSession, lake: Lake, target: str, feed: Feed, layout: tuple[str, ...]
) -> None:
    with Peer(lake) as peer:
        peer.run(*layout)
    chance = random.Random(f"{lake.kind}{target}")
    batches = random_events(chance, epochs=12, keys=25)
    for number, batch in enumerate(batches):
        feed.add(batch, columns=EVENTS)
        feed.run(target, feed.frame(EVENT), options=GONE)
        if number % 4 == 3:
            feed.forget_last_commit()
            feed.run(target, feed.frame(EVENT), options=GONE)
            with Peer(lake) as peer:
                peer.run("CALL ducklake_flush_inlined_data('lake')")
                peer.run("CALL ducklake_merge_adjacent_files('lake')")

    found = both(spark, lake, target)
    with Peer(lake) as peer:
        peer.run("USE memory", MODEL.format(folder=feed.folder))
        assert found == peer.rows(EXPECTED)
