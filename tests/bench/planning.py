"""The planning measures: one file out of many, and one table out of many."""

from __future__ import annotations

import os
import shutil
import statistics
import time
from pathlib import Path
from typing import Any

import duckdb
from pyspark.sql import SparkSession

from bench import contest, data, synthetic
from support.lakes import EXTENSION_CLASS, Lake, describe
from support.peer import Peer
from support.postgres import PostgresServer

_WARM_UPS = 5
_WARM_RUNS = 15


def session(lakes: dict[str, Lake]) -> SparkSession:
    """A session with 1 GB of memory for the driver."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", os.environ["DUCKLAKE_JAR"])
        .config("spark.driver.memory", "1g")
        .config("spark.sql.extensions", EXTENSION_CLASS)
        .config("spark.ui.enabled", "false")
    )
    for name, lake in lakes.items():
        for key, value in lake.spark_settings(name).items():
            builder = builder.config(key, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def _tasks(spark: SparkSession, query: str) -> int:
    return tasks_of(spark.sql(query)._jdf.queryExecution())


def tasks_of(query: Any) -> int:  # noqa: ANN401
    """Plans a query's execution down to its tasks, and says how many there are."""
    plans: list[Any] = [query.executedPlan()]
    count = 0
    while plans:
        plan = plans.pop()
        if plan.getClass().getSimpleName() == "BatchScanExec":
            count += plan.inputPartitions().size()
        children = plan.children().iterator()
        while children.hasNext():
            plans.append(children.next())
    return count


def millis_to_plan(spark: SparkSession, query: str) -> float:
    """The time to plan a query down to its only task."""
    start = time.perf_counter()
    count = _tasks(spark, query)
    assert count == 1, f"{count} tasks"
    return (time.perf_counter() - start) * 1000


def _points(spark: SparkSession, name: str, files: int) -> tuple[float, float]:
    """Cold and warm planning of one id, in milliseconds."""
    rows = files * synthetic.ROWS_PER_FILE
    queries = [
        f"SELECT * FROM {name}.points WHERE id = {(run * 7919 * 1000 + 5) % rows}"
        for run in range(_WARM_RUNS + 1)
    ]
    times = [millis_to_plan(spark, query) for query in queries]
    return times[0], statistics.median(times[1:])


def planning(scale: float) -> None:
    """`id = x` on 1 000, 100 000 and 1 000 000 files, in one session after a small lake."""
    counts = [int(count * scale) for count in (1_000, 100_000, 1_000_000)]
    folder = data.ROOT / "planning"
    folder.mkdir(parents=True, exist_ok=True)
    with PostgresServer() as server:
        lakes: dict[str, Lake] = {}
        for count in (10, *counts):
            lakes[f"sqlite_{count}"] = sqlite_lake(folder / str(count), count)
            lakes[f"postgres_{count}"] = postgres_lake(folder, server, count)
        spark = session(lakes)
        print("\n### planning `id = x`, ms\n")
        print("| files | database | cold | warm |\n|---:|---|---:|---:|")
        for kind in ("sqlite", "postgres"):
            for _ in range(_WARM_UPS):
                _points(spark, f"{kind}_10", 10)
            for count in counts:
                cold, warm = _points(spark, f"{kind}_{count}", count)
                print(f"| {count} | {kind} | {cold:.0f} | {warm:.0f} |")
        spark.stop()


def first_plan(scale: float) -> None:
    """`id = x` on 100 000 files as the first query of a JVM, which loads classes too."""
    count = int(100_000 * scale)
    folder = data.ROOT / "planning"
    folder.mkdir(parents=True, exist_ok=True)
    spark = session({"lake": sqlite_lake(folder / str(count), count)})
    seconds = millis_to_plan(spark, "SELECT * FROM lake.points WHERE id = 5") / 1000
    print(f"\n### the first plan of a JVM, {count} files: {seconds:.2f} s")
    spark.stop()
    contest.judge("seconds of the first plan", seconds, 1)


def first_plan_of_parquet(scale: float) -> None:
    """`id = x` on one Parquet file as the first query of a JVM: what Spark needs by itself."""
    file = data.ROOT / "first_plan.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"COPY (SELECT i AS id FROM range(100) r(i)) TO '{file}' (FORMAT parquet)")
    spark = session({})
    start = time.perf_counter()
    spark.sql(f"SELECT * FROM parquet.`{file}` WHERE id = 5")._jdf.queryExecution().executedPlan()
    print(f"\n### the first plan of a JVM, bare Parquet: {time.perf_counter() - start:.2f} s")
    spark.stop()


def sqlite_lake(folder: Path, count: int, fill: synthetic.Fill = synthetic.generate) -> Lake:
    """A lake on SQLite with a table of so many files; it is made once."""
    lake = describe("sqlite", folder, "", None)  # type: ignore[arg-type]
    if not folder.exists():
        folder.mkdir()
        synthetic.make_sqlite(Path(lake.database), count, fill)
    return lake


def postgres_lake(
    folder: Path, server: PostgresServer, count: int, fill: synthetic.Fill = synthetic.generate
) -> Lake:
    """A lake on PostgreSQL with a table of so many files."""
    database = server.create_database()
    synthetic.make_postgres(server.keywords(database), count, fill)
    return describe("postgres", folder / "postgres", database, server)


def aggregates(scale: float) -> None:
    """`count, min, max` of 100 000 files from the catalog: the first time, and then again."""
    count = int(100_000 * scale)
    folder = data.ROOT / "planning"
    folder.mkdir(parents=True, exist_ok=True)
    query = "SELECT count(*), count(c04), min(id), max(id), min(c12), max(c12) FROM {}.points"
    last = count * synthetic.ROWS_PER_FILE - 1
    with PostgresServer() as server:
        lakes = {
            "sqlite": sqlite_lake(folder / str(count), count),
            "postgres": postgres_lake(folder, server, count),
            "small": sqlite_lake(folder / "10", 10),
        }
        spark = session(lakes)
        for _ in range(_WARM_UPS):
            spark.sql(query.format("small")).collect()
        print(
            f"\n### aggregates of {count} files, ms\n\n| database | cold | warm |\n|---|---:|---:|"
        )
        for kind in ("sqlite", "postgres"):
            times = []
            for _ in range(_WARM_RUNS + 1):
                start = time.perf_counter()
                (row,) = spark.sql(query.format(kind)).collect()
                times.append((time.perf_counter() - start) * 1000)
                assert (row[0], row[2], row[3]) == (last + 1, 0, last)
            print(f"| {kind} | {times[0]:.0f} | {statistics.median(times[1:]):.0f} |")
        spark.stop()


def keyed(scale: float) -> None:
    """A scan whose tasks are grouped by partition: 100 000 files of 10 000 keys."""
    count, keys = int(100_000 * scale), int(10_000 * scale)
    folder = data.ROOT / f"keyed-{count}"
    lake = describe("sqlite", folder, "", None)  # type: ignore[arg-type]

    def fill(files: int, execute: synthetic.Execute) -> None:
        synthetic.generate(files, execute)
        synthetic.add_partitions(keys, execute)

    if not folder.exists():
        folder.mkdir(parents=True)
        synthetic.make_sqlite(Path(lake.database), count, fill)
    spark = session({"keyed": lake})
    spark.conf.set("spark.sql.sources.v2.bucketing.enabled", "true")
    print(f"\n### planning {count} files of {keys} keys\n\n| run | s | tasks |\n|---|---:|---:|")
    for run in ("first", "second", "third"):
        start = time.perf_counter()
        tasks = _tasks(spark, "SELECT c04 FROM keyed.main.points")
        print(f"| {run} | {time.perf_counter() - start:.2f} | {tasks} |")
    spark.stop()


def tables(scale: float) -> None:
    """Opening one of 10 000 tables: the first in a session, and others after it."""
    count = int(10_000 * scale)

    def fill(peer: Peer) -> None:
        peer.run("BEGIN")
        for number in range(count):
            peer.run(f"CREATE TABLE t{number} (id BIGINT, name VARCHAR, score DOUBLE)")
        peer.run("COMMIT")

    many = data.lake(f"tables-{count}", fill)
    shutil.rmtree(data.ROOT / "one-table", ignore_errors=True)
    few = data.lake("one-table", lambda peer: peer.run("CREATE TABLE t0 (id BIGINT)"))
    spark = session({"many": many, "few": few})
    _opened(spark, "few.t0")
    first = _opened(spark, "many.t0")
    others = [_opened(spark, f"many.t{number}") for number in range(1, 20)]
    print(
        f"\n### one of {count} tables\n\n"
        f"first {first:.0f} ms, others {statistics.median(others):.0f} ms"
    )


def _opened(spark: SparkSession, table: str) -> float:
    start = time.perf_counter()
    assert spark.table(table).columns
    return (time.perf_counter() - start) * 1000
