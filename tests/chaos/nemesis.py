"""What befalls a run: processes, connections, the server, the disk and the store fail at random."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from chaos.crew import Member
from support.lakes import Lake
from support.objectstore import ObjectStore
from support.postgres import PostgresServer
from support.proxy import PostgresProxy

DISK_MEGABYTES = 256
QUIET = (0.5, 3.0)
"""Seconds between two strikes."""
SHORT = (0.5, 3.0)
"""Seconds that a strike lasts which has an end."""


@dataclass(frozen=True)
class Strike:
    """What a report calls it, how it is done, and whether it may be done now."""

    name: str
    run: Callable[[], None]
    is_due: Callable[[], bool] = lambda: True


@dataclass
class Nemesis:
    """Strikes at random, one strike after the other.

    Attributes:
        strikes: what it can do; what is there more often is chosen more often.
        done: how often it did what.
    """

    chance: random.Random
    members: list[Member]
    strikes: list[Strike] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)

    def rage(self, end: float) -> None:
        """Strike until the time is over; then everything works again."""
        while time.monotonic() < end:
            time.sleep(self.chance.uniform(*QUIET))
            for member in self.members:
                member.mend()
            strike = self.chance.choice([each for each in self.strikes if each.is_due()])
            for member in self.members:
                member.was_struck = True
            strike.run()
            self.done[strike.name] += 1

    def short(self) -> None:
        """Wait while a strike lasts."""
        time.sleep(self.chance.uniform(*SHORT))

    def on_processes(self) -> None:
        """Kill a process, or stop one for a moment, as a long pause of its memory does."""

        def kill(member: Member) -> None:
            member.kill()
            member.start()

        def pause(member: Member) -> None:
            with contextlib.suppress(ProcessLookupError), member.paused():
                self.short()

        for member in self.members:
            name = f"kills of {member.kind}"
            kills = Strike(name, partial(kill, member), member.may_be_killed)
            self.strikes += [kills, Strike("pauses of a process", partial(pause, member))]

    def on_postgres(self, server: PostgresServer, proxy: PostgresProxy, lake: Lake) -> None:
        """End backends, cut and delay connections, and crash the server, which recovers."""

        def end_backends() -> None:
            others = "datname = current_database() AND pid <> pg_backend_pid()"
            some = f"SELECT pid FROM pg_stat_activity WHERE {others} ORDER BY random() LIMIT 3"
            server.run_sql(lake.database, f"SELECT pg_terminate_backend(pid) FROM ({some}) AS s")

        def cut() -> None:
            proxy.cut_all()

        def delay() -> None:
            with proxy.delayed(self.chance.uniform(0.005, 0.1)):
                self.short()

        def crash() -> None:
            server.stop()
            self.short()
            server.start()

        often = (
            Strike("ended backends", end_backends),
            Strike("cuts of all connections", cut),
            Strike("delays of connections", delay),
        )
        self.strikes += [*often, *often, Strike("crashes of the server", crash)]

    def on_the_disk(self, disk: Path) -> None:
        """Leave no room where the data are."""

        def fill() -> None:
            filler = disk / "filler"
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
                while file.write(bytes(1 << 20)) > 0:
                    pass
            self.short()
            filler.unlink()

        self.strikes += [Strike("full disks", fill)] * 2

    def on_the_store(self, store: ObjectStore) -> None:
        """Refuse requests."""

        def refuse() -> None:
            codes = ("AccessDenied", "InternalError", "SlowDown")
            with store.proxy.refusing(lambda _: self.chance.choice((*codes, None, None))):
                self.short()

        self.strikes += [Strike("refusals of the store", refuse)] * 4


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A folder becomes a small disk in memory; whether it did, for only root may do so."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", str(folder)]
    is_mounted = (
        os.geteuid() == 0
        and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    )
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
