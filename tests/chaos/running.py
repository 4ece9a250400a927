"""One run: a lake, those who work on it, what befalls them, and the judgement."""

from __future__ import annotations

import contextlib
import itertools
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyspark.sql import SparkSession

from chaos.crew import Member, working
from chaos.judging import Findings, Judge
from chaos.nemesis import Nemesis, small_disk
from chaos.recorder import Recorder
from chaos.worker import Engine, Task, sessions, spark_clients
from chaos.workload import MAKING, Role, Session, in_threads
from concurrency.worker import PATIENT, opened
from support.lakes import CatalogKind, Lake, LakeFactory
from support.objectstore import ObjectStore
from support.postgres import PostgresServer
from support.proxy import PostgresProxy
from support.session import INTERPRETED

SPARKS: tuple[tuple[Role, ...], ...] = (
    ("writer", "writer", "reader", "keeper"),
    ("writer", "writer", "keeper"),
)
"""The sessions of each Spark."""
DUCKDBS: tuple[tuple[Role, ...], ...] = (("writer",), ("inserter", "inserter"), ("reader",))
"""One DuckDB only updates: two of them spoil a file by themselves, see `concurrency/worker.py`."""
LEAST = 20
"""So many operations the sessions of a process begin before it may be killed."""
MOST_SESSIONS = 10
"""Of a process; each session of a run has a number of its own."""
SETTINGS = {**INTERPRETED, "spark.driver.memory": "1g"}


def keep_a_log(lake: Lake) -> None:
    """Give a SQLite file that DuckDB made a write-ahead log, as `catalog-files.md` advises."""
    with closing(sqlite3.connect(lake.database)) as catalog:
        catalog.execute("PRAGMA journal_mode = WAL")


@dataclass(frozen=True)
class Plan:
    """What to run.

    Attributes:
        has_store: whether the data are in an object store.
        is_short: whether the only Spark is that of the judge, which is not killed, and no stream
            runs: a Spark takes longer to start than a short run may take.
    """

    kind: CatalogKind
    seconds: float
    seed: int
    has_store: bool = False
    is_short: bool = False


@dataclass
class Run:
    """A run in a folder."""

    plan: Plan
    folder: Path
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1, MOST_SESSIONS))

    def findings(self, spark: Callable[[], SparkSession]) -> Findings:
        """Run, and judge with a Spark that is asked for when it is needed."""
        with contextlib.ExitStack() as running:
            server = running.enter_context(PostgresServer())
            proxy = running.enter_context(PostgresProxy(server))
            store = None
            if self.plan.has_store:
                store = running.enter_context(ObjectStore(self.folder / "store"))
            lake, disk = self._lake(running, server, store)
            with opened(lake) as peer:
                peer.run(*MAKING)
            if lake.kind == "sqlite":
                keep_a_log(lake)
            seen = replace(lake, uri=proxy.uri(lake.database)) if lake.kind == "postgres" else lake
            members = [*self._members(seen)]
            nemesis = Nemesis(random.Random(self.plan.seed), members)
            nemesis.on_processes()
            if lake.kind == "postgres":
                nemesis.on_postgres(server, proxy, lake)
            if disk:
                nemesis.on_the_disk(disk)
            if store:
                nemesis.on_the_store(store)
            threads = self._sessions(spark(), seen) if self.plan.is_short else []
            with Recorder(lake) as recorder, working(members):
                with in_threads(threads):
                    nemesis.rage(time.monotonic() + self.plan.seconds)
                for member in members:
                    member.end()
            judge = Judge(spark(), lake, self._journals, recorder, members, nemesis.done)
            return judge.findings()

    @property
    def _journals(self) -> Path:
        return self.folder / "journals"

    def _lake(
        self, running: contextlib.ExitStack, server: PostgresServer, store: ObjectStore | None
    ) -> tuple[Lake, Path | None]:
        """A new lake, and the small disk with its data, if there is one."""
        self._journals.mkdir()
        factory = LakeFactory(self.folder, server)
        if store:
            return factory.new(self.plan.kind, store.bucket("chaos")), None
        lake, disk = factory.new(self.plan.kind), self.folder / "disk"
        if not running.enter_context(small_disk(disk)):
            return lake, None
        return replace(lake, data_path=disk / "data"), disk

    def _sessions(self, spark: SparkSession, seen: Lake) -> list[Session]:
        """Those of the judge's Spark."""
        journal = str(self._journals / "judge")
        roles = SPARKS[0]
        task = Task("Spark", roles, next(self._numbers), self.plan.seed, "", journal)
        return sessions(task, spark_clients(spark, seen, len(roles)))

    def _members(self, seen: Lake) -> Iterator[Member]:
        if not self.plan.is_short:
            yield from (self._worker("Spark", roles, seen) for roles in SPARKS)
            yield self._stream(seen)
        yield from (self._worker("DuckDB", roles, seen) for roles in DUCKDBS)

    def _worker(self, engine: Engine, roles: tuple[Role, ...], seen: Lake) -> Member:
        folder = self.folder / f"worker{next(self._numbers)}"

        def task() -> dict[str, object]:
            first = next(self._numbers)
            journal = str(self._journals / str(first))
            return Task(engine, roles, first, self.plan.seed, str(folder), journal).given(seen)

        return Member(f"{engine}s", "chaos.worker", task, seen, SETTINGS, folder, LEAST)

    def _stream(self, seen: Lake) -> Member:
        folder = self.folder / "stream"
        task = {"folder": str(folder), "limits": {}, "start": len(MAKING)}
        settings = {**seen.spark_settings("lake", PATIENT), **SETTINGS}
        return Member("streams", "concurrency.copier", lambda: task, seen, settings, folder)
