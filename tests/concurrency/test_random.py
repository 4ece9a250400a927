"""Sparks and DuckDBs that write at random at the same time: nothing is lost, nothing is damaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from concurrency.refusals import is_expected
from concurrency.worker import (
    COUNTERS,
    MAINTENANCE,
    PATIENT,
    SHARED,
    Process,
    Report,
    Task,
    Worker,
    aged,
)
from support.figures import compared
from support.invariants import Scope, check
from support.lakes import CATALOG_KINDS, CatalogKind, Lake, LakeFactory
from support.peer import Peer
from support.sweep import FULL

Register = Callable[..., str]
SECONDS = 1800.0 if FULL else 8.0
STEPS = 3000
LEVELS = ("snapshot", "serializable")
RUNS: list[tuple[CatalogKind, str]] = (
    [(kind, level) for kind in CATALOG_KINDS for level in LEVELS]
    if FULL
    else [("sqlite", "snapshot"), ("postgres", "serializable")]
)
"""On a DuckDB file all take turns, so few seconds are for few steps."""
ONE_DUCKDB = 2


def batches(rows: list[tuple[int, int, int]]) -> dict[int, int]:
    """Rows by batch; every row of a batch is there once."""
    assert [row for row in rows if row[1] != row[2]] == []
    return {batch: count for batch, count, _ in rows}


COUNTS = "SELECT batch, count(*), count(DISTINCT n) FROM {}shared GROUP BY batch"


def lost_or_strange(found: dict[int, int], reports: list[Report]) -> dict[str, object]:
    """Where the lake is not what the reports of the workers say."""
    there = {batch: count for report in reports for batch, count in report.there.items()}
    gone = {batch for report in reports for batch in report.gone}
    uncertain = {batch for report in reports for batch in report.uncertain}
    wrong = {
        "lost": {b for b, n in there.items() if found.get(b) != n} - uncertain,
        "back": (gone & found.keys()) - uncertain,
        "strange": found.keys() - there.keys() - gone - uncertain,
    }
    return {name: sorted(these) for name, these in wrong.items() if these}


@pytest.mark.parametrize(("kind", "level"), RUNS)
def test_random_writers_lose_nothing(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    tmp_path: Path,
    kind: CatalogKind,
    level: str,
) -> None:
    """Each batch has its rows, and each counter is raised as often as the reports say."""
    lake = lakes.new(kind)
    with Peer(lake) as peer:
        peer.run(*SHARED, "UPDATE counters SET v = 0")
    aged(lake)

    reports = run(spark, lake, register, tmp_path, level)

    with Peer(lake) as peer:
        found = batches(peer.rows(COUNTS.format("")))
        counters = peer.rows("SELECT count(*), count(DISTINCT id), sum(v) FROM counters")
    by_spark = spark.sql(COUNTS.format(f"{register(lake)}.main.")).collect()
    assert lost_or_strange(found, reports) == {}
    ((rows, ids, total),) = counters
    certain = sum(report.counted for report in reports)
    assert (rows, ids) == (COUNTERS, COUNTERS)
    assert certain <= total <= certain + sum(report.perhaps_counted for report in reports)
    assert batches([(row[0], row[1], row[2]) for row in by_spark]) == found
    assert cleaned(spark, lake, register(lake)) == found
    assert check(lake, Scope(None, is_free_of_orphans=True, deep_bytes=2_000_000)) == []
    assert sum(report.commits for report in reports) > 0, [report.errors[-3:] for report in reports]
    assert unexpected(reports) == Counter()
    assert not FULL or {call for report in reports for call in report.maintained} == {*MAINTENANCE}
    compared["random commits"] += sum(report.commits for report in reports)


def cleaned(spark: SparkSession, lake: Lake, catalog: str) -> dict[int, int]:
    """The batches once all old snapshots are gone, with every file that only they had."""
    for call in (
        "expire_snapshots(older_than => now())",
        "cleanup_old_files(cleanup_all => true)",
        "delete_orphaned_files(cleanup_all => true)",
    ):
        spark.sql(f"CALL {catalog}.system.{call}").collect()
    with Peer(lake) as peer:
        return batches(peer.rows(COUNTS.format("")))


def run(
    spark: SparkSession, lake: Lake, register: Register, folder: Path, level: str
) -> list[Report]:
    """All workers at once: DuckDBs as processes, Sparks as threads, in full runs as processes."""
    count = 4 if FULL else ONE_DUCKDB
    steps = STEPS // (2 * count) if FULL else 0
    processes = [
        Process(Task("duckdb", number, SECONDS, number == 1, steps), lake, folder)
        for number in range(1, count + 1)
    ]
    sparks = [
        Task("spark", 10 + number, SECONDS, steps=steps, level=level) for number in range(count)
    ]
    if FULL:
        processes += [Process(task, lake, folder) for task in sparks]
        return [process.report() for process in processes]
    catalog = register(lake, {**PATIENT, "isolation-level": level})
    workers = [Worker(task, lambda sql: spark.sql(sql).collect(), catalog) for task in sparks]
    with ThreadPoolExecutor(len(workers)) as pool:
        report = list(pool.map(Worker.work, workers))
    return report + [process.report() for process in processes]


def unexpected(reports: list[Report]) -> Counter[str]:
    """Errors that no writer has to expect."""
    return Counter(error for report in reports for error in report.errors if not is_expected(error))
