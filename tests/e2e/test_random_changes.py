"""Spark's clause CHANGES gives for random histories what the rows before and after them give."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession

from support import ownbuild
from support.changequestions import (
    DEFAULTS,
    EVERYTHING,
    FORMS,
    Question,
    State,
    asked,
    split,
    texts,
)
from support.lakes import Lake
from support.peer import Peer
from support.session import INTERPRETED
from support.sweep import FULL

Register = Callable[..., str]

SEEDS = range(1, 9 if FULL else 2)
STEPS = 40 if FULL else 14
RANGES = 8 if FULL else 3
LIMIT = "DATA_INLINING_ROW_LIMIT 4"
UPKEEP = {
    2: "rewrite_data_files('t', delete_threshold => 0.1)",
    5: "flush_inlined_data('t')",
    6: "merge_adjacent_files('t')",
}
"""What Spark does beside, by the number of the step modulo seven."""


@dataclass
class RandomChanges:
    """Statements for a table `t (k, v, s)`; both engines understand them. No update keeps a row."""

    chance: random.Random
    keys: int = 0
    is_wide: bool = False

    def next(self) -> list[str]:
        """One commit: a statement, or several of one transaction."""
        makers = [self._few, self._many, self._update, self._update, self._delete, self._merge]
        if not self.is_wide and self.chance.random() < 0.1:
            self.is_wide = True
            return [f"ALTER TABLE {{t}} ADD COLUMN c INT DEFAULT {DEFAULTS['c']}"]
        if self.chance.random() < 0.15:
            # DuckDB gives rows other ids that one transaction inserts and updates.
            first, last = (self._update, self._delete), (self._few, self._many, self._merge)
            steps = [self.chance.choice(first)() for _ in range(2)]
            return ["BEGIN", *steps, self.chance.choice(last)(), "COMMIT"]
        return [self.chance.choice(makers)()]

    def _few(self) -> str:
        rows = [f"({key}, 0, 'f{key}')" for key in self._fresh(self.chance.randint(1, 3))]
        return f"INSERT INTO {{t}} (k, v, s) VALUES {', '.join(rows)}"

    def _many(self) -> str:
        keys = self._fresh(self.chance.randint(10, 40))
        rows = ", ".join(f"({key}, {key % 5}, NULL)" for key in keys)
        return f"INSERT INTO {{t}} (k, v, s) VALUES {rows}"

    def _fresh(self, count: int) -> range:
        self.keys += count
        return range(self.keys - count, self.keys)

    def _condition(self) -> str:
        low, part = self.chance.randint(0, self.keys), self.chance.randint(2, 5)
        return self.chance.choice(
            [f"k BETWEEN {low} AND {low + 4}", f"k % {part} = 0", f"k >= {low}", f"v % {part} = 1"]
        )

    def _update(self) -> str:
        return f"UPDATE {{t}} SET v = v + 1 WHERE {self._condition()}"

    def _delete(self) -> str:
        return f"DELETE FROM {{t}} WHERE {self._condition()}"

    def _merge(self) -> str:
        """DuckDB takes one action for the rows that match."""
        low = self.chance.randint(0, self.keys)
        rows = ", ".join(f"({key})" for key in range(low, low + 6))
        self.keys = max(self.keys, low + 6)
        action = self.chance.choice(["DELETE", "UPDATE SET v = t.v + 1"])
        return (
            f"MERGE INTO {{t}} AS t USING (SELECT * FROM (VALUES {rows}) AS r (k)) AS n "
            f"ON t.k = n.k WHEN MATCHED AND n.k % 3 = 0 THEN {action} "
            "WHEN NOT MATCHED THEN INSERT (k, v, s) VALUES (n.k, -1, 'm')"
        )


@dataclass
class Writers:
    """Both engines on one lake; DuckDB leaves a catalog file that it would have for itself."""

    spark: SparkSession
    catalog: str
    lake: Lake
    _peer: Peer | None = None

    def by_spark(self, statement: str) -> None:
        """Runs a statement of one commit in Spark."""
        if ownbuild.must_leave(self.lake):
            self.close()
        self.spark.sql(statement.replace("{t}", f"{self.catalog}.main.t")).collect()

    def by_duckdb(self, commit: Sequence[str]) -> None:
        """Runs the statements of one commit in DuckDB."""
        self.peer().run(*(statement.replace("{t}", "t") for statement in commit))

    def peer(self) -> Peer:
        """DuckDB on the lake."""
        if self._peer is None:
            self._peer = Peer(self.lake, LIMIT)
        return self._peer

    def close(self) -> None:
        """DuckDB leaves the lake."""
        if self._peer is not None:
            self._peer.close()
            self._peer = None

    def rows(self) -> State:
        """The rows that DuckDB reads now."""
        result = self.peer().connection.execute("SELECT rowid, * FROM t")
        names = [column[0] for column in result.description][1:]
        found = result.fetchall()
        state = {row[0]: tuple(zip(names, row[1:], strict=True)) for row in found}
        assert len(state) == len(found), "a row id of two rows"
        return state


def history(writers: Writers, seed: int) -> dict[int, State]:
    """Lets both engines change a table; its rows at each snapshot, read right after the commit."""
    chance = random.Random(seed)
    steps = RandomChanges(chance)
    writers.by_duckdb(["CREATE TABLE t (k BIGINT, v BIGINT, s VARCHAR)"])
    states: dict[int, State] = {writers.peer().head(): {}}
    for number in range(STEPS):
        commit = steps.next()
        if upkeep := UPKEEP.get(number % 7):
            writers.by_spark(f"CALL {writers.catalog}.system.{upkeep}")
        if len(commit) == 1 and chance.random() < 0.4:
            writers.by_spark(commit[0])
        else:
            writers.by_duckdb(commit)
        for version in range(max(states) + 1, writers.peer().head()):
            states[version] = states[version - 1]
        states[writers.peer().head()] = writers.rows()
    writers.close()
    return states


@pytest.mark.parametrize("seed", SEEDS)
def test_changes_of_random_ranges_are_those_of_the_rows(
    spark: SparkSession, lake: Lake, register: Register, seed: int
) -> None:
    session = spark.newSession()
    for key, value in INTERPRETED.items():
        session.conf.set(key, value)
    catalog = register(lake, {"data-inlining-row-limit": "4"}, session)
    states = history(Writers(session, catalog, lake), seed)
    (wide,) = [at for at in states if any(len(v) > 3 for v in states[at].values())][:1] or [10**9]
    chance, known = random.Random(seed), sorted(states)[1:]
    ends = [(known[0], known[-1]), *(sorted(chance.choices(known, k=2)) for _ in range(RANGES))]
    questions = [Question(first, last, form) for first, last in ends for form in FORMS]

    found = asked(session, catalog, questions, wide)

    for question, changes in zip(questions, found, strict=True):
        columns = ["c"] if question.last >= wide else []
        given = question.without_moved(changes)
        assert texts(given) == texts(question.answer(states, columns)), question
    by_question = dict(zip(questions, found, strict=True))
    for first, last in ends:
        feed, plain, updates = (by_question[Question(first, last, form)] for form in EVERYTHING)
        assert texts(updates) == texts(feed), (first, last)
        assert texts(plain) == texts(split(feed)), (first, last)
