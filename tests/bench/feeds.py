"""The measures of the change feed: one commit in a large table, everything, and Delta beside it."""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from bench import contest, data, delta, synthetic
from bench.planning import millis_to_plan, session
from support.lakes import Lake, describe
from support.peer import Peer
from support.postgres import PostgresServer

FILES = 100_000
ROWS = 1_000
COMMITS = 16
FEWEST_FILES = 10
_PERCENT = "pmod(hash(l_orderkey, l_linenumber), 100)"
_KEYS = "l_orderkey, l_linenumber, l_quantity"


def feed_commit(scale: float) -> None:
    """The feed of a commit of 1 000 rows in a table of 100 000 files, against `id = x`."""
    count = max(FEWEST_FILES + 1, int(FILES * scale))
    folder = data.ROOT / "feed_commit"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with PostgresServer() as server:
        lakes = {
            f"{kind}_{files}": made
            for files in (FEWEST_FILES, count)
            for kind, made in _many_files(folder, server, files)
        }
        heads = {name: _commits(lake) for name, lake in lakes.items()}
        spark = session(lakes)
        print(f"\n### feed of {ROWS} rows among {count} files, ms (medians of {COMMITS})\n")
        print("| database | | feed planned | feed read | `id = x` planned | planned/planned |")
        print("|---|---|---:|---:|---:|---:|")
        ratios = {}
        for kind in ("sqlite", "postgres"):
            for _ in range(3):
                warm = f"{kind}_{FEWEST_FILES}"
                list(_turns(spark, warm, heads[warm], FEWEST_FILES))
            name = f"{kind}_{count}"
            turns = list(_turns(spark, name, heads[name], count))
            _show_turns(kind, "cold", turns[0])
            medians = [statistics.median(column) for column in zip(*turns[1:], strict=True)]
            _show_turns(kind, "warm", (medians[0], medians[1], medians[2]))
            ratios[kind] = medians[0] / medians[2]
        for kind, ratio in ratios.items():
            contest.judge(f"feed of a commit among {count} files, {kind}", ratio, 1.5)
        spark.stop()


def _show_turns(kind: str, when: str, turn: tuple[float, float, float]) -> None:
    planned, read, point = turn
    print(f"| {kind} | {when} | {planned:.0f} | {read:.0f} | {point:.0f} | {planned / point:.2f} |")


def _many_files(folder: Path, server: PostgresServer, count: int) -> Iterator[tuple[str, Lake]]:
    home = folder / f"sqlite_{count}"
    home.mkdir()
    lake = describe("sqlite", home, "", server)
    synthetic.make_sqlite(Path(lake.database), count)
    yield "sqlite", lake
    database = server.create_database()
    synthetic.make_postgres(server.keywords(database), count)
    yield "postgres", describe("postgres", folder / f"postgres_{count}", database, server)


def _commits(lake: Lake) -> int:
    """Commits of so many rows by DuckDB, whose ids no other file has; the newest snapshot."""
    columns = "i, i, i, i, i, i, i, 'a' || i, 'b' || i, 'c' || i, " + ", ".join(
        ["DATE '2024-01-01'"] * 2 + ["TIMESTAMP '2024-01-01'", "1.5", "true"]
    )
    with Peer(_as_written(lake), "DATA_INLINING_ROW_LIMIT 0") as peer:
        for commit in range(COMMITS):
            first = -ROWS * (commit + 1)
            rows = f"range({first}, {first + ROWS}) r(i)"
            peer.run(f"INSERT INTO points SELECT i, {columns} FROM {rows}")
        return peer.head()


def _as_written(lake: Lake) -> Lake:
    """The lake with the data path that `synthetic` gave it."""
    if lake.kind == "postgres":
        return Lake(lake.kind, lake.uri, synthetic.POSTGRES_DATA, lake.database)
    return Lake(lake.kind, lake.uri, Path(f"{lake.database}.files"), lake.database)


def _turns(
    spark: SparkSession, name: str, head: int, files: int
) -> Iterator[tuple[float, float, float]]:
    """For each commit: its feed planned, then read, and a point query planned."""
    for commit in range(COMMITS):
        at = head - commit
        feed = f"SELECT * FROM ducklake_table_changes('{name}', 'points', {at}, {at})"
        planned = millis_to_plan(spark, feed)
        start = time.perf_counter()
        assert len(spark.sql(feed).collect()) == ROWS
        read = (time.perf_counter() - start) * 1000
        row = commit * 7919 * 1000 % (files * synthetic.ROWS_PER_FILE)
        yield planned, read, millis_to_plan(spark, f"SELECT * FROM {name}.points WHERE id = {row}")


def _history(table: str) -> list[str]:
    """Fifty commits that insert, update, delete and merge about a percent of `source` each."""
    texts = []
    for turn in range(50):
        mine = f"{_PERCENT} = {turn}"
        added = (
            f"SELECT l_orderkey + {turn + 1} * 1000000000L AS l_orderkey, * EXCEPT (l_orderkey) "
            f"FROM source WHERE {mine}"
        )
        keyed = (
            f"SELECT {_KEYS} FROM source WHERE {_PERCENT} = {turn + 50} UNION ALL "
            f"SELECT {_KEYS} FROM ({added}) AS added"
        )
        texts.append(
            (
                f"INSERT INTO {table} {added}",
                f"UPDATE {table} SET l_quantity = l_quantity + 1 WHERE {mine}",
                f"DELETE FROM {table} WHERE {mine}",
                f"MERGE INTO {table} AS t USING ({keyed}) AS s "
                "ON t.l_orderkey = s.l_orderkey AND t.l_linenumber = s.l_linenumber "
                "WHEN MATCHED THEN UPDATE SET l_quantity = s.l_quantity "
                f"WHEN NOT MATCHED THEN INSERT ({_KEYS}) "
                "VALUES (s.l_orderkey, s.l_linenumber, s.l_quantity)",
                f"INSERT INTO {table} {added}",
            )[turn % 5]
        )
    return texts


def feed_all(scale: float) -> None:
    """The whole feed of lineitem after fifty commits, against its data files read bare."""

    def fill(peer: Peer) -> None:
        peer.run("ATTACH ':memory:' AS source", "USE source", f"CALL dbgen(sf = {scale})")
        peer.run("USE lake", "CREATE TABLE lineitem AS FROM source.lineitem")

    (data.ROOT / f"feed-{scale}" / "done").unlink(missing_ok=True)
    lake = data.lake(f"feed-{scale}", fill)
    spark = contest.session({"lake": lake})
    _changed(spark, scale, "lake.main.lineitem")
    stored = sorted(lake.data_path.rglob("*.parquet"))
    bare = [str(path) for path in stored if not path.name.endswith("-delete.parquet")]
    schema = spark.table("lake.main.lineitem").schema

    def feed() -> DataFrame:
        return spark.read.option("start-snapshot", 1).table("lake.main.lineitem.changes")

    _show_counts(feed(), "change_type", stored)
    outcome = contest.compare(
        "feed",
        lambda: contest.noop(spark.read.schema(schema).parquet(*bare)),
        lambda: contest.noop(feed()),
    )
    contest.show(f"feed of lineitem and of 50 commits, SF {scale:g}", [outcome])
    contest.judge("the feed against its data files", outcome.ratio, 1.3)
    _own_seconds(scale).write_text(str(outcome.ours))


def _own_seconds(scale: float) -> Path:
    """Where `feed_all` leaves its time for `delta_feed`."""
    return data.ROOT / f"feed-{scale}.seconds"


def delta_feed(scale: float) -> None:
    """Delta's change data feed of the same history."""
    spark = delta.new_session()
    folder = delta.new_folder("feed")
    rows = spark.read.parquet(*data.files(data.tpch(scale), "lineitem"))
    # Delta 4.4 cannot read its feed when the deletion vector of a file has more than 64 kB as text.
    files = rows.repartition(max(1, int(16 * scale)))
    writer = files.write.format("delta").option("delta.enableChangeDataFeed", "true")
    writer.option("delta.enableDeletionVectors", "true").save(str(folder))
    _changed(spark, scale, f"delta.`{folder}`")

    def feed() -> DataFrame:
        reader = spark.read.format("delta").option("readChangeFeed", "true")
        return reader.option("startingVersion", 0).load(str(folder))

    stored = [path for path in folder.rglob("*") if path.suffix in (".parquet", ".bin")]
    _show_counts(feed(), "_change_type", [p for p in stored if "_delta_log" not in p.parts])
    times = _seconds(lambda: contest.noop(feed()))
    print(f"\n### Delta: feed of lineitem and of 50 commits, SF {scale:g}\n\n{times:.3f} s")
    if _own_seconds(scale).exists():
        contest.judge("our feed against Delta's", float(_own_seconds(scale).read_text()) / times, 1)
    else:
        print("\nOur time is not known: run feed_all at the same scale first")


def _changed(spark: SparkSession, scale: float, table: str) -> None:
    """Takes the fifty steps."""
    rows = spark.read.parquet(*data.files(data.tpch(scale), "lineitem"))
    rows.createOrReplaceTempView("source")
    for text in _history(table):
        spark.sql(text).collect()


def _show_counts(feed: DataFrame, column: str, stored: list[Path]) -> None:
    size = sum(os.path.getsize(path) for path in stored) / 1e6
    counts = {row[0]: row[1] for row in feed.groupBy(column).count().orderBy(column).collect()}
    print(f"\n{counts}\n{len(stored)} files, {size:.0f} MB")


def _seconds(work: Callable[[], None]) -> float:
    times = []
    for _ in range(contest.WARM_UPS + contest.RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times[contest.WARM_UPS :])
