"""Streams that read: the start over many files, and a wide table of which a query needs little."""

from __future__ import annotations

import contextlib
import shutil
import statistics
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from bench import contest, data, heap, planning, synthetic
from support.lakes import Lake, describe
from support.logs import logged
from support.peer import Peer
from support.postgres import PostgresServer

_FILES = 100_000
_BATCHES = 10
_FIRST_BATCHES = 20
_COLUMNS = 50
_PARTITIONS = 50
_WIDE_ROWS = 1_000_000


def stream_start(scale: float) -> None:
    """Plans all batches of a stream that starts over a table of 100 000 files, which are not there.

    No file is read: each batch is planned down to its tasks.
    """
    files = int(_FILES * scale)
    folder = data.ROOT / "stream_start"
    folder.mkdir(parents=True, exist_ok=True)
    spark = planning.session({"many": planning.sqlite_lake(folder / str(files), files)})
    print(f"\n### a stream over {files} files, a driver of 1 GB\n")
    print("| limit | batches | first batch s | each later s, median | all s | MB at most |")
    print("|---|---:|---:|---:|---:|---:|")
    for limit in (max(files // _BATCHES, 1), None):
        _start(spark, folder / f"checkpoint-{limit}", limit)
    spark.stop()


def _start(spark: SparkSession, checkpoint: Path, limit: int | None) -> None:
    shutil.rmtree(checkpoint, ignore_errors=True)
    reader = spark.readStream
    if limit is not None:
        reader = reader.option("max-files-per-trigger", limit)
    times = [time.perf_counter()]

    def plan(batch: DataFrame, _: int) -> None:
        rdd: Any = batch._jdf.queryExecution().toRdd()
        assert rdd.getNumPartitions() > 0
        times.append(time.perf_counter())

    writer = reader.table("many.main.points").writeStream.foreachBatch(plan)
    writer = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
    with heap.peak(spark) as used:
        writer.start().awaitTermination()
    each = [end - begin for begin, end in pairwise(times)]
    later = f"{statistics.median(each[1:]):.2f}" if each[1:] else "–"
    name = "none" if limit is None else f"{limit} files"
    print(
        f"| {name} | {len(each)} | {each[0]:.1f} | {later} | {used.seconds:.1f} | "
        f"{used.bytes / heap.MEGABYTE:.0f} |",
        flush=True,
    )


def stream_batches(scale: float) -> None:
    """The first batches of ten files each of a stream that starts over 1 000 and 100 000 files.

    The files are not there, and not read. The table of half of the lakes was made by one snapshot,
    of the others by one snapshot for each file.
    """
    print("\n### batches of 10 files\n")
    print("| files | snapshots | database | first batch ms | each later ms | statements |")
    print("|---:|---|---|---:|---:|---:|")
    folder = data.ROOT / "stream_batches"
    folder.mkdir(parents=True, exist_ok=True)
    with PostgresServer() as server:
        lakes: dict[str, Lake] = {}
        for count in (300, *(int(count * scale) for count in (1_000, 100_000))):
            for fill in (synthetic.generate, synthetic.generate_snapshots):
                name = f"{count}_{fill.__name__}"
                lakes[f"sqlite_{name}"] = planning.sqlite_lake(folder / name, count, fill)
                lakes[f"postgres_{name}"] = planning.postgres_lake(folder, server, count, fill)
        spark = planning.session(lakes)
        for name in lakes:
            kind, count, snapshots = name.split("_", 2)
            times, statements = _batches(spark, folder, name)
            each = statistics.median(times[1:]) * 1000
            print(
                f"| {count} | {'one' if snapshots == 'generate' else 'many'} | {kind} | "
                f"{times[0] * 1000:.0f} | {each:.0f} | {statements:.1f} |",
                flush=True,
            )
        spark.stop()


def _batches(spark: SparkSession, folder: Path, lake: str) -> tuple[list[float], float]:
    """The seconds of each of the first batches, and the statements of a batch in the mean."""
    checkpoint = folder / "checkpoint"
    shutil.rmtree(checkpoint, ignore_errors=True)
    times: list[float] = [time.perf_counter()]

    def plan(batch: DataFrame, _: int) -> None:
        rdd: Any = batch._jdf.queryExecution().toRdd()
        assert rdd.getNumPartitions() > 0
        times.append(time.perf_counter())
        if len(times) > _FIRST_BATCHES:
            raise StopIteration

    reader = spark.readStream.option("max-files-per-trigger", 10).option("register-reader", "false")
    writer = reader.table(f"{lake}.main.points").writeStream.foreachBatch(plan)
    writer = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
    with logged(spark, "ducklake.catalog.jdbc.Session", "DEBUG") as log:
        with contextlib.suppress(StreamingQueryException):
            writer.start().awaitTermination()
        statements = str(log).count(" ms: ")
    each = [end - begin for begin, end in pairwise(times)]
    return each, statements / len(each)


def stream_columns(scale: float) -> None:
    """A stream that needs 2 of 50 columns, against the same stream that needs all of them."""
    rows = int(_WIDE_ROWS * scale)
    folder = data.ROOT / "stream_columns"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lake = describe("sqlite", folder, "", None)  # type: ignore[arg-type]
    columns = ", ".join(f"hash(i * {n + 1}) AS c{n:02}" for n in range(_COLUMNS))
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE wide AS SELECT {columns} FROM range({rows}) r(i)")
    spark = contest.session({"wide": lake})
    names = [f"c{n:02}" for n in range(_COLUMNS)]
    outcome = contest.compare(
        "2 of 50 columns, against all",
        lambda: _read(spark, folder, names),
        lambda: _read(spark, folder, names[:2]),
        warm_ups=1,
        runs=3,
    )
    contest.show(f"a stream of {rows} rows of {_COLUMNS} columns", [outcome])
    spark.stop()


def stream_filters(scale: float) -> None:
    """A stream that needs one of 50 partitions, against one that reads all for the same rows."""
    rows = int(_WIDE_ROWS * scale)
    folder = data.ROOT / "stream_filters"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lake = describe("sqlite", folder, "", None)  # type: ignore[arg-type]
    columns = ", ".join(f"hash(i * {n + 1}) AS c{n:02}" for n in range(10))
    with Peer(lake) as peer:
        peer.run(
            f"CREATE TABLE wide AS SELECT 0 AS part, {columns} FROM range(0) r(i)",
            "ALTER TABLE wide SET PARTITIONED BY (part)",
            f"INSERT INTO wide SELECT i % {_PARTITIONS}, {columns} FROM range({rows}) r(i)",
        )
    spark = contest.session({"wide": lake})
    outcome = contest.compare(
        f"1 of {_PARTITIONS} partitions, against all",
        lambda: _read(spark, folder, ["*"], "abs(part) = 7"),
        lambda: _read(spark, folder, ["*"], "part = 7"),
        warm_ups=1,
        runs=3,
    )
    contest.show(f"a stream of {rows} rows in {_PARTITIONS} partitions", [outcome])
    spark.stop()


def _read(spark: SparkSession, folder: Path, columns: list[str], condition: str = "true") -> None:
    """Reads a table from its start into nowhere."""
    shutil.rmtree(folder / "checkpoint", ignore_errors=True)
    rows = spark.readStream.table("wide.main.wide").where(condition).select(columns)
    writer = rows.writeStream.format("noop")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()
