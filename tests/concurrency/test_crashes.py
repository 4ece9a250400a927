"""A commit that breaks off at any step leaves the lake as before or as after."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from concurrency.meanings import STATEMENTS, Content, at_first, names
from support.catalogdb import read_catalog
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.proxy import Cut, PostgresProxy, begins_a_commit, commits
from support.sweep import FULL, swept

Register = Callable[..., str]

IMPATIENT = {"retry.max-count": "1", "retry.wait-ms": "1"}
STEP = 1 if FULL else 9


def first(name: str) -> int:
    """The first cut: not the same for all, so that together they meet each step."""
    return list(STATEMENTS).index(name) % STEP


@dataclass
class Scene:
    """A lake on PostgreSQL that Spark reaches through the proxy, and DuckDB directly.

    `expected` is its content as the statements so far mean it.
    """

    spark: SparkSession
    lake: Lake
    peer: Peer
    catalog: str
    proxy: PostgresProxy
    expected: Content

    def known(self, number: int, catalog: str = "lake") -> dict[str, object]:
        """What stands in statements for names; their folder is beside the data of the lake."""
        return names(number, self.lake.data_path.parent, catalog)

    def prepare(self, name: str, number: int) -> None:
        """Make work for a statement that finds none by itself."""
        statement = STATEMENTS[name]
        self.peer.run(*(sql.format(**self.known(number)) for sql in statement.preparation))
        self.expected = statement.prepared(self.expected, number)

    def run(self, name: str, number: int) -> str:
        """Run a statement, or a transaction; `done`, or the condition of its error."""
        known = self.known(number, self.catalog)
        sql = STATEMENTS[name].sql.format(head=self.peer.head(), **known)
        try:
            for statement in sql.split(";"):
                self.spark.sql(statement).collect()
        except PySparkException as error:
            return error.getCondition() or str(error)
        return "done"

    def expect(self, name: str, number: int) -> None:
        """From here on the statement is committed."""
        self.expected = STATEMENTS[name].meaning(self.expected, number)

    def has_the_expected_content(self) -> bool:
        """Whether DuckDB reads what is expected."""
        tables = [name for (name,) in self.peer.rows("SELECT table_name FROM duckdb_tables()")]
        found = {name: sorted(self.peer.rows(f"SELECT * FROM {name}")) for name in tables}
        assert found == self.expected
        return True

    def files(self) -> set[Path]:
        """All that lies below the data path."""
        return set(self.lake.data_path.rglob("*.*"))

    def is_in_order(self, *, without_orphans: bool) -> bool:
        """Whether all invariants hold."""
        scope = Scope(
            frozenset(committed_by_peers[self.lake.uri]), is_free_of_orphans=without_orphans
        )
        complaints = check(self.lake, scope)
        assert complaints == []
        return True


@pytest.fixture
def scene(
    spark: SparkSession, lakes: LakeFactory, proxy: PostgresProxy, register: Register
) -> Iterator[Scene]:
    """A table with a file and inlined rows."""
    lake = lakes.new("postgres")
    making, content = at_first()
    with Peer(lake) as peer:
        peer.run(*making)
        through = replace(lake, uri=proxy.uri(lake.database))
        yield Scene(spark, lake, peer, register(through, IMPATIENT), proxy, content)


@pytest.mark.parametrize("name", swept(list(STATEMENTS), 2))
def test_a_commit_that_is_cut_off_leaves_the_lake_as_before(scene: Scene, name: str) -> None:
    number, cuts, keeps_files = first(name), 0, False
    while True:
        scene.prepare(name, number)
        before, files = read_catalog(scene.lake), scene.files()
        with scene.proxy.cutting(Cut(begins_a_commit, number)) as cut:
            ended = scene.run(name, number)
        if not cut.happened:
            break
        cuts += 1
        is_unknown = "UNKNOWN" in ended
        keeps_files = keeps_files or is_unknown
        assert ended.startswith("DUCKLAKE_"), ended
        assert read_catalog(scene.lake) == before, f"cut at statement {number}: {ended}"
        assert scene.files() == files or is_unknown
        assert scene.has_the_expected_content()
        number += 1 if is_unknown else STEP

    assert cuts * STEP > 6
    assert ended == "done"
    assert bool(scene.files() - files) == STATEMENTS[name].makes_files
    scene.expect(name, number)
    assert scene.has_the_expected_content()
    assert scene.is_in_order(without_orphans=not keeps_files)


@pytest.mark.parametrize("name", swept(list(STATEMENTS), 2, 1))
def test_a_connection_that_comes_back_commits_once(scene: Scene, name: str) -> None:
    number = first(name)
    while True:
        scene.prepare(name, number)
        before = scene.peer.head()
        with scene.proxy.cutting(Cut(begins_a_commit, number, is_final=False)) as cut:
            ended = scene.run(name, number)
        assert (ended, scene.peer.head()) == ("done", before + 1), f"cut at statement {number}"
        scene.expect(name, number)
        assert scene.has_the_expected_content()
        if not cut.happened:
            break
        number += STEP

    assert scene.is_in_order(without_orphans=True)


def endings() -> list[tuple[str, bool]]:
    """Each statement, with a connection that stays lost or comes back; in full runs with both."""
    return [
        (name, is_final)
        for number, name in enumerate(STATEMENTS)
        for is_final in (True, False)
        if FULL or is_final == (number % 2 == 0)
    ]


@pytest.mark.parametrize(("name", "is_final"), endings())
def test_a_lost_answer_to_commit_is_looked_up(scene: Scene, name: str, is_final: bool) -> None:
    scene.prepare(name, 0)
    before = scene.peer.head()

    with scene.proxy.cutting(Cut(commits, 0, is_run=True, is_final=is_final)) as cut:
        ended = scene.run(name, 0)

    assert cut.happened
    assert ended == ("DUCKLAKE_COMMIT_OUTCOME_UNKNOWN" if is_final else "done")
    assert scene.peer.head() == before + 1
    scene.expect(name, 0)
    assert scene.has_the_expected_content()
    assert scene.is_in_order(without_orphans=True)


@pytest.mark.parametrize("name", [name for name in STATEMENTS if "transaction" in name])
def test_a_transaction_is_told_truly_which_answer_is_lost(scene: Scene, name: str) -> None:
    """The server runs the statement, and the client does not hear of it."""
    number, last = first(name), ""
    while True:
        scene.prepare(name, number)
        before, head = read_catalog(scene.lake), scene.peer.head()
        with scene.proxy.cutting(Cut(begins_a_commit, number, is_run=True)) as cut:
            ended = scene.run(name, number)
        if not cut.happened:
            break
        last = ended  # in a full run of COMMIT at the end
        assert ended.startswith("DUCKLAKE_"), ended
        if scene.peer.head() == head:
            assert read_catalog(scene.lake) == before, f"cut at statement {number}: {ended}"
        else:
            assert (ended, scene.peer.head()) == ("DUCKLAKE_COMMIT_OUTCOME_UNKNOWN", head + 1)
            scene.expect(name, number)
        assert scene.has_the_expected_content()
        number += STEP

    assert ended == "done"
    assert last == "DUCKLAKE_COMMIT_OUTCOME_UNKNOWN" or not FULL
    scene.expect(name, number)
    assert scene.has_the_expected_content()


def test_a_transaction_whose_answer_is_lost_says_what_to_do(scene: Scene) -> None:
    system = f"{scene.catalog}.system"
    scene.spark.sql(f"CALL {system}.begin_transaction()").collect()
    scene.spark.sql(f"INSERT INTO {scene.catalog}.main.t VALUES (5000000, 5)").collect()

    with (
        scene.proxy.cutting(Cut(commits, 0, is_run=True)) as cut,
        pytest.raises(PySparkException, match="before you run the transaction again") as raised,
    ):
        scene.spark.sql(f"CALL {system}.commit_transaction()").collect()

    assert cut.happened
    assert raised.value.getCondition() == "DUCKLAKE_COMMIT_OUTCOME_UNKNOWN"
    assert scene.peer.rows("SELECT b FROM t WHERE a = 5000000") == [(5,)]
    assert scene.is_in_order(without_orphans=True)


def test_what_is_cached_is_read_again_after_an_unknown_outcome(scene: Scene) -> None:
    table = f"{scene.catalog}.main.t"
    cached = scene.spark.table(table).cache()
    before = cached.count()
    try:
        with (
            scene.proxy.cutting(Cut(commits, 0, is_run=True)) as cut,
            pytest.raises(PySparkException) as raised,
        ):
            scene.spark.sql(f"INSERT INTO {table} VALUES (5000000, 5)").collect()

        assert cut.happened
        assert raised.value.getCondition() == "DUCKLAKE_COMMIT_OUTCOME_UNKNOWN"
        assert scene.peer.rows("SELECT b FROM t WHERE a = 5000000") == [(5,)]
        assert scene.spark.table(table).count() == before + 1
    finally:
        cached.unpersist()


def test_an_option_whose_answer_is_lost_is_set_again_or_it_is_told(scene: Scene) -> None:
    option = f"CALL {scene.catalog}.system.set_option('target_file_size', '1MB')"

    with (
        scene.proxy.cutting(Cut(commits, 0, is_run=True)) as final,
        pytest.raises(PySparkException, match=r"may be done or not\. Run it again") as raised,
    ):
        scene.spark.sql(option).collect()
    with scene.proxy.cutting(Cut(commits, 0, is_run=True, is_final=False)) as passing:
        scene.spark.sql(option).collect()

    assert final.happened and passing.happened
    assert raised.value.getCondition() == "DUCKLAKE_COMMIT_OUTCOME_UNKNOWN"
    assert scene.peer.rows(
        "SELECT value FROM ducklake_options('lake') WHERE option_name = 'target_file_size'"
    ) == [("1000000",)]
