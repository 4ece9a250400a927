"""What is recorded of a file's values holds for the type they had, and they read as today's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import rows, value
from support.lakes import CATALOG_KINDS, IN_FILES, CatalogKind, Lake
from support.peer import Peer
from support.sweep import FULL

Register = Callable[..., str]

PROMOTIONS = {
    "INTEGER": ("DECIMAL(12, 2)", "SELECT i FROM range(5) r(i)"),
    "UINTEGER": ("BIGINT", "SELECT i FROM range(5) r(i)"),
    "DATE": ("TIMESTAMP", "SELECT DATE '2024-01-01' + CAST(i AS INT) FROM range(3) r(i)"),
    "DECIMAL(5, 2)": ("DECIMAL(10, 4)", "SELECT i FROM range(3) r(i)"),
    "FLOAT": ("DOUBLE", "SELECT i + CAST(0.1 AS FLOAT) FROM range(3) r(i)"),
    "TIMESTAMP_S": ("TIMESTAMP", "SELECT to_timestamp(i)::TIMESTAMP_S FROM range(3) r(i)"),
}


LAYOUTS = ("bucket(4, c)", "c")
"""By a hash, and by the value itself."""


def chosen() -> list[tuple[CatalogKind, str, str]]:
    """All cases in full runs; else each type has both layouts, on one or two databases each."""
    return [
        (kind, earlier, layout)
        for number, earlier in enumerate(PROMOTIONS)
        for turn, kind in enumerate(CATALOG_KINDS)
        for place, layout in enumerate(LAYOUTS)
        if FULL or (number + turn) % len(LAYOUTS) == place
    ]


@pytest.mark.parametrize(("kind", "earlier", "layout"), chosen())
def test_rows_from_before_and_after_a_promotion_are_grouped_together(
    spark: SparkSession, lake: Lake, register: Register, earlier: str, layout: str
) -> None:
    later, values = PROMOTIONS[earlier]
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            f"CREATE TABLE t (c {earlier})",
            f"ALTER TABLE t SET PARTITIONED BY ({layout})",
            f"INSERT INTO t {values}",
            f"ALTER TABLE t ALTER c SET DATA TYPE {later}",
            "INSERT INTO t FROM t",
            f"CREATE TABLE u (c {later})",
            f"ALTER TABLE u SET PARTITIONED BY ({layout})",
            "INSERT INTO u SELECT DISTINCT c FROM t",
        )
        groups = peer.rows("SELECT CAST(c AS VARCHAR), count(*) FROM t GROUP BY c")
    catalog = register(lake)

    counts = rows(spark, f"SELECT count(*) FROM {catalog}.t GROUP BY c")
    numbers = rows(spark, f"SELECT row_number() OVER (PARTITION BY c ORDER BY 1) FROM {catalog}.t")
    join = f"SELECT /*+ MERGE(u) */ count(*) FROM {catalog}.t JOIN {catalog}.u ON t.c = u.c"

    assert Counter(counts) == Counter((count,) for _, count in groups)
    assert Counter(numbers) == {(1,): len(groups), (2,): len(groups)}
    assert value(spark, join) == 2 * len(groups), "two rows of t for each of u"


def test_duckdb_finds_the_rows_of_a_float_that_became_a_double(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake, IN_FILES)
    for statement in (
        "CREATE TABLE {c}.t (c FLOAT, s STRUCT<f: FLOAT>)",
        "INSERT INTO {c}.t VALUES (1.1, named_struct('f', 1.1))",
        "ALTER TABLE {c}.t ALTER COLUMN c TYPE DOUBLE, s.f TYPE DOUBLE",
        "INSERT INTO {c}.t VALUES (0.5, named_struct('f', 0.5))",
    ):
        spark.sql(statement.format(c=catalog))

    with Peer(lake) as peer:
        for column in ("c", "s.f"):
            # `> 1.1000000001` finds nothing: within the file DuckDB compares as floats.
            assert peer.value(f"SELECT count(*) FROM t WHERE {column} >= 1.10000002") == 1
            assert peer.value(f"SELECT max({column}) FROM t") == 1.100000023841858
        earlier = f"SELECT count(*) FROM t AT (VERSION => {peer.head() - 2})"
        assert peer.value(f"{earlier} WHERE c = CAST(1.1 AS FLOAT)") == 1
    for column in ("c", "s.f"):
        found = f"SELECT max({column}) FROM {catalog}.t WHERE {column} > 1.1000000001D"
        assert value(spark, found) == 1.100000023841858


@pytest.mark.parametrize(
    ("column", "stored", "query", "expected"),
    [
        ("TIMESTAMP_S", "2024-01-01 00:00:00.7", "c = '2024-01-01 00:00:01'", 1),
        ("TIMESTAMP_S", "2024-01-01 00:00:00.7", "c > '2024-01-01 00:00:00'", 1),
        ("TIMESTAMP_MS", "2024-01-01 00:00:00.0007", "c = '2024-01-01 00:00:00.001'", 1),
        ("TIMESTAMP_MS", "2024-01-01 00:00:00.0007", "c <> '2024-01-01 00:00:00'", 1),
        ("TIMESTAMP_S", "1969-12-31 23:59:58.5", "c = '1969-12-31 23:59:58'", 1),
        ("TIMESTAMP_MS", "1969-12-31 23:59:58.0005", "c <= '1969-12-31 23:59:58'", 1),
        ("TIMESTAMP", "2024-01-01 00:00:00.7", "c = '2024-01-01 00:00:01'", 0),
    ],
)
def test_bounds_that_are_finer_than_the_type_leave_out_no_row(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    tmp_path: Path,
    column: str,
    stored: str,
    query: str,
    expected: int,
) -> None:
    file = tmp_path / "added.parquet"
    with Peer(lake) as peer:
        peer.run(
            f"COPY (SELECT TIMESTAMP '{stored}' AS c) TO '{file}'",
            f"CREATE TABLE t (c {column})",
            f"CALL ducklake_add_data_files('lake', 't', '{file}')",
        )
        most = peer.value("SELECT CAST(max(c) AS VARCHAR) FROM t")
        assert peer.value(f"SELECT count(*) FROM t WHERE {query}") == expected
    catalog = register(lake)

    assert value(spark, f"SELECT count(*) FROM {catalog}.t WHERE {query}") == expected
    assert value(spark, f"SELECT CAST(max(c) AS STRING) FROM {catalog}.t") == most


def test_a_partition_of_a_whole_number_that_files_round_is_found(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (c HUGEINT)",
            "ALTER TABLE t SET PARTITIONED BY (c)",
            "INSERT INTO t VALUES (123456789012345678901234567890), (5)",
        )
    catalog = register(lake)
    ((shown,),) = rows(spark, f"SELECT c FROM {catalog}.t WHERE c > 5")

    assert value(spark, f"SELECT count(*) FROM {catalog}.t WHERE c = {shown}") == 1
    spark.sql(f"DELETE FROM {catalog}.t WHERE c = {shown}")
    assert rows(spark, f"SELECT c FROM {catalog}.t") == [(5,)]
