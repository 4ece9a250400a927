"""Metric views: refused in a lake by name; over a lake's table Spark's own catalog has them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import Lake
from support.lines import METRIC_VIEWS, before, since
from support.peer import Peer

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

TEXT = """
version: "0.1"
source: {table}
dimensions:
  - name: region
    expr: upper(region)
measures:
  - name: total
    expr: sum(amount)
"""


def created(view: str, table: str) -> str:
    """The statement that creates a metric view over a table."""
    return f"{view} WITH METRICS LANGUAGE YAML AS $${TEXT.format(table=table)}$$"


@pytest.fixture
def table(spark: SparkSession, lake: Lake, register: Register) -> str:
    """The name of a table of three rows."""
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (region VARCHAR, amount INTEGER)",
            "INSERT INTO t VALUES ('a', 1), ('A', 2), ('b', 4)",
        )
    return f"{register(lake)}.main.t"


@since(METRIC_VIEWS)
def test_a_metric_view_is_refused_by_its_name(spark: SparkSession, lake: Lake, table: str) -> None:
    view = table.removesuffix(".t") + ".v"

    named = f"metric view {view}"
    refused(spark, created(f"CREATE VIEW {view}", table), "DUCKLAKE_UNSUPPORTED", named)
    spark.sql(f"CREATE VIEW {view} AS SELECT 1 AS a")
    refused(spark, created(f"CREATE OR REPLACE VIEW {view}", table), "DUCKLAKE_UNSUPPORTED", named)

    assert rows(spark, f"SELECT a FROM {view}") == [(1,)]
    with Peer(lake) as peer:
        assert peer.rows("FROM v") == [(1,)]


@since(METRIC_VIEWS)
def test_a_metric_view_of_sparks_own_catalog_reads_a_lake(spark: SparkSession, table: str) -> None:
    view = "spark_catalog.default.totals"
    query = f"SELECT region, measure(total) FROM {view} GROUP BY region ORDER BY region"
    spark.sql(created(f"CREATE VIEW {view}", table))
    try:
        assert rows(spark, query) == [("A", 3), ("B", 4)]
        spark.sql(f"INSERT INTO {table} VALUES ('b', 8)")
        assert rows(spark, query) == [("A", 3), ("B", 12)]
    finally:
        spark.sql(f"DROP VIEW {view}")


@before(METRIC_VIEWS)
def test_older_versions_do_not_know_the_words(spark: SparkSession, table: str) -> None:
    view = table.removesuffix(".t") + ".v"
    own = created("CREATE VIEW spark_catalog.default.totals", table)

    refused(spark, created(f"CREATE VIEW {view}", table), "DUCKLAKE_UNSUPPORTED", view, "Spark 4.2")
    refused(spark, own, "PARSE_SYNTAX_ERROR", "METRICS")
