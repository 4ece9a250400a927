"""ORDER BY … LIMIT reads only the files that can hold the first rows, and gives DuckDB's rows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.asking import read_metrics, rows
from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

#: Of each kind of column, the value of a row with the number i.
COLUMNS = {
    "id": "i::BIGINT",
    "n": "CASE WHEN i % 10 < 3 THEN NULL ELSE i // 40 END::INTEGER",
    "x": "CASE WHEN i % 97 = 0 THEN 'nan' WHEN i % 89 = 0 THEN '-0.0' ELSE i / 7 END::DOUBLE",
    "g": "(i / 7)::FLOAT",
    "d": "(i - 700)::DECIMAL(9, 2)",
    "s": "repeat('long', 80) || lpad((i // 3)::VARCHAR, 6, '0')",
    "w": "chr((97 + i // 100)::INTEGER) || i % 10",
    "day": "DATE '1969-06-01' + (i // 5)::INTEGER",
    "moment": "TIMESTAMP '1969-12-31 23:50:00' + INTERVAL 1 SECOND * i",
    "u": "lpad(to_hex(i // 2), 8, '0')::VARCHAR || '-0000-0000-0000-000000000000'",
    "flag": "i >= 600",
}

FILTERS = [
    "WHERE day > DATE '1969-09-01' AND id <> 3",
    "WHERE id >= 250 OR n IS NULL",
    "WHERE n = 7",
    "WHERE w LIKE 'f%' AND id % 2 = 0",
]


def _rows(first: int, after: int) -> str:
    values = ", ".join(f"{value} AS {name}" for name, value in COLUMNS.items())
    return f"SELECT {values} FROM range({first}, {after}) r(i)"


@pytest.fixture(params=["files", "deleted", "inlined", "added"])
def table(
    request: pytest.FixtureRequest, lake: Lake, register: Register
) -> Iterator[tuple[Peer, str]]:
    """DuckDB, and the table of the lake in Spark: twelve files of a hundred rows, in no order.

    Then rows are deleted, or inlined, or there is a new column with a default value.
    """
    starts = list(range(0, 1200, 100))
    random.Random(7).shuffle(starts)
    with Peer(lake) as peer:
        peer.run("CALL lake.set_option('data_inlining_row_limit', 0)")
        peer.run(f"CREATE TABLE t AS {_rows(0, 0)}", "ALTER TABLE t ALTER u SET DATA TYPE VARCHAR")
        peer.run(*(f"INSERT INTO t {_rows(start, start + 100)}" for start in starts))
        if request.param == "deleted":
            peer.run("DELETE FROM t WHERE id < 95 OR id BETWEEN 550 AND 720 OR id % 3 = 0")
            peer.run("DELETE FROM t WHERE id > 1150")
        if request.param == "inlined":
            peer.run("CALL lake.set_option('data_inlining_row_limit', 50)")
            peer.run(f"INSERT INTO t {_rows(450, 455)}", f"INSERT INTO t {_rows(1199, 1230)}")
            peer.run("DELETE FROM t WHERE id = 451 OR id < 3 OR id = 1198")
        if request.param == "added":
            peer.run("ALTER TABLE t ADD COLUMN later INTEGER DEFAULT 20")
            peer.run(f"INSERT INTO t SELECT *, id % 50 FROM ({_rows(1200, 1300)})")
            peer.run("INSERT INTO t (id) SELECT i FROM range(-5, 5) r(i)")
        yield peer, register(lake) + ".main.t"


def _canonical(found: list[tuple[Any, ...]]) -> list[str]:
    """Zero has no sign here, because both zeros are equal in an order."""
    return [str(tuple(str(0.0 if value == 0 else value) for value in row)) for row in found]


def test_the_first_rows_are_those_of_duckdb(spark: SparkSession, table: tuple[Peer, str]) -> None:
    peer, name = table
    chosen = random.Random(11)
    columns = [row[0] for row in peer.rows("SELECT column_name FROM (DESCRIBE t)")]
    fewer = 0

    for _ in range(25):
        keys = chosen.sample(columns, chosen.choice([1, 1, 2, 3]))
        order = ", ".join(
            f"{key} {chosen.choice(['ASC', 'DESC'])} NULLS {chosen.choice(['FIRST', 'LAST'])}"
            for key in keys
        )
        limit, offset = chosen.choice([1, 5, 150, 600]), chosen.choice([0, 0, 3, 90])
        where = chosen.choice(["", "", *FILTERS])
        query = (
            f"SELECT {', '.join(keys)} FROM {{}} {where}"
            f" ORDER BY {order} LIMIT {limit} OFFSET {offset}"
        )

        frame = spark.sql(query.format(name))
        found = [tuple(row) for row in frame.collect()]

        assert _canonical(found) == _canonical(peer.rows(query.format("t"))), query
        metrics = read_metrics(frame)
        fewer += metrics.get("ducklakeFilesRead", 0) < metrics["ducklakeFilesListed"]
    assert fewer > 5


@pytest.fixture
def sorted_lake(lake: Lake) -> Lake:
    """A lake with a table of ten files of a hundred rows, one range of ids each."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (id BIGINT, same INTEGER)")
        for start in range(0, 1000, 100):
            peer.run(f"INSERT INTO t SELECT i, 7 FROM range({start}, {start + 100}) r(i)")
    return lake


@pytest.mark.parametrize(
    ("order", "expected", "files"),
    [
        ("id LIMIT 3", [0, 1, 2], 1),
        ("id DESC LIMIT 3", [999, 998, 997], 1),
        ("id LIMIT 2 OFFSET 149", [149, 150], 2),
        ("same, id DESC LIMIT 2", [999, 998], 1),
        ("same, abs(id) LIMIT 2", [0, 1], 10),
        ("abs(id) LIMIT 2", [0, 1], 10),
    ],
)
def test_files_that_hold_none_of_the_first_rows_are_not_opened(
    spark: SparkSession,
    sorted_lake: Lake,
    register: Register,
    order: str,
    expected: list[int],
    files: int,
) -> None:
    catalog = register(sorted_lake)

    frame = spark.sql(f"SELECT id FROM {catalog}.t ORDER BY {order}")

    assert [row.id for row in frame.collect()] == expected
    assert read_metrics(frame)["ducklakeFilesRead"] == files


@pytest.mark.parametrize(
    ("query", "expected", "files"),
    [
        ("SELECT id FROM {} WHERE id > 199 ORDER BY id LIMIT 3", [200, 201, 202], 1),
        ("SELECT id FROM {} WHERE id > 250 ORDER BY id LIMIT 3", [251, 252, 253], 2),
        ("SELECT id FROM {} WHERE id < 900 AND same = 7 ORDER BY id DESC LIMIT 1", [899], 1),
        ("SELECT k AS id FROM (SELECT id AS k FROM {} WHERE id > 99) ORDER BY k LIMIT 1", [100], 1),
        ("SELECT id + 1 AS id FROM {} WHERE same > 1 ORDER BY same, id LIMIT 1", [1], 10),
        ("SELECT id FROM {} WHERE abs(id) > 99 ORDER BY id LIMIT 1", [100], 10),
        ("SELECT id + 1 AS id FROM {} WHERE id > 99 ORDER BY id DESC LIMIT 1", [1000], 9),
        ("SELECT -id AS id FROM {} WHERE id > 99 ORDER BY id LIMIT 1", [-999], 9),
    ],
)
def test_filters_that_bounds_decide_leave_files_to_choose(
    spark: SparkSession,
    sorted_lake: Lake,
    register: Register,
    query: str,
    expected: list[int],
    files: int,
) -> None:
    catalog = register(sorted_lake)

    frame = spark.sql(query.format(f"{catalog}.t"))

    assert [row.id for row in frame.collect()] == expected
    assert read_metrics(frame)["ducklakeFilesRead"] == files


def test_a_statement_of_a_transaction_sees_its_own_first_rows(
    spark: SparkSession, sorted_lake: Lake, register: Register
) -> None:
    catalog = register(sorted_lake)
    query = f"SELECT id FROM {catalog}.t ORDER BY id LIMIT 3"

    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    try:
        spark.sql(f"DELETE FROM {catalog}.t WHERE id < 250 AND id <> 7")
        assert rows(spark, query) == [(7,), (250,), (251,)]
        spark.sql(f"INSERT INTO {catalog}.t SELECT id - 5, 7 FROM range(200)")
        assert rows(spark, query) == [(-5,), (-4,), (-3,)]
    finally:
        spark.sql(f"CALL {catalog}.system.rollback_transaction()")

    assert rows(spark, query) == [(0,), (1,), (2,)]


def test_of_files_with_equal_values_one_is_enough(
    spark: SparkSession, sorted_lake: Lake, register: Register
) -> None:
    catalog = register(sorted_lake)

    frame = spark.sql(f"SELECT same FROM {catalog}.t ORDER BY same LIMIT 60")

    assert [row.same for row in frame.collect()] == [7] * 60
    assert read_metrics(frame)["ducklakeFilesRead"] == 1


def test_a_plan_shows_the_first_rows(
    spark: SparkSession, sorted_lake: Lake, register: Register
) -> None:
    catalog = register(sorted_lake)

    ((plan,),) = rows(spark, f"EXPLAIN SELECT * FROM {catalog}.t ORDER BY id DESC LIMIT 5 OFFSET 2")

    assert "first 7 by id DESC NULLS LAST, 1 of 10 files" in plan


def test_past_snapshots_have_first_rows_of_their_own(
    spark: SparkSession, sorted_lake: Lake, register: Register
) -> None:
    with Peer(sorted_lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        before = peer.head()
        peer.run("DELETE FROM t WHERE id < 250", "INSERT INTO t VALUES (-1, 7)")
    catalog = register(sorted_lake)
    query = f"SELECT id FROM {catalog}.t {{}} ORDER BY id LIMIT 2"

    assert rows(spark, query.format("")) == [(-1,), (250,)]
    assert rows(spark, query.format(f"VERSION AS OF {before}")) == [(0,), (1,)]
