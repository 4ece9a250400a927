"""What statements do to the rows of a table, computed from the rows that were read before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

Row = dict[str, Any]
Rows = list[Row]


@dataclass(frozen=True)
class Effect:
    """The rows of a table after a statement.

    Attributes:
        table: a name of `questions.TABLES`.
        after: makes them of the rows before.
    """

    table: str
    after: Callable[[Rows], Rows]


def _deleting(table: str, is_gone: Callable[[Row], bool]) -> Effect:
    return Effect(table, lambda rows: [row for row in rows if not is_gone(row)])


def _adding(table: str, row: Row) -> Effect:
    return Effect(table, lambda rows: [*rows, row])


def _renamed(rows: Rows) -> Rows:
    return [{**row, "name": "changed"} if row["id"] % 7 == 0 else row for row in rows]


def _raised(rows: Rows) -> Rows:
    return [{**row, "a": 103} if row["a"] == 3 else row for row in rows]


def _merged(rows: Rows) -> Rows:
    if not any(row["a"] == 7 for row in rows):
        return [*rows, {"a": 7, "b": "y"}]
    return [{"a": 7, "b": "y"} if row["a"] == 7 else row for row in rows]


EFFECTS = {
    "INSERT INTO {c}.main.parted VALUES ('k9', DATE '2026-01-01', 9)": _adding(
        "parted", {"k": "k9", "d": date(2026, 1, 1), "v": 9}
    ),
    "INSERT INTO {c}.main.given VALUES (8, 'eight')": _adding("given", {"a": 8, "b": "eight"}),
    "DELETE FROM {c}.main.plain WHERE id = 5": _deleting("plain", lambda row: row["id"] == 5),
    "DELETE FROM {c}.main.plain WHERE id > 30": _deleting("plain", lambda row: row["id"] > 30),
    "DELETE FROM {c}.main.parted WHERE k = 'k1'": _deleting("parted", lambda row: row["k"] == "k1"),
    "DELETE FROM {c}.main.held": _deleting("held", lambda _: True),
    "TRUNCATE TABLE {c}.main.nested": _deleting("nested", lambda _: True),
    "UPDATE {c}.main.plain SET name = 'changed' WHERE id % 7 = 0": Effect("plain", _renamed),
    "UPDATE {c}.main.merged SET a = a + 100 WHERE a = 3": Effect("merged", _raised),
    "MERGE INTO {c}.main.given t USING (SELECT 7 AS a, 'y' AS b) u ON t.a = u.a"
    " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *": Effect("given", _merged),
    **{
        f"CALL {{c}}.system.{call}": Effect("plain", lambda rows: rows)
        for call in (
            *("flush_inlined_data()", "merge_adjacent_files()", "recompute_statistics()"),
            *("rewrite_data_files(delete_threshold => 0.01)", "checkpoint()"),
            *("expire_snapshots(older_than => now())", "cleanup_old_files(cleanup_all => true)"),
            "delete_orphaned_files(cleanup_all => true)",
        )
    },
}
"""Statements of `questions.WRITES` whose rows are judged."""
