"""Spark's clause CHANGES gives what the change feed gives, and Spark's net changes are right."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused
from support.lakes import IN_FILES, Lake, LakeFactory
from support.lines import CHANGES, since
from support.peer import Peer

pytestmark = since(CHANGES)

Register = Callable[..., str]
HEAD = 12


@pytest.fixture(scope="module")
def changed(lakes: LakeFactory) -> Lake:
    """A lake with a table of 12 snapshots, in files and inlined."""
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 3") as peer:
        peer.run(
            "CREATE TABLE t (a INT, b INT)",
            "INSERT INTO t SELECT i, i FROM range(10) r(i)",
            "INSERT INTO t VALUES (100, 0), (101, 0)",
            "UPDATE t SET b = b + 1 WHERE a IN (1, 2, 3, 4, 5, 100)",
            "UPDATE t SET b = b + 1 WHERE a IN (1, 100)",
            "DELETE FROM t WHERE a IN (2, 101)",
            "INSERT INTO t VALUES (200, 0)",
            "DELETE FROM t WHERE a = 200",
            "INSERT INTO t VALUES (201, 0)",
            "UPDATE t SET b = 7 WHERE a = 201",
            "DELETE FROM t WHERE a > 5 AND a < 9",
            "UPDATE t SET b = 99 WHERE a = 9",
        )
        assert peer.head() == HEAD
    return made


def rows_of(spark: SparkSession, query: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in spark.sql(query).collect())


def test_changes_are_those_of_the_feed(
    spark: SparkSession, changed: Lake, register: Register
) -> None:
    lake = register(changed)
    clause = f"FROM {lake}.main.t CHANGES"
    frame = spark.sql(f"SELECT * {clause} FROM VERSION 2 TO VERSION 5")
    own = ["rowid", "_change_type", "_commit_version", "_commit_timestamp"]
    assert frame.columns == ["a", "b", *own]
    times = dict(rows_of(spark, f"SELECT snapshot_id, snapshot_time FROM {lake}.system.snapshots"))
    for first, last in ((1, HEAD), (4, 5), (6, 6), (3, 11)):
        feed = rows_of(
            spark,
            "SELECT snapshot_id, rowid, change_type, a, b "
            f"FROM ducklake_table_changes('{lake}', 't', {first}, {last})",
        )
        wanted = "SELECT _commit_version, rowid, _change_type, a, b, _commit_timestamp"
        options = "WITH (computeUpdates = 'true', deduplicationMode = 'none')"
        ends = f"FROM VERSION {first} TO VERSION {last}"
        found = rows_of(spark, f"{wanted} {clause} {ends} {options}")
        assert [row[:-1] for row in found] == feed
        assert all(row[-1] == times[row[0]] for row in found)
        plain = rows_of(spark, f"{wanted} {clause} {ends} WITH (deduplicationMode = 'none')")
        names = {"update_preimage": "delete", "update_postimage": "insert"}
        assert [row[:-1] for row in plain] == sorted(
            (*row[:2], names.get(str(row[2]), row[2]), *row[3:]) for row in feed
        )


def test_ends_may_be_left_out_excluded_and_times(
    spark: SparkSession, changed: Lake, register: Register
) -> None:
    lake = register(changed)
    moments = f"SELECT snapshot_id, CAST(snapshot_time AS STRING) FROM {lake}.system.snapshots"
    times = dict(rows_of(spark, moments))

    def versions(ends: str) -> list[object]:
        query = f"SELECT DISTINCT _commit_version FROM {lake}.main.t CHANGES FROM {ends}"
        return [row[0] for row in rows_of(spark, query)]

    assert versions("VERSION 10") == [10, 11, 12]
    assert versions("VERSION 9 EXCLUSIVE TO VERSION 12 EXCLUSIVE") == [10, 11]
    assert versions(f"TIMESTAMP '{times[10]}' TO TIMESTAMP '{times[11]}'") == [10, 11]
    start, end = f"TIMESTAMP '{times[9]}'", f"TO TIMESTAMP '{times[12]}'"
    assert versions(f"{start} {end}") == [9, 10, 11, 12]
    assert versions(f"{start} EXCLUSIVE {end}") == [10, 11, 12]
    assert versions(f"{start} INCLUSIVE {end} EXCLUSIVE") == [9, 10, 11]
    assert versions(f"{start} EXCLUSIVE {end} EXCLUSIVE") == [10, 11]
    found = spark.read.option("startingVersion", 10).option("endingVersion", 11)
    assert {r["_commit_version"] for r in found.changes(f"{lake}.main.t").collect()} == {10, 11}
    with pytest.raises(PySparkException) as raised:
        versions("VERSION 99")
    assert raised.value.getCondition() == "DUCKLAKE_NO_SUCH_SNAPSHOT"
    with pytest.raises(PySparkException) as raised:
        found.option("computeUpdate", "true").changes(f"{lake}.main.t").collect()
    assert raised.value.getCondition() == "DUCKLAKE_INVALID_SETTING"
    assert "`computeUpdates`" in str(raised.value)


@pytest.mark.parametrize("first", [1, 3, 4, 7])
@pytest.mark.parametrize("updates", ["true", "false"])
def test_net_changes_lead_from_the_rows_before_to_the_rows_after(
    spark: SparkSession, changed: Lake, register: Register, first: int, updates: str
) -> None:
    lake = register(changed)
    before = rows_of(spark, f"SELECT rowid, a, b FROM {lake}.main.t VERSION AS OF {first}")
    after = rows_of(spark, f"SELECT rowid, a, b FROM {lake}.main.t")
    gone, come = set(before) - set(after), set(after) - set(before)
    updated = {row[0] for row in gone} & {row[0] for row in come}

    found = rows_of(
        spark,
        f"SELECT rowid, a, b, _change_type FROM {lake}.main.t CHANGES "
        f"FROM VERSION {first} EXCLUSIVE TO VERSION {HEAD} "
        f"WITH (computeUpdates = '{updates}', deduplicationMode = 'netChanges')",
    )

    is_update = {row: updates == "true" and row[0] in updated for row in gone | come}
    assert found == sorted(
        [(*row, "update_preimage" if is_update[row] else "delete") for row in gone]
        + [(*row, "update_postimage" if is_update[row] else "insert") for row in come]
    )


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_rows_that_a_rewrite_moved_are_no_changes(
    spark: SparkSession, lakes: LakeFactory, register: Register, engine: str
) -> None:
    """Unless all changes are asked for: then they are updates to the same values, as in DuckDB."""
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (a INT)",
            "INSERT INTO t SELECT i FROM range(6) r(i)",
            "DELETE FROM t WHERE a < 2",
        )
        if engine == "duckdb":
            peer.run("CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.1)")
    lake = register(made, IN_FILES)
    if engine == "spark":
        spark.sql(f"CALL {lake}.system.rewrite_data_files('t', delete_threshold => 0.1)")
    spark.sql(f"UPDATE {lake}.t SET a = 40 WHERE a = 4")
    spark.sql(f"DELETE FROM {lake}.t WHERE a = 5")

    def changes(first: int, mode: str, updates: str = "true") -> list[tuple[object, ...]]:
        return rows_of(
            spark,
            f"SELECT _commit_version, _change_type, a FROM {lake}.main.t CHANGES "
            f"FROM VERSION {first} TO VERSION 6 "
            f"WITH (deduplicationMode = '{mode}', computeUpdates = '{updates}')",
        )

    updated = [(5, "update_postimage", 40), (5, "update_preimage", 4)]
    assert changes(4, "dropCarryovers") == [*updated, (6, "delete", 5)]
    assert changes(4, "dropCarryovers", "false") == [
        (5, "delete", 4),
        (5, "insert", 40),
        (6, "delete", 5),
    ]
    assert changes(4, "netChanges") == [*updated, (6, "delete", 5)]
    assert [row[2] for row in changes(1, "netChanges")] == [2, 3, 40]
    moved = [(4, f"update_{image}", a) for image in ("postimage", "preimage") for a in range(2, 6)]
    assert changes(4, "none") == [*moved, *updated, (6, "delete", 5)]


def test_net_changes_of_row_ids_that_other_rows_have_are_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """DuckDB counts the rows that a transaction inserts and updates from 10^18, in each of them."""
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (a INT, b INT)")
        for first in (0, 10):
            peer.run(
                "BEGIN",
                f"INSERT INTO t SELECT i, 0 FROM range({first}, {first + 3}) r(i)",
                f"UPDATE t SET b = 1 WHERE a >= {first}",
                "COMMIT",
            )
        peer.run("INSERT INTO t VALUES (100, 0)")
        ids = [rowid for (rowid,) in peer.rows("SELECT rowid FROM t WHERE a < 100")]
    assert sorted(ids) == [10**18, 10**18, 10**18 + 1, 10**18 + 1, 10**18 + 2, 10**18 + 2]
    lake = register(made)

    def changes(first: int, mode: str) -> str:
        return (
            f"SELECT a FROM {lake}.main.t CHANGES FROM VERSION {first} TO VERSION 4 "
            f"WITH (deduplicationMode = '{mode}')"
        )

    refused(spark, changes(1, "netChanges"), "DUCKLAKE_UNSUPPORTED", "main.t", str(10**18))
    assert rows_of(spark, changes(4, "netChanges")) == [(100,)]
    everything = [(a,) for a in (0, 1, 2, 10, 11, 12, 100)]
    assert rows_of(spark, changes(1, "dropCarryovers")) == everything
