"""Why an operation of a run may fail: other sessions, expiry, and what befalls the run."""

from __future__ import annotations

import re
import signal

from chaos.workload import ROLLED_BACK
from concurrency.refusals import is_expected

_CODE = re.compile(r"DUCKLAKE_[A-Z_]+")
_CODES = {
    "DUCKLAKE_CATALOG_BUSY",
    "DUCKLAKE_CATALOG_CANCELLED",
    "DUCKLAKE_COMMIT_CONFLICT",
    "DUCKLAKE_COMMIT_OUTCOME_UNKNOWN",
    "DUCKLAKE_COMMIT_TIMED_OUT",
    "DUCKLAKE_CONCURRENT_CHANGE",
    "DUCKLAKE_CONNECTION_FAILED",
    "DUCKLAKE_FLUSH_INCOMPLETE",
    "DUCKLAKE_MAINTENANCE_INCOMPLETE",
    "DUCKLAKE_NO_SUCH_SNAPSHOT",
}
_EXPIRED = "No snapshot found"
_FULL_DISK = "No space left on device"
_OF_STORES = {"DUCKLAKE_UNREADABLE_FILE", "DUCKLAKE_UNWRITABLE_FILE"}
"""How a statement ends when its store refuses requests, as that of a run does at times."""
_REFUSED = "the store refused access"
_OF_DUCKDB = {
    "the store refused": ("(HTTP 403 Forbidden)",),
    "the connection is lost": (
        "Connection refused",
        "connection to server",
        "no connection to the server",
        "server closed the connection",
        "terminating connection",
        "the database system is",
        'Failed to execute query "',
        'Failed to prepare COPY "',
        "Current transaction is aborted",
    ),
    # Its reader of inlined rows looks at the rows of an answer that did not come.
    "an internal error, as the connection is lost": (
        "INTERNAL Error: Attempted to access index 0 within vector of size 0",
    ),
}


CRASHES = {signal.SIGSEGV, signal.SIGABRT}
"""How a process with DuckDB may end when a connection is lost, often without a word."""


def refusal(error: str) -> str | None:
    """The kind of an error; None when nothing in a run explains it."""
    if error == ROLLED_BACK:
        return ROLLED_BACK
    if _FULL_DISK in error:
        return "the disk is full"
    if code := _CODE.search(error):
        if code.group() in _OF_STORES and _REFUSED in error:
            return f"{code.group()}, as the store refused"
        return code.group() if code.group() in _CODES else None
    if _EXPIRED in error:
        return "DuckDB: a snapshot has expired"
    if is_expected(error):
        return "DuckDB: others were first"
    for kind, texts in _OF_DUCKDB.items():
        if any(text in error for text in texts):
            return f"DuckDB: {kind}"
    return None


def end_of_duckdb(said: str) -> str | None:
    """Why DuckDB 1.5 made its process end, by what it said; None when that is no reason."""
    if "terminate called after throwing an instance of 'duckdb::" in said:
        return "DuckDBs that crashed, as a connection was lost"
    if "KeptLockError" in said:
        return "DuckDBs that had to end, as they kept a lock"
    return None
