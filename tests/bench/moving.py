"""The measures of moves: tables of many files, and tables of many versions."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg import types as ice
from pyiceberg.schema import Schema
from pyspark.sql import SparkSession

from bench import contest, data, heap
from bench.planning import session
from support.iceberg import IcebergTable
from support.lakes import Lake, describe
from support.peer import Peer
from support.session import moving_jars

ROWS = 100
MOST_SECONDS = 120
_MOST_LINKS = 30_000
_FORMATS = ("delta", "iceberg")
_COLUMNS = [("id", "long", pa.int64()), ("name", "string", pa.string())]


def _folder(name: str) -> Path:
    folder = data.ROOT / "moving" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _lake(name: str) -> Lake:
    lake = describe("sqlite", _folder(name), "", None)  # type: ignore[arg-type]
    with Peer(lake):
        return lake


class _Files:
    """Names of one Parquet file with field ids."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._first = folder / "first.parquet"
        fields = [
            pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})
            for number, (name, _, kind) in enumerate(_COLUMNS, 1)
        ]
        ids = pa.array(range(ROWS), pa.int64())
        names = pa.array([f"name of row {number}" for number in range(ROWS)])
        pq.write_table(pa.table([ids, names], pa.schema(fields)), self._first)
        self.size = self._first.stat().st_size
        self._links = 0

    def name(self, name: str) -> Path:
        self._links += 1
        target = self.folder / name
        if self._links % _MOST_LINKS == 0:
            shutil.copyfile(self._first, target)
            self._first = target
        else:
            os.link(self._first, target)
        return target


def _log(folder: Path, version: int, actions: list[dict[str, Any]]) -> None:
    log = folder / "_delta_log" / f"{version:020}.json"
    log.write_text("\n".join(map(json.dumps, actions)))
    os.utime(log, (1_000_000_000 + version, 1_000_000_000 + version))


def _begun(folder: Path) -> list[dict[str, Any]]:
    """The first actions of a table of Delta."""
    (folder / "_delta_log").mkdir()
    fields = [
        {"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind, _ in _COLUMNS
    ]
    metadata = {
        "id": "00000000-0000-0000-0000-000000000001",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": [],
        "configuration": {},
    }
    return [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": metadata}]


def _added(files: _Files, name: str) -> dict[str, Any]:
    files.name(name)
    bounds = {"minValues": {"id": 0}, "maxValues": {"id": ROWS - 1}, "nullCount": {"id": 0}}
    added = {"path": name, "partitionValues": {}, "size": files.size, "modificationTime": 0}
    stats = json.dumps({"numRecords": ROWS, **bounds})
    return {"add": {**added, "dataChange": True, "stats": stats}}


def _schema() -> Schema:
    return Schema(
        ice.NestedField(1, "id", ice.LongType(), required=False),
        ice.NestedField(2, "name", ice.StringType(), required=False),
    )


def _iceberg_file(table: IcebergTable, path: Path, size: int) -> Any:  # noqa: ANN401
    builder = table._iceberg.DataFiles.builder(table.table.spec()).withPath(str(path))
    return builder.withFileSizeInBytes(size).withRecordCount(ROWS).build()


def _wide(spark: SparkSession, kind: str, count: int) -> str:
    """A table with so many files; what a move names it by."""
    files = _Files(_folder(f"{kind} files"))
    if kind == "delta":
        added = [_added(files, f"{number}.parquet") for number in range(count)]
        _log(files.folder, 0, _begun(files.folder) + added)
        return str(files.folder)
    table = IcebergTable(spark, _folder("iceberg table") / "t", _schema())
    change = table.table.newFastAppend()
    for number in range(count):
        path = files.name(f"{number}.parquet")
        change.appendFile(_iceberg_file(table, path, files.size))
    change.commit()
    return table.metadata


def _long(spark: SparkSession, kind: str, count: int) -> str:
    """A table with so many versions: most add a file, and every tenth takes one away."""
    files = _Files(_folder(f"{kind} versions"))
    table = None
    made: dict[str | None, Any] = {}
    if kind == "delta":
        _log(files.folder, 0, [*_begun(files.folder), _added(files, "0.parquet")])
    else:
        table = IcebergTable(spark, _folder("iceberg history") / "t", _schema())
    for number in range(1, count):
        gone = f"{number - 5}.parquet" if number % 10 == 9 else None
        if table is None:
            removed = {"path": gone, "deletionTimestamp": 0, "dataChange": True}
            actions = (
                [_added(files, f"{number}.parquet")] if gone is None else [{"remove": removed}]
            )
            _log(files.folder, number, actions)
        elif gone is None:
            path = files.name(f"{number}.parquet")
            file = _iceberg_file(table, path, files.size)
            made[f"{number}.parquet"] = file
            table.table.newFastAppend().appendFile(file).commit()
        else:
            change = table.table.newDelete()
            change.deleteFile(made[gone])
            change.commit()
    return str(files.folder) if table is None else table.metadata


def _moved(lakes: dict[str, Lake]) -> SparkSession:
    jars = os.environ["DUCKLAKE_JAR"]
    extra = moving_jars()
    os.environ["DUCKLAKE_JAR"] = ",".join([jars, *extra])
    return session(lakes)


def moves(scale: float) -> None:
    """100,000 files times the scale of each format, with a driver of 1 GB that runs the tasks."""
    count = max(1, int(100_000 * scale))
    lakes = {kind: _lake(f"{kind} lake") for kind in _FORMATS}
    spark = _moved(lakes)
    print(f"\n### {count} files move\n\n| format | s | heap in use, MB |\n|---|---:|---:|")
    times = {}
    for kind in _FORMATS:
        source = _wide(spark, kind, count)
        with heap.peak(spark) as used:
            spark.sql(f"CALL {kind}.system.migrate_from_{kind}('{source}', 't')").collect()
        times[kind] = used.seconds
        print(f"| {kind} | {used.seconds:.1f} | {used.bytes // heap.MEGABYTE} |", flush=True)
        assert spark.table(f"{kind}.t").count() == count * ROWS
    for kind, seconds in times.items():
        contest.judge(f"{count} files of {kind} move, s", seconds, MOST_SECONDS)


def exports(scale: float) -> None:
    """100,000 files times the scale are shown in each format, and one more file after that."""
    count = max(2, int(100_000 * scale))
    lake = _lake("exported lake")
    spark = _moved({"lake": lake})
    source = _wide(spark, "iceberg", count)
    spark.sql(f"CALL lake.system.migrate_from_iceberg('{source}', 't')").collect()
    print(f"\n### {count} files are shown\n\n| format | call | s | heap in use, MB |")
    print("|---|---|---:|---:|")
    times = {}
    for kind in _FORMATS:
        call = f"CALL lake.system.export_{kind}('t', '{_folder(f'{kind} shown')}')"
        for which in ("first", "next"):
            spark.range(20).selectExpr("id", "'x' AS name").writeTo("lake.t").append()
            with heap.peak(spark) as used:
                spark.sql(call).collect()
            times[f"{kind}, {which} call"] = used.seconds
            megabytes = used.bytes // heap.MEGABYTE
            print(f"| {kind} | {which} | {used.seconds:.1f} | {megabytes} |", flush=True)
    for what, seconds in times.items():
        contest.judge(f"{count} files are shown, {what}, s", seconds, MOST_SECONDS)


def move_histories(scale: float) -> None:
    """1,000 versions times the scale of each format become snapshots."""
    count = max(20, int(1_000 * scale))
    lakes = {kind: _lake(f"{kind} lake") for kind in _FORMATS}
    spark = _moved(lakes)
    print(
        f"\n### {count} versions\n\n| format | dry run, s | s | alive, MB |\n|---|---:|---:|---:|"
    )
    for kind in _FORMATS:
        source = _long(spark, kind, count)
        call = f"CALL {kind}.system.migrate_from_{kind}('{source}', 't', history => true"
        start = time.perf_counter()
        spark.sql(f"{call}, dry_run => true)").collect()
        trial = time.perf_counter() - start
        with heap.most_alive(spark) as used:
            spark.sql(f"{call})").collect()
        alive = used.bytes // heap.MEGABYTE
        print(f"| {kind} | {trial:.1f} | {used.seconds:.1f} | {alive} |", flush=True)
        with Peer(lakes[kind]) as peer:
            assert peer.value("SELECT count(*) FROM ducklake_snapshots('lake')") >= count
