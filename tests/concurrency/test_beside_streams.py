"""UPDATE, DELETE and MERGE that run while a stream and DuckDB commit many times."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

from support.feeds import Feed, by_spark, by_time_travel, differences
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.sweep import FULL, swept

Register = Callable[..., str]
WAIT_SECONDS = 120
EPOCHS = 60 if FULL else 5
SETUP = (
    "CREATE TABLE t (a INTEGER, b INTEGER)",
    "INSERT INTO t SELECT i, 0 FROM range(100) AS r(i)",
    "DELETE FROM t WHERE a BETWEEN 60 AND 79",
)
OTHERS = (
    "DELETE FROM t WHERE a BETWEEN 30 AND 50",
    "DELETE FROM t WHERE a = 51",
    "UPDATE t SET b = 4 WHERE a BETWEEN 52 AND 59",
    "INSERT INTO t VALUES (-3, -3)",
    "COMMENT ON TABLE t IS 'x'",
)
LEFT = {a: 4 if 52 <= a <= 59 else 0 for a in range(100) if not 30 <= a <= 51 and not 60 <= a <= 79}
LEFT[-3] = -3
STATEMENTS = {
    "UPDATE {t} SET b = 9 WHERE a < 20 AND waited(a) >= 0": {
        a: 9 if 0 <= a < 20 else b for a, b in LEFT.items()
    },
    "DELETE FROM {t} WHERE a BETWEEN 0 AND 4 AND waited(a) >= 0": {
        a: b for a, b in LEFT.items() if not 0 <= a <= 4
    },
    "MERGE INTO {t} t USING (SELECT CAST(waited(id) AS INT) AS a FROM range(80, 110, 1, 1)) s"
    " ON t.a = s.a WHEN MATCHED AND t.a < 85 THEN DELETE WHEN MATCHED THEN UPDATE SET b = 5"
    " WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, 6)": {
        **{a: b for a, b in LEFT.items() if not 80 <= a < 85},
        **dict.fromkeys(range(85, 100), 5),
        **dict.fromkeys(range(100, 110), 6),
    },
}
"""What is left of the rows from -3 on; the stream adds rows with lesser numbers."""


class Waiting:
    """Rows that come only when the file `go` is there; `here` says that they were asked for."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """The function `waited`."""
        self._here, self._go = folder / "here", folder / "go"
        here, go = str(self._here), str(self._go)

        def wait(value: int) -> int:
            Path(here).touch()
            deadline = time.monotonic() + WAIT_SECONDS
            while not Path(go).exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            return value

        spark.udf.register("waited", udf(wait, "bigint", useArrow=False))

    def until_here(self) -> None:
        """Wait for the statement."""
        until(self._here.exists)

    def go(self) -> None:
        """Let it go on."""
        self._go.touch()


def until(happened: Callable[[], bool]) -> None:
    """Wait for something."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not happened():
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.02)


def ended(spark: SparkSession, sql: str) -> str:
    """How a statement ends."""
    try:
        spark.sql(sql).collect()
    except PySparkException as error:
        return error.getCondition() or str(error)
    return "committed"


def streamed(spark: SparkSession, table: str, folder: Path, run: Callable[[], object]) -> None:
    """Runs something while a stream commits every epoch that it can."""
    rates = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 3).load()
    rows = rates.selectExpr("CAST(-1000 - value AS INT) AS a", "CAST(value AS INT) AS b")
    query = (
        rows.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(processingTime="50 milliseconds")
        .toTable(table)
    )
    try:
        run()
    finally:
        query.stop()


@pytest.mark.parametrize("statement", swept(list(STATEMENTS), 2), ids=lambda sql: sql.split()[0])
def test_a_long_statement_lands_at_its_first_try(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    kind: CatalogKind,
    tmp_path: Path,
    statement: str,
) -> None:
    lake = lakes.new(kind)
    with Peer(lake) as peer:
        peer.run(*SETUP)
    table = f"{register(lake, {'busy-timeout': '60000'})}.main.t"
    waiting = Waiting(spark, tmp_path)
    ends: list[str] = []

    def run() -> None:
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(ended, spark, statement.replace("{t}", table))
            waiting.until_here()
            for other in OTHERS:
                by_peer(lake, other)
            wanted = head(lake) + EPOCHS
            until(lambda: head(lake) >= wanted)
            waiting.go()
            ends.append(running.result(timeout=WAIT_SECONDS))

    streamed(spark, table, tmp_path, run)

    assert ends == ["committed"]
    with Peer(lake) as peer:
        rows = peer.rows("SELECT a, b FROM t WHERE a > -1000")
        added = peer.rows("SELECT a, b FROM t WHERE a <= -1000 ORDER BY a DESC")
        last = peer.head()
    assert sorted(rows) == sorted(STATEMENTS[statement].items())
    assert added == [(-1000 - n, n) for n in range(len(added))]
    assert len(added) >= EPOCHS
    feed = Feed("changes", "t", 4, last)
    truth = {feed: by_time_travel(lake, feed)}
    assert differences(truth, by_spark(spark, table.split(".")[0], [feed])) == {}
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []


def by_peer(lake: Lake, sql: str) -> None:
    """Runs a statement, again when the stream has the file or comes first."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            with Peer(lake) as peer:
                peer.run(sql)
            return
        except Exception:
            if time.monotonic() > end:
                raise


def head(lake: Lake) -> int:
    """The newest snapshot."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            with Peer(lake) as peer:
                return peer.head()
        except Exception:
            if time.monotonic() > end:
                raise
