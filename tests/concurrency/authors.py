"""Random statements on three tables; each author has rows of its own, so their effect is known."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Rows: TypeAlias = dict[int, int]
"""The rows of one author in a table: `v` by `k`, which is unique."""

Held: TypeAlias = dict[str, Rows]
"""The rows of one author by table."""

TABLES = ("a", "b", "c")
COUNTERS = 8
MAKING = (
    *(f"CREATE TABLE {table} (owner INTEGER, k INTEGER, v INTEGER)" for table in TABLES),
    f"INSERT INTO c SELECT 0, i, 0 FROM range({COUNTERS}) r(i)",
)
"""Owner 0 has counters, which all authors raise."""

NOTHING: Held = {table: {} for table in TABLES}
_MOST = 120


@dataclass(frozen=True)
class Change:
    """What an author does next; both engines take the same texts.

    Attributes:
        statements: `{a}`, `{b}`, `{c}` are the tables, `{x}` is one that the author may make.
        held: the rows of the author after them.
        raised: how many counters are raised by one.
    """

    statements: tuple[str, ...]
    held: Held
    raised: int = 0


class Author:
    """Makes changes; the same number and seed make the same ones."""

    def __init__(self, number: int, seed: int) -> None:
        """Its number, from 1 on, is the `owner` of its rows."""
        self.number = number
        self.chance = random.Random(f"{seed}/{number}")
        self._next = 0

    def next(self, held: Held, *, is_alone: bool) -> Change:
        """The next change.

        Args:
            held: the rows of the author before it.
            is_alone: whether it has to be one statement.
        """
        makers: list[Callable[[Held, str, str], Change]] = []
        makers += [self._few, self._update] * 3 + [self._delete, self._merge] * 2
        makers += [self._many, self._copy, self._count]
        if not is_alone:
            makers.append(self._by_a_new_table)
        target, source = self.chance.sample(TABLES, 2)
        if len(held[target]) > _MOST:
            return self._empty(held, target, source)
        return self.chance.choice(makers)(held, target, source)

    def _few(self, held: Held, target: str, source: str) -> Change:
        rows = {self._key(): self.chance.randint(-9, 9) for _ in range(self.chance.randint(1, 4))}
        values = ", ".join(f"({self.number}, {k}, {v})" for k, v in rows.items())
        return _changed(
            held, target, held[target] | rows, f"INSERT INTO {{{target}}} VALUES {values}"
        )

    def _many(self, held: Held, target: str, source: str) -> Change:
        first, count = self._next, self.chance.randint(8, 30)
        self._next += count
        rows = {k: k % 7 for k in range(first, first + count)}
        return _changed(
            held,
            target,
            held[target] | rows,
            f"INSERT INTO {{{target}}} SELECT {self.number}, CAST(i AS INT), CAST(i % 7 AS INT) "
            f"FROM range({first}, {first + count}) AS r(i)",
        )

    def _update(self, held: Held, target: str, source: str) -> Change:
        chosen, condition = self._some()
        rows = {k: v + 1 if chosen(k) else v for k, v in held[target].items()}
        update = f"UPDATE {{{target}}} SET v = v + 1 WHERE {condition}"
        return _changed(held, target, rows, update)

    def _delete(self, held: Held, target: str, source: str) -> Change:
        chosen, condition = self._some()
        rows = {k: v for k, v in held[target].items() if not chosen(k)}
        return _changed(held, target, rows, f"DELETE FROM {{{target}}} WHERE {condition}")

    def _empty(self, held: Held, target: str, source: str) -> Change:
        delete = f"DELETE FROM {{{target}}} WHERE owner = {self.number}"
        return _changed(held, target, {}, delete)

    def _merge(self, held: Held, target: str, source: str) -> Change:
        chosen, condition = self._some()
        rows = held[target] | {k: v for k, v in held[source].items() if chosen(k)}
        return _changed(
            held,
            target,
            rows,
            f"MERGE INTO {{{target}}} AS t USING (SELECT * FROM {{{source}}} WHERE {condition}) "
            "AS s ON t.owner = s.owner AND t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v "
            "WHEN NOT MATCHED THEN INSERT (owner, k, v) VALUES (s.owner, s.k, s.v)",
        )

    def _copy(self, held: Held, target: str, source: str) -> Change:
        chosen, condition = self._some()
        rows = {k: v for k, v in held[source].items() if chosen(k)} | held[target]
        return _changed(
            held,
            target,
            rows,
            f"INSERT INTO {{{target}}} SELECT * FROM {{{source}}} WHERE {condition} "
            f"AND k NOT IN (SELECT k FROM {{{target}}} WHERE owner = {self.number})",
        )

    def _by_a_new_table(self, held: Held, target: str, source: str) -> Change:
        """The target gets the rows of the source, by way of a table that is there for the time."""
        own = f"owner = {self.number}"
        return _changed(
            held,
            target,
            dict(held[source]),
            f"CREATE TABLE {{x}} AS SELECT * FROM {{{source}}} WHERE {own}",
            f"DELETE FROM {{{target}}} WHERE {own}",
            f"INSERT INTO {{{target}}} SELECT * FROM {{x}}",
            "DROP TABLE {x}",
        )

    def _count(self, held: Held, target: str, source: str) -> Change:
        chosen = self.chance.sample(range(COUNTERS), self.chance.randint(1, 2))
        condition = f"owner = 0 AND k IN ({', '.join(map(str, chosen))})"
        return Change((f"UPDATE {{c}} SET v = v + 1 WHERE {condition}",), held, len(chosen))

    def _key(self) -> int:
        self._next += 1
        return self._next - 1

    def _some(self) -> tuple[Callable[[int], bool], str]:
        """Some of the own rows: which keys, and the condition for them."""
        divisor = self.chance.choice((2, 3, 5))
        rest = self.chance.randrange(divisor)
        return (
            lambda k: k % divisor == rest,
            f"owner = {self.number} AND k % {divisor} = {rest}",
        )


def _changed(held: Held, table: str, rows: Rows, *statements: str) -> Change:
    return Change(statements, {**held, table: rows})
