"""A view of DuckDB is read when its text surely means the same in Spark, and refused otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.lakes import LakeFactory
from support.peer import Peer

TABLES = (
    "CREATE TABLE t (i INT, l INT[], s VARCHAR, d DECIMAL(9, 2), f DOUBLE, day DATE, ts TIMESTAMP)",
    r"INSERT INTO t VALUES (1, [10, 20], 'a\tb', 1.50, 1.5, '2024-02-29', '2024-02-29 12:30:00'), "
    "(NULL, [30, 40], 'x''y', 2.25, 2.5, '2023-12-31', '2023-12-31 23:59:59'), "
    "(3, NULL, 'Ä', NULL, NULL, NULL, NULL)",
    "CREATE TABLE u (i INT, name VARCHAR)",
    "INSERT INTO u VALUES (1, 'one'), (2, 'two'), (NULL, 'none')",
)

SHARED = (
    r"SELECT i, s FROM t WHERE s = 'a\tb'",
    "SELECT i + 1 AS a, -i AS b, i * 2 - 1 AS c, i % 2 AS m, i / 2 AS h, f / 2 AS g FROM t",
    "SELECT * FROM t WHERE i IN (1, 2) OR i IS NULL AND NOT f < 2",
    "SELECT i FROM t WHERE i BETWEEN 1 AND 2 UNION ALL SELECT i FROM u",
    "SELECT t.i, u.name FROM t LEFT JOIN u ON t.i = u.i",
    "SELECT t.s FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.i = t.i)",
    "SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.i > t.i)",
    "WITH few AS (SELECT i, f FROM t WHERE f > 1) SELECT count(f) AS n, sum(i) AS m FROM few",
    "SELECT day, count(DISTINCT i) AS n, avg(f) AS a FROM t GROUP BY day HAVING count(day) >= 0",
    "SELECT upper(s) || '-' || lower(s) AS b, length(s) AS n, coalesce(i, 0) AS c FROM t",
    "SELECT CASE WHEN i > 1 THEN 'many' WHEN i = 1 THEN 'one' ELSE 'none' END AS c FROM t",
    "SELECT CAST(i AS BIGINT) AS b FROM t",
    "SELECT i FROM t WHERE day >= '2024-01-01' AND ts < '2024-03-01 00:00:00'",
    "SELECT year(day) AS y, month(day) AS m, day(day) AS d, hour(ts) AS h FROM t",
    "SELECT quarter(ts) AS q FROM t",
    "SELECT i FROM t ORDER BY i NULLS FIRST LIMIT 1",
    "SELECT i FROM u ORDER BY i DESC NULLS LAST LIMIT 1",
    "SELECT i, row_number() OVER (PARTITION BY day ORDER BY i NULLS FIRST) AS n FROM t",
    "SELECT DISTINCT day FROM t",
    "SELECT i FROM t EXCEPT SELECT i FROM u",
    "SELECT (SELECT max(i) FROM u) AS m, greatest(i, 2) AS g, least(i, 2) AS l FROM t",
)

OTHER = (
    "SELECT l[1] AS f FROM t",
    "SELECT i ^ 3 AS p FROM t",
    "SELECT i FROM t ORDER BY i LIMIT 1",
    "SELECT i, row_number() OVER (ORDER BY i) AS n FROM t",
    "SELECT CAST(f AS INT) AS n FROM t",
    "SELECT CAST(f AS VARCHAR) AS n FROM t",
    "SELECT d / 3 AS third FROM t",
    "SELECT avg(d) AS a FROM t",
    "SELECT concat(s, NULL) AS c FROM t",
    "SELECT l || NULL AS c FROM t",
    "SELECT dayofweek(day) AS w FROM t",
    "SELECT date_part('dow', day) AS w FROM t",
    "SELECT log(f) AS l FROM t",
    "SELECT substring(s, 0, 2) AS p FROM t",
    "SELECT regexp_replace(s, '[a-z]', '') AS r FROM t",
    "SELECT array_agg(i) AS a FROM t",
    r"SELECT s FROM t WHERE s LIKE 'a\_b'",
)


def asked(spark: SparkSession, query: str) -> list[tuple[Any, ...]] | str:
    """The rows of a query, or the condition of its error."""
    try:
        return sorted((tuple(row) for row in spark.sql(query).collect()), key=str)
    except PySparkException as error:
        return error.getCondition() or str(error)


def test_views_mean_what_they_mean_in_duckdb_or_are_refused(
    spark: SparkSession, lakes: LakeFactory, register: Callable[..., str]
) -> None:
    lake = lakes.new("sqlite")
    texts = [*SHARED, *OTHER]
    with Peer(lake) as peer:
        peer.run(*TABLES)
        peer.run(*(f"CREATE VIEW v{n} AS {text}" for n, text in enumerate(texts)))
        meant = [sorted(peer.rows(f"FROM v{n}"), key=str) for n in range(len(SHARED))]
    catalog = register(lake)

    found = {
        text: asked(spark, f"SELECT * FROM {catalog}.main.v{n}") for n, text in enumerate(texts)
    }

    assert {text: found[text] for text in SHARED} == dict(zip(SHARED, meant, strict=True))
    assert {found[text] for text in OTHER} == {"DUCKLAKE_UNUSABLE_VIEW"}, {
        text: rows for text, rows in found.items() if text in OTHER and isinstance(rows, list)
    }


def test_what_may_mean_something_else_is_named(
    spark: SparkSession, lakes: LakeFactory, register: Callable[..., str]
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(*TABLES, "CREATE VIEW v AS SELECT i, dayofweek(day) AS w FROM t")
    catalog = register(lake)

    try:
        spark.sql(f"SELECT * FROM {catalog}.main.v").collect()
    except PySparkException as error:
        assert "`dayofweek` may mean something else in Spark" in str(error)
    else:
        raise AssertionError("the view was read")
