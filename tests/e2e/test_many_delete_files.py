"""Statements that read or write more or larger delete files than the driver does: tasks do it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.jobs import described_jobs
from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]

FILES, ROWS = 24, 60
LIMIT = 10

SETUP = (
    "CREATE TABLE t (a INTEGER, b INTEGER)",
    *(
        f"INSERT INTO t SELECT i, 0 FROM range({n * ROWS}, {(n + 1) * ROWS}) r(i)"
        for n in range(FILES)
    ),
    # Files with a delete file, with deletes in the catalog, and with few rows left.
    f"DELETE FROM t WHERE a < {8 * ROWS} AND a % 2 = 0",
    f"DELETE FROM t WHERE a >= {20 * ROWS} AND a % 20 = 1",
    f"DELETE FROM t WHERE a BETWEEN {12 * ROWS} AND {13 * ROWS - 3}",
)

STATEMENTS = (
    "DELETE FROM {t} WHERE a % 3 = 0",
    "UPDATE {t} SET b = b + 1 WHERE a % 4 = 1",
    f"DELETE FROM {{t}} WHERE a < {5 * ROWS} OR a BETWEEN {12 * ROWS} AND {14 * ROWS}",
    "DELETE FROM {t} WHERE a % 10 = 7",
)
"""Each touches more than eight files."""


def test_many_files_lose_rows(spark: SparkSession, lake: Lake, register: Register) -> None:
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {LIMIT}") as peer:
        peer.run(*SETUP)
    catalog = register(lake)
    with duckdb.connect() as plain:
        for statement in SETUP:
            plain.execute(statement)
        for statement in STATEMENTS:
            spark.sql(statement.format(t=f"{catalog}.main.t")).collect()
            plain.execute(statement.format(t="t"))
            right = Counter(plain.execute("SELECT a, b FROM t").fetchall())
            with Peer(lake) as peer:
                assert Counter(peer.rows("SELECT a, b FROM t")) == right, statement
            assert Counter(rows(spark, f"SELECT a, b FROM {catalog}.main.t")) == right, statement


def _states(peer: Peer, head: int) -> dict[int, Counter[tuple[object, ...]]]:
    """The rows at each snapshot."""
    question = "SELECT a, b FROM t AT (VERSION => {})"
    return {v: Counter(peer.rows(question.format(v))) for v in range(1, head + 1)}


@pytest.mark.every_database
def test_deletes_of_many_files_are_flushed_and_undone(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {LIMIT}") as peer:
        peer.run(*SETUP)
        peer.run("DELETE FROM t WHERE a % 20 = 3")
        head = peer.head()

        known = _states(peer, head)
        feed = f"FROM ducklake_table_changes('lake', 'main', 't', 1, {head})"
        changes = Counter(peer.rows(feed))
    catalog = register(lake)

    before = set(lake.data_path.rglob("*-delete.parquet"))
    spark.sql(f"CALL {catalog}.system.flush_inlined_data()").collect()
    assert len(set(lake.data_path.rglob("*-delete.parquet")) - before) > 8
    with Peer(lake) as peer:
        assert _states(peer, head) == known
        assert Counter(peer.rows(feed)) == changes

    full = FILES + 1
    for version in (full, head):
        call = f"CALL {catalog}.system.rollback_to_snapshot('t', {version})"
        assert len(rows(spark, call)) == 1
        with Peer(lake) as peer:
            assert Counter(peer.rows("SELECT a, b FROM t")) == known[version]
        assert Counter(rows(spark, f"SELECT a, b FROM {catalog}.t")) == known[version]


@pytest.mark.parametrize("kind", ["sqlite"])
def test_large_delete_files_are_written_by_tasks(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """The driver holds a million positions at most, and both ways give the same rows."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t AS SELECT i::INTEGER AS a FROM range(1_600_000) r(i)")
    table = f"{register(lake, {'data-inlining-row-limit': '0'})}.main.t"

    def jobs(statement: str) -> list[str | None]:
        with described_jobs(spark) as found:
            spark.sql(statement).collect()
        return [job for job in found if job and "delete files of" in job]

    def left() -> tuple[object, ...]:
        question = "SELECT count(*), sum(a), min(a), max(a) FROM {}"
        with Peer(lake) as peer:
            found = peer.rows(question.format("t"))
        assert rows(spark, question.format(table)) == found
        return found[0]

    assert jobs(f"DELETE FROM {table} WHERE a % 2 = 0") == []
    assert left() == (800_000, 640_000_000_000, 1, 1_599_999)
    assert jobs(f"DELETE FROM {table} WHERE a % 3 = 0") == [
        "Writing delete files of main.t: 1 files"
    ]
    assert left() == (533_333, 426_666_133_333, 1, 1_599_997)
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run("DELETE FROM t WHERE a IN (1, 7)")
    assert jobs(f"CALL {table.split('.')[0]}.system.flush_inlined_data()") == [
        "flush_inlined_data of main.t: delete files of 1 files"
    ]
    assert left()[0] == 533_331
