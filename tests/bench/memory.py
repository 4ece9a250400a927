"""What the driver's memory holds: each bound that is promised, and an error when one is broken.

The session has 1 GB for the driver and its tasks together, so a measure that ends has kept within
it. What is alive is counted after a collection of garbage.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from bench import data, planning
from support.lakes import Lake, describe
from support.peer import Peer

_INLINED_ROWS = 10_000_000
_LISTED_FILES = 100_000
_MOST_BYTES_PER_FILE = 300
MEGABYTE = 1024 * 1024


@dataclass
class Peak:
    """The most memory that was in use, in bytes, garbage included."""

    bytes: int = 0
    seconds: float = 0
    pools: list[object] = field(default_factory=list)


def memory(scale: float) -> None:
    """A scan of 10 M inlined rows, and scans that list 100 000 files."""
    rows, files = int(_INLINED_ROWS * scale), int(_LISTED_FILES * scale)
    inlined = _inlined(data.ROOT / f"inlined-{rows}", rows)
    folder = data.ROOT / "planning"
    folder.mkdir(parents=True, exist_ok=True)
    listed = planning.sqlite_lake(folder / str(files), files)
    spark = planning.session({"inlined": inlined, "listed": listed})
    print("\n### memory of a driver of 1 GB\n\n| measure | seconds | MB at most | tasks |")
    print("|---|---:|---:|---:|")
    _scan(spark, f"{rows} inlined rows", spark.table("inlined.main.t"), rows)
    some = spark.table("inlined.main.t").where(f"id >= {rows - 100}")
    _scan(spark, "100 of them by a filter", some, 100)
    _scan(spark, "100 of them by a limit", spark.table("inlined.main.t").limit(100), 100)
    _listing(spark, files)
    spark.stop()


def _scan(spark: SparkSession, name: str, frame: DataFrame, rows: int) -> None:
    with peak(spark) as used:
        tasks = frame.rdd.getNumPartitions()
        counted = frame.selectExpr("count(id)", "count(name)").first()
    assert counted == (rows, rows), counted
    print(f"| {name} | {used.seconds:.1f} | {used.bytes / MEGABYTE:.0f} | {tasks} |")


def _listing(spark: SparkSession, files: int) -> None:
    """The memory that each of four plans of all files adds, when the shared index is there."""
    query = "SELECT * FROM listed.main.points WHERE c04 >= {}"
    plans = [_planned(spark, query.format(-files * 2 - 1))]
    before = _alive(spark)
    plans += [_planned(spark, query.format(-files * 2 - number)) for number in range(2, 6)]
    each = (_alive(spark) - before) / 4 / files
    print(f"\n{each:.0f} bytes for each of {files} listed files ({len(plans)} plans alive)")
    assert each <= _MOST_BYTES_PER_FILE, f"more than {_MOST_BYTES_PER_FILE} bytes a file"


def _planned(spark: SparkSession, query: str) -> DataFrame:
    """A query whose scan has listed its files."""
    frame = spark.sql(query)
    frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()
    return frame


def _alive(spark: SparkSession) -> int:
    jvm = spark._jvm
    assert jvm is not None
    for _ in range(3):
        jvm.java.lang.System.gc()
        time.sleep(0.5)
    runtime = jvm.java.lang.Runtime.getRuntime()
    return int(runtime.totalMemory() - runtime.freeMemory())


@contextmanager
def peak(spark: SparkSession) -> Iterator[Peak]:
    """Counts the memory of the heap while the block runs."""
    jvm = spark._jvm
    assert jvm is not None
    heap = jvm.java.lang.management.MemoryType.HEAP
    beans = jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    pools = [pool for pool in beans if pool.getType().equals(heap)]
    for pool in pools:
        pool.resetPeakUsage()
    used, start = Peak(), time.perf_counter()
    yield used
    used.seconds = time.perf_counter() - start
    used.bytes = sum(int(pool.getPeakUsage().getUsed()) for pool in pools)


def _inlined(folder: Path, rows: int) -> Lake:
    """A lake whose table has inlined rows only. DuckDB writes the first, SQL copies it."""
    lake = describe("sqlite", folder, "", None)  # type: ignore[arg-type]
    if folder.exists():
        return lake
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id BIGINT, name VARCHAR, price DOUBLE)")
        peer.run("INSERT INTO t VALUES (0, 'name of row 0', 0.5)")
    with sqlite3.connect(lake.database) as connection:
        (name,) = connection.execute(
            "SELECT table_name FROM ducklake_inlined_data_tables"
        ).fetchone()
        connection.execute(
            f"INSERT INTO {name} SELECT value, begin_snapshot, NULL, value, "
            f"'name of row ' || value, '0.5' FROM {name}, (WITH RECURSIVE numbers(value) AS "
            "(SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < ?) "
            "SELECT value FROM numbers)",
            [rows - 1],
        )
        connection.execute(
            "UPDATE ducklake_table_stats SET record_count = ?, next_row_id = ?", [rows, rows]
        )
    return lake
