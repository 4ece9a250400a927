"""count, min and max that the catalog answers, over filters and by partition keys, are DuckDB's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from support.catalogdb import execute
from support.lakes import Lake
from support.peer import Peer, literal
from support.plans import plan_of

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

ROWS = (
    "SELECT i::INTEGER AS id, CASE i % 4 WHEN 0 THEN NULL ELSE 'r' || i % 4 END AS region,"
    " DATE '2024-01-01' + (i // 100)::INTEGER AS day,"
    " CASE WHEN i % 7 = 0 THEN NULL ELSE i END AS n,"
    " CASE WHEN i % 50 = 0 THEN 'nan' ELSE i / 3 END::DOUBLE AS x, 'text ' || i AS s"
)


@pytest.fixture
def filled(lake: Lake) -> Lake:
    """A lake with a table by region and day: 4 regions, 6 days, a file for each of both."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            f"CREATE TABLE t AS {ROWS} FROM range(0) r(i)",
            "ALTER TABLE t SET PARTITIONED BY (region, day)",
            f"INSERT INTO t {ROWS} FROM range(600) r(i)",
        )
    return lake


def _answered(frame: DataFrame) -> bool:
    return "from the catalog" in plan_of(frame)


def _sorted(found: list[tuple[Any, ...]]) -> list[str]:
    return sorted(str(row) for row in found)


def _check(
    spark: SparkSession, lake: Lake, catalog: str, query: str, *, answered: bool | None = None
) -> None:
    frame = spark.sql(query.format(f"{catalog}.t"))
    with Peer(lake) as peer:
        expected = peer.rows(query.format("t"))

    assert _sorted([tuple(row) for row in frame.collect()]) == _sorted(expected), query
    if answered is not None:
        assert _answered(frame) is answered, query


@pytest.mark.parametrize(
    ("query", "answered"),
    [
        ("SELECT region, count(*) FROM {} GROUP BY region", True),
        ("SELECT day, region, count(*), count(n), min(id), max(n) FROM {} GROUP BY ALL", True),
        ("SELECT DISTINCT region FROM {}", True),
        ("SELECT day, count(*) + 1, max(id) - min(id) FROM {} GROUP BY day ORDER BY day", True),
        ("SELECT count(*) FROM {} WHERE region = 'r1'", True),
        ("SELECT count(*), min(n) FROM {} WHERE region IS NULL OR day > DATE '2024-01-03'", True),
        ("SELECT count(*), max(id) FROM {} WHERE day > DATE '2030-01-01'", True),
        ("SELECT day, count(*) FROM {} WHERE day > DATE '2030-01-01' GROUP BY day", True),
        ("SELECT region, count(*) FROM {} WHERE id >= 100 AND id < 300 GROUP BY region", True),
        ("SELECT count(*) FROM {} WHERE region <> 'r1' AND n IS NOT NULL", False),
        ("SELECT count(*) FROM {} WHERE id < 150", False),
        ("SELECT count(*) FROM {} WHERE region LIKE '%1'", False),
        ("SELECT region, sum(id) FROM {} GROUP BY region", False),
        ("SELECT region, max(s) FROM {} WHERE day < DATE '2024-01-03' GROUP BY region", False),
        ("SELECT region, max(x) FROM {} GROUP BY region", False),
        ("SELECT region, count(DISTINCT id) FROM {} GROUP BY region", False),
        ("SELECT n, count(*) FROM {} GROUP BY n", False),
        ("SELECT count(*) FILTER (WHERE id < 5) FROM {} WHERE region = 'r1'", False),
        ("SELECT count(*) FROM (SELECT * FROM {} WHERE region = 'r1' LIMIT 7)", False),
    ],
)
def test_what_files_decide_is_answered_from_the_catalog(
    spark: SparkSession, filled: Lake, register: Register, query: str, answered: bool
) -> None:
    _check(spark, filled, register(filled), query, answered=answered)


QUERIES = [
    "SELECT region, count(*) FROM {} GROUP BY region",
    "SELECT DISTINCT day FROM {}",
    "SELECT day, count(n), min(id), max(id) FROM {} GROUP BY day",
    "SELECT count(*), min(id), count(n) FROM {} WHERE region = 'r1'",
    "SELECT count(*), max(id) FROM {} WHERE day >= DATE '2024-01-05' AND region IS NOT NULL",
]

CHANGES = {
    "a few rows deleted": "DELETE FROM t WHERE id IN (101, 102, 333)",
    "a day deleted": "DELETE FROM t WHERE day = DATE '2024-01-02' AND id > 100",
    "rows that moved": "UPDATE t SET region = 'r1' WHERE id % 10 = 2",
    "another day": "INSERT INTO t VALUES (-1, 'r1', DATE '2024-01-05', NULL, 1, '')",
    "other keys": "ALTER TABLE t SET PARTITIONED BY (day)",
    "no keys": "ALTER TABLE t RESET PARTITIONED BY",
    "a column with a default": "ALTER TABLE t ADD COLUMN later INTEGER DEFAULT 3",
    "another type": "ALTER TABLE t ALTER id SET DATA TYPE BIGINT",
}


@pytest.mark.parametrize("limit", [0, 100], ids=["in files", "inlined"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_changes_are_in_the_answers(
    spark: SparkSession, filled: Lake, register: Register, change: str, limit: int
) -> None:
    with Peer(filled, f"DATA_INLINING_ROW_LIMIT {limit}") as peer:
        before = peer.head()
        expected = [peer.rows(query.format("t")) for query in QUERIES]
        peer.run(change, f"INSERT INTO t BY NAME {ROWS} FROM range(600, 650) r(i)")
    catalog = register(filled)

    for query, old in zip(QUERIES, expected, strict=True):
        _check(spark, filled, catalog, query)
        past = spark.sql(query.format(f"{catalog}.t VERSION AS OF {before}"))
        assert _sorted([tuple(row) for row in past.collect()]) == _sorted(old), query


def _foreign(lake: Lake) -> Path:
    """A file of another writer in the folder of its partition keys."""
    folder = lake.data_path / "far" / "region=r1" / "day=2024-02-01"
    folder.mkdir(parents=True)
    with Peer(lake) as peer:
        peer.run(
            f"COPY (SELECT i::INTEGER AS id, i::BIGINT AS n, i::DOUBLE AS x, '' AS s"
            f" FROM range(700, 800) r(i)) TO {literal(str(folder / 'one.parquet'))}"
        )
    return folder / "one.parquet"


@pytest.mark.damages
def test_of_an_added_file_only_rows_and_keys_are_believed(
    spark: SparkSession, filled: Lake, register: Register
) -> None:
    """DuckDB believes a footer to leave files out, and for min and max of a whole table."""
    file = literal(str(_foreign(filled)))
    with Peer(filled) as peer:
        peer.run(f"CALL ducklake_add_data_files('lake', 't', {file}, hive_partitioning => true)")
    execute(
        filled,
        "UPDATE ducklake_file_column_stats SET max_value = '9999', null_count = 3"
        " WHERE column_id = 1"
        " AND data_file_id = (SELECT data_file_id FROM ducklake_data_file WHERE mapping_id >= 0)",
    )
    catalog = register(filled)

    for query, answered in [
        ("SELECT region, day, count(*) FROM {} GROUP BY ALL", True),
        ("SELECT day, max(id), count(id) FROM {} GROUP BY day", False),
        ("SELECT count(*), max(id) FROM {} WHERE id >= 0", False),
        ("SELECT count(id) FROM {}", False),
    ]:
        _check(spark, filled, catalog, query, answered=answered)


def test_an_added_file_is_believed_no_more_before_its_commit(
    spark: SparkSession, filled: Lake, register: Register
) -> None:
    catalog = register(filled)
    file = _foreign(filled)
    query = f"SELECT count(*) FROM {catalog}.t WHERE id >= 0"

    assert _answered(spark.sql(query))
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(
        f"CALL {catalog}.system.add_data_files('t', '{file}', hive_partitioning => true)"
    ).collect()
    assert not _answered(spark.sql(query))
    assert spark.sql(query).collect() == [(700,)]
    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    assert not _answered(spark.sql(query))
    assert spark.sql(query).collect() == [(700,)]


def test_a_statement_of_a_transaction_counts_its_own_rows(
    spark: SparkSession, filled: Lake, register: Register
) -> None:
    catalog = register(filled)
    query = f"SELECT count(*), max(id) FROM {catalog}.t WHERE region = 'r1'"

    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    try:
        spark.sql(f"DELETE FROM {catalog}.t WHERE id > 590")
        spark.sql(f"INSERT INTO {catalog}.t SELECT 1000, 'r1', DATE'2025-01-01', 1, 1, ''")
        assert [tuple(row) for row in spark.sql(query).collect()] == [(149, 1000)]
    finally:
        spark.sql(f"CALL {catalog}.system.rollback_transaction()")

    assert [tuple(row) for row in spark.sql(query).collect()] == [(150, 597)]
