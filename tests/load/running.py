"""A load on a lake: sessions of one Spark, maintenance beside them, and the judgement."""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from pyspark.sql import SparkSession

from load.customers import HELD, RETRIES, Customer, expecting, make
from load.tally import Tally
from support.invariants import Scope, check
from support.lakes import Lake
from support.peer import Peer, committed_by_peers
from support.session import INTERPRETED

_MAINTENANCE = (
    "flush_inlined_data()",
    "merge_adjacent_files()",
    "rewrite_data_files(delete_threshold => 0.3)",
    "expire_snapshots(older_than => now() - INTERVAL 60 SECONDS)",
    "cleanup_old_files(older_than => now() - INTERVAL 60 SECONDS)",
)
"""One after the other, as a job would. No statement lasts as long as the snapshots that go."""
MAINTAIN_SECONDS = 5
INCOMPLETE = {"DUCKLAKE_FLUSH_INCOMPLETE", "DUCKLAKE_MAINTENANCE_INCOMPLETE"}
"""Why a call may fail: sessions changed a table each time that it was about to be committed."""


@dataclass
class Load:
    """Sessions on a lake of their own.

    Attributes:
        sessions: how many.
        seconds: how long they begin new operations.
    """

    spark: SparkSession
    lake: Lake
    sessions: int
    seconds: float
    seed: int

    def run(self) -> tuple[Tally, list[str]]:
        """What was done, and what is wrong.

        Raises:
            PySparkException: what a session or the maintenance met that nobody would expect.
            AssertionError: a session read what it had not written.
        """
        with Peer(self.lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
            accounts = make(peer, self.sessions)
        tally, is_over = Tally(), threading.Event()
        customers = [
            Customer(self._session(), number, account, tally, self._chance(number))
            for number, account in accounts.items()
        ]
        with ThreadPoolExecutor(self.sessions + 1) as pool:
            working = [pool.submit(customer.work, is_over) for customer in customers]
            working.append(pool.submit(self._maintain, tally, is_over))
            timer = threading.Timer(self.seconds, is_over.set)
            timer.start()
            try:
                for done in as_completed(working):
                    done.result()
            finally:
                timer.cancel()
                is_over.set()
        held = {number: account.row() for number, account in accounts.items()}
        return tally, self._wrong(tally, held)

    def _chance(self, number: int) -> random.Random:
        return random.Random(f"{self.seed}/{number}")

    def _session(self) -> SparkSession:
        session = self.spark.newSession()
        for key, value in (self.lake.spark_settings("lake") | RETRIES | INTERPRETED).items():
            session.conf.set(key, value)
        return session

    def _maintain(self, tally: Tally, is_over: threading.Event) -> None:
        session = self._session()
        while not is_over.wait(MAINTAIN_SECONDS):
            for call in _MAINTENANCE:
                with expecting(INCOMPLETE, tally):
                    session.sql(f"CALL lake.system.{call}").collect()

    def _wrong(self, tally: Tally, held: Mapping[int, tuple[int, ...]]) -> list[str]:
        """A session that did nothing, rows that are not what the sessions know, a broken lake."""
        idle = {*held} - {*tally.by_session}
        wrong = [f"session {number} never got its turn" for number in sorted(idle)]
        with Peer(self.lake) as peer:
            by_duckdb = {number: tuple(row) for number, *row in peer.rows(HELD.format(""))}
        rows = self._session().sql(HELD.format("lake.main.")).collect()
        by_spark = {number: tuple(row) for number, *row in map(tuple, rows)}
        for engine, found in (("DuckDB", by_duckdb), ("Spark", by_spark)):
            wrong += [
                f"{engine} reads {found.get(number)} of customer {number}, not {row}"
                for number, row in held.items()
                if found.get(number) != row
            ]
        return wrong + check(self.lake, Scope(frozenset(committed_by_peers[self.lake.uri])))
