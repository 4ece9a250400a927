"""The measures of `expire_snapshots` and `cleanup_old_files`, and of Delta's VACUUM beside them."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from pyspark.sql import SparkSession

from bench import data, delta, heap, planning, synthetic
from support.lakes import CatalogKind, Lake, describe
from support.postgres import PostgresServer

COUNT = 100_000
_KINDS: tuple[CatalogKind, ...] = ("sqlite", "postgres")
_CONTENT = b"PAR1" * 256
"""A file that ends and is never read."""

_MONTH = 30 * 24 * 3600
"""How old Delta's files are, in seconds: VACUUM leaves what is younger than a week."""


def expire(scale: float) -> None:
    """100 000 snapshots, of which each replaced the one file of its table, and those files."""
    count = max(2, int(COUNT * scale))
    with PostgresServer() as server:
        lakes = {kind: _overwritten(kind, server, count) for kind in _KINDS}
        spark = planning.session({kind: lake for kind, (lake, _) in lakes.items()})
        print(f"\n### {count} snapshots and files, driver memory 1 GB\n")
        print("| catalog | call | rows | s | MB at most |\n|---|---|---:|---:|---:|")
        for kind, (_, folder) in lakes.items():
            past = f"CALL {kind}.system.expire_snapshots(older_than => now())"
            files = f"CALL {kind}.system.cleanup_old_files(cleanup_all => true)"
            assert _show(spark, kind, past) == min(count + 1, 10_000)
            assert _show(spark, kind, files) == count - 1
            assert [file.name for file in folder.iterdir()] == [synthetic.file_name(count - 1)]
            assert spark.table(f"{kind}.points").count() == synthetic.ROWS_PER_FILE
        spark.stop()


def delta_vacuum(scale: float) -> None:
    """VACUUM of 100 000 files that a table of Delta does not need."""
    count = max(1, int(COUNT * scale))
    spark = delta.new_session()
    folder = delta.new_folder("vacuum")
    spark.range(1).write.format("delta").save(str(folder))
    past = time.time() - _MONTH
    for number in range(count):
        file = folder / f"old-{number}.parquet"
        file.write_bytes(_CONTENT)
        os.utime(file, (past, past))
    print(f"\n### Delta: VACUUM of {count} files\n\n| call | rows | s | MB at most |")
    print("|---|---:|---:|---:|")
    _show(spark, "delta", f"VACUUM delta.`{folder}`")
    assert not list(folder.glob("old-*"))


def _show(spark: SparkSession, name: str, call: str) -> int:
    with heap.peak(spark) as used:
        rows = spark.sql(call).count()
    what = call.split("(")[0].split(".")[-1] if "(" in call else call.split()[0]
    megabytes = used.bytes / heap.MEGABYTE
    print(f"| {name} | {what} | {rows} | {used.seconds:.1f} | {megabytes:.0f} |", flush=True)
    return rows


def _overwritten(kind: CatalogKind, server: PostgresServer, count: int) -> tuple[Lake, Path]:
    """A lake with so many snapshots, each of which replaced the file before; the table's folder."""
    home = data.ROOT / "expire" / kind
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    database = server.create_database() if kind == "postgres" else ""
    lake = describe(kind, home, database, server)
    if kind == "postgres":
        synthetic.make_postgres(server.keywords(database), count, _history)
        stored = synthetic.POSTGRES_DATA
        shutil.rmtree(stored, ignore_errors=True)
    else:
        synthetic.make_sqlite(Path(lake.database), count, _history)
        stored = Path(f"{lake.database}.files")
    folder = stored / "main" / "points"
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / synthetic.file_name(number)).write_bytes(_CONTENT)
    return lake, folder


def _history(files: int, execute: synthetic.Execute) -> None:
    synthetic.generate(files, execute)
    head = "(SELECT MAX(snapshot_id) FROM ducklake_snapshot)"
    execute(f"UPDATE ducklake_data_file SET begin_snapshot = {head} + 1 + data_file_id")
    execute(
        "UPDATE ducklake_data_file SET end_snapshot = begin_snapshot + 1 "
        f"WHERE data_file_id < {files - 1}"
    )
    synthetic.add_history(files, execute)
