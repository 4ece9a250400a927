"""Subqueries that read one table are merged into one read, and give what each of them gives."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.lakes import IN_FILES, Lake
from support.lines import ONE_READ, before, has, since
from support.peer import Peer
from support.plans import plan_of
from support.sweep import FULL

Register = Callable[..., str]

SYMMETRIC = "spark.sql.optimizer.mergeSubplans.filterPropagation.symmetricFilterPropagation.enabled"
EXCLUDED = "spark.sql.optimizer.excludedRules"
RULE = "MergeSubplans" if has(ONE_READ) else "MergeScalarSubqueries"
MERGE_SUBPLANS = f"org.apache.spark.sql.catalyst.optimizer.{RULE}"


@pytest.fixture
def filled(lake: Lake) -> Lake:
    """Two tables of ten files each, one range of ids each, with deleted and with inlined rows."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        for name in ("t", "u"):
            peer.run(f"CREATE TABLE {name} (id BIGINT, a BIGINT, b BIGINT, c VARCHAR)")
            for start in range(0, 1000, 100):
                peer.run(
                    f"INSERT INTO {name} SELECT i, i % 7, i * 3 % 11, 'c' || i % 5 "
                    f"FROM range({start}, {start + 100}) r(i)"
                )
            peer.run(f"INSERT INTO {name} VALUES (5, 100, NULL, NULL), (995, NULL, 50, 'x')")
        peer.run("DELETE FROM t WHERE id % 10 = 3", "DELETE FROM u WHERE id % 4 = 1")
    return lake


@pytest.fixture
def whole_plans(spark: SparkSession) -> Iterator[None]:
    """Spark plans a query at once; else it finds equal subqueries only while it executes them."""
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    yield
    spark.conf.unset("spark.sql.adaptive.enabled")


def _scans(plan: str, table: str) -> list[str]:
    return [line for line in plan.splitlines() if "BatchScan" in line and f".{table}[" in line]


@pytest.mark.usefixtures("whole_plans")
def test_subqueries_with_one_filter_are_one_scan(
    spark: SparkSession, filled: Lake, register: Register
) -> None:
    catalog = register(filled)
    query = "SELECT " + ", ".join(
        f"(SELECT {aggregate} FROM {{0}}t WHERE id < 150)"
        for aggregate in ("sum(a)", "max(b)", "count(c)", "count(*)", "min(id)")
    )
    with Peer(filled) as peer:
        expected = peer.rows(query.format(""))

    frame = spark.sql(query.format(f"{catalog}."))

    (scan,) = _scans(plan_of(frame), "t")
    assert "id < 150" in scan
    assert "2 of 10 files" in scan
    assert [tuple(row) for row in frame.collect()] == expected


@pytest.mark.usefixtures("whole_plans")
@before(ONE_READ)
def test_aggregates_in_joins_are_two_scans(
    spark: SparkSession, filled: Lake, register: Register
) -> None:
    t = f"{register(filled)}.t"
    query = f"SELECT * FROM (SELECT sum(a) FROM {t}) CROSS JOIN (SELECT sum(b) FROM {t})"

    assert len(_scans(plan_of(spark.sql(query)), "t")) == 2


@pytest.mark.usefixtures("whole_plans")
@since(ONE_READ)
def test_aggregates_in_joins_are_one_scan(
    spark: SparkSession, filled: Lake, register: Register
) -> None:
    catalog = register(filled)
    query = (
        "SELECT * FROM (SELECT sum(a) AS a FROM {0}t WHERE id > 800) CROSS JOIN "
        "(SELECT sum(b) AS b FROM {0}t WHERE id > 800)"
    )
    with Peer(filled) as peer:
        expected = peer.rows(query.format(""))

    frame = spark.sql(query.format(f"{catalog}."))

    (scan,) = _scans(plan_of(frame), "t")
    assert "id > 800" in scan
    assert [tuple(row) for row in frame.collect()] == expected


@pytest.mark.usefixtures("whole_plans")
def test_the_rule_of_spark_can_be_switched_off(
    spark: SparkSession, filled: Lake, register: Register
) -> None:
    catalog = register(filled)
    spark.conf.set(EXCLUDED, MERGE_SUBPLANS)
    try:
        plan = plan_of(
            spark.sql(
                f"SELECT (SELECT sum(a) FROM {catalog}.t WHERE id < 9), "
                f"(SELECT sum(b) FROM {catalog}.t WHERE id < 9)"
            )
        )
    finally:
        spark.conf.unset(EXCLUDED)

    assert len(_scans(plan, "t")) == 2


def test_a_statement_that_writes_merges_subqueries_too(
    spark: SparkSession, filled: Lake, register: Register
) -> None:
    catalog = register(filled, IN_FILES)
    query = (
        "SELECT (SELECT sum(a) FROM {0}t WHERE id < 150) AS x, "
        "(SELECT max(b) FROM {0}t WHERE id < 150) AS y"
    )
    with Peer(filled) as peer:
        expected = peer.rows(query.format(""))

    spark.sql(f"CREATE TABLE {catalog}.made AS {query.format(f'{catalog}.')}")
    spark.sql(f"INSERT INTO {catalog}.made {query.format(f'{catalog}.')}")
    spark.sql(
        f"DELETE FROM {catalog}.u WHERE a > (SELECT min(a) + 3 FROM {catalog}.t WHERE id < 150) "
        f"AND b < (SELECT max(b) FROM {catalog}.t WHERE id < 150)"
    )

    with Peer(filled) as peer:
        assert peer.rows("SELECT * FROM made") == expected * 2
        left = peer.value("SELECT count(*) FROM u WHERE a > 3 AND b < 10")
        high = peer.value("SELECT count(*) FROM u WHERE a > 3")
    assert left == 0
    assert high > 0


def _subquery(rng: random.Random, depth: int) -> str:
    table = rng.choice(["t", "t", "u"])
    aggregate = rng.choice(["sum(a)", "max(b)", "count(*)", "min(id)", "count(c)", "sum(a + b)"])
    filters = ["id < 150", "id > 800", "id < 150 AND a > 2", "a = 100", "c = 'x'", "b IS NULL"]
    if depth:
        filters.append(f"id < {_subquery(rng, depth - 1)}")
        filters.append(f"id IN (SELECT id FROM {{0}}u WHERE b > {_subquery(rng, depth - 1)})")
    where = rng.choice(["", *[f"WHERE {each}" for each in filters]])
    return f"(SELECT {aggregate} FROM {{0}}{table} {where})"


def _query(rng: random.Random) -> str:
    parts = [_subquery(rng, 1) for _ in range(rng.randint(2, 5))]
    form = rng.randrange(3)
    if form == 0:
        return "SELECT " + ", ".join(parts)
    if form == 1:
        aliased = [f"(SELECT * FROM {part} AS x{i}) AS y{i}" for i, part in enumerate(parts)]
        return "SELECT * FROM " + " CROSS JOIN ".join(aliased)
    return f"SELECT count(*), sum(a) FROM {{0}}u WHERE id > {' AND id <> '.join(parts)}"


@pytest.mark.parametrize("symmetric", ["false", "true"])
def test_random_subqueries_give_what_duckdb_gives(
    spark: SparkSession, filled: Lake, register: Register, symmetric: str
) -> None:
    rng = random.Random(17)
    catalog = register(filled)
    queries = [_query(rng) for _ in range(40 if FULL else 12)]
    with Peer(filled) as peer:
        expected = [peer.rows(query.format("")) for query in queries]

    spark.conf.set(SYMMETRIC, symmetric)
    try:
        found = [rows(spark, query.format(f"{catalog}.")) for query in queries]
    finally:
        spark.conf.unset(SYMMETRIC)

    for query, theirs, ours in zip(queries, expected, found, strict=True):
        assert ours == theirs, query


@pytest.mark.usefixtures("whole_plans")
def test_a_filter_that_is_inferred_late_leaves_out_files(
    spark: SparkSession, filled: Lake, register: Register
) -> None:
    """Spark plans a correlated subquery before it joins it, and finds `t.id < 100` afterwards."""
    catalog = register(filled)
    query = (
        "SELECT u.id FROM {0}u AS u WHERE u.id < 100 AND u.b >= "
        "(SELECT avg(t.b) FROM {0}t AS t WHERE t.id = u.id) ORDER BY u.id"
    )
    with Peer(filled) as peer:
        expected = peer.rows(query.format(""))

    frame = spark.sql(query.format(f"{catalog}."))

    assert [tuple(row) for row in frame.collect()] == expected
    (scan,) = _scans(plan_of(frame), "t")
    assert "id < 100" in scan
    assert "1 of 10 files" in scan
