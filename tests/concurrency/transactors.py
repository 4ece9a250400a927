"""Writers that run the changes of an author, and look after each commit who sees what."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import duckdb
from pyspark.errors import PySparkException

from concurrency.authors import NOTHING, TABLES, Author, Change, Held
from concurrency.refusals import is_expected
from concurrency.worker import opened
from support.lakes import Lake
from support.peer import Peer

Run = Callable[[str], list[tuple[Any, ...]]]
"""Runs one statement, and gives its rows."""

LOOKS = 0.2
"""How often a transaction looks at its own rows between two statements."""
ROLLBACKS = 0.05
PAUSE = 0.3
"""Seconds between statements of those who are not in a transaction."""
MAINTENANCE = ("flush_inlined_data", "merge_adjacent_files", "rewrite_data_files")


@dataclass
class Tally:
    """What became of the work.

    Attributes:
        done: how many commits, by kind.
        refused: the errors that other writers were the reason of, by their beginnings.
        raised: how many counters the commits raised, and how many perhaps.
    """

    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    raised: int = 0
    perhaps_raised: int = 0


def rows_of(owner: int, tables: dict[str, str], at: str = "") -> str:
    """The query for the rows of an owner in all tables.

    Args:
        owner: the number of an author.
        tables: what the tables are called, by name.
        at: the snapshot, as the engine wants it.
    """
    return " UNION ALL ".join(
        f"SELECT '{name}', k, v FROM {table} {at} WHERE owner = {owner}"
        for name, table in tables.items()
    )


def held_in(rows: list[tuple[Any, ...]]) -> Held:
    """The rows of such a query by table and key; none is there twice."""
    held: Held = {table: {} for table in TABLES}
    for table, k, v in rows:
        assert k not in held[table], f"{k} is twice in {table}"
        held[table][k] = v
    return held


def seen_by_duckdb(peer: Peer, owner: int, snapshot: int | None = None) -> Held:
    """The rows of an owner at a snapshot, by default the newest."""
    at = "" if snapshot is None else f"AT (VERSION => {snapshot})"
    return held_in(peer.rows(rows_of(owner, {table: table for table in TABLES}, at)))


@dataclass
class Writer:
    """Runs the changes of an author by Spark.

    Attributes:
        held: the rows of the author after all that is committed.
    """

    author: Author
    lake: Lake
    catalog: str
    run: Run
    held: Held = field(default_factory=lambda: dict(NOTHING))
    tally: Tally = field(default_factory=Tally)

    def transact(self) -> None:
        """One transaction of 2 to 8 changes: all of them are in its snapshot, none before it."""
        held, raised, chance = self.held, 0, self.author.chance
        done: list[Change] = []
        self._call("begin_transaction")
        try:
            for _ in range(chance.randint(2, 8)):
                change = self.author.next(held, is_alone=False)
                done.append(change)
                self._run(change.statements)
                held, raised = change.held, raised + change.raised
                if chance.random() < LOOKS:
                    assert self.seen() == held, done
        except PySparkException as error:
            self._call("rollback_transaction")
            self._refuse(error)
            return
        if chance.random() < ROLLBACKS:
            self._call("rollback_transaction")
            self._still_holds("rolled back")
            return
        try:
            ((snapshot,),) = self._call("commit_transaction")
        except PySparkException as error:
            self._refuse(error)
            return
        self._committed(snapshot, held, raised)

    def write(self) -> None:
        """One statement in a commit of its own; now and then maintenance of all tables."""
        if self.author.chance.random() < 0.1:
            self._maintain()
            return
        change = self.author.next(self.held, is_alone=True)
        try:
            self._run(change.statements)
        except PySparkException as error:
            self._refuse(error)
            return
        self.held = change.held
        self.tally.raised += change.raised
        self.tally.done["statement"] += 1

    def write_until(self, over: threading.Event) -> None:
        """Write one statement after the other."""
        while not over.wait(PAUSE):
            self.write()

    def seen(self) -> Held:
        """The rows of the author as Spark sees them."""
        return held_in(self.run(rows_of(self.author.number, self._names())))

    def _maintain(self) -> None:
        procedure = self.author.chance.choice(MAINTENANCE)
        try:
            self._call(procedure)
        except PySparkException as error:
            self._refuse(error)

    def _names(self) -> dict[str, str]:
        return {table: f"{self.catalog}.main.{table}" for table in TABLES}

    def _call(self, procedure: str) -> list[tuple[Any, ...]]:
        return self.run(f"CALL {self.catalog}.system.{procedure}()")

    def _run(self, statements: tuple[str, ...]) -> None:
        own = f"{self.catalog}.main.own_{self.author.number}"
        for statement in statements:
            self.run(statement.format(**self._names(), x=own))

    def _committed(self, snapshot: int | None, held: Held, raised: int) -> None:
        """The rows of before are in the snapshot before, the new ones in the snapshot."""
        if snapshot is None:
            assert (held, raised) == (self.held, 0)
            self._still_holds("without effect")
            return
        with opened(self.lake) as peer:
            assert seen_by_duckdb(peer, self.author.number, snapshot - 1) == self.held
            assert seen_by_duckdb(peer, self.author.number, snapshot) == held
        self.held = held
        self.tally.raised += raised
        self.tally.done["transaction"] += 1

    def _refuse(self, error: PySparkException) -> None:
        text = str(error)
        assert is_expected(text), text
        self.tally.refused[error.getCondition() or text[:60]] += 1
        self._still_holds("refused")

    def _still_holds(self, how: str) -> None:
        """Nothing of what was not committed is there."""
        with opened(self.lake) as peer:
            assert seen_by_duckdb(peer, self.author.number) == self.held, how
        self.tally.done[how] += 1


@dataclass
class Neighbour:
    """Runs the changes of an author by DuckDB, each in a commit of its own.

    DuckDB may report a failure on SQLite after its commit; the lake says then what is true.
    """

    author: Author
    lake: Lake
    held: Held = field(default_factory=lambda: dict(NOTHING))
    tally: Tally = field(default_factory=Tally)

    def write_until(self, over: threading.Event) -> None:
        """Write and write; a DuckDB file is free for others after each statement."""
        while not over.wait(PAUSE):
            with opened(self.lake) as peer:
                for _ in range(1 if self.lake.kind == "duckdb" else 4):
                    if not (over.is_set() or self._write(peer)):
                        break

    def _write(self, peer: Peer) -> bool:
        change = self.author.next(self.held, is_alone=True)
        try:
            peer.run(
                *(text.format(**{name: name for name in TABLES}) for text in change.statements)
            )
        except duckdb.Error as error:
            assert is_expected(str(error)), error
            self.tally.refused[type(error).__name__] += 1
            self.tally.perhaps_raised += change.raised
            self._look_again(change.held)
            return False
        self.held = change.held
        self.tally.raised += change.raised
        self.tally.done["statement of DuckDB"] += 1
        return True

    def _look_again(self, perhaps: Held) -> None:
        with opened(self.lake) as peer:
            found = seen_by_duckdb(peer, self.author.number)
        assert found in (self.held, perhaps)
        self.held = found
