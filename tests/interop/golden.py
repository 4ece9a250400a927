"""All golden cases, and the differences that may be there, each with its reason."""

from __future__ import annotations

from typing import Any

from interop import golden_rows, golden_shapes
from interop.golden_case import (
    FILE_ID,
    FILE_ID_AGAIN,
    LAYOUT_AT_ONCE,
    MISCOUNTED,
    NAN,
    NESTED_NULLS,
    UNKNOWN,
    VIEW_TEXT,
    WARNED,
)
from support.catalogdb import Row
from support.metadata import Allowed

_FILE_STATS, _TABLE_STATS = "ducklake_file_column_stats", "ducklake_table_column_stats"


def _both(left: Any, right: Any) -> bool:  # noqa: ANN401
    return left is not None and right is not None


def _unknown(row: Row) -> bool:
    is_unknown = row["min_value"] is None or row["max_value"] is None
    return is_unknown or bool(row["contains_nan"])


def _miscounted(row: Row) -> bool:
    return row["value_count"] == 0 and row["min_value"] is not None


def _without_alter(left: str, right: str) -> bool:
    created, comma, altered = left.partition(",altered_table:")
    return bool(comma) and altered.isdigit() and created == right


ALLOWED = (
    *[
        Allowed(
            NESTED_NULLS,
            "nothing forbids NULL in them; DuckDB itself does not look (format 2.5)",
            "ducklake_column",
            column,
            lambda left, right: (left, right) in ((False, True), ("", "literal")),
            lambda row: row["parent_column"] is not None,
        )
        for column in ("nulls_allowed", "default_value_type")
    ],
    Allowed(
        LAYOUT_AT_ONCE,
        "DuckDB needs a second statement for it, in the same transaction",
        "ducklake_snapshot_changes",
        "changes_made",
        _without_alter,
    ),
    Allowed(
        FILE_ID,
        "other sessions keep statistics by it, so we move it when rows go or the bounds' type "
        "changes (format 4.3)",
        "ducklake_snapshot",
        "next_file_id",
        lambda left, right: left + 1 == right,
    ),
    Allowed(
        FILE_ID_AGAIN,
        "one for each type that the case changes",
        "ducklake_snapshot",
        "next_file_id",
        lambda left, right: left + 1 < right <= left + 3,
    ),
    Allowed(
        WARNED,
        "DuckDB's deletes in the catalog do not heed delete files (decision 02)",
        "ducklake_snapshot_changes",
        "changes_made",
        lambda left, right: right == f"{left},inlined_delete:1",
    ),
    Allowed(
        VIEW_TEXT,
        "a view is stored in the dialect of the engine that made it",
        "ducklake_view",
        "dialect",
        lambda left, right: (left, right) == ("duckdb", "spark"),
    ),
    Allowed(
        VIEW_TEXT, "DuckDB stores its own spelling of the query", "ducklake_view", "sql", _both
    ),
    Allowed(
        NAN,
        "with both bounds DuckDB prunes the NaNs of a file away under <> (format 3.3)",
        _FILE_STATS,
        "max_value",
        lambda left, right: right is None,
        lambda row: bool(row["contains_nan"]),
    ),
    Allowed(
        UNKNOWN,
        "a NULL bound becomes that of DuckDB's next insert alone (format 3.4)",
        _TABLE_STATS,
        None,
        lambda left, right: right is None,
        _unknown,
    ),
    *[
        Allowed(
            MISCOUNTED,
            "value_count is 0 though there are bounds",
            _FILE_STATS,
            column,
            _both,
            _miscounted,
        )
        for column in ("value_count", "null_count")
    ],
)

CASES = (*golden_shapes.CASES, *golden_rows.CASES)
