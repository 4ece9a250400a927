"""A table after each of many steps, and whether a change feed leads from one state to another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Added:
    """A column that came last.

    Attributes:
        value: of the rows that were there.
    """

    value: str | int | None


@dataclass(frozen=True)
class Dropped:
    """The column at this place."""

    place: int


Alteration = Added | Dropped
"""What a statement did to the columns; other names and types change no value."""


@dataclass(frozen=True)
class Fields:
    """The columns that a table ever had.

    Attributes:
        values: for each in the order in which they came, the value of rows that are older.
        now: the numbers of those that the table has.
    """

    values: tuple[str | int | None, ...]
    now: tuple[int, ...]

    @staticmethod
    def first(count: int) -> Fields:
        """The columns of a new table."""
        return Fields((None,) * count, tuple(range(count)))

    def after(self, alteration: Alteration | None) -> Fields:
        """The columns after a statement."""
        match alteration:
            case Added(value):
                return Fields((*self.values, value), (*self.now, len(self.values)))
            case Dropped(place):
                return Fields(self.values, (*self.now[:place], *self.now[place + 1 :]))
        return self

    def shown(self, row: tuple[Any, ...], fields: tuple[int, ...]) -> tuple[Any, ...]:
        """A row of the past with the columns of now.

        Args:
            row: a row.
            fields: the numbers of its columns.
        """
        known = dict(zip(fields, row, strict=True))
        return tuple(known.get(number, self.values[number]) for number in self.now)


@dataclass(frozen=True)
class State:
    """The table after a step.

    Attributes:
        rows: by key.
        row_ids: by key.
        shape: how often the columns had changed.
        fields: the numbers of its columns among all that it ever had.
    """

    columns: list[str]
    rows: dict[int, tuple[Any, ...]]
    row_ids: dict[int, int]
    shape: int
    fields: tuple[int, ...] = ()

    def counted(self) -> Counter[Any]:
        """The rows with their row ids in front."""
        return Counter((self.row_ids[key], *row) for key, row in self.rows.items())


def compare_row_ids(before: State | None, now: State, when: str, *, are_kept: bool) -> None:
    """Row ids are unique, and stay with their rows unless these were replaced."""
    assert len(set(now.row_ids.values())) == len(now.row_ids), f"row ids twice {when}"
    if before and are_kept:
        old = {key: id for key, id in before.row_ids.items() if key in now.row_ids}
        kept = {key: now.row_ids[key] for key in old}
        assert kept == old, f"row ids {when}"


def leads(before: State, after: State, fed: Rows) -> bool:
    """Whether the changes make one state of the other."""
    rows = before.counted()
    rows.subtract((row[1], *row[3:]) for row in fed if row[2] in ("delete", "update_preimage"))
    rows.update((row[1], *row[3:]) for row in fed if row[2] in ("insert", "update_postimage"))
    return +rows == after.counted() and not -rows


def is_paired(fed: Rows) -> bool:
    """Whether a row id with two changes in a snapshot is an update, and any other is none."""
    changes: dict[tuple[int, int], list[str]] = {}
    for snapshot, row_id, change, *_ in fed:
        changes.setdefault((snapshot, row_id), []).append(change)
    whole = (["insert"], ["delete"], ["update_postimage", "update_preimage"])
    return all(sorted(each) in whole for each in changes.values())
