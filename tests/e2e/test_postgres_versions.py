"""Lakes in each version of PostgreSQL that is still used; `./sbt postgresServers` brings them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.invariants import Scope, check
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.postgres import PostgresServer
from support.statements import TABLE, run_each_kind

Register = Callable[..., str]

_FOLDER = os.environ.get("DUCKLAKE_POSTGRES")
RELEASES = sorted(Path(_FOLDER).iterdir()) if _FOLDER else []

pytestmark = pytest.mark.skipif(
    not RELEASES, reason="DUCKLAKE_POSTGRES names no folder with releases"
)


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.name)
def old_server(request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    """A server of each release."""
    with PostgresServer(release=request.param) as running:
        shown = running.run_sql("postgres", "SHOW server_version").strip()
        assert request.param.name.startswith(f"{shown}.")
        yield running


@pytest.fixture
def old_lake(old_server: PostgresServer, tmp_path: Path) -> Iterator[Lake]:
    """A lake with an empty table, which must still be a lake when the test is over."""
    lake = LakeFactory(tmp_path, old_server).new("postgres")
    with Peer(lake) as peer:
        peer.run(TABLE)
    yield lake
    assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []


def test_every_kind_of_statement_works(
    spark: SparkSession, old_lake: Lake, register: Register
) -> None:
    run_each_kind(spark, register(old_lake), old_lake)


def test_a_lake_is_made_and_past_snapshots_go(
    spark: SparkSession, old_server: PostgresServer, register: Register, tmp_path: Path
) -> None:
    lake = LakeFactory(tmp_path, old_server).new("postgres")
    catalog = register(lake, {"data-path": f"{lake.data_path}/", "metadata-schema": "Other Lake"})
    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT id FROM range(100)")
    spark.sql(f"DELETE FROM {catalog}.t WHERE id < 50")
    spark.sql(f"CALL {catalog}.system.expire_snapshots(older_than => now())")
    with Peer(lake, "METADATA_SCHEMA 'Other Lake'") as peer:
        assert peer.rows("SELECT count(*), min(id) FROM t") == [(50, 50)]
        peer.run("INSERT INTO t VALUES (7)")
    assert spark.table(f"{catalog}.t").count() == 51


def test_writers_of_both_engines_lose_nothing(
    spark: SparkSession, old_lake: Lake, register: Register
) -> None:
    names = [register(old_lake, options) for options in ({}, IN_FILES)]

    def write(writer: int) -> None:
        for turn in range(4):
            spark.sql(f"INSERT INTO {names[writer % 2]}.t (a) VALUES ({writer * 10 + turn})")

    def insert() -> None:
        with Peer(old_lake) as peer:
            for turn in range(4):
                peer.run(f"INSERT INTO t (a) VALUES ({40 + turn})")

    with ThreadPoolExecutor(5) as threads:
        ends = [threads.submit(write, writer) for writer in range(4)] + [threads.submit(insert)]
        for end in ends:
            end.result()

    expected = sorted(writer * 10 + turn for writer in range(5) for turn in range(4))
    assert sorted(row.a for row in spark.table(f"{names[0]}.t").collect()) == expected
