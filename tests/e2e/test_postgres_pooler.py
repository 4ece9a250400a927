"""Lakes behind a pooler that gives each transaction another connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, made
from support.pgbouncer import PgBouncer, program
from support.postgres import PostgresServer
from support.statements import TABLE, run_each_kind

Register = Callable[..., str]

pytestmark = pytest.mark.skipif(
    program() is None, reason="pgbouncer is not installed; Debian's package is `pgbouncer`"
)


@pytest.fixture(scope="module")
def pooler(server: PostgresServer) -> Iterator[PgBouncer]:
    """Two connections for each database."""
    with PgBouncer(server, size=2) as running:
        yield running


@pytest.fixture
def pooled(lakes: LakeFactory, server: PostgresServer, pooler: PgBouncer) -> tuple[Lake, Lake]:
    """One lake, by the address of the server and by that of the pooler."""
    direct = lakes.new("postgres")
    made(direct, TABLE)
    uri = direct.uri.replace(f"port={server.port}", f"port={pooler.port}")
    assert uri != direct.uri
    return direct, replace(direct, uri=uri)


def test_every_kind_of_statement_works_behind_a_pooler(
    spark: SparkSession, pooled: tuple[Lake, Lake], register: Register, server: PostgresServer
) -> None:
    direct, behind = pooled
    server.run_sql("postgres", f"ALTER DATABASE {direct.database} SET extra_float_digits = -15")
    run_each_kind(spark, register(behind), direct)


def test_writers_take_turns_behind_a_pooler(
    spark: SparkSession, pooled: tuple[Lake, Lake], register: Register
) -> None:
    direct, behind = pooled
    names = [register(behind, options) for options in ({}, IN_FILES, {}, IN_FILES)]

    def write(writer: int) -> None:
        for turn in range(4):
            spark.sql(f"INSERT INTO {names[writer]}.t (a) VALUES ({writer * 10 + turn})")
            rows(spark, f"SELECT count(*) FROM {names[writer]}.t")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))

    expected = sorted(writer * 10 + turn for writer in range(4) for turn in range(4))
    with Peer(direct) as peer:
        assert sorted(a for (a,) in peer.rows("SELECT a FROM t")) == expected
