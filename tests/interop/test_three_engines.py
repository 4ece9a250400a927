"""Two versions of DuckDB and Spark write one lake, and every row is kept.

`Peer` is DuckDB 2, by `DUCKLAKE_EXTENSION`; `DUCKLAKE_OTHER_PYTHON` names the interpreter of DuckDB
1.5. That one does not open a file any more which DuckDB 2 has written, so DuckDB 2 comes second.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from pyspark.sql import SparkSession

from support import elsewhere, ownbuild
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]
Rows = dict[int, str]
STEPS = int(os.environ.get("DUCKLAKE_STEPS", "30"))
SEEDS = [int(os.environ["DUCKLAKE_SEED"])] if "DUCKLAKE_SEED" in os.environ else [1, 2]
ALL = "SELECT id, word FROM {t} ORDER BY id"

pytestmark = [
    pytest.mark.skipif(elsewhere.PYTHON is None, reason="DUCKLAKE_OTHER_PYTHON is not set"),
    pytest.mark.skipif(ownbuild.LAKES != "1.0", reason="DuckDB 1.5 reads lakes of 1.0"),
]


@dataclass
class Story:
    """Statements for any engine, and the rows that must be there after them."""

    chance: random.Random
    rows: Rows = field(default_factory=dict)
    last: int = 0

    def insert(self, count: int) -> str:
        """Rows with new ids."""
        first, self.last = self.last + 1, self.last + count
        fresh = {id: f"w{id % 7}" for id in range(first, self.last + 1)}
        self.rows |= fresh
        values = ", ".join(f"({id}, '{word}')" for id, word in fresh.items())
        return f"INSERT INTO {{t}} VALUES {values}"

    def delete(self) -> str:
        """Rows all over the table."""
        divisor, rest = self.chance.choice([3, 5, 50]), self.chance.randrange(3)
        self.rows = {id: word for id, word in self.rows.items() if id % divisor != rest}
        return f"DELETE FROM {{t}} WHERE id % {divisor} = {rest}"

    def update(self) -> str:
        """Some rows get another word."""
        start = self.chance.randrange(self.last + 1)
        end = start + self.chance.choice([2, 40])
        word = f"u{start}"
        self.rows = {
            id: word if start <= id < end else old for id, old in sorted(self.rows.items())
        }
        return f"UPDATE {{t}} SET word = '{word}' WHERE id >= {start} AND id < {end}"

    def merge(self) -> str:
        """A row that may be there, and one that is new."""
        known, new = self.chance.randrange(self.last + 1), self.last + 1
        self.last = new
        self.rows |= {known: "m", new: "m"}
        source = f"(SELECT {known} AS id, 'm' AS word UNION ALL SELECT {new}, 'm')"
        return (
            f"MERGE INTO {{t}} AS t USING {source} AS s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET word = s.word "
            "WHEN NOT MATCHED THEN INSERT (id, word) VALUES (s.id, s.word)"
        )

    def change(self) -> str:
        """The next statement."""
        made = self.chance.randrange(6)
        if made < 2:
            return self.insert(4 if made else 60)
        return (self.delete, self.update, self.update, self.merge)[made - 2]()


UPKEEP = ("flush_inlined_data", "merge_adjacent_files", "rewrite_data_files")


@pytest.mark.parametrize("seed", SEEDS)
def test_every_row_is_kept(
    spark: SparkSession, lakes: LakeFactory, register: Register, seed: int
) -> None:
    lake = lakes.new("duckdb")
    chance = random.Random(seed)
    story = Story(chance)
    elsewhere.run(lake, "CREATE TABLE t (id INTEGER, word VARCHAR)")
    catalog = register(lake)

    for step in range(STEPS):
        engine = chance.choice(["old" if step < STEPS // 2 else "new", "spark"])
        upkeep = chance.choice(UPKEEP) if chance.random() < 0.2 else None
        if engine == "spark":
            called = f"CALL {catalog}.system.{upkeep}('t')"
            spark.sql(called if upkeep else story.change().format(t=f"{catalog}.main.t")).collect()
        else:
            called = f"CALL ducklake_{upkeep}('lake')"
            _by_duckdb(lake, engine, called if upkeep else story.change().format(t="t"))
        _compare(spark, lake, catalog, sorted(story.rows.items()), step < STEPS // 2)
    assert check(lake, Scope(duckdb_snapshots=None)) == []


def _by_duckdb(lake: Lake, engine: str, statement: str) -> None:
    if engine == "old":
        elsewhere.run(lake, statement)
        return
    with Peer(lake) as peer:
        peer.run(statement)


def _compare(
    spark: SparkSession, lake: Lake, catalog: str, expected: list[tuple[int, str]], is_old: bool
) -> None:
    ours = spark.sql(ALL.format(t=f"{catalog}.main.t")).collect()
    assert [tuple(row) for row in ours] == expected
    query = ALL.format(t="t")
    if is_old:
        assert [tuple(row) for row in elsewhere.run(lake, query=query)] == expected
        return
    with Peer(lake) as peer:
        assert peer.rows(query) == expected
