"""What a commit costs when a lake has grown: the 10 000th beside the 10th, and many columns."""

from __future__ import annotations

import shutil
import sqlite3
import statistics
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from bench import contest, data, synthetic
from bench.writing import commit_times, log_commits, stderr_kept
from support.lakes import Lake
from support.peer import Peer
from support.postgres import PostgresServer

_FEW, _MANY, _MANY_WIDE = 10, 10_000, 1_000
_COLUMNS = 2_000
_WARM_UPS, _RUNS = 10, 31


def growth(scale: float) -> None:
    """Appends of one file to tables with few files and snapshots, and with many."""
    del scale
    folder = data.ROOT / "growth"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with PostgresServer() as server, stderr_kept() as answer:
        lakes = {f"sqlite_{files}": _on_sqlite(folder, files) for files in (_FEW, _MANY)}
        lakes |= {
            f"postgres_{files}": _on_postgres(folder, server, files) for files in (_FEW, _MANY)
        }
        lakes |= {f"wide_{files}": _wide(folder, files) for files in (_FEW, _MANY_WIDE)}
        spark = contest.session(lakes)
        log_commits(spark)
        print("\n### an append to a lake that has grown\n")
        print("| catalog and files | ms in the catalog |\n|---|---:|")
        for name in lakes:
            table = f"{name}.main.{'wide' if name.startswith('wide') else 'points'}"
            before = len(commit_times(answer()))
            rows = _rows(spark, table)
            for _ in range(_WARM_UPS + _RUNS):
                rows.writeTo(table).append()
            times = commit_times(answer())[before + _WARM_UPS :]
            assert len(times) == _RUNS
            print(f"| {name} | {statistics.median(times) / 1000:.1f} |")


def _rows(spark: SparkSession, table: str) -> DataFrame:
    """Rows for one file, too many for the catalog; their first column alone has values."""
    first, *others = spark.table(table).schema.fields
    nulls = [f"CAST(NULL AS {each.dataType.simpleString()}) AS {each.name}" for each in others]
    return spark.range(0, 20, 1, 1).selectExpr(f"id AS {first.name}", *nulls)


def _grown(files: int, execute: synthetic.Execute) -> None:
    synthetic.generate(files, execute)
    synthetic.add_statistics(execute)
    synthetic.add_history(files, execute)


def _on_sqlite(folder: Path, files: int) -> Lake:
    path = folder / f"points-{files}.sqlite"
    synthetic.make_sqlite(path, files, _grown)
    return Lake("sqlite", f"ducklake:sqlite:{path}", Path(f"{path}.files"), str(path))


def _on_postgres(folder: Path, server: PostgresServer, files: int) -> Lake:
    database = server.create_database()
    address = server.keywords(database)
    synthetic.make_postgres(address, files, _grown)
    return Lake("postgres", f"ducklake:postgres:{address}", folder, database)


def _wide(folder: Path, files: int) -> Lake:
    """A table of many columns on SQLite: the rows of one file, repeated for the others."""
    path = folder / f"wide-{files}.sqlite"
    lake = Lake("sqlite", f"ducklake:sqlite:{path}", Path(f"{path}.files"), str(path))
    columns = ", ".join(f"c{number} BIGINT" for number in range(_COLUMNS))
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(f"CREATE TABLE wide ({columns})", "INSERT INTO wide (c0) VALUES (1)")
    with sqlite3.connect(path) as connection:
        for table in ("ducklake_data_file", "ducklake_file_column_stats"):
            rows = connection.execute(f"SELECT * FROM {table}").fetchall()
            values = ", ".join("?" * len(rows[0]))
            connection.executemany(
                f"INSERT INTO {table} VALUES ({values})",
                ((number, *row[1:]) for number in range(1, files) for row in rows),
            )
        connection.execute("UPDATE ducklake_snapshot SET next_file_id = ?", [files])
    return lake
