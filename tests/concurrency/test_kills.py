"""A Spark that is killed at any moment leaves whole commits, and no half one."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

import pytest

from concurrency.looper import ACTIONS, Rows, action
from concurrency.victims import SETTLE_SECONDS, victim, wait_for_the_server
from concurrency.worker import SHARED
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.objectstore import ObjectStore
from support.peer import Peer, committed_by_peers
from support.postgres import PostgresServer
from support.sweep import FULL, only_in_the_full_sweep

ROUNDS = len(ACTIONS) if FULL else 1
"""So many are killed; in the full sweep one in each statement, or in the next."""


@dataclass(frozen=True)
class Moment:
    """When to kill.

    Attributes:
        statements: so many are done before.
        part: then it is this part of the time that the last one took; None: as soon as a new file
            is there, which no commit knows yet.
    """

    statements: int
    part: float | None


def started(
    lake: Lake, first: int, folder: Path, master: str = "local[2]"
) -> AbstractContextManager[Popen[str]]:
    """A Spark that begins with the first statement."""
    return victim("concurrency.looper", {"first": first}, lake, folder, master)


def reported_by(running: Popen[str], statements: int) -> list[int]:
    """The next statements that are done."""
    assert running.stdout
    return [int(running.stdout.readline()) for _ in range(statements)]


def killed_after(running: Popen[str], seconds: float) -> list[int]:
    """Kill all of a Spark after some time; the statements that it reported until then."""
    assert running.stdout
    timer = threading.Timer(seconds, os.killpg, (running.pid, signal.SIGKILL))
    timer.start()
    report = [int(line) for line in running.stdout if line.strip()]
    assert running.wait() == -signal.SIGKILL
    return report


def killed(lake: Lake, first: int, moment: Moment, folder: Path) -> list[int]:
    """Run a Spark and kill it at a moment; the statements that it reported."""
    with started(lake, first, folder) as running:
        report = reported_by(running, moment.statements - 1)
        before = time.monotonic()
        report += reported_by(running, 1)
        seconds = (moment.part or 0) * (time.monotonic() - before)
        if moment.part is None:
            wait_for_a_file(lake)
        return report + killed_after(running, seconds)


def wait_for_a_file(lake: Lake) -> None:
    """Until a file comes that was not there."""
    before, deadline = set(lake.data_path.rglob("*")), time.monotonic() + SETTLE_SECONDS
    while set(lake.data_path.rglob("*")) <= before:
        assert time.monotonic() < deadline, "no statement writes a file"


def kill_an_executor(running: Popen[str], victims: list[int]) -> None:
    """Kill an executor of a Spark that has them in processes of their own."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < deadline:
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                number, command = int(path.parent.name), path.read_bytes()
                if b"CoarseGrainedExecutorBackend" in command and _is_of(running, number):
                    os.kill(number, signal.SIGKILL)
                    victims.append(number)
                    return


def _is_of(running: Popen[str], process: int) -> bool:
    return os.getsid(process) == running.pid


def seeded(lake: Lake, first: int) -> Rows:
    """Four batches in a file, for the first statements to work on, and a row in the catalog."""
    batches = range(first - 4, first)
    pairs = f"SELECT b.range, n.range FROM range({first - 4}, {first}) AS b, range(20) AS n"
    with Peer(lake) as peer:
        peer.run(f"INSERT INTO shared {pairs}", f"INSERT INTO shared VALUES (-1, {first})")
    return frozenset({(b, n) for b in batches for n in range(20)} | {(-1, first)})


def after(report: list[int], rows: Rows) -> Rows:
    """The rows when these statements are done."""
    for number in report:
        rows = action(number).meaning(rows, number)
    return rows


def in_the_lake(lake: Lake) -> Rows:
    """The rows as DuckDB reads them."""
    with Peer(lake) as peer:
        found = peer.rows("SELECT batch, n FROM shared")
    assert len(found) == len(set(found))
    return frozenset((batch, n) for batch, n in found)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("sqlite"),
        *(
            pytest.param(
                kind, marks=only_in_the_full_sweep("a Spark of its own; SQLite is in every run")
            )
            for kind in ("postgres", "duckdb")
        ),
    ],
)
def test_a_killed_spark_leaves_whole_commits(
    lakes: LakeFactory, server: PostgresServer, tmp_path: Path, kind: CatalogKind
) -> None:
    lake = lakes.new(kind)
    kill_some(lake, tmp_path, lambda: kind == "postgres" and wait_for_the_server(server, lake))


@only_in_the_full_sweep("a Spark of its own; one that writes to a folder is killed in every run")
def test_a_killed_spark_leaves_whole_commits_in_a_bucket(
    lakes: LakeFactory, store: ObjectStore, tmp_path: Path
) -> None:
    kill_some(lakes.new("sqlite", store.bucket("kills")), tmp_path, lambda: None)


def kill_some(lake: Lake, folder: Path, settle: Callable[[], object]) -> None:
    """Kill a Spark that writes, some times, and look at the lake each time.

    Args:
        lake: a new one.
        folder: for the Spark to work in.
        settle: waits until what the killed process had begun is over.
    """
    chance, rows = random.Random(lake.kind), frozenset[tuple[int, int]]()
    with Peer(lake) as peer:
        peer.run(*SHARED)

    for number, struck in enumerate(chance.sample(range(len(ACTIONS)), ROUNDS), 1):
        before = chance.randint(3, 7)
        first = number * len(ACTIONS) * 1000 + struck - before
        rows |= seeded(lake, first)
        waits = ACTIONS[struck].makes_files and chance.random() < 0.5
        moment = Moment(before, None if waits else chance.uniform(0, 1.5))
        report = killed(lake, first, moment, folder)
        settle()

        assert report == list(range(first, first + len(report)))
        rows = after(report, rows)
        underway = first + len(report)
        found = in_the_lake(lake)
        assert found in (rows, after([underway], rows))
        assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []
        rows = found

    with Peer(lake) as peer:
        peer.run("CALL ducklake_delete_orphaned_files('lake', cleanup_all => true)")
    rows |= seeded(lake, -1000)
    assert in_the_lake(lake) == rows
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []


@only_in_the_full_sweep("a cluster of its own; a whole Spark is killed in every run")
def test_a_killed_executor_changes_nothing_of_what_is_committed(
    lakes: LakeFactory, tmp_path: Path
) -> None:
    lake, first, chance = lakes.new("sqlite"), 1000, random.Random(3)
    with Peer(lake) as peer:
        peer.run(*SHARED)
    rows = seeded(lake, first)

    victims: list[int] = []
    with started(lake, first, tmp_path, "local-cluster[2,1,1024]") as running:
        report = reported_by(running, 3)
        for _ in range(ROUNDS):
            seconds = chance.uniform(0, 0.5)
            threading.Timer(seconds, kill_an_executor, (running, victims)).start()
            report += reported_by(running, len(ACTIONS))
        report += killed_after(running, 0.1)

    assert len(victims) == ROUNDS
    assert report == list(range(first, first + len(report)))
    rows = after(report, rows)
    assert in_the_lake(lake) in (rows, after([first + len(report)], rows))
    assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []
