"""A catalog database that is open to be damaged, whatever kind it is."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeAlias

import duckdb
import psycopg

from support.catalogdb import postgres_keywords
from support.lakes import Lake

Value: TypeAlias = "int | float | str | bytes | None"

Shapes: TypeAlias = "dict[str, list[tuple[str, str]]]"
"""For each table the columns in order, with their types as SQLite calls them."""


class RefusedError(Exception):
    """The database does not take a statement, and is as before."""


class OpenedCatalog(Protocol):
    """Connections that commit each statement."""

    row: str
    """The column that every row has."""

    def shapes(self) -> Shapes:
        """All tables."""

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement with `?` for values. Errors: RefusedError."""


class _Sqlite:
    row = "rowid"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.execute("PRAGMA synchronous = OFF")

    def shapes(self) -> Shapes:
        names = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        return {
            name: [(row[1], row[2]) for row in self.execute(f"PRAGMA table_info('{name}')")]
            for (name,) in self.execute(names)
        }

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except (sqlite3.IntegrityError, sqlite3.OperationalError) as error:
            raise RefusedError from error


_COLUMNS = """
    SELECT table_name, column_name, upper(data_type) FROM information_schema.columns
    WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position"""


def _grouped(rows: list[tuple[Any, ...]]) -> Shapes:
    shapes: Shapes = {}
    for table, column, kind in rows:
        shapes.setdefault(table, []).append((column, kind))
    return shapes


class _DuckDb:
    row = "rowid"

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def shapes(self) -> Shapes:
        return _grouped(self.execute(_COLUMNS))

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, list(values)).fetchall()
        except (duckdb.Error, UnicodeError) as error:
            raise RefusedError from error


class _Postgres:
    row = "ctid"

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def shapes(self) -> Shapes:
        return _grouped(self.execute(_COLUMNS))

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
        text = sql.replace("?", "%s") if values else sql
        try:
            done = self._connection.execute(text.encode(), values or None)
            return done.fetchall() if done.description else []
        except (psycopg.Error, UnicodeError) as error:
            raise RefusedError from error


@contextlib.contextmanager
def opened(lake: Lake) -> Iterator[OpenedCatalog]:
    """The catalog of a lake, which nobody else writes."""
    if lake.kind == "sqlite":
        with contextlib.closing(sqlite3.connect(lake.database, isolation_level=None)) as file:
            yield _Sqlite(file)
    elif lake.kind == "duckdb":
        with duckdb.connect(lake.database) as connection:
            yield _DuckDb(connection)
    else:
        with psycopg.connect(postgres_keywords(lake), autocommit=True) as server:
            yield _Postgres(server)
