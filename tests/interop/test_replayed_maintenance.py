"""The recorded cases of maintenance once more, with Spark's calls in place of DuckDB's.

The results, the rows with their ids and the files that are left are those of DuckDB. Snapshots have
other numbers: Spark commits each table by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.expiring import OWN_COLUMNS
from support.fixtures import COMPAT
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers

Register = Callable[..., str]
Result = list[tuple[Any, ...]]

CASES = {"merged": 0, "rewritten": 0, "expired": 0, "inlined_flush": 10}
"""Each with DuckDB's limit of inlined rows."""

ROWS: dict[str, dict[str, Result]] = {
    "merged": {"t": [(0, 1, "a"), (2, 3, "u"), (4, 5, "e"), (6, 6, "f")]},
}
"""Where DuckDB is wrong: its merge gives row 2, which was updated, the id 5 (format 5.3)."""

OWN_FILES = "inlined_flush"
"""Spark's flush writes the versions of a row to different files (decision 03)."""

EXPIRED = frozenset(range(1, 12))
"""The snapshots that the case `expired` ends."""

CALL = re.compile(r"CALL ducklake_(\w+)\('lake'(?:, )?(.*)\)", re.DOTALL)


def statements(case: str) -> list[str]:
    """The statements of a case."""
    text = (COMPAT / "cases" / f"{case}.sql").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    return [one.strip() for one in "\n".join(lines).split(";\n") if one.strip(" ;\n")]


def of_spark(call: re.Match[str], catalog: str) -> str:
    """A call of DuckDB's as Spark writes it."""
    name, arguments = call.groups()
    arguments = re.sub(r"\[(.*?)\]", r"array(\1)", arguments)
    return f"CALL {catalog}.system.{name}({arguments})"


def comparable(rows: Iterable[tuple[Any, ...]]) -> Result:
    """A result without times and names of files."""
    shown = (
        tuple(
            type(value).__name__
            if isinstance(value, datetime) or str(value).endswith(".parquet")
            else value
            for value in row
        )
        for row in rows
    )
    return sorted(shown, key=str)


def by_duckdb(lake: Lake, case: str) -> list[Result]:
    """Runs the case. Gives the results of its calls."""
    results = []
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {CASES[case]}") as peer:
        for statement in statements(case):
            if CALL.fullmatch(statement.rstrip(";")):
                results.append(comparable(peer.rows(statement)))
            else:
                peer.run(statement)
    return results


def by_both(lake: Lake, case: str, spark: SparkSession, catalog: str) -> list[Result]:
    """Runs the case, its calls by Spark. Gives their results, in DuckDB's columns."""
    results = []
    for statement in statements(case):
        if call := CALL.fullmatch(statement.rstrip(";")):
            found = spark.sql(of_spark(call, catalog)).drop(*OWN_COLUMNS).collect()
            results.append(comparable(tuple(row) for row in found))
        else:
            with Peer(lake, f"DATA_INLINING_ROW_LIMIT {CASES[case]}") as peer:
                peer.run(statement)
    return results


def tables(lake: Lake) -> dict[str, Result]:
    """The rows of each table with their ids, as DuckDB reads them."""
    with Peer(lake) as peer:
        names = peer.rows("SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake'")
        return {name: sorted(peer.rows(f"SELECT rowid, * FROM {name}")) for (name,) in names}


def files(lake: Lake) -> list[tuple[Any, ...]]:
    """Of each live file: table, rows, deleted rows, and whether it serves several snapshots."""
    catalog = read_catalog(lake)
    deletes = {
        row["data_file_id"]: row["delete_count"]
        for row in catalog.rows("delete_file")
        if row["end_snapshot"] is None
    }
    return sorted(
        (
            row["table_id"],
            row["record_count"],
            deletes.get(row["data_file_id"], 0),
            row["partial_max"] is not None,
        )
        for row in catalog.rows("data_file")
        if row["end_snapshot"] is None
    )


@pytest.mark.parametrize("case", CASES)
def test_spark_does_what_duckdb_does(
    lakes: LakeFactory, spark: SparkSession, register: Register, case: str
) -> None:
    theirs, ours = lakes.new("sqlite"), lakes.new("sqlite")
    expected = by_duckdb(theirs, case)

    results = by_both(ours, case, spark, register(ours))

    assert results == expected
    assert tables(ours) == {**tables(theirs), **ROWS.get(case, {})}
    assert (files(ours) == files(theirs)) == (case != OWN_FILES)
    assert check(ours, Scope(frozenset(committed_by_peers[ours.uri]), EXPIRED)) == []
