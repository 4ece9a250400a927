"""Epochs of streams that write: their latency, and the files that they leave."""

from __future__ import annotations

import json
import shutil
import statistics
from collections.abc import Callable, Container
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from bench import contest, data, delta
from support.lakes import Lake
from support.peer import Peer

_ROWS = 100
_WARM_UPS, _RUNS = 20, 60
_SERIES = 1_000
_EVERY = 100

Sink = Callable[[DataStreamWriter], DataStreamWriter]
"""Gives a writer its format and its place."""


def epochs(scale: float) -> None:
    """An epoch of a hundred rows into a lake, and into bare Parquet files; medians, in turn."""
    folder = _new("epochs")
    lake = _lake(folder)
    spark = contest.session({"lake": lake})
    base = folder / "bare"
    _compare(
        spark,
        folder,
        scale,
        "bare Parquet files",
        lambda writer: writer.format("parquet").option("path", str(base)),
        {
            "a lake: files": _into("t", data_inlining_row_limit="0"),
            "a lake: inlined rows": _into("t", data_inlining_row_limit="1000"),
            "a lake: upsert, all rows new": _into("u", **{"merge-keys": "id"}),
            "a lake: upsert, all rows known": _into("warm", **{"merge-keys": "id"}),
        },
        known={"a lake: upsert, all rows known"},
    )
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM warm") == _ROWS
        assert peer.value("SELECT count(*) - count(DISTINCT id) FROM u") == 0


def delta_epochs(scale: float) -> None:
    """The same by Delta."""
    folder = delta.new_folder("epochs")
    spark = delta.new_session()
    _compare(
        spark,
        folder,
        scale,
        "bare Parquet files",
        lambda writer: writer.format("parquet").option("path", str(folder / "bare")),
        {"Delta": lambda writer: writer.format("delta").option("path", str(folder / "delta"))},
    )


def stream_files(scale: float) -> None:
    """What a stream of a thousand epochs leaves, alone and with `compact-after-epochs`.

    A stream ends some epochs after the last one that counts, and their rows wait for the next run:
    as inlined rows, or as files in the last row.
    """
    folder = _new("stream_files")
    lake = _lake(folder)
    spark = contest.session({"lake": lake})
    count = max(_EVERY, int(_SERIES * scale))
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", str(2 * count))
    medians = {}
    print(f"\n### {count} epochs of {_ROWS} rows\n")
    print("| stream | files | inlined rows | median ms | mean ms |\n|---|---:|---:|---:|---:|")
    inlined = {"data_inlining_row_limit": "1000"}
    for table, options in (
        ("warm", inlined),
        ("t", inlined),
        ("u", {**inlined, "compact-after-epochs": str(_EVERY)}),
        ("files", {"compact-after-epochs": str(_EVERY)}),
    ):
        epochs_of_it = _EVERY if table == "warm" else count
        times = _times(spark, folder / table, epochs_of_it, _into(table, **options))
        medians[table], mean = statistics.median(times), statistics.fmean(times)
        files, rows = _left(lake, table)
        print(f"| {table}, {options} | {files} | {rows} | {medians[table]:.0f} | {mean:.0f} |")
    spark.sql("CALL lake.system.flush_inlined_data('t')").collect()
    spark.sql("CALL lake.system.merge_adjacent_files('t')").collect()
    contest.judge("files beside those of one merge", _left(lake, "u")[0] / _left(lake, "t")[0], 2)
    contest.judge("median beside a stream without", medians["u"] / medians["t"], 1.1)


def _new(name: str) -> Path:
    folder = data.ROOT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _lake(folder: Path) -> Lake:
    """A lake with empty tables."""
    path = folder / "lake.sqlite"
    lake = Lake("sqlite", f"ducklake:sqlite:{path}", Path(f"{path}.files"), str(path))
    with Peer(lake) as peer:
        for table in ("warm", "t", "u", "files"):
            peer.run(f"CREATE TABLE {table} (id BIGINT, name VARCHAR, n BIGINT)")
    return lake


def _left(lake: Lake, table: str) -> tuple[int, int]:
    with Peer(lake) as peer:
        (files,) = peer.rows(f"SELECT count(*) FROM ducklake_list_files('lake', '{table}')")[0]
        (every,) = peer.rows(f"SELECT count(*) FROM {table}")[0]
        in_files = peer.rows(
            "SELECT coalesce(sum(record_count), 0) "
            "FROM __ducklake_metadata_lake.ducklake_data_file "
            "JOIN __ducklake_metadata_lake.ducklake_table USING (table_id) "
            f"WHERE table_name = '{table}' AND ducklake_data_file.end_snapshot IS NULL"
        )[0][0]
    return files, every - int(in_files)


def _into(table: str, **options: str) -> Sink:
    return lambda writer: (
        writer.format("ducklake").options(**options).option("path", f"lake.main.{table}")
    )


def _source(spark: SparkSession, id: str = "value") -> DataFrame:
    """A hundred rows in each epoch, without files that are read; with new ids, or with others."""
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", _ROWS)
    return (
        rows.option("numPartitions", 1)
        .load()
        .selectExpr(f"{id} AS id", "concat('name', value) AS name", "value % 7 AS n")
    )


def _times(
    spark: SparkSession, checkpoint: Path, count: int, sink: Sink, id: str = "value"
) -> list[float]:
    """Milliseconds of each of the next epochs of a stream."""
    writer = _source(spark, id).writeStream.option("checkpointLocation", str(checkpoint))
    query = sink(writer).trigger(processingTime="0 seconds").start()
    seen: dict[int, float] = {}
    while len(seen) < count:
        query.awaitTermination(1)
        if (failure := query.exception()) is not None:
            raise failure
        for text in (one.json for one in query.recentProgress):
            progress = json.loads(text)
            if progress["numInputRows"] > 0:
                seen[progress["batchId"]] = progress["durationMs"]["triggerExecution"]
        seen = dict(sorted(seen.items())[:count])
    query.stop()
    return list(seen.values())


def _compare(
    spark: SparkSession,
    folder: Path,
    scale: float,
    name: str,
    base: Sink,
    others: dict[str, Sink],
    known: Container[str] = (),
) -> None:
    """Each contender warmed up, then all in turn, twice; the medians of all their epochs.

    Args:
        spark: the session.
        folder: for checkpoints.
        scale: of the numbers of epochs.
        name: of the base.
        base: what the others are compared with.
        others: by name.
        known: those whose epochs have the same ids again and again.
    """
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", "10000")
    contenders = {name: base, **others}
    times: dict[str, list[float]] = {each: [] for each in contenders}
    warm_ups, runs = (max(10, int(count * scale)) for count in (_WARM_UPS, _RUNS))
    for part in range(2):
        for number, (each, sink) in enumerate(contenders.items()):
            place = folder / f"checkpoint-{number}-{part}"
            id = f"value % {_ROWS}" if each in known else "value"
            times[each] += _times(spark, place, warm_ups + runs, sink, id)[warm_ups:]
    medians = {each: statistics.median(found) for each, found in times.items()}
    print(f"\n### an epoch of {_ROWS} rows\n\n| into | median ms | ratio |\n|---|---:|---:|")
    for each, median in medians.items():
        print(f"| {each} | {median:.0f} | {median / medians[name]:.2f} |")
    for each in others:
        contest.judge(each, medians[each] / medians[name], 1.3)
