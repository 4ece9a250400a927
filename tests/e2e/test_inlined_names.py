"""Inlined tables have the columns that DuckDB gives them, whatever the columns are called."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.compare import quoted
from support.flushing import flush, kept, made
from support.lakes import Lake
from support.peer import Peer, identifier, last_commit
from support.postgres import PostgresServer

Register = Callable[..., str]

on_postgres = pytest.mark.parametrize("kind", ["postgres"], indirect=True)

HELD = (
    "Mixed",
    "UPPER",
    "_Lead",
    "select",
    "Order",
    "Key",
    "user",
    "a B",
    "A.b",
    'quo"Te',
    "1A",
    "A$b",
    "\u00dcn\u00ef",
    "\u0418\u043c\u044f",
    "oid",
    "Row_Id_",
    "C" * 62,
    "D" * 63,
    "\u00c4" * 31,
)
"""Names of columns that DuckDB keeps in an inlined table of PostgreSQL, folded or as they are."""

NOT_HELD = ("ctid", "Xmin", "tableoid", "current_user", "Localtime", "l" * 64, "l" * 63 + "x")


def _declared(names: tuple[str, ...], quote: Callable[[str], str]) -> str:
    return ", ".join(f"{quote(name)} INTEGER" for name in names)


def _shapes(server: PostgresServer, lake: Lake) -> dict[str, str]:
    """The columns of each inlined table as PostgreSQL has them."""
    columns = """SELECT table_name, string_agg(concat_ws(' ', quote_ident(column_name), data_type,
        column_default, is_nullable), ', ' ORDER BY ordinal_position)
        FROM information_schema.columns WHERE table_name LIKE 'ducklake_inlined_data_%'
        AND table_name <> 'ducklake_inlined_data_tables' GROUP BY table_name"""
    lines = server.run_sql(lake.database, columns).splitlines()
    return dict(line.split("|", 1) for line in lines)


@on_postgres
def test_tables_of_duckdb_are_read_and_changed_by_the_names_they_have(
    spark: SparkSession, lake: Lake, register: Register, server: PostgresServer
) -> None:
    width = len(HELD)
    numbers = [tuple(range(first, first + width)) for first in (100, 200, 300)]
    values = [", ".join(map(str, row)) for row in numbers]
    made(
        lake,
        f"CREATE TABLE t ({_declared(HELD, identifier)})",
        f"INSERT INTO t VALUES ({values[0]})",
    )
    table = f"{register(lake)}.t"

    assert rows(spark, f"SELECT * FROM {table}") == [numbers[0]]
    spark.sql(f"INSERT INTO {table} VALUES ({values[1]}), ({values[2]})")
    assert last_commit(lake)[1] == "{inlined_insert=[1]}"
    spark.sql(f"UPDATE {table} SET {quoted('Mixed')} = 0 WHERE {quoted('D' * 63)} = 217")
    spark.sql(f"DELETE FROM {table} WHERE {quoted('Order')} = 304")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN {quoted('New')} INTEGER")
    spark.sql(f"INSERT INTO {table} VALUES ({values[2]}, 7)")

    expected = [(*numbers[0], None), (0, *numbers[1][1:], None), (*numbers[2], 7)]
    with Peer(lake) as peer:
        assert sorted(peer.rows("FROM t"), key=str) == sorted(expected, key=str)
    older = 'ALTER TABLE ducklake_inlined_data_1_2 RENAME COLUMN mixed TO "Mixed"'
    server.run_sql(lake.database, older)
    assert sorted(rows(spark, f"SELECT * FROM {table}"), key=str) == sorted(expected, key=str)
    spark.sql(f"UPDATE {table} SET {quoted('New')} = 8 WHERE {quoted('Mixed')} = 300")
    expected[2] = (*numbers[2], 8)

    assert flush(spark, table.removesuffix(".t")) == [("main", "t", 6)]
    assert kept(lake) == 0
    assert sorted(rows(spark, f"SELECT * FROM {table}"), key=str) == sorted(expected, key=str)
    with Peer(lake) as peer:
        assert sorted(peer.rows("FROM t"), key=str) == sorted(expected, key=str)


@on_postgres
def test_tables_of_spark_have_the_columns_that_duckdb_gives_them(
    spark: SparkSession, lake: Lake, register: Register, server: PostgresServer
) -> None:
    types = "i TINYINT, J BIGINT, F FLOAT, d DOUBLE, N DECIMAL(20, 3), s {s}, B {b}, t {t}"
    texts = {"s": "VARCHAR", "b": "BLOB", "t": "TIMESTAMPTZ"}
    made(lake, f"CREATE TABLE t ({_declared(HELD, identifier)}, {types.format(**texts)})")
    texts = {"s": "STRING", "b": "BINARY", "t": "TIMESTAMP"}
    catalog = register(lake)

    spark.sql(f"CREATE TABLE {catalog}.u ({_declared(HELD, quoted)}, {types.format(**texts)})")

    shapes = _shapes(server, lake)
    assert shapes["ducklake_inlined_data_2_2"] == shapes["ducklake_inlined_data_1_1"]


@on_postgres
def test_names_that_postgresql_cannot_hold_send_rows_to_files(
    spark: SparkSession, lake: Lake, register: Register, server: PostgresServer
) -> None:
    catalog = register(lake)
    for number, name in enumerate(NOT_HELD):
        spark.sql(f"CREATE TABLE {catalog}.t{number} ({_declared((name, 'other'), quoted)})")
    spark.sql(f"INSERT INTO {catalog}.t0 VALUES (1, 2)")
    spark.sql(f"UPDATE {catalog}.t0 SET ctid = 3 WHERE ctid = 1")

    assert _shapes(server, lake) == {}
    assert rows(spark, f"SELECT * FROM {catalog}.t0") == [(3, 2)]
    with Peer(lake) as peer:
        assert peer.rows("FROM t0") == [(3, 2)]
