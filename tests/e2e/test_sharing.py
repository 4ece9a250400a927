"""Two engines on one lake: Spark holds nothing between statements, writes nothing, sees commits."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.lakes import Lake, LakeFactory
from support.peer import Peer
from support.postgres import PostgresServer

pytestmark = pytest.mark.every_database

Register = Callable[..., str]


def test_duckdb_commits_while_the_session_idles(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")
    catalog = register(lake)
    sums = [value(spark, f"SELECT sum(a) FROM {catalog}.t")]
    frame = spark.table(f"{catalog}.t")
    frame.collect()

    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (10)", "CREATE TABLE u AS SELECT 5 AS b")

    sums.append(value(spark, f"SELECT sum(a) FROM {catalog}.t"))
    sums.append(value(spark, f"SELECT sum(b) FROM {catalog}.u"))
    assert sums == [1, 11, 5]


def test_a_commit_is_seen_whatever_it_changed(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT i AS a FROM range(100) AS r(i)")
    catalog = register(lake)
    query = f"SELECT count(*), sum(a) FROM {catalog}.t"
    steps = (
        ("DELETE FROM t WHERE a >= 50", (50, 1225)),
        ("INSERT INTO t VALUES (1000)", (51, 2225)),
        ("DELETE FROM t WHERE a = 1000", (50, 1225)),
        ("UPDATE t SET a = a + 1", (50, 1275)),
        ("ALTER TABLE t ADD COLUMN b INTEGER", (50, 1275)),
        ("ALTER TABLE t ALTER COLUMN a SET DATA TYPE HUGEINT", (50, 1275)),
        ("INSERT INTO t SELECT i, i FROM range(1000, 1100) AS r(i)", (150, 106225)),
        ("CALL ducklake_flush_inlined_data('lake')", (150, 106225)),
        ("CALL ducklake_merge_adjacent_files('lake')", (150, 106225)),
        ("CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0)", (150, 106225)),
    )
    found = []
    for statement, _ in steps:
        with Peer(lake) as peer:
            peer.run(statement)
        found.append(tuple(map(int, rows(spark, query)[0])))

    assert found == [expected for _, expected in steps]


def test_no_transaction_stays_open(
    spark: SparkSession, lake: Lake, register: Register, server: PostgresServer
) -> None:
    if lake.kind != "postgres":
        pytest.skip("files are tested by writing to them")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")
    rows(spark, f"SELECT * FROM {register(lake)}.t")

    open_ones = server.run_sql(
        "postgres",
        "SELECT state, query FROM pg_stat_activity"
        f" WHERE datname = '{lake.database}' AND state LIKE 'idle in transaction%'",
    )
    assert open_ones.split() == []


def test_reading_writes_nothing(
    spark: SparkSession, example: Lake, register: Register, server: PostgresServer
) -> None:
    def fingerprint() -> object:
        if example.kind == "postgres":
            return server.run_sql(
                example.database,
                "SELECT relname, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables"
                " ORDER BY 1; SELECT count(*) FROM pg_class",
            )
        files = [Path(example.database), *example.data_path.rglob("*")]
        names = sorted(Path(example.database).parent.iterdir())
        return names, [hashlib.sha256(f.read_bytes()).digest() for f in files if f.is_file()]

    before = fingerprint()
    catalog = register(example)
    rows(spark, f"SELECT *, rowid, filename FROM {catalog}.events VERSION AS OF 6")
    rows(spark, f"SELECT * FROM {catalog}.system.snapshots")
    rows(spark, f"SELECT * FROM {catalog}.main.rich")

    assert fingerprint() == before


def test_a_read_waits_for_a_duckdb_file_that_another_process_has(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    if lake.kind != "duckdb":
        pytest.skip("only a DuckDB file belongs to one process at a time")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 42 AS a")
    catalog = register(lake, {"busy-timeout": "60000"})
    answers: list[int] = []
    reader = threading.Thread(
        target=lambda: answers.append(value(spark, f"SELECT a FROM {catalog}.t"))
    )

    with Peer(lake) as peer:
        reader.start()
        time.sleep(1)
        waited = not answers
        peer.run("INSERT INTO t VALUES (1)", "DELETE FROM t WHERE a = 1")
    reader.join(timeout=60)

    assert waited
    assert answers == [42]


def test_a_duckdb_file_that_stays_taken_is_an_error(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    if lake.kind != "duckdb":
        pytest.skip("only a DuckDB file belongs to one process at a time")
    catalog = register(lake, {"busy-timeout": "300"})

    with Peer(lake):
        refused(spark, f"SHOW TABLES IN {catalog}.main", "DUCKLAKE_CATALOG_BUSY")


def test_a_lock_that_duckdb_keeps_is_an_error(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """PostgreSQL itself would wait without an end, as here for rows that a flush has taken away."""
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")
    catalog = register(lake, {"busy-timeout": "100", "retry.max-count": "1"})
    update = f"UPDATE {catalog}.t SET a = 2"

    with Peer(lake) as peer:
        head = peer.head()
        peer.run("BEGIN", "CALL ducklake_flush_inlined_data('lake')")
        refused(spark, update, "DUCKLAKE_COMMIT_TIMED_OUT", "another process held")
        spark.sql(f"CALL {catalog}.system.begin_transaction()").collect()
        spark.sql(update)
        commit = f"CALL {catalog}.system.commit_transaction()"
        refused(spark, commit, "DUCKLAKE_COMMIT_TIMED_OUT", "Run the transaction again")
        peer.run("ROLLBACK")
        assert peer.head() == head
    spark.sql(update)

    assert rows(spark, f"SELECT a FROM {catalog}.t") == [(2,)]


def test_a_cached_table_is_refreshed_on_demand(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")
    catalog = register(lake)
    query = f"SELECT sum(a) FROM {catalog}.t"
    spark.sql(f"CACHE TABLE {catalog}.t")
    sums = [value(spark, query)]
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (10)")

    spark.sql(f"REFRESH TABLE {catalog}.t")
    sums.append(value(spark, query))
    spark.sql(f"UNCACHE TABLE {catalog}.t")
    sums.append(value(spark, query))

    assert sums == [1, 11, 11]


def test_sessions_share_nothing_but_the_jar(spark: SparkSession, lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 42 AS a")
    sessions = [spark.newSession() for _ in range(3)]
    for number, session in enumerate(sessions):
        options = {"snapshot-version": "1"} if number == 2 else {}
        for key, text in lake.spark_settings("lake", options).items():
            session.conf.set(key, text)
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (1)")

    assert [value(s, "SELECT sum(a) FROM lake.t") for s in sessions] == [43, 43, 42]


@pytest.mark.parametrize(
    ("made_by", "options", "expected"),
    [
        ("spark", {}, "wal"),
        ("spark", {"jdbc.journal_mode": "DELETE"}, "delete"),
        ("duckdb", {}, "delete"),
    ],
)
def test_the_journal_of_a_sqlite_catalog(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    made_by: str,
    options: dict[str, str],
    expected: str,
) -> None:
    lake = lakes.new("sqlite")
    if made_by == "duckdb":
        Peer(lake).close()
    catalog = register(lake, {"data-path": f"{lake.data_path}/", **options})

    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 1 AS a")

    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (2)")
    assert sorted(spark.table(f"{catalog}.t").collect()) == [(1,), (2,)]
    with sqlite3.connect(lake.database) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == (expected,)
