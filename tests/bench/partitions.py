"""Many partitions: all of them written, and many of them replaced, against plain Parquet."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from bench import contest, data
from support.lakes import Lake
from support.peer import Peer

PARTITIONS = 3000
REPLACED = 2000
_ROWS = 300_000
_MODE = "spark.sql.sources.partitionOverwriteMode"

# Each run makes some thousand files.
_WARM_UPS = 1
_RUNS = 5


def _lake() -> Lake:
    """A new lake with an empty table of one key."""
    shutil.rmtree(data.ROOT / "partitions", ignore_errors=True)

    def fill(peer: Peer) -> None:
        peer.run(
            "CREATE TABLE t (id BIGINT, name VARCHAR, score DOUBLE, p INTEGER)",
            "ALTER TABLE t SET PARTITIONED BY (p)",
        )

    return data.lake("partitions", fill)


def _rows(spark: SparkSession, partitions: int, score: str) -> DataFrame:
    """A hundred rows for each partition, in no order of them."""
    return spark.sql(
        f"SELECT id, 'n' || id AS name, {score} AS score, CAST(id % {PARTITIONS} AS INT) AS p"
        f" FROM range({_ROWS}) WHERE id % {PARTITIONS} < {partitions}"
    )


def _bare(rows: DataFrame, folder: Path, mode: str) -> Callable[[], None]:
    """Clusters the rows first, as our own write does."""
    clustered = rows.hint("rebalance", "p").sortWithinPartitions("p")
    writer = clustered.write.mode("overwrite").partitionBy("p")
    writer = writer.option("partitionOverwriteMode", mode)
    return lambda: writer.parquet(str(folder))


def _ours(spark: SparkSession, rows: DataFrame, mode: str) -> Callable[[], None]:
    rows.createOrReplaceTempView(f"source_{mode}")

    def write() -> None:
        spark.conf.set(_MODE, mode)
        spark.sql(f"INSERT OVERWRITE lake.main.t SELECT * FROM source_{mode}")

    return write


def _totals(rows: DataFrame) -> list[tuple[object, ...]]:
    totals = rows.selectExpr("count(*)", "count(DISTINCT p)", "sum(id)", "sum(score)")
    return [tuple(row) for row in totals.collect()]


def partitions(scale: float) -> None:
    """All partitions written, then most of them replaced by a dynamic overwrite."""
    del scale
    spark = contest.session({"lake": _lake()})
    folder = data.ROOT / "partitions" / "bare"
    outcomes = []
    for name, mode, count, score in (
        (f"{PARTITIONS} written", "static", PARTITIONS, "id / 2D"),
        (f"{REPLACED} of them replaced", "dynamic", REPLACED, "id / 4D"),
    ):
        rows = _rows(spark, count, score)
        bare, ours = _bare(rows, folder, mode), _ours(spark, rows, mode)
        outcomes.append(contest.compare(name, bare, ours, warm_ups=_WARM_UPS, runs=_RUNS))
        expected = _totals(spark.read.parquet(str(folder)))
        actual = _totals(spark.table("lake.main.t"))
        assert expected == actual, f"{name}: {expected} is not {actual}"
    contest.show(f"partitions of {_ROWS // PARTITIONS} rows", outcomes)
