"""A commit that breaks off at any step leaves the lake as before or as after."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer
from support.proxy import Cut, PostgresProxy, begins_a_commit, commits

Register = Callable[..., str]

STATEMENTS = {
    "insert": "INSERT INTO {c}.main.t VALUES (100, 100)",
    "overwrite": "INSERT OVERWRITE {c}.main.t VALUES (100, 100)",
    "add a column": "ALTER TABLE {c}.main.t ADD COLUMN {new} INT",
    "create from a query": "CREATE TABLE {c}.main.{new} AS SELECT 1 AS a, 'x' AS b",
}
IMPATIENT = {"retry.max-count": "1", "retry.wait-ms": "1"}
STEP = 1 if os.environ.get("DUCKLAKE_FULL") else 4


@dataclass
class Scene:
    """A lake on PostgreSQL that Spark reaches through the proxy, and DuckDB directly."""

    spark: SparkSession
    lake: Lake
    peer: Peer
    catalog: str
    proxy: PostgresProxy

    def run(self, name: str, number: int) -> str:
        """Run a statement; `done`, or the condition of its error."""
        sql = STATEMENTS[name].replace("{c}", self.catalog).replace("{new}", f"n{number}")
        try:
            self.spark.sql(sql).collect()
        except PySparkException as error:
            return error.getCondition() or str(error)
        return "done"

    def is_in_order(self, *, without_orphans: bool) -> bool:
        """Whether all invariants hold."""
        scope = Scope(duckdb_snapshots=None, is_free_of_orphans=without_orphans)
        complaints = check(self.lake, scope)
        assert complaints == []
        return True


@pytest.fixture
def scene(
    spark: SparkSession, lakes: LakeFactory, proxy: PostgresProxy, register: Register
) -> Iterator[Scene]:
    """A table with a file and inlined rows."""
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (a INTEGER, b INTEGER)",
            "INSERT INTO t SELECT i, i FROM range(50) AS r(i)",
            "INSERT INTO t VALUES (60, 60)",
        )
        through = replace(lake, uri=proxy.uri(lake.database))
        yield Scene(spark, lake, peer, register(through, IMPATIENT), proxy)


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_commit_that_is_cut_off_leaves_the_lake_as_before(scene: Scene, name: str) -> None:
    number, cuts = 0, 0
    while True:
        before = scene.peer.head()
        with scene.proxy.cutting(Cut(begins_a_commit, number)) as cut:
            ended = scene.run(name, number)
        if not cut.happened:
            break
        cuts += 1
        is_unknown = "UNKNOWN" in ended
        assert ended.startswith("DUCKLAKE_"), ended
        assert scene.peer.head() == before, f"cut at statement {number}: {ended}"
        assert scene.is_in_order(without_orphans=False)
        number += 1 if is_unknown else STEP

    assert cuts > 2
    assert ended == "done"


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_connection_that_comes_back_commits_once(scene: Scene, name: str) -> None:
    number = 0
    while True:
        before = scene.peer.head()
        with scene.proxy.cutting(Cut(begins_a_commit, number, is_final=False)) as cut:
            ended = scene.run(name, number)
        assert (ended, scene.peer.head()) == ("done", before + 1), f"cut at statement {number}"
        if not cut.happened:
            break
        number += STEP

    assert scene.is_in_order(without_orphans=True)


@pytest.mark.parametrize("is_final", [True, False])
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_lost_answer_to_commit_is_looked_up(scene: Scene, name: str, is_final: bool) -> None:
    before = scene.peer.head()

    with scene.proxy.cutting(Cut(commits, 0, is_run=True, is_final=is_final)) as cut:
        ended = scene.run(name, 0)

    assert cut.happened
    assert ended == ("DUCKLAKE_COMMIT_OUTCOME_UNKNOWN" if is_final else "done")
    assert scene.peer.head() == before + 1
    assert scene.is_in_order(without_orphans=True)
