"""Rollbacks of a table and of the whole lake beside inserts of both engines: refused, or exact."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import duckdb
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from concurrency.worker import PATIENT
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, committed_by_peers, made
from support.sweep import swept

Register = Callable[..., str]

TABLES = ("t", "u")
SETUP = (
    "CREATE TABLE t AS SELECT i AS a FROM range(-30, 0) r(i)",
    "CREATE TABLE u AS SELECT i AS a FROM range(-30, 0) r(i)",
    "DELETE FROM t WHERE a < -20",
    "DELETE FROM u WHERE a < -25",
)
ROUNDS = ((0, 0), (1, 0), (0, 1), (2, 1), (9, 2), (1, 1))
"""Inserts of DuckDB and of Spark beside a rollback; where there are none it must be done."""
CONFLICTS = ("DUCKLAKE_COMMIT_CONFLICT", "DUCKLAKE_COMMIT_TIMED_OUT", "locked", "onflict")

Content = dict[str, frozenset[int]]
"""The rows of each table."""


@dataclass
class Stage:
    """A lake that both engines write, and what their statements reported.

    Attributes:
        done: the numbers that are in the lake, as their inserts reported.
        rollbacks: by new snapshot the past one, and the tables that went back to it.
        refused: errors.
    """

    spark: SparkSession
    lake: Lake
    catalog: str
    done: list[int] = field(default_factory=list)
    rollbacks: dict[int, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    def by_duckdb(self, count: int) -> None:
        """Inserts of DuckDB, each a file."""
        with Peer(self.lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
            for _ in range(count):
                self._insert("lake.main", peer.run)

    def by_spark(self, count: int) -> None:
        """Inserts of Spark, which are inlined."""
        for _ in range(count):
            self._insert(f"{self.catalog}.main", lambda sql: self.spark.sql(sql).collect())

    def _insert(self, schema: str, run: Callable[[str], object]) -> None:
        number = next(self._numbers)
        try:
            run(f"INSERT INTO {schema}.{TABLES[number % 2]} VALUES ({number})")
        except (duckdb.Error, PySparkException) as error:
            self.refused.append(str(error))
        else:
            self.done.append(number)

    def roll_back(self, tables: tuple[str, ...], past: int) -> None:
        """Bring a table, or all of them, back to a snapshot."""
        table = "" if tables == TABLES else f"table_name => '{tables[0]}', "
        call = f"CALL {self.catalog}.system.rollback_to_snapshot({table}snapshot_version => {past})"
        try:
            changed = self.spark.sql(call).collect()
        except PySparkException as error:
            self.refused.append(str(error))
        else:
            self.rollbacks |= {row.snapshot_id: (past, tables) for row in changed}

    def head(self) -> int:
        """The newest snapshot."""
        with Peer(self.lake) as peer:
            return peer.head()

    def history(self, first: int) -> dict[int, Content]:
        """The content at each snapshot from the first on, as DuckDB reads it."""
        with Peer(self.lake) as peer:
            return {
                version: {table: _rows(peer, table, version) for table in TABLES}
                for version in range(first, peer.head() + 1)
            }


def _rows(peer: Peer, table: str, version: int) -> frozenset[int]:
    found = peer.rows(f"SELECT a FROM {table} AT (VERSION => {version})")
    assert len(found) == len(set(found))
    return frozenset(a for (a,) in found)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_rollback_beside_inserts_is_refused_or_exact(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind
) -> None:
    lake = lakes.new(kind)
    first = made(lake, *SETUP)
    stage = Stage(spark, lake, register(lake, PATIENT))

    for (duckdbs, sparks), tables in itertools.product(swept(ROUNDS, 2), (("t",), TABLES)):
        past = stage.head()
        stage.by_duckdb(2)
        with ThreadPoolExecutor(3) as pool:
            running = [
                pool.submit(stage.roll_back, tables, past),
                pool.submit(stage.by_duckdb, duckdbs),
                pool.submit(stage.by_spark, sparks),
            ]
        for each in running:
            each.result()

    history = stage.history(first)
    came: Counter[int] = Counter()
    for version in range(first + 1, stage.head() + 1):
        content, before = history[version], history[version - 1]
        past, tables = stage.rollbacks.get(version, (version, ()))
        if tables:
            assert content == before | {table: history[past][table] for table in tables}, version
        else:
            assert [table for table in TABLES if before[table] - content[table]] == [], version
            came.update(a for table in TABLES for a in content[table] - before[table])
    assert came == Counter(stage.done)
    assert {tables for _, tables in stage.rollbacks.values()} == {("t",), TABLES}
    assert [text for text in stage.refused if not any(word in text for word in CONFLICTS)] == []
    by_spark = spark.sql(f"SELECT a FROM {stage.catalog}.t").collect()
    assert {row.a for row in by_spark} == history[stage.head()]["t"]
    assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []
