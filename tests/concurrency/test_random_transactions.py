"""Random transactions beside other writers of both engines: all of each is there, or nothing."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession

from concurrency.authors import COUNTERS, MAKING, TABLES, Author
from concurrency.transactors import Neighbour, Run, Tally, Writer, held_in, rows_of, seen_by_duckdb
from concurrency.worker import PATIENT
from support.figures import compared
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.session import INTERPRETED
from support.sweep import FULL

Register = Callable[..., str]

TRANSACTIONS = int(os.environ.get("DUCKLAKE_TRANSACTIONS", 200 if FULL else 10))
"""How many each test tries."""
SEEDS = [int(os.environ["DUCKLAKE_SEED"])] if "DUCKLAKE_SEED" in os.environ else [1, 2, 3]
ROUND = 50
"""So many in one lake."""
TRANSACTORS = 2
LEVELS = ("snapshot", "serializable")
"""Isolation levels, in turn by lake."""
LIMIT = 5
"""Rows of one statement that are kept in the catalog."""


@dataclass(frozen=True)
class Field:
    """One lake, and how to write to it."""

    spark: SparkSession
    register: Register
    lake: Lake
    level: str

    def writer(self, number: int, seed: int) -> Writer:
        """A writer with a session of its own."""
        session = self.spark.newSession()
        for key, value in INTERPRETED.items():
            session.conf.set(key, value)
        options = {**PATIENT, "data-inlining-row-limit": str(LIMIT), "isolation-level": self.level}
        catalog = self.register(self.lake, options, session)
        return Writer(Author(number, seed), self.lake, catalog, _rows_by(session))


def _rows_by(session: SparkSession) -> Run:
    return lambda sql: [tuple(row) for row in session.sql(sql).collect()]


@pytest.mark.parametrize("seed", SEEDS)
def test_all_of_a_transaction_is_there_or_nothing(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register, seed: int
) -> None:
    left, tally = TRANSACTIONS, Tally()
    for turn in range(-(-TRANSACTIONS // ROUND)):
        lake = lakes.new(kind)
        with Peer(lake) as peer:
            peer.run(*MAKING)
        own_seed, level = seed * 1000 + turn, LEVELS[(seed + turn) % len(LEVELS)]
        print(f"{kind}, {level}: seed {own_seed}, {lake.uri}")

        found = played(Field(spark, register, lake, level), own_seed, min(left, ROUND))

        left -= ROUND
        for name in ("done", "refused"):
            getattr(tally, name).update(getattr(found, name))
        print(f"{kind}: {dict(tally.done)}, refused {dict(tally.refused)}", flush=True)
    compared["random transactions"] += tally.done["transaction"]
    assert tally.done["transaction"] > 0


def played(field: Field, seed: int, transactions: int) -> Tally:
    """Transactors beside two neighbours; at the end the whole lake is as all of them say."""
    transactors = [field.writer(number, seed) for number in range(1, TRANSACTORS + 1)]
    single = field.writer(TRANSACTORS + 1, seed)
    duckdb = Neighbour(Author(TRANSACTORS + 2, seed), field.lake)
    over = threading.Event()

    def transact(writer: Writer) -> None:
        try:
            for _ in range(-(-transactions // TRANSACTORS)):
                if over.is_set():
                    return
                writer.transact()
        except BaseException:
            over.set()
            raise

    with ThreadPoolExecutor(TRANSACTORS + 2) as pool:
        beside = [pool.submit(each.write_until, over) for each in (single, duckdb)]
        at_work = [pool.submit(transact, writer) for writer in transactors]
        try:
            for work in at_work:
                work.result()
        finally:
            over.set()
        for work in beside:
            work.result()

    writers: list[Writer | Neighbour] = [*transactors, single, duckdb]
    judge(field.lake, writers, single)
    return Tally(
        sum((writer.tally.done for writer in writers), Counter()),
        sum((writer.tally.refused for writer in writers), Counter()),
    )


def judge(lake: Lake, writers: list[Writer | Neighbour], spark: Writer) -> None:
    """Both engines read what the writers hold, the counters too, and the lake is in order."""
    with Peer(lake) as peer:
        for writer in writers:
            assert seen_by_duckdb(peer, writer.author.number) == writer.held
        assert {owner for (owner,) in peer.rows(_owners())} <= {0, *_numbers(writers)}
        counters = seen_by_duckdb(peer, 0)["c"]
    names = {table: f"{spark.catalog}.main.{table}" for table in TABLES}
    for writer in writers:
        assert held_in(spark.run(rows_of(writer.author.number, names))) == writer.held
    assert held_in(spark.run(rows_of(0, names)))["c"] == counters
    assert len(counters) == COUNTERS
    certain = sum(writer.tally.raised for writer in writers)
    perhaps = sum(writer.tally.perhaps_raised for writer in writers)
    assert certain <= sum(counters.values()) <= certain + perhaps
    spark.run(f"CALL {spark.catalog}.system.delete_orphaned_files(cleanup_all => true)")
    own = frozenset(committed_by_peers[lake.uri])
    assert check(lake, Scope(own, is_free_of_orphans=True, deep_bytes=2_000_000)) == []


def _owners() -> str:
    return " UNION ".join(f"SELECT owner FROM {table}" for table in TABLES)


def _numbers(writers: list[Writer | Neighbour]) -> set[int]:
    return {writer.author.number for writer in writers}
