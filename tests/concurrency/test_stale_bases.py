"""What a statement found out at its base is looked at again at its commit, on PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.invariants import Scope, check
from support.lakes import LakeFactory
from support.peer import Peer, committed_by_peers
from support.postgres import PostgresServer
from support.proxy import PostgresProxy, begins_a_commit

Register = Callable[..., str]
CONFLICT = "DUCKLAKE_COMMIT_CONFLICT"
WAIT_SECONDS = 60


def overwrite(spark: SparkSession, table: str, key: int, rows: int) -> None:
    """Put rows in the place of a partition."""
    frame = spark.range(rows).selectExpr(f"{key} AS a", "CAST(id AS INT) AS b")
    frame.writeTo(table).overwritePartitions()


def replaces(spark: SparkSession, table: str, key: int, rows: int) -> None:
    """Put rows in the place of those that a filter finds."""
    spark.sql(
        f"INSERT INTO {table} REPLACE WHERE a = {key}"
        f" SELECT {key}, CAST(id AS INT) FROM range({rows})"
    )


def merge(spark: SparkSession, table: str, key: int, rows: int) -> None:
    """Insert what is not there yet. Without the first clause Spark makes an append of it."""
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT {key} AS a, CAST(id AS INT) AS b FROM range({rows})) s"
        " ON t.a = s.a AND t.b = s.b"
        " WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *"
    )


def strict(spark: SparkSession, table: str, _key: int, _rows: int) -> None:
    """Forbid NULL."""
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN b SET NOT NULL")


def ended(run: Callable[[], None]) -> str:
    """How a statement ends."""
    try:
        run()
    except PySparkException as error:
        return error.getCondition() or str(error)
    return "committed"


FILE = "INSERT INTO t SELECT 1, i FROM range(20) r(i)"


@pytest.mark.parametrize(
    ("mine", "key", "meanwhile", "expected", "count"),
    [
        (overwrite, 1, FILE, CONFLICT, 20),
        (overwrite, 1, "INSERT INTO t VALUES (1, 0)", CONFLICT, 1),
        (overwrite, 2, FILE, "committed", 40),
        (replaces, 1, FILE, CONFLICT, 20),
        (merge, 1, FILE, "committed", 40),
        (strict, 0, "INSERT INTO t VALUES (1, NULL)", CONFLICT, 1),
        (strict, 0, "INSERT INTO t SELECT 1, NULL FROM range(20)", CONFLICT, 20),
        (strict, 0, FILE, "committed", 20),
    ],
)
def test_rows_that_come_meanwhile_count(
    spark: SparkSession,
    lakes: LakeFactory,
    proxy: PostgresProxy,
    register: Register,
    mine: Callable[[SparkSession, str, int, int], None],
    key: int,
    meanwhile: str,
    expected: str,
    count: int,
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER, b INTEGER)", "ALTER TABLE t SET PARTITIONED BY (a)")
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))

    with proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
        running = pool.submit(ended, lambda: mine(spark, f"{catalog}.main.t", key, 20))
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        with Peer(lake) as peer:
            peer.run(meanwhile)
        gate.open()
        end = running.result(timeout=WAIT_SECONDS)

    assert end == expected
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*) FROM t") == [(count,)]
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []


def test_a_commit_that_plans_long_loses_no_race(
    spark: SparkSession,
    lakes: LakeFactory,
    proxy: PostgresProxy,
    server: PostgresServer,
    register: Register,
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER)")
    direct = register(lake)
    slow = register(replace(lake, uri=proxy.uri(lake.database)))

    with proxy.held(reads_table_statistics) as gate, ThreadPoolExecutor(2) as pool:
        first = pool.submit(spark.sql, f"INSERT INTO {slow}.main.t VALUES (1)")
        first.add_done_callback(lambda _: gate.open())
        gate.wait()
        second = pool.submit(spark.sql, f"INSERT INTO {direct}.main.t VALUES (2)")
        wait_until_blocked(server, lake.database, second)
        gate.open()
        first.result(timeout=WAIT_SECONDS)
        second.result(timeout=WAIT_SECONDS)

    with Peer(lake) as peer:
        assert peer.rows("SELECT snapshot_id, a FROM t ORDER BY 1") == [(2, 1), (3, 2)]


def reads_table_statistics(message: bytes) -> bool:
    """What a commit asks while it plans."""
    return b"SELECT record_count, next_row_id" in message


def wait_until_blocked(server: PostgresServer, database: str, other: Future[object]) -> None:
    """Wait until a session waits for another one, or the statement has ended without."""
    waiting = (
        "SELECT COUNT(*) FROM pg_stat_activity"
        f" WHERE datname = '{database}' AND wait_event_type = 'Lock'"
    )
    deadline = time.monotonic() + WAIT_SECONDS
    while not other.done() and server.run_sql("postgres", waiting).strip() == "0":
        assert time.monotonic() < deadline, "nobody waits"
        time.sleep(0.02)


def test_a_flush_begins_anew_after_a_delete(
    spark: SparkSession, lakes: LakeFactory, proxy: PostgresProxy, register: Register
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        for table in "abc":
            peer.run(
                f"CREATE TABLE {table} (a INTEGER)", f"INSERT INTO {table} VALUES (1), (2), (3)"
            )
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))

    with proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
        running = pool.submit(spark.sql, f"CALL {catalog}.system.flush_inlined_data()")
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        with Peer(lake) as peer:
            peer.run("DELETE FROM a WHERE a = 2")
        gate.open()
        flushed = running.result(timeout=WAIT_SECONDS).collect()

    assert [tuple(row) for row in flushed] == [("main", table, 3) for table in "abc"]
    with Peer(lake) as peer:
        assert peer.rows("SELECT a FROM a ORDER BY 1") == [(1,), (3,)]
        assert peer.rows("SELECT count(*) FROM b, c") == [(9,)]
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []
    assert spark.sql(f"CALL {catalog}.system.flush_inlined_data()").collect() == []
