"""The write measures: lineitem into a lake against plain Parquet, and many small appends."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from bench import contest, data
from support.lakes import Lake
from support.peer import Peer

_ROW_GROUP_ROWS = 122880
_COMMITTER = "ducklake.catalog.commit.Committer"
APPENDS = 200


def _empty(name: str, *tables: str) -> Lake:
    """A new lake with empty tables."""
    shutil.rmtree(data.ROOT / name, ignore_errors=True)

    def fill(peer: Peer) -> None:
        peer.run(*tables)

    return data.lake(name, fill)


def _lineitem(spark: SparkSession, scale: float) -> DataFrame:
    return spark.read.parquet(*data.files(data.tpch(scale), "lineitem"))


def _session(lake: Lake) -> SparkSession:
    spark = contest.session({"out": lake})
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[union-attr]
    hadoop.set("parquet.block.row.count.limit", str(_ROW_GROUP_ROWS))
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    return spark


def _shape(scale: float) -> str:
    """A statement that makes an empty table of lineitem's columns."""
    with Peer(data.tpch(scale)) as peer:
        columns = peer.rows("DESCRIBE lineitem")
    return f"({', '.join(f'{name} {kind}' for name, kind, *_ in columns)})"


def write(scale: float) -> None:
    """All of lineitem, unpartitioned."""
    lake = _empty(f"write-{scale}", f"CREATE TABLE lineitem {_shape(scale)}")
    spark = _session(lake)
    rows = _lineitem(spark, scale)
    bare = str(data.ROOT / f"write-{scale}" / "bare")
    rows.createOrReplaceTempView("source")
    outcome = contest.compare(
        "write",
        lambda: rows.write.mode("overwrite").option("compression", "snappy").parquet(bare),
        lambda: _none(spark.sql("INSERT OVERWRITE out.main.lineitem SELECT * FROM source")),
    )
    contest.show(f"writing lineitem, SF {scale:g}", [outcome])


def write_partitioned(scale: float) -> None:
    """Lineitem by year and month of the ship date; the bare files are clustered the same way."""
    lake = _empty(
        f"write-partitioned-{scale}",
        f"CREATE TABLE lineitem {_shape(scale)}",
        "ALTER TABLE lineitem SET PARTITIONED BY (year(l_shipdate), month(l_shipdate))",
    )
    spark = _session(lake)
    rows = _lineitem(spark, scale)
    rows.createOrReplaceTempView("source")
    bare = str(data.ROOT / f"write-partitioned-{scale}" / "bare")
    keyed = spark.sql("SELECT *, year(l_shipdate) AS y, month(l_shipdate) AS m FROM source")

    def plain() -> None:
        clustered = keyed.hint("rebalance", "y", "m").sortWithinPartitions("y", "m")
        clustered.write.mode("overwrite").partitionBy("y", "m").parquet(bare)

    outcome = contest.compare(
        "write",
        plain,
        lambda: _none(spark.sql("INSERT OVERWRITE out.main.lineitem SELECT * FROM source")),
    )
    contest.show(f"writing lineitem by year and month, SF {scale:g}", [outcome])


def appends(scale: float) -> None:
    """Single-file appends one after another: the wall time, and the time in the catalog."""
    del scale
    with _stderr_kept() as told:
        lake = _empty("appends", "CREATE TABLE t (id BIGINT, name VARCHAR, score DOUBLE)")
        spark = _session(lake)
        _log_commits(spark)
        rows = spark.sql("SELECT id, 'n' || id AS name, id / 2D AS score FROM range(0, 1000, 1, 1)")
        bare = str(data.ROOT / "appends" / "bare")
        ours: list[float] = []
        plain: list[float] = []
        for _ in range(APPENDS):
            plain.append(seconds(lambda: rows.write.mode("append").parquet(bare)))
            ours.append(seconds(lambda: rows.writeTo("out.main.t").append()))
        assert spark.table("out.main.t").count() == APPENDS * 1000
        commits = [int(ms) for ms in re.findall(r"committed snapshot \d+ in (\d+) us", told())]
    ratio = statistics.median(mine / theirs for mine, theirs in zip(ours, plain, strict=True))
    print(
        f"\n### {APPENDS} appends of one file\n\n"
        f"bare {statistics.median(plain):.3f} s, ours {statistics.median(ours):.3f} s, "
        f"ratio {ratio:.2f}; in the catalog {statistics.median(commits) / 1000:.1f} ms a commit"
    )


def _log_commits(spark: SparkSession) -> None:
    jvm = spark.sparkContext._jvm
    levels = jvm.org.apache.logging.log4j.Level  # type: ignore[union-attr]
    config = jvm.org.apache.logging.log4j.core.config.Configurator  # type: ignore[union-attr]
    config.setLevel(_COMMITTER, levels.INFO)


class _stderr_kept:
    """What this process and its JVM write to stderr, kept in a file meanwhile."""

    def __enter__(self) -> Callable[[], str]:
        self._file = tempfile.NamedTemporaryFile(suffix=".log")
        self._old = os.dup(2)
        os.dup2(self._file.fileno(), 2)
        return lambda: Path(self._file.name).read_text(encoding="utf-8", errors="replace")

    def __exit__(self, *_: object) -> None:
        os.dup2(self._old, 2)
        self._file.close()


def seconds(action: Callable[[], object]) -> float:
    """The wall time of an action."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _none(_: object) -> None:
    return None
