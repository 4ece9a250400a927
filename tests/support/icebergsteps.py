"""Random steps in the life of a table of Iceberg."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

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
_TRANSFORMS: tuple[tuple[str, int | None], ...] = (("ref", None), ("bucket", 3), ("truncate", 2))


def delete_ids(table: IcebergTable, name: str, *deleted: int) -> None:
    """Add an equality delete file for these ids, which are the column 1."""
    table.delete_equal(name, pa.table([pa.array(deleted, pa.int64())], _BY_ID), [1])


COLUMN_CHANGES = ("add", "rename", "widen")
"""Changes that a table may take between two moves."""


def random_steps(
    table: IcebergTable,
    dice: random.Random,
    count: int,
    *,
    goes_back: bool = False,
    changes: Sequence[str] = (),
) -> Iterator[int]:
    """Take steps: files come and go, rows are deleted in each way, columns and keys change.

    Args:
        table: without rows.
        dice: decides.
        count: of the steps.
        goes_back: whether the table may be set back to an earlier snapshot.
        changes: some of `COLUMN_CHANGES`, of `drop`, and of `key`.

    Yields:
        The number of each step, when it is done.
    """
    alive: list[str] = []
    past: dict[int, list[str]] = {}
    kinds = ["append", "append", "positions", "ids", "remove", *changes]
    for step in range(count):
        what = dice.choice([*kinds, "back"] if goes_back and past else kinds)
        if what == "back":
            snapshot = dice.choice(list(past))
            table.go_back_to(snapshot)
            alive = list(past[snapshot])
        elif what in changes:
            _change(table, dice, what, step)
        elif what == "append" or not alive:
            alive += _append(table, step)
        elif what == "positions":
            path = dice.choice(alive)
            rows = int(table.files[path].recordCount())
            some = dice.sample(range(rows), min(2, rows))
            table.delete_positions(f"p{step}", [(path, n) for n in some])
        elif what == "ids":
            delete_ids(table, f"e{step}", *dice.sample(range(10 * step), 8))
        else:
            table.remove(alive.pop(dice.randrange(len(alive))))
        if (current := table.table.currentSnapshot()) is not None:
            past[current.snapshotId()] = list(alive)
        yield step


def _append(table: IcebergTable, step: int) -> list[str]:
    rows: list[dict[str, int | str]] = []
    for n in range(_ROWS):
        row: dict[str, int | str] = {"id": 10 * step + n}
        for name, kind in _others(table).items():
            row[name] = n * step if str(kind) in ("int", "long") else f"n{n % 4}"
        rows.append(row)
    if table.table.spec().isUnpartitioned():
        return [table.append(f"f{step}", rows)]
    return table.append_divided(rows, f"f{step}-")


def _others(table: IcebergTable) -> dict[str, object]:
    """The types of the columns beside the key."""
    return {each.name: each.field_type for each in table.schema.fields if each.name != "id"}


def _change(table: IcebergTable, dice: random.Random, what: str, step: int) -> None:
    """Change the columns or the partition key; nothing when there is nothing to change."""
    others = _others(table)
    texts = sorted(name for name, kind in others.items() if str(kind) == "string")
    numbers = [name for name, kind in others.items() if str(kind) == "int"]
    keys = [field.sourceId() for field in table.table.spec().fields()]
    free = sorted(each.name for each in table.schema.fields if each.field_id not in [1, *keys])
    if what == "key" and keys:
        table.table.updateSpec().removeField(table.table.spec().fields()[0].name()).commit()
        table.table.refresh()
    elif what == "key" and texts:
        transform, number = dice.choice(_TRANSFORMS)
        table.set_key(transform, dice.choice(texts), number)
    elif what == "add":
        kind = table.type_of(dice.choice(["Integer", "String"]))
        table.evolve(lambda columns: columns.addColumn(f"c{step}", kind))
    elif what == "rename" and others:
        name = dice.choice(sorted(others))
        table.evolve(lambda columns: columns.renameColumn(name, f"r{step}"))
    elif what == "widen" and numbers:
        name = dice.choice(numbers)
        table.evolve(lambda columns: columns.updateColumn(name, table.type_of("Long")))
    elif what == "drop" and free:
        name = dice.choice(free)
        table.evolve(lambda columns: columns.deleteColumn(name))
