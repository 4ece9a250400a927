"""Delta on the same data, in runs of its own: what the figures of other measures stand beside.

DELTA_JARS names the jars of `io.delta:delta-spark_4.2_2.13:4.4.0` and what it depends on.
"""

from __future__ import annotations

import os
import shutil
import statistics
from pathlib import Path

from pyspark.sql import SparkSession

from bench import contest, data, rowlevel
from bench.writing import APPENDS, seconds

_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def new_session() -> SparkSession:
    """A local session on two cores with Delta's jars."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", os.environ["DELTA_JARS"])
        .config("spark.driver.memory", "8g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.databricks.delta.snapshotPartitions", "2")
        .config("spark.sql.extensions", _EXTENSION)
        .config("spark.sql.catalog.spark_catalog", _CATALOG)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def new_folder(name: str) -> Path:
    """A new empty folder."""
    folder = data.ROOT / "delta" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def delta_tpch(scale: float) -> None:
    """The 22 queries by Delta against Parquet."""
    lake = data.tpch(scale)
    spark = new_session()
    bare, theirs = spark.newSession(), spark.newSession()
    folder = new_folder("tpch")
    for table in data.TABLES:
        frame = bare.read.parquet(*data.files(lake, table))
        frame.createOrReplaceTempView(table)
        frame.write.format("delta").save(str(folder / table))
        theirs.read.format("delta").load(str(folder / table)).createOrReplaceTempView(table)
    outcomes = [
        contest.compare(
            name, lambda q=q: bare.sql(q).collect(), lambda q=q: theirs.sql(q).collect()
        )
        for name, q in data.queries().items()
    ]
    contest.show(f"Delta: TPC-H SF {scale:g}", outcomes)


def delta_write(scale: float) -> None:
    """All of lineitem, unpartitioned."""
    spark = new_session()
    rows = spark.read.parquet(*data.files(data.tpch(scale), "lineitem"))
    folder = new_folder("write")
    outcome = contest.compare(
        "write",
        lambda: rows.write.mode("overwrite").parquet(str(folder / "bare")),
        lambda: rows.write.format("delta").mode("overwrite").save(str(folder / "delta")),
    )
    contest.show(f"Delta: writing lineitem, SF {scale:g}", [outcome])


def delta_appends(scale: float) -> None:
    """Single-file appends one after another."""
    del scale
    spark = new_session()
    folder = new_folder("appends")
    rows = spark.sql("SELECT id, 'n' || id AS name, id / 2D AS score FROM range(0, 1000, 1, 1)")
    plain: list[float] = []
    theirs: list[float] = []
    for _ in range(APPENDS):
        bare = rows.write.mode("append")
        plain.append(seconds(lambda bare=bare: bare.parquet(str(folder / "bare"))))
        writer = rows.write.format("delta").mode("append")
        theirs.append(seconds(lambda writer=writer: writer.save(str(folder / "delta"))))
    ratio = statistics.median(mine / base for mine, base in zip(theirs, plain, strict=True))
    print(
        f"\n### Delta: {APPENDS} appends of one file\n\n"
        f"bare {statistics.median(plain):.3f} s, Delta {statistics.median(theirs):.3f} s, "
        f"ratio {ratio:.2f}"
    )


def delta_rowlevel(scale: float) -> None:
    """DELETE, UPDATE and MERGE by Delta with deletion vectors."""
    spark = new_session()
    folder = new_folder("rowlevel")
    rows = spark.read.parquet(*data.files(data.tpch(scale), "lineitem"))
    rows.createOrReplaceTempView("source")
    rows.write.format("delta").option("delta.enableDeletionVectors", "true").save(str(folder))
    rowlevel.measure(spark, f"delta.`{folder}`", f"Delta, SF {scale:g}")
