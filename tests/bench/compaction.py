"""The measures of merges and rewrites, against the bare rewrite of the same rows.

Each run has a table of its own over the same Parquet files, because a merge happens once.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from bench import contest, data
from support.lakes import Lake

WARM_UPS = 1
RUNS = 5

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
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[union-attr]
    hadoop.set("parquet.block.row.count.limit", str(rows))
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    return spark


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
        groups = max(1, round(size / (512 << 20)))
        source.coalesce(groups).write.option("compression", "snappy").parquet(folder)
        sums = spark.read.parquet(folder).selectExpr(*_SUMS.split(", ")).collect()
        shutil.rmtree(folder)
        return sums

    return contest.compare(title, bare, ours, warm_ups=WARM_UPS, runs=RUNS)


def merge_files(scale: float) -> None:
    """Files of about a megabyte, 200 times the scale; then few files with large row groups."""
    many = max(2, int(200 * scale))
    few = max(2, int(12 * scale))
    call = "merge_adjacent_files('{table}')"
    spark = _session("merges", 122880)
    outcomes = [
        _measure(spark, "small", f"{many} small files", scale, many, call),
        _measure(spark, "large", f"{few} files with large row groups", scale, few, call),
    ]
    contest.show(f"merging lineitem, SF {scale:g}", outcomes)


def rewrite_files(scale: float) -> None:
    """Files of which 30 % of the rows are deleted."""
    files = max(2, int(12 * scale))
    outcome = _measure(
        _session("rewrites", 122880),
        "deleted",
        f"{files} files, 30 % deleted",
        scale,
        files,
        "rewrite_data_files('{table}', delete_threshold => 0.1)",
        f"DELETE FROM {{table}} WHERE {_DELETED}",
    )
    contest.show(f"rewriting lineitem, SF {scale:g}", [outcome])
