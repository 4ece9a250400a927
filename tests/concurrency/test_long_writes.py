"""A job that is still writing when DuckDB commits, on each catalog database."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, committed_by_peers

Register = Callable[..., str]
WAIT_SECONDS = 60
CONFLICT = "DUCKLAKE_COMMIT_CONFLICT"


def slow_rows(spark: SparkSession, folder: Path) -> DataFrame:
    """Rows that come only when the file `go` is there; `here` says that they were asked for."""
    here, go = str(folder / "here"), str(folder / "go")

    def wait(value: int) -> int:
        Path(here).touch()
        deadline = time.monotonic() + WAIT_SECONDS
        while not Path(go).exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return value

    waiting = udf(wait, "bigint", useArrow=False)
    return spark.range(5000, 5050, 1, 1).select(waiting("id").alias("a"))


def appended(frame: DataFrame, table: str) -> str:
    """Append; how it ended."""
    try:
        frame.writeTo(table).append()
    except PySparkException as error:
        return error.getCondition() or str(error)
    return "committed"


def overtaken(frame: DataFrame, table: str, folder: Path, lake: Lake, others: str) -> str:
    """Append slow rows while DuckDB commits; how it ended."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(appended, frame, table)
        deadline = time.monotonic() + WAIT_SECONDS
        while not (folder / "here").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        with Peer(lake) as peer:
            peer.run(*others.split(";"))
        (folder / "go").touch()
        return running.result(timeout=WAIT_SECONDS)


@pytest.mark.parametrize(
    ("others", "expected", "rows"),
    [
        ("INSERT INTO t VALUES (-1)", "committed", 72),
        ("INSERT INTO t SELECT i FROM range(100, 130) AS r(i)", "committed", 101),
        ("CREATE TABLE u (a INTEGER)", "committed", 71),
        ("DELETE FROM t WHERE a = 3", "committed", 70),
        ("DELETE FROM t", "committed", 50),
        ("COMMENT ON TABLE t IS 'x'", "committed", 71),
        ("ALTER TABLE t ADD COLUMN b INTEGER", CONFLICT, 21),
        ("ALTER TABLE t RENAME TO t2; ALTER TABLE t2 RENAME TO t", "committed", 71),
    ],
)
def test_an_append_that_others_overtake(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    tmp_path: Path,
    others: str,
    expected: str,
    rows: int,
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT i AS a FROM range(20) AS r(i)")
        peer.run("INSERT INTO t VALUES (20)")
    frame, table = slow_rows(spark, tmp_path), f"{register(lake)}.main.t"

    ended = overtaken(frame, table, tmp_path, lake, others)

    with Peer(lake) as peer:
        counted = peer.value("SELECT count(a) FROM t")
        scanned = len(peer.rows("SELECT a FROM t"))
    assert (ended, counted, scanned) == (expected, rows, rows)
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []


@pytest.mark.parametrize(
    "others",
    [
        "DROP TABLE t",
        "ALTER TABLE t DROP COLUMN b",
        "ALTER TABLE t DROP COLUMN a; ALTER TABLE t ADD COLUMN a INTEGER",
    ],
)
def test_what_expired_snapshots_did_is_not_overlooked(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    kind: CatalogKind,
    tmp_path: Path,
    others: str,
) -> None:
    lake = lakes.new(kind)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER, b INTEGER)")
    number = len(others.split(";"))
    expiry = ", ".join(str(2 + done) for done in range(number))
    statements = (
        f"{others}; CREATE TABLE u (a INTEGER);"
        f"CALL ducklake_expire_snapshots('lake', versions => [{expiry}])"
    )
    frame = slow_rows(spark, tmp_path).selectExpr("a", "a AS b")

    ended = overtaken(frame, f"{register(lake)}.main.t", tmp_path, lake, statements)

    assert ended == CONFLICT
    with Peer(lake) as peer:
        assert peer.head() == 2 + number
    assert list(lake.data_path.rglob("*.parquet")) == []
