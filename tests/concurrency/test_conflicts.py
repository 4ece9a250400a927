"""Each pair of the conflict matrix: another commits between a statement's base and its commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from concurrency.pairs import CREATE_VIEW, MINE, SETUP, THEIRS, TRUNCATE, Mine, Rows, Theirs, orders
from support.feeds import Feed, by_duckdb, by_spark, by_time_travel, differences
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.lines import MADE_VIEWS, since
from support.peer import Peer, committed_by_peers
from support.postgres import PostgresServer
from support.proxy import (
    Gate,
    PostgresProxy,
    begins_a_commit,
    inserts_an_option,
    inserts_the_snapshot,
)
from support.sweep import FULL

Run = Callable[[], object]
WAITING = (
    "SELECT count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation "
    "WHERE NOT granted AND relname = 'ducklake_schema'"
)
"""How many sessions wait for their turn."""


@dataclass(frozen=True)
class Stage:
    """One lake on PostgreSQL for all pairs, DuckDB attached to it, Spark through the proxy."""

    lake: Lake
    peer: Peer
    proxy: PostgresProxy
    through: str = "through_proxy"
    direct: str = "direct"
    feeds: list[Feed] = field(default_factory=list)
    repeating: list[Feed] = field(default_factory=list)

    def rows(self, spark: SparkSession, table: str) -> Rows:
        """What both engines find in a table; they must agree."""
        query = f"SELECT a, b FROM {{}}.main.{table} ORDER BY ALL"
        found: Rows = [(row[0], row[1]) for row in self.peer.rows(query.format("lake"))]
        by_spark = spark.sql(query.format(self.direct)).collect()
        assert [(row[0], row[1]) for row in by_spark] == found
        return found

    def set_up(self, mine: Mine | None = None) -> int:
        """Tables for a pair; the number in their names."""
        number = self.peer.head()
        self.by_duckdb(SETUP, number)
        if mine and mine.preparation:
            self.by_duckdb(mine.preparation, number)
        return number

    def by_duckdb(self, sql: str, number: int) -> None:
        """Statements of DuckDB."""
        self.peer.run(*statement(sql, "lake", number).split(";"))


@pytest.fixture(scope="module")
def stage(lakes: LakeFactory, proxy: PostgresProxy, spark: SparkSession) -> Iterator[Stage]:
    """The stage of this module."""
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        made = Stage(lake, peer, proxy)
        through = replace(lake, uri=proxy.uri(lake.database))
        for catalog, each in ((made.through, through), (made.direct, lake)):
            for key, value in each.spark_settings(catalog).items():
                spark.conf.set(key, value)
        yield made


def statement(sql: str, catalog: str, number: int) -> str:
    """The text for a catalog and a pair."""
    return sql.replace("{c}", catalog).replace("{n}", str(number))


def outcome(spark: SparkSession, sql: str) -> str:
    """How a statement of Spark ended: `committed`, or the condition of its error."""
    try:
        spark.sql(sql).collect()
    except PySparkException as error:
        return error.getCondition() or str(error)
    return "committed"


def between(gate: Gate, run: Callable[[], str], others: Run) -> str:
    """Runs a statement, and the others' when it has come to the gate."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        others()
        gate.open()
        ended = running.result(timeout=120)
    assert gate.has_come, f"{ended} before it came to the gate"
    return ended


def pairs(engine: str) -> list[Any]:
    """All pairs in full runs; else every eleventh, so that each side meets others."""
    every = 1 if FULL else 11
    chosen = [
        pytest.param(mine, theirs, marks=[since(MADE_VIEWS)] if mine is CREATE_VIEW else [])
        for row, mine in enumerate(MINE)
        for column, theirs in enumerate(THEIRS)
        if (row + column) % every == 0 and (engine == "duckdb" or theirs.spark)
    ]
    return chosen


def names(value: object) -> str:
    return getattr(value, "name", "")


def ended(
    spark: SparkSession,
    stage: Stage,
    mine: Mine,
    number: int,
    they: Run,
    *,
    take_turns: bool = True,
) -> str:
    """How a statement ends when others commit after its base.

    Those who take no turns (DuckDB) also commit while it has read the newest snapshot and has not
    inserted its own.
    """
    is_late = not take_turns and number % 2 == 0
    with stage.proxy.held(inserts_the_snapshot if is_late else begins_a_commit) as gate:
        sql = statement(mine.sql, stage.through, number)
        return between(gate, lambda: outcome(spark, sql), they)


def expected(mine: Mine, theirs: Theirs) -> str:
    """What the matrix says."""
    return "DUCKLAKE_COMMIT_CONFLICT" if theirs.name in mine.clashes else "committed"


def judge(
    spark: SparkSession, stage: Stage, pair: tuple[Mine, Theirs], number: int, end: str
) -> None:
    """The rows are those of one order of the two; of a statement that was refused, the other's."""
    mine, theirs = pair
    if mine.effect is None or theirs.name == "drop":
        return
    is_renamed = theirs.name == "rename"
    table = f"r{number}" if is_renamed else f"t{number}"
    right = orders(replace(mine, effect=None) if end != "committed" else mine, theirs)
    assert stage.rows(spark, table) in right
    head = stage.peer.head()
    snapshots = range(head if is_renamed else number + 1, head + 1)
    known = stage.repeating if repeats(mine, theirs) else stage.feeds
    if theirs.name not in ("rewrite", "rename") or known is stage.feeds:
        known.extend(Feed("changes", table, at, at) for at in snapshots)


def repeats(mine: Mine, theirs: Theirs) -> bool:
    """Whether DuckDB's feed shows an inlined delete twice.

    It does where a file has had two delete files, and where TRUNCATE ends the file.
    """
    is_ended = mine is TRUNCATE and theirs.name == "inlined delete of file rows"
    return bool(mine.preparation) or is_ended


def test_commits_of_spark_take_turns_and_duckdb_does_not_wait(
    spark: SparkSession, stage: Stage, server: PostgresServer
) -> None:
    number = stage.set_up()
    insert = "INSERT INTO {c}.main.t{n} VALUES (-1, -1)"
    with ThreadPoolExecutor(2) as pool, stage.proxy.held(inserts_the_snapshot) as gate:
        first = pool.submit(outcome, spark, statement(insert, stage.through, number))
        gate.wait()
        second = pool.submit(outcome, spark, statement(insert, stage.direct, number))
        server.wait_for(stage.lake.database, WAITING, "1")
        stage.by_duckdb("INSERT INTO {c}.main.t{n} VALUES (-2, -2)", number)
        gate.open()
        assert [end.result(timeout=120) for end in (first, second)] == ["committed", "committed"]

    found = stage.peer.rows(f"SELECT count(*) FROM lake.main.t{number} WHERE a < 0")
    assert found == [(3,)]


def test_sessions_that_set_one_option_take_turns(
    spark: SparkSession, stage: Stage, server: PostgresServer
) -> None:
    """No key keeps two rows out. The second round finds the option set already."""
    number = stage.set_up()
    stored = (
        "SELECT value FROM __ducklake_metadata_lake.ducklake_metadata"
        " WHERE key = 'target_file_size' AND scope = 'table'"
    )
    call = "CALL {c}.system.set_option('target_file_size', '{size}', table_name => 't{n}')"
    for mine, theirs in (("5MB", "6MB"), ("7MB", "8MB")):
        with ThreadPoolExecutor(2) as pool, stage.proxy.held(inserts_an_option) as gate:
            sql = statement(call.replace("{size}", mine), stage.through, number)
            first = pool.submit(outcome, spark, sql)
            gate.wait()
            sql = statement(call.replace("{size}", theirs), stage.direct, number)
            second = pool.submit(outcome, spark, sql)
            server.wait_for(stage.lake.database, WAITING, "1")
            gate.open()
            assert [end.result(timeout=120) for end in (first, second)] == ["committed"] * 2
        assert stage.peer.rows(stored) == [(f"{theirs[0]}000000",)]


@pytest.mark.parametrize(("mine", "theirs"), pairs("duckdb"), ids=names)
def test_a_pair_of_spark_and_duckdb_ends_as_the_matrix_says(
    spark: SparkSession, stage: Stage, mine: Mine, theirs: Theirs
) -> None:
    number = stage.set_up(mine)

    def they() -> object:
        return stage.by_duckdb(theirs.duckdb, number)

    end = ended(spark, stage, mine, number, they, take_turns=False)

    assert end == expected(mine, theirs)
    judge(spark, stage, (mine, theirs), number, end)


@pytest.mark.parametrize(("mine", "theirs"), pairs("spark"), ids=names)
def test_a_pair_of_sparks_ends_as_the_matrix_says(
    spark: SparkSession, stage: Stage, mine: Mine, theirs: Theirs
) -> None:
    number = stage.set_up(mine)
    other = statement(theirs.spark or "", stage.direct, number)

    end = ended(spark, stage, mine, number, lambda: outcome(spark, other))

    assert end == expected(mine, theirs)
    judge(spark, stage, (mine, theirs), number, end)


@pytest.mark.parametrize(
    ("theirs", "end", "live"),
    [
        (
            "ALTER SCHEMA {c}.s{n} SET DBPROPERTIES ('k' = 'theirs')",
            "DUCKLAKE_COMMIT_CONFLICT",
            [("theirs",)],
        ),
        ("DROP SCHEMA {c}.s{n}", "DUCKLAKE_COMMIT_CONFLICT", []),
        ("DROP TABLE {c}.main.t{n}", "committed", [("mine",)]),
    ],
)
def test_properties_of_a_schema_change_one_after_another(
    spark: SparkSession, stage: Stage, theirs: str, end: str, live: list[tuple[str]]
) -> None:
    """No change text names them."""
    number = stage.set_up()
    mine = Mine("", "ALTER SCHEMA {c}.s{n} SET DBPROPERTIES ('k' = 'mine')", frozenset())
    other = statement(theirs, stage.direct, number)

    assert ended(spark, stage, mine, number, lambda: outcome(spark, other)) == end

    found = stage.peer.rows(
        "SELECT value FROM __ducklake_metadata_lake.ducklake_tag JOIN"
        " __ducklake_metadata_lake.ducklake_schema s ON object_id = schema_id"
        f" WHERE schema_name = 's{number}' AND ducklake_tag.end_snapshot IS NULL"
    )
    assert found == live


@pytest.mark.parametrize(
    ("mine", "theirs", "end", "left"),
    [
        ("DROP VIEW {c}.main.v{n}", "COMMENT ON VIEW {c}.main.v{n} IS 'x'", "committed", 0),
        (
            "ALTER VIEW {c}.main.v{n} SET TBLPROPERTIES ('k' = 'v')",
            "DROP VIEW {c}.main.v{n}",
            "DUCKLAKE_COMMIT_CONFLICT",
            0,
        ),
    ],
)
@since(MADE_VIEWS)
def test_a_view_is_dropped_beside_a_comment_and_not_altered_beside_its_drop(
    spark: SparkSession, stage: Stage, mine: str, theirs: str, end: str, left: int
) -> None:
    """DuckDB 1.5.5 commits both in either order, and leaves a comment on a view that is gone."""
    number = stage.set_up()
    stage.by_duckdb("CREATE VIEW {c}.main.v{n} AS SELECT 1 AS a", number)

    run = Mine("", mine, frozenset())
    assert (
        ended(spark, stage, run, number, lambda: stage.by_duckdb(theirs, number), take_turns=False)
        == end
    )

    for table, key, of in (("view", "view_id", ""), ("tag", "object_id", " AND key = 'comment'")):
        found = stage.peer.rows(
            f"SELECT count(*) FROM __ducklake_metadata_lake.ducklake_{table}"
            f" WHERE end_snapshot IS NULL{of} AND {key} IN (SELECT view_id FROM"
            f" __ducklake_metadata_lake.ducklake_view WHERE view_name = 'v{number}')"
        )
        assert found == [(left,)]


@pytest.mark.parametrize(
    "compaction",
    [
        "ducklake_merge_adjacent_files('lake', 'c')",
        "ducklake_rewrite_data_files('lake', 'c', delete_threshold => 0.1)",
    ],
)
def test_a_compaction_of_duckdb_brings_no_deleted_row_back(
    spark: SparkSession, lakes: LakeFactory, register: Callable[..., str], compaction: str
) -> None:
    lake = lakes.new("postgres")
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE c (i INTEGER)")
        for start in (0, 100, 200):
            peer.run(f"INSERT INTO c SELECT i FROM range({start}, {start + 100}) AS r(i)")
        peer.run("DELETE FROM c WHERE i BETWEEN 20 AND 60", "BEGIN", f"CALL {compaction}")

        spark.sql(f"DELETE FROM {catalog}.c WHERE i IN (3, 103, 203)").collect()

        with pytest.raises(duckdb.Error, match="another transaction has deleted from it"):
            peer.run("COMMIT")
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*) FROM c") == [(300 - 41 - 3,)]


@pytest.mark.parametrize(
    ("compaction", "files"),
    [
        ("merge_adjacent_files('c')", 3),
        ("rewrite_data_files('c', delete_threshold => 0.1)", 1),
    ],
)
def test_a_compaction_of_spark_loses_no_delete_of_duckdb(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Callable[..., str],
    compaction: str,
    files: int,
) -> None:
    """DuckDB itself would commit a delete that the catalog keeps, for a file that is gone."""
    lake = lakes.new("postgres")
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE c (i INTEGER)")
        for start in (0, 100, 200):
            peer.run(f"INSERT INTO c SELECT i FROM range({start}, {start + 100}) AS r(i)")
        if files == 1:
            peer.run("DELETE FROM c WHERE i BETWEEN 150 AND 199")
        peer.run("BEGIN", "DELETE FROM c WHERE i = 105")

        (done,) = spark.sql(f"CALL {catalog}.system.{compaction}").collect()

        assert (done.files_processed, done.files_created) == (files, 1)
        with pytest.raises(duckdb.Error, match="another transaction has inserted"):
            peer.run("COMMIT")
    with Peer(lake) as peer:
        peer.run("DELETE FROM c WHERE i = 105")
        left = 299 if files == 3 else 249
        assert peer.rows("SELECT count(*), count(*) FILTER (i = 105) FROM c") == [(left, 0)]
    assert spark.table(f"{catalog}.c").count() == left


def test_the_feeds_of_all_pairs_are_the_same_in_both_engines(
    spark: SparkSession, stage: Stage
) -> None:
    """Snapshot by snapshot: over a range DuckDB repeats deletes of earlier delete files.

    Where it repeats inlined deletes, too, the rows of each snapshot are the judge.
    """
    assert stage.feeds
    reported = by_duckdb(stage.lake, stage.feeds)
    assert differences(reported, by_spark(spark, stage.direct, stage.feeds)) == {}
    truth = {feed: by_time_travel(stage.lake, feed) for feed in stage.repeating}
    assert differences(truth, by_spark(spark, stage.direct, stage.repeating)) == {}


def test_the_lake_of_all_pairs_is_in_order(stage: Stage) -> None:
    by_duckdb = frozenset(committed_by_peers[stage.lake.uri])
    assert check(stage.lake, Scope(by_duckdb, is_free_of_orphans=True)) == []
