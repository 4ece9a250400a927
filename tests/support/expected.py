"""The recorded answers of DuckDB for a fixture: expected.jsonl as values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Kind = Literal["table", "view"]


@dataclass(frozen=True)
class Column:
    """A column as DuckDB's DESCRIBE shows it; `default` is SQL text of DuckDB."""

    name: str
    type: str
    nullable: bool = True
    default: str | None = None
    comment: str | None = None


@dataclass(frozen=True)
class Relation:
    """One state of a table or view; it holds from `since` until the next state.

    `row_ids` runs beside `rows` and is empty for a view. `error` is the class of DuckDB's error
    when it could not read this state; `columns` may then still be known.
    """

    kind: Kind
    since: int
    schema: str
    name: str
    columns: tuple[Column, ...]
    rows: tuple[list[Any], ...]
    row_ids: tuple[int, ...]
    comment: str | None
    error: str | None


@dataclass(frozen=True)
class Changes:
    """The change feed of a table from a snapshot to the same snapshot, where it is not empty.

    Each row has the type of the change, the row id and the values. `error` as in `Relation`.
    """

    snapshot: int
    schema: str
    table: str
    rows: tuple[tuple[str, int, list[Any]], ...]
    error: str | None


@dataclass(frozen=True)
class Snapshot:
    """One snapshot: what exists in it, and the state of each relation. `error` as in `Relation`."""

    id: int
    time: str
    schema_version: int
    changes: str
    author: str | None
    message: str | None
    extra: str | None
    schemas: tuple[str, ...]
    tables: tuple[tuple[str, str], ...]
    views: tuple[tuple[str, str], ...]
    relations: tuple[Relation, ...]
    error: str | None

    def relation(self, schema: str, name: str) -> Relation:
        """The state of one table or view."""
        return next(r for r in self.relations if (r.schema, r.name) == (schema, name))


def read_expected(path: Path) -> list[Snapshot]:
    """All snapshots of an expected.jsonl, oldest first."""
    with path.open(encoding="utf-8") as lines:
        return parse_expected([json.loads(line) for line in lines])


def read_changes(path: Path) -> list[Changes]:
    """All change feeds of an expected.jsonl."""
    with path.open(encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [
        Changes(
            snapshot=line["snapshot_id"],
            schema=line["schema"],
            table=line["table"],
            rows=tuple((kind, row_id, values) for kind, row_id, values in line.get("rows", ())),
            error=line.get("error"),
        )
        for line in lines
        if line["kind"] == "changes"
    ]


def parse_expected(lines: list[dict[str, Any]]) -> list[Snapshot]:
    """The snapshots in the parsed lines of an expected.jsonl."""
    current: dict[tuple[str, str, str], Relation] = {}
    snapshots: list[Snapshot] = []
    head: dict[str, Any] | None = None
    for line in [*lines[1:], {"kind": "snapshot"}]:
        if line["kind"] == "snapshot":
            if head is not None:
                snapshots.append(_snapshot(head, current))
            head = line
        elif line["kind"] in ("table", "view"):
            current[line["kind"], line["schema"], line["table"]] = _relation(line)
    return snapshots


def _relation(line: dict[str, Any]) -> Relation:
    return Relation(
        kind=line["kind"],
        since=line["snapshot_id"],
        schema=line["schema"],
        name=line["table"],
        columns=tuple(Column(**column) for column in line.get("columns", ())),
        rows=tuple(line.get("rows", ())),
        row_ids=tuple(line.get("rowids", ())),
        comment=line.get("comment"),
        error=line.get("error"),
    )


def _snapshot(line: dict[str, Any], current: dict[tuple[str, str, str], Relation]) -> Snapshot:
    tables = tuple((schema, name) for schema, name in line.get("tables", ()))
    views = tuple((schema, name) for schema, name in line.get("views", ()))
    alive = [("table", *name) for name in tables] + [("view", *name) for name in views]
    return Snapshot(
        id=line["snapshot_id"],
        time=line["snapshot_time"],
        schema_version=line["schema_version"],
        changes=line["changes"],
        author=line.get("author"),
        message=line.get("commit_message"),
        extra=line.get("commit_extra_info"),
        schemas=tuple(line.get("schemas", ())),
        tables=tables,
        views=views,
        relations=tuple(current[key] for key in alive),
        error=line.get("error"),
    )
