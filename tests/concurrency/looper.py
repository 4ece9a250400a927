"""A Spark that changes a lake without end, saying each statement when it is done; to be killed.

As a process: `python -m concurrency.looper`, its Spark settings as JSON on standard input. The
statements follow from their numbers alone, and so does what they mean.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from concurrency.starting import spark_with

Rows: TypeAlias = frozenset[tuple[int, int]]
"""The rows of the table: batch and number; no row is there twice."""


@dataclass(frozen=True)
class Action:
    """A statement and what it means; `{b}` is its number, which is the batch that it writes.

    `{head}` is the newest snapshot, `{folder}` one outside of the lake. The preparation runs before
    it and changes no table.
    """

    sql: str
    meaning: Callable[[Rows, int], Rows]
    makes_files: bool = True
    preparation: str = ""


def _batch(b: int, *numbers: int) -> Rows:
    return frozenset((b, n) for n in range(*numbers))


def _moved(rows: Rows, there: Rows, b: int) -> Rows:
    """These rows now belong to batch `b`, if they are there."""
    found = rows & there
    return (rows - found) | {(b, n) for _, n in found}


def _merged(rows: Rows, b: int) -> Rows:
    source = _batch(b - 4, 15, 24)
    return _moved(rows, source, b) | {(b, n) for _, n in source - rows}


def _undone(rows: Rows, b: int) -> Rows:
    """The statement before deleted a batch; this takes it back.

    The batch is that of the merge, or one of those at first. The row (-1, number) says the first
    statement, and is undone if that is this one.
    """
    if (-1, b) in rows:
        return rows - {(-1, b)}
    is_first = rows & {(-1, b - 1), (-1, b - 2)}
    return rows | (_batch(b - 2, 20) if is_first else _batch(b - 2, 15, 24))


def _rolled_back(rows: Rows, b: int) -> Rows:
    """The statement before added a batch, or what `_undone` says of a first one; it is gone."""
    return rows - ({(-1, b)} if (-1, b) in rows else _batch(b - 1, 20))


def _brought_back(rows: Rows, b: int) -> Rows:
    """The statement before took a batch away, or the row of a first one; this brings it back.

    If this is the first, it takes its own row away. The batch before the last is there only if the
    statement before was the first.
    """
    if (-1, b) in rows:
        return rows - {(-1, b)}
    taken = _batch(b - 2, 20)
    return rows | ({(-1, b - 1)} if taken <= rows else taken)


def _same(rows: Rows, b: int) -> Rows:
    return rows


_MERGE = """
MERGE INTO lake.main.shared AS t
USING (SELECT CAST({b} - 4 AS BIGINT) AS batch, CAST(id AS INT) AS n FROM range(15, 24)) AS s
ON t.batch = s.batch AND t.n = s.n
WHEN MATCHED THEN UPDATE SET batch = {b}
WHEN NOT MATCHED THEN INSERT (batch, n) VALUES ({b}, s.n)
"""
_ROWS = "SELECT CAST({b} AS BIGINT) AS batch, CAST(id AS INT) AS n FROM range"
_INSERT = f"INSERT INTO lake.main.shared {_ROWS}"
_FOLDER = "{folder}/added{b}"

ACTIONS = (
    Action(_INSERT + "(0, 20, 1, 2)", lambda rows, b: rows | _batch(b, 20)),
    Action(_INSERT + "(0, 6, 1, 1)", lambda rows, b: rows | _batch(b, 6), makes_files=False),
    Action(
        "UPDATE lake.main.shared SET batch = {b} WHERE batch = {b} - 2 AND n < 15",
        lambda rows, b: _moved(rows, _batch(b - 2, 15), b),
    ),
    Action(
        "DELETE FROM lake.main.shared WHERE batch IN ({b} - 1, {b} - 2) AND n % 4 = 0",
        lambda rows, b: rows - {(c, n) for c in (b - 1, b - 2) for n in range(0, 20, 4)},
    ),
    Action(_MERGE, _merged),
    Action(
        "UPDATE lake.main.shared SET batch = {b} WHERE batch = {b} - 1",
        lambda rows, b: _moved(rows, _batch(b - 1, 30), b),
    ),
    Action(
        "DELETE FROM lake.main.shared WHERE batch = {b} - 1",
        lambda rows, b: rows - _batch(b - 1, 30),
    ),
    Action("CALL lake.system.undo_commit({head})", _undone),
    Action("CALL lake.system.flush_inlined_data('shared')", _same),
    Action("CALL lake.system.rewrite_data_files('shared', delete_threshold => 0)", _same),
    Action(
        f"CALL lake.system.add_data_files('shared', '{_FOLDER}')",
        lambda rows, b: rows | _batch(b, 12),
        makes_files=False,
        preparation=f"INSERT OVERWRITE DIRECTORY '{_FOLDER}' USING parquet {_ROWS}(0, 12, 1, 3)",
    ),
    Action("CALL lake.system.merge_adjacent_files('shared')", _same),
    Action(_INSERT + "(0, 20, 1, 2)", lambda rows, b: rows | _batch(b, 20)),
    Action(
        "CALL lake.system.rollback_to_snapshot('shared', snapshot_version => {head} - 1)",
        _rolled_back,
        makes_files=False,
    ),
    Action(
        "CALL lake.system.rollback_to_snapshot(snapshot_version => {head} - 1)",
        _brought_back,
    ),
    Action("CALL lake.system.checkpoint()", _same),
    Action(
        "CALL lake.system.expire_snapshots(older_than => TIMESTAMP '9999-01-01')",
        _same,
        makes_files=False,
    ),
    Action(
        "CALL lake.system.cleanup_old_files(cleanup_all => true)",
        _same,
        makes_files=False,
    ),
    Action(
        "CALL lake.system.delete_orphaned_files(cleanup_all => true)",
        _same,
        makes_files=False,
    ),
)
"""What is done in turn: many rows and few, in files and in the catalog, and both at once."""


def action(number: int) -> Action:
    """The statement of a number."""
    return ACTIONS[number % len(ACTIONS)]


def main() -> None:
    """Run one statement after the other until killed."""
    given = json.loads(sys.stdin.readline())
    spark = spark_with(given["settings"])
    number = int(given["first"])
    while True:
        (head,) = spark.sql("SELECT max(snapshot_id) FROM lake.system.snapshots").first() or (0,)
        known = {"b": number, "head": head, "folder": os.getcwd()}
        for sql in filter(None, (action(number).preparation, action(number).sql)):
            spark.sql(sql.format(**known)).collect()
        print(number, flush=True)
        number += 1


if __name__ == "__main__":
    main()
