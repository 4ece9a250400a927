"""Row-level statements that read hidden columns, and subqueries over the table that changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.lakes import IN_FILES, Lake

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

BEFORE = [(1, 1, 0), (2, 1, 1), (3, 2, 2)]
"""The columns a, c and rowid of the table."""

VALUES = "(SELECT id AS r, 9 AS v FROM range(1, 4)) s"

MERGES = {
    f"USING {VALUES} ON t.rowid = s.r WHEN MATCHED THEN UPDATE SET c = s.v": [
        (1, 1, 0),
        (2, 9, 1),
        (3, 9, 2),
    ],
    f"USING {VALUES} ON t.a = s.r WHEN MATCHED AND t.rowid > 1 THEN DELETE"
    " WHEN MATCHED THEN UPDATE SET c = t.rowid + length(t.filename) * 0 + 20": [
        (1, 20, 0),
        (2, 21, 1),
    ],
    f"USING {VALUES} ON t.rowid = s.r WHEN NOT MATCHED THEN INSERT (a, c) VALUES (s.r, s.v)": [
        *BEFORE,
        (3, 9, 3),
    ],
    f"USING {VALUES} ON t.rowid = s.r WHEN MATCHED THEN UPDATE SET c = 5"
    " WHEN NOT MATCHED THEN INSERT (a, c) VALUES (s.r + 10, s.v)"
    " WHEN NOT MATCHED BY SOURCE AND t.filename IS NOT NULL THEN DELETE": [
        (2, 5, 1),
        (3, 5, 2),
        (13, 9, 3),
    ],
    "USING (SELECT rowid AS r, a + 1 AS b, file_row_number FROM {t}) s ON t.rowid = s.r AND t.a < 3"
    " WHEN MATCHED THEN UPDATE SET a = s.b": [(2, 1, 0), (3, 1, 1), (3, 2, 2)],
    "USING {t} s ON t.rowid = s.rowid + 1 WHEN MATCHED THEN UPDATE SET c = s.a * 10": [
        (1, 1, 0),
        (2, 10, 1),
        (3, 20, 2),
    ],
}

STATEMENTS = {
    "UPDATE {t} AS t SET c = (SELECT count(*) FROM {t} x WHERE x.a < t.a)": [
        (1, 0, 0),
        (2, 1, 1),
        (3, 2, 2),
    ],
    "UPDATE {t} AS t SET c = (SELECT max(x.a) FROM {t} x WHERE x.rowid < t.rowid)"
    " WHERE rowid > 0": [
        (1, 1, 0),
        (2, 1, 1),
        (3, 2, 2),
    ],
    "UPDATE {t} AS t SET c = (SELECT max(x.a) FROM {t} x WHERE x.rowid = t.rowid) + 5"
    " WHERE rowid > 0": [
        (1, 1, 0),
        (2, 7, 1),
        (3, 8, 2),
    ],
    "UPDATE {t} AS t SET c = (SELECT max(x.rowid) FROM {t} x) WHERE a <> 3": [
        (1, 2, 0),
        (2, 2, 1),
        (3, 2, 2),
    ],
    "UPDATE {t} AS t SET c = 7 WHERE EXISTS (SELECT 1 FROM {t} x WHERE x.rowid = t.rowid + 1)": [
        (1, 7, 0),
        (2, 7, 1),
        (3, 2, 2),
    ],
    "UPDATE {t} AS t SET c = 7 WHERE EXISTS (SELECT 1 FROM {t} x WHERE x.rowid > t.rowid)": [
        (1, 7, 0),
        (2, 7, 1),
        (3, 2, 2),
    ],
    "UPDATE {t} AS t SET c = rowid + 7 WHERE rowid IN (SELECT rowid FROM {t} WHERE c = 1)": [
        (1, 7, 0),
        (2, 8, 1),
        (3, 2, 2),
    ],
    "UPDATE {t} AS t SET c = (SELECT count(*) FROM {t} x WHERE x.a < t.a AND x.c = t.c) + 5": [
        (1, 5, 0),
        (2, 6, 1),
        (3, 5, 2),
    ],
    "UPDATE {t} AS t SET a = (SELECT max(x.id) FROM range(9) x WHERE x.id < t.a)": [
        (0, 1, 0),
        (1, 1, 1),
        (2, 2, 2),
    ],
    "DELETE FROM {t} WHERE rowid IN (SELECT max(rowid) FROM {t} GROUP BY c)": [(1, 1, 0)],
    "DELETE FROM {t} WHERE rowid = (SELECT max(rowid) FROM {t})": [(1, 1, 0), (2, 1, 1)],
    "DELETE FROM {t} AS t"
    " WHERE EXISTS (SELECT 1 FROM {t} x WHERE x.rowid > t.rowid AND x.c = t.c)": [
        (2, 1, 1),
        (3, 2, 2),
    ],
}


Case = tuple[str, list[tuple[int, int, int]]]


def wrong(spark: SparkSession, catalog: str, cases: list[Case]) -> list[str]:
    """The cases after which the table, with the rows of `BEFORE` is another."""
    complaints = []
    for number, (statement, after) in enumerate(cases):
        # A lake each would take longer; row ids and files are those of the table.
        name = f"{catalog}.main.t{number}"
        spark.sql(f"CREATE TABLE {name} AS SELECT * FROM VALUES (1, 1), (2, 1), (3, 2) AS v(a, c)")
        spark.sql(statement.format(t=name))
        found = rows(spark, f"SELECT a, c, rowid FROM {name} ORDER BY rowid")
        if found != after:
            complaints.append(f"{statement}: {found}")
    return complaints


def test_a_merge_reads_hidden_columns(spark: SparkSession, lake: Lake, register: Register) -> None:
    cases = [("MERGE INTO {t} AS t " + merge, after) for merge, after in MERGES.items()]

    assert wrong(spark, register(lake, IN_FILES), cases) == []


def test_a_statement_compares_its_table_with_itself(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    assert wrong(spark, register(lake), list(STATEMENTS.items())) == []
