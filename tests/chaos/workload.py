"""What a session does, one operation after the other, and the tables that it does it to."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Literal

from chaos.clients import Client, RefusedError
from chaos.history import TOTAL, Journal, Key, Operation, Reading
from concurrency.following import MAKING as FOLLOWED
from concurrency.following import Author

Role = Literal["writer", "inserter", "reader", "keeper"]
"""A writer does everything but maintenance, which a keeper does. An inserter never updates."""

KEYS = 8
"""Of each kind; two sessions often update the same list."""
PARTS = 10
"""Rows of each account."""
ALL_KEYS = tuple(Key(kind, number) for kind in ("list", "bag") for number in range(KEYS))
MAKING = (
    f"CREATE TABLE lists AS SELECT i::INTEGER AS k, '' AS vs FROM range({KEYS}) r(i)",
    "CREATE TABLE bags (k INTEGER, v BIGINT)",
    f"CREATE TABLE debit AS SELECT i AS id, {TOTAL // PARTS}::BIGINT AS v FROM range({PARTS}) r(i)",
    f"CREATE TABLE credit AS SELECT i AS id, 0::BIGINT AS v FROM range({PARTS}) r(i)",
    *FOLLOWED,
)
IDS = 100_000
"""So many ids a session has."""
PAUSE = 0.2
ROLLED_BACK = "rolled back on purpose"


def query(keys: tuple[Key, ...], prefix: str = "", at: str = "") -> str:
    """One statement that reads keys, and the accounts, of four tables."""
    lists, bags = (
        ", ".join(["-1", *(str(key.number) for key in keys if key.kind == kind)])
        for kind in ("list", "bag")
    )
    return (
        f"SELECT 'list' AS kind, k, vs FROM {prefix}lists {at} WHERE k IN ({lists}) "
        f"UNION ALL SELECT 'bag', k, CAST(v AS STRING) FROM {prefix}bags {at} WHERE k IN ({bags}) "
        f"UNION ALL SELECT 'debit', 0, CAST(sum(v) AS STRING) FROM {prefix}debit {at} "
        f"UNION ALL SELECT 'credit', 0, CAST(sum(v) AS STRING) FROM {prefix}credit {at}"
    )


def reading(keys: tuple[Key, ...], rows: list[tuple[str, int, str | None]]) -> Reading:
    """What such a query gave. An account without rows, which none ever is, has no sum."""
    values: dict[Key, tuple[int, ...]] = dict.fromkeys(keys, ())
    for kind, number, text in rows:
        if kind in ("list", "bag"):
            key = Key("list" if kind == "list" else "bag", number)
            values[key] = (
                *values[key],
                *(int(value) for value in (text or "").split(",") if value),
            )
    sums = {kind: int(text or 0) for kind, _, text in rows if kind in ("debit", "credit")}
    return Reading(values, (sums["debit"], sums["credit"]))


@dataclass
class Session:
    """One session: it writes each operation to the journal before and after.

    Attributes:
        number: which no other session has, not even of a process that was killed.
        count: of the operations that it has begun.
    """

    client: Client
    journal: Journal
    number: int
    role: Role
    chance: random.Random
    count: int = 0
    _underway: Operation = field(init=False)

    def __post_init__(self) -> None:
        """The numbers of its events begin where its ids do."""
        self._author = Author(self.chance, self.number * IDS)

    def work(self, is_over: threading.Event) -> None:
        """Do one operation after the other."""
        while not is_over.wait(self.chance.uniform(0, PAUSE)):
            self.step()

    def step(self) -> None:
        """Do one."""
        self.count += 1
        id = self.number * IDS + self.count
        name = f"{type(self.client).__name__}-{self.number}"
        self._underway = Operation(id, name, time.monotonic(), None, "unknown")
        try:
            self._chosen()()
            self._end(outcome="acknowledged")
        except RefusedError as error:
            self._end(outcome=error.outcome, error=str(error))
        self.client.rest()

    def _chosen(self) -> Callable[[], None]:
        reads = [self._read, self._read_in_a_transaction, self._read_the_past]
        if self.role == "reader":
            return self.chance.choice(reads)
        if self.role == "keeper":
            return self.chance.choice((self._maintain, self._read))
        if self.role == "inserter":
            return self.chance.choice((self._insert, self._insert, self._event, self._read))
        writes = (self._insert, self._update, self._transact, self._transact, self._replace)
        return self.chance.choice((*writes, self._event, self._change, *reads))

    def _begin(self, appended: tuple[Key, ...] = (), moved: int = 0) -> None:
        """What is intended stands in the journal before it is tried."""
        self._underway = replace(self._underway, appended=appended, moved=moved)
        self.journal.write(self._underway)

    def _end(self, **outcome: object) -> None:
        self._underway = replace(self._underway, ended=time.monotonic(), **outcome)  # type: ignore[arg-type]
        self.journal.write(self._underway)

    def _became(self, snapshot: int | None) -> None:
        self._underway = replace(self._underway, snapshot=snapshot)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self.client.begin(self._underway.id)
        try:
            yield
            if self._underway.is_write and self.chance.random() < 0.1:
                raise RefusedError("failed", ROLLED_BACK)
        except RefusedError:
            self.client.rollback()
            raise
        self._became(self.client.commit())

    def _look(self, keys: tuple[Key, ...], **how: object) -> Reading:
        """Reads keys, and adds the reading to the operation."""
        snapshot = how.get("snapshot")
        at = "" if snapshot is None else self.client.past.format(snapshot)
        found = reading(keys, self.client.rows(query(keys, self.client.prefix, at)))
        found = replace(found, **how)  # type: ignore[arg-type]
        self._underway = replace(self._underway, readings=(*self._underway.readings, found))
        return found

    def _keys(self, most: int = 4) -> tuple[Key, ...]:
        return tuple(self.chance.sample(ALL_KEYS, self.chance.randint(1, most)))

    def _appending(self, key: Key) -> str:
        id, prefix = self._underway.id, self.client.prefix
        if key.kind == "bag":
            return f"INSERT INTO {prefix}bags VALUES ({key.number}, {id})"
        if self.chance.random() < 0.5:
            return f"UPDATE {prefix}lists SET vs = concat(vs, ',{id}') WHERE k = {key.number}"
        return (
            f"MERGE INTO {prefix}lists t USING (SELECT {key.number} AS k) s ON t.k = s.k "
            f"WHEN MATCHED THEN UPDATE SET vs = concat(t.vs, ',{id}')"
        )

    def _insert(self) -> None:
        key = Key("bag", self.chance.randrange(KEYS))
        self._begin((key,))
        self._became(self.client.alone(self._underway.id, self._appending(key)))

    def _update(self) -> None:
        key = Key("list", self.chance.randrange(KEYS))
        self._begin((key,))
        self._became(self.client.alone(self._underway.id, self._appending(key)))

    def _transact(self) -> None:
        """Append to several keys and move an amount, with looks before and after."""
        keys, moved = self._keys(), self.chance.choice((0, 1, 5))
        self._begin(keys, moved)
        statements = [self._appending(key) for key in keys]
        if moved:
            for table, sign in (("debit", "-"), ("credit", "+")):
                part = self.chance.randrange(PARTS)
                table = f"{self.client.prefix}{table}"
                statements.append(f"UPDATE {table} SET v = v {sign} {moved} WHERE id = {part}")
        with self._transaction():
            if self.chance.random() < 0.4:
                self._look(self._keys())
            for statement in self.chance.sample(statements, len(statements)):
                self.client.rows(statement)
            if self.chance.random() < 0.4:
                self._look(keys, is_after_writes=True)

    def _replace(self) -> None:
        """Read a list, and write it with one more value."""
        key = Key("list", self.chance.randrange(KEYS))
        self._begin((key,))
        with self._transaction():
            read = self._look((key,)).values[key]
            text = "".join(f",{value}" for value in (*read, self._underway.id))
            table = f"{self.client.prefix}lists"
            self.client.rows(f"UPDATE {table} SET vs = '{text}' WHERE k = {key.number}")

    def _read(self) -> None:
        self._begin()
        self._look(self._keys())

    def _read_in_a_transaction(self) -> None:
        self._begin()
        with self._transaction():
            for _ in range(self.chance.randint(2, 3)):
                self._look(self._keys())

    def _read_the_past(self) -> None:
        self._begin()
        snapshot = max(len(MAKING), self.client.head() - self.chance.randrange(30))
        self._look(self._keys(), snapshot=snapshot)

    def _event(self) -> None:
        self._beside(self._author.event("chaos", self.chance.choice((1, 3, 40))))

    def _change(self) -> None:
        self._beside(self._author.change())

    def _beside(self, statement: str) -> None:
        """A change of the tables that streams follow."""
        self._begin()
        self.client.alone(self._underway.id, statement.format(self.client.prefix))

    def _maintain(self) -> None:
        self._begin()
        self.client.alone(self._underway.id, self.chance.choice(self.client.maintenance))


@contextlib.contextmanager
def in_threads(working: list[Session]) -> Iterator[None]:
    """The sessions work in the meantime. Errors: what a session did not expect."""
    is_over = threading.Event()
    with ThreadPoolExecutor(max(1, len(working))) as pool:
        done = [pool.submit(each.work, is_over) for each in working]
        try:
            yield
        finally:
            is_over.set()
        for each in done:
            each.result()
