"""A writer that changes a lake at random for some seconds, and says what it did.

As a process: `python -m concurrency.worker`, its task as JSON on standard input; each action is
a line of JSON on standard output.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import duckdb

from support.catalogdb import execute
from support.lakes import Lake
from support.peer import Peer
from support.session import SESSION_SETTINGS, jars

Engine = Literal["duckdb", "spark"]
Outcome = Literal["done", "failed", "unknown"]
TESTS = Path(__file__).resolve().parent.parent

PATHS = os.pathsep.join(map(str, (TESTS, TESTS.parent / "python/src")))
"""Where a process of its own finds the tools of the tests, and the package."""
COUNTERS = 20
SHARED = (
    "CREATE TABLE shared (batch BIGINT, n INTEGER)",
    f"CREATE TABLE counters AS SELECT CAST(range AS INTEGER) AS id, 0 AS v FROM range({COUNTERS})",
)
EXPIRY_SECONDS = 60
"""Snapshots of this age go. A statement that lasts longer loses its own; see `aged`, too."""
MAINTENANCE = (
    "flush_inlined_data('shared')",
    "merge_adjacent_files('shared')",
    "rewrite_data_files('shared', delete_threshold => 0)",
    f"expire_snapshots(older_than => now() - INTERVAL {EXPIRY_SECONDS} SECONDS)",
    "cleanup_old_files(older_than => now() - INTERVAL 30 SECONDS)",
    "delete_orphaned_files(older_than => now() - INTERVAL 30 SECONDS)",
    "checkpoint()",
)
"""By Spark. Files that are younger than so many seconds may be in use by a statement under way."""


@dataclass
class Task:
    """What a worker is to do.

    Attributes:
        number: its own, so that batches and tables are its own too.
        steps: how many actions; 0: as many as it can.
        level: the isolation level of a Spark.
        is_sweeper: whether it deletes and compacts (DuckDB: one worker only, as two DuckDBs that
            delete from one file spoil it by themselves, format 4.6).
    """

    engine: Engine
    number: int
    seconds: float
    is_sweeper: bool = False
    steps: int = 0
    level: str = "snapshot"


@dataclass
class Report:
    """Batches by what is certain of them: number of rows by batch; and what else was done.

    Attributes:
        counted: how often it has raised a counter, for certain, and perhaps.
    """

    there: dict[int, int] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    uncertain: set[int] = field(default_factory=set)
    commits: int = 0
    errors: list[str] = field(default_factory=list)
    maintained: list[str] = field(default_factory=list)
    counted: int = 0
    perhaps_counted: int = 0


class Worker:
    """Runs random actions by one engine."""

    def __init__(self, task: Task, run: Callable[[str], None], catalog: str) -> None:
        """Keep what is needed; `run` runs one statement and raises when it fails."""
        self.task, self._run, self._catalog = task, run, catalog
        self._random = random.Random(task.number)
        self._next = task.number * 1_000_000
        self._tables = 0
        self._maintenance = itertools.cycle(self._random.sample(MAINTENANCE, len(MAINTENANCE)))
        self.report = Report()

    def work(self) -> Report:
        """Act until the time is over, or all steps are done."""
        end = time.monotonic() + self.task.seconds
        for step in itertools.count(1):
            actions = [self._insert] * 4 + [self._table]
            if self.task.engine == "spark":
                actions += [self._replace, self._maintain, self._count, self._merge] * 2
            elif self.task.is_sweeper:
                actions += [self._replace, self._replace, self._compact, self._count]
            self._random.choice(actions)()
            if step == self.task.steps or time.monotonic() > end:
                return self.report
        raise AssertionError

    def _insert(self) -> None:
        batch, count = self._batch()
        query = f"INSERT INTO {self._catalog}.main.shared {self._rows(batch, count)}"
        self._settle(self._tried(query), {batch: count}, set())

    def _replace(self) -> None:
        """One commit that takes a batch away, or puts another in its place."""
        if not self.report.there:
            return
        old = self._random.choice(sorted(self.report.there))
        batch, count = self._batch()
        shared = f"{self._catalog}.main.shared"
        if count > 1:
            update = f"UPDATE {shared} SET batch = {batch} WHERE batch = {old}"
            self._settle(self._tried(update), {batch: self.report.there[old]}, {old})
        else:
            delete = f"DELETE FROM {shared} WHERE batch = {old}"
            self._settle(self._tried(delete), {}, {old})

    def _merge(self) -> None:
        """One commit that gives a batch another name and more rows."""
        if not self.report.there:
            return
        old = self._random.choice(sorted(self.report.there))
        batch, more = self._batch()
        count = self.report.there[old] + more
        rows = f"SELECT CAST({old} AS BIGINT) AS batch, CAST(id AS INT) AS n FROM range({count})"
        merge = (
            f"MERGE INTO {self._catalog}.main.shared t USING ({rows}) s"
            " ON t.batch = s.batch AND t.n = s.n"
            f" WHEN MATCHED THEN UPDATE SET batch = {batch}"
            f" WHEN NOT MATCHED THEN INSERT (batch, n) VALUES ({batch}, s.n)"
        )
        self._settle(self._tried(merge), {batch: count}, {old})

    def _count(self) -> None:
        """Raise counters that others raise, too."""
        first = self._random.randrange(COUNTERS)
        last = min(COUNTERS - 1, first + self._random.choice((0, 1, 15)))
        chosen = f"id BETWEEN {first} AND {last}"
        outcome = self._tried(f"UPDATE {self._catalog}.main.counters SET v = v + 1 WHERE {chosen}")
        if outcome == "done":
            self.report.counted += last - first + 1
        elif outcome == "unknown":
            self.report.perhaps_counted += last - first + 1

    def _table(self) -> None:
        """A table of its own comes, changes and goes."""
        self._tables += 1
        name = f"{self._catalog}.main.own_{self.task.number}_{self._tables}"
        statements = [
            f"CREATE TABLE {name} AS SELECT 1 AS a",
            f"ALTER TABLE {name} ADD COLUMN b INT",
            f"INSERT INTO {name} VALUES (2, 3)",
            f"DROP TABLE {name}",
        ]
        for statement in statements[: self._random.randint(2, 4)]:
            if self._tried(statement) != "done":
                break

    def _compact(self) -> None:
        self._tried(f"CALL ducklake_merge_adjacent_files('{self._catalog}', 'shared')")

    def _maintain(self) -> None:
        """By Spark only: DuckDB's flush harms a lake to which others commit.

        On PostgreSQL, when it commits at its second try, the deletes it moved stay in the catalog,
        too (test_flush.py); on SQLite, when the database is locked after it has committed, it
        reports a failure and removes the files that the lake now needs.
        """
        call = next(self._maintenance)
        if self._tried(f"CALL {self._catalog}.system.{call}") == "done":
            self.report.maintained.append(call)

    def _batch(self) -> tuple[int, int]:
        self._next += 1
        return self._next, self._random.choice((1, 3, 20, 40))

    def _rows(self, batch: int, count: int) -> str:
        number = "CAST(id AS INT)" if self.task.engine == "spark" else "CAST(range AS INT)"
        return f"SELECT CAST({batch} AS BIGINT), {number} FROM range(0, {count})"

    def _tried(self, statement: str) -> Outcome:
        try:
            self._run(statement)
        except Exception as error:  # whatever it is, the test judges it
            text = " ".join(str(error).split())
            self.report.errors.append(text)
            return "unknown" if "DUCKLAKE_COMMIT_OUTCOME_UNKNOWN" in text else "failed"
        self.report.commits += 1
        return "done"

    def _settle(self, outcome: Outcome, coming: dict[int, int], going: set[int]) -> None:
        if outcome == "done":
            self.report.there |= coming
            self.report.gone |= going
        if outcome == "unknown":
            self.report.uncertain |= set(coming) | going
        if outcome != "failed":
            for batch in going:
                self.report.there.pop(batch, None)


def opened(lake: Lake, *options: str) -> Peer:
    """DuckDB on the lake, with options of ATTACH.

    DuckDB itself does not wait when another process, or this one, has the file.
    """
    end = time.monotonic() + 180
    while True:
        try:
            return Peer(lake, *options)
        except duckdb.Error as error:
            reasons = ("locked", "Conflicting lock", "file handle conflict")
            is_locked = any(reason in str(error) for reason in reasons)
            if not is_locked or time.monotonic() > end:
                raise
            time.sleep(0.05)


def aged(lake: Lake) -> None:
    """All snapshots but the newest become old, so that a short run has some that expire."""
    with opened(lake) as peer:
        head = peer.head()
    long_ago = "'2026-01-01 00:00:00+00'"
    execute(
        lake, f"UPDATE ducklake_snapshot SET snapshot_time = {long_ago} WHERE snapshot_id < {head}"
    )


def duckdb_worker(task: Task, lake: Lake) -> Report:
    """DuckDB in this process. A DuckDB file it opens for each statement, as others wait for it."""

    def in_turn(sql: str) -> None:
        with opened(lake) as peer:
            peer.connection.execute(sql).fetchall()

    if lake.kind == "duckdb":
        return Worker(task, in_turn, "lake").work()
    with opened(lake) as peer:
        return Worker(task, lambda sql: peer.connection.execute(sql).fetchall(), "lake").work()


PATIENT = {"busy-timeout": "60000"}
"""How long a Spark waits for the others: so long that a slow machine refuses nothing."""


def spark_worker(task: Task, lake: Lake) -> Report:
    """A Spark of its own in this process."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.config("spark.jars", jars())
    options = {**PATIENT, "isolation-level": task.level}
    for key, value in {**SESSION_SETTINGS, **lake.spark_settings("lake", options)}.items():
        builder = builder.config(key, value)
    spark = builder.config("spark.driver.memory", "1g").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return Worker(task, lambda sql: spark.sql(sql).collect(), "lake").work()


class Process:
    """A worker in a process of its own."""

    def __init__(self, task: Task, lake: Lake, folder: Path) -> None:
        """Start it; it works in the folder."""
        self.task = task
        given = {"task": asdict(task), "lake": {**asdict(lake), "data_path": str(lake.data_path)}}
        environment = {**os.environ, "PYTHONPATH": PATHS, "SPARK_LOCAL_IP": "127.0.0.1"}
        self._running = subprocess.Popen(
            [sys.executable, "-m", "concurrency.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment,
        )
        self._answer: tuple[str, str] = ("", "")
        self._thread = threading.Thread(target=self._talk, args=(json.dumps(given),))
        self._thread.start()

    def _talk(self, given: str) -> None:
        self._answer = self._running.communicate(given)

    def report(self) -> Report:
        """Wait for its end; what it did."""
        self._thread.join(timeout=self.task.seconds + 180)
        _, found, answer = self._answer[0].partition("REPORT")
        if not found:
            raise RuntimeError(self._answer[1][-3000:])
        parsed: dict[str, Any] = json.loads(answer)
        there = {int(batch): count for batch, count in parsed.pop("there").items()}
        gone, uncertain = set(parsed.pop("gone")), set(parsed.pop("uncertain"))
        return Report(there, gone, uncertain, **parsed)


def main() -> None:
    """The process: its task comes by standard input."""
    given = json.load(sys.stdin)
    task = Task(**given["task"])
    lake = Lake(**{**given["lake"], "data_path": Path(given["lake"]["data_path"])})
    report = (duckdb_worker if task.engine == "duckdb" else spark_worker)(task, lake)
    answer = {**asdict(report), "gone": sorted(report.gone), "uncertain": sorted(report.uncertain)}
    print("REPORT" + json.dumps(answer))


if __name__ == "__main__":
    main()
