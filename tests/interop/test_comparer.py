"""The comparer itself: what Spark gives equals the right text of DuckDB, and nothing else."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from support.canonical import Value, from_text
from support.compare import arrow_columns, arrow_table
from support.expected import Column
from support.geometry import from_wkb, from_wkt
from support.typetext import Leaf, ListOf, MapOf, StructOf, parse_type

SAME = [
    ("BOOLEAN", "true", "true"),
    ("TINYINT", "CAST(-128 AS TINYINT)", "-128"),
    ("UBIGINT", "CAST(18446744073709551615 AS DECIMAL(20,0))", "18446744073709551615"),
    ("DECIMAL(4,4)", "CAST(-0.5 AS DECIMAL(4,4))", "-.5000"),
    ("FLOAT", "CAST(0.1 AS FLOAT)", "0.1"),
    ("FLOAT", "CAST(3.4028235E38 AS FLOAT)", "3.4028235e+38"),
    ("DOUBLE", "CAST('-0.0' AS DOUBLE)", "-0.0"),
    ("DOUBLE", "CAST('NaN' AS DOUBLE)", "nan"),
    ("DOUBLE", "CAST('-Infinity' AS DOUBLE)", "-inf"),
    ("VARCHAR", "'NULL'", "NULL"),
    ("VARCHAR", "''", ""),
    ("VARCHAR", "CAST(NULL AS STRING)", None),
    ("BLOB", "X'00FF'", "00ff"),
    ("DATE", "DATE'2024-02-29'", "2024-02-29"),
    ("DATE", "date_from_unix_date(-735160)", "0044-03-15 (BC)"),
    ("DATE", "date_from_unix_date(2147483647)", "infinity"),
    ("DATE", "date_from_unix_date(-2147483647)", "-infinity"),
    ("TIMESTAMP", "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'", "1969-12-31 23:59:59.999999"),
    ("TIMESTAMP_NS", "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'", "1969-12-31 23:59:59.999999999"),
    ("TIMESTAMP WITH TIME ZONE", "timestamp_micros(9223372036854775807)", "infinity"),
    ("TIMESTAMP WITH TIME ZONE", "timestamp_micros(1500000)", "1970-01-01 00:00:01.5+00"),
    ("INTEGER[]", "array(1, NULL)", ["1", None]),
    ("INTEGER[]", "CAST(array() AS ARRAY<INT>)", []),
    ("INTEGER[][]", "array(array(1), NULL, array(2, 3))", [["1"], None, ["2", "3"]]),
    ("MAP(VARCHAR, INTEGER)", "map('a', NULL)", [{"k": "a", "v": None}]),
    ("STRUCT(a INTEGER, b VARCHAR)", "struct(1 AS a, '' AS b)", {"a": "1", "b": ""}),
    ("STRUCT(a INTEGER)[]", "array(struct(1 AS a), NULL)", [{"a": "1"}, None]),
    ("VARIANT", "parse_json('{\"a\": [1, null], \"b\": \"x\"}')",
     {"type": "OBJECT(a, b)", "value": "{'a': [1, NULL], 'b': x}"}),
    ("VARIANT", "CAST(12.34 AS VARIANT)", {"type": "DECIMAL(4, 2)", "value": "12.34"}),
]  # fmt: skip

DIFFERENT: list[tuple[str, Value, Value]] = [
    ("VARCHAR", None, ""),
    ("VARCHAR", None, "NULL"),
    ("VARCHAR", "", "NULL"),
    ("DOUBLE", "-0.0", "0.0"),
    ("DATE", "infinity", "-infinity"),
    ("DATE", "0001-01-01", "0001-01-01 (BC)"),
    ("INTEGER[]", [], None),
    ("INTEGER[]", [None], []),
    ("VARIANT", {"type": "VARCHAR", "value": "1"}, {"type": "INT32", "value": "1"}),
]


@pytest.mark.parametrize(("type_text", "sql", "text"), SAME)
def test_the_value_of_spark_equals_the_text_of_duckdb(
    spark: SparkSession, type_text: str, sql: str, text: Value
) -> None:
    table = arrow_table(spark.sql(f"SELECT {sql} AS c UNION ALL SELECT NULL"))

    (values,) = arrow_columns(table, [Column("c", type_text)])

    assert set(values) == {from_text(text, parse_type(type_text)), None}


@pytest.mark.parametrize(("type_text", "one", "other"), DIFFERENT)
def test_different_values_stay_different(type_text: str, one: Value, other: Value) -> None:
    kind = parse_type(type_text)

    assert from_text(one, kind) != from_text(other, kind)


def test_a_type_text_becomes_its_tree() -> None:
    text = 'STRUCT("a ""b"", c" DECIMAL(9,2), m MAP(VARCHAR, INTEGER[]))[]'

    fields = (
        ('a "b", c', Leaf("DECIMAL(9,2)")),
        ("m", MapOf(Leaf("VARCHAR"), ListOf(Leaf("INTEGER")))),
    )
    assert parse_type(text) == ListOf(StructOf(fields))


@pytest.mark.parametrize(
    ("wkt", "wkb"),
    [
        ("POINT (1 2)", "0101000000000000000000f03f0000000000000040"),
        ("POINT EMPTY", "0101000000000000000000f87f000000000000f87f"),
        ("POINT Z (1 2 3)", "01e9030000000000000000f03f00000000000000400000000000000840"),
        ("LINESTRING (0 0, 1 1)",
         "01020000000200000000000000000000000000000000000000000000000000f03f000000000000f03f"),
        ("MULTIPOINT (1 1, 2 2)",
         "0104000000020000000101000000000000000000f03f000000000000f03f"
         "010100000000000000000000400000000000000040"),
    ],
)  # fmt: skip
def test_well_known_text_equals_well_known_binary(wkt: str, wkb: str) -> None:
    assert from_wkb(bytes.fromhex(wkb)) == from_wkt(wkt)
