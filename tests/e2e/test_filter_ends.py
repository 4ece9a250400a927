"""Filters at and beyond the ends of what a column's type can hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import rows, value
from support.lakes import IN_FILES, Lake
from support.peer import Peer
from support.sweep import swept

Register = Callable[..., str]

SQLITE = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
"""What is filtered and written does not depend on the catalog database."""

UNSIGNED = {"a": ("UTINYINT", 255), "b": ("USMALLINT", 65535), "c": ("UINTEGER", 4294967295)}


def _conditions() -> list[str]:
    """Of each unsigned column: literals below, at and above its ends."""
    found: list[str] = []
    for column, (_, most) in UNSIGNED.items():
        for literal in (-5, -1, 0, most, most + 1):
            found += [f"{column} {operator} {literal}" for operator in ("=", "<", ">=", "<>")]
        found += [
            f"{column} BETWEEN -5 AND 5",
            f"NOT ({column} <= -1)",
            f"{column} IN (-1, 0, {most + 1})",
            f"NOT ({column} IN (-1, {most}) OR {column} < -3)",
        ]
    return found


@SQLITE
def test_unsigned_columns_with_literals_beyond_their_ends(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    types = ", ".join(f"{column} {kind}" for column, (kind, _) in UNSIGNED.items())
    most = ", ".join(str(end) for _, end in UNSIGNED.values())
    conditions = swept(_conditions(), 5)
    counts = ", ".join(f"count(*) FILTER (WHERE {each})" for each in conditions)
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            f"CREATE TABLE t (n INT, {types})",
            f"INSERT INTO t VALUES (1, 0, 0, 0), (2, 5, 5, 5), (3, {most}), (4, NULL, NULL, NULL)",
        )
        ((*expected,),) = peer.rows(f"SELECT {counts} FROM t")
    catalog = register(lake)
    parts = (f"SELECT count(*) AS n FROM {catalog}.t WHERE {each}" for each in conditions)

    found = rows(
        spark,
        " UNION ALL ".join(f"SELECT {at} AS at, n FROM ({part})" for at, part in enumerate(parts))
        + " ORDER BY at",
    )

    assert [count for _, count in found] == expected
    spark.sql(f"UPDATE {catalog}.t SET n = 10 * n WHERE a >= -1")
    spark.sql(
        f"MERGE INTO {catalog}.t USING (SELECT 5 AS k) s ON t.b = s.k AND t.a > -7 AND t.c > -7 "
        "WHEN MATCHED THEN UPDATE SET n = 7 WHEN NOT MATCHED THEN INSERT (n) VALUES (0)"
    )
    with Peer(lake) as peer:
        assert peer.rows("SELECT n FROM t ORDER BY n") == [(4,), (7,), (10,), (30,)]


@SQLITE
@pytest.mark.damages
def test_decimals_of_many_digits_that_became_floats_are_found(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    digits = ["0.75", "1234567.890123456789012345678901", f"-{'9' * 8}.{'9' * 30}", "0.001"]
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (d DECIMAL(38, 30), f DECIMAL(38, 30))")
        peer.run(*(f"INSERT INTO t VALUES ({each}, {each})" for each in digits))
        peer.run(
            "ALTER TABLE t ALTER d SET DATA TYPE DOUBLE",
            "ALTER TABLE t ALTER f SET DATA TYPE FLOAT",
        )
        shown = peer.rows("SELECT d, f FROM t ORDER BY d")
    catalog = register(lake)

    assert rows(spark, f"SELECT d, f FROM {catalog}.t ORDER BY d") == shown
    for kind, column in (("DOUBLE", "d"), ("FLOAT", "f")):
        for (exact,) in rows(spark, f"SELECT CAST({column} AS STRING) FROM {catalog}.t"):
            same = f"{column} = CAST('{exact}' AS {kind})"
            assert value(spark, f"SELECT count(*) FROM {catalog}.t WHERE {same}") == 1, same
    ends = "min(d), max(d), min(f), max(f)"
    assert rows(spark, f"SELECT {ends} FROM {catalog}.t") == rows(
        spark, f"SELECT {ends} FROM (SELECT * FROM {catalog}.t WHERE d = d)"
    )
    spark.sql(f"DELETE FROM {catalog}.t WHERE d > 0.1D")
    with Peer(lake) as peer:
        assert peer.rows("SELECT d, f FROM t ORDER BY d") == shown[:2]


NO_TEXT = "CAST(x'6162ff' AS STRING)"


@pytest.mark.parametrize(
    ("column_type", "given"),
    [
        ("STRING", NO_TEXT),
        ("ARRAY<STRING>", f"array('é', {NO_TEXT})"),
        ("STRUCT<s: STRING>", f"named_struct('s', {NO_TEXT})"),
        ("MAP<STRING, INT>", f"map({NO_TEXT}, 1)"),
        ("MAP<INT, ARRAY<STRING>>", f"map(1, array({NO_TEXT}))"),
    ],
)
@SQLITE
def test_text_that_is_no_utf8_goes_into_no_file(
    spark: SparkSession, lake: Lake, register: Register, column_type: str, given: str
) -> None:
    catalog = register(lake, IN_FILES)
    spark.sql(f"CREATE TABLE {catalog}.t (c {column_type})")

    with pytest.raises(PySparkException, match=r"DUCKLAKE_INVALID_VALUE.*no UTF-8"):
        spark.sql(f"INSERT INTO {catalog}.t SELECT {given}")

    assert not list(lake.data_path.rglob("*.parquet"))
    with Peer(lake) as peer:
        assert peer.value("SELECT count(c) FROM t") == 0


@SQLITE
def test_literals_that_are_no_utf8_find_what_spark_finds(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (c VARCHAR)", "INSERT INTO t VALUES ('ab\ufffd'), ('abc')")
    catalog = register(lake)
    asked = {f"c = {NO_TEXT}": 0, f"c <> {NO_TEXT}": 2, f"c < {NO_TEXT}": 2, f"c > {NO_TEXT}": 0}

    for condition, count in asked.items():
        found = value(spark, f"SELECT count(*) FROM {catalog}.t WHERE {condition}")
        assert found == count, condition
    with pytest.raises(PySparkException, match="DUCKLAKE_INVALID_CHANGE"):
        spark.sql(f"CREATE TABLE {catalog}.u (c STRING DEFAULT {NO_TEXT})")
