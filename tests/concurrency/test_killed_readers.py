"""A stream that is killed and started again after an expiry reads each change once."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

from pyspark.sql import SparkSession

from concurrency.test_killed_streams import kill_within_an_epoch
from concurrency.worker import PATHS
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.peer import Peer
from support.session import SESSION_SETTINGS, jars
from support.sweep import only_in_the_full_sweep

KILLS = 3
END_SECONDS = 60
ROUND = (
    "INSERT INTO t SELECT i, 'many' FROM range(100) r(i)",
    "DELETE FROM t WHERE id % 2 = 0",
    "UPDATE t SET name = 'new' WHERE id % 3 = 0",
    "DELETE FROM t",
)


def started(lake: Lake, folder: Path) -> Popen[str]:
    """A Spark that reads the changes of the table."""
    settings = {**SESSION_SETTINGS, **lake.spark_settings("lake", IN_FILES), "spark.jars": jars()}
    running = Popen(
        [sys.executable, "-m", "concurrency.follower"],
        stdin=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PATHS, "SPARK_LOCAL_IP": "127.0.0.1"},
        start_new_session=True,
    )
    task = {
        "settings": settings,
        "folder": str(folder / "out"),
        "checkpoint": str(folder / "checkpoint"),
    }
    print(json.dumps(task), file=running.stdin, flush=True)
    return running


def await_end(group: int) -> None:
    """Wait for the last process of a group, which may still hold the file of the catalog."""
    deadline = time.monotonic() + END_SECONDS
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < deadline, "it does not end"
        time.sleep(0.05)


@only_in_the_full_sweep("test_readers.py stops streams in every run")
def test_a_killed_stream_reads_each_change_once(
    spark: SparkSession,
    lakes: LakeFactory,
    kind: CatalogKind,
    register: Callable[..., str],
    tmp_path: Path,
) -> None:
    lake = lakes.new(kind)
    catalog = register(lake, IN_FILES)
    chance, expected = random.Random(kind), []

    def change(rounds: int) -> None:
        with Peer(lake) as peer:
            first = peer.head() + 1
            peer.run(*(ROUND * rounds))
            feed = f"table_changes('t', {first}, {peer.head()})"
            expected.extend(peer.rows(f"SELECT snapshot_id, change_type, id FROM {feed}"))

    def expire() -> None:
        system = f"CALL {catalog}.system."
        spark.sql(f"{system}expire_snapshots(older_than => now() + INTERVAL 1 DAY)").collect()
        spark.sql(f"{system}cleanup_old_files(cleanup_all => true)").collect()

    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INT, name VARCHAR)")
    change(rounds=4)
    for _ in range(KILLS):
        running = started(lake, tmp_path)
        kill_within_an_epoch(running, tmp_path, chance.uniform(0, 1))
        await_end(running.pid)
        change(rounds=1)
        expire()
    assert started(lake, tmp_path).wait(300) == 0

    found = map(tuple, spark.read.parquet(str(tmp_path / "out")).collect())
    assert sorted(found) == sorted(expected)
    expire()
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM ducklake_snapshots('lake')") == 1
        assert peer.rows("FROM t") == []
