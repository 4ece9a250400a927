"""What a statement found out at its base is looked at again at its commit, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.invariants import Scope, check
from support.lakes import LakeFactory
from support.peer import Peer, committed_by_peers
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
