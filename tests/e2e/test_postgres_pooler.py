"""Lakes behind a pooler that gives each transaction another connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from support.asking import rows, value
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, made
from support.pgbouncer import PgBouncer, program
from support.postgres import PostgresServer

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
    made(direct, "CREATE TABLE t (a INTEGER, d DOUBLE, v INTERVAL, s VARCHAR)")
    uri = direct.uri.replace(f"port={server.port}", f"port={pooler.port}")
    assert uri != direct.uri
    return direct, replace(direct, uri=uri)


def test_every_kind_of_statement_works_behind_a_pooler(
    spark: SparkSession, pooled: tuple[Lake, Lake], register: Register, server: PostgresServer
) -> None:
    direct, behind = pooled
    server.run_sql("postgres", f"ALTER DATABASE {direct.database} SET extra_float_digits = -15")
    catalog = register(behind)
    table = f"{catalog}.t"
    spark.sql(
        f"INSERT INTO {table} VALUES (1, 0.30000000000000004D, INTERVAL '1' YEAR, 'ä'), "
        "(2, 0.1D, NULL, NULL)"
    )
    spark.sql(f"INSERT INTO {table} SELECT id, id / 3D, NULL, 'x' FROM range(3, 100)")
    spark.sql(f"UPDATE {table} SET s = 'y' WHERE a = 2")
    spark.sql(f"DELETE FROM {table} WHERE a > 90")
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT 3 AS a UNION ALL SELECT 200) u ON t.a = u.a "
        "WHEN MATCHED THEN UPDATE SET s = 'm' WHEN NOT MATCHED THEN INSERT (a, s) VALUES (u.a, 'n')"
    )
    spark.sql(f"ALTER TABLE {table} ADD COLUMN c INT DEFAULT 7")
    spark.sql(f"CALL {catalog}.system.flush_inlined_data('t')")
    spark.sql(f"CALL {catalog}.system.rewrite_data_files('t', delete_threshold => 0.0)")
    spark.sql(f"CALL {catalog}.system.merge_adjacent_files('t')")

    question = "SELECT a, d, s, c FROM {} ORDER BY a"
    found = rows(spark, question.format(table))
    with Peer(direct) as peer:
        assert found == peer.rows(question.format("t"))
    assert (1, 0.30000000000000004, "ä", 7) in found
    assert [row[2] for row in found if row[0] in (2, 3, 200)] == ["y", "m", "n"]
    head = value(spark, f"SELECT max(snapshot_id) FROM {catalog}.system.snapshots")
    changes = f"ducklake_table_changes('{catalog}', 't', 0, {head})"
    assert value(spark, f"SELECT count(*) FROM {changes} WHERE change_type = 'insert'") == 100


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
