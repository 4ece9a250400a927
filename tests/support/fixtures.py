"""The recorded lakes of tests/compat: found, unpacked, and described like any other lake."""

from __future__ import annotations

import gzip
import sqlite3
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb

from support.expected import Changes, Snapshot, read_changes, read_expected
from support.lakes import CatalogKind, Lake, describe
from support.postgres import PostgresServer

COMPAT = Path(__file__).resolve().parent.parent / "compat"
_ROOT = "/__FIXTURE_ROOT__/"
_PATH_COLUMNS = {
    "ducklake_metadata": "value",
    "ducklake_schema": "path",
    "ducklake_table": "path",
    "ducklake_data_file": "path",
    "ducklake_delete_file": "path",
}


@dataclass(frozen=True)
class Fixture:
    """One recorded lake: specification version, kind of catalog database, case."""

    spec: str
    kind: CatalogKind
    case: str

    def __str__(self) -> str:
        """The name used in test ids."""
        return f"{self.spec}-{self.kind}-{self.case}"

    @property
    def archive(self) -> Path:
        """The archive that holds it."""
        return COMPAT / f"{self.spec}-{self.kind}.tar.gz"


@cache
def all_fixtures() -> tuple[Fixture, ...]:
    """Every recorded lake, sorted by specification, kind and case."""
    found = []
    for path in sorted(COMPAT.glob("*.tar.gz")):
        spec, _, kind = path.name.removesuffix(".tar.gz").rpartition("-")
        with tarfile.open(path) as archive:
            names = sorted(name for name in archive.getnames() if "/" not in name)
        found += [Fixture(spec, kind, name) for name in names]  # type: ignore[arg-type]
    return tuple(found)


class FixtureStore:
    """Unpacks fixtures into a folder, each one once; their lakes must not be written to."""

    def __init__(self, folder: Path, server: PostgresServer) -> None:
        """Nothing is unpacked before it is asked for."""
        self._folder, self._server = folder, server
        self._lakes: dict[Fixture, Lake] = {}
        self._expected: dict[Fixture, list[Snapshot]] = {}

    def lake(self, fixture: Fixture) -> Lake:
        """The fixture's lake, ready to be opened with its data path overridden."""
        if fixture not in self._lakes:
            self._lakes[fixture] = self._open(fixture, self._unpacked(fixture))
        return self._lakes[fixture]

    def expected(self, fixture: Fixture) -> list[Snapshot]:
        """What DuckDB read from the fixture."""
        if fixture not in self._expected:
            self._expected[fixture] = read_expected(self._unpacked(fixture) / "expected.jsonl")
        return self._expected[fixture]

    def changes(self, fixture: Fixture) -> list[Changes]:
        """The change feeds that DuckDB read from the fixture, of single snapshots."""
        return read_changes(self._unpacked(fixture) / "expected.jsonl")

    def _unpacked(self, fixture: Fixture) -> Path:
        target = self._folder / f"{fixture.spec}-{fixture.kind}"
        if not target.exists():
            target.mkdir(parents=True)
            with tarfile.open(fixture.archive) as archive:
                archive.extractall(target, filter="data")
        return target / fixture.case

    def _open(self, fixture: Fixture, folder: Path) -> Lake:
        database = ""
        if fixture.kind == "duckdb":
            packed = (folder / "catalog.ducklake.gz").read_bytes()
            (folder / "catalog.ducklake").write_bytes(gzip.decompress(packed))
        elif fixture.kind == "postgres":
            database = self._server.create_database()
            self._server.run_script(database, folder / "catalog.sql")
        lake = describe(fixture.kind, folder, database, self._server, is_moved=True)
        if "{root}" in (folder / "script.sql").read_text(encoding="utf-8"):
            self._run(lake, _placeholder_updates(folder))
        return lake

    def _run(self, lake: Lake, statements: list[str]) -> None:
        if lake.kind == "postgres":
            self._server.run_sql(lake.database, ";".join(statements))
        elif lake.kind == "sqlite":
            with sqlite3.connect(lake.database) as connection:
                connection.executescript(";".join(statements))
        else:
            with duckdb.connect(lake.database) as connection:
                connection.execute(";".join(statements))


def _placeholder_updates(folder: Path) -> list[str]:
    """Statements that put the folder in place of the placeholder in stored absolute paths."""
    target = f"{folder}/".replace("'", "''")
    return [
        f"UPDATE {table} SET {column} = replace({column}, '{_ROOT}', '{target}')"
        for table, column in _PATH_COLUMNS.items()
    ]
