"""Spark's clause CHANGES tells of random histories what the rows before and after them tell."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest
from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer
from support.session import INTERPRETED

Register = Callable[..., str]
Values: TypeAlias = tuple[tuple[str, Any], ...]
State: TypeAlias = dict[int, Values]
"""The rows of a table, by row id."""

FULL = os.environ.get("DUCKLAKE_FULL") == "1"
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
DEFAULTS = {"c": 7}
"""The columns that are added, with the value that older rows have in them."""


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
        if self.lake.kind == "duckdb":
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
            self._peer.connection.close()
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


def widened(state: State, columns: Sequence[str]) -> State:
    """The rows with these columns."""
    more = [(name, value) for name, value in DEFAULTS.items() if name in columns]
    return {
        id: (*values, *(pair for pair in more if pair[0] not in dict(values)))
        for id, values in state.items()
    }


def led(before: State, after: State, version: int | None, *, pairs: bool) -> list[dict[str, Any]]:
    """The changes that lead from rows to others; `pairs`: updates are told from the rest."""
    gone, come = before.items() - after.items(), after.items() - before.items()
    updated = {id for id, _ in gone} & {id for id, _ in come} if pairs else set()
    sides = (("delete", "update_preimage", gone), ("insert", "update_postimage", come))
    return [
        dict(values) | {"rowid": id, "type": image if id in updated else alone, "version": version}
        for alone, image, changed in sides
        for id, values in changed
    ]


@dataclass(frozen=True)
class Question:
    """The changes of a range in one of their forms."""

    first: int
    last: int
    form: str

    def query(self, catalog: str) -> str:
        """The text for Spark."""
        if self.form == "feed":
            source = f"ducklake_table_changes('{catalog}', 't', {self.first}, {self.last})"
            names = ("change_type", "snapshot_id")
        else:
            modes = f"computeUpdates = '{'updates' in self.form}', deduplicationMode = "
            modes += "'netChanges'" if "net" in self.form else "'dropCarryovers'"
            source = f"{catalog}.main.t CHANGES FROM VERSION {self.first} TO VERSION {self.last}"
            source, names = f"{source} WITH ({modes})", ("_change_type", "_commit_version")
        version = "CAST(NULL AS BIGINT)" if "net" in self.form else names[1]
        own = f"rowid, {names[0]} AS type, {version} AS version, k, v, s"
        return f"SELECT {own}{{more}} FROM {source}"

    def answer(self, states: dict[int, State], columns: Sequence[str]) -> list[dict[str, Any]]:
        """The truth."""
        pairs = self.form == "feed" or "updates" in self.form
        wide = {at: widened(states[at], columns) for at in range(self.first - 1, self.last + 1)}
        if "net" in self.form:
            return led(wide[self.first - 1], wide[self.last], None, pairs=pairs)
        versions = range(self.first, self.last + 1)
        return [c for at in versions for c in led(wide[at - 1], wide[at], at, pairs=pairs)]


FORMS = ("feed", "plain", "updates", "net", "net updates")


def asked(spark: SparkSession, catalog: str, questions: Sequence[Question], wide: int) -> list[Any]:
    """What Spark answers, by question; snapshots from `wide` on have the added column."""
    parts = []
    for number, question in enumerate(questions):
        more = ", c" if question.last >= wide else ""
        text = question.query(catalog).format(more=more)
        packed = "to_json(struct(*), map('ignoreNullFields', 'false'))"
        parts.append(f"SELECT {number} AS n, {packed} AS row FROM ({text})")
    found: list[list[dict[str, Any]]] = [[] for _ in questions]
    for row in spark.sql(" UNION ALL ".join(parts)).collect():
        found[row["n"]].append(json.loads(row["row"]))
    return found


def without_moved(changes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The changes of a feed without those that a rewrite makes: updates to the same values."""
    images: dict[str, list[dict[str, Any]]] = {}
    for change in changes:
        kind = "update" if change["type"].startswith("update_") else change["type"]
        images.setdefault(json.dumps(change | {"type": kind}, sort_keys=True), []).append(change)
    return [change for same in images.values() if len(same) == 1 for change in same]


def texts(changes: Iterable[dict[str, Any]]) -> list[str]:
    """Changes as texts in one order."""
    return sorted(json.dumps(change, sort_keys=True) for change in changes)


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
        told = without_moved(changes) if question.form == "feed" else changes
        assert texts(told) == texts(question.answer(states, columns)), question
