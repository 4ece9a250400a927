"""The catalog database of a lake as it lies there: raw rows and shapes of all its tables."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, TypeAlias

import duckdb
import psycopg

from support.lakes import CatalogKind, Lake
from support.peer import identifier, literal

Row: TypeAlias = dict[str, Any]

_BOOLEANS = {"path_is_relative", "nulls_allowed", "contains_null", "contains_nan", "is_partition"}
_AS_THEY_ARE = {"BIGINT", "BOOLEAN", "BLOB"}
_LOCKED_SECONDS = 20


@dataclass(frozen=True)
class MetadataTable:
    """A table of the catalog database: physical column types in order, rows as stored."""

    name: str
    types: dict[str, str]
    rows: list[Row]


@dataclass(frozen=True)
class Catalog:
    """All `ducklake_` tables of a lake, read at once."""

    kind: CatalogKind
    tables: dict[str, MetadataTable]

    def rows(self, name: str) -> list[Row]:
        """The rows of the table called `ducklake_<name>`; none when there is no such table."""
        table = self.tables.get(f"ducklake_{name}")
        return table.rows if table else []

    def head(self) -> Row:
        """The newest snapshot."""
        return max(self.rows("snapshot"), key=lambda row: int(row["snapshot_id"]))


def read_catalog(lake: Lake) -> Catalog:
    """All tables of a lake's catalog database; booleans and UUIDs in one form for all kinds."""
    readers: dict[CatalogKind, Callable[[Lake], list[MetadataTable]]] = {
        "sqlite": _read_sqlite,
        "postgres": _read_postgres,
        "duckdb": _read_duckdb,
    }
    found = _patiently(lambda: readers[lake.kind](lake))
    return Catalog(lake.kind, {table.name: table for table in found})


def execute(lake: Lake, *statements: str) -> None:
    """Run statements on the catalog database itself, behind the backs of both engines."""
    if lake.kind == "sqlite":
        with closing(sqlite3.connect(lake.database, timeout=_LOCKED_SECONDS)) as connection:
            connection.executescript(";".join(statements))
    elif lake.kind == "duckdb":
        with duckdb.connect(lake.database) as file:
            for statement in statements:
                file.execute(statement)
    else:
        with psycopg.connect(postgres_keywords(lake), autocommit=True) as server:
            for statement in statements:
                server.execute(statement.encode())


def postgres_keywords(lake: Lake) -> str:
    """The libpq connection string of a lake on PostgreSQL."""
    return lake.uri.removeprefix("ducklake:postgres:")


def _patiently(read: Callable[[], Any]) -> Any:  # noqa: ANN401
    """Reads again for a while when another process holds the database."""
    deadline = time.monotonic() + _LOCKED_SECONDS
    while True:
        try:
            return read()
        except (duckdb.IOException, sqlite3.OperationalError) as error:
            if "lock" not in str(error).lower() or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _table(name: str, types: dict[str, str], rows: list[tuple[Any, ...]]) -> MetadataTable:
    return MetadataTable(
        name,
        types,
        [
            {column: _plain(column, value) for column, value in zip(types, row, strict=True)}
            for row in rows
        ],
    )


def _plain(column: str, value: Any) -> Any:  # noqa: ANN401
    if column in _BOOLEANS and value is not None:
        return bool(value)
    return value if value is None or isinstance(value, (int, float, bytes)) else str(value)


def _read_sqlite(lake: Lake) -> list[MetadataTable]:
    with closing(sqlite3.connect(lake.database, timeout=_LOCKED_SECONDS)) as connection:
        connection.execute("BEGIN")
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'ducklake%'"
        ).fetchall()
        return [
            _table(
                name,
                {row[1]: row[2] for row in connection.execute(f"PRAGMA table_info('{name}')")},
                connection.execute(f"SELECT * FROM {name}").fetchall(),
            )
            for (name,) in names
        ]


@cache
def _reader() -> duckdb.DuckDBPyConnection:
    """The one DuckDB that looks into DuckDB files; to make one takes longer than to attach one."""
    return duckdb.connect()


_turn = Lock()


def _read_duckdb(lake: Lake) -> list[MetadataTable]:
    with _turn:
        reader = _reader()
        reader.execute(f"ATTACH {literal(lake.database)} AS raw (READ_ONLY)")
        try:
            return _duckdb_tables(reader)
        finally:
            reader.execute("DETACH raw")


def _duckdb_tables(reader: duckdb.DuckDBPyConnection) -> list[MetadataTable]:
    shapes: defaultdict[str, dict[str, str]] = defaultdict(dict)
    columns = (
        "SELECT table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE database_name = 'raw' AND table_name LIKE 'ducklake%' AND NOT internal "
        "ORDER BY table_name, column_index"
    )
    for name, column, kind in reader.execute(columns).fetchall():
        shapes[name][column] = kind
    return [_duckdb_table(reader, name, types) for name, types in shapes.items()]


def _duckdb_table(
    reader: duckdb.DuckDBPyConnection, name: str, types: dict[str, str]
) -> MetadataTable:
    columns = [
        identifier(column) if kind in _AS_THEY_ARE else f"CAST({identifier(column)} AS VARCHAR)"
        for column, kind in types.items()
    ]
    query = f"SELECT {', '.join(columns)} FROM raw.{name}"
    return _table(name, types, reader.execute(query).fetchall())


_SHAPES = """
    SELECT table_name, json_agg(json_build_array(column_name, data_type)
                                ORDER BY ordinal_position)::text
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name LIKE 'ducklake%'
    GROUP BY table_name"""


def _read_postgres(lake: Lake) -> list[MetadataTable]:
    with psycopg.connect(postgres_keywords(lake), client_encoding="utf8") as server:
        server.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        server.read_only = True
        shapes = {name: dict(json.loads(text)) for name, text in server.execute(_SHAPES)}
        contents = " UNION ALL ".join(
            f"SELECT '{name}', (SELECT coalesce(json_agg(a_row), '[]') FROM {name} a_row)::text"
            for name in shapes
        )
        return [
            _table(
                name,
                shapes[name],
                [
                    tuple(row[column] for column in shapes[name])
                    for row in json.loads(text, parse_float=str)
                ],
            )
            for name, text in (server.execute(contents.encode()) if shapes else [])
        ]
