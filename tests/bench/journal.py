"""SQLite's rollback journal against its write-ahead log, with DuckDB at the other side.

`python -m bench.journal LAKE_URI DATA_PATH SECONDS STATEMENT` is a DuckDB that repeats a statement.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import duckdb
from pyspark.sql import SparkSession

from bench import contest, data
from support.lakes import Lake, describe
from support.peer import Peer
from support.postgres import PostgresServer

_SECONDS = 30
_STATEMENTS = {
    "inserts": "INSERT INTO u SELECT i FROM range(100) AS r(i)",
    "reads": "SELECT count(*) FROM t",
}


def journal(scale: float) -> None:
    """Spark appends while one DuckDB inserts and another reads; alone first."""
    lines = ["| journal | beside | Spark's commits | DuckDB's inserts | locked | reads | locked |"]
    lines.append("|---|---|---:|---:|---:|---:|---:|")
    with PostgresServer() as server:
        for mode in ("delete", "wal"):
            for others in ((), tuple(_STATEMENTS)):
                lines.append(_contest(mode, others, server, _SECONDS * scale))
    print("\n### journals of SQLite\n")
    print("\n".join(lines))


def _contest(mode: str, others: tuple[str, ...], server: PostgresServer, span: float) -> str:
    folder = data.ROOT / f"journal-{mode}-{len(others)}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lake = describe("sqlite", folder, "", server)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id BIGINT)", "CREATE TABLE u (id BIGINT)")
    with sqlite3.connect(lake.database) as connection:
        assert connection.execute(f"PRAGMA journal_mode = {mode}").fetchone() == (mode,)
    name = f"{mode}_{len(others)}"
    table = f"{name}.main.t"
    spark = contest.session({name: lake})
    _append(spark, table, time.monotonic() + 3)  # warm
    running = {what: _start(lake, span, _STATEMENTS[what]) for what in others}
    commits = _append(spark, table, time.monotonic() + span)
    answer = {what: process.communicate()[0].split() for what, process in running.items()}
    cells = [cell for what in _STATEMENTS for cell in answer.get(what, ["", ""])]
    beside = " and ".join(others) or "nobody"
    return f"| {mode} | {beside} | {commits} | " + " | ".join(cells) + " |"


def _append(spark: SparkSession, table: str, end: float) -> int:
    rows = spark.range(0, 100, 1, 1)
    commits = 0
    while time.monotonic() < end:
        rows.writeTo(table).append()
        commits += 1
    return commits


def _start(lake: Lake, span: float, statement: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.journal", lake.uri, str(lake.data_path), str(span)]
    tests = Path(__file__).resolve().parents[1]
    return subprocess.Popen([*command, statement], cwd=tests, stdout=subprocess.PIPE, text=True)


def _main(uri: str, data_path: str, span: str, statement: str) -> None:
    done = locked = 0
    with Peer(Lake("sqlite", uri, Path(data_path), "")) as peer:
        end = time.monotonic() + float(span)
        while time.monotonic() < end:
            try:
                peer.run(statement)
                done += 1
            except duckdb.Error as error:
                if "locked" not in str(error):
                    raise
                locked += 1
    print(done, locked)


if __name__ == "__main__":
    _main(*sys.argv[1:])
