"""Streams beside writers and maintenance of both engines, killed at random: no row lost or doubled.

One stream copies a table to which rows are added, another keeps its newest row of each key, a third
one the sums of a table that changes.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from concurrency.following import MAKING, Author, differences
from concurrency.refusals import is_expected
from concurrency.victims import victim
from concurrency.worker import EXPIRY_SECONDS, PATIENT, aged, opened
from support.figures import compared
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import committed_by_peers
from support.session import INTERPRETED
from support.sweep import FULL

Register = Callable[..., str]

SECONDS = float(os.environ.get("DUCKLAKE_SECONDS", 60 if FULL else 8))
"""How long each test writes."""
SEEDS = [int(os.environ["DUCKLAKE_SEED"])] if "DUCKLAKE_SEED" in os.environ else [1]
WAIT_SECONDS = 240 + SECONDS
"""For the streams to come to the end; with narrow limits they take as long as the writers."""
LIMITED_ROWS = {"rows": max(60, round(SECONDS))}
LIMITED_FILES = {"files": max(2, round(SECONDS / 30))}
"""Limits of a batch. A long run with those of a short one would need batches for half an hour."""
FIRST_FILES = 6
MAINTENANCE = (
    "flush_inlined_data()",
    "merge_adjacent_files()",
    "rewrite_data_files(delete_threshold => 0)",
    f"expire_snapshots(older_than => now() - INTERVAL {EXPIRY_SECONDS} SECONDS)",
    "cleanup_old_files(older_than => now() - INTERVAL 30 SECONDS)",
    "checkpoint()",
)
"""By Spark, whose expiry leaves what the streams have not read."""
DUCKDBS_OWN = ("ducklake_flush_inlined_data('lake')", "ducklake_merge_adjacent_files('lake')")


@dataclass
class Field:
    """One lake, and those who write to it."""

    spark: SparkSession
    catalog: str
    lake: Lake
    author: Author
    done: Counter[str] = field(default_factory=Counter)

    def by_duckdb(self, statement: str) -> None:
        """Run a statement in a DuckDB of its own."""
        try:
            with opened(self.lake) as peer:
                peer.run(statement.format(""))
            self.done["DuckDB's"] += 1
        except duckdb.Error as error:
            assert is_expected(str(error)), error
            self.done["refused"] += 1

    def by_spark(self, statement: str) -> None:
        """Run a statement in Spark."""
        try:
            self.spark.sql(statement.format(f"{self.catalog}.main."))
            self.done["Spark's"] += 1
        except PySparkException as error:
            assert is_expected(str(error)), error
            self.done["refused"] += 1

    def step(self) -> None:
        """One change, or maintenance."""
        kind = self.author.chance.random()
        run = self.author.chance.choice((self.by_spark, self.by_duckdb))
        if kind < 0.4:
            run(self.author.event(run.__name__, self.author.chance.choice((1, 3, 40))))
        elif kind < 0.85:
            run(self.author.change())
        elif run == self.by_spark:
            self.by_spark(f"CALL {self.catalog}.system.{self.author.chance.choice(MAINTENANCE)}")
        else:
            self.by_duckdb(f"CALL {self.author.chance.choice(DUCKDBS_OWN)}")


class Follower:
    """The process with the streams."""

    def __init__(self, lake: Lake, folder: Path, limits: dict[str, int]) -> None:
        """Nothing runs yet.

        Args:
            lake: with the tables.
            folder: for the checkpoints, and for what it says.
            limits: of a batch, by what is limited.
        """
        self._lake, self._folder = lake, folder
        with opened(lake) as peer:
            start = peer.head()
        self._task = {"folder": str(folder), "limits": limits, "start": start}
        self._running = contextlib.ExitStack()
        self.rounds = 0

    def start(self) -> None:
        """Start it; what it prints is read by a thread."""
        own = self._lake.spark_settings("lake", PATIENT) | INTERPRETED
        following = victim(
            "concurrency.copier", self._task, self._lake, self._folder, own_settings=own
        )
        self._process = self._running.enter_context(following)
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,))
        self._reader.start()

    def _read(self, lines: object) -> None:
        for _ in lines:  # type: ignore[attr-defined]
            self.rounds += 1

    def kill(self) -> None:
        """End it at once. It may have ended by itself only because of the other writers."""
        assert self._process.poll() is None or is_expected(self._said()), self._said()
        self.close()

    def has_ended(self) -> bool:
        """Whether it has ended by itself."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End it at once, whatever it does."""
        self._running.close()
        self._reader.join()

    def end(self) -> None:
        """Let it come to the newest snapshot, and end."""
        (self._folder / "over").touch()
        while self._process.wait(WAIT_SECONDS) != 0:
            self.kill()
            self.start()
        self.close()

    def _said(self) -> str:
        return (self._folder / "errors.txt").read_text()[-4000:]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_row_is_lost_or_doubled(
    spark: SparkSession,
    lakes: LakeFactory,
    kind: CatalogKind,
    register: Register,
    tmp_path: Path,
    seed: int,
) -> None:
    lake = lakes.new(kind)
    chance = random.Random(f"{kind}/{seed}")
    with opened(lake) as peer:
        peer.run(*MAKING)
    aged(lake)
    session = spark.newSession()
    for key, value in INTERPRETED.items():
        session.conf.set(key, value)
    field = Field(session, register(lake, PATIENT, session), lake, Author(chance))
    limits = chance.choice([{}, LIMITED_ROWS, LIMITED_FILES])
    follower = Follower(lake, tmp_path, limits)
    for _ in range(FIRST_FILES):
        field.by_duckdb(field.author.event("first", 30))
    print(f"{kind}: seed {seed}, limits {limits}, {lake.uri}")

    end, kills = time.monotonic() + SECONDS, 0
    follower.start()
    try:
        while time.monotonic() < end:
            field.step()
            if follower.has_ended():
                follower.kill()
                follower.start()
            elif follower.rounds > kills and chance.random() < 0.1:
                follower.kill()
                kills += 1
                follower.start()
        follower.end()
    finally:
        follower.close()

    print(f"{kind}: {dict(field.done)}, {follower.rounds} rounds, {kills} kills", flush=True)
    compared["steps beside streams"] += field.done.total()
    assert differences(lake) == {}
    own = frozenset(committed_by_peers[lake.uri])
    field.by_spark(f"CALL {field.catalog}.system.delete_orphaned_files(cleanup_all => true)")
    assert check(lake, Scope(own, is_free_of_orphans=True)) == []
