"""Sessions that move amounts between two tables in transactions: no reader sees half of a move."""

from __future__ import annotations

import itertools
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from concurrency.worker import PATIENT
from support.figures import compared
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.session import INTERPRETED
from support.sweep import FULL

Register = Callable[..., str]

SECONDS = float(os.environ.get("DUCKLAKE_SECONDS", 600 if FULL else 6))
SESSIONS = 8
ACCOUNTS = 40
MAKING = (
    f"CREATE TABLE x AS SELECT CAST(i AS INT) AS id, 100 AS v FROM range({ACCOUNTS}) r(i)",
    f"CREATE TABLE y AS SELECT CAST(i AS INT) AS id, 0 AS v FROM range({ACCOUNTS}) r(i)",
    "CREATE TABLE moves (session INTEGER, n INTEGER, v INTEGER)",
)
TOTAL = ACCOUNTS * 100
LOOKED_AT = 100
"""So many snapshots are looked at in the end."""

Move = tuple[int, int, int]
"""A row of `moves`."""


@dataclass
class Mover:
    """A session that moves amounts from `x` to `y`, and tries again after a conflict."""

    number: int
    session: SparkSession
    catalog: str
    done: list[Move] = field(default_factory=list)
    conflicts: int = 0

    def work(self, end: float) -> None:
        """Move and move until the time is over."""
        chance = random.Random(self.number)
        for n in itertools.count():
            move = (self.number, n, chance.randint(1, 5))
            source, target = (chance.randrange(ACCOUNTS) for _ in "xy")
            while not self._is_done(move, source, target):
                self.conflicts += 1
                if time.monotonic() > end:
                    return
            self.done.append(move)
            if time.monotonic() > end:
                return

    def _is_done(self, move: Move, source: int, target: int) -> bool:
        amount = move[2]
        self._run("CALL {c}.system.begin_transaction()")
        self._run(f"UPDATE {{c}}.main.x SET v = v - {amount} WHERE id = {source}")
        self._run(f"UPDATE {{c}}.main.y SET v = v + {amount} WHERE id = {target}")
        self._run(f"INSERT INTO {{c}}.main.moves VALUES {move}")
        try:
            self._run("CALL {c}.system.commit_transaction()")
        except PySparkException as error:
            assert error.getCondition() == "DUCKLAKE_COMMIT_CONFLICT", error
            return False
        return True

    def _run(self, sql: str) -> None:
        self.session.sql(sql.format(c=self.catalog)).collect()


def is_whole(peer: Peer, at: str = "") -> bool:
    """Whether each move is in all three tables or in none of them."""
    ((of_x, of_y, moved),) = peer.rows(
        f"SELECT (SELECT sum(v) FROM x {at}), (SELECT sum(v) FROM y {at}), "
        f"(SELECT coalesce(sum(v), 0) FROM moves {at})"
    )
    return bool((of_x, of_y) == (TOTAL - moved, moved))


def watch(lake: Lake, over: threading.Event) -> int:
    """Look again and again; how often."""
    with Peer(lake) as peer:
        for looks in itertools.count(1):
            assert is_whole(peer)
            if over.wait(0.1):
                return looks
    raise AssertionError


def mover(spark: SparkSession, register: Register, lake: Lake, number: int) -> Mover:
    """One with a session of its own."""
    session = spark.newSession()
    for key, value in INTERPRETED.items():
        session.conf.set(key, value)
    return Mover(number, session, register(lake, PATIENT, session))


def test_no_move_is_torn(spark: SparkSession, lakes: LakeFactory, register: Register) -> None:
    lake, over = lakes.new("postgres"), threading.Event()
    with Peer(lake) as peer:
        peer.run(*MAKING)
    movers = [mover(spark, register, lake, number) for number in range(SESSIONS)]

    begun = time.monotonic()
    with ThreadPoolExecutor(SESSIONS + 1) as pool:
        looks = pool.submit(watch, lake, over)
        working = [pool.submit(each.work, begun + SECONDS) for each in movers]
        try:
            for work in working:
                work.result()
        finally:
            over.set()
        seconds = time.monotonic() - begun
        looked = looks.result()

    done = [move for each in movers for move in each.done]
    counts = [len(each.done) for each in movers]
    conflicts = sum(each.conflicts for each in movers)
    print(f"moves of each session: {counts} in {seconds:.0f} s")
    print(f"{conflicts} conflicts, {looked} looks")
    compared["moves by transactions"] += len(done)
    with Peer(lake) as peer:
        assert Counter(peer.rows("SELECT * FROM moves")) == Counter(done)
        assert peer.value("SELECT count(*) FROM x") == ACCOUNTS
        assert is_whole(peer)
        head = peer.head()
        chosen = random.Random(0).sample(range(3, head + 1), min(LOOKED_AT, head - 2))
        assert [at for at in chosen if not is_whole(peer, f"AT (VERSION => {at})")] == []
    assert done
    own = frozenset(committed_by_peers[lake.uri])
    assert check(lake, Scope(own, is_free_of_orphans=True, deep_bytes=2_000_000)) == []
