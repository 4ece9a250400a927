"""What Spark's writes leave in the catalog is what DuckDB leaves for the same statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession

from support.golden import INSERT_DIFFERENCES, metadata_differences
from support.lakes import CatalogKind, Lake, LakeFactory
from support.metadata import Allowed

Register = Callable[..., str]


@dataclass(frozen=True)
class Story:
    """Statements for either engine that do the same; `t` in Spark's stands for the table."""

    setup: tuple[str, ...]
    spark: tuple[str, ...]
    duckdb: tuple[str, ...]


NESTED = "(id INT NOT NULL, s STRUCT(a INT, b VARCHAR[]), m MAP(VARCHAR, DOUBLE))"
STORIES = {
    "the first rows": Story(
        ("CREATE TABLE t (a INT, b VARCHAR, f DOUBLE)",),
        ("INSERT INTO t VALUES (1, 'x', 1.5D)",),
        ("INSERT INTO t VALUES (1, 'x', 1.5)",),
    ),
    "more rows of wider and unknown range": Story(
        (
            "CREATE TABLE t (a INT, b VARCHAR, n INT)",
            "INSERT INTO t VALUES (5, 'm', NULL), (6, 'n', NULL)",
        ),
        (
            "INSERT INTO t VALUES (9, 'a', NULL)",
            "INSERT INTO t VALUES (NULL, NULL, NULL)",
            "INSERT INTO t VALUES (-10, 'zz', 3)",
        ),
        (
            "INSERT INTO t VALUES (9, 'a', NULL)",
            "INSERT INTO t VALUES (NULL, NULL, NULL)",
            "INSERT INTO t VALUES (-10, 'zz', 3)",
        ),
    ),
    "nested columns": Story(
        (f"CREATE TABLE t {NESTED}",),
        (
            "INSERT INTO t VALUES (1, named_struct('a', 1, 'b', array('x', NULL)), map('k', 0.5D))",
            "INSERT INTO t VALUES (2, NULL, NULL)",
        ),
        (
            "INSERT INTO t VALUES (1, {'a': 1, 'b': ['x', NULL]}, MAP {'k': 0.5})",
            "INSERT INTO t VALUES (2, NULL, NULL)",
        ),
    ),
    "rows for a column that came later": Story(
        (
            "CREATE TABLE t (a INT)",
            "INSERT INTO t VALUES (1)",
            "ALTER TABLE t ADD COLUMN b INT DEFAULT 7",
        ),
        ("INSERT INTO t VALUES (2, 8)", "INSERT INTO t (a) VALUES (3)"),
        ("INSERT INTO t VALUES (2, 8)", "INSERT INTO t (a) VALUES (3)"),
    ),
    "an overwrite": Story(
        (
            "CREATE TABLE t (a INT)",
            "INSERT INTO t VALUES (1), (2)",
            "INSERT INTO t VALUES (3)",
            "DELETE FROM t WHERE a = 1",
        ),
        ("INSERT OVERWRITE t VALUES (7)",),
        ("BEGIN", "DELETE FROM t", "INSERT INTO t VALUES (7)", "COMMIT"),
    ),
    "a truncation": Story(
        ("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1), (2)"),
        ("TRUNCATE TABLE t", "INSERT INTO t SELECT 1 WHERE false"),
        ("TRUNCATE t",),
    ),
    "rows that change nothing": Story(
        ("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)"),
        ("INSERT INTO t SELECT 1 WHERE false",),
        ("INSERT INTO t SELECT 1 WHERE false",),
    ),
    "replaced files of a partition": Story(
        (
            "CREATE TABLE t (a INT, p VARCHAR)",
            "ALTER TABLE t SET PARTITIONED BY (p)",
            "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
        ),
        ("INSERT INTO t REPLACE WHERE p = 'x' VALUES (3, 'x')",),
        ("BEGIN", "DELETE FROM t WHERE p = 'x'", "INSERT INTO t VALUES (3, 'x')", "COMMIT"),
    ),
    "replaced rows of a file": Story(
        ("CREATE TABLE t (a INT)", "INSERT INTO t SELECT range FROM range(10)"),
        ("INSERT INTO t REPLACE WHERE a < 3 VALUES (0)",),
        ("BEGIN", "DELETE FROM t WHERE a < 3", "INSERT INTO t VALUES (0)", "COMMIT"),
    ),
}

DIFFERENCES = (
    *INSERT_DIFFERENCES,
    Allowed(
        "a file id for every change of rows",
        "DuckDB's other sessions look for new statistics only when it changes",
        "ducklake_snapshot",
        "next_file_id",
        lambda left, right: left == right + 1,
    ),
    Allowed(
        "recorded for all engines to see",
        "DuckDB's deletes in the catalog do not heed what goes from files (decision 02)",
        "ducklake_snapshot_changes",
        "changes_made",
        lambda left, right: "deleted_from" in right and left == f"{right},inlined_delete:1",
    ),
)
INLINED_DIFFERENCES = (
    *DIFFERENCES,
    Allowed(
        "NaN is looked for",
        "of rows in the catalog DuckDB does not say whether there is any",
        "ducklake_table_column_stats",
        "contains_nan",
        lambda left, right: left is False and right is None,
    ),
    Allowed(
        "no table bounds after NULL alone in the catalog",
        "missing bounds do not say whether there were values; DuckDB takes them for none",
        "ducklake_table_column_stats",
        None,
        lambda left, right: left is None and right["contains_null"] is True,
    ),
)


@pytest.mark.parametrize("limit", [0, 10])
@pytest.mark.parametrize("name", STORIES)
def test_metadata_is_what_duckdb_writes(
    spark: SparkSession,
    lakes: LakeFactory,
    kind: CatalogKind,
    register: Register,
    name: str,
    limit: int,
) -> None:
    story = STORIES[name]

    def run(lake: Lake) -> None:
        table = f"{register(lake, {'data-inlining-row-limit': str(limit)})}.t"
        for statement in story.spark:
            spark.sql(statement.replace(" t ", f" {table} ").replace("TABLE t", f"TABLE {table}"))

    allowed = INLINED_DIFFERENCES if limit else DIFFERENCES
    differences = metadata_differences(lakes, kind, story.setup, run, story.duckdb, allowed, limit)
    assert differences == ""
