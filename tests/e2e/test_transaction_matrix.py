"""Each two kinds of statements in one transaction; DuckDB runs the same on a twin lake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from duckdb import CatalogException
from duckdb import sql as by_duckdb_alone
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from support.asking import rows
from support.feeds import by_duckdb, by_spark
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.sweep import swept
from support.transactionpairs import (
    ADDED_IDS,
    LIMIT,
    NEXT_ROW_ID,
    PAIRS,
    SETUP,
    Pair,
    renamed,
    view_of,
)
from support.transactions import in_order
from support.transactionstates import NetFeed, State, entries_of, state_at

Register = Callable[..., str]
Rows = list[tuple[Any, ...]]
Shown = dict[str, Rows | None]
"""Views by name: their rows, or None where there is no such view or its table is not there."""

COLUMN_CHANGES = ("add column", "drop column", "rename column", "widen")
LAYOUTS = ("sort order", "partition keys")
MADE = ("replace table", "create table", "create from a query")
OF_FEW_ROWS = ("insert few", "overwrite", "update few", "merge")
BEYOND_DUCKDB = {
    *(Pair(first, second) for first in OF_FEW_ROWS for second in LAYOUTS),
    *(Pair(first, "rename table") for first in (*COLUMN_CHANGES, *LAYOUTS, "comment")),
    *(Pair(first, "set option") for first in MADE),
}
"""On the twin each statement is a commit of its own: DuckDB refuses a new layout after inlined rows
of the same transaction and an option of a table that it made, and keeps the old name of a table
that is altered and renamed."""

WITHOUT_EFFECT = {
    Pair("add column", "drop column"),
    Pair("partition keys", "partition keys"),
    Pair("create table", "drop table"),
    Pair("create from a query", "drop table"),
    Pair("set option", "set option"),
}
"""They come to nothing, or options alone, so there is no snapshot; DuckDB makes one for the column
and the keys."""

PARTS = 6


@dataclass(frozen=True)
class Played:
    """A pair that both engines have run.

    Attributes:
        names: what its tables may be called.
        ours: the snapshots before and after it in Spark's lake.
        theirs: those in DuckDB's.
        complaints: where Spark did not see in the transaction what DuckDB saw.
    """

    pair: Pair
    names: tuple[str, ...]
    ours: tuple[int, int]
    theirs: tuple[int, int]
    complaints: tuple[str, ...]


@dataclass(frozen=True)
class Left:
    """What DuckDB finds of a pair in both lakes, tables by name."""

    played: Played
    before: dict[str, State]
    after: dict[str, State]
    twin: dict[str, State]
    entries: list[str]
    entries_of_twin: list[str]
    views: Shown
    views_of_twin: Shown

    def definitions(self, entries: Sequence[str]) -> list[str]:
        """The changes of objects, without what DuckDB says of names and shapes in between."""
        made = [f'created_table:"main"."{name}"' for name in self.after]
        left = {state.table_id for state in self.after.values()}
        known = [
            f"altered_table:{state.name}"
            for state in self.before.values()
            if state.table_id in left
        ]
        others = ("dropped_table",)
        return [e for e in entries if e in (*made, *known) or e.startswith(others)]

    def feeds(self) -> Iterator[NetFeed]:
        """The feed of each table that is left, by its rows."""
        known = {state.table_id: state for state in self.before.values()}
        base, snapshot = self.played.ours
        if snapshot > base:
            for state in self.after.values():
                yield NetFeed.of(known.get(state.table_id), state, snapshot)


@pytest.mark.parametrize("part", range(PARTS))
def test_each_two_statements_are_one_commit(
    spark: SparkSession,
    lake: Lake,
    lakes: LakeFactory,
    kind: CatalogKind,
    register: Register,
    tmp_path: Path,
    part: int,
) -> None:
    pairs = swept(PAIRS[part::PARTS], 12, part)
    twin = lakes.new(kind)
    for each in (lake, twin):
        set_up(each, pairs)
    catalog = register(lake, {"data-inlining-row-limit": str(LIMIT)})

    with Peer(twin, f"DATA_INLINING_ROW_LIMIT {LIMIT}") as duckdb:
        played = [
            play(spark, catalog, duckdb, pair, f"t{number}", tmp_path)
            for number, pair in enumerate(pairs)
        ]
        with Peer(lake) as peer:
            left = [found(peer, duckdb, each) for each in played]

    complaints = [f"{one.played.pair}: {text}" for one in left for text in judged(one)]
    complaints += judged_feeds(spark, catalog, lake, left)
    complaints += judged_reads(spark, catalog, left)
    own = frozenset(committed_by_peers[lake.uri])
    complaints += check(lake, Scope(own, is_free_of_orphans=True, deep_bytes=4_000_000))
    assert complaints == []


def set_up(lake: Lake, pairs: Sequence[Pair]) -> None:
    """The tables of all pairs, and one from which others are made."""
    tables = [f"t{number}" for number, pair in enumerate(pairs) if pair.has_table]
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {LIMIT}") as peer:
        for statement in SETUP:
            peer.run("BEGIN", *(statement.format(t=name) for name in ("source", *tables)), "COMMIT")


def files_of(folder: Path, pair: Pair) -> list[str]:
    """For each of the two statements the file that it adds, if it adds one."""
    files = [str(folder / f"{number}.parquet") for number in (1, 2)]
    for file, kind in zip(files, (pair.first, pair.second), strict=True):
        if kind == "add files":
            folder.mkdir(parents=True, exist_ok=True)
            by_duckdb_alone(f"COPY (SELECT unnest({[*ADDED_IDS]})::INT AS id) TO '{file}'")
    return files


def play(
    spark: SparkSession, catalog: str, duckdb: Peer, pair: Pair, table: str, folder: Path
) -> Played:
    """Both engines run the pair, and see the same rows before the commit.

    A lake may add no file of another lake, so each engine has its own.
    """
    names = (table, renamed(table))
    own, others = (files_of(folder / engine / table, pair) for engine in ("spark", "duckdb"))
    ours = pair.texts(table, own, catalog, are_duckdbs=False)
    theirs = pair.texts(table, others, are_duckdbs=True)
    is_one = pair not in BEYOND_DUCKDB
    their_base = duckdb.head()
    ((base,),) = rows(spark, f"CALL {catalog}.system.begin_transaction()")
    duckdb.run(*(["BEGIN"] if is_one else []))
    for number, (text,) in enumerate(ours):
        spark.sql(text).collect()
        duckdb.run(*theirs[number])
    seen = {
        name: (
            in_order(rows(spark, f"SELECT * FROM {catalog}.{name}")),
            in_order(duckdb.rows(f"SELECT * FROM {name}")),
        )
        for name in tables_of(duckdb, names)
    }
    duckdb.run(*(["COMMIT"] if is_one else []))
    ((snapshot,),) = rows(spark, f"CALL {catalog}.system.commit_transaction()")
    assert snapshot in (None, base + 1), pair
    return Played(
        pair,
        names,
        (base, snapshot or base),
        (their_base, duckdb.head()),
        tuple(
            f"Spark sees {ours}, not {theirs}" for ours, theirs in seen.values() if ours != theirs
        ),
    )


def tables_of(duckdb: Peer, names: Sequence[str]) -> list[str]:
    """Those of the names that are tables now, in DuckDB's transaction."""
    known = duckdb.rows("SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake'")
    return [name for name in names if (name,) in known]


def found(peer: Peer, duckdb: Peer, played: Played) -> Left:
    """What both lakes have of a pair."""
    base, made = played.ours
    their_base, their_last = played.theirs
    return Left(
        played,
        state_at(peer, played.names, base),
        state_at(peer, played.names, made),
        state_at(duckdb, played.names, their_last),
        sorted({entry for id in range(base + 1, made + 1) for entry in entries_of(peer, id)}),
        sorted({e for id in range(their_base + 1, their_last + 1) for e in entries_of(duckdb, id)}),
        shown(peer.rows, played.names),
        shown(duckdb.rows, played.names),
    )


def shown(ask: Callable[[str], Rows], tables: Sequence[str], catalog: str = "") -> Shown:
    """What the views of tables show."""
    views: Shown = {}
    for view in map(view_of, tables):
        try:
            views[view] = in_order(ask(f"SELECT * FROM {catalog}{view}"))
        except (CatalogException, AnalysisException) as missing:
            assert "does not exist" in str(missing) or "NOT_FOUND" in str(missing)
            views[view] = None
    return views


def judged(left: Left) -> Iterator[str]:
    """Where the lake is not what DuckDB's is."""
    yield from left.played.complaints
    if left.views != left.views_of_twin:
        yield f"views show {left.views}, not {left.views_of_twin}"
    known = {state.table_id: state for state in left.before.values()}
    if [*left.after] != [*left.twin]:
        yield f"tables are {[*left.after]}, not {[*left.twin]}"
        return
    for name, ours in left.after.items():
        theirs, before = left.twin[name], known.get(ours.table_id)
        if ours.options != theirs.options:
            yield f"options are {ours.options}, not {theirs.options}"
        if ours.columns != theirs.columns:
            yield f"columns are {ours.columns}, not {theirs.columns}"
            continue
        if (rows := in_order(ours.values())) != in_order(theirs.values()):
            yield f"rows are {rows}, not {in_order(theirs.values())}"
        old = before.rows.keys() if before else frozenset[int]()
        if (kept := ours.of(old)) != theirs.of(old):
            yield f"kept rows are {kept}, not {theirs.of(old)}"
        first = NEXT_ROW_ID if before else 0
        new = sorted(ours.rows.keys() - old)
        if new != [*range(first, first + len(new))]:
            yield f"new row ids are {new}"
    base, made = left.played.ours
    if left.played.pair in WITHOUT_EFFECT:
        if made > base:
            yield f"there is a snapshot with {left.entries}"
    elif made == base:
        yield "there is no snapshot"
    elif left.definitions(left.entries) != left.definitions(left.entries_of_twin):
        yield f"changes are {left.entries}, not {left.entries_of_twin}"


def judged_feeds(
    spark: SparkSession, catalog: str, lake: Lake, left: Sequence[Left]
) -> Iterator[str]:
    """Where a feed is not what the rows before and after say."""
    expected = {net.feed: (one.played.pair, net) for one in left for net in one.feeds()}
    theirs, ours = by_duckdb(lake, expected), by_spark(spark, catalog, list(expected))
    for feed, (pair, net) in expected.items():
        for engine, told in (("DuckDB", net.lived(theirs[feed])), ("Spark", ours[feed])):
            if told != net.lines:
                yield f"{pair}: the feed of {engine} is {told}, not {net.lines}"


def judged_reads(spark: SparkSession, catalog: str, left: Sequence[Left]) -> Iterator[str]:
    """Where Spark does not read what DuckDB reads, or where counts and bounds are not true."""
    for one in left:
        views = shown(lambda query: rows(spark, query), one.played.names, f"{catalog}.main.")
        if views != one.views:
            yield f"{one.played.pair}: Spark's views show {views}, not {one.views}"
        for name, state in one.after.items():
            read = rows(spark, f"SELECT rowid, * FROM {catalog}.{name}")
            if in_order(read) != in_order([(id, *row) for id, row in state.listed()]):
                yield f"{one.played.pair}: Spark reads {read}"
            ids = [row["id"] for row in state.rows.values()]
            wanted = (len(ids), min(ids, default=None), max(ids, default=None))
            told = rows(spark, f"SELECT count(*), min(id), max(id) FROM {catalog}.{name}")
            if told != [wanted]:
                yield f"{one.played.pair}: Spark counts {told}, not {wanted}"
