"""Tables that others drop, rename or change while a call maintains all tables, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.flushing import Rows
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers, made
from support.proxy import PostgresProxy, begins_a_commit

Register = Callable[..., str]
WAIT_SECONDS = 120
TWO_ROWS = ("INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)")


def filled(lakes: LakeFactory, *tables: str, limit: int) -> Lake:
    """Tables with two inserts each, which are kept in the catalog up to the limit."""
    lake = lakes.new("postgres")
    for table in tables:
        inserts = (each.replace("{t}", table) for each in TWO_ROWS)
        made(lake, f"CREATE TABLE {table} (i INT)", *inserts, limit=limit)
    return lake


def disturbed(
    spark: SparkSession, lake: Lake, proxy: PostgresProxy, call: str, *meanwhile: str
) -> Rows:
    """The result of the call, at whose first commit DuckDB runs statements."""
    with proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: spark.sql(call).collect())
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        with Peer(lake) as peer:
            peer.run(*meanwhile)
        gate.open()
        return [tuple(row) for row in running.result(timeout=WAIT_SECONDS)]


def is_whole(lake: Lake) -> bool:
    """Whether the lake obeys its rules, and no file is left over."""
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    return check(lake, scope) == []


@pytest.mark.parametrize(
    ("call", "limit", "numbers"),
    [("flush_inlined_data", 10, (2,)), ("merge_adjacent_files", 0, (2, 1))],
)
def test_tables_that_are_gone_are_left_out_and_renamed_ones_are_followed(
    spark: SparkSession,
    lakes: LakeFactory,
    proxy: PostgresProxy,
    register: Register,
    call: str,
    limit: int,
    numbers: tuple[int, ...],
) -> None:
    lake = filled(lakes, "a", "b", "c", "d", limit=limit)
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))

    result = disturbed(
        spark,
        lake,
        proxy,
        f"CALL {catalog}.system.{call}()",
        "DROP TABLE b",
        "CREATE SCHEMA s",
        "ALTER TABLE c RENAME TO e",
        "CREATE OR REPLACE TABLE d AS SELECT 7 AS j",
    )

    assert result == [("main", "a", *numbers), ("main", "e", *numbers)]
    assert is_whole(lake)


def test_a_table_that_the_caller_named_must_not_be_dropped(
    spark: SparkSession, lakes: LakeFactory, proxy: PostgresProxy, register: Register
) -> None:
    lake = filled(lakes, "t", limit=0)
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))
    call = f"CALL {catalog}.system.merge_adjacent_files('t')"

    with pytest.raises(PySparkException, match=r"main\.t") as error:
        disturbed(spark, lake, proxy, call, "DROP TABLE t")

    assert error.value.getCondition() == "DUCKLAKE_COMMIT_CONFLICT"
    assert is_whole(lake)
