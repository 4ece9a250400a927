"""The measures: `python tests/bench/run.py MEASURE… [--scale 1]`, each in its own JVM."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pyspark.sql import SparkSession

from bench import (
    adding,
    changing,
    compaction,
    contest,
    data,
    delta,
    epochs,
    expiry,
    feeds,
    first,
    growth,
    journal,
    largest,
    late,
    many,
    memory,
    moving,
    objectstore,
    partitions,
    planning,
    plans,
    rowlevel,
    streams,
    transactions,
    variants,
    writers,
    writing,
)
from support import benchmarks
from support.lakes import Lake


def _bare(spark: SparkSession, lake: Lake, tables: dict[str, str]) -> SparkSession:
    """A session whose names are plain Parquet over the very same files."""
    bare = spark.newSession()
    for name, table in tables.items():
        bare.read.parquet(*data.files(lake, table)).createOrReplaceTempView(name)
    return bare


def _ours(spark: SparkSession) -> SparkSession:
    mine = spark.newSession()
    mine.sql("USE lake.main")
    return mine


MOST_OF_A_QUERY = 1.05
"""The ratio that no query of TPC-H should be above."""


def _queries(
    lake: Lake,
    tables: dict[str, str],
    texts: dict[str, str],
    title: str,
    most: float = MOST_OF_A_QUERY,
) -> None:
    spark = contest.session({"lake": lake})
    bare, ours = _bare(spark, lake, tables), _ours(spark)
    for session in (bare, ours):
        session.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", "true")

    def compared(name: str, runs: int) -> contest.Outcome:
        text = texts[name]
        return contest.compare(
            name, lambda: bare.sql(text).collect(), lambda: ours.sql(text).collect(), runs=runs
        )

    outcomes = [compared(name, contest.RUNS) for name in texts]
    contest.show(title, outcomes)
    # Seven runs of a short query differ by more than a tenth from one JVM to the next.
    if high := [each.name for each in outcomes if each.ratio > most]:
        again = [compared(name, 3 * contest.RUNS) for name in high]
        contest.show(f"{title}: those above {most:g} in three times the runs", again)
        for each in again:
            contest.judge(each.name, each.ratio, most)


def tpch(scale: float) -> None:
    """The 22 queries against Parquet over the same files; those that stand high twice."""
    tables = {name: name for name in data.TABLES}
    _queries(data.tpch(scale), tables, data.queries(), f"TPC-H SF {scale:g}")


def tpcds(scale: float) -> None:
    """The 99 queries against Parquet over the same files; those that stand high twice."""
    _tpcds(scale, benchmarks.queries("tpcds"))


CHOSEN_JOINS = ("Q7", "Q9", "Q11", "Q26", "Q27")
"""The queries that depend most on the joins that Spark chooses, and on merged subqueries."""


def tpcds_joins(scale: float) -> None:
    """Five of the 99 queries, which took 1.6 to 1.9 of Parquet's time with larger sizes."""
    texts = benchmarks.queries("tpcds")
    _tpcds(scale, {name: texts[name] for name in CHOSEN_JOINS})


def tpcds_plans(scale: float) -> None:
    """The plans of the 99 queries beside those of Parquet, and the time that planning takes."""
    lake = data.tpcds(scale)
    spark = contest.session({"lake": lake})
    tables = {name: name for name in benchmarks.SIZES["tpcds"]}
    bare, ours = _bare(spark, lake, tables), _ours(spark)
    for session in (bare, ours):
        session.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", "true")
    plans.compared(bare, ours, benchmarks.queries("tpcds"), f"TPC-DS SF {scale:g}: planning")


def _tpcds(scale: float, texts: dict[str, str]) -> None:
    tables = {name: name for name in benchmarks.SIZES["tpcds"]}
    _queries(data.tpcds(scale), tables, texts, f"TPC-DS SF {scale:g}", most=1.1)


def pruning(scale: float) -> None:
    """Q6 and Q14 on lineitem sorted by ship date in 60 files."""
    tables = {"lineitem": "lineitem", "part": "part"}
    texts = {name: text for name, text in data.queries().items() if name in ("Q6", "Q14")}
    _queries(data.by_ship_date(scale, 60), tables, texts, f"lineitem in 60 files, SF {scale:g}")


def _scan(lake: Lake, base: str, title: str) -> None:
    spark = contest.session({"lake": lake})
    paths = data.files(lake, base)
    outcome = contest.compare(
        "SELECT *",
        lambda: contest.noop(spark.read.parquet(*paths)),
        lambda: contest.noop(spark.table("lake.main.lineitem")),
    )
    contest.show(title, [outcome])


def scan(scale: float) -> None:
    """All of lineitem."""
    _scan(data.tpch(scale), "lineitem", f"full scan of lineitem, SF {scale:g}")


def scan1(scale: float) -> None:
    """Lineitem with 1 % of its rows deleted, against the undeleted bare file."""
    _scan(data.deleted(scale, 1), "bare", f"lineitem, 1 % deleted, SF {scale:g}")


def scan30(scale: float) -> None:
    """Lineitem with 30 % of its rows deleted, against the undeleted bare file."""
    _scan(data.deleted(scale, 30), "bare", f"lineitem, 30 % deleted, SF {scale:g}")


def encrypted(scale: float) -> None:
    """All of lineitem in an encrypted lake, against a lake that is not."""
    plain = data.lineitem("plain", scale)
    sealed = data.lineitem("sealed", scale, "ENCRYPTED")
    spark = contest.session({"plain": plain, "sealed": sealed})
    outcome = contest.compare(
        "SELECT *",
        lambda: contest.noop(spark.table("plain.main.lineitem")),
        lambda: contest.noop(spark.table("sealed.main.lineitem")),
    )
    contest.show(f"encrypted lineitem, SF {scale:g}", [outcome])
    contest.judge("encrypted / plain", outcome.ratio, 1.3)


MEASURES: dict[str, Callable[[float], None]] = {
    measure.__name__: measure
    for measure in (
        tpch,
        tpcds,
        tpcds_joins,
        tpcds_plans,
        pruning,
        late.late,
        late.late_deleted,
        variants.variant,
        first.first_rows,
        first.first_rows_of_many,
        scan,
        scan1,
        scan30,
        encrypted,
        planning.planning,
        planning.first_plan,
        planning.first_plan_of_parquet,
        planning.aggregates,
        planning.keyed,
        planning.tables,
        writing.write,
        writing.write_partitioned,
        partitions.partitions,
        writing.appends,
        writing.inlined,
        adding.add_files,
        moving.moves,
        moving.move_histories,
        moving.exports,
        feeds.feed_commit,
        feeds.feed_all,
        growth.growth,
        largest.largest,
        largest.largest_upkeep,
        many.many_files,
        epochs.epochs,
        epochs.stream_files,
        rowlevel.rowlevel,
        compaction.merge_files,
        compaction.rewrite_files,
        expiry.expire,
        streams.stream_start,
        streams.stream_batches,
        streams.stream_columns,
        streams.stream_filters,
        transactions.transaction,
        transactions.long_transaction,
        writers.writers,
        journal.journal,
        memory.memory_inlined,
        memory.memory_plan,
        memory.memory_indexes,
        changing.memory_delete,
        changing.memory_merge,
        changing.memory_flush,
        objectstore.object_store,
        objectstore.object_store_again,
        objectstore.object_store_requests,
        delta.delta_tpch,
        delta.delta_write,
        delta.delta_appends,
        delta.delta_rowlevel,
        compaction.delta_optimize,
        expiry.delta_vacuum,
        feeds.delta_feed,
        epochs.delta_epochs,
    )
}


GROUPS = {
    "all": list(MEASURES),
    "memory": [name for name in MEASURES if name.startswith("memory_")],
}


def main() -> None:
    """One measure in this process, or several of them in one process each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measures", nargs="+", choices=[*MEASURES, *GROUPS], metavar="measure")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--minutes", type=float, default=120, help="of each measure, at most")
    asked = parser.parse_args()
    chosen = (name for word in asked.measures for name in GROUPS.get(word, [word]))
    names = list(dict.fromkeys(chosen))
    if "DELTA_JARS" not in os.environ:
        for name in filter(_is_of_delta, names):
            print(f"\n{name} was not run: DELTA_JARS is not set")
        names = [name for name in names if not _is_of_delta(name)]
    if len(names) == 1:
        MEASURES[names[0]](asked.scale)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    if failed := [name for name in names if not _ran(name, asked.scale, asked.minutes)]:
        sys.exit(f"not measured: {', '.join(failed)}")


def _is_of_delta(name: str) -> bool:
    return name.startswith("delta")


def _ran(name: str, scale: float, minutes: float) -> bool:
    """Runs a measure in a process of its own; a failure does not keep the next one from running.

    The process leads a session, so that its JVM ends with it.
    """
    command = [sys.executable, __file__, name, "--scale", str(scale)]
    running = subprocess.Popen(command, start_new_session=True)
    try:
        return running.wait(timeout=minutes * 60) == 0
    except subprocess.TimeoutExpired:
        print(f"\n{name} took longer than {minutes:g} minutes", flush=True)
        return False
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


if __name__ == "__main__":
    main()
