"""A Spark that is killed in a transaction leaves all of it or nothing, at each step."""

from __future__ import annotations

import contextlib
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
from support.proxy import Gate, PostgresProxy, begins_a_commit, commits
from support.sweep import only_in_the_full_sweep, swept

Register = Callable[..., str]

NAME = "a transaction"
NUMBER = 3
LENGTH = STATEMENTS[NAME].sql.count(";") + 1
COMMIT = LENGTH - 1
"""The last statement."""
STEPS = range(1, LENGTH + 1)
"""Before step 1 nothing is done; at the last one all is done."""
ROUNDS = 3
"""How often the Spark is killed at all steps."""
LONGEST_SECONDS = 3.0
"""So long statements may run, one of each step at once, before they are killed."""
IN_COMMIT = range(34)
"""Which statement of the commit on PostgreSQL is the last that comes; the last of all is COMMIT."""
PARTS = 3


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


def task(lake: Lake, waits: int) -> dict[str, object]:
    """A transaction in a lake, which waits before one of its statements."""
    return {
        "settings": lake.spark_settings("lake"),
        "statements": statements(lake, "lake"),
        "waits": waits,
    }


def wait_for_all(running: Popen[str], count: int) -> None:
    """Until each transaction has come to the statement that waits."""
    assert running.stdout
    assert {int(running.stdout.readline()) for _ in range(count)} == {*range(count)}


def go_on(running: Popen[str]) -> None:
    """Let the statements run that wait."""
    print(file=running.stdin, flush=True)


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


@only_in_the_full_sweep("many lakes; a Spark is killed in commits in every run")
@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_kill_at_each_step_leaves_all_or_nothing(
    spark: SparkSession,
    lakes: LakeFactory,
    server: PostgresServer,
    register: Register,
    tmp_path: Path,
    kind: CatalogKind,
    number: int,
) -> None:
    made = [new_lake(lakes, kind) for _ in STEPS]
    tasks = [task(lake, step) for step, (lake, _) in zip(STEPS, made, strict=True)]
    chance = random.Random(f"{kind}/{number}")

    with victim("concurrency.transacting", {"tasks": tasks}, made[0][0], tmp_path) as running:
        wait_for_all(running, len(tasks))
        go_on(running)
        time.sleep(chance.uniform(0, LONGEST_SECONDS))
        kill(running)

    for step, (lake, content) in zip(STEPS, made, strict=True):
        if kind == "postgres":
            wait_for_the_server(server, lake)
        is_whole(spark, lake, register(lake), content, may_be_done=step >= COMMIT)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_kill_at_each_statement_of_the_commit_leaves_all_or_nothing(
    spark: SparkSession,
    lakes: LakeFactory,
    server: PostgresServer,
    register: Register,
    tmp_path: Path,
    part: int,
) -> None:
    """Each transaction has a proxy of its own, which holds another statement."""
    ends = [Statement(number) for number in swept(IN_COMMIT[part::PARTS], 6, part)]
    made = [new_lake(lakes, "postgres") for _ in ends]
    tasks: list[dict[str, object]] = []
    gates: list[Gate] = []
    with contextlib.ExitStack() as stack:
        for (lake, _), end in zip(made, ends, strict=True):
            proxy = stack.enter_context(PostgresProxy(server))
            gates.append(stack.enter_context(proxy.held(end)))
            tasks.append(task(replace(lake, uri=proxy.uri(lake.database)), COMMIT))
        running = stack.enter_context(
            victim("concurrency.transacting", {"tasks": tasks}, made[0][0], tmp_path)
        )
        wait_for_all(running, len(tasks))
        go_on(running)
        for gate in gates:
            gate.wait()
            assert gate.has_come
        kill(running)

    assert sum(end.is_last for end in ends) == (IN_COMMIT[-1] in [end.number for end in ends])
    for (lake, content), end in zip(made, ends, strict=True):
        wait_for_the_server(server, lake)
        # The server may get the message that was held.
        is_whole(spark, lake, register(lake), content, may_be_done=end.is_last)
