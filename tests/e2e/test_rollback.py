"""CALL rollback_to_snapshot: a table becomes what it was, as one new snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from e2e.test_exact_rows import inserts
from support.asking import column, refused, rows
from support.catalogdb import read_catalog
from support.histories import HISTORIES, State, state
from support.lakes import CATALOG_KINDS, IN_FILES, Lake, LakeFactory
from support.peer import Peer, made
from support.rawfiles import live_files, stored
from support.sweep import FULL

Register = Callable[..., str]


def played(lake: Lake) -> dict[str, list[int]]:
    """Plays all histories; the snapshots of each table."""
    versions: dict[str, list[int]] = {}
    place = lake.data_path.parent / "given"
    place.mkdir()
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        for table, steps in HISTORIES.items():
            versions[table] = []
            for step in steps:
                peer.run(step.format(t=table, place=place))
                versions[table].append(peer.head())
    return versions


def by_spark(spark: SparkSession, table: str, version: int) -> Counter[Any]:
    """Rows with their ids, as Spark reads them."""
    found = spark.sql(f"SELECT rowid, * FROM {table} VERSION AS OF {version}").collect()
    return Counter(tuple(None if v is None else plain(v) for v in row) for row in found)


def plain(value: Any) -> str:  # noqa: ANN401
    """A value as DuckDB's Python values print."""
    return str(value.asDict()) if hasattr(value, "asDict") else str(value)


def net(peer: Peer, table: str, version: int, column: slice) -> tuple[Counter[Any], Counter[Any]]:
    """What the feed of a snapshot takes away and brings, without rows that stay the same."""
    feed = peer.rows(
        f"FROM ducklake_table_changes('lake', 'main', '{table}', {version}, {version})"
    )
    gone: Counter[Any] = Counter()
    came: Counter[Any] = Counter()
    for _, rowid, change, *values in feed:
        side = gone if change in ("delete", "update_preimage") else came
        side[(str(rowid), *map(str, values))[column]] += 1
    return gone - came, came - gone


def ids(of: Counter[Any]) -> Counter[Any]:
    """The row ids alone."""
    return Counter(row[:1] for row in of.elements())


@pytest.fixture
def versions(lake: Lake) -> dict[str, list[int]]:
    """The snapshots of each table of a lake with all histories."""
    return played(lake)


def feed_faults(peer: Peer, table: str, head: int, was: State | None, now: State) -> list[str]:
    """How the feed of a rollback is not the difference of the two states.

    The feed is of the table that is there now. When it took the place of another table of its name,
    as in `replaced`, it had no rows before.
    """
    if was is None or not was.is_of(now):
        was = State(now.columns, Counter(), ())
    same = was.columns == now.columns
    gone, came = net(peer, table, head, slice(None) if same else slice(1))
    old, new = (was.rows, now.rows) if same else (ids(was.rows), ids(now.rows))
    if (gone, came) == (old - new, new - old):
        return []
    return [f"{table} {head}: feed -{gone} +{came} is not -{old - new} +{new - old}"]


def chosen(lake: Lake, snapshots: list[int]) -> list[int]:
    """Backwards, then to the last. Each kind of catalog database takes others of the snapshots."""
    start = 0 if FULL else CATALOG_KINDS.index(lake.kind)
    return [*reversed(snapshots[start :: 1 if FULL else 5]), snapshots[-1]]


def test_a_table_becomes_what_it_was(
    spark: SparkSession, lake: Lake, versions: dict[str, list[int]], register: Register
) -> None:
    catalog = register(lake)
    faults: list[str] = []
    with Peer(lake) as peer:
        known: dict[tuple[str, int], State | None] = {
            (table, version): state(peer, table, version)
            for table, snapshots in versions.items()
            for version in snapshots
        }
    for table, snapshots in versions.items():
        last = known[table, snapshots[-1]]
        for past in chosen(lake, snapshots):
            wanted = known[table, past]
            if wanted is None:
                continue
            call = f"CALL {catalog}.system.rollback_to_snapshot('{table}', {past})"
            ((schema, name, head),) = rows(spark, call)
            assert (schema, name) == ("main", table)
            with Peer(lake) as peer:
                known[table, head] = found = state(peer, table, head)
                if found != wanted:
                    faults.append(f"{table} {past} in {head}: {found} is not {wanted}")
                if last != wanted:
                    faults += feed_faults(peer, table, head, last, wanted)
            ours = by_spark(spark, f"{catalog}.{table}", head)
            if ids(ours) != ids(wanted.rows):
                faults.append(f"{table} {past} in {head}: Spark has {ours}")
            last = wanted
    with Peer(lake) as peer:
        faults += [
            f"{table}: snapshot {version} was {was}, is {state(peer, table, version)}"
            for (table, version), was in known.items()
            if state(peer, table, version) != was
        ]
    assert "\n".join(faults) == ""


@pytest.mark.parametrize("limit", [0, 10])
def test_a_row_that_a_shared_delete_file_names_since_comes_back(
    spark: SparkSession, lake: Lake, register: Register, limit: int
) -> None:
    """A delete file has the deletes of several snapshots, and its data file is gone now."""
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {limit}") as peer:
        peer.run("CREATE TABLE t AS SELECT i::INT AS a FROM range(100) r(i)")
        peer.run("DELETE FROM t WHERE a = 1")
        past = peer.head()
        peer.run("DELETE FROM t WHERE a = 2")
        peer.run("CALL ducklake_flush_inlined_data('lake', table_name => 't')", "TRUNCATE t")
        wanted = state(peer, "t", past)
    catalog = register(lake)

    rows(spark, f"CALL {catalog}.system.rollback_to_snapshot('t', {past})")

    with Peer(lake) as peer:
        assert state(peer, "t", peer.head()) == wanted
    assert len(rows(spark, f"SELECT a FROM {catalog}.t")) == 99


@pytest.mark.damages("the bounds of ended files are not of the column's type")
def test_a_promoted_type_comes_back(spark: SparkSession, lake: Lake, register: Register) -> None:
    """DuckDB's feed of that snapshot fails: it reads the deleted rows in the old type."""
    made(
        lake,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT i FROM range(20) r(i)",
        "ALTER TABLE t ALTER a SET DATA TYPE BIGINT",
        "INSERT INTO t SELECT 5000000000 + i FROM range(20) r(i)",
    )
    with Peer(lake) as peer:
        known = {version: state(peer, "t", version) for version in range(1, 5)}
    catalog = register(lake)

    for past, head in ((2, 5), (4, 6), (3, 7)):
        call = f"CALL {catalog}.system.rollback_to_snapshot('t', {past})"
        assert rows(spark, call) == [("main", "t", head)]
        known[head] = known[past]
        with Peer(lake) as peer:
            assert {version: state(peer, "t", version) for version in known} == known
        for version, expected in known.items():
            assert expected is not None
            assert ids(by_spark(spark, f"{catalog}.t", version)) == ids(expected.rows)


@pytest.mark.damages("expires a snapshot")
def test_what_cannot_be_brought_back_is_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1)",
        "ALTER TABLE t RENAME TO u",
        "CREATE TABLE v (a INT)",
        "DROP TABLE v",
        "CREATE VIEW v AS SELECT 1 AS b",
        "CREATE SCHEMA s",
        "CREATE TABLE s.w (a INT)",
        "DROP SCHEMA s CASCADE",
        "CALL ducklake_expire_snapshots('lake', versions => [1])",
    )
    catalog = register(lake)
    call = f"CALL {catalog}.system.rollback_to_snapshot"
    invalid = "DUCKLAKE_INVALID_ARGUMENT"
    unknown = "DUCKLAKE_NO_SUCH_SNAPSHOT"

    refused(spark, f"{call}('u')", invalid, "snapshot_version", "snapshot_time")
    both = "snapshot_version => 2, snapshot_time => TIMESTAMP '2024-01-01'"
    refused(spark, f"{call}('u', {both})", invalid, "snapshot_version", "snapshot_time")
    refused(spark, f"{call}('u', 77)", unknown, "77", "9")
    refused(spark, f"{call}('u', 1)", unknown, "1", "2")
    refused(spark, f"{call}('u', snapshot_time => TIMESTAMP '2001-01-01')", unknown)
    refused(spark, f"{call}('w', 8)", "TABLE_OR_VIEW_NOT_FOUND", "w")
    refused(spark, f"{call}('t', 2)", invalid, "main.u")
    refused(spark, f"{call}('v', 4)", invalid, "view")
    refused(spark, f"{call}('w', 8, schema => 's')", invalid, "schema")
    refused(spark, f"{call}('u', 0)", invalid, "main.u", "did not exist at snapshot 0")
    assert rows(spark, f"{call}(snapshot_version => 3, table_name => 'u')") == [("main", "u", 9)]
    assert column(spark, f"SELECT a FROM {catalog}.u") == [1]


def test_a_time_names_the_snapshot(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, "CREATE TABLE t AS SELECT 1 AS a", "INSERT INTO t VALUES (2)", limit=10)
    catalog = register(lake)
    spark.sql(f"INSERT INTO {catalog}.t VALUES (3)")
    ((time,),) = rows(
        spark,
        f"SELECT CAST(snapshot_time AS STRING) FROM {catalog}.system.snapshots "
        "WHERE snapshot_id = 2",
    )

    call = f"CALL {catalog}.system.rollback_to_snapshot"
    assert rows(spark, f"{call}('main.t', snapshot_time => TIMESTAMP '{time}')") == [
        ("main", "t", 4)
    ]
    assert column(spark, f"SELECT a FROM {catalog}.t") == [1, 2]


def test_delete_files_that_changed_nothing_since_are_not_read(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t AS SELECT i AS a FROM range(20) r(i)",
        "DELETE FROM t WHERE a = 3",
        "INSERT INTO t SELECT i FROM range(20, 40) r(i)",
    )
    catalog = register(lake)
    (deletes,) = lake.data_path.rglob("*-delete.parquet")
    hidden = deletes.rename(deletes.with_suffix(".hidden"))

    call = f"CALL {catalog}.system.rollback_to_snapshot('t', 2)"
    assert rows(spark, call) == [("main", "t", 4)]

    hidden.rename(deletes)
    assert column(spark, f"SELECT a FROM {catalog}.t") == [a for a in range(20) if a != 3]


@pytest.mark.damages("removes a file")
def test_a_file_that_is_gone_is_named_and_nothing_changes(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t AS SELECT i AS a FROM range(20) r(i)", "TRUNCATE t")
    made(lake, "INSERT INTO t SELECT i AS a FROM range(30) r(i)", "TRUNCATE t")
    first = min(lake.data_path.rglob("*.parquet"), key=lambda file: file.stat().st_mtime)
    first.unlink()
    catalog = register(lake)
    left = sorted(lake.data_path.rglob("*.parquet"))

    call = f"CALL {catalog}.system.rollback_to_snapshot('t', 1)"
    refused(spark, call, "DUCKLAKE_UNREADABLE_FILE", first.name)

    assert sorted(lake.data_path.rglob("*.parquet")) == left
    with Peer(lake) as peer:
        assert peer.head() == 4
    refused(
        spark, f"CALL {catalog}.system.rollback_to_snapshot('t', 9)", "DUCKLAKE_NO_SUCH_SNAPSHOT"
    )


EXACT_ROWS = "SELECT rowid, COLUMNS(*)::VARCHAR FROM t {at} ORDER BY ALL"
MERGE = "CALL ducklake_merge_adjacent_files('lake', 't')"
EXACT = {
    "deleted rows": ([], ["DELETE FROM t WHERE i IN (2, 3)"], 5),
    "a file with deletes": ([MERGE, "DELETE FROM t WHERE i = 2"], ["TRUNCATE t"], 7),
    "a file with rows of several snapshots": ([MERGE], ["TRUNCATE t"], 3),
    "defaults of added columns": (
        [
            "ALTER TABLE t ADD COLUMN x TIMESTAMP_NS DEFAULT '2026-01-01 00:00:00.123456789'",
            "ALTER TABLE t ADD COLUMN y DECIMAL(20, 3) DEFAULT 1.5",
            "ALTER TABLE t ADD COLUMN w VARCHAR DEFAULT 'w'",
        ],
        ["DELETE FROM t WHERE i IN (2, 3)"],
        8,
    ),
    "partitions": ([], ["UPDATE t SET i = i + 10 WHERE i < 3"], 5),
}
"""What is done before, what is undone, and the snapshot to go back to."""


@pytest.mark.parametrize("case", EXACT)
def test_every_bit_of_rows_that_are_written_again_stays(
    spark: SparkSession, lakes: LakeFactory, register: Register, case: str
) -> None:
    lake = lakes.new("sqlite")
    before, changes, snapshot = EXACT[case]
    create, *rest = inserts("t")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("BEGIN", create)
        if case == "partitions":
            peer.run("ALTER TABLE t SET PARTITIONED BY (i)")
        peer.run("COMMIT", *rest, *before)
        bits = set(stored(live_files(lake, "t")))
        peer.run(*changes)
        past = peer.rows(EXACT_ROWS.format(at=f"AT (VERSION => {snapshot})"))
    files = live_files(lake, "t")
    catalog = register(lake)

    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', {snapshot})").collect()

    with Peer(lake) as peer:
        assert peer.rows(EXACT_ROWS.format(at="")) == past
    new = [file for file in live_files(lake, "t") if file not in files]
    assert new and (case.startswith("defaults") or set(stored(new)) <= bits)
    if case == "partitions":
        assert {file.parent.name for file in new} == {"i=1", "i=2"}


def test_a_rollback_among_inserts_is_refused_or_right(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """Each insert that is there came after the last rollback, whatever happened at once."""
    made(lake, "CREATE TABLE t AS SELECT i AS a FROM range(30) r(i)", "DELETE FROM t WHERE a < 3")
    catalog = register(lake)
    outcomes: list[str] = []

    def insert() -> None:
        for number in range(100, 106):
            try:
                spark.sql(f"INSERT INTO {catalog}.t VALUES ({number})")
            except PySparkException as error:
                outcomes.append(str(error.getCondition()))

    def rollback() -> None:
        for _ in range(4):
            try:
                spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', 1)").collect()
                outcomes.append("done")
            except PySparkException as error:
                outcomes.append(str(error.getCondition()))

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(insert), pool.submit(rollback)]:
            done.result()

    assert set(outcomes) <= {"done", "DUCKLAKE_COMMIT_CONFLICT"}
    with Peer(lake) as peer:
        left = set(range(30) if "done" in outcomes else range(3, 30))
        for version in range(2, peer.head() + 1):
            found = {a for (a,) in peer.rows(f"SELECT a FROM t AT (VERSION => {version})")}
            feed = peer.rows(
                f"FROM ducklake_table_changes('lake', 'main', 't', {version}, {version})"
            )
            before = {a for (a,) in peer.rows(f"SELECT a FROM t AT (VERSION => {version - 1})")}
            gone = {row[-1] for row in feed if row[2] == "delete"}
            came = {row[-1] for row in feed if row[2] == "insert"}
            assert found == before - gone | came
            if gone and version > 2:
                assert found == set(range(30))
        assert {a for a in found if a < 30} == left
    assert sorted(lake.data_path.rglob("*.parquet")) == known_files(lake)


def known_files(lake: Lake) -> list[Path]:
    """The files that the catalog names."""
    catalog = read_catalog(lake)
    named = [*catalog.rows("data_file"), *catalog.rows("delete_file")]
    return sorted(lake.data_path / "main" / "t" / str(row["path"]) for row in named)


def test_a_row_that_came_and_went_since_stays_away(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    """A flush puts rows of several snapshots into one file, of which the past one sees some.

    The rows that come back are too many to be kept in the catalog, so they are copied.
    """
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1), (2)")
        past = peer.head()
        peer.run("INSERT INTO t VALUES (3)")
    catalog = register(lake, IN_FILES)
    spark.sql(f"CALL {catalog}.system.flush_inlined_data('t')").collect()
    spark.sql(f"DELETE FROM {catalog}.main.t WHERE a IN (1, 3)").collect()

    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', {past})").collect()

    with Peer(lake) as peer:
        assert peer.rows("SELECT a FROM t ORDER BY a") == [(1,), (2,)]
