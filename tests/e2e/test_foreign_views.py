"""A view of DuckDB is read when its text surely means the same in Spark, and refused otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.lakes import LakeFactory
from support.lines import PLAIN_VIEWS, has
from support.peer import Peer
from support.sweep import swept

TABLES = (
    "CREATE TABLE t (i INT, b BIGINT, ti TINYINT, l INT[], s VARCHAR, d DECIMAL(9, 2), "
    "d18 DECIMAL(18, 2), big DECIMAL(38, 10), f DOUBLE, fl FLOAT, day DATE, ts TIMESTAMP, "
    "tz TIMESTAMPTZ, ns TIMESTAMP_NS, tm TIME, iv INTERVAL, id UUID, bo BOOLEAN, "
    "p STRUCT(a INT), st STRUCT(a INT, k TIME), u16 USMALLINT, ms TIMESTAMP_MS)",
    r"INSERT INTO t BY NAME SELECT 1 AS i, 9007199254740993 AS b, 100 AS ti, [10, 20] AS l, "
    r"'a\tb' AS s, 1.50 AS d, 99.99 AS d18, 12345678.0123456789 AS big, 1.5 AS f, 0.1 AS fl, "
    "DATE '2024-02-29' AS day, TIMESTAMP '2024-02-29 12:30:00' AS ts, "
    "TIMESTAMPTZ '2024-01-01 00:00:00+00' AS tz, TIME '12:00:00' AS tm, INTERVAL 1 MONTH AS iv, "
    "UUID '0d2e7a8e-0000-4000-8000-000000000001' AS id, true AS bo, {'a': 1} AS p, "
    "{'a': 1, 'k': NULL} AS st",
    "INSERT INTO t BY NAME SELECT 3 AS i, -7 AS b, -100 AS ti, 'O''Brien' AS s, -2.25 AS d, "
    "1.5 AS d18, 1.5 AS big, -0.0::DOUBLE AS f, 1.5 AS fl, DATE '1960-01-01' AS day, "
    "TIMESTAMP '1960-01-01 12:30:00' AS ts, TIME '01:00:00.5' AS tm, INTERVAL 30 DAY AS iv, "
    "false AS bo, {'a': 2} AS p",
    r"INSERT INTO t BY NAME SELECT -4 AS i, 1 AS b, 'back\slash' AS s, 0.05 AS d, 0.0 AS f, "
    "DATE '2024-01-31' AS day, TIMESTAMP '2024-01-31 23:59:59.999999' AS ts",
    "INSERT INTO t BY NAME SELECT NULL AS i, 'ßÄ😀' AS s, 'nan'::DOUBLE AS f, 3 AS u16, "
    "TIMESTAMP '2024-01-01 00:00:00.001' AS ms",
    "CREATE TABLE u (i INT, name VARCHAR)",
    "INSERT INTO u VALUES (1, 'one'), (2, 'two'), (NULL, 'none')",
    "CREATE TABLE w (n VARCHAR, i INT, z INT)",
    "INSERT INTO w VALUES ('q', 1, 7), ('r', 3, 8)",
)

SHARED = (
    "SELECT i + 1 AS a, -i AS b, i * 2 - 1 AS c, i % 2 AS m, i / 2 AS h, f / 2 AS g FROM t",
    "SELECT b + i AS x, b * 2 AS y, b % 3 AS z, b / 2 AS w, i - -1 AS v, -(-i) AS u FROM t",
    "SELECT 5 / 2 AS x, -5 % 3 AS y, 5 % -3 AS z, 7 / 2 * 2 AS w, f % 2 AS m, -f AS n FROM t",
    "SELECT i, s FROM t WHERE i IN (1, 2) OR i IS NULL AND NOT f < 2",
    "SELECT i FROM t WHERE i BETWEEN 1 AND 2 UNION ALL SELECT i FROM u",
    "SELECT i IN (1, NULL) AS a, i NOT IN (1, NULL) AS b, i NOT BETWEEN 1 AND 2 AS c FROM t",
    "SELECT t.i, u.name FROM t LEFT JOIN u ON t.i = u.i",
    "SELECT u.name FROM t RIGHT JOIN u ON t.i = u.i CROSS JOIN u AS x",
    "SELECT w.i AS a, u.i AS b, i FROM w FULL JOIN u USING (i)",
    "SELECT w.i AS a, u.i AS b, i FROM w RIGHT JOIN u USING (i)",
    "SELECT n, name FROM w NATURAL JOIN u",
    "SELECT i FROM w SEMI JOIN u ON w.i = u.i",
    "SELECT i FROM w ANTI JOIN u ON w.i = u.i",
    "SELECT * FROM w",
    "SELECT w.* FROM w, u WHERE w.i = u.i",
    "SELECT t.s FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.i = t.i)",
    "SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.i > t.i)",
    "SELECT i FROM w WHERE i IN (SELECT i FROM u)",
    "SELECT i FROM w WHERE i NOT IN (SELECT i FROM u)",
    "SELECT i FROM w WHERE i NOT IN (SELECT i FROM u WHERE i > 0) AND z > 0",
    "SELECT n, (SELECT count(*) FROM u WHERE u.i = w.i) AS c FROM w",
    "WITH few AS (SELECT i, f FROM t WHERE f > 1) SELECT count(f) AS n, sum(i) AS m FROM few",
    "SELECT day, count(DISTINCT i) AS n, avg(f) AS a FROM t GROUP BY day HAVING count(day) >= 0",
    "SELECT i % 2 AS z, count(*) AS n FROM t GROUP BY z HAVING n > 1",
    "SELECT i, count(*) FILTER (WHERE i > 1) AS n FROM t GROUP BY 1",
    "SELECT f, count(*) AS n FROM t GROUP BY f",
    "SELECT DISTINCT f FROM t",
    "SELECT f FROM t INTERSECT ALL SELECT f FROM t",
    "SELECT f > 1 AS a, f = f AS b, greatest(f, 0.5) AS c, least(f, 0.5) AS d FROM t",
    "SELECT count(*) AS n, sum(i) AS a, sum(b) AS b, sum(d) AS c, sum(d) * 1.5 AS d FROM t",
    "SELECT avg(i) AS a, avg(ti) AS b, max(f) AS c, min(s) AS d, max(tz) = max(tz) AS e FROM t",
    "SELECT bool_and(bo) AS a, bool_or(i > 0) AS b, count_if(i > 0) AS c FROM t",
    "SELECT sum(big) AS a, min(big) AS b, big > d AS c, d > i AS e FROM t GROUP BY big, d, i",
    "SELECT d * 2 AS x, d - 1 AS y, d + d18 AS z, d = d18 AS v, -d AS w, abs(d) AS a FROM t",
    "SELECT d * d AS x, d - 0.125 AS y, d % 2 AS z, 0.1 + 0.2 AS p, 1.0 AS q FROM t",
    "SELECT s || '-' AS b, length(s) AS n, coalesce(i, 0) AS c, nullif(i, 1) AS d FROM t",
    "SELECT replace(s, 'a', '') AS x, replace(s, '', 'z') AS y, s || i AS z FROM t",
    "SELECT greatest(i, NULL) AS x, least(i, 2, NULL) AS y, abs(i) AS z FROM t",
    "SELECT CASE WHEN i > 1 THEN 'many' WHEN i = 1 THEN 'one' ELSE 'none' END AS c FROM t",
    "SELECT CAST(i AS BIGINT) AS b, CAST(d AS DOUBLE) AS d, CAST(b AS DOUBLE) AS e FROM t",
    "SELECT CAST(i AS VARCHAR) AS b, CAST(bo AS VARCHAR) AS d, CAST(ts AS DATE) AS e FROM t",
    "SELECT CAST(i AS DECIMAL(12, 2)) AS x, CAST(d AS DECIMAL(12, 3)) AS y FROM t",
    "SELECT CAST(fl AS DOUBLE) AS x, fl = fl AS y, fl + fl AS z FROM t",
    "SELECT i FROM t WHERE day >= '2024-01-01' AND ts < '2024-03-01 00:00:00' AND i = '1'",
    "SELECT day IN ('2024-02-29', '2023-01-01') AS a, day < ts AS b, day = DATE '1960-01-01' AS c "
    "FROM t",
    "SELECT year(day) AS y, month(day) AS m, day(day) AS d, hour(ts) AS h, quarter(ts) AS q FROM t",
    "SELECT date_part('hour', ts) AS h, extract(year FROM day) AS y, minute(ts) AS m FROM t",
    "SELECT i FROM t ORDER BY i NULLS FIRST LIMIT 1",
    "SELECT i FROM t ORDER BY i DESC NULLS FIRST, s DESC LIMIT 2",
    "SELECT i FROM u ORDER BY i DESC NULLS LAST LIMIT 1",
    "SELECT i, s FROM t ORDER BY 2 NULLS FIRST LIMIT 2",
    "SELECT -i AS i FROM t ORDER BY i NULLS LAST LIMIT 1",
    "SELECT i, row_number() OVER (PARTITION BY day ORDER BY i NULLS FIRST) AS n FROM t",
    "SELECT sum(i) OVER (ORDER BY s NULLS FIRST) AS x, count(*) OVER () AS n FROM t",
    "SELECT i FROM t EXCEPT SELECT i FROM u",
    "SELECT i FROM t EXCEPT ALL SELECT i FROM u",
    "SELECT (SELECT max(i) FROM u) AS m, greatest(i, 2) AS g, least(i, 2) AS l FROM t",
    "SELECT -i AS f, f + 1 AS k FROM t",
    "SELECT i IS DISTINCT FROM 1 AS x, i IS NOT DISTINCT FROM NULL AS y FROM t",
    "SELECT p.a AS x, count(tm) AS n, count(id) AS m FROM t WHERE iv IS NOT NULL GROUP BY p.a",
    "SELECT s FROM t WHERE s = 'O''Brien'",
    r"SELECT i, s FROM t WHERE s = 'a\tb' OR s = 'back\slash'",
    r"SELECT '\' || s || '''' AS x, 'a\\b' AS a, '\n' AS b, '\u0041' AS c, '\%' AS d FROM t",
    'SELECT \'it\'\'s -- /* ASOF ~~ */\' AS "nulls first CAST(", i AS "a""b" FROM t',
    "SELECT '${abc}' AS x, '${env:HOME}' AS y, '${spark:spark.app.name}' AS z",
    "SELECT u16 AS a, u16 / 2 AS b, u16 % 2 AS c, u16 > i AS d FROM t",
    "SELECT ms < '2024-01-01 00:00:01' AS a, ms > TIMESTAMP '2024-01-01 00:00:00.0005' AS b FROM t",
    "SELECT d % 0.5 AS a FROM t WHERE d > 0",
    "SELECT (SELECT max(u.i) AS k FROM u WHERE u.i = w.i) AS m FROM w",
    "SELECT s FROM t WHERE s LIKE 'a%' OR s LIKE '____' AND s NOT LIKE '_b%' OR s LIKE '%''%'",
)

OTHER = (
    ("SELECT l[1] AS f FROM t", "["),
    ("SELECT i ^ 3 AS p FROM t", "^"),
    ("SELECT i ** 3 AS p FROM t", "**"),
    ("SELECT i // 2 AS p FROM t", "//"),
    ("SELECT [1.0::FLOAT]::FLOAT[1] <=> [2.0::FLOAT]::FLOAT[1] AS p", "["),
    ("SELECT i FROM t ORDER BY i LIMIT 1", "ORDER BY without NULLS"),
    ("SELECT s FROM t ORDER BY tz DESC NULLS FIRST, i LIMIT 1", "ORDER BY without NULLS"),
    ("SELECT i, 'nulls first' AS x FROM t ORDER BY i LIMIT 1", "ORDER BY without NULLS"),
    ('SELECT i AS "nulls first" FROM t ORDER BY i LIMIT 1', "ORDER BY without NULLS"),
    (
        "SELECT s, rank() OVER (ORDER BY tz DESC NULLS FIRST, i) AS n FROM t",
        "ORDER BY without NULLS",
    ),
    ("SELECT i, row_number() OVER (ORDER BY i) AS n FROM t", "ORDER BY without NULLS"),
    ("SELECT -i AS i FROM t ORDER BY i + 0 NULLS LAST LIMIT 1", "ORDER BY an expression"),
    ("SELECT s, name FROM t POSITIONAL JOIN u", "POSITIONAL"),
    ("SELECT s, name FROM t ASOF JOIN u ON b >= u.i", "ASOF"),
    ("SELECT s, name FROM t ASOF LEFT JOIN u ON b >= u.i", "ASOF"),
    ("SELECT * FROM w JOIN u USING (i)", "* above a join"),
    ("SELECT * FROM w NATURAL JOIN u", "* above a join"),
    ("SELECT t.i, u.i FROM t, u", "two columns i"),
    ("SELECT col1 FROM (VALUES (1, 2)) AS v", "VALUES"),
    ("SELECT CAST(f AS INT) AS n FROM t", "CAST(", "t.f AS INT)"),
    ("SELECT CAST(f AS VARCHAR) AS n FROM t", "t.f AS STRING)"),
    ("SELECT CAST(ts AS VARCHAR) AS n FROM t", "t.ts AS STRING)"),
    ("SELECT CAST(day AS VARCHAR) AS n FROM t", "t.day AS STRING)"),
    ("SELECT CAST(d AS DECIMAL(9, 1)) AS n FROM t", "t.d AS DECIMAL(9,1))"),
    ("SELECT CAST(big AS DOUBLE) AS n FROM t", "t.big AS DOUBLE)"),
    ("SELECT CAST('1 day' AS INTERVAL) AS n", "CAST('1 day' AS INTERVAL)"),
    ("SELECT TIMESTAMP '2024-01-01 00:00:00+02' AS n", "CAST('2024-01-01 00:00:00+02'"),
    ("SELECT day = '2024-1-1' AS n FROM t", "CAST('2024-1-1' AS DATE)"),
    ("SELECT i = ' 1 ' AS n FROM t", "CAST(' 1 '"),
    ("SELECT f || '' AS n FROM t", "t.f AS STRING)"),
    ("SELECT tz || '' AS n FROM t", "t.tz AS STRING)"),
    ("SELECT i FROM t UNION ALL SELECT '5'", "CAST("),
    ("SELECT s FROM t UNION ALL SELECT i FROM t", "t.s AS BIGINT)"),
    ("SELECT CASE WHEN i = 1 THEN i ELSE '5' END AS c FROM t", "CAST('5'"),
    ("SELECT fl = 0.1 AS c FROM t", "t.fl AS DOUBLE)"),
    ("SELECT fl + 1 AS c FROM t", "t.fl AS"),
    ("SELECT fl > i AS c FROM t", "AS DOUBLE)"),
    ("SELECT fl || '' AS c FROM t", "t.fl AS STRING)"),
    ("SELECT sum(fl) AS c FROM t", "sum("),
    ("SELECT avg(b) AS c FROM t", "avg("),
    ("SELECT ti + 100 AS c FROM t", "t.ti AS INT) + 100"),
    ("SELECT -u16 AS c FROM t", "t.u16"),
    ("SELECT q FROM (SELECT u16 AS q FROM t) AS s WHERE -q < 0", "s.q"),
    ("SELECT u16 - 1 AS c FROM t", "t.u16"),
    ("SELECT i FROM t WHERE ms < '2024-01-01 00:00:00.0014'", "00:00.0014' AS TIMESTAMP"),
    ("SELECT ms IN ('2024-01-01 00:00:00.0014') AS c FROM t", "00:00.0014' AS TIMESTAMP"),
    ("SELECT sum(b) % 0.1 AS c FROM t", "%"),
    (
        "SELECT u.i FROM u WHERE EXISTS (SELECT t.s AS name FROM t WHERE name = 'back')",
        "a subquery's condition",
    ),
    ("SELECT id FROM t WHERE id = '0D2E7A8E-0000-4000-8000-000000000001'", "t.id`"),
    ("SELECT max(tm) AS c FROM t", "t.tm`"),
    ("SELECT DISTINCT iv FROM t", "t.iv`"),
    ("SELECT iv FROM t GROUP BY iv", "t.iv`"),
    ("SELECT iv FROM t UNION ALL SELECT iv FROM t", "t.iv`"),
    ("SELECT i FROM t ORDER BY ns NULLS LAST LIMIT 1", "t.ns`"),
    ("SELECT count(DISTINCT tm) AS c FROM t", "t.tm`"),
    ("SELECT x FROM (SELECT tm AS x FROM t) AS q WHERE x > '01:00:00'", "q.x`"),
    ("WITH q AS (SELECT tm AS x FROM t) SELECT max(x) AS m FROM q", "q.x`"),
    ("SELECT (SELECT id FROM t LIMIT 1) = s AS c FROM t", "t.id`"),
    ("SELECT i FROM t WHERE id IN (SELECT id FROM t)", "t.id`"),
    ("SELECT st.k || '' AS c FROM t", "t.st"),
    ("SELECT i IN (SELECT i FROM u) AS c FROM t", " IN ("),
    ("SELECT n FROM w WHERE (i NOT IN (SELECT i FROM u)) IS NULL", " IN ("),
    ("SELECT l = l AS c FROM t", "t.l`"),
    ("SELECT big + d AS c FROM t", "t.big +"),
    ("SELECT big * d AS c FROM t", "t.big *"),
    ("SELECT d / 3 AS third FROM t", "/"),
    ("SELECT avg(d) AS a FROM t", "avg("),
    ("SELECT day - day AS c FROM t", "t.day - "),
    ("SELECT day + INTERVAL 1 DAY AS c FROM t", "to_days"),
    ("SELECT year(tz) AS c FROM t", "t.tz AS DATE)"),
    ("SELECT hour(day) AS c FROM t", "t.day AS TIMESTAMP)"),
    ("SELECT day = tz AS c FROM t", "t.day AS TIMESTAMP)"),
    ("SELECT floor(f) AS c FROM t", "floor"),
    ("SELECT upper(s) AS c FROM t", "upper"),
    ("SELECT lower(s) AS c FROM t", "lower"),
    ("SELECT concat(s, NULL) AS c FROM t", "concat"),
    ("SELECT dayofweek(day) AS w FROM t", "dayofweek"),
    ("SELECT date_part('dow', day) AS w FROM t", "date_part"),
    ("SELECT log(f) AS l FROM t", "log"),
    ("SELECT substring(s, 0, 2) AS p FROM t", "substring"),
    ("SELECT regexp_replace(s, '[a-z]', '') AS r FROM t", "regexp_replace"),
    ("SELECT array_agg(i) AS a FROM t", "array_agg"),
    ("SELECT s COLLATE NOCASE AS c FROM t", "collate"),
    ("SELECT DISTINCT ON (i) i, s FROM t", "ON"),
    ("SELECT i FROM t TABLESAMPLE 10%", "Sample"),
    (r"SELECT s FROM t WHERE s LIKE 'a\_b'", "~~"),
    ("SELECT s FROM t WHERE s LIKE 'a' || s", "~~"),
    ("SELECT s FROM t WHERE s ILIKE 'A%'", "~~*"),
    ('SELECT i AS "back\\slash" FROM t', '"back\\slash"'),
    (
        "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 5) "
        "SELECT x FROM r",
        "UnresolvedWith",
    ),
)
"""Texts that Spark parses, or would parse, in another meaning, each with what must be named."""

NOT_RUN = (
    "SELECT l || NULL AS c FROM t",
    "SELECT i FROM t, LATERAL (SELECT t.i + 1 AS k) AS q",
    "SELECT * EXCLUDE (i) FROM w",
    "SELECT i FROM t LIMIT 10%",
    "SELECT 1 AS a UNION ALL BY NAME SELECT 2 AS a",
    "WITH a AS MATERIALIZED (SELECT 1 AS x) SELECT x FROM a",
    "SELECT CAST(i AS HUGEINT) AS x FROM t",
    "SELECT TIMESTAMPTZ '2024-01-01 00:00:00+02' AS x",
)
"""Texts that Spark itself refuses."""

Rows = list[list[tuple[str, str]]]


def typed(rows: Iterable[Sequence[Any]]) -> Rows:
    """The rows in a fixed order, each value with its type.

    NaN is like itself, and a zero has no sign: which zero stands for a group is by chance.
    """
    return sorted([(type(value).__name__, shown(value)) for value in row] for row in rows)


def shown(value: object) -> str:
    """A value as text."""
    return repr(value + 0.0) if isinstance(value, float) else repr(value)


def asked(spark: SparkSession, query: str) -> Rows | str:
    """The rows of a query, or the message of its error."""
    try:
        return typed(tuple(row) for row in spark.sql(query).collect())
    except PySparkException as error:
        return f"{error.getCondition()}: {error}"


def test_views_mean_what_they_mean_in_duckdb_or_are_refused(
    spark: SparkSession, lakes: LakeFactory, register: Callable[..., str]
) -> None:
    lake = lakes.new("sqlite")
    shared, others = swept(SHARED, 3), [text for text, *_ in OTHER]
    texts = [*shared, *others, *NOT_RUN]
    with Peer(lake) as peer:
        peer.run(*TABLES)
        peer.run(*(f"CREATE VIEW v{n} AS {text}" for n, text in enumerate(texts)))
    with Peer(lake) as peer:
        meant = {text: typed(peer.rows(f"FROM v{n}")) for n, text in enumerate(shared)}
    catalog = register(lake)

    found = {
        text: asked(spark, f"SELECT * FROM {catalog}.main.v{n}") for n, text in enumerate(texts)
    }

    assert {text: found[text] for text in shared} == meant
    refusal = "DUCKLAKE_UNUSABLE_VIEW"
    assert {text: found[text] for text in texts[len(shared) :] if refusal not in found[text]} == {}
    if not has(PLAIN_VIEWS):  # Spark reports an error of its own before the doubt
        return
    named = {text: str(found[text]).partition("` may mean")[0] + "`" for text in others}
    assert {
        text: found[text]
        for text, *parts in OTHER
        if "` may mean something else" not in found[text]
        or any(part not in named[text] for part in parts)
    } == {}
    assert {text: found[text] for text in NOT_RUN if "` may mean" in found[text]} == {}


def test_values_that_spark_has_as_text_are_passed_on(
    spark: SparkSession, lakes: LakeFactory, register: Callable[..., str]
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(
            *TABLES,
            "CREATE VIEW inner_view AS SELECT id AS k, tm, i FROM t",
            "CREATE VIEW v AS SELECT k, tm FROM inner_view WHERE i = 1",
            "CREATE VIEW w2 AS SELECT max(k) AS m FROM inner_view",
        )
    catalog = register(lake)

    assert [tuple(row) for row in spark.sql(f"SELECT * FROM {catalog}.main.v").collect()] == [
        ("0d2e7a8e-0000-4000-8000-000000000001", "12:00:00")
    ]
    assert "DUCKLAKE_UNUSABLE_VIEW" in asked(spark, f"SELECT * FROM {catalog}.main.w2")


def test_casts_of_decimals_to_double_are_the_same(
    spark: SparkSession, lakes: LakeFactory, register: Callable[..., str]
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE r AS SELECT ((hash(n) % 2000000000000000)::HUGEINT - 1000000000000000)"
            "::DECIMAL(18, 0) / 1 AS x, n FROM range(20000) AS q(n)",
            "CREATE TABLE t (a DECIMAL(15, 3), b DECIMAL(15, 14), n BIGINT)",
            "INSERT INTO t SELECT (x / 1100)::DECIMAL(15, 3), (x / 1e15)::DECIMAL(15, 14), n "
            "FROM r",
            "CREATE VIEW v AS SELECT n, CAST(a AS DOUBLE) AS a, CAST(b AS DOUBLE) AS b FROM t",
        )
        meant = typed(peer.rows("FROM v"))
    catalog = register(lake)

    assert asked(spark, f"SELECT * FROM {catalog}.main.v") == meant


def test_a_macro_or_another_lake_does_not_take_the_place_of_a_name(
    spark: SparkSession, lakes: LakeFactory, register: Callable[..., str]
) -> None:
    other, lake = lakes.new("sqlite"), lakes.new("sqlite")
    with Peer(other) as peer:
        peer.run("CREATE TABLE t AS SELECT 7 AS i")
    schema = register(other)
    with Peer(lake) as peer:
        peer.run(
            f"CREATE SCHEMA {schema}",
            f"CREATE TABLE {schema}.t AS SELECT -1 AS i",
            "CREATE MACRO abs(x) AS x * 100",
            f"CREATE VIEW by_macro AS SELECT abs(i) AS c FROM lake.{schema}.t",
            f"CREATE VIEW by_schema AS SELECT i FROM {schema}.t",
            f"CREATE VIEW whole AS SELECT i FROM lake.{schema}.t",
        )
        assert peer.rows("FROM by_macro UNION ALL FROM by_schema") == [(-100,), (-1,)]
    catalog = register(lake)

    for view, doubt in (("by_macro", "`abs` may mean"), ("by_schema", f"`{schema}.t` may mean")):
        assert doubt in asked(spark, f"SELECT * FROM {catalog}.main.{view}")
    assert asked(spark, f"SELECT * FROM {catalog}.main.whole") == [[("int", "-1")]]
