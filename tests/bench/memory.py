"""What scans hold in a driver of 1 GB: each bound that is promised, an error when it is broken.

The driver runs the tasks too, so a measure that ends has kept within the memory of both.
`changing.py` has the bounds of statements that change many files.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from bench import contest, data, heap, planning, synthetic
from support.lakes import Lake, describe
from support.peer import Peer

_INLINED_ROWS = 10_000_000
_LISTED_FILES = 100_000
_FEW_FILES = 10
_PLANS = 4
_MOST_BYTES_PER_FILE = 300
_LAKES = 4
_INDEXED_FILES = 300_000


def memory_inlined(scale: float) -> None:
    """A scan of 10 M inlined rows, and of their change feed."""
    rows = int(_INLINED_ROWS * scale)
    spark = planning.session({"inlined": inlined(data.ROOT / f"inlined-{rows}", rows)})
    print(f"\n### scans of {rows} inlined rows, a driver of 1 GB\n")
    print("| scan | s | MB at most, garbage included | tasks |\n|---|---:|---:|---:|")
    _scan(spark, "all", spark.table("inlined.main.t"), rows)
    some = spark.table("inlined.main.t").where(f"id >= {rows - 100}")
    _scan(spark, "100 of them by a filter", some, 100)
    feed = spark.read.option("start-snapshot", "1").table("inlined.main.t.changes")
    _scan(spark, "their change feed", feed, rows)
    _scan(spark, "100 of them by a limit", spark.table("inlined.main.t").limit(100), 100)
    spark.stop()


def _scan(spark: SparkSession, name: str, frame: DataFrame, rows: int) -> None:
    with heap.peak(spark) as used:
        tasks = frame.rdd.getNumPartitions()
        counted = frame.selectExpr("count(id)", "count(name)").first()
    assert counted == (rows, rows), counted
    print(f"| {name} | {used.seconds:.1f} | {used.bytes / heap.MEGABYTE:.0f} | {tasks} |")


def memory_plan(scale: float) -> None:
    """What the plan of a scan keeps for each of 100 000 files, when the shared index is there."""
    files = int(_LISTED_FILES * scale)
    lakes = {name: _listed(count) for name, count in (("few", _FEW_FILES), ("many", files))}
    spark = planning.session(lakes)
    few, many = _kept(spark, "few", _FEW_FILES), _kept(spark, "many", files)
    listed, tasks = [
        (large - small) / (files - _FEW_FILES) for small, large in zip(few, many, strict=True)
    ]
    stored = Path(f"{lakes['many'].database}.files") / "main" / "points"
    path = len(str(stored / synthetic.file_name(files - 1)))
    print(
        f"\n### what a plan keeps for each of {files} listed files, bytes\n\n"
        f"listing {listed:.0f}, of which {path} are the text of the path; "
        f"its tasks {tasks:.0f} more"
    )
    spark.stop()
    contest.insist("bytes of a listed file", listed, _MOST_BYTES_PER_FILE)


def _listed(files: int) -> Lake:
    folder = data.ROOT / "planning"
    folder.mkdir(parents=True, exist_ok=True)
    return planning.sqlite_lake(folder / str(files), files)


def _kept(spark: SparkSession, name: str, files: int) -> tuple[float, float]:
    """What a plan of all files keeps: without its tasks, and what these add.

    The first two plans make the index and load classes. What a plan takes beside its files is the
    same for few files and for many, so the caller subtracts it.
    """
    query = f"SELECT * FROM {name}.main.points WHERE c04 >= {{}}"
    plans = [_plan(spark, query.format(-files * 2 - number)) for number in range(_PLANS + 2)]
    for plan in plans[:2]:
        plan.optimizedPlan().stats().sizeInBytes()
        planning.tasks_of(plan)
    steps = [heap.alive(spark)]
    for plan in plans[2:]:
        plan.optimizedPlan().stats().sizeInBytes()
    steps.append(heap.alive(spark))
    assert all(planning.tasks_of(plan) > 0 for plan in plans[2:])
    steps.append(heap.alive(spark))
    return (steps[1] - steps[0]) / _PLANS, (steps[2] - steps[1]) / _PLANS


def _plan(spark: SparkSession, query: str) -> Any:  # noqa: ANN401
    """A query before its files are listed."""
    return spark.sql(query)._jdf.queryExecution()


def memory_indexes(scale: float) -> None:
    """The index of a process, whose bound is one for all lakes: four of 300 000 files each."""
    files = int(_INDEXED_FILES * scale)
    lakes = {"few": _listed(_FEW_FILES), "lake0": _listed(files)}
    lakes |= {f"lake{number}": _copied(lakes["lake0"], number) for number in range(1, _LAKES)}
    spark = planning.session(lakes)
    jvm = spark._jvm
    assert jvm is not None
    bound = min(int(jvm.java.lang.Runtime.getRuntime().maxMemory()) // 4, 512 * heap.MEGABYTE)
    _prune(spark, "few")
    before = heap.alive(spark)
    print(f"\n### the index of a process after plans over lakes of {files} files, MB\n")
    print("| lakes | alive | of the bound |\n|---:|---:|---:|")
    each: list[int] = []
    for number in range(_LAKES):
        _prune(spark, f"lake{number}")
        used = heap.alive(spark) - before
        each.append(used)
        print(f"| {number + 1} | {used / heap.MEGABYTE:.1f} | {used / bound:.2f} |", flush=True)
    spark.stop()
    for number in range(1, _LAKES):
        shutil.rmtree(_copy(number))
    if each[0] * _LAKES <= bound:
        print(
            "\nThe indexes of all lakes are smaller than the bound, so it was not put to the test"
        )
    most = max(each)
    contest.insist(f"{most / heap.MEGABYTE:.0f} MB beside the index's bound", most / bound, 1)


def _copied(lake: Lake, number: int) -> Lake:
    """The same lake at another address, of which the process knows nothing."""
    folder = _copy(number)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    copy = describe("sqlite", folder, "", None)  # type: ignore[arg-type]
    shutil.copyfile(lake.database, copy.database)
    return copy


def _copy(number: int) -> Path:
    return data.ROOT / "planning" / f"copy{number}"


def _prune(spark: SparkSession, name: str) -> None:
    """Plans a query for one file that asks the statistics of all columns."""
    others = " AND ".join(f"c{number:02} IS NOT NULL" for number in range(1, synthetic.COLUMNS))
    frame = spark.sql(f"SELECT * FROM {name}.main.points WHERE id = 5 AND {others}")
    assert planning.tasks_of(frame._jdf.queryExecution()) == 1


def inlined(folder: Path, rows: int) -> Lake:
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
