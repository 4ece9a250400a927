"""Random histories of tables of Delta: what happens to them, as statements."""

from __future__ import annotations

import random
from collections.abc import Callable

STEPS = 9

Column = tuple[str, str]
"""A column or field of a struct: its name and its type, or its kind `struct`."""

VALUES = {
    "INT": "CAST(id * 7 % 50 AS INT)",
    "BIGINT": "id * 1099511627776",
    "STRING": "'s' || id",
    "ARRAY<STRUCT<e: INT>>": "ARRAY(NAMED_STRUCT('e', CAST(id AS INT)), NULL)",
}


class DeltaHistory:
    """A table of which each step knows the columns. A seed always gives the same statements."""

    def __init__(self, seed: int) -> None:
        """Decides what kind of table it is."""
        self._dice = random.Random(seed)
        self._count = 0
        self._mode = self._dice.choice(["none", "name", "name", "id"])
        self._columns: list[Column] = [
            ("id", "INT"),
            ("p", "STRING"),
            ("a", "INT"),
            ("s", "struct"),
            ("l", "ARRAY<STRUCT<e: INT>>"),
        ]
        self._fields: list[Column] = [("x", "INT"), ("y", "STRING")]

    def statements(self) -> tuple[str, ...]:
        """The statements, for a table `{t}`."""
        found = [self._create(), self._insert()]
        steps: list[Callable[[], str]] = [
            *[self._insert] * 3,
            *[self._delete] * 3,
            self._update,
            self._add,
            self._add_field,
            self._widen,
            lambda: "OPTIMIZE {t}",
        ]
        if self._mode != "none":
            steps += [self._rename, self._rename_field, self._drop]
        return (*found, *(self._dice.choice(steps)() for _ in range(STEPS)))

    def _create(self) -> str:
        partition = self._dice.choice(["", " PARTITIONED BY (p)"])
        vectors = self._dice.choice(["true", "true", "false"])
        return (
            "CREATE TABLE {t} (id INT, p STRING, a INT, s STRUCT<x: INT, y: STRING>, "
            f"l ARRAY<STRUCT<e: INT>>) USING delta{partition} TBLPROPERTIES "
            f"('delta.columnMapping.mode' = '{self._mode}', 'delta.enableTypeWidening' = 'true', "
            f"'delta.enableDeletionVectors' = '{vectors}', 'delta.checkpointInterval' = '4')"
        )

    def _insert(self) -> str:
        start = 10 * self._count
        self._count += 1
        values = ", ".join(self._value(column) for column in self._columns)
        return f"INSERT INTO {{t}} SELECT {values} FROM RANGE({start}, {start + 10})"

    def _value(self, column: Column) -> str:
        name, kind = column
        if name == "id":
            return "CAST(id AS INT)"
        if name == "p":
            return "IF(id % 3 = 0, NULL, 'a b/' || id % 3)"
        if kind == "struct":
            parts = ", ".join(f"'{field}', {VALUES[of]}" for field, of in self._fields)
            value = f"NAMED_STRUCT({parts})"
        else:
            value = VALUES[kind]
        return f"IF(id % 7 = {self._dice.randrange(7)}, NULL, {value})"

    def _delete(self) -> str:
        by = self._dice.choice([3, 5, 10])
        return f"DELETE FROM {{t}} WHERE id % {by} = {self._dice.randrange(by)}"

    def _update(self) -> str:
        return f"UPDATE {{t}} SET l = NULL WHERE id % 6 = {self._dice.randrange(6)}"

    def _add(self) -> str:
        column = (self._fresh("c"), self._dice.choice(["INT", "STRING"]))
        at = self._dice.randrange(1, len(self._columns) + 1)
        after = self._columns[at - 1][0]
        self._columns.insert(at, column)
        return f"ALTER TABLE {{t}} ADD COLUMN ({column[0]} {column[1]} AFTER {after})"

    def _add_field(self) -> str:
        field = (self._fresh("f"), self._dice.choice(["INT", "STRING"]))
        self._fields.append(field)
        return f"ALTER TABLE {{t}} ADD COLUMN (s.{field[0]} {field[1]})"

    def _widen(self) -> str:
        narrow = [
            n for n, (name, kind) in enumerate(self._columns) if kind == "INT" and name != "id"
        ]
        if not narrow:
            return self._insert()
        at = self._dice.choice(narrow)
        name = self._columns[at][0]
        self._columns[at] = (name, "BIGINT")
        return f"ALTER TABLE {{t}} ALTER COLUMN {name} TYPE BIGINT"

    def _rename(self) -> str:
        own = self._own()
        if not own:
            return self._add()
        at = self._dice.choice(own)
        old, kind = self._columns[at]
        self._columns[at] = (self._fresh("r"), kind)
        return f"ALTER TABLE {{t}} RENAME COLUMN {old} TO {self._columns[at][0]}"

    def _rename_field(self) -> str:
        at = self._dice.randrange(len(self._fields))
        old, kind = self._fields[at]
        self._fields[at] = (self._fresh("g"), kind)
        return f"ALTER TABLE {{t}} RENAME COLUMN s.{old} TO {self._fields[at][0]}"

    def _drop(self) -> str:
        own = self._own()
        if not own:
            return self._add()
        return f"ALTER TABLE {{t}} DROP COLUMN {self._columns.pop(self._dice.choice(own))[0]}"

    def _own(self) -> list[int]:
        """The places of columns that no statement names."""
        return [
            at for at, (name, _) in enumerate(self._columns) if name not in ("id", "p", "s", "l")
        ]

    def _fresh(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"
