"""What a transaction of several statements costs beside its statements, and as it grows."""

from __future__ import annotations

import itertools
import shutil
import statistics
from collections.abc import Callable, Iterator

from pyspark.sql import SparkSession

from bench import contest, data
from bench.planning import tasks_of
from bench.writing import commit_times, log_commits, seconds, stderr_kept
from support.lakes import CatalogKind, Lake, describe
from support.peer import Peer
from support.postgres import PostgresServer

_TABLES = 10
_STATEMENTS = 100
_WARM_UPS, _RUNS = 10, 21
_LONG_WARM_UPS, _LONG_RUNS = 2, 5
_PLANS = 9
_MOST = 1.5
"""How many times one commit and ten plannings a transaction should take at most."""
_KINDS: tuple[CatalogKind, ...] = ("sqlite", "postgres")


def _lake(kind: CatalogKind, name: str, server: PostgresServer) -> Lake:
    """A new lake with ten tables of a hundred rows."""
    folder = data.ROOT / f"{name}-{kind}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    database = server.create_database() if kind == "postgres" else ""
    lake = describe(kind, folder, database, server)
    rows = "SELECT i AS id, 'n' || i AS name, i / 2 AS score FROM range(100) AS r(i)"
    with Peer(lake) as peer:
        peer.run(*(f"CREATE TABLE t{number} AS {rows}" for number in range(_TABLES)))
    return lake


def _inserts(catalog: str, ids: Iterator[int]) -> list[str]:
    """A row for each of the tables."""
    return [
        f"INSERT INTO {catalog}.main.t{number} VALUES ({next(ids)}, 'new', 1.5)"
        for number in range(_TABLES)
    ]


def transaction(scale: float) -> None:
    """Ten single-row INSERTs into ten tables: planned, each a commit, and in one transaction."""
    del scale
    with PostgresServer() as server, stderr_kept() as answer:
        lakes = {kind: _lake(kind, "transaction", server) for kind in _KINDS}
        spark = contest.session(lakes)
        log_commits(spark)
        print(f"\n### {_TABLES} INSERTs into as many tables, medians in ms\n")
        print(
            "| catalog | plannings | one commit | statements less their commits | 10 commits "
            "| transaction | beside plannings | beside statements |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        for kind in _KINDS:
            for _ in range(_WARM_UPS):
                _once(spark, kind, answer)
            runs = [_once(spark, kind, answer) for _ in range(_RUNS)]
            print(_line(kind, [statistics.median(each) for each in zip(*runs, strict=True)]))


def _line(kind: str, medians: list[float]) -> str:
    """The figures of a catalog, in milliseconds, and the two ratios."""
    planned, commit, commits, alone, together = medians
    less = alone - commits
    ratios = [together / (commit + planned), together / (commit + less)]
    shown = " | ".join(f"{each:.0f}" for each in (planned, commit, less, alone, together))
    held = "holds" if ratios[0] <= _MOST else "missed"
    return f"| {kind} | {shown} | {ratios[0]:.2f}, at most {_MOST}: {held} | {ratios[1]:.2f} |"


_ids = itertools.count(1_000)


def _once(
    spark: SparkSession, catalog: str, answer: Callable[[], str]
) -> tuple[float, float, float, float, float]:
    """Milliseconds: ten plannings, a commit, ten commits, ten statements, the transaction."""

    def run(statements: list[str]) -> None:
        for statement in statements:
            spark.sql(statement)

    plans = [f"EXPLAIN {statement}" for statement in _inserts(catalog, _ids)]
    call = f"CALL {catalog}.system."
    within = [
        f"{call}begin_transaction()",
        *_inserts(catalog, _ids),
        f"{call}commit_transaction()",
    ]
    before = len(commit_times(answer()))
    planned = seconds(lambda: run(plans))
    alone = seconds(lambda: run(_inserts(catalog, _ids)))
    together = seconds(lambda: run(within))
    *commits, _ = (micros / 1000 for micros in commit_times(answer())[before:])
    assert len(commits) == _TABLES
    return (
        planned * 1000,
        statistics.median(commits),
        sum(commits),
        alone * 1000,
        together * 1000,
    )


def long_transaction(scale: float) -> None:
    """The planning of a SELECT and of an INSERT in a transaction, before and after 100 others."""
    count = int(_STATEMENTS * scale)
    with PostgresServer() as server:
        lakes = {kind: _lake(kind, "long-transaction", server) for kind in _KINDS}
        spark = contest.session(lakes)
        print(f"\n### planning in a transaction, before and after {count} statements, ms\n")
        print("| catalog | new rows in | statement | first | last | ratio |")
        print("|---|---|---|---:|---:|---:|")
        for kind, lake in lakes.items():
            for place, limit in (("catalog", "10"), ("files", "0")):
                name = f"{kind}_{place}"
                for key, value in lake.spark_settings(name).items():
                    spark.conf.set(key, value)
                spark.conf.set(f"spark.sql.catalog.{name}.data-inlining-row-limit", limit)
                for _ in range(_LONG_WARM_UPS):
                    _long(spark, name, count)
                runs = [_long(spark, name, count) for _ in range(_LONG_RUNS)]
                for statement in ("SELECT", "INSERT"):
                    first, last = (
                        statistics.median(run[statement][at] for run in runs) for at in (0, 1)
                    )
                    ratio = last / first
                    print(
                        f"| {kind} | {place} | {statement} | {first:.1f} | {last:.1f} "
                        f"| {ratio:.2f} |"
                    )
                    contest.judge(f"{statement} of {name}", ratio, 2)


def _long(spark: SparkSession, catalog: str, count: int) -> dict[str, tuple[float, float]]:
    """Milliseconds of plannings at the begin of a transaction and at its end, by statement."""
    table = f"{catalog}.main.t0"
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    first = _plannings(spark, table)
    for number in range(count):
        spark.sql(_statement(table, number))
    last = _plannings(spark, table)
    spark.sql(f"CALL {catalog}.system.rollback_transaction()")
    return {name: (first[name], last[name]) for name in first}


def _statement(table: str, number: int) -> str:
    """An INSERT, UPDATE or DELETE, of own and of older rows."""
    return (
        f"INSERT INTO {table} VALUES ({1_000 + number}, 'own', 0)",
        f"UPDATE {table} SET score = {number} WHERE id IN ({number // 3}, {999 + number})",
        f"DELETE FROM {table} WHERE id = {99 - number // 3}",
    )[number % 3]


def _plannings(spark: SparkSession, table: str) -> dict[str, float]:
    """The medians of planning a SELECT and an INSERT, in milliseconds."""
    select = f"SELECT * FROM {table} WHERE id > 5"
    insert = f"EXPLAIN INSERT INTO {table} VALUES (1, 'a', 0)"

    def median(action: Callable[[], object]) -> float:
        return statistics.median(seconds(action) for _ in range(_PLANS)) * 1000

    return {
        "SELECT": median(lambda: tasks_of(spark.sql(select)._jdf.queryExecution())),
        "INSERT": median(lambda: spark.sql(insert)),
    }
