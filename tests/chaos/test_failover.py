"""A standby takes the place of a PostgreSQL that crashes while sessions of both engines commit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from chaos.checker import faults
from chaos.crew import Muster, working
from chaos.history import History, Operation, read
from chaos.judging import rows, strange
from chaos.recorder import Recorder
from chaos.worker import sessions, spark_clients
from chaos.workload import ALL_KEYS, MAKING, Role, in_threads, reading
from concurrency.worker import opened
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import committed_by_peers
from support.postgres import PostgresServer, Standby
from support.proxy import PostgresProxy
from support.sweep import FULL, only_in_the_full_sweep

SECONDS = 20.0 if FULL else 4.0
"""So long the sessions work before and after the standby takes over."""
BEHIND_SECONDS = 4.0
"""So long the standby is away before the crash."""
ON_THE_WAY = 0.5
"""Seconds that a commit may take from the primary to the standby."""


@dataclass(frozen=True)
class Pair:
    """A primary and its standby, the address that moves from one to the other, and the lake."""

    primary: PostgresServer
    standby: Standby
    proxy: PostgresProxy
    lake: Lake

    @property
    def seen(self) -> Lake:
        """The lake at the address that moves."""
        return replace(self.lake, uri=self.proxy.uri(self.lake.database))

    def fail_over(self) -> None:
        """The primary crashes when the standby has been away for a moment, and comes back."""
        self.standby.stop()
        time.sleep(BEHIND_SECONDS)
        self.primary.stop()
        self.standby.start()
        self.standby.promote()
        self.proxy.point_to(self.standby)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    primary = PostgresServer()
    standby = primary.standby()
    with primary, standby:
        lake = LakeFactory(tmp_path, primary).new("postgres")
        with opened(lake) as peer:
            peer.run(*MAKING)
        standby.catch_up()
        with PostgresProxy(primary) as proxy:
            yield Pair(primary, standby, proxy, lake)


@dataclass(frozen=True)
class Course:
    """What happened.

    Attributes:
        history: its record and its rows at the end are those of the standby.
        by_duckdb: the snapshots that DuckDB made.
        behind: when the standby went away.
        moved: when the address was that of the standby.
    """

    history: History
    by_duckdb: frozenset[int]
    behind: float
    moved: float

    def acknowledged(self, since: float = 0) -> dict[int, Operation]:
        """The writes that were acknowledged and begun since a moment, by id."""
        return {
            each.id: each
            for each in self.history.operations
            if each.is_write and each.outcome == "acknowledged" and each.begun >= since
        }

    def of_the_standby(self) -> History:
        """Without what was lost, and without what was read before the address moved."""
        lost = self.acknowledged().keys() - self.history.commits.keys()
        kept = (each for each in self.history.operations if each.id not in lost)
        operations = (
            each if each.begun >= self.moved else replace(each, readings=()) for each in kept
        )
        return replace(self.history, operations=tuple(operations))


def course(spark: SparkSession, pair: Pair, folder: Path) -> Course:
    """Sessions of both engines work while the standby takes over."""
    muster = Muster(folder, seed=0)
    member = muster.worker("DuckDB", ("writer", "inserter"), pair.seen, {})
    roles: tuple[Role, ...] = ("writer", "writer", "reader")
    by_spark = sessions(muster.task("Spark", roles), spark_clients(spark, pair.seen, len(roles)))

    with working([member]):
        with in_threads(by_spark):
            time.sleep(SECONDS)
            behind = time.monotonic()
            pair.fail_over()
            moved = time.monotonic()
            member.mend()
            time.sleep(SECONDS)
        member.end()

    recorder = Recorder(pair.seen)
    recorder.look()
    final = reading(ALL_KEYS, rows(pair.seen))
    history = History(tuple(read(muster.journals.iterdir())), recorder.commits(), final)
    return Course(history, recorder.by("duckdb"), behind, moved)


def complaints(spark: SparkSession, pair: Pair, course: Course) -> list[str]:
    """What is wrong with the lake on the standby, once the files of lost commits are gone."""
    (client,) = spark_clients(spark, pair.seen, 1)
    client.rows("CALL lake.system.delete_orphaned_files(cleanup_all => true)")
    own = course.by_duckdb | committed_by_peers[pair.lake.uri]
    return check(pair.seen, Scope(own, is_free_of_orphans=True, deep_bytes=20_000_000))


@only_in_the_full_sweep("two servers, and half a minute of commits")
def test_a_synchronous_standby_has_all_that_was_acknowledged(
    spark: SparkSession, pair: Pair, tmp_path: Path
) -> None:
    pair.standby.confirm_all()

    found = course(spark, pair, tmp_path)

    assert faults(found.history) == []
    assert strange(found.history.operations) == []
    assert found.acknowledged(found.moved)
    assert complaints(spark, pair, found) == []


@only_in_the_full_sweep("two servers, and half a minute of commits")
def test_an_asynchronous_standby_lacks_only_the_last_commits(
    spark: SparkSession, pair: Pair, tmp_path: Path
) -> None:
    found = course(spark, pair, tmp_path)

    acknowledged = found.acknowledged()
    lost = acknowledged.keys() - found.history.commits.keys()
    print(f"{len(lost)} of {len(acknowledged)} acknowledged commits are lost")
    assert [id for id in lost if (acknowledged[id].ended or 0) < found.behind - ON_THE_WAY] == []
    assert lost
    assert faults(found.of_the_standby()) == []
    assert strange(found.history.operations) == []
    assert found.acknowledged(found.moved)
    assert complaints(spark, pair, found) == []
