"""The measure of `add_data_files`: many small files become data files in one commit."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from bench import contest, data
from bench.planning import session
from support.lakes import CatalogKind, Lake, describe
from support.peer import Peer, connect
from support.postgres import PostgresServer

COLUMNS = 16
ROWS = 100
MOST_SECONDS = 20
KINDS: tuple[CatalogKind, ...] = ("sqlite", "postgres")


def _folder(name: str) -> Path:
    folder = data.ROOT / "adding" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _files(count: int) -> Path:
    """A folder with so many names of one Parquet file."""
    first, folder = _folder("first") / "x.parquet", _folder("in")
    columns = ", ".join(f"i + {number} AS c{number:02}" for number in range(COLUMNS))
    with connect() as duck:
        query = f"SELECT {columns} FROM range({ROWS}) r(i)"
        duck.execute(f"COPY ({query}) TO '{first}' (FORMAT parquet)")
    for number in range(count):
        os.link(first, folder / f"{number}.parquet")
    return folder


def _lake(kind: CatalogKind, server: PostgresServer) -> Lake:
    """A new lake with a table of BIGINT columns."""
    database = server.create_database() if kind == "postgres" else ""
    lake = describe(kind, _folder(kind), database, server)
    columns = ", ".join(f"c{number:02} BIGINT" for number in range(COLUMNS))
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t ({columns})")
    return lake


def add_files(scale: float) -> None:
    """10,000 files times the scale, in the first calls of a JVM."""
    count = max(1, int(10_000 * scale))
    times: dict[str, float] = {}
    folder = _files(count)
    with PostgresServer() as server:
        lakes: dict[str, Lake] = {kind: _lake(kind, server) for kind in KINDS}
        spark = session(lakes)
        print(f"\n### {count} files of {COLUMNS} columns\n\n| catalog | s |\n|---|---:|")
        for name in lakes:
            start = time.perf_counter()
            added = spark.sql(f"CALL {name}.system.add_data_files('t', '{folder}')").count()
            times[name] = time.perf_counter() - start
            print(f"| {name} | {times[name]:.1f} |")
            assert (added, spark.table(f"{name}.t").count()) == (count, count * ROWS)
        for name, seconds in times.items():
            contest.judge(f"{count} files added, {name}, s", seconds, MOST_SECONDS)
