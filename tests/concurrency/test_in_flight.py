"""A transaction of DuckDB that began before Spark's commit: it is refused, or both hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.sweep import FULL

Register = Callable[..., str]

SETUP = (
    "CREATE TABLE t (a INT, b INT)",
    "INSERT INTO t SELECT i, 0 FROM range(100) r(i)",
    "INSERT INTO t SELECT i, 0 FROM range(100, 200) r(i)",
    "DELETE FROM t WHERE a BETWEEN 10 AND 30",
    "DELETE FROM t WHERE a IN (150, 151)",
    "INSERT INTO t SELECT i, 0 FROM range(300, 305) r(i)",
    "DELETE FROM t WHERE a = 304",
)
"""Two files, one with a delete file and one with deletes in the catalog; rows in the catalog."""

BY_DUCKDB = {
    "few rows": "INSERT INTO t VALUES (400, 1)",
    "many rows": "INSERT INTO t SELECT i, 1 FROM range(400, 450) r(i)",
    "few deletes by a delete file": "DELETE FROM t WHERE a IN (40, 41)",
    "few deletes": "DELETE FROM t WHERE a IN (140, 141)",
    "many deletes by a delete file": "DELETE FROM t WHERE a BETWEEN 40 AND 60",
    "many deletes": "DELETE FROM t WHERE a BETWEEN 140 AND 170",
    "deletes in the catalog": "DELETE FROM t WHERE a = 301",
    "deletes everywhere": "DELETE FROM t WHERE a IN (45, 145, 302)",
    "a small update": "UPDATE t SET b = 7 WHERE a IN (46, 146, 303)",
    "a large update": "UPDATE t SET b = 7 WHERE a BETWEEN 60 AND 120",
    "a truncate": "TRUNCATE t",
    "an insert and a delete": "INSERT INTO t VALUES (401, 1); DELETE FROM t WHERE a = 42",
    "a new column": "ALTER TABLE t ADD COLUMN c INT DEFAULT 5",
    "a wider type": "ALTER TABLE t ALTER b TYPE BIGINT",
    "another name": "ALTER TABLE t RENAME b TO z",
}
WITHOUT_ROWS = {
    "a merge of files": "CALL ducklake_merge_adjacent_files('lake')",
    "a rewrite of files": "CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.01)",
    "a layout": "ALTER TABLE t SET PARTITIONED BY (b)",
    "another table": "CREATE TABLE w (x INT)",
}
"""What changes no row. DuckDB's flush is not here: at its second try it spoils the table itself
(test_flush.py)."""

BY_SPARK = {
    "another table": ("CREATE TABLE {c}.u (i INT)", ""),
    "few rows": (
        "INSERT INTO {c}.t (a, b) VALUES (500, 9)",
        "INSERT INTO t (a, b) VALUES (500, 9)",
    ),
    "many rows": (
        "INSERT INTO {c}.t (a, b) SELECT CAST(id AS INT), 9 FROM range(500, 560)",
        "INSERT INTO t (a, b) SELECT i, 9 FROM range(500, 560) r(i)",
    ),
    "few deletes": ("DELETE FROM {c}.t WHERE a IN (80, 81)", "DELETE FROM t WHERE a IN (80, 81)"),
    "many deletes": (
        "DELETE FROM {c}.t WHERE a BETWEEN 70 AND 90",
        "DELETE FROM t WHERE a BETWEEN 70 AND 90",
    ),
    "an update": (
        "UPDATE {c}.t SET b = 3 WHERE a IN (82, 182, 300)",
        "UPDATE t SET b = 3 WHERE a IN (82, 182, 300)",
    ),
    "a flush": ("CALL {c}.system.flush_inlined_data('t')", ""),
    "a column": ("ALTER TABLE {c}.t ADD COLUMN n INT", "ALTER TABLE t ADD COLUMN n INT"),
    "the end of a file": ("DELETE FROM {c}.t WHERE a < 100", "DELETE FROM t WHERE a < 100"),
    "a rollback": (
        "CALL {c}.system.rollback_to_snapshot('t', snapshot_version => 3)",
        "DELETE FROM t; INSERT INTO t SELECT i, 0 FROM range(200) r(i)",
    ),
    "a merge of files": ("CALL {c}.system.merge_adjacent_files('t')", ""),
    "a rewrite of files": ("CALL {c}.system.rewrite_data_files('t', delete_threshold => 0)", ""),
    "an expiry": ("CALL {c}.system.expire_snapshots(older_than => now())", ""),
}
"""Statements of Spark, and the same for a plain table of DuckDB."""

_ALL = [(mine, other) for mine in {**BY_DUCKDB, **WITHOUT_ROWS} for other in BY_SPARK]
PAIRS = _ALL if FULL else _ALL[::16]


@pytest.mark.parametrize(("mine", "other"), PAIRS)
def test_what_both_have_committed_holds(
    spark: SparkSession, lakes: LakeFactory, register: Register, mine: str, other: str
) -> None:
    lake = lakes.new("postgres")
    catalog = register(lake)
    statements = {**BY_DUCKDB, **WITHOUT_ROWS}[mine].split("; ")
    by_spark, as_plain = BY_SPARK[other]
    with duckdb.connect() as plain:
        with Peer(lake) as peer:
            peer.run(*SETUP, "BEGIN", *statements)
            spark.sql(by_spark.format(c=catalog)).collect()
            is_refused = _refuses(peer)
        done = [] if is_refused or mine in WITHOUT_ROWS else statements
        for statement in (*SETUP, *filter(None, [as_plain]), *done):
            plain.execute(statement)
        _compare(spark, lake, catalog, plain)


def _refuses(peer: Peer) -> bool:
    try:
        peer.run("COMMIT")
    except duckdb.Error as error:
        assert "conflict" in str(error), error
        return True
    return False


def _compare(
    spark: SparkSession, lake: Lake, catalog: str, plain: duckdb.DuckDBPyConnection
) -> None:
    names = ", ".join(name for (name, *_) in plain.execute("DESCRIBE t").fetchall())
    right = plain.execute(f"SELECT {names} FROM t").fetchall()
    with Peer(lake) as reader:
        theirs = reader.rows(f"SELECT {names}, rowid FROM t")
        assert reader.value("SELECT count(*) FROM t") == len(right)
    assert Counter(row[:-1] for row in theirs) == Counter(right)
    assert Counter(rows(spark, f"SELECT {names}, rowid FROM {catalog}.t")) == Counter(theirs)
    assert rows(spark, f"SELECT count(*) FROM {catalog}.t") == [(len(right),)]
    assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []


SMALL, LARGE = range(70, 71), range(50, 81)
FLUSH = "CALL {c}.system.flush_inlined_data('d')"
IN_FLIGHT: dict[str, tuple[range, str, set[int]]] = {
    "few rows beside a delete file": (SMALL, "DELETE FROM {t} WHERE a < 15", {*range(15)}),
    "few of the same rows beside a delete file": (
        range(7, 8),
        "DELETE FROM {t} WHERE a < 15",
        {*range(15)},
    ),
    "few rows beside an update": (SMALL, "UPDATE {t} SET b = 1 WHERE a < 15", set()),
    "few rows beside a delete of a file": (
        range(170, 171),
        "DELETE FROM {t} WHERE a >= 100",
        {*range(100, 200)},
    ),
    "few rows beside a truncate": (range(170, 171), "TRUNCATE TABLE {t}", {*range(200)}),
    "many rows beside few": (LARGE, "DELETE FROM {t} WHERE a IN (3, 60)", {3, 60}),
    "many rows beside a small update": (LARGE, "UPDATE {t} SET b = 1 WHERE a IN (3, 60)", set()),
    "many rows beside a flush": (LARGE, FLUSH, set()),
    "few rows beside a flush": (SMALL, FLUSH, set()),
}
"""The rows that DuckDB deletes, what Spark does meanwhile, and the rows that go by it."""


@pytest.mark.parametrize("name", IN_FLIGHT)
def test_a_delete_of_duckdb_in_flight_undoes_none_of_spark(
    spark: SparkSession, lakes: LakeFactory, register: Register, name: str
) -> None:
    """DuckDB looks only at what a commit records; by itself it sees half of these."""
    deleted, sql, gone = IN_FLIGHT[name]
    deletion = f"DELETE FROM d WHERE a BETWEEN {deleted[0]} AND {deleted[-1]}"
    lake = lakes.new("postgres")
    catalog = register(lake)

    def both() -> list[set[int]]:
        with Peer(lake) as reader:
            theirs = [a for (a,) in reader.rows("SELECT a FROM d")]
            assert reader.rows("SELECT count(*) FROM d") == [(len(theirs),)]
        ours = [a for (a,) in rows(spark, f"SELECT a FROM {catalog}.d")]
        assert len(theirs) == len(ours) == len({*ours})
        return [{*theirs}, {*ours}]

    left = {*range(200)} - {40} - gone
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE d (a INTEGER, b INTEGER)",
            "INSERT INTO d SELECT i, 0 FROM range(100) AS r(i)",
            "INSERT INTO d SELECT i, 0 FROM range(100, 200) AS r(i)",
            "DELETE FROM d WHERE a = 40",
            "BEGIN",
            deletion,
        )
        spark.sql(sql.format(c=catalog, t=f"{catalog}.d")).collect()
        with pytest.raises(duckdb.Error, match="another transaction"):
            peer.run("COMMIT")
        assert both() == [left, left]
        peer.run(deletion)
    assert both() == [left - {*deleted}] * 2
    assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []


def test_commits_that_tell_no_change_end_no_transaction_of_duckdb(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """DuckDB joins what others record, and cannot read the text when one of several is empty."""
    lake = lakes.new("postgres")
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INT)", "INSERT INTO t SELECT i FROM range(100) r(i)")
        peer.run("DELETE FROM t WHERE a > 90")
        before = peer.head()
        peer.run("BEGIN", "INSERT INTO t VALUES (100)")
        spark.sql(f"COMMENT ON NAMESPACE {catalog}.main IS 'one'")
        spark.sql(f"CALL {catalog}.system.recompute_statistics('t')")
        spark.sql(f"COMMENT ON NAMESPACE {catalog}.main IS 'two'")
        peer.run("COMMIT")

        assert peer.head() == before + 4
        assert peer.value("SELECT count(*) FROM t") == 92
    assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []
