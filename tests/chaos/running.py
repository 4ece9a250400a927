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


@dataclass(frozen=True)
class Plan:
    """What to run.

    Attributes:
        has_store: whether the data are in an object store.
        has_log: whether a SQLite file has a write-ahead log, as after Spark, and not the rollback
            journal, as after DuckDB.
        is_short: whether the only Spark is that of the judge, which is not killed, and no stream
            runs: a Spark takes longer to start than a short run may take.
    """

    kind: CatalogKind
    seconds: float
    seed: int
    has_store: bool = False
    has_log: bool = False
    is_short: bool = False


@dataclass(frozen=True)
class Scene:
    """Where a run takes place.

    Attributes:
        disk: the small disk with the data, if there is one.
    """

    lake: Lake
    server: PostgresServer
    proxy: PostgresProxy
    store: ObjectStore | None
    disk: Path | None

    @property
    def seen(self) -> Lake:
        """The lake as those see it whose connections can be cut."""
        if self.lake.kind != "postgres":
            return self.lake
        return replace(self.lake, uri=self.proxy.uri(self.lake.database))

    def make(self, has_log: bool) -> None:
        """Make the lake and its tables."""
        with opened(self.lake) as peer:
            peer.run(*MAKING)
        if has_log:
            with closing(sqlite3.connect(self.lake.database)) as catalog:
                catalog.execute("PRAGMA journal_mode = WAL")

    def arm(self, nemesis: Nemesis) -> None:
        """Give the nemesis all that can be done here."""
        nemesis.on_processes()
        if self.lake.kind == "postgres":
            nemesis.on_postgres(self.server, self.proxy, self.lake)
        if self.disk:
            nemesis.on_the_disk(self.disk)
        if self.store:
            nemesis.on_the_store(self.store)


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
        with self._scene() as scene:
            scene.make(self.plan.has_log)
            members = [*self._members(scene.seen)]
            nemesis = Nemesis(random.Random(self.plan.seed), members)
            scene.arm(nemesis)
            threads = self._sessions(spark(), scene.seen) if self.plan.is_short else []
            with Recorder(scene.lake) as recorder, working(members):
                with in_threads(threads):
                    nemesis.rage(time.monotonic() + self.plan.seconds)
                for member in members:
                    member.end()
            journals = self._muster.journals
            judge = Judge(spark(), scene.lake, journals, recorder, members, nemesis.done)
            return judge.findings()

    @contextlib.contextmanager
    def _scene(self) -> Iterator[Scene]:
        with contextlib.ExitStack() as running:
            server = running.enter_context(PostgresServer())
            proxy = running.enter_context(PostgresProxy(server))
            factory = LakeFactory(self.folder, server)
            if self.plan.has_store:
                store = running.enter_context(ObjectStore(self.folder / "store"))
                lake = factory.new(self.plan.kind, store.bucket("chaos"))
                yield Scene(lake, server, proxy, store, None)
                return
            lake, disk = factory.new(self.plan.kind), self.folder / "disk"
            if running.enter_context(small_disk(disk)):
                on_disk = replace(lake, data_path=disk / "data")
                yield Scene(on_disk, server, proxy, None, disk)
            else:
                yield Scene(lake, server, proxy, None, None)

    def _sessions(self, spark: SparkSession, seen: Lake) -> list[Session]:
        """Those of the judge's own Spark."""
        roles = SPARKS[0]
        return sessions(self._muster.task("Spark", roles), spark_clients(spark, seen, len(roles)))

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
