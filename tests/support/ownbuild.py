"""A build of the ducklake extension in place of the wheel's, so that DuckDB 2 can be the judge.

`DUCKLAKE_EXTENSION` names the file of the build; the `duckdb` package of the environment is then
the one it was built for. It has no scanners of other databases: what is tested with it are lakes in
DuckDB files. `DUCKLAKE_LAKES` says of which version the lakes are, 1.0 or 1.1.

A development build calls 1.1 `1.1-dev1`, and has no column that came later. So the lake becomes one
of `1.1-dev1` when DuckDB attaches it and one of 1.1 when DuckDB leaves it. Exactness flags of
bounds are lost on the way, schemas in schemas would be.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

EXTENSION = os.environ.get("DUCKLAKE_EXTENSION")
LAKES = os.environ.get("DUCKLAKE_LAKES", "1.0")

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
    return [Path(EXTENSION)]


def options(database: str) -> list[str]:
    """What ATTACH needs for a lake of the version that is asked for."""
    if EXTENSION is None or (LAKES == "1.0" and Path(database).exists()):
        return []
    return [f"DUCKLAKE_VERSION '{_DEVELOPMENT if LAKES == '1.1' else LAKES}'"]


def enter(database: str) -> None:
    """Makes a lake of 1.1 one that the build knows."""
    if _is_raised(database, "1.1"):
        dropped = [f"ALTER TABLE {table} DROP COLUMN {column}" for table, column, _ in _LATER]
        _run(database, *dropped, _version(_DEVELOPMENT))


def leave(database: str) -> None:
    """Makes a lake of the build one of 1.1 as it was released."""
    if _is_raised(database, _DEVELOPMENT):
        added = [f"ALTER TABLE {table} ADD COLUMN {name} {type}" for table, name, type in _LATER]
        _run(database, *added, _version("1.1"))


def _is_raised(database: str, version: str) -> bool:
    if EXTENSION is None or not Path(database).is_file():
        return False
    import duckdb

    with duckdb.connect(database) as file:
        found = file.execute("SELECT value FROM ducklake_metadata WHERE key = 'version'").fetchone()
    return found == (version,)


def _version(text: str) -> str:
    return f"UPDATE ducklake_metadata SET value = '{text}' WHERE key = 'version'"


def _run(database: str, *statements: str) -> None:
    import duckdb

    with duckdb.connect(database) as file:
        for statement in ("BEGIN", *statements, "COMMIT"):
            file.execute(statement)
