"""Lakes on each kind of catalog database, described once for both engines."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

import psycopg

from support.objectstore import Bucket
from support.postgres import PostgresServer

CatalogKind = Literal["sqlite", "postgres", "duckdb"]
CATALOG_KINDS: tuple[CatalogKind, ...] = get_args(CatalogKind)

IN_FILES = {"data-inlining-row-limit": "0"}
"""Options of a registration whose writes go to files, however few rows they have."""

CATALOG_CLASS = "ducklake.spark.DuckLakeCatalog"
EXTENSION_CLASS = "ducklake.spark.DuckLakeExtensions"


@dataclass(frozen=True)
class Lake:
    """A lake: its address as DuckDB's ATTACH takes it (Spark's `uri` is the same), its data path.

    `is_moved`: the data path stored in the lake is another one, so both engines must override it.
    `database` names the PostgreSQL database, or is the path of the catalog file.
    `bucket` holds the data when it is in an object store, which keeps its files at `data_path`.
    """

    kind: CatalogKind
    uri: str
    data_path: Path
    database: str
    is_moved: bool = False
    bucket: Bucket | None = None

    @property
    def data_address(self) -> str:
        """The data path as both engines write it."""
        if self.bucket is None:
            return f"{self.data_path}/"
        return f"s3://{self.bucket.name}/{self.data_path.relative_to(self.bucket.folder)}/"

    def spark_settings(
        self, catalog: str, options: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """The Spark settings that register the lake as `catalog`."""
        key = f"spark.sql.catalog.{catalog}"
        settings = {key: CATALOG_CLASS, f"{key}.uri": self.uri}
        if self.is_moved:
            settings[f"{key}.data-path"] = self.data_address
            settings[f"{key}.override-data-path"] = "true"
        own = self.bucket.hadoop() if self.bucket else {}
        for name, value in (own | dict(options or {})).items():
            settings[f"{key}.{name}"] = value
        return settings


@dataclass
class LakeFactory:
    """Makes descriptions of new lakes; a peer's ATTACH then creates the lake itself."""

    folder: Path
    server: PostgresServer
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def new(self, kind: CatalogKind, bucket: Bucket | None = None) -> Lake:
        """A lake that does not exist yet, in a folder or database of its own.

        Args:
            kind: of the catalog database.
            bucket: where the data goes; without it to a local folder.
        """
        folder = self.folder / f"lake{next(self._numbers)}"
        folder.mkdir(parents=True)
        database = self.server.create_database() if kind == "postgres" else ""
        made = describe(kind, folder, database, self.server)
        if bucket is None:
            return made
        return replace(made, bucket=bucket, data_path=bucket.folder / folder.name)

    def copied(self, empty: Lake) -> Lake:
        """A new lake as an empty one on PostgreSQL, to which nobody is connected."""
        folder = self.folder / f"lake{next(self._numbers)}"
        folder.mkdir(parents=True)
        database = self.server.copy_database(empty.database)
        made = describe(empty.kind, folder, database, self.server)
        with psycopg.connect(self.server.keywords(database)) as connection:
            connection.execute(_AS_IF_NEW, {"path": made.data_address})
        return made


_AS_IF_NEW = """
    WITH snapshot AS (UPDATE ducklake_snapshot SET snapshot_time = now()),
        schema AS (UPDATE ducklake_schema SET schema_uuid = gen_random_uuid())
    UPDATE ducklake_metadata SET value = %(path)s WHERE key = 'data_path'"""
"""What tells one empty lake from another."""


def describe(
    kind: CatalogKind,
    folder: Path,
    database: str,
    server: PostgresServer,
    *,
    is_moved: bool = False,
) -> Lake:
    """The lake whose catalog file (or database) and `data` folder lie at the given place."""
    data = folder / "data"
    if kind == "postgres":
        uri = f"ducklake:postgres:{server.keywords(database)}"
        return Lake(kind, uri, data, database, is_moved)
    if kind == "sqlite":
        file = folder / "catalog.sqlite"
        return Lake(kind, f"ducklake:sqlite:{file}", data, str(file), is_moved)
    file = folder / "catalog.ducklake"
    return Lake(kind, f"ducklake:{file}", data, str(file), is_moved)
