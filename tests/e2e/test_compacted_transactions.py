"""A transaction whose table others compact: it never shows again what it has deleted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.lakes import Lake
from support.peer import Peer, made

Register = Callable[..., str]

SETUP = (
    "CREATE TABLE t (id INT, v INT)",
    "INSERT INTO t SELECT i, 0 FROM range(20) r(i)",
    "INSERT INTO t SELECT i, 0 FROM range(20, 40) r(i)",
    "INSERT INTO t VALUES (100, 0), (101, 0), (102, 0)",
)
"""Two files, and rows in the catalog."""

FLUSH = "flush_inlined_data('t')"
MERGE = "merge_adjacent_files('t')"
REWRITE = "rewrite_data_files('t', delete_threshold => 0)"


@pytest.fixture
def catalog(spark: SparkSession, lake: Lake, register: Register) -> str:
    """A table, and a session with an open transaction."""
    made(lake, *SETUP, limit=5)
    catalog = register(lake)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    return catalog


@pytest.fixture
def elsewhere(spark: SparkSession, lake: Lake, register: Register) -> Callable[[str], object]:
    """Calls a procedure in another session."""
    other = spark.newSession()
    there = register(lake, session=other)
    return lambda call: other.sql(f"CALL {there}.system.{call}").collect()


@pytest.mark.parametrize(
    ("statement", "call"),
    [
        ("DELETE FROM {t} WHERE id = 101", FLUSH),
        ("UPDATE {t} SET v = 1 WHERE id > 100", FLUSH),
        ("DELETE FROM {t} WHERE id = 7", MERGE),
        ("UPDATE {t} SET v = 1 WHERE id % 2 = 0", MERGE),
        ("DELETE FROM {t} WHERE id < 20", MERGE),
    ],
)
def test_deleted_rows_that_are_compacted_end_the_transaction(
    spark: SparkSession,
    lake: Lake,
    catalog: str,
    elsewhere: Callable[[str], object],
    statement: str,
    call: str,
) -> None:
    spark.sql(statement.format(t=f"{catalog}.t"))
    elsewhere(call)

    for text in (
        f"SELECT * FROM {catalog}.t",
        f"DELETE FROM {catalog}.t WHERE id = 3",
        f"CALL {catalog}.system.commit_transaction()",
    ):
        refused(spark, text, "DUCKLAKE_COMMIT_CONFLICT", "main.t")
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*), sum(v) FROM t") == [(43, 0)]


@pytest.mark.parametrize(
    ("statement", "call", "left"),
    [
        ("INSERT INTO {t} VALUES (200, 0)", FLUSH, 44),
        ("INSERT INTO {t} VALUES (200, 0)", MERGE, 44),
        ("DELETE FROM {t} WHERE id = 101", MERGE, 42),
        ("DELETE FROM {t} WHERE id = 7", FLUSH, 42),
        ("TRUNCATE TABLE {t}", "recompute_statistics()", 0),
    ],
)
def test_compactions_of_other_rows_do_not_disturb(
    spark: SparkSession,
    lake: Lake,
    catalog: str,
    elsewhere: Callable[[str], object],
    statement: str,
    call: str,
    left: int,
) -> None:
    spark.sql(statement.format(t=f"{catalog}.t"))
    elsewhere(call)

    assert len(rows(spark, f"SELECT * FROM {catalog}.t")) == left
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == left
    spark.sql(f"CALL {catalog}.system.commit_transaction()")
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM t") == left


def test_a_rewrite_leaves_the_base_as_it_was(
    spark: SparkSession, lake: Lake, catalog: str, elsewhere: Callable[[str], object]
) -> None:
    with Peer(lake) as peer:
        peer.run("DELETE FROM t WHERE id BETWEEN 10 AND 18")
    spark.sql(f"DELETE FROM {catalog}.t WHERE id = 7")
    elsewhere(REWRITE)

    assert len(rows(spark, f"SELECT * FROM {catalog}.t")) == 42
    refused(
        spark, f"CALL {catalog}.system.commit_transaction()", "DUCKLAKE_COMMIT_CONFLICT", "main.t"
    )
