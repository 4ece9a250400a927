"""A PostgreSQL that fails over: a standby to read from, a server that stops and comes back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.lakes import IN_FILES, LakeFactory
from support.peer import Peer, made
from support.postgres import PostgresServer

Register = Callable[..., str]

MADE = (
    "CREATE TABLE t AS SELECT i AS a FROM range(100) AS r(i)",
    "INSERT INTO t VALUES (100), (101)",
    "UPDATE t SET a = -a WHERE a = 7",
)
DOWN_SECONDS = 1.5


@pytest.fixture
def own_lakes(lakes: LakeFactory) -> Iterator[LakeFactory]:
    """Lakes on a server that the test may stop."""
    with PostgresServer() as own:
        yield LakeFactory(lakes.folder / own.folder.name, own)


def test_a_standby_is_read_and_takes_no_write(
    spark: SparkSession, own_lakes: LakeFactory, register: Register
) -> None:
    lake = own_lakes.new("postgres")
    made(lake, *MADE, limit=10)
    primary = register(lake, IN_FILES)
    question = "SELECT count(*), sum(a), min(a) FROM {}.t{}"
    with Peer(lake) as peer:
        expected = peer.rows(question.format("lake", ""))
        before = peer.rows(question.format("lake", " AT (VERSION => 1)"))

    with own_lakes.server.standby() as standby:
        there = lake.uri.replace(f"port={own_lakes.server.port}", f"port={standby.port}")
        catalog = register(replace(lake, uri=there), IN_FILES)
        assert rows(spark, question.format(catalog, "")) == expected
        assert rows(spark, question.format(catalog, " VERSION AS OF 1")) == before
        changes = f"ducklake_table_changes('{catalog}', 't', 0, 3)"
        assert value(spark, f"SELECT count(*) FROM {changes}") == 104

        files = sorted(lake.data_path.rglob("*"))
        for statement in (
            f"INSERT INTO {catalog}.t VALUES (102)",
            f"DELETE FROM {catalog}.t WHERE a = 1",
            f"CREATE TABLE {catalog}.u (a INT)",
            f"CALL {catalog}.system.flush_inlined_data('t')",
        ):
            refused(spark, statement, "DUCKLAKE_NOT_PERMITTED", "standby")
        assert sorted(lake.data_path.rglob("*")) == files

        spark.sql(f"INSERT INTO {primary}.t VALUES (102)")
        standby.catch_up()
        assert value(spark, f"SELECT max(a) FROM {catalog}.t") == 102


def test_a_server_that_was_stopped_is_used_again(
    spark: SparkSession, own_lakes: LakeFactory, register: Register
) -> None:
    lake = own_lakes.new("postgres")
    made(lake, *MADE)
    catalog = register(lake)
    server = own_lakes.server
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 102

    server.stop()
    server.start()
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 102
    server.stop()
    server.start()
    spark.sql(f"INSERT INTO {catalog}.t VALUES (102)")

    server.stop()
    refused(spark, f"SELECT count(*) FROM {catalog}.t", "DUCKLAKE_CONNECTION_FAILED")
    refused(spark, f"INSERT INTO {catalog}.t VALUES (103)", "DUCKLAKE_CONNECTION_FAILED")
    server.start()
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 103


def test_nothing_is_lost_or_doubled_when_a_server_fails_under_writers(
    spark: SparkSession, own_lakes: LakeFactory, register: Register
) -> None:
    lake = own_lakes.new("postgres")
    made(lake, "CREATE TABLE t (a INTEGER)")
    catalog = register(lake, {"pool.size": "2"})
    done: list[int] = []
    failed: dict[int, str] = {}
    is_over = threading.Event()

    def insert(first: int) -> None:
        for number in range(first, first + 1_000_000):
            if is_over.is_set():
                return
            try:
                spark.sql(f"INSERT INTO {catalog}.t VALUES ({number})")
                done.append(number)
            except PySparkException as error:
                failed[number] = error.getCondition() or str(error)
                time.sleep(0.1)

    writers = [threading.Thread(target=insert, args=(start,)) for start in (0, 1_000_000)]
    for writer in writers:
        writer.start()
    for _ in range(2):
        time.sleep(DOWN_SECONDS)
        own_lakes.server.stop()
        time.sleep(DOWN_SECONDS / 3)
        own_lakes.server.start()
    time.sleep(DOWN_SECONDS)
    deadline = time.monotonic() + 60
    while len(done) <= 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    is_over.set()
    for writer in writers:
        writer.join()

    found = [row[0] for row in rows(spark, f"SELECT a FROM {catalog}.t")]
    unknown = {
        n for n, condition in failed.items() if condition == "DUCKLAKE_COMMIT_OUTCOME_UNKNOWN"
    }
    assert set(failed.values()) <= {
        "DUCKLAKE_CONNECTION_FAILED",
        "DUCKLAKE_COMMIT_OUTCOME_UNKNOWN",
        "DUCKLAKE_COMMIT_TIMED_OUT",
    }
    assert len(done) > 2
    assert len(found) == len(set(found))
    assert set(done) <= set(found) <= set(done) | unknown
    with Peer(lake) as peer:
        assert sorted(found) == sorted(a for (a,) in peer.rows("SELECT a FROM t"))
