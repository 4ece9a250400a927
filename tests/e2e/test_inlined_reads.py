"""Inlined rows are chosen by the database, and many of them become many tasks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import read_metrics
from support.lakes import Lake, LakeFactory
from support.peer import Peer

pytestmark = pytest.mark.every_database

Register = Callable[..., str]

MANY, LONG = 3_000, 3_000
"""Rows, and bytes of each: more than two pages."""

FILTERS = (
    ("id = 7", 1),
    ("id <> 7", 9),
    ("id IN (2, 3, 11)", 2),
    ("id > 4 AND id <= 8", 4),
    ("NOT (id < 8)", 2),
    ("name = 'n3'", 1),
    ("name <> 'n3'", 8),
    ("name IN ('n1', 'none')", 1),
    ("name IS NULL", 1),
    ("name IS NOT NULL AND id > 8", 1),
    ("id = 1 OR name = 'n2'", 2),
    ("later IS NULL", 9),
    ("later = 5", 1),
    ("grown = 3", 1),
    ("grown > 2147483647", 1),
    ("name LIKE 'n%'", 9),
)


@pytest.fixture
def chosen(lake: Lake) -> Lake:
    """Ten inlined rows in two inlined tables: a column came and another got wider in between."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 100") as peer:
        peer.run("CREATE TABLE t (id BIGINT, name VARCHAR, grown INTEGER)")
        peer.run("INSERT INTO t SELECT i, nullif('n' || i, 'n5'), i FROM range(9) r(i)")
        peer.run("ALTER TABLE t ADD COLUMN later INTEGER")
        peer.run("ALTER TABLE t ALTER grown SET DATA TYPE BIGINT")
        peer.run("INSERT INTO t VALUES (9, 'n9', 3000000000, 5)")
    return lake


def test_filters_that_the_database_answers_give_the_rows_that_duckdb_gives(
    spark: SparkSession, chosen: Lake, register: Register
) -> None:
    catalog = register(chosen)

    for condition, rows in FILTERS:
        query = f"SELECT id FROM {{}} WHERE {condition} ORDER BY id"
        with Peer(chosen) as peer:
            theirs = [row[0] for row in peer.rows(query.format("t"))]
        ours = [row[0] for row in spark.sql(query.format(f"{catalog}.t")).collect()]
        assert ours == theirs, condition
        assert len(ours) == rows, condition


def test_the_database_hands_out_only_what_a_filter_or_a_limit_wants(
    spark: SparkSession, chosen: Lake, register: Register
) -> None:
    table = f"{register(chosen)}.t"

    for query, rows in ((f"SELECT * FROM {table} WHERE id = 7", 1), (f"SELECT * FROM {table}", 10)):
        frame = spark.sql(query)
        frame.collect()
        assert read_metrics(frame)["ducklakeInlinedRows"] == rows
    limited = spark.sql(f"SELECT * FROM {table} LIMIT 3")
    assert len(limited.collect()) == 3
    assert read_metrics(limited)["ducklakeInlinedRows"] == 3


def test_many_inlined_rows_become_several_tasks(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {MANY}") as peer:
        peer.run("CREATE TABLE t (id BIGINT, text VARCHAR)")
        peer.run(f"INSERT INTO t SELECT i, repeat('x', {LONG}) || i FROM range({MANY}) r(i)")
    table = spark.table(f"{register(lake)}.t")

    total = table.selectExpr("count(*)", "sum(id)", "sum(length(text))", "count(DISTINCT text)")

    assert table.rdd.getNumPartitions() in (2, 3, 4)
    digits = sum(len(str(i)) for i in range(MANY))
    assert tuple(total.first() or ()) == (
        MANY,
        MANY * (MANY - 1) // 2,
        MANY * LONG + digits,
        MANY,
    )
    assert spark.sql(f"SELECT count(*) FROM {register(lake)}.t WHERE text > ''").first() == (MANY,)
    assert table.where(f"id >= {MANY - 10}").count() == 10


def test_a_row_that_is_deleted_in_two_places_counts_once(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """Two DuckDBs that delete it at the same time (format 4.6)."""
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INT)", "INSERT INTO t SELECT i FROM range(100) r(i)")
    with Peer(lake) as one, Peer(lake) as other:
        for peer in (one, other):
            peer.connection.execute("BEGIN")
        one.connection.execute("DELETE FROM t WHERE a < 40")
        other.connection.execute("DELETE FROM t WHERE a IN (5, 50)")
        for peer in (one, other):
            peer.connection.execute("COMMIT")
    catalog = register(lake)

    counted = spark.sql(f"SELECT count(*) FROM {catalog}.t").collect()

    assert counted == [(59,)]
    assert len(spark.table(f"{catalog}.t").collect()) == 59
