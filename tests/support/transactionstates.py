"""What a lake holds at a snapshot, and what a transaction must have changed between two."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from support.feeds import Feed, texts
from support.peer import Peer
from support.transactionpairs import DEFAULTS, FORMER

Values = dict[str, Any]
"""A row: values by column."""

_METADATA = "__ducklake_metadata_lake.ducklake_"


@dataclass(frozen=True)
class State:
    """A table at a snapshot.

    Attributes:
        rows: by row id.
        options: those of the table, which have no history.
    """

    table_id: int
    name: str
    columns: tuple[str, ...]
    rows: Mapping[int, Values]
    options: Mapping[str, str]

    def listed(self) -> list[tuple[int, tuple[Any, ...]]]:
        """Row ids and values."""
        return [(row_id, tuple(row.values())) for row_id, row in self.rows.items()]

    def values(self) -> list[tuple[Any, ...]]:
        """The rows without their ids."""
        return [row for _, row in self.listed()]

    def of(self, row_ids: Container[int]) -> dict[int, Values]:
        """The rows with these ids."""
        return {row_id: row for row_id, row in self.rows.items() if row_id in row_ids}


def state_at(peer: Peer, names: Iterable[str], snapshot: int) -> dict[str, State]:
    """The tables of these names that there are at a snapshot."""
    found: dict[str, State] = {}
    visible = (
        f"begin_snapshot <= {snapshot} AND coalesce(end_snapshot, {snapshot + 1}) > {snapshot}"
    )
    ids = dict(peer.rows(f"SELECT table_name, table_id FROM {_METADATA}table WHERE {visible}"))
    for name in names:
        if name not in ids:
            continue
        columns = tuple(
            column
            for (column,) in peer.rows(
                f"SELECT column_name FROM {_METADATA}column WHERE table_id = {ids[name]} "
                f"AND {visible} ORDER BY column_order"
            )
        )
        lived = peer.rows(f"SELECT rowid, * FROM {name} AT (VERSION => {snapshot})")
        by_id = {row_id: dict(zip(columns, row, strict=True)) for row_id, *row in lived}
        assert len(by_id) == len(lived), f"{name} has a row id twice at {snapshot}"
        options = peer.rows(
            f"SELECT key, value FROM {_METADATA}metadata "
            f"WHERE scope = 'table' AND scope_id = {ids[name]} ORDER BY key"
        )
        found[name] = State(ids[name], name, columns, by_id, dict(options))
    return found


@dataclass(frozen=True)
class NetFeed:
    """What a feed has to report of one snapshot.

    Attributes:
        before: ids of the rows that were there before.
    """

    feed: Feed
    lines: list[str]
    before: frozenset[int]

    @staticmethod
    def of(before: State | None, after: State, snapshot: int) -> NetFeed:
        """By the rows of a table before a snapshot and in it.

        Args:
            before: the table under the name that it had; None when it is new.
            after: the table in the snapshot.
            snapshot: its number.
        """
        old = {} if before is None else {id: _as_of(after, row) for id, row in before.rows.items()}
        shown = [
            {"snapshot_id": snapshot, "rowid": row_id, "change_type": kind, **row}
            for row_id in {*old, *after.rows}
            for kind, row in _changes(old.get(row_id), after.rows.get(row_id))
        ]
        feed = Feed("changes", after.name, snapshot, snapshot)
        return NetFeed(feed, texts(shown), frozenset(old))

    def lived(self, lines: Sequence[str]) -> list[str]:
        """What DuckDB reports, without deletes of rows that had been deleted before.

        It reports those with inlined deletes again when their file ends.
        """
        told = [(line, json.loads(line)) for line in lines]
        return [
            line
            for line, row in told
            if row["change_type"] != "delete" or row["rowid"] in self.before
        ]


def _changes(before: Values | None, after: Values | None) -> list[tuple[str, Values]]:
    """What became of a row."""
    if before is None or after is None:
        deleted = [("delete", before)] if before is not None else []
        return deleted + ([("insert", after)] if after is not None else [])
    if before == after:
        return []
    return [("update_preimage", before), ("update_postimage", after)]


def _as_of(after: State, row: Values) -> Values:
    """An older row in the columns of now."""
    known = {column: FORMER.get(column, column) for column in after.columns}
    return {
        column: row[column] if column in row else row.get(former, DEFAULTS.get(column))
        for column, former in known.items()
    }


def entries_of(peer: Peer, snapshot: int) -> list[str]:
    """What a snapshot says that it changed; the ids of tables are replaced by their first names."""
    names = dict(
        peer.rows(
            f"SELECT table_id, arg_min(table_name, begin_snapshot) FROM {_METADATA}table GROUP BY 1"
        )
    )
    text = peer.value(
        f"SELECT changes_made FROM {_METADATA}snapshot_changes WHERE snapshot_id = {snapshot}"
    )
    entries = re.findall(r'(?:[^,"]|"[^"]*")+', text)
    return sorted(
        re.sub(r":(\d+)$", lambda id: f":{names.get(int(id[1]), 'unknown')}", entry)
        for entry in entries
    )
