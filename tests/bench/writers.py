"""Many processes that append to one table for a minute.

`python -m bench.writers LAKE_URI DATA_PATH SECONDS NUMBER` is one of them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

from bench import data
from support.lakes import CatalogKind, Lake, describe
from support.peer import Peer
from support.postgres import PostgresServer

_WRITERS = 8
_SECONDS = 60
_ROWS = 100


def writers(scale: float) -> None:
    """Eight processes on SQLite, then on PostgreSQL."""
    span = _SECONDS * scale
    with PostgresServer() as server:
        for kind in ("sqlite", "postgres"):
            _contest(kind, server, span)


def _contest(kind: CatalogKind, server: PostgresServer, span: float) -> None:
    folder = data.ROOT / f"writers-{kind}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    database = server.create_database() if kind == "postgres" else ""
    lake = describe(kind, folder, database, server)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (writer INT, id BIGINT)")
    # All start to write together, when the last JVM is up.
    start = time.time() + 60
    running = [_start(lake, span, number, start) for number in range(_WRITERS)]
    answer = [process.communicate()[0] for process in running]
    done = sum(int(text.split("committed=")[1].split()[0]) for text in answer)
    retries = sum(int(text.split("retries=")[1].split()[0]) for text in answer)
    with Peer(lake) as peer:
        rows = peer.value("SELECT count(*) FROM t")
        snapshots = peer.value("SELECT count(*) FROM ducklake_snapshots('lake')")
    assert rows == done * _ROWS, f"{rows} rows of {done} commits"
    assert snapshots == done + 2
    print(
        f"\n### {_WRITERS} writers on {kind}\n\n{done} commits in {span:.0f} s, all rows there, "
        f"{done / span:.1f} commits/s, {retries} retries"
    )


def _start(lake: Lake, span: float, number: int, start: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.writers", lake.uri, str(lake.data_path)]
    command += [str(span), str(number), str(start)]
    tests = Path(__file__).resolve().parents[1]
    return subprocess.Popen(
        command, cwd=tests, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _main(uri: str, data_path: str, span: str, number: str, start: str) -> None:
    """One writer."""
    kind: CatalogKind = "postgres" if "postgres:" in uri else "sqlite"
    lake = Lake(kind, uri, Path(data_path), "")
    builder = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars", os.environ["DUCKLAKE_JAR"])
        .config("spark.driver.memory", "1g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    for key, value in lake.spark_settings("lake", {"retry.max-count": "100"}).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    jvm = spark.sparkContext._jvm
    levels = jvm.org.apache.logging.log4j.Level  # type: ignore[union-attr]
    config = jvm.org.apache.logging.log4j.core.config.Configurator  # type: ignore[union-attr]
    config.setLevel("ducklake.catalog.commit.Committer", levels.INFO)
    rows = spark.sql(f"SELECT {number} AS writer, id FROM range(0, {_ROWS}, 1, 1)")
    time.sleep(max(0.0, float(start) - time.time()))
    committed, end = 0, time.time() + float(span)
    while time.time() < end:
        rows.writeTo("lake.main.t").append()
        committed += 1
    print(f"committed={committed} ")


def _tell(arguments: list[str]) -> None:
    """Runs the writer in a process of its own, and counts the retries that its JVM logged."""
    inner = subprocess.run(
        [sys.executable, "-m", "bench.writers", "inner", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if inner.returncode != 0:
        raise SystemExit(inner.stdout + inner.stderr)
    retries = len(re.findall(r"commit attempt \d+ met another", inner.stderr))
    print(inner.stdout.strip(), f"retries={retries} ")


if __name__ == "__main__":
    if sys.argv[1] == "inner":
        _main(*sys.argv[2:])
    else:
        _tell(sys.argv[1:])
