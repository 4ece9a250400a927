"""A connection is lost when PostgreSQL has made a commit and has not answered yet.

The server waits for a standby that is not there, and the session that waits is ended: its commit is
there, and its client does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest
from pyspark.sql import SparkSession

from concurrency.programs import line, running
from support.asking import rows
from support.invariants import Scope, check
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.postgres import PostgresServer

Register = Callable[..., str]

WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
DUCKDB = """
import sys
from support.peer import connect
connection = connect()
connection.execute(f"ATTACH '{sys.argv[1]}' AS lake (DATA_INLINING_ROW_LIMIT 0)")
try:
    connection.execute("INSERT INTO lake.t VALUES (2)")
except Exception as error:
    print(" ".join(str(error).split()), flush=True)
"""


@pytest.fixture
def lake(lakes: LakeFactory) -> Iterator[tuple[Lake, PostgresServer]]:
    """A lake on a server that waits for a standby at each commit, and the server."""
    with PostgresServer() as own:
        made = LakeFactory(lakes.folder / own.folder.name, own).new("postgres")
        with Peer(made) as peer:
            peer.run("CREATE TABLE t AS SELECT 1 AS a")
        waits_for(own, "nobody")
        yield made, own


def waits_for(server: PostgresServer, name: str) -> None:
    """Each commit waits for a standby of this name; empty: for none."""
    server.run_sql("postgres", f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
    server.run_sql("postgres", "SELECT pg_reload_conf()")
    server.wait_for("postgres", "SHOW synchronous_standby_names", name)


def end_the_commit(server: PostgresServer) -> None:
    """End the session whose commit waits, and let the next commits go on."""
    server.wait_for("postgres", f"SELECT count(*) {WAITING}", "1")
    server.run_sql("postgres", f"SELECT pg_terminate_backend(pid) {WAITING}")
    waits_for(server, "")


def test_spark_finds_its_commit(
    spark: SparkSession, lake: tuple[Lake, PostgresServer], register: Register
) -> None:
    made, server = lake
    catalog = register(made, IN_FILES)

    with ThreadPoolExecutor(1) as pool:
        insert = pool.submit(spark.sql, f"INSERT INTO {catalog}.t VALUES (2)")
        end_the_commit(server)
        insert.result()

    with Peer(made) as peer:
        assert sorted(peer.rows("SELECT a FROM t")) == [(1,), (2,)]
    assert sorted(rows(spark, f"SELECT a FROM {catalog}.t")) == [(1,), (2,)]
    own = frozenset(committed_by_peers[made.uri])
    assert check(made, Scope(own, is_free_of_orphans=True)) == []


def test_duckdb_deletes_the_file_of_its_commit(lake: tuple[Lake, PostgresServer]) -> None:
    made, server = lake

    with running(DUCKDB, made.uri) as program:
        end_the_commit(server)
        assert "COMMIT" in line(program)

    assert check(made, Scope(None)) != []
    with Peer(made) as peer, pytest.raises(duckdb.Error, match="No such file"):
        peer.rows("SELECT a FROM t")
