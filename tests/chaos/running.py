"""One run: a lake, those who work on it, what befalls them, and the judgement."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

from chaos.crew import Member, Muster, working
from chaos.judging import Findings, Judge
from chaos.nemesis import Nemesis, small_disk
from chaos.recorder import Recorder
from chaos.worker import sessions, spark_clients
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

    def __post_init__(self) -> None:
        """Journals and processes have places of their own in the folder."""
        self._muster = Muster(self.folder, self.plan.seed)

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
            threads: list[Session] = []
            if self.plan.is_short:
                task = self._muster.task("Spark", SPARKS[0])
                threads = sessions(task, spark_clients(spark(), seen, len(SPARKS[0])))
            with Recorder(lake) as recorder, working(members):
                with in_threads(threads):
                    nemesis.rage(time.monotonic() + self.plan.seconds)
                for member in members:
                    member.end()
            judge = Judge(spark(), lake, self._muster.journals, recorder, members, nemesis.done)
            return judge.findings()

    def _lake(
        self, running: contextlib.ExitStack, server: PostgresServer, store: ObjectStore | None
    ) -> tuple[Lake, Path | None]:
        """A new lake, and the small disk with its data, if there is one."""
        factory = LakeFactory(self.folder, server)
        if store:
            return factory.new(self.plan.kind, store.bucket("chaos")), None
        lake, disk = factory.new(self.plan.kind), self.folder / "disk"
        if not running.enter_context(small_disk(disk)):
            return lake, None
        return replace(lake, data_path=disk / "data"), disk

    def _members(self, seen: Lake) -> Iterator[Member]:
        """Those who write come before the streams, which end when they have seen everything."""
        if not self.plan.is_short:
            yield from (self._muster.worker("Spark", roles, seen, SETTINGS) for roles in SPARKS)
        yield from (self._muster.worker("DuckDB", roles, seen, SETTINGS) for roles in DUCKDBS)
        if not self.plan.is_short:
            yield self._stream(seen)

    def _stream(self, seen: Lake) -> Member:
        folder = self.folder / "stream"
        task = {"folder": str(folder), "limits": {}, "start": len(MAKING)}
        settings = {**seen.spark_settings("lake", PATIENT), **SETTINGS}
        return Member("streams", "concurrency.copier", lambda: task, seen, settings, folder)
