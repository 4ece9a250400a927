"""INSERT … REPLACE USING: rows with the same values in some columns go, the query's rows come."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]


@pytest.fixture
def table(spark: SparkSession, lake: Lake, register: Register) -> str:
    """The name of a table of DuckDB with two rows of day 1, one of day 2, and one of no day."""
    with Peer(lake) as peer:
        peer.run(
            'CREATE TABLE t (day INTEGER, id BIGINT, "a b" VARCHAR)',
            "INSERT INTO t VALUES (1, 10, 'x'), (1, 11, 'x'), (2, 20, 'x'), (NULL, 30, 'x')",
        )
    return f"{register(lake)}.main.t"


def read(lake: Lake) -> list[tuple[object, ...]]:
    """The rows that DuckDB reads."""
    with Peer(lake) as peer:
        return peer.rows("FROM t ORDER BY ALL")


def test_rows_of_the_same_values_are_replaced_in_one_snapshot(
    spark: SparkSession, lake: Lake, table: str
) -> None:
    with Peer(lake) as peer:
        before = peer.head()

    spark.sql(
        f"INSERT INTO {table} REPLACE USING (DAY) "
        "VALUES (1, 12, 'new'), (1, 12, 'new'), (3, 40, NULL), (NULL, 31, 'new'); -- today's"
    )

    assert read(lake) == [
        (1, 12, "new"),
        (1, 12, "new"),
        (2, 20, "x"),
        (3, 40, None),
        (None, 30, "x"),
        (None, 31, "new"),
    ]
    with Peer(lake) as peer:
        assert peer.head() == before + 1


def test_columns_may_come_by_name_and_several_may_be_compared(
    spark: SparkSession, lake: Lake, table: str
) -> None:
    query = f"WITH old AS (SELECT * FROM {table}) SELECT id, `a b` || '!' AS `a b`, day FROM old"

    spark.sql(f"INSERT INTO TABLE {table} BY NAME REPLACE USING (day, `a b`) {query}")

    assert [row for row in read(lake) if row[0] is not None] == [
        (1, 10, "x"),
        (1, 10, "x!"),
        (1, 11, "x"),
        (1, 11, "x!"),
        (2, 20, "x"),
        (2, 20, "x!"),
    ]
    spark.sql(f"INSERT INTO {table} REPLACE USING (id) SELECT * FROM {table} WHERE day = 1")
    assert len(read(lake)) == 8


def test_a_query_without_rows_changes_nothing(spark: SparkSession, lake: Lake, table: str) -> None:
    before = read(lake)

    spark.sql(f"INSERT INTO {table} REPLACE USING (day) SELECT * FROM {table} WHERE day = 9")

    assert read(lake) == before


def test_what_cannot_be_done_is_refused(spark: SparkSession, lake: Lake, table: str) -> None:
    before = read(lake)

    refused(
        spark,
        f"INSERT INTO {table} REPLACE USING (day) VALUES (1, 2)",
        "ASSIGNMENT_ARITY_MISMATCH",
    )
    refused(
        spark,
        f"INSERT INTO {table} REPLACE USING (nope) VALUES (1, 2, 'x')",
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "nope",
    )
    refused(
        spark,
        f"INSERT INTO {table} AS o REPLACE ON o.day = s.day SELECT * FROM {table} AS s",
        "DUCKLAKE_UNSUPPORTED",
        "MERGE INTO",
        "REPLACE USING",
        "REPLACE WHERE",
    )
    assert read(lake) == before
    assert rows(spark, f"SELECT count(*) FROM {table}") == [(4,)]
