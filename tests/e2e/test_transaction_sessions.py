"""Who is in a transaction: threads of its session, streams and their batches, other sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

import ducklake_spark as dl
import pytest
from pyspark import inheritable_thread_target
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from support.asking import refused, rows, value
from support.lakes import Lake
from support.lines import FRAMES_FOLLOW, STREAM_APART, before, since
from support.peer import Peer, made

Register = Callable[..., str]


@pytest.fixture
def catalog(lake: Lake, register: Register) -> str:
    """A lake with three empty tables."""
    made(
        lake,
        "CREATE TABLE t (id INT, n INT)",
        "CREATE TABLE sums (id INT, n BIGINT)",
        "CREATE TABLE mine (id INT)",
    )
    return register(lake)


def batches(folder: Path, count: int) -> Path:
    """A folder with a file of three rows for each batch."""
    folder.mkdir()
    for number in range(count):
        lines = [json.dumps({"id": i, "n": number + 1}) for i in range(3)]
        (folder / f"{number}.json").write_text("\n".join(lines))
    return folder


def source(spark: SparkSession, folder: Path) -> DataFrame:
    """The rows of the folder as a stream, file by file."""
    stream = spark.readStream.schema("id INT, n INT").option("maxFilesPerTrigger", 1)
    return stream.json(str(folder))


@pytest.mark.every_database
def test_upkeep_in_another_session_spares_the_snapshot_and_the_files_of_an_open_transaction(
    spark: SparkSession, lake: Lake, catalog: str, register: Register
) -> None:
    other = spark.newSession()
    theirs = register(lake, session=other)
    expire = f"CALL {theirs}.system.expire_snapshots(older_than => now() + INTERVAL 1 DAY)"
    find = f"CALL {theirs}.system.delete_orphaned_files(cleanup_all => true)"
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    base = value(spark, f"SELECT id FROM {catalog}.system.current_snapshot")
    spark.sql(f"INSERT INTO {catalog}.t SELECT id, id FROM range(1000)")
    for number in range(2):
        other.sql(f"INSERT INTO {theirs}.mine VALUES ({number})")

    kept = {row.snapshot_id: row.kept_for for row in other.sql(expire).collect()}
    assert {snapshot: why for snapshot, why in kept.items() if why} == {
        base: ["an open transaction"]
    }
    assert other.sql(find).collect() == []
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 1000
    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    assert {row.snapshot_id: row.kept_for for row in other.sql(expire).collect()}[base] is None
    assert other.sql(find).collect() == []
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*), sum(n) FROM t") == [(1000, 499500)]
        assert peer.rows("FROM mine ORDER BY ALL") == [(0,), (1,)]


class BrokenOffError(Exception):
    """What stands for the end of a process between two steps of a batch."""


@pytest.mark.every_database
def test_a_batch_is_a_transaction_exactly_once_wherever_it_breaks_off(
    spark: SparkSession, lake: Lake, catalog: str, tmp_path: Path
) -> None:
    folder = batches(tmp_path / "in", 2)
    left = [None, 1, 2, 3, 1, 3]
    with Peer(lake) as peer:
        base = peer.head()

    def write(batch: DataFrame, number: int) -> None:
        def step(done: int) -> None:
            if left and left[-1] == done:
                left.pop()
                raise BrokenOffError

        here = dl.Lake(batch.sparkSession, catalog)
        with here.transaction(app_id="q", version=number):
            here.table("t").append(batch)
            step(1)
            merge = here.table("sums").merge(batch, on="id")
            merge.when_matched_update({"n": "t.n + s.n"}).when_not_matched_insert().execute()
            step(2)
        step(3)

    def run() -> None:
        writer = source(spark, folder).writeStream.foreachBatch(write)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

    for _ in range(len(left) - 1):
        with pytest.raises(StreamingQueryException, match="BrokenOffError"):
            run()
    run()

    assert left == [None]
    with Peer(lake) as peer:
        assert peer.head() == base + 2
        assert peer.rows("FROM t ORDER BY ALL") == [(i, n) for i in range(3) for n in (1, 2)]
        assert peer.rows("FROM sums ORDER BY ALL") == [(i, 3) for i in range(3)]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_batch_is_not_in_the_transaction_of_the_session_that_started_its_query(
    spark: SparkSession, lake: Lake, catalog: str, tmp_path: Path
) -> None:
    folder = batches(tmp_path / "in", 1)
    with Peer(lake) as peer:
        base = peer.head()
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.mine VALUES (7)")

    def write(batch: DataFrame, _: int) -> None:
        assert value(batch.sparkSession, f"SELECT count(*) FROM {catalog}.mine") == 0
        batch.writeTo(f"{catalog}.t").append()

    writer = source(spark, folder).writeStream.foreachBatch(write)
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()

    with Peer(lake) as peer:
        assert peer.head() == base + 1
        assert peer.value("SELECT count(*) FROM t") == 3
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 0
    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(base + 2,)]
    with Peer(lake) as peer:
        assert peer.rows("FROM mine") == [(7,)]


@since(STREAM_APART)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_stream_into_a_table_does_not_join(
    spark: SparkSession, lake: Lake, catalog: str, tmp_path: Path
) -> None:
    folder = batches(tmp_path / "in", 1)
    with Peer(lake) as peer:
        base = peer.head()
    writer = source(spark, folder).writeStream
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer = writer.trigger(availableNow=True)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.mine VALUES (7)")

    writer.toTable(f"{catalog}.t").awaitTermination()

    with Peer(lake) as peer:
        assert peer.head() == base + 1
        assert peer.value("SELECT count(*) FROM t") == 3
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 0
    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(base + 2,)]


@before(STREAM_APART)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_stream_into_a_table_is_refused_beside_a_transaction(
    spark: SparkSession, lake: Lake, catalog: str, tmp_path: Path
) -> None:
    folder = batches(tmp_path / "in", 1)
    with Peer(lake) as peer:
        base = peer.head()
    writer = source(spark, folder).writeStream
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer = writer.trigger(availableNow=True)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")

    with pytest.raises(StreamingQueryException, match="inside a transaction is not supported"):
        writer.toTable(f"{catalog}.t").awaitTermination()

    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(None,)]
    with Peer(lake) as peer:
        assert peer.head() == base
    writer.toTable(f"{catalog}.t").awaitTermination()
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM t") == 3


def cloned(spark: SparkSession) -> SparkSession:
    """A session with the settings, the temporary views and the current catalog of another one."""
    return SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_cloned_session_does_not_join(spark: SparkSession, lake: Lake, catalog: str) -> None:
    with Peer(lake) as peer:
        base = peer.head()
    open_since = f"SELECT transaction_begun FROM {catalog}.system.settings"
    own = f"SELECT id FROM {catalog}.mine ORDER BY id"
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.mine VALUES (7)")
    spark.sql(f"CREATE TABLE {catalog}.made (id INT)")

    clone = cloned(spark)

    assert value(clone, open_since) is None
    assert rows(clone, own) == []
    refused(clone, f"SELECT * FROM {catalog}.made", "TABLE_OR_VIEW_NOT_FOUND")
    commit = f"CALL {catalog}.system.commit_transaction()"
    refused(clone, commit, "DUCKLAKE_TRANSACTION_STATE", "none is open")
    clone.sql(f"INSERT INTO {catalog}.mine VALUES (8)")
    with Peer(lake) as peer:
        assert (peer.head(), peer.rows("FROM mine")) == (base + 1, [(8,)])
    assert value(spark, open_since) is not None
    assert rows(spark, own) == [(7,)]

    clone.sql(f"CALL {catalog}.system.begin_transaction()")
    clone.sql(f"INSERT INTO {catalog}.mine VALUES (9)")
    assert rows(clone, own) == [(8,), (9,)]
    assert rows(spark, own) == [(7,)]
    assert rows(spark, commit) == [(base + 2,)]
    assert rows(clone, commit) == [(base + 3,)]
    with Peer(lake) as peer:
        assert peer.rows("FROM mine ORDER BY id") == [(7,), (8,), (9,)]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_clone_of_a_clone_and_its_origin_end_apart(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    """Neither the rollback of a clone nor its end touches the transaction of its origin."""
    with Peer(lake) as peer:
        base = peer.head()
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.mine VALUES (7)")
    clone = cloned(spark)
    clone.sql(f"CALL {catalog}.system.begin_transaction()")
    clone.sql(f"INSERT INTO {catalog}.mine VALUES (8)")
    other = cloned(clone)
    other.sql(f"INSERT INTO {catalog}.mine VALUES (9)")

    clone.sql(f"CALL {catalog}.system.rollback_transaction()")

    assert rows(spark, f"SELECT * FROM {catalog}.mine") == [(7,)]
    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(base + 2,)]
    with Peer(lake) as peer:
        assert peer.rows("FROM mine ORDER BY id") == [(7,), (9,)]


@since(FRAMES_FOLLOW)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_temporary_views_show_a_clone_what_is_committed(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    """A clone has the temporary views of its origin, and with them its frames."""
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.mine VALUES (7)")
    spark.table(f"{catalog}.mine").createOrReplaceTempView("of_a_frame")
    spark.sql(f"CREATE TEMP VIEW of_a_text AS SELECT * FROM {catalog}.mine")
    views = ("of_a_frame", "of_a_text")
    try:
        clone = cloned(spark)

        for view in views:
            assert rows(clone, f"SELECT * FROM {view}") == []
            clone.sql(f"INSERT INTO {catalog}.sums SELECT id, 1 FROM {view}")
            assert rows(spark, f"SELECT * FROM {view}") == [(7,)]
        with Peer(lake) as peer:
            assert (peer.rows("FROM sums"), peer.rows("FROM mine")) == ([], [])
        spark.sql(f"CALL {catalog}.system.commit_transaction()")
        for view in views:
            assert rows(clone, f"SELECT * FROM {view}") == [(7,)]
    finally:
        for view in views:
            spark.catalog.dropTempView(view)


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("other", ["none", "another transaction"])
def test_a_frame_of_a_transaction_that_is_over_takes_no_other_table_back(
    spark: SparkSession, lake: Lake, catalog: str, other: str
) -> None:
    made(lake, "INSERT INTO mine VALUES (1)", "INSERT INTO sums VALUES (1, 1)")
    begin, rollback = (
        f"CALL {catalog}.system.{word}_transaction()" for word in ("begin", "rollback")
    )
    spark.sql(begin)
    spark.sql(f"INSERT INTO {catalog}.mine VALUES (1)")
    spark.sql(f"INSERT INTO {catalog}.sums VALUES (1, 2)")
    frame = spark.table(f"{catalog}.mine")
    spark.sql(rollback)
    expected = 1
    if other != "none":
        spark.sql(begin)
        spark.sql(f"DELETE FROM {catalog}.sums")
        expected = 0

    joined = frame.join(spark.table(f"{catalog}.sums"), "id")

    assert joined.agg({"n": "count"}).collect()[0][0] == expected
    if other != "none":
        spark.sql(rollback)


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_stream_reads_what_is_committed(
    spark: SparkSession, lake: Lake, catalog: str, tmp_path: Path
) -> None:
    """The query runs in a clone of the session that starts it."""
    made(lake, "INSERT INTO mine VALUES (1)")
    read: list[int] = []
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.mine VALUES (7)")

    def keep(batch: DataFrame, _: int) -> None:
        read.extend(row.id for row in batch.collect())

    def run() -> None:
        writer = spark.readStream.table(f"{catalog}.mine").writeStream.foreachBatch(keep)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

    run()
    assert read == [1]
    made(lake, "INSERT INTO mine VALUES (2)")
    run()
    assert read == [1, 2]
    assert sorted(rows(spark, f"SELECT * FROM {catalog}.mine")) == [(1,), (7,)]
    spark.sql(f"CALL {catalog}.system.commit_transaction()")
    run()
    assert read == [1, 2, 7]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_threads_of_a_transaction_do_not_make_one_name_twice(
    spark: SparkSession, lake: Lake, catalog: str, tmp_path: Path
) -> None:
    def meet(number: int) -> int:
        """A function of tasks: both statements have looked at the name when it returns."""
        (tmp_path / str(number)).touch()
        end = monotonic() + 120
        while not (tmp_path / str(1 - number)).exists() and monotonic() < end:
            sleep(0.05)
        return number

    def make(number: int) -> str:
        try:
            spark.sql(f"CREATE TABLE {catalog}.made AS SELECT meet({number}) AS id")
        except PySparkException as failure:
            return failure.getCondition() or ""
        return "made"

    spark.udf.register("meet", meet, "int")
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    with ThreadPoolExecutor(2) as pool:
        told = sorted(pool.map(inheritable_thread_target(spark)(make), range(2)))
    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    assert told == ["DUCKLAKE_COMMIT_CONFLICT", "made"]
    with Peer(lake) as peer:
        metadata = "__ducklake_metadata_lake.ducklake_table"
        assert peer.rows(f"SELECT count(*) FROM {metadata} WHERE table_name = 'made'") == [(1,)]
        assert peer.value("SELECT count(*) FROM made") == 1


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_threads_of_a_session_share_its_transaction(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    with Peer(lake) as peer:
        base = peer.head()
    spark.sql(f"CALL {catalog}.system.begin_transaction()")

    def insert(number: int) -> None:
        spark.sql(f"INSERT INTO {catalog}.mine VALUES ({number})")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(inheritable_thread_target(spark)(insert), range(8)))

    assert value(spark, f"SELECT count(*) FROM {catalog}.mine") == 8
    with Peer(lake) as peer:
        assert peer.head() == base
    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(base + 1,)]
    with Peer(lake) as peer:
        assert peer.rows("FROM mine ORDER BY id") == [(number,) for number in range(8)]
