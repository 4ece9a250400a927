"""A Spark that is killed in a transaction leaves all of it or nothing, at each step."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import Popen

import pytest
from pyspark.sql import SparkSession

from concurrency.meanings import STATEMENTS, Content, at_first, names
from concurrency.victims import victim, wait_for_the_server
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.postgres import PostgresServer
from support.proxy import PostgresProxy, begins_a_commit, commits
from support.sweep import FULL, only_in_the_full_sweep

Register = Callable[..., str]

NAME = "a transaction"
NUMBER = 3
LENGTH = STATEMENTS[NAME].sql.count(";") + 1
COMMIT = LENGTH - 1
"""The last statement."""
IN_COMMIT = [*range(0, 33, 2), 33] if FULL else [13]
"""Which statement of the commit on PostgreSQL is the last that comes; the last of all is COMMIT."""
LONGEST_SECONDS = (0.5, 2.0)
"""So long one may wait for a statement, and for the commit."""


@dataclass
class Statement:
    """Matches the statement of a commit that has a number, from 0 on.

    Attributes:
        seen: the number of the last statement; -1 before the commit.
        is_last: whether it ends the commit.
    """

    number: int
    seen: int = -1
    is_last: bool = False

    def __call__(self, message: bytes) -> bool:
        """Whether it is this one."""
        is_statement = message[:1] == b"P"
        if is_statement and (self.seen >= 0 or begins_a_commit(message)):
            self.seen += 1
        is_this = is_statement and self.seen == self.number
        self.is_last = self.is_last or (is_this and commits(message))
        return is_this


def statements(lake: Lake, catalog: str) -> list[str]:
    """The statements of the transaction."""
    known = names(NUMBER, lake.data_path.parent, catalog)
    return STATEMENTS[NAME].sql.format(**known).split(";")


def new_lake(lakes: LakeFactory, kind: CatalogKind) -> tuple[Lake, Content]:
    """A lake, and its content."""
    lake = lakes.new(kind)
    making, content = at_first()
    with Peer(lake) as peer:
        peer.run(*making)
    return lake, content


def wait_for(running: Popen[str], step: int) -> None:
    """Until a step begins."""
    assert running.stdout
    for _ in range(step + 1):
        last = int(running.stdout.readline())
    assert last == step


def kill(running: Popen[str]) -> None:
    """End all of it at once."""
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()


def is_whole(
    spark: SparkSession, lake: Lake, catalog: str, content: Content, *, may_be_done: bool
) -> None:
    """The lake is as before or as after, its files are found, and the same can be done again."""
    after = STATEMENTS[NAME].meaning(content, NUMBER)
    found = content_of(lake)
    assert found == content or (may_be_done and found == after)
    own = frozenset(committed_by_peers[lake.uri])
    assert check(lake, Scope(own)) == []
    spark.sql(f"CALL {catalog}.system.delete_orphaned_files(cleanup_all => true)").collect()
    assert content_of(lake) == found
    assert check(lake, Scope(own, is_free_of_orphans=True)) == []
    if found == content:
        for statement in statements(lake, catalog):
            spark.sql(statement).collect()
        assert content_of(lake) == after


def content_of(lake: Lake) -> Content:
    """The rows of all tables, as DuckDB reads them."""
    with Peer(lake) as peer:
        tables = [
            name
            for (name,) in peer.rows(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake'"
            )
        ]
        return {name: sorted(peer.rows(f"SELECT * FROM {name}")) for name in tables}


STEPS = [*range(1, LENGTH + 1)]
"""Before step 1 nothing is done; at the last one all is done."""


@only_in_the_full_sweep(
    "a Spark of its own for each step; one is killed in its commit in every run"
)
@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_a_step_leaves_all_or_nothing(
    spark: SparkSession,
    lakes: LakeFactory,
    server: PostgresServer,
    register: Register,
    tmp_path: Path,
    kind: CatalogKind,
    step: int,
) -> None:
    lake, content = new_lake(lakes, kind)
    chance = random.Random(f"{kind}/{step}")

    task = {"statements": statements(lake, "lake")}
    with victim("concurrency.transacting", task, lake, tmp_path) as running:
        wait_for(running, step)
        time.sleep(chance.uniform(0, LONGEST_SECONDS[step == COMMIT]))
        kill(running)
    if kind == "postgres":
        wait_for_the_server(server, lake)

    is_whole(spark, lake, register(lake), content, may_be_done=step >= COMMIT)


@pytest.mark.parametrize("number", IN_COMMIT)
def test_a_kill_at_a_statement_of_the_commit_leaves_all_or_nothing(
    spark: SparkSession,
    lakes: LakeFactory,
    server: PostgresServer,
    proxy: PostgresProxy,
    register: Register,
    tmp_path: Path,
    number: int,
) -> None:
    lake, content = new_lake(lakes, "postgres")
    through = replace(lake, uri=proxy.uri(lake.database))

    task, statement = {"statements": statements(lake, "lake")}, Statement(number)
    with (
        proxy.held(statement) as gate,
        victim("concurrency.transacting", task, through, tmp_path) as running,
    ):
        wait_for(running, COMMIT)
        gate.wait()
        kill(running)
    wait_for_the_server(server, lake)

    # The server may get the message that was held.
    is_whole(spark, lake, register(lake), content, may_be_done=statement.is_last)
