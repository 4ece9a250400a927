"""The errors that a writer beside others has to expect."""

from __future__ import annotations

_HOT_JOURNAL = "attempt to write a readonly database"
"""DuckDB 1.5 reads a SQLite file with connections that may not write. When another process rolls
back between SQLite's look for a journal and its opening of it, SQLite takes the journal for one
that a killed process left (`SQLITE_READONLY_ROLLBACK`). Spark reads again, so it has no excuse."""
_EXPECTED = (
    "DUCKLAKE_COMMIT_CONFLICT",
    "DUCKLAKE_COMMIT_TIMED_OUT",
    # A snapshot expired while a slow statement read it.
    "DUCKLAKE_NO_SUCH_SNAPSHOT",
    "No snapshot found",
    "locked",
    "onflict",
    "maximum retry count",
    "could not serialize access",
)


def is_expected(error: str) -> bool:
    """Whether another writer may be the reason of an error, by its text."""
    is_of_journal = "DUCKLAKE_" not in error and _HOT_JOURNAL in error
    return is_of_journal or any(text in error for text in _EXPECTED)
