"""A streaming query that is killed at any moment and started again: each row is there once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from subprocess import Popen

import pytest

from concurrency.streamer import BATCHES
from concurrency.worker import PATHS
from support.lakes import IN_FILES, Lake
from support.peer import Peer
from support.session import SESSION_SETTINGS, jars
from support.sweep import only_in_the_full_sweep

KILLS = 3
FILES, ROWS = 4 * (KILLS + 1), 20
START_SECONDS = 180


def started(
    lake: Lake,
    folder: Path,
    options: dict[str, str] | None = None,
    batches: str = "",
) -> Popen[str]:
    """A Spark that writes the files of a folder to a table, or by batches to two tables."""
    settings = {**SESSION_SETTINGS, **lake.spark_settings("lake", IN_FILES), "spark.jars": jars()}
    running = Popen(
        [sys.executable, "-m", "concurrency.streamer"],
        stdin=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PATHS, "SPARK_LOCAL_IP": "127.0.0.1"},
        start_new_session=True,
    )
    task = {
        "settings": settings,
        "folder": str(folder / "in"),
        "checkpoint": str(folder / "checkpoint"),
        "table": "lake.main.t",
        "options": options or {},
        "batches": batches,
    }
    print(json.dumps(task), file=running.stdin, flush=True)
    return running


def planned(folder: Path) -> int:
    """How many epochs the checkpoint knows, the last of which may not be done."""
    return len(list((folder / "checkpoint/offsets").glob("[0-9]*")))


def kill_within_an_epoch(running: Popen[str], folder: Path, later: float) -> None:
    """Kill all of a Spark some time after it has begun two more epochs."""
    enough, deadline = planned(folder) + 2, time.monotonic() + START_SECONDS
    while planned(folder) < enough:
        assert running.poll() is None, "it ended by itself"
        assert time.monotonic() < deadline, "no epoch begins"
        time.sleep(0.01)
    time.sleep(later)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()


def make_files(folder: Path) -> None:
    (folder / "in").mkdir()
    for batch in range(FILES):
        lines = [json.dumps({"batch": batch, "n": n}) for n in range(ROWS)]
        (folder / f"in/{batch}.json").write_text("\n".join(lines))


@only_in_the_full_sweep("test_kills.py kills a Spark in every run")
def test_a_killed_stream_writes_each_row_once(lake: Lake, tmp_path: Path) -> None:
    make_files(tmp_path)
    chance = random.Random(lake.kind)

    for _ in range(KILLS):
        kill_within_an_epoch(started(lake, tmp_path), tmp_path, chance.uniform(0, 0.4))
    assert started(lake, tmp_path).wait(120) == 0

    with Peer(lake) as peer:
        found = peer.rows("SELECT batch, n FROM t ORDER BY ALL")
        assert found == [(batch, n) for batch in range(FILES) for n in range(ROWS)]


@only_in_the_full_sweep("test_upserting_streams.py repeats epochs in every run")
def test_a_killed_stream_merges_each_epoch_once(lake: Lake, tmp_path: Path) -> None:
    """Each epoch has each key with a greater sequence; every third one compacts the table."""
    make_files(tmp_path)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (batch BIGINT, n INT)")
    options = {"merge-keys": "n", "sequence-by": "batch", "compact-after-epochs": "3"}
    chance = random.Random(lake.kind)

    for _ in range(KILLS):
        running = started(lake, tmp_path, options=options)
        kill_within_an_epoch(running, tmp_path, chance.uniform(0, 1.5))
    assert started(lake, tmp_path, options=options).wait(180) == 0

    with Peer(lake) as peer:
        assert peer.rows("SELECT batch, n FROM t ORDER BY n") == [
            (FILES - 1, n) for n in range(ROWS)
        ]
        written = (
            "SELECT batch, n, count(*) FROM ducklake_table_changes('lake', 'main', 't', 0, "
            f"{peer.head()}) WHERE change_type IN ('insert', 'update_postimage') GROUP BY ALL"
        )
        assert {count for _, _, count in peer.rows(written)} == {1}


@only_in_the_full_sweep("test_repeated_writes.py breaks off at each step in every run")
@pytest.mark.parametrize("batches", BATCHES)
def test_a_killed_batch_writes_each_table_once(lake: Lake, tmp_path: Path, batches: str) -> None:
    make_files(tmp_path)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (batch BIGINT, n INT); CREATE TABLE sums (n INT, amount BIGINT)")
        base = peer.head()
    chance = random.Random(f"{lake.kind}/{batches}")

    for _ in range(KILLS):
        running = started(lake, tmp_path, batches=batches)
        kill_within_an_epoch(running, tmp_path, chance.uniform(0, 1.5))
    assert started(lake, tmp_path, batches=batches).wait(180) == 0

    with Peer(lake) as peer:
        found = peer.rows("SELECT batch, n FROM t ORDER BY ALL")
        assert found == [(batch, n) for batch in range(FILES) for n in range(ROWS)]
        assert peer.rows("SELECT n, amount FROM sums ORDER BY ALL") == [
            (n, FILES) for n in range(ROWS)
        ]
        assert peer.head() == base + FILES * (1 if batches == "transaction" else 2)
