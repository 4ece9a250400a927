"""A build of the ducklake extension in place of the wheel's, so that DuckDB 2 can be the judge.

`DUCKLAKE_EXTENSION` names the file of the build; the `duckdb` package of the environment is then
the one it was built for. What is tested with it are lakes in DuckDB files, and in SQLite when a
build of `sqlite_scanner` is named, too, after a comma. `DUCKLAKE_LAKES` says of which version the
lakes are, 1.0 or 1.1.

A development build calls 1.1 `1.1-dev1`, and has no column that came later. So the lake becomes one
of `1.1-dev1` when DuckDB attaches it and one of 1.1 when DuckDB leaves it. Exactness flags of
bounds are lost on the way, schemas in schemas would be.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from support.lakes import Lake

EXTENSION = os.environ.get("DUCKLAKE_EXTENSION")
LAKES = os.environ.get("DUCKLAKE_LAKES", "1.0")

KINDS = ("duckdb", "sqlite") if "sqlite_scanner" in (EXTENSION or "") else ("duckdb",)
"""Of the catalog databases, those that the build can use."""

_DEVELOPMENT = "1.1-dev1"
_FLAGS = ("min_is_exact", "max_is_exact")
_LATER = (
    ("ducklake_schema", "parent_schema_id", "BIGINT"),
    *(("ducklake_file_column_stats", flag, "BOOLEAN") for flag in _FLAGS),
    *(("ducklake_table_column_stats", flag, "BOOLEAN") for flag in _FLAGS),
)


def extensions() -> list[Path]:
    """The files to load; none when the wheels are used."""
    if EXTENSION is None:
        return []
    # The build finds DuckDB's functions in the library of the package.
    import _duckdb

    ctypes.CDLL(_duckdb.__file__, mode=ctypes.RTLD_GLOBAL)
    return [Path(file) for file in EXTENSION.split(",")]


def must_leave(lake: Lake) -> bool:
    """Whether DuckDB has to leave the lake before Spark uses it: the file, or the version of it."""
    return lake.kind == "duckdb" or EXTENSION is not None


def options(lake: Lake) -> list[str]:
    """What ATTACH needs for a lake of the version that is asked for."""
    if EXTENSION is None or (LAKES == "1.0" and Path(lake.database).exists()):
        return []
    return [f"DUCKLAKE_VERSION '{_DEVELOPMENT if LAKES == '1.1' else LAKES}'"]


def enter(lake: Lake) -> None:
    """Makes a lake of 1.1 one that the build knows."""
    if _is_raised(lake, "1.1"):
        dropped = [f"ALTER TABLE {table} DROP COLUMN {column}" for table, column, _ in _LATER]
        _run(lake, *dropped, _version(_DEVELOPMENT))


def leave(lake: Lake) -> None:
    """Makes a lake of the build one of 1.1 as it was released."""
    if _is_raised(lake, _DEVELOPMENT):
        is_sqlite = lake.kind == "sqlite"
        added = [
            f"ALTER TABLE {table} ADD COLUMN {name} {'BIGINT' if is_sqlite else type}"
            for table, name, type in _LATER
        ]
        _run(lake, *added, _version("1.1"))


def _is_raised(lake: Lake, version: str) -> bool:
    if EXTENSION is None or not Path(lake.database).is_file():
        return False
    query = "SELECT value FROM ducklake_metadata WHERE key = 'version'"
    if lake.kind == "sqlite":
        with closing(sqlite3.connect(lake.database)) as database:
            return bool(database.execute(query).fetchone() == (version,))
    import duckdb

    with duckdb.connect(lake.database) as file:
        return file.execute(query).fetchone() == (version,)


def _version(text: str) -> str:
    return f"UPDATE ducklake_metadata SET value = '{text}' WHERE key = 'version'"


def _run(lake: Lake, *statements: str) -> None:
    from support.catalogdb import execute

    execute(lake, "BEGIN", *statements, "COMMIT")
