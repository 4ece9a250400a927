"""Random steps in the life of a table of Iceberg."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pyarrow as pa
from pyiceberg import types as ice
from pyiceberg.schema import Schema

from support.iceberg import IcebergTable

PLAIN = Schema(
    ice.NestedField(1, "id", ice.LongType(), required=False),
    ice.NestedField(2, "name", ice.StringType(), required=False),
)
"""The columns of a table that takes these steps."""

_BY_ID = pa.schema([pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"})])
_ROWS = 6


def delete_ids(table: IcebergTable, name: str, *deleted: int) -> None:
    """Add an equality delete file for these ids, which are the column 1."""
    table.delete_equal(name, pa.table([pa.array(deleted, pa.int64())], _BY_ID), [1])


def random_steps(
    table: IcebergTable, dice: random.Random, count: int, *, goes_back: bool = False
) -> Iterator[int]:
    """Take steps: files come and go, rows are deleted in each way.

    Args:
        table: without rows.
        dice: decides.
        count: of the steps.
        goes_back: whether the table may be set back to an earlier snapshot.

    Yields:
        The number of each step, when it is done.
    """
    alive: list[str] = []
    past: dict[int, list[str]] = {}
    kinds = ["append", "append", "positions", "ids", "remove"]
    for step in range(count):
        what = dice.choice([*kinds, "back"] if goes_back and past else kinds)
        if what == "back":
            snapshot = dice.choice(list(past))
            table.go_back_to(snapshot)
            alive = list(past[snapshot])
        elif what == "append" or not alive:
            rows = [{"id": 10 * step + n, "name": f"n{n}"} for n in range(_ROWS)]
            alive.append(table.append(f"f{step}", rows))
        elif what == "positions":
            path = dice.choice(alive)
            table.delete_positions(f"p{step}", [(path, n) for n in dice.sample(range(_ROWS), 2)])
        elif what == "ids":
            delete_ids(table, f"e{step}", *dice.sample(range(10 * step), 8))
        else:
            table.remove(alive.pop(dice.randrange(len(alive))))
        past[table.table.currentSnapshot().snapshotId()] = list(alive)
        yield step
