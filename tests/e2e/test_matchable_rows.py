"""MERGE into a large table leaves out target rows that no row of the source can match."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import column
from support.lakes import Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]

ROWS = 1_000_000
TABLE = (
    "CREATE TABLE t AS SELECT i AS k, 's' || i AS s, (i / 4)::DECIMAL(12, 2) AS d,"
    " make_timestamp(i * 1000000) AS ts, i::DOUBLE AS f, 0 AS v FROM range({rows}) r(i)",
    "INSERT INTO t SELECT NULL, NULL, NULL, NULL, NULL, 0",
    "CREATE TABLE s AS SELECT i AS k, 's' || i AS s, (i / 4)::DECIMAL(12, 2) AS d,"
    " make_timestamp(i * 1000000) AS ts, i::DOUBLE AS f"
    " FROM range({rows} - 500, {rows} + 500) r(i) UNION ALL SELECT NULL, NULL, NULL, NULL, NULL",
)
MERGE = (
    "MERGE INTO {c}.t AS t USING {source} AS s ON {on} WHEN MATCHED THEN UPDATE SET v = 1"
    " WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, 2)"
)
OF_LAKE = "{c}.s"
CHANGED = {0: ROWS - 499, 1: 500, 2: 501}
"""The rows with each `v` afterwards; NULL matches nothing."""


def made(lakes: LakeFactory, rows: int = ROWS) -> Lake:
    """A lake with a table of so many rows, and a source of which half the rows have a match."""
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(*(text.format(rows=rows) for text in TABLE))
    return lake


def is_filtered(spark: SparkSession, statement: str) -> bool:
    """Whether rows of the target are left out."""
    (plan,) = column(spark, f"EXPLAIN {statement}")
    assert "MergeRows" in plan, plan
    return "might_contain" in plan


@pytest.mark.parametrize(
    "on",
    [
        "t.k = s.k",
        "s.k = t.k AND t.s = s.s",
        "t.s = s.s AND t.v < 10",
        "t.d = s.d AND t.k = s.k",
        "t.ts = s.ts",
        "CAST(t.k AS STRING) = CAST(s.k AS STRING)",
    ],
)
def test_the_rows_are_those_of_the_whole_join(
    lakes: LakeFactory, spark: SparkSession, register: Register, on: str
) -> None:
    lake = made(lakes)
    c = register(lake)
    statement = MERGE.format(c=c, source=OF_LAKE.format(c=c), on=on)

    assert is_filtered(spark, statement)
    spark.sql(statement)

    with Peer(lake) as peer:
        assert dict(peer.rows("SELECT v, count(*) FROM t GROUP BY v")) == CHANGED
        assert peer.rows("SELECT min(k), max(k) FROM t WHERE v = 1") == [(ROWS - 500, ROWS - 1)]


@pytest.fixture(scope="module")
def large(lakes: LakeFactory) -> Lake:
    """A large table that no test changes."""
    return made(lakes)


def test_a_source_that_reads_alike_twice_is_asked(
    large: Lake, spark: SparkSession, register: Register, tmp_path: Path
) -> None:
    c = register(large)
    spark.table(f"{c}.s").write.parquet(f"{tmp_path}/s")
    spark.read.parquet(f"{tmp_path}/s").createOrReplaceTempView("of_files")
    for source in (
        OF_LAKE.format(c=c),
        f"(SELECT k + 1 AS k FROM {c}.s WHERE k > 0 UNION ALL SELECT 5L AS k)",
        "of_files",
        "(VALUES (1L), (2L) AS x(k))",
        "(SELECT id AS k FROM range(10))",
    ):
        assert is_filtered(spark, MERGE.format(c=c, source=source, on="t.k = s.k")), source


def test_the_whole_table_is_joined_where_a_second_look_may_differ_or_does_not_help(
    large: Lake, spark: SparkSession, register: Register
) -> None:
    c = register(large)
    spark.createDataFrame([(1,)], "k BIGINT").rdd.toDF("k BIGINT").createOrReplaceTempView("rdd")
    lake = OF_LAKE.format(c=c)
    for source, on in (
        ("rdd", "t.k = s.k"),
        (f"(SELECT k FROM {c}.s WHERE rand() < 0.5)", "t.k = s.k"),
        (f"(SELECT max(k) AS k FROM {c}.s)", "t.k = s.k"),
        (f"(SELECT k FROM {c}.s WHERE k IN (SELECT k FROM {c}.s))", "t.k = s.k"),
        (lake, "t.f = s.f"),
        (lake, "t.k <=> s.k"),
        (lake, "t.k > s.k"),
        (lake, "t.k = s.k OR t.s = s.s"),
        (lake, "t.k = 5"),
    ):
        statement = MERGE.format(c=c, source=source, on=on)
        assert not is_filtered(spark, statement), statement
    rest = " WHEN NOT MATCHED BY SOURCE THEN DELETE"
    assert not is_filtered(spark, MERGE.format(c=c, source=lake, on="t.k = s.k") + rest)
    key = "spark.sql.optimizer.runtime.bloomFilter.enabled"
    spark.conf.set(key, "false")
    try:
        assert not is_filtered(spark, MERGE.format(c=c, source=lake, on="t.k = s.k"))
    finally:
        spark.conf.unset(key)


def test_a_small_table_is_joined_as_it_is(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    c = register(made(lakes, 10_000))

    statement = MERGE.format(c=c, source=OF_LAKE.format(c=c), on="t.k = s.k")
    assert not is_filtered(spark, statement)


def test_an_empty_source_changes_nothing_and_a_full_one_everything(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    lake = made(lakes)
    c = register(lake)

    spark.sql(MERGE.format(c=c, source=f"(SELECT k FROM {c}.s WHERE k < 0)", on="t.k = s.k"))
    with Peer(lake) as peer:
        assert peer.rows("SELECT v, count(*) FROM t GROUP BY v") == [(0, ROWS + 1)]

    spark.sql(MERGE.format(c=c, source=f"(SELECT id AS k FROM range({ROWS}))", on="t.k = s.k"))
    with Peer(lake) as peer:
        assert dict(peer.rows("SELECT v, count(*) FROM t GROUP BY v")) == {0: 1, 1: ROWS}
