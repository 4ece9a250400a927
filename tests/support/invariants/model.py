"""What an invariant looks at, and what it says when it does not hold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from support.catalogdb import Catalog, MetadataTable, Row
from support.lakes import Lake

FOREVER = 1 << 62
_INLINED = "ducklake_inlined_data_"
_OWN_OF_11 = {f"_ducklake_{name}": name for name in ("row_id", "begin_snapshot", "end_snapshot")}


@dataclass(frozen=True)
class Complaint:
    """What is wrong, and of which table, if it is wrong of one."""

    text: str
    table_id: int | None = None
    file_id: int | None = None
    column: Row | None = None


Complaints = Iterator[Complaint]
Span = tuple[int, int]


@dataclass(frozen=True)
class Scope:
    """What the caller knows and wants.

    Attributes:
        duckdb_snapshots: snapshots that DuckDB committed; None: all of them.
        expired: snapshots in the middle that were expired by name; those below the oldest need
            no mention.
        has_duckdb_rewritten: whether DuckDB rewrote files in a snapshot that may have expired.
        has_duckdb_expired: whether DuckDB expired snapshots.
        is_free_of_orphans: whether no other writer has files underway, so that each file below
            the data path must be known.
        deep_bytes: data files are read when all of them together are not larger.
    """

    duckdb_snapshots: frozenset[int] | None = frozenset()
    expired: frozenset[int] = frozenset()
    has_duckdb_rewritten: bool = False
    has_duckdb_expired: bool = False
    is_free_of_orphans: bool = False
    deep_bytes: int = 400_000


def named_as_in_10(catalog: Catalog) -> Catalog:
    """The catalog with the names that the columns of inlined tables have in 1.0."""
    if not any(
        row["value"] == "1.1" for row in catalog.rows("metadata") if row["key"] == "version"
    ):
        return catalog
    tables = {
        name: _renamed(table) if name.startswith(_INLINED) else table
        for name, table in catalog.tables.items()
    }
    return replace(catalog, tables=tables)


def _renamed(table: MetadataTable) -> MetadataTable:
    def short(values: Row) -> Row:
        return {_OWN_OF_11.get(name, name): value for name, value in values.items()}

    return replace(table, types=short(table.types), rows=[short(row) for row in table.rows])


@dataclass(frozen=True, eq=False)
class Subject:
    """A lake under examination: its catalog as read once, and where its files lie.

    What is found out about it may be kept for the next invariant: nobody writes to it.
    """

    lake: Lake
    catalog: Catalog
    scope: Scope

    def rows(self, table: str) -> list[Row]:
        """The rows of `ducklake_<table>`."""
        return self.catalog.rows(table)

    @cached_property
    def snapshots(self) -> list[Row]:
        """The snapshot rows, oldest first."""
        return sorted(self.rows("snapshot"), key=lambda row: int(row["snapshot_id"]))

    @cached_property
    def head(self) -> int:
        """The newest snapshot."""
        return int(self.snapshots[-1]["snapshot_id"])

    def is_live(self, row: Row, snapshot: int | None = None) -> bool:
        """Whether a row is visible in a snapshot, by default the newest."""
        begin, end = span(row)
        return begin <= (self.head if snapshot is None else snapshot) < end

    def live(self, table: str) -> list[Row]:
        """The rows that are visible in the newest snapshot."""
        return [row for row in self.rows(table) if self.is_live(row)]

    def is_reachable(self, row: Row) -> bool:
        """Whether a snapshot that still exists sees the row."""
        begin, end = span(row)
        return any(begin <= int(each["snapshot_id"]) < end for each in self.snapshots)

    @cached_property
    def live_tables(self) -> dict[int, Row]:
        """The tables of the newest snapshot by id."""
        return {int(row["table_id"]): row for row in self.live("table")}

    @cached_property
    def data_files(self) -> dict[int, Row]:
        """All data files by id."""
        return {int(row["data_file_id"]): row for row in self.rows("data_file")}

    @cached_property
    def data_path(self) -> Path:
        """The folder of the lake's data."""
        if self.lake.is_moved or self.lake.bucket:
            return self.lake.data_path
        (stored,) = (
            row["value"]
            for row in self.rows("metadata")
            if row["key"] == "data_path" and row["scope"] is None
        )
        return Path(str(stored))

    def file_path(self, row: Row) -> Path:
        """The full path of a data file or delete file."""
        if not row["path_is_relative"]:
            return self._on_disk(str(row["path"]))
        return self._table_folder(int(row["table_id"])) / str(row["path"])

    def _on_disk(self, path: str) -> Path:
        """Where the store keeps what has this address; a local path as it is."""
        bucket = self.lake.bucket
        address = f"s3://{bucket.name}/" if bucket else ""
        if bucket and path.startswith(address):
            return bucket.folder / path.removeprefix(address)
        return Path(path)

    def _table_folder(self, table_id: int) -> Path:
        table = next(row for row in self.rows("table") if row["table_id"] == table_id)
        if not table["path_is_relative"]:
            return Path(table["path"])
        schema = next(r for r in self.rows("schema") if r["schema_id"] == table["schema_id"])
        above = self.data_path if schema["path_is_relative"] else Path("/")
        return above / str(schema["path"] or "") / str(table["path"] or "")

    @cached_property
    def files_on_disk(self) -> dict[int, Path]:
        """The paths of the data files that exist."""
        paths = {number: self.file_path(row) for number, row in self.data_files.items()}
        return {number: path for number, path in paths.items() if path.is_file()}

    @cached_property
    def is_small(self) -> bool:
        """Whether the data themselves are looked at, not only their descriptions."""
        sizes = [os.path.getsize(path) for path in self.files_on_disk.values()]
        return sum(sizes) <= self.scope.deep_bytes

    @cached_property
    def is_encrypted(self) -> bool:
        """Whether the files cannot be looked into."""
        return any(
            row["key"] == "encrypted" and row["value"] == "true" for row in self.rows("metadata")
        )


def span(row: Row) -> Span:
    """The snapshots in which a row is visible: first inclusive, last exclusive."""
    end = row["end_snapshot"]
    return int(row["begin_snapshot"]), FOREVER if end is None else int(end)


def is_covered(part: Span, spans: Iterable[Span]) -> bool:
    """Whether spans together cover one without a gap."""
    reached, end = part
    for begin, until in sorted(spans):
        if begin <= reached < until:
            reached = until
    return reached >= end


def overlapping(spans: Iterable[Span]) -> bool:
    """Whether two of the spans share a snapshot."""
    ordered = sorted(each for each in spans if each[0] < each[1])
    return any(one[1] > other[0] for one, other in pairwise(ordered))
