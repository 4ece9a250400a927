"""Tables in Spark's cache: their rows and columns follow the session's own changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.lakes import Lake
from support.lines import CACHE, MADE_VIEWS, since

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)


@pytest.fixture
def catalog(spark: SparkSession, lake: Lake, register: Register) -> Iterator[str]:
    """A lake with the table `t`: snapshot 1 makes it, 2 and 3 add a row each."""
    name = register(lake)
    spark.sql(f"CREATE TABLE {name}.t (a INT)")
    spark.sql(f"INSERT INTO {name}.t VALUES (1)")
    spark.sql(f"INSERT INTO {name}.t VALUES (2)")
    yield name
    spark.catalog.clearCache()


def cached(spark: SparkSession, query: str) -> list[tuple[object, ...]]:
    """The rows of a query, which comes from the cache."""
    frame = spark.sql(query)
    assert "InMemoryRelation" in frame._jdf.queryExecution().withCachedData().toString()
    return sorted(tuple(row) for row in frame.collect())


CHANGES: tuple[tuple[str, list[tuple[object, ...]]], ...] = (
    ("INSERT INTO {other} VALUES (3)", [(1,), (2,), (3,)]),
    ("DELETE FROM {other} WHERE a = 3", [(1,), (2,)]),
    ("UPDATE {other} SET a = 7 WHERE a = 1", [(2,), (7,)]),
    ("CALL {catalog}.system.rollback_to_snapshot('t', snapshot_version => 2)", [(1,)]),
    ("CALL {catalog}.system.undo_commit(7)", [(2,), (7,)]),
    ("CALL {catalog}.system.rollback_to_snapshot(snapshot_version => 3)", [(1,), (2,)]),
    ("CALL {catalog}.system.add_data_files('t', '{file}')", [(1,), (2,), (9,)]),
    ("ALTER TABLE {other} ADD COLUMN b INT", [(1, None), (2, None), (9, None)]),
    ("TRUNCATE TABLE {other}", []),
)
"""Statements, each with the rows of the table behind it."""


@since(CACHE)
@pytest.mark.parametrize(("name", "other"), [("t", "main.t"), ("main.t", "t")])
def test_a_cached_table_follows_changes_under_its_other_name(
    spark: SparkSession, catalog: str, tmp_path: Path, name: str, other: str
) -> None:
    table = f"{catalog}.{name}"
    file = tmp_path / "a.parquet"
    duckdb.sql(f"COPY (SELECT 9::INT AS a) TO '{file}'")
    spark.sql(f"CACHE TABLE {table}")

    for statement, expected in CHANGES:
        spark.sql(statement.format(catalog=catalog, other=f"{catalog}.{other}", file=file))

        assert cached(spark, f"SELECT * FROM {table}") == expected, statement


@since(CACHE)
def test_cached_rows_of_a_named_snapshot_stay(spark: SparkSession, catalog: str) -> None:
    past = f"SELECT * FROM {catalog}.t VERSION AS OF 2"
    spark.sql(past).cache()

    spark.sql(f"INSERT INTO {catalog}.main.t VALUES (3)")

    assert cached(spark, past) == [(1,)]
    assert rows(spark, f"SELECT count(*) FROM {catalog}.t") == [(3,)]


@since(MADE_VIEWS)
def test_cached_queries_and_views_follow_the_tables_that_they_read(
    spark: SparkSession, catalog: str
) -> None:
    joined = f"SELECT x.a, y.a FROM {catalog}.t x JOIN {catalog}.u y ON x.a = y.a"
    spark.sql(f"CREATE TABLE {catalog}.u (a INT)")
    spark.sql(f"CREATE VIEW {catalog}.main.v AS SELECT a + 1 AS b FROM {catalog}.main.t")
    spark.sql(joined).cache()
    spark.sql(f"CACHE TABLE {catalog}.main.v")

    spark.sql(f"INSERT INTO {catalog}.main.u VALUES (1)")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (3)")

    assert rows(spark, joined) == [(1, 1)]
    assert cached(spark, f"SELECT * FROM {catalog}.main.v") == [(2,), (3,), (4,)]


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE {c}.main.t",
        "ALTER TABLE {c}.main.t RENAME TO u",
        "CREATE OR REPLACE TABLE {c}.main.t AS SELECT 5 AS a",
    ],
)
def test_a_table_that_loses_its_name_leaves_the_cache(
    spark: SparkSession, catalog: str, statement: str
) -> None:
    spark.sql(f"CACHE TABLE {catalog}.t")

    spark.sql(statement.format(c=catalog))

    assert spark._jsparkSession.sharedState().cacheManager().isEmpty()
