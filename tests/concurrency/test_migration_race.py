"""A commit or a query beside a migration to 1.1 on PostgreSQL: it holds, or says that it fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.invariants import Scope, check
from support.lakes import LakeFactory
from support.peer import Peer, committed_by_peers
from support.postgres import PostgresServer
from support.proxy import (
    Matcher,
    PostgresProxy,
    begins_a_commit,
    begins_a_read,
    commits,
    inserts_the_snapshot,
)
from support.raising import lower_to_10

Register = Callable[..., str]

MIGRATES = {"automatic-migration": "true", "ducklake-version": "1.1"}
SETUP = (
    "CREATE TABLE t (a INTEGER)",
    "INSERT INTO t SELECT i FROM range(100) r(i)",
    "INSERT INTO t VALUES (1000), (1001)",
)
BEFORE = {*range(100), 1000, 1001}
STATEMENTS = {
    "many rows": ("INSERT INTO {c}.t SELECT CAST(id AS INT) FROM range(200, 250)", range(200, 250)),
    "few rows": ("INSERT INTO {c}.t VALUES (2000)", [2000]),
    "deletes": ("DELETE FROM {c}.t WHERE a IN (7, 1001)", [7, 1001]),
}
"""Each with the rows that it adds or removes."""


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Two threads."""
    with ThreadPoolExecutor(2) as running:
        yield running


def outcome(spark: SparkSession, sql: str) -> str:
    """How a statement ended: `committed`, or the condition of its error."""
    return ended(lambda: spark.sql(sql).collect())


def ended(statement: Callable[[], object]) -> str:
    """As `outcome`, of what is called."""
    try:
        statement()
    except PySparkException as error:
        return error.getCondition() or str(error)
    return "committed"


def wait_for_a_lock(server: PostgresServer, database: str, others: Future[str]) -> None:
    """Wait until a connection waits for another's lock, or the statement has ended."""
    waiting = (
        "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
        f" WHERE NOT granted AND datname = '{database}'"
    )
    until = time.monotonic() + 60
    while not others.done() and server.run_sql(database, waiting).strip() == "0":
        assert time.monotonic() < until, "nobody waits for a lock"
        time.sleep(0.02)


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize(
    ("held", "of_commit"),
    [(begins_a_commit, True), (inserts_the_snapshot, True), (commits, False)],
    ids=["commit begins after it", "commit goes first", "commit waits for it"],
)
def test_a_commit_and_a_migration_come_one_after_the_other(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    server: PostgresServer,
    proxy: PostgresProxy,
    pool: ThreadPoolExecutor,
    statement: str,
    held: Matcher,
    of_commit: bool,
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run(*SETUP)
    through = replace(lake, uri=proxy.uri(lake.database))
    committing = register(through if of_commit else lake)
    migrating = register(lake if of_commit else through, MIGRATES)
    sql, rows = STATEMENTS[statement]
    commit, migration = sql.format(c=committing), f"CREATE SCHEMA {migrating}.other"
    first, second = (commit, migration) if of_commit else (migration, commit)

    with proxy.held(held) as gate:
        held_one = pool.submit(outcome, spark, first)
        gate.wait()
        other = pool.submit(outcome, spark, second)
        wait_for_a_lock(server, lake.database, other)
        gate.open()
        ends = {first: held_one.result(60), second: other.result(60)}

    assert ends[migration] == "committed"
    assert ends[commit] in ("committed", "DUCKLAKE_UNSUPPORTED")
    version = next(r for r in read_catalog(lake).rows("metadata") if r["key"] == "version")
    assert version["value"] == "1.1"
    after = BEFORE.symmetric_difference(rows)
    assert read(spark, committing) == (after if ends[commit] == "committed" else BEFORE)
    if ends[commit] != "committed":
        assert outcome(spark, commit) == "committed"
    assert read(spark, migrating) == after
    lower_to_10(lake)
    assert check(lake, Scope(committed_by_peers[lake.uri], is_free_of_orphans=True)) == []
    with Peer(lake) as peer:
        assert {row[0] for row in peer.rows("SELECT a FROM t")} == after


def test_a_query_that_waits_for_a_migration_says_so(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    server: PostgresServer,
    proxy: PostgresProxy,
    pool: ThreadPoolExecutor,
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run(*SETUP)
    migrating = register(replace(lake, uri=proxy.uri(lake.database)), MIGRATES)
    with PostgresProxy(server) as between:
        reading = register(replace(lake, uri=between.uri(lake.database)))
        frame = spark.sql(f"SELECT a FROM {reading}.t")

        with between.held(begins_a_read) as reads, proxy.held(commits) as migrated:
            query = pool.submit(ended, frame.collect)
            reads.wait()
            migration = pool.submit(outcome, spark, f"CREATE SCHEMA {migrating}.other")
            migrated.wait()
            reads.open()
            wait_for_a_lock(server, lake.database, query)
            migrated.open()
            ends = query.result(60), migration.result(60)

        assert ends == ("DUCKLAKE_UNSUPPORTED", "committed")
        assert read(spark, reading) == BEFORE


def read(spark: SparkSession, catalog: str) -> set[int]:
    """The rows of the table, each of which there is once."""
    found = [row[0] for row in spark.sql(f"SELECT a FROM {catalog}.t").collect()]
    assert len(found) == len(set(found))
    return set(found)
