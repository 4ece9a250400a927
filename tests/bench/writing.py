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
from support.lakes import CatalogKind, Lake, describe
from support.peer import Peer
from support.postgres import PostgresServer

_ROW_GROUP_ROWS = 122880
_COMMITTER = "ducklake.catalog.commit.Committer"
APPENDS = 200
INLINED = 500

# What Spark itself does for a small read becomes faster for a hundred of them, to a third.
_SMALL_READS = 50


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
    """Single-file appends one after another, on SQLite and on PostgreSQL."""
    del scale
    rows = "SELECT id, 'n' || id AS name, id / 2D AS score FROM range(0, 1000, 1, 1)"
    with PostgresServer() as server, stderr_kept() as answer:
        lakes = {"sqlite": _points("sqlite", server), "postgres": _points("postgres", server)}
        spark = contest.session(lakes)
        log_commits(spark)
        print(f"\n### {APPENDS} appends of one file\n\n" + _APPENDS_HEADER)
        for name in lakes:
            print(_appended(spark, name, spark.sql(rows), APPENDS, answer))


def inlined(scale: float) -> None:
    """Inserts of five rows each, kept in the catalog; reading them there, and from a file."""
    del scale
    rows = "SELECT id, 'n' || id AS name, id / 2D AS score FROM range(0, 5, 1, 1)"
    with PostgresServer() as server, stderr_kept() as answer:
        lakes = {"sqlite": _points("sqlite", server), "postgres": _points("postgres", server)}
        spark = contest.session(lakes)
        log_commits(spark)
        print(f"\n### {INLINED} inserts of five rows\n\n" + _APPENDS_HEADER)
        for name in lakes:
            print(_appended(spark, name, spark.sql(rows), INLINED, answer))
        readings = [_reading(spark, name, lake) for name, lake in lakes.items()]
        contest.show("reading them from a file and from the catalog", readings)


_APPENDS_HEADER = (
    "| catalog | bare s | ours s | ratio | ms in the catalog |\n|---|---:|---:|---:|---:|"
)


def _points(kind: CatalogKind, server: PostgresServer) -> Lake:
    """A new lake with one small table."""
    folder = data.ROOT / f"points-{kind}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    database = server.create_database() if kind == "postgres" else ""
    lake = describe(kind, folder, database, server)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id BIGINT, name VARCHAR, score DOUBLE)")
    return lake


def _appended(
    spark: SparkSession, name: str, rows: DataFrame, count: int, answer: Callable[[], str]
) -> str:
    """A line of the table: the wall time of an append, and its time in the catalog."""
    bare = str(data.ROOT / "appends" / name)
    shutil.rmtree(bare, ignore_errors=True)
    before = len(commit_times(answer()))
    ours: list[float] = []
    plain: list[float] = []
    for _ in range(count):
        plain.append(seconds(lambda: rows.write.mode("append").parquet(bare)))
        ours.append(seconds(lambda: rows.writeTo(f"{name}.main.t").append()))
    assert spark.table(f"{name}.main.t").count() == count * rows.count()
    commits = commit_times(answer())[before:]
    ratio = statistics.median(mine / theirs for mine, theirs in zip(ours, plain, strict=True))
    return (
        f"| {name} | {statistics.median(plain):.3f} | {statistics.median(ours):.3f} "
        f"| {ratio:.2f} | {statistics.median(commits) / 1000:.1f} |"
    )


def _insert_twins(lake: Lake) -> None:
    """A table with the rows that `t` gets, by as many inserts: the one that will be flushed."""
    insert = "INSERT INTO flushed SELECT id, 'n' || id, id / 2 FROM range(5) numbers(id)"
    with Peer(lake) as peer:
        peer.run("CREATE TABLE flushed (id BIGINT, name VARCHAR, score DOUBLE)")
        peer.run(*[insert] * INLINED)


def _reading(spark: SparkSession, name: str, lake: Lake) -> contest.Outcome:
    """The same rows from one file and from the catalog, in turn: both find the JVM alike."""
    _insert_twins(lake)
    spark.sql(f"CALL {name}.system.flush_inlined_data(table_name => 'flushed')")
    file, kept = spark.table(f"{name}.main.flushed"), spark.table(f"{name}.main.t")
    assert sorted(file.collect()) == sorted(kept.collect())
    return contest.compare(
        name,
        lambda: contest.noop(spark.table(f"{name}.main.flushed")),
        lambda: contest.noop(spark.table(f"{name}.main.t")),
        warm_ups=_SMALL_READS,
        runs=_SMALL_READS,
    )


def commit_times(answer: str) -> list[int]:
    """Microseconds that each commit took in the catalog."""
    return [int(micros) for micros in re.findall(r"committed snapshot \d+ in (\d+) us", answer)]


def log_commits(spark: SparkSession) -> None:
    """Have each commit's time printed on stderr."""
    jvm = spark.sparkContext._jvm
    levels = jvm.org.apache.logging.log4j.Level  # type: ignore[union-attr]
    config = jvm.org.apache.logging.log4j.core.config.Configurator  # type: ignore[union-attr]
    config.setLevel(_COMMITTER, levels.INFO)


class stderr_kept:
    """What this process and its JVM write to stderr, kept in a file meanwhile."""

    def __enter__(self) -> Callable[[], str]:
        """Begin, and give what reads it."""
        self._file = tempfile.NamedTemporaryFile(suffix=".log")
        self._old = os.dup(2)
        os.dup2(self._file.fileno(), 2)
        return lambda: Path(self._file.name).read_text(encoding="utf-8", errors="replace")

    def __exit__(self, *_: object) -> None:
        """Give stderr back."""
        os.dup2(self._old, 2)
        self._file.close()


def seconds(action: Callable[[], object]) -> float:
    """The wall time of an action."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _none(_: object) -> None:
    return None
