"""CALL undo_commit, and rollback_to_snapshot of a whole lake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.catalogdb import read_catalog
from support.histories import HISTORIES, State, state
from support.invariants import Scope, check
from support.lakes import CATALOG_KINDS, IN_FILES, Lake, LakeFactory
from support.peer import Peer, committed_by_peers, made
from support.shape import shape
from support.sweep import FULL, swept

Register = Callable[..., str]


def undone(lake: Lake) -> list[str]:
    """The histories that are looked at: one in six for each kind of catalog database."""
    return swept(list(HISTORIES), 6, 2 * CATALOG_KINDS.index(lake.kind) + 1)


def test_a_commit_is_taken_back_and_so_is_that(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """After each step it is undone, and the undoing is undone in turn."""
    Peer(lake).close()
    catalog = register(lake)
    place = lake.data_path.parent / "given"
    place.mkdir()
    faults: list[str] = []
    for table in undone(lake):
        known: dict[int, State | None] = {}
        for step in HISTORIES[table]:
            with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
                before = peer.head()
                peer.run(step.format(t=table, place=place))
                done = peer.head()
                known |= {at: state(peer, table, at) for at in (before, done)}
            if done == before:
                continue
            back = undo(spark, catalog, done)
            again = undo(spark, catalog, back) if back > done else done
            known = {back: known[before], again: known[done], **known}
            with Peer(lake) as peer:
                found = {at: state(peer, table, at) for at in known if at >= before}
            faults += different(step, found, known)
        with Peer(lake) as peer:
            faults += different(table, {at: state(peer, table, at) for at in known}, known)
    assert "\n".join(faults) == ""


def undo(spark: SparkSession, catalog: str, snapshot: int) -> int:
    """Undo a commit; the new snapshot, or the same when nothing had to change."""
    changed = rows(spark, f"CALL {catalog}.system.undo_commit({snapshot})")
    return changed[0][2] if changed else snapshot


def different(
    what: str, found: dict[int, State | None], known: dict[int, State | None]
) -> list[str]:
    """Where a table is not what it should be."""
    return [
        f"{what}: {at} is {now}, not {known[at]}" for at, now in found.items() if now != known[at]
    ]


LAKE = (
    "CREATE TABLE a (i INT); INSERT INTO a SELECT i FROM range(30) r(i); CREATE SCHEMA s",
    "CREATE TABLE s.b AS SELECT 1 AS x, 'one' AS y",
    "CREATE VIEW v AS SELECT i FROM a",
    "INSERT INTO a VALUES (100), (101); ALTER TABLE s.b SET PARTITIONED BY (x); "
    "ALTER TABLE s.b SET SORTED BY (y DESC); COMMENT ON COLUMN s.b.y IS 'text'",
    "ALTER TABLE s.b RENAME TO c",
    "COMMENT ON VIEW v IS 'all'",
    "CREATE OR REPLACE VIEW v AS SELECT i + 1 AS j FROM a",
    "ALTER TABLE a RENAME TO z",
    "CREATE TABLE a (other VARCHAR); INSERT INTO a VALUES ('o')",
    "DROP TABLE s.c",
    "CREATE SCHEMA n",
    "CREATE TABLE n.t AS SELECT 5 AS k",
    "CREATE VIEW n.w AS SELECT k FROM n.t",
    "DELETE FROM z WHERE i > 20",
    "DROP VIEW v",
    "DROP SCHEMA n CASCADE",
    "CREATE SCHEMA n; CREATE TABLE n.t AS SELECT 'again' AS z",
)
"""What happens to a lake, a commit each."""


def whole(lake: Lake, version: int) -> dict[str, Any]:
    """The relations of a lake at a snapshot with rows and row ids, comments and shapes."""
    found: dict[str, Any] = {}
    with Peer(lake, f"SNAPSHOT_VERSION {version}") as peer:
        for schema, table, comment in peer.rows(
            "SELECT schema_name, table_name, comment FROM duckdb_tables() "
            "WHERE database_name = 'lake'"
        ):
            content = peer.rows(f'SELECT rowid, * FROM lake."{schema}"."{table}"')
            beside = (comment, shape(peer, table, version, schema))
            found[f"{schema}.{table}"] = (*beside, Counter(content))
        for schema, view, comment, sql in peer.rows(
            "SELECT schema_name, view_name, comment, sql FROM duckdb_views() "
            "WHERE database_name = 'lake'"
        ):
            found[f"view {schema}.{view}"] = (comment, sql)
        found["schemas"] = sorted(
            peer.rows("SELECT schema_name FROM duckdb_schemas() WHERE database_name = 'lake'")
        )
    return found


@pytest.mark.parametrize("turn", range(2, len(LAKE)) if FULL else (0,))
def test_a_lake_becomes_what_it_was(
    spark: SparkSession, lake: Lake, register: Register, turn: int
) -> None:
    past = turn or (2, 9, 14)[CATALOG_KINDS.index(lake.kind)]
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        for step in LAKE:
            peer.run(f"BEGIN; {step}; COMMIT")
        head = peer.head()
    known = {at: whole(lake, at) for at in {past, head, *swept(range(1, head + 1), 6)}}
    catalog = register(lake)

    changed = rows(spark, f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => {past})")

    assert {snapshot for _, _, snapshot in changed} == {head + 1}
    assert whole(lake, head + 1) == known[past]
    assert {at: whole(lake, at) for at in known} == known
    assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []
    call = f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => {head})"
    rows(spark, call)
    assert whole(lake, head + 2) == known[head]
    with Peer(lake) as peer:
        assert peer.head() == head + 2
    assert rows(spark, call) == []


@pytest.mark.damages("expires a snapshot")
def test_what_cannot_be_undone_is_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT)",
        "CREATE TABLE u (a INT)",
        "INSERT INTO t VALUES (1)",
        "CREATE VIEW v AS SELECT 1 AS b",
        "INSERT INTO u VALUES (1)",
        "INSERT INTO t VALUES (2)",
        "ALTER TABLE u RENAME TO w",
        "DROP TABLE t",
        "CREATE VIEW t AS SELECT 2 AS c",
        "CREATE MACRO m() AS 3",
        "CALL ducklake_expire_snapshots('lake', versions => [1])",
    )
    catalog = register(lake)
    before = read_catalog(lake)
    invalid, unknown = "DUCKLAKE_INVALID_ARGUMENT", "DUCKLAKE_NO_SUCH_SNAPSHOT"
    undo = f"CALL {catalog}.system.undo_commit"
    back = f"CALL {catalog}.system.rollback_to_snapshot"

    refused(spark, f"{undo}(0)", invalid, "created the lake")
    refused(spark, f"{undo}(1)", unknown, "1")
    refused(spark, f"{undo}(2)", unknown, "1")
    refused(spark, f"{undo}(77)", unknown, "77")
    refused(spark, f"{undo}(CAST(NULL AS BIGINT))", invalid, "NULL")
    refused(spark, f"{undo}(3)", invalid, "main.t", "snapshot 6")
    refused(spark, f"{undo}(4)", invalid, "created_view")
    refused(spark, f"{undo}(5)", invalid, "main.u", "main.w")
    refused(spark, f"{undo}(8)", invalid, "main.t", "another relation")
    refused(spark, f"{back}(schema => 'main', snapshot_version => 3)", invalid, "table_name")
    refused(spark, f"{back}(snapshot_version => 7)", invalid, "macro")
    refused(spark, f"{back}()", invalid, "snapshot_version")
    assert read_catalog(lake) == before
    assert rows(spark, f"{undo}(7)") == [("main", "u", 11)]


def test_a_commit_that_changed_no_table_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """A commit of properties of a schema has no entry in `changes_made`."""
    lake = lakes.new("sqlite")
    made(lake, "CREATE SCHEMA s")
    catalog = register(lake)
    spark.sql(f"ALTER SCHEMA {catalog}.s SET DBPROPERTIES ('k' = 'v')")
    before = read_catalog(lake)

    undo = f"CALL {catalog}.system.undo_commit(2)"
    refused(spark, undo, "DUCKLAKE_INVALID_ARGUMENT", "snapshot 2", "changed no table")

    assert read_catalog(lake) == before


def test_commits_on_tables_of_schemas_in_schemas_are_taken_back(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    newer = IN_FILES | {"ducklake-version": "1.1", "data-path": lake.data_address}
    catalog = register(lake, newer)
    for statement in (
        "CREATE SCHEMA {c}.a",
        "CREATE SCHEMA {c}.a.b",
        "CREATE TABLE {c}.a.b.t (x INT)",
        "ALTER TABLE {c}.a.b.t RENAME TO a.b.u",
    ):
        spark.sql(statement.format(c=catalog))

    assert undo(spark, catalog, 4) == 5
    assert [row[1] for row in rows(spark, f"SHOW TABLES IN {catalog}.a.b")] == ["t"]
    assert undo(spark, catalog, 5) == 6
    assert undo(spark, catalog, 6) == 7
    assert undo(spark, catalog, 7) == 8
    assert [row[1] for row in rows(spark, f"SHOW TABLES IN {catalog}.a.b")] == ["u"]
