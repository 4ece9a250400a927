"""Snapshots with names: kept from our expiry, read by their names, and unknown to DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import ducklake_spark as dl
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.invariants import Scope, check
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.lines import CHANGES, since
from support.peer import Peer, made

Register = Callable[..., str]

ARGUMENT = "DUCKLAKE_INVALID_ARGUMENT"
ODD = "it's `the` \"1st\" %_ \\ straße 🦆. ' -- "


@pytest.fixture
def lake(lakes: LakeFactory, kind: CatalogKind) -> Iterator[Lake]:
    """A new lake, of which any snapshot but the newest may expire."""
    made_lake = lakes.new(kind)
    yield made_lake
    with Peer(made_lake) as peer:
        head = peer.head()
    assert check(made_lake, Scope(None, expired=frozenset(range(head)))) == []


@pytest.fixture
def catalog(lake: Lake, register: Register) -> str:
    """A lake whose table has the row n - 1 from snapshot n on, 2 to 5."""
    made(
        lake,
        "CREATE TABLE t (id INT)",
        *(f"INSERT INTO t VALUES ({number})" for number in range(1, 5)),
    )
    return register(lake, IN_FILES)


def text(given: str) -> str:
    """A literal of Spark SQL."""
    escaped = given.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def named(spark: SparkSession, catalog: str) -> list[tuple[str, int, bool]]:
    """The names, their snapshots, and whether these are there."""
    found = rows(spark, f"SELECT * FROM {catalog}.system.named_snapshots")
    return [(name, snapshot, time is not None) for name, snapshot, time in found]


def snapshots(lake: Lake) -> list[int]:
    """The snapshots that DuckDB lists."""
    with Peer(lake) as peer:
        found = peer.rows("SELECT snapshot_id FROM ducklake_snapshots('lake') ORDER BY 1")
    return [snapshot for (snapshot,) in found]


@pytest.mark.every_database
def test_a_snapshot_with_a_name_stays(spark: SparkSession, lake: Lake, catalog: str) -> None:
    call = f"CALL {catalog}.system."
    assert rows(spark, f"{call}keep_snapshot('first', 2)") == [(2,)]
    assert rows(spark, f"{call}keep_snapshot({text(ODD)}, 3)") == [(3,)]
    assert rows(spark, f"{call}keep_snapshot(name => 'newest')") == [(5,)]
    assert snapshots(lake) == [0, 1, 2, 3, 4, 5]
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (5)", "DELETE FROM t WHERE id = 1")

    expiry = f"{call}expire_snapshots(older_than => now() + INTERVAL 1 DAY"
    dry = spark.sql(f"{expiry}, dry_run => true)").collect()
    done = spark.sql(f"{expiry})").collect()

    assert done == dry
    expected = {0: None, 1: None, 2: ["first"], 3: [ODD], 4: None, 5: ["newest"], 6: None}
    assert {row.snapshot_id: row.kept_as for row in done} == expected
    assert snapshots(lake) == [2, 3, 5, 7]
    rows(spark, f"{call}cleanup_old_files(cleanup_all => true)")
    at = f"SELECT id FROM {catalog}.t VERSION AS OF"
    assert rows(spark, f"{at} 'first'") == [(1,)]
    assert sorted(rows(spark, f"{at} {text(ODD)}")) == [(1,), (2,)]
    assert len(rows(spark, f"{at} 'newest'")) == 4
    with Peer(lake) as peer:
        assert peer.rows("SELECT id FROM t AT (VERSION => 2)") == [(1,)]
        assert peer.value("SELECT count(*) FROM t") == 4
    assert named(spark, catalog) == [("first", 2, True), (ODD, 3, True), ("newest", 5, True)]

    assert rows(spark, f"{call}release_snapshot({text(ODD)})") == []
    assert [row[0] for row in rows(spark, f"{call}expire_snapshots(array(2, 3, 5))")] == [2, 3, 5]
    assert snapshots(lake) == [2, 5, 7]


@pytest.mark.every_database
def test_duckdb_carries_names_along(spark: SparkSession, lake: Lake, catalog: str) -> None:
    rows(spark, f"CALL {catalog}.system.keep_snapshot({text(ODD)}, 3)")

    with Peer(lake) as peer:
        options = "SELECT value, scope FROM ducklake_options('lake') WHERE option_name = "
        key = f"spark_kept_snapshot.{ODD}".replace("'", "''")
        assert peer.rows(f"{options} '{key}'") == [("3", "GLOBAL")]
        peer.run("INSERT INTO t VALUES (9)", "CALL lake.set_option('target_file_size', '10MB')")
        peer.run("CALL ducklake_merge_adjacent_files('lake')")
        peer.run("CALL ducklake_expire_snapshots('lake', versions => [2, 3])")
        peer.run("CHECKPOINT lake")
        assert peer.rows(f"{options} '{key}'") == [("3", "GLOBAL")]

    assert named(spark, catalog) == [(ODD, 3, False)]
    refused(
        spark,
        f"SELECT * FROM {catalog}.t VERSION AS OF {text(ODD)}",
        "DUCKLAKE_NO_SUCH_SNAPSHOT",
        "Snapshot 3, which has the name",
        "is not in the lake",
    )
    rows(spark, f"CALL {catalog}.system.release_snapshot({text(ODD)})")
    assert named(spark, catalog) == []


def test_a_checkpoint_keeps_it_and_says_so(spark: SparkSession, lake: Lake, catalog: str) -> None:
    call = f"CALL {catalog}.system."
    rows(spark, f"{call}keep_snapshot('first', 2)")
    rows(spark, f"{call}set_option('expire_older_than', '0 seconds')")

    done = {row.step: row for row in spark.sql(f"{call}checkpoint()").collect()}

    assert done["expire_snapshots"].note == "kept by name: first"
    assert done["expire_snapshots"].snapshots_expired >= 4
    assert 2 in snapshots(lake)
    assert rows(spark, f"SELECT id FROM {catalog}.t VERSION AS OF 'first'") == [(1,)]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_errors(spark: SparkSession, lake: Lake, catalog: str) -> None:
    keep = f"CALL {catalog}.system.keep_snapshot"
    rows(spark, f"{keep}('first', 2)")
    assert rows(spark, f"{keep}('first', 2)") == [(2,)]

    refused(spark, f"{keep}('first', 3)", ARGUMENT, "the name of snapshot 2 already")
    refused(spark, f"{keep}('other', 99)", "DUCKLAKE_NO_SUCH_SNAPSHOT", "Snapshot 99")
    refused(spark, f"{keep}(' ', 2)", ARGUMENT, "is blank")
    refused(spark, f"{keep}(' 17 ', 2)", ARGUMENT, "whole number")
    release = f"CALL {catalog}.system.release_snapshot('nobody')"
    refused(spark, release, ARGUMENT, "the name of no snapshot: nobody")
    past = f"SELECT * FROM {catalog}.t VERSION AS OF 'nobody'"
    refused(spark, past, ARGUMENT, "neither a snapshot's id nor its name: nobody")
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    refused(spark, f"{keep}('in', 3)", "DUCKLAKE_UNSUPPORTED", "keep_snapshot", "transaction")
    spark.sql(f"CALL {catalog}.system.rollback_transaction()")
    assert named(spark, catalog) == [("first", 2, True)]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_read_options_take_names(spark: SparkSession, lake: Lake, catalog: str) -> None:
    rows(spark, f"CALL {catalog}.system.keep_snapshot('first', 2)")

    for option in ("versionAsOf", "snapshot-version"):
        assert spark.read.option(option, "first").table(f"{catalog}.t").collect() == [(1,)]
        with pytest.raises(PySparkException, match="neither a snapshot's id nor its name"):
            spark.read.option(option, "nobody").table(f"{catalog}.t").collect()
    assert rows(spark, f"SELECT id FROM {catalog}.t AT (VERSION => 'first')") == [(1,)]
    feed = spark.read.option("versionAsOf", "first").format("ducklake")
    assert feed.load(f"{catalog}.t").collect() == [(1,)]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_python(spark: SparkSession, lake: Lake, catalog: str) -> None:
    here = dl.Lake(spark, catalog)

    assert here.keep_snapshot("first", 2) == 2
    assert here.keep_snapshot("last") == 5
    assert here.at(name="first").table("t").to_df().collect() == [(1,)]
    assert here.table("t").at(name="last").to_df().count() == 4
    assert here.at(name="first").list_files("t").count() == 1
    assert [row[:2] for row in here.named_snapshots().collect()] == [("first", 2), ("last", 5)]
    with pytest.raises(ValueError, match="no snapshot has the name 'nobody'"):
        here.at(name="nobody")
    with pytest.raises(ValueError, match="give a version or a time"):
        here.at(2, name="first")
    with pytest.raises(dl.InvalidArgumentError, match="already"):
        here.keep_snapshot("first", 3)
    here.release_snapshot("first")
    with pytest.raises(dl.InvalidArgumentError, match="no snapshot"):
        here.release_snapshot("first")
    assert value(spark, f"SELECT count(*) FROM {catalog}.system.named_snapshots") == 1


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_bounds_of_feeds_take_names(spark: SparkSession, lake: Lake, catalog: str) -> None:
    call = f"CALL {catalog}.system."
    rows(spark, f"{call}keep_snapshot({text(ODD)}, 3)")
    rows(spark, f"{call}keep_snapshot('last', 4)")
    feed, here = f"{catalog}.main.t.changes", dl.Lake(spark, catalog)
    function = f"ducklake_table_changes('{catalog}', 't'"

    forms = {
        "options": f"SELECT snapshot_id FROM {feed} "
        f"WITH ('start-snapshot' = {text(ODD)}, 'end-snapshot' = 'last')",
        "a name and an id": f"SELECT snapshot_id FROM {feed} "
        f"WITH ('start-snapshot' = {text(ODD)}, 'end-snapshot' = 4)",
        "function": f"SELECT snapshot_id FROM {function}, {text(ODD)}, 'last')",
        "mixed": f"SELECT snapshot_id FROM {function}, 3, 'last')",
    }
    for form, query in forms.items():
        assert sorted(rows(spark, query)) == [(3,), (4,)], form
    for arguments in (f"{text(ODD)}, 'last'", "3, 'last'", f"{text(ODD)}, 4"):
        called = rows(spark, f"{call}table_changes('t', {arguments})")
        assert sorted(row[0] for row in called) == [3, 4]
    assert here.table("t").changes(ODD, "last").count() == 2
    assert here.table("t").changes("last").count() == 2
    missing = "Snapshot with the name `nobody` is not in the lake"
    for query in (
        f"SELECT * FROM {feed} WITH ('start-snapshot' = 'nobody')",
        f"SELECT * FROM {function}, 3, 'nobody')",
        f"{call}table_changes('t', 'nobody', 4)",
    ):
        refused(spark, query, "DUCKLAKE_NO_SUCH_SNAPSHOT", missing)
    refused(spark, f"{call}table_changes('t', '2026-01-01', 'last')", ARGUMENT, "both")
    times = f"{call}table_changes('t', '2026-01-01', '{datetime.now(UTC):%F %T.%f}Z')"
    assert len(rows(spark, times)) == 4


@since(CHANGES)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_the_clause_changes_takes_names(spark: SparkSession, lake: Lake, catalog: str) -> None:
    rows(spark, f"CALL {catalog}.system.keep_snapshot('first', 3)")
    rows(spark, f"CALL {catalog}.system.keep_snapshot('last', 5)")

    changes = f"SELECT _commit_version FROM {catalog}.t CHANGES FROM VERSION 'first' EXCLUSIVE"

    assert sorted(rows(spark, f"{changes} TO VERSION 'last'")) == [(4,), (5,)]
    assert sorted(rows(spark, changes)) == [(4,), (5,)]
    refused(spark, f"{changes} TO VERSION 'nobody'", "DUCKLAKE_NO_SUCH_SNAPSHOT", "nobody")


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_stream_begins_at_a_name(
    spark: SparkSession, lake: Lake, catalog: str, tmp_path: Path
) -> None:
    rows(spark, f"CALL {catalog}.system.keep_snapshot('later', 4)")
    stream = spark.readStream.option("start-snapshot", "later").table(f"{catalog}.main.t")

    query = stream.writeStream.format("memory").queryName("named_start")
    query = query.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start()
    query.awaitTermination()

    assert sorted(rows(spark, "SELECT id FROM named_start")) == [(3,), (4,)]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_rollback_to_a_name(spark: SparkSession, lake: Lake, catalog: str) -> None:
    call = f"CALL {catalog}.system."
    rows(spark, f"{call}keep_snapshot('first', 2)")
    rows(spark, f"{call}keep_snapshot('third', 4)")

    assert rows(spark, f"{call}rollback_to_snapshot('t', 'third')") == [("main", "t", 6)]
    assert len(rows(spark, f"SELECT * FROM {catalog}.t")) == 3
    dl.Lake(spark, catalog).table("t").rollback_to_snapshot("first")
    with Peer(lake) as peer:
        assert peer.rows("SELECT id FROM t") == [(1,)]
    refused(spark, f"{call}rollback_to_snapshot('t', 'nobody')", ARGUMENT, "nor its name: nobody")
    assert rows(spark, f"{call}rollback_to_snapshot(snapshot_version => 4)") == [("main", "t", 8)]
