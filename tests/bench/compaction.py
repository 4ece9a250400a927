"""The measures of merges and rewrites, against the bare rewrite of the same rows.

Each run has a table of its own over the same Parquet files, because a merge happens once.
"""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from bench import contest, data, delta
from support.lakes import Lake

WARM_UPS = 1
RUNS = 5
ROW_GROUP = 122880
TARGET = 512 << 20
"""The size of new files, which is the default of a lake."""

_DELETED = "pmod(hash(l_orderkey, l_linenumber), 100) < 30"
_SUMS = "count(*) AS n, sum(l_quantity) AS q, sum(l_orderkey) AS k, max(l_comment) AS c"


def _session(name: str, rows: int) -> SparkSession:
    """A session with an empty lake `out`, whose files have row groups of so many rows."""
    folder = data.ROOT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    database = str(folder / "lake.sqlite")
    lake = Lake("sqlite", f"ducklake:sqlite:{database}", folder / "data", database)
    spark = contest.session({"out": lake})
    _write_groups_of(spark, rows)
    return spark


def _write_groups_of(spark: SparkSession, rows: int) -> None:
    """Bare Parquet files get row groups of so many rows."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[union-attr]
    hadoop.set("parquet.block.row.count.limit", str(rows))
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")


def _sources(spark: SparkSession, name: str, scale: float, files: int) -> str:
    """Lineitem in so many Parquet files, as bare Spark writes them; a view `source` of them."""
    path = str(data.ROOT / name / "source")
    rows = spark.read.parquet(*data.files(data.tpch(scale), "lineitem"))
    rows.repartition(files).write.mode("overwrite").parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("source")
    return path


def _tables(spark: SparkSession, name: str, path: str, *then: str) -> Iterator[str]:
    """Tables over the files at the path, one for each run, changed by the statements."""
    runs = WARM_UPS + RUNS
    for number in range(runs):
        table = f"{name}{number}"
        spark.sql(f"CREATE TABLE out.main.{table} AS SELECT * FROM source WHERE false").collect()
        own = _linked(path, table)
        spark.sql(f"CALL out.system.add_data_files('{table}', '{own}')").collect()
        for statement in then:
            spark.sql(statement.format(table=f"out.main.{table}")).collect()
    return iter([f"{name}{number}" for number in range(runs)])


def _linked(path: str, table: str) -> Path:
    """A folder with the same files under other paths: a lake takes a path once."""
    folder = Path(path).parent / table
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file in Path(path).glob("*.parquet"):
        os.link(file, folder / file.name)
    return folder


def _measure(
    spark: SparkSession, name: str, title: str, scale: float, files: int, call: str, *then: str
) -> contest.Outcome:
    path = _sources(spark, name, scale, files)
    tables = _tables(spark, name, path, *then)
    folders = count()

    def ours() -> list[Any]:
        table = next(tables)
        done = spark.sql(f"CALL out.system.{call.format(table=table)}").collect()
        assert sum(row.files_processed for row in done) == files, done
        return spark.sql(f"SELECT {_SUMS} FROM out.main.{table}").collect()

    def bare() -> list[Any]:
        folder = str(Path(data.ROOT) / name / f"bare{next(folders)}")
        source = spark.read.parquet(path).where(f"NOT ({_DELETED})" if then else "true")
        size = sum(file.stat().st_size for file in Path(path).glob("*.parquet"))
        groups = max(1, round(size / TARGET))
        source.coalesce(groups).write.option("compression", "snappy").parquet(folder)
        sums = spark.read.parquet(folder).selectExpr(*_SUMS.split(", ")).collect()
        shutil.rmtree(folder)
        return sums

    return contest.compare(title, bare, ours, warm_ups=WARM_UPS, runs=RUNS)


def merge_files(scale: float) -> None:
    """Files of about a megabyte, 200 times the scale; then few files with large row groups."""
    many = _small_files(scale)
    few = max(2, int(12 * scale))
    call = "merge_adjacent_files('{table}')"
    spark = _session("merges", ROW_GROUP)
    outcomes = [
        _measure(spark, "small", f"{many} small files", scale, many, call),
        _measure(spark, "large", f"{few} files with large row groups", scale, few, call),
    ]
    contest.show(f"merging lineitem, SF {scale:g}", outcomes)
    contest.judge("small files merged / bare", outcomes[0].ratio, 1.2)
    contest.judge("large row groups copied / bare", outcomes[1].ratio, 1 / 3)
    _own_seconds(scale).write_text(str(outcomes[0].ours))


def _small_files(scale: float) -> int:
    return max(2, int(200 * scale))


def _own_seconds(scale: float) -> Path:
    """Where `merge_files` leaves the time of its small files for `delta_optimize`."""
    return data.ROOT / f"merges-{scale}.seconds"


def rewrite_files(scale: float) -> None:
    """Files of which 30 % of the rows are deleted."""
    files = max(2, int(12 * scale))
    outcome = _measure(
        _session("rewrites", ROW_GROUP),
        "deleted",
        f"{files} files, 30 % deleted",
        scale,
        files,
        "rewrite_data_files('{table}', delete_threshold => 0.1)",
        f"DELETE FROM {{table}} WHERE {_DELETED}",
    )
    contest.show(f"rewriting lineitem, SF {scale:g}", [outcome])
    contest.judge("files rewritten / bare", outcome.ratio, 1.2)


def delta_optimize(scale: float) -> None:
    """Delta's OPTIMIZE of the small files of `merge_files`, a table of Delta for each run."""
    files = _small_files(scale)
    spark = delta.new_session()
    _write_groups_of(spark, ROW_GROUP)
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", str(TARGET))
    path = _sources(spark, "optimize", scale, files)
    expected = spark.table("source").selectExpr(*_SUMS.split(", ")).collect()
    times = []
    for run in range(WARM_UPS + RUNS):
        table = f"delta.`{_linked(path, f'table{run}')}`"
        spark.sql(f"CONVERT TO DELTA {table.replace('delta', 'parquet', 1)}").collect()
        start = time.perf_counter()
        (done,) = spark.sql(f"OPTIMIZE {table}").collect()
        sums = spark.sql(f"SELECT {_SUMS} FROM {table}").collect()
        times.append(time.perf_counter() - start)
        assert (done.metrics.numFilesRemoved, sums) == (files, expected), (done, sums)
    seconds = statistics.median(times[WARM_UPS:])
    print(f"\n### Delta: OPTIMIZE of {files} small files, SF {scale:g}\n\n{seconds:.3f} s")
    if _own_seconds(scale).exists():
        own = float(_own_seconds(scale).read_text())
        contest.judge("our merge against Delta's OPTIMIZE", own / seconds, 1)
    else:
        print("\nOur time is not known: run merge_files at the same scale first")
