"""Real DuckDB as the peer: extensions from installed wheels, attached lakes, values as text."""

from __future__ import annotations

import importlib.util
import sys
from collections import defaultdict
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import duckdb
from duckdb.sqltypes import DuckDBPyType

from support import ownbuild
from support.expected import Column
from support.lakes import Lake


class _WithoutPandas(MetaPathFinder):
    """Says at once that pandas is absent, for DuckDB asks twice for each value of a parameter."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        """No other module is of interest."""
        if fullname == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=fullname)


if importlib.util.find_spec("pandas") is None:
    sys.meta_path.insert(0, _WithoutPandas())

_EXTENSIONS = ("json", "icu", "ducklake", "sqlite_scanner", "postgres_scanner")


def identifier(name: str) -> str:
    """A name as a quoted identifier of DuckDB."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as a literal of DuckDB."""
    return "'" + text.replace("'", "''") + "'"


def extension_file(name: str) -> Path:
    """The binary of an extension inside its wheel."""
    module = importlib.import_module(f"duckdb_extension_{name}")
    return next(Path(str(module.__file__)).parent.glob("extensions/*/*.duckdb_extension"))


settings: dict[str, str | bool | int | float | list[str]] = {}
"""What else every connection of this process is made with."""

_verified: set[str] = set()


def connect(*extensions: str) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB in UTC with what DuckLake needs, and more extensions by name.

    The check of a signature reads the whole file, so each file is checked once per process.
    """
    own = ownbuild.extensions()
    names = extensions if own else (*_EXTENSIONS, *extensions)
    unsigned = "true" if own or _verified.issuperset(names) else "false"
    connection = duckdb.connect(config={"allow_unsigned_extensions": unsigned, **settings})
    for file in (*own, *map(extension_file, names)):
        connection.execute(f"LOAD {literal(str(file))}")
    _verified.update(names)
    connection.execute("SET TimeZone = 'UTC'")
    return connection


committed_by_peers: defaultdict[str, set[int]] = defaultdict(set)
"""Snapshots that DuckDB made in this process, by the address of the lake."""

_spare: list[duckdb.DuckDBPyConnection] = []
"""Connections without a lake: to make one takes longer than to attach a lake to it."""

_USUAL = {
    *("SELECT", "FROM", "WITH", "DESCRIBE", "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE"),
    *("CREATE", "ALTER", "DROP", "COMMENT", "CALL", "USE", "BEGIN", "COMMIT", "ROLLBACK"),
}
"""How statements begin that change no settings of a connection."""

_LEFT = """
    SELECT (SELECT count(*) FROM duckdb_databases() WHERE NOT internal)
        + (SELECT count(*) FROM duckdb_tables()) + (SELECT count(*) FROM duckdb_secrets())"""
"""What there is in a connection; without a lake only the database in memory."""


def _kept() -> duckdb.DuckDBPyConnection | None:
    """A spare connection; None when there is none, or another thread took the last one."""
    try:
        return _spare.pop()
    except IndexError:
        return None


class Peer:
    """A DuckDB process attached to lakes.

    Example:
        with Peer(lake) as peer:
            peer.run("CREATE TABLE t AS SELECT 1 AS a")
            peer.rows("SELECT a FROM t")
    """

    def __init__(self, lake: Lake, *options: str, extensions: Sequence[str] = ()) -> None:
        """Connect, attach the lake as `lake` and use it.

        Args:
            lake: where it is; it is created when it does not exist.
            options: ATTACH options, for instance `SNAPSHOT_VERSION 3`.
            extensions: more DuckDB extensions to load.
        """
        needed = (*extensions, "httpfs") if lake.bucket else tuple(extensions)
        self._is_reusable = not needed and not ownbuild.EXTENSION
        self._connection = (_kept() if self._is_reusable else None) or connect(*needed)
        self._lake = lake
        self._committed = committed_by_peers[lake.uri]
        self._in_transaction = False
        self._attach(lake, options)
        self._execute("USE lake")

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The connection itself, which no other peer gets after this one."""
        self._is_reusable = False
        return self._connection

    def _attach(self, lake: Lake, options: Sequence[str]) -> None:
        if lake.bucket:
            self._connection.execute(lake.bucket.secret())
        ownbuild.enter(lake)
        path = [f"DATA_PATH {literal(lake.data_address)}", *ownbuild.options(lake)]
        if lake.is_moved:
            path.append("OVERRIDE_DATA_PATH true")
        attach = f"ATTACH {literal(lake.uri)} AS lake ({', '.join([*path, *options])})"
        self._connection.execute(attach)

    def _execute(self, statement: str, parameters: object = None) -> duckdb.DuckDBPyConnection:
        """Runs a statement; after an error, or a setting, no other peer gets the connection."""
        is_reusable, self._is_reusable = self._is_reusable, False
        done = self._connection.execute(statement, parameters)
        self._is_reusable = is_reusable and statement.split(maxsplit=1)[0].upper() in _USUAL
        return done

    def _remember(self) -> None:
        last = "SELECT id FROM ducklake_last_committed_snapshot('lake')"
        self._committed |= {id for (id,) in self.rows(last) if id is not None}

    def __enter__(self) -> Peer:
        """The peer itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the lake, and with it the catalog database."""
        self._is_reusable = self._is_reusable and error is None
        self.close()

    def close(self) -> None:
        """Leave the lake, and with it the catalog database."""
        if self._is_reusable and not self._in_transaction:
            self._is_reusable = False
            self._connection.execute("USE memory")
            self._connection.execute("DETACH lake")
            if self._connection.execute(_LEFT).fetchone() == (1,):
                _spare.append(self._connection)
                return
        self._connection.close()
        ownbuild.leave(self._lake)

    def run(self, *statements: str) -> None:
        """Run statements one by one and forget their results."""
        for statement in statements:
            self._execute(statement).fetchall()
            word = statement.split(maxsplit=1)[0].upper()
            self._in_transaction = word == "BEGIN" or (
                self._in_transaction and word not in ("COMMIT", "ROLLBACK")
            )
            if not self._in_transaction:
                self._remember()

    def rows(self, query: str, parameters: object = None) -> list[tuple[Any, ...]]:
        """The rows of a query as Python values."""
        return self._execute(query, parameters).fetchall()

    def value(self, query: str, parameters: object = None) -> Any:  # noqa: ANN401
        """The only value of a query."""
        ((value,),) = self.rows(query, parameters)
        return value

    def head(self) -> int:
        """The newest snapshot."""
        return int(self.value("SELECT id FROM ducklake_current_snapshot('lake')"))

    def texts(self, query: str) -> tuple[tuple[Column, ...], list[list[Any]]]:
        """Columns and rows of a query, the values in the form of expected.jsonl."""
        relation = self._connection.sql(query)
        pairs = list(zip(relation.columns, relation.types, strict=True))
        rows = self.rows(canonical_query(query, pairs))
        return tuple(Column(name, str(kind)) for name, kind in pairs), [list(row) for row in rows]


def canonical_query(query: str, columns: Sequence[tuple[str, DuckDBPyType]]) -> str:
    """A query for the same rows with values as text, and only lists and structs as structure."""
    texts = ", ".join(
        f"{_canonical(f'source.{identifier(name)}', kind)} AS c{number}"
        for number, (name, kind) in enumerate(columns)
    )
    return f"SELECT {texts} FROM ({query}) AS source"


def parts_of(kind: DuckDBPyType) -> list[tuple[str, DuckDBPyType]]:
    """Names and types of the parts of a nested type; none for other types."""
    if kind.id == "list":
        return [("element", _children(kind)[0][1])]
    return _children(kind) if kind.id in ("map", "struct") else []


def _children(kind: DuckDBPyType) -> list[tuple[str, DuckDBPyType]]:
    """Names and types of the parts of a nested type."""
    return [(name, child) for name, child in kind.children if isinstance(child, DuckDBPyType)]


def _canonical(value: str, kind: DuckDBPyType, depth: int = 0) -> str:
    """SQL that turns a value into text, and keeps only lists and structs as structure."""
    item = f"x{depth}"
    if str(kind) == "VARIANT":
        pair = f"{{'type': variant_typeof({value}), 'value': CAST({value} AS VARCHAR)}}"
        return f"CASE WHEN {value} IS NULL THEN NULL ELSE {pair} END"
    if str(kind) == "BLOB":
        return f"lower(hex({value}))"
    if kind.id == "list":
        inner = _canonical(item, _children(kind)[0][1], depth + 1)
        return f"list_transform({value}, lambda {item}: {inner})"
    if kind.id == "map":
        key, content = (
            _canonical(f"{item}.{part}", child[1], depth + 1)
            for part, child in zip(("key", "value"), _children(kind), strict=True)
        )
        pair = f"{{'k': {key}, 'v': {content}}}"
        return f"list_transform(map_entries({value}), lambda {item}: {pair})"
    if kind.id == "struct":
        fields = ", ".join(
            f"{literal(name)}: "
            + _canonical(f"struct_extract({value}, {literal(name)})", child, depth + 1)
            for name, child in _children(kind)
        )
        return f"CASE WHEN {value} IS NULL THEN NULL ELSE {{{fields}}} END"
    return f"CAST({value} AS VARCHAR)"


def made(lake: Lake, *statements: str, limit: int = 0) -> int:
    """Runs statements in DuckDB, of which inserts of at most `limit` rows stay in the catalog.

    Returns:
        The newest snapshot.
    """
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {limit}") as peer:
        peer.run(*statements)
        return peer.head()


def last_commit(lake: Lake) -> tuple[int, str]:
    """The newest snapshot, and what it changed."""
    with Peer(lake) as peer:
        ((head, changes),) = peer.rows(
            "SELECT snapshot_id, CAST(changes AS VARCHAR) FROM ducklake_snapshots('lake') "
            "ORDER BY ALL DESC LIMIT 1"
        )
    return int(head), str(changes)
