"""A Spark that is killed at any moment leaves whole commits, and no half one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from concurrency.worker import SHARED, TESTS
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer
from support.session import SESSION_SETTINGS, jars

ROUNDS = 12 if os.environ.get("DUCKLAKE_FULL") else 1
ROWS = 20


def killed(lake: Lake, first: int, seconds: float, folder: Path) -> list[int]:
    """Run a Spark, kill it some time after its second commit; the commits that it told of."""
    settings = {**SESSION_SETTINGS, **lake.spark_settings("lake"), "spark.jars": jars()}
    running = subprocess.Popen(
        [sys.executable, "-m", "concurrency.looper"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(TESTS), "SPARK_LOCAL_IP": "127.0.0.1"},
        start_new_session=True,
    )
    assert running.stdin and running.stdout
    print(json.dumps({"settings": settings, "first": first}), file=running.stdin, flush=True)
    told = [int(running.stdout.readline()) for _ in range(2)]
    timer = threading.Timer(seconds, os.killpg, (running.pid, signal.SIGKILL))
    timer.start()
    told += [int(line) for line in running.stdout if line.strip()]
    assert running.wait() == -signal.SIGKILL
    return told


def committed(told: list[int]) -> set[int]:
    """What must be there after these commits: every third one replaced the one before."""
    return {batch for batch in told if (batch + 1) % 3 or batch + 1 not in told}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_killed_spark_leaves_whole_commits(
    lakes: LakeFactory, tmp_path: Path, kind: CatalogKind
) -> None:
    lake, chance = lakes.new(kind), random.Random(7)
    with Peer(lake) as peer:
        peer.run(SHARED)

    for number in range(ROUNDS):
        first = number * 100_000
        told = killed(lake, first, chance.uniform(0.1, 1.5), tmp_path)

        with Peer(lake) as peer:
            found = dict(peer.rows("SELECT batch, count(*) FROM shared GROUP BY batch"))
        mine = {batch for batch in found if first < batch <= first + 100_000}
        last = max(told) + 1
        assert set(found.values()) == {ROWS}
        assert mine in (committed(told), committed([*told, last]))
        assert check(lake, Scope(duckdb_snapshots=frozenset({0, 1}))) == []
        with Peer(lake) as peer:
            peer.run(f"INSERT INTO shared SELECT -1 - {number}, i FROM range({ROWS}) AS r(i)")
