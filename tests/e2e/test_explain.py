"""What plans and descriptions show: of a table, of a read, of a write; never a secret."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer

SECRET = "hunter2"

pytestmark = pytest.mark.parametrize("kind", ["postgres"], indirect=True)


@pytest.fixture
def table(lake: Lake, register: Callable[..., str]) -> str:
    """A table of three files, each with an id of its own, at snapshot 4."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (id INTEGER, name VARCHAR)")
        for number in (1, 2, 3):
            peer.run(f"INSERT INTO t VALUES ({number}, 'x')")
    return register(lake, {"password": SECRET}) + ".main.t"


def plan(spark: SparkSession, statement: str) -> str:
    """The physical plan of a statement."""
    (row,) = spark.sql(f"EXPLAIN {statement}").collect()
    return str(row[0])


def test_a_read_shows_its_filters_and_files(spark: SparkSession, table: str) -> None:
    shown = plan(spark, f"SELECT name FROM {table} WHERE id >= 2")

    assert f"{table} snapshot 4 (filters [id IS NOT NULL, id >= 2], 2 of 3 files)" in shown


def test_a_read_shows_why_a_filter_chooses_no_files(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INTEGER, name VARCHAR, l INTEGER[], u UUID)")
    table = register(lake) + ".main.t"
    reasons = {
        "name LIKE '%x'": "no minimum and maximum can decide it",
        "id > 1 AND (id = 7 OR abs(id) = 3)": "ABS(id) is computed for each row",
        "l IS NOT NULL": "l has no minimum and maximum",
        "u > '8'": "bounds of uuid values do not decide this comparison",
    }

    for condition, reason in reasons.items():
        shown = plan(spark, f"SELECT * FROM {table} WHERE {condition}")
        assert "left to Spark [" in shown and f": {reason}]" in shown, shown
    assert "left to Spark" not in plan(spark, f"SELECT * FROM {table} WHERE id > 1")


def test_an_answer_of_the_catalog_shows_where_it_comes_from(
    spark: SparkSession, table: str
) -> None:
    shown = plan(spark, f"SELECT count(*), max(id) FROM {table} VERSION AS OF 3")

    assert f"COUNT(*) of {table} at snapshot 3, from the catalog" in shown
    assert f"MAX(id) of {table} at snapshot 3, from the catalog" in shown
    assert spark.sql(f"SELECT count(*), max(id) FROM {table} VERSION AS OF 3").collect() == [(2, 2)]


@pytest.mark.parametrize(
    ("statement", "shown"),
    [
        ("INSERT INTO {} VALUES (4, 'y')", "append to {}"),
        ("INSERT OVERWRITE {} VALUES (4, 'y')", "replace all rows of {}"),
        (
            "INSERT INTO {} REPLACE WHERE id = 2 VALUES (2, 'y')",
            "replace the rows where id = 2 of {}",
        ),
        ("UPDATE {} SET name = 'y' WHERE id = 2", "UPDATE of {}"),
        ("DELETE FROM {} WHERE name LIKE '%x' AND id > 1", "DELETE of {}"),
    ],
)
def test_a_write_says_what_it_does(
    spark: SparkSession, table: str, statement: str, shown: str
) -> None:
    found = plan(spark, statement.format(table))

    assert shown.format(table) in found
    assert "ducklake.spark" not in found
    assert SECRET not in found


def test_no_description_shows_a_password(spark: SparkSession, table: str) -> None:
    described = spark.sql(f"DESCRIBE EXTENDED {table}").collect()

    assert SECRET not in str(described)
    settings = spark.sql(f"SELECT * FROM {table.split('.')[0]}.system.settings").collect()
    assert SECRET not in str(settings)
