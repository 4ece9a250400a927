"""One table of 10 million files, made by SQL: the catalog database chooses the files of a plan."""

from __future__ import annotations

import shutil
import sqlite3
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from bench import data, heap, planning, synthetic
from support.lakes import CatalogKind, Lake, describe
from support.postgres import PostgresServer

FILES = 10_000_000
_KEYS = 10_000
_KINDS: tuple[CatalogKind, ...] = ("postgres", "sqlite")
_RUNS = 3

_INDEXES = (
    "ducklake_data_file (table_id)",
    "ducklake_delete_file (table_id)",
    "ducklake_file_column_stats (table_id, column_id)",
    "ducklake_file_partition_value (table_id)",
)
"""Those that the guide to PostgreSQL names."""


def many_files(scale: float) -> None:
    """`id = x` on a sorted column, a partition key, `count(*)`, LIMIT and all files; 1 GB."""
    files = int(FILES * scale)
    with PostgresServer({"shared_buffers": "512MB"}) as server:
        for kind in _KINDS:
            spark = planning.session({"lake": _made(kind, server, files)})
            print(f"\n### {kind}, {files} files, driver memory 1 GB\n")
            print("| what | s | MB at most |\n|---|---:|---:|", flush=True)
            _measure(spark, files)
            spark.stop()


def _measure(spark: SparkSession, files: int) -> None:
    def planned(condition: str) -> Callable[[], object]:
        query = f"SELECT * FROM lake.points WHERE {condition}"
        return lambda: planning.tasks_of(spark.sql(query)._jdf.queryExecution())

    rows = files * synthetic.ROWS_PER_FILE
    ids = [f"id = {run * 7919 * 1000 % rows + 5}" for run in range(_RUNS + 1)]
    keys = [f"c04 = {run * 37 % _KEYS}" for run in range(_RUNS + 1)]
    count = spark.sql("SELECT count(*) FROM lake.points").collect
    some = spark.sql("SELECT id FROM lake.points LIMIT 10")._jdf.queryExecution
    for what, actions in {
        "first plan of `id = x`": [planned(ids[0])],
        "warm plan of `id = x`": [planned(condition) for condition in ids[1:]],
        "first plan of a partition key": [planned(keys[0])],
        "warm plan of a partition key": [planned(condition) for condition in keys[1:]],
        "first `count(*)`": [count],
        "warm `count(*)`": [count] * _RUNS,
        "plan of `LIMIT 10`": [lambda: planning.tasks_of(some())],
        "all files, refused": [lambda: _refused(spark)],
    }.items():
        times = []
        with heap.peak(spark) as used:
            for action in actions:
                start = time.perf_counter()
                action()
                times.append(time.perf_counter() - start)
        most = used.bytes / heap.MEGABYTE
        print(f"| {what} | {statistics.median(times):.2f} | {most:.0f} |", flush=True)


def _refused(spark: SparkSession) -> None:
    try:
        spark.sql("SELECT sum(id) FROM lake.points").collect()
    except PySparkException as error:
        assert error.getCondition() == "DUCKLAKE_TOO_MANY_FILES", error
        return
    raise AssertionError("so many files were planned")


def _made(kind: CatalogKind, server: PostgresServer, files: int) -> Lake:
    home = data.ROOT / "many" / f"{kind}-{files}"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    database = server.create_database() if kind == "postgres" else ""
    lake = describe(kind, home, database, server)
    indexes = ";".join(
        f"CREATE INDEX many_{number} ON {columns}" for number, columns in enumerate(_INDEXES)
    )
    if kind == "postgres":
        address = server.keywords(database)
        synthetic.make_postgres(address, files, _fill)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(indexes.encode())
            connection.execute(b"VACUUM ANALYZE")
    else:
        synthetic.make_sqlite(Path(lake.database), files, _fill)
        with sqlite3.connect(lake.database) as database_file:
            database_file.executescript(indexes)
    return lake


def _fill(files: int, execute: synthetic.Execute) -> None:
    """Three columns have statistics: the sorted one, the key of the partitions, and one more."""
    synthetic.generate(
        files,
        execute,
        (
            (1, "n * 1000", "n * 1000 + 999"),
            (2, "n % 977", "n % 977 + 5000"),
            (5, f"n % {_KEYS}", f"n % {_KEYS}"),
        ),
    )
    synthetic.add_partitions(_KEYS, execute)
