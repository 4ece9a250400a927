"""Reading catalog databases with Python's own drivers: no Spark, no JVM."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ducklake_spark_catalog import address, columns, listing, postgres
from ducklake_spark_catalog.address import Address
from ducklake_spark_catalog.failure import Failure, RunAgain
from ducklake_spark_catalog.listing import Listing
from ducklake_spark_catalog.places import Place

Row = dict[str, Any]

_PREFIX = "ducklake_"
_TABLE = re.compile(r"\{(\w+)\}")
_NO_LAKE = "Create the lake first: the first statement that makes something in it does so."
_MISSING = "The package {name} reads {kind} catalogs:"
_AGAIN = "Run the command again."
_ABSENT = re.compile(r'(?:no such table: |relation "|Table with name )[^!\n]*?ducklake_(\w+)')
# Reading a file fetches nothing from the network and opens no other file, whatever is in the file.
_CONFINED: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
}
_BUSY = "Another process has it open. Run the command again when that process has ended."


@dataclass(frozen=True)
class Database:
    """An open catalog database.

    Attributes:
        connection: of the driver.
        display: the address for people, without a password.
        schema: the quoted schema of the metadata tables with a dot, or nothing.
        namespace: the name of that schema.
        listing: where the tables are listed.
        mark: how the driver writes a parameter.
    """

    connection: Any
    display: str
    schema: str
    namespace: str
    listing: Listing
    mark: str = "?"

    def rows(self, query: str, *values: object) -> list[Row]:
        """The rows of a query; `{name}` stands for a metadata table, `?` for a value.

        Raises:
            ValueError: a number is infinite, as SQLite may hold it in any column.
        """
        marked = query.replace("?", self.mark)
        cursor = self.connection.cursor()
        cursor.execute(_TABLE.sub(lambda name: f"{self.schema}{_PREFIX}{name[1]}", marked), values)
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        for row in rows:
            for name, value in row.items():
                if isinstance(value, float) and not isfinite(value):
                    raise ValueError(f"{name} is {value}")
        return rows

    def names(self) -> set[str]:
        """The names of all metadata tables without their prefix, also of those out of reach."""
        rows = self.rows(
            f"SELECT table_name FROM {self.listing.tables} WHERE table_schema = ?", self.namespace
        )
        names = {str(row["table_name"]) for row in rows}
        return {name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)}

    def names_with(self, column: str) -> set[str]:
        """The names of the metadata tables that have a column, without their prefix."""
        return {table for table, _ in self._columns("column_name = ?", column)}

    def columns(self, tables: Iterable[str]) -> set[tuple[str, str]]:
        """The columns that there are of metadata tables: table without its prefix, and column."""
        names = [_PREFIX + table for table in tables]
        return self._columns(f"table_name IN ({', '.join('?' * len(names))})", *names)

    def _columns(self, condition: str, *values: object) -> set[tuple[str, str]]:
        rows = self.rows(
            f"""SELECT table_name, column_name FROM {self.listing.columns}
                WHERE table_schema = ? AND {condition}""",
            self.namespace,
            *values,
        )
        found = {(str(row["table_name"]), str(row["column_name"])) for row in rows}
        return {(t.removeprefix(_PREFIX), c) for t, c in found if t.startswith(_PREFIX)}


@contextmanager
def opened(place: Place) -> Iterator[Database]:
    """The catalog database of a lake, for reading: in one transaction, so that all queries agree.

    A transaction may keep others from writing to a file of SQLite: print nothing inside.

    Raises:
        Failure: it cannot be opened, or a query fails.
    """
    where = address.parse(place.uri)
    connect = {"sqlite": _sqlite, "duckdb": _duckdb, "postgres": _postgres}[where.kind]
    with connect(where, place) as database:
        _refuse_views(database)
        yield database


def _refuse_views(database: Database) -> None:
    """A view in the place of a metadata table runs the query of whoever made it."""
    tables = {table for table, _ in columns.OF_1_1}
    query = f"SELECT table_name FROM {database.listing.others} WHERE table_schema = ?"
    for row in database.rows(query, database.namespace):
        name = str(row["table_name"])
        bare = name.lower().removeprefix(_PREFIX)
        if name.lower() != bare and (bare in tables or bare.startswith("inlined_")):
            why = "is no table, and metadata is read from tables alone"
            raise Failure(f"`{name}` at {database.display} {why}.")


@contextmanager
def _sqlite(where: Address, place: Place) -> Iterator[Database]:
    _refuse_absent(where)
    timeout = float(place.text("busy-timeout") or 5000) / 1000
    try:
        name = f"file:{quote(where.target)}?mode=ro"
        with closing(sqlite3.connect(name, uri=True, timeout=timeout)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("BEGIN")
            _roll_back_what_is_left(connection, where, timeout)
            yield Database(connection, where.display, "", "main", listing.OF_SQLITE)
    except sqlite3.OperationalError as failure:
        if "locked" in str(failure) or "busy" in str(failure):
            raise RunAgain(f"{where.display} is busy.", _BUSY) from failure
        raise _refused(where, failure) from failure
    except sqlite3.DatabaseError as failure:
        raise _refused(where, failure) from failure


def _roll_back_what_is_left(reading: sqlite3.Connection, where: Address, timeout: float) -> None:
    """What a killed process left keeps others from reading; only who may write rolls it back."""
    try:
        reading.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.OperationalError as failure:
        if "readonly" not in str(failure):
            raise
        with closing(sqlite3.connect(where.target, timeout=timeout)) as writing:
            writing.execute("SELECT 1 FROM sqlite_master")


@contextmanager
def _duckdb(where: Address, place: Place) -> Iterator[Database]:
    _refuse_absent(where)
    try:
        import duckdb
    except ImportError as missing:
        what = _MISSING.format(name="duckdb", kind="DuckDB")
        raise Failure(what, "pip install 'ducklake-spark[duckdb]'.") from missing
    try:
        _refuse_sqlite(where)
        with closing(duckdb.connect(where.target, read_only=True, config=_CONFINED)) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute("BEGIN TRANSACTION READ ONLY")
            schema = place.text("metadata-schema") or "main"
            prefix = f"{_quoted(schema)}."
            yield Database(connection, where.display, prefix, schema, listing.OF_DUCKDB)
    except duckdb.IOException as failure:
        if "Could not set lock on file" in str(failure):
            raise RunAgain(f"{where.display} is busy.", _BUSY) from failure
        raise _refused(where, failure) from failure
    except (duckdb.Error, OSError) as failure:
        raise _refused(where, failure) from failure


def _refuse_sqlite(where: Address) -> None:
    """Refuse a file for which DuckDB would look for its extension for SQLite."""
    with Path(where.target).open("rb") as file:
        if file.read(16) == b"SQLite format 3\0":
            mend = f"Write `ducklake:sqlite:{where.target}`."
            raise Failure(f"{where.display} is a file of SQLite.", mend)


@contextmanager
def _postgres(where: Address, place: Place) -> Iterator[Database]:
    try:
        import psycopg
    except ImportError as missing:
        what = _MISSING.format(name="psycopg", kind="PostgreSQL")
        raise Failure(what, "pip install 'ducklake-spark[postgres]'.") from missing
    keywords = postgres.keywords(where, place)
    try:
        settings = psycopg.conninfo.make_conninfo("", **keywords)
        with closing(psycopg.connect(settings)) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            connection.execute("SET LOCAL TIME ZONE 'UTC'")
            connection.execute("SET LOCAL DateStyle TO 'ISO'")
            schema, to = place.text("metadata-schema") or "public", connection.info
            display = f"postgres:{to.dbname} at {to.host}:{to.port}"
            # For psycopg a single % begins a parameter, in a name too.
            prefix = f"{_quoted(schema)}.".replace("%", "%%")
            yield Database(connection, display, prefix, schema, listing.OF_POSTGRES, "%s")
    except psycopg.Error as failure:
        raise _refused(where, failure) from failure


def _refuse_absent(where: Address) -> None:
    try:
        is_there = Path(where.target).is_file()
    except OSError as failure:  # a name may be too long
        raise Failure(f"{where.display} cannot be read: {failure.strerror}.") from failure
    if not is_there:
        raise Failure(f"There is no lake at {where.display}: the file is not there.", _NO_LAKE)


def _refused(where: Address, failure: Exception) -> Failure:
    text = str(failure)
    absent = _ABSENT.search(text)
    if absent and absent[1] in ("metadata", "snapshot"):
        return Failure(f"The database at {where.display} holds no DuckLake catalog.", _NO_LAKE)
    if absent and absent[1].startswith("inlined_"):
        return RunAgain(f"{where.display} was changed while it was read.", _AGAIN)
    return Failure(f"{where.display} cannot be read: {text.strip()}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
