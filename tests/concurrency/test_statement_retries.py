"""Statements that run again after a conflict, on PostgreSQL."""

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
CONFLICT, COMMITTED = "DUCKLAKE_COMMIT_CONFLICT", "committed"
WAIT_SECONDS = 60
SETUP = (
    "CREATE TABLE t (a INTEGER, b INTEGER)",
    "INSERT INTO t SELECT i, 0 FROM range(100) AS r(i)",
)
THEIRS = "UPDATE t SET b = 5 WHERE a < 30"
SOURCE = "(SELECT CAST(id AS INT) AS a FROM range(20))"


def ended(spark: SparkSession, sql: str, args: dict[str, object] | None) -> str:
    """How a statement ends."""
    try:
        spark.sql(sql, args=args).collect() if args else spark.sql(sql).collect()
    except PySparkException as error:
        return error.getCondition() or str(error)
    return COMMITTED


@pytest.mark.parametrize(
    ("sql", "args", "total"),
    [
        ("UPDATE {t} SET b = b + 1 WHERE a < 20", None, 30 * 5 + 20),
        ("UPDATE {t} AS x SET x.b = x.b + 1 WHERE x.a < :n", {"n": 20}, 30 * 5 + 20),
        ("DELETE FROM {t} WHERE b = 0 AND a < 40", None, 30 * 5),
        (
            f"MERGE INTO {{t}} t USING {SOURCE} s ON t.a = s.a"
            " WHEN MATCHED THEN UPDATE SET b = t.b + 1",
            None,
            30 * 5 + 20,
        ),
        (
            f"WITH s AS {SOURCE} INSERT OVERWRITE {{t}} SELECT t.a, t.b + 1 FROM {{t}} t JOIN s"
            " ON t.a = s.a",
            None,
            20 * 6,
        ),
        (
            f"WITH s AS (SELECT a FROM {SOURCE} WHERE a < :n) INSERT OVERWRITE {{t}}"
            " SELECT t.a, t.b + 1 FROM {t} t JOIN s ON t.a = s.a",
            {"n": 20},
            20 * 6,
        ),
        (
            f"WITH s AS {SOURCE} UPDATE {{t}} SET b = b + :more WHERE a IN (SELECT a FROM s)",
            {"more": 1},
            30 * 5 + 20,
        ),
        ("INSERT INTO {t} REPLACE WHERE a < 20 SELECT a, b + 1 FROM {t} WHERE a < 20", None, 170),
        (
            "UPDATE {t} SET b = b + (SELECT count(*) FROM (SELECT * FROM {t}"
            " WITH ('snapshot-version' = '2') EXCEPT SELECT * FROM {t}"
            " WITH ('snapshot-version' = '1'))) WHERE a < 20",
            None,
            30 * 5 + 20 * 100,
        ),
        ("BEGIN UPDATE {t} SET b = b + 1 WHERE a < 20; END", None, 30 * 5 + 20),
    ],
)
@pytest.mark.parametrize("count", [0, 1])
def test_a_statement_runs_again_after_a_conflict(
    spark: SparkSession,
    lakes: LakeFactory,
    proxy: PostgresProxy,
    register: Register,
    count: int,
    sql: str,
    args: dict[str, object] | None,
    total: int,
) -> None:
    """Then it sees what the other has committed."""
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run(*SETUP)
    through = replace(lake, uri=proxy.uri(lake.database))
    catalog = register(through, {"retry.statement-count": str(count)})

    with proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
        running = pool.submit(ended, spark, sql.replace("{t}", f"{catalog}.main.t"), args)
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        with Peer(lake) as peer:
            peer.run(THEIRS)
        gate.open()
        end = running.result(timeout=WAIT_SECONDS)

    with Peer(lake) as peer:
        found = peer.value("SELECT sum(b) FROM t")
    assert (end, found) == ((COMMITTED, total) if count else (CONFLICT, 150))
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []


def test_explain_and_errors_are_those_of_the_statement(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(*SETUP)
    table = f"{register(lake, {'retry.statement-count': '3'})}.main.t"

    (plan,) = spark.sql(f"EXPLAIN UPDATE {table} SET b = 1 WHERE a = 3").collect()
    assert "WriteDelta" in plan[0]
    (plan,) = spark.sql(f"EXPLAIN UPDATE {table} SET b = 1 WHERE a = :n", args={"n": 3}).collect()
    assert "WriteDelta" in plan[0]

    with pytest.raises(PySparkException) as error:
        spark.sql(f"UPDATE {table} SET b = 1 WHERE missing = 3")
    assert error.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    spark.sql(f"UPDATE {table} SET b = 1 WHERE a = 3")
    assert spark.table(table).where("b = 1").count() == 1
