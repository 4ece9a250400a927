"""Many commits with upkeep beside them: what a lake weighs, and how long its statements take.

The tables keep as many rows as they have, for old rows are deleted. So whatever grows is a debt.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path

import psycopg
from pyspark.sql import SparkSession

from concurrency.worker import opened
from load.customers import RETRIES
from support.catalogdb import read_catalog
from support.invariants import Scope, check
from support.lakes import Lake
from support.peer import committed_by_peers
from support.postgres import PostgresServer
from support.session import INTERPRETED

WRITERS = 4
PHASES = 10
LEAST = WRITERS * PHASES * 5
"""So many commits; every writer then asks in every phase."""
FEW, MANY, KEPT = 3, 200, 1_000
"""Rows of a small insert, of one that goes to a file, and of a table at most, before a delete."""
FLAT = 2.0
"""By so much the last phases may exceed earlier ones: upkeep comes sooner or later."""
SLACK = {"snapshots": 200, "data_files": 40, "delete_files": 40, "files_on_disk": 80}
"""What comes and goes with the moment: upkeep has just been there, or not."""
KEPT_SECONDS = 20
"""Snapshots and files of this age go."""
_UPKEEP = (
    "flush_inlined_data()",
    "merge_adjacent_files()",
    "rewrite_data_files(delete_threshold => 0.3)",
    f"expire_snapshots(older_than => now() - INTERVAL {KEPT_SECONDS} SECONDS)",
    f"cleanup_old_files(older_than => now() - INTERVAL {KEPT_SECONDS} SECONDS)",
)


@dataclass(frozen=True)
class Sample:
    """A lake after a phase, when nobody works on it."""

    snapshots: int
    data_files: int
    delete_files: int
    catalog_bytes: int
    data_bytes: int
    files_on_disk: int
    insert_ms: float
    select_ms: float

    def row(self) -> str:
        """Of a table in Markdown."""
        return " | ".join(f"{getattr(self, each.name):,.0f}" for each in fields(self))


HEADER = " | ".join(each.name.replace("_", " ") for each in fields(Sample))


@dataclass
class Writer:
    """A session with a table of its own; it knows the numbers that the table holds.

    Attributes:
        first: the least number that the table holds.
        last: the number after the greatest.
    """

    session: SparkSession
    number: int
    first: int = 0
    last: int = 0
    commits: int = 0
    insert_times: list[float] = field(default_factory=list)
    select_times: list[float] = field(default_factory=list)

    @property
    def table(self) -> str:
        """Its table, as both engines call it."""
        return f"lake.main.day{self.number}"

    def work(self, commits: int) -> None:
        """So many commits more."""
        for _ in range(commits):
            self.commits += 1
            if self.last - self.first > KEPT:
                self._delete()
            elif self.commits % 10 == 0:
                self._insert(MANY)
            else:
                self._timed(self.insert_times, lambda: self._insert(FEW))
            if self.commits % 5 == 0:
                self._timed(self.select_times, self._select)

    def _timed(self, times: list[float], act: Callable[[], None]) -> None:
        begun = time.monotonic()
        act()
        times.append((time.monotonic() - begun) * 1000)

    def _insert(self, rows: int) -> None:
        end = self.last + rows
        self.session.sql(
            f"INSERT INTO {self.table} SELECT id, 'a row' FROM range({self.last}, {end}, 1, 1)"
        )
        self.last = end

    def _delete(self) -> None:
        first = self.first + KEPT // 10
        self.session.sql(f"DELETE FROM {self.table} WHERE n < {first}")
        self.first = first

    def _select(self) -> None:
        newest = f"SELECT count(note) FROM {self.table} WHERE n >= {self.last - FEW}"
        ((count,),) = self.session.sql(newest).collect()
        assert count == FEW, (self.table, count)


@dataclass
class Day:
    """Commits on a lake of their own, in phases, and the upkeep that a job would do beside them.

    Attributes:
        commits: of all writers and phases together, LEAST at least.
        server: that of the lake, if it is one on PostgreSQL.
    """

    spark: SparkSession
    lake: Lake
    server: PostgresServer
    commits: int

    def run(self, show: Callable[[Sample], None]) -> list[str]:
        """Run the phases and show a sample after each. Returns what is lost or broken."""
        with opened(self.lake) as peer:
            peer.run(*(f"CREATE TABLE day{n} (n BIGINT, note VARCHAR)" for n in range(WRITERS)))
        writers = [Writer(self._session(), number) for number in range(WRITERS)]
        for _ in range(PHASES):
            self._phase(writers, self.commits // WRITERS // PHASES)
            show(self._sample(writers))
        return [*self._lost(writers), *self._broken()]

    def _session(self) -> SparkSession:
        session = self.spark.newSession()
        for key, value in (self.lake.spark_settings("lake") | RETRIES | INTERPRETED).items():
            session.conf.set(key, value)
        return session

    def _phase(self, writers: list[Writer], commits: int) -> None:
        is_over = threading.Event()
        with ThreadPoolExecutor(len(writers) + 1) as pool:
            upkeep = pool.submit(self._maintain, is_over)
            try:
                for done in [pool.submit(writer.work, commits) for writer in writers]:
                    done.result()
            finally:
                is_over.set()
            upkeep.result()

    def _maintain(self, is_over: threading.Event) -> None:
        """As a job does every few seconds; once more when nobody writes."""
        session = self._session()
        while True:
            is_last = is_over.wait(KEPT_SECONDS / 4)
            for call in _UPKEEP:
                session.sql(f"CALL lake.system.{call}").collect()
            if is_last:
                return

    def _sample(self, writers: list[Writer]) -> Sample:
        catalog = read_catalog(self.lake)
        files = [path for path in self.lake.data_path.rglob("*") if path.is_file()]
        inserts, selects = (
            statistics.median([time for writer in writers for time in getattr(writer, times)])
            for times in ("insert_times", "select_times")
        )
        for writer in writers:
            writer.insert_times.clear()
            writer.select_times.clear()
        return Sample(
            len(catalog.rows("snapshot")),
            len(catalog.rows("data_file")),
            len(catalog.rows("delete_file")),
            self._catalog_bytes(),
            sum(path.stat().st_size for path in files),
            len(files),
            inserts,
            selects,
        )

    def _catalog_bytes(self) -> int:
        if self.lake.kind == "postgres":
            size = "SELECT pg_database_size(current_database())"
            with psycopg.connect(self.server.keywords(self.lake.database)) as connection:
                ((found,),) = connection.execute(size).fetchall()
            return int(found)
        return Path(self.lake.database).stat().st_size

    def _lost(self, writers: list[Writer]) -> Iterator[str]:
        """Tables that do not hold the numbers that their writer knows, by both engines."""
        for writer in writers:
            numbers = "count(*), count(DISTINCT n), min(n), max(n)"
            table = f"day{writer.number}"
            count = writer.last - writer.first
            known = (count, count, writer.first, writer.last - 1)
            with opened(self.lake) as peer:
                (by_duckdb,) = peer.rows(f"SELECT {numbers} FROM {table}")
            (by_spark,) = writer.session.sql(f"SELECT {numbers} FROM lake.main.{table}").collect()
            for engine, found in (("DuckDB", by_duckdb), ("Spark", tuple(by_spark))):
                if found != known:
                    yield f"{engine} reads {found} in {table}, not {known}"

    def _broken(self) -> list[str]:
        return check(self.lake, Scope(frozenset(committed_by_peers[self.lake.uri])))


def grown(samples: list[Sample]) -> Iterator[str]:
    """Sizes of the last three phases that exceed those of the third to fifth too far.

    A run of a few thousand commits ends before its tables have all their rows.
    """
    sizes = [each.name for each in fields(Sample) if not each.name.endswith("_ms")]
    for size in sizes:
        early, late = (
            statistics.median([getattr(sample, size) for sample in some])
            for some in (samples[2:5], samples[-3:])
        )
        if late > early * FLAT + SLACK.get(size, 0):
            yield f"{size} grew from {early:,.0f} to {late:,.0f}"
