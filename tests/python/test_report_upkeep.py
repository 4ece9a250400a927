"""What the report says of upkeep is what DuckDB's own procedures find to do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.places import Place
from ducklake_spark_report import report, upkeep
from ducklake_spark_report.options import Options
from pyspark.sql import SparkSession

from support.catalogdb import execute
from support.commands import json_of
from support.lakes import Lake
from support.peer import Peer
from support.reports import facts_of, table_of

FILES = "DATA_INLINING_ROW_LIMIT 0"
ON_SQLITE = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
CLEANUP = "CALL ducklake_cleanup_old_files('lake', dry_run => true)"


@pytest.mark.every_database
@pytest.mark.damages(reason="DuckDB does not change the size of a table that it merges")
def test_small_files_are_those_that_duckdb_merges(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        peer.run("CREATE TABLE parted (id INTEGER, part VARCHAR)")
        peer.run("ALTER TABLE parted SET PARTITIONED BY (part)")
        for number in range(4):
            peer.run(f"INSERT INTO parted VALUES ({number}, 'a'), ({number}, 'b')")
        peer.run("INSERT INTO parted VALUES (1, 'alone')")
        peer.run("CREATE TABLE touched AS SELECT i FROM range(9) AS r(i)")
        peer.run("INSERT INTO touched VALUES (10)", "DELETE FROM touched WHERE i = 3")
        peer.run("CREATE TABLE kept (i INTEGER)")
        peer.run(*(f"INSERT INTO kept VALUES ({number}), (-1)" for number in range(3)))
    with Peer(lake) as peer:
        peer.run("DELETE FROM kept WHERE i = 1")
    before = facts_of(lake)
    with Peer(lake) as peer:
        merged = peer.rows("CALL ducklake_merge_adjacent_files('lake')")

    parted, kept = table_of(before, "parted"), table_of(before, "kept")
    assert (parted.small_files, parted.merged_files) == (8, 2)
    assert (kept.inlined_deletes, kept.small_files, kept.merged_files) == (1, 2, 1)
    assert sorted(tuple(row[1:]) for row in merged) == [
        *(("kept", 2, 1), ("parted", 4, 1), ("parted", 4, 1)),
    ]
    assert table_of(before, "touched").small_files == 0
    assert {each.label: each.files for each in parted.partitions} == {
        "part = a": 4,
        "part = b": 4,
        "part = alone": 1,
    }


def test_much_old_metadata_is_told(lake: Lake) -> None:
    renames = [f"ALTER TABLE t RENAME c{n} TO c{n + 1}" for n in range(110)]
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (c0 INT)", *renames[:50])
    few = [each["check"] for each in json_of("doctor", "--lake", lake.uri)]
    with Peer(lake) as peer:
        peer.run(*renames[50:])

    (finding,) = (
        each for each in json_of("doctor", "--lake", lake.uri) if each["check"] == "old metadata"
    )

    assert "old metadata" not in few
    assert finding["found"] == (
        "0 rows are of tables that are gone, or ended before every snapshot; "
        "110 inlined tables are of past schema versions"
    )
    assert "cleanup_old_metadata(dry_run => true)" in finding["mend"]


@pytest.mark.every_database
def test_small_files_with_deletes_are_counted_and_so_is_what_stays(
    lake: Lake, spark: SparkSession, register: Callable[..., str]
) -> None:
    with Peer(lake, FILES) as peer:
        for name in ("t", "off"):
            peer.run(f"CREATE TABLE {name} (i INTEGER)")
            peer.run(
                *(
                    f"INSERT INTO {name} SELECT i FROM range({n}, {n + 9}) r(i)"
                    for n in range(0, 108, 9)
                )
            )
            peer.run(f"DELETE FROM {name} WHERE i % 9 = 4 AND i < 90")
        peer.run(
            "CREATE TABLE alone AS SELECT i FROM range(9) r(i)", "DELETE FROM alone WHERE i = 1"
        )
        peer.run("CALL lake.set_option('auto_compact', false, table_name => 'off')")
    before = report(Place(lake.uri))
    catalog = register(lake)
    doctor = [
        each for each in json_of("doctor", "--lake", lake.uri) if each["check"] == "small files"
    ]
    merged = spark.sql(
        f"CALL {catalog}.system.merge_adjacent_files(apply_deletes => true)"
    ).collect()
    after = facts_of(lake)

    step = upkeep.steps(before.facts, "lake")[2]
    assert step.verdict == "worth doing"
    assert step.found == (
        "12 small files of 1 table can be put together, 10 of them with deleted rows. "
        "Left out by the option auto_compact: 1 table. "
        "1 small file stays: it is the only one of a partition or of a table."
    )
    assert step.gain == "Then there are about 1 instead of 12."
    assert step.call == "CALL lake.system.merge_adjacent_files(apply_deletes => true)"
    assert step.command == "ducklake-spark compact --apply-deletes"
    tile = "<dt>Small files</dt><dd>25 of 25<small>12 can be merged, 12 left out by auto_compact"
    assert tile in before.html
    assert [each["found"] for each in doctor] == [
        "25 of 25 data files are below target_file_size; 12, 10 of them with deleted rows, can "
        "become 1; 1 have no other beside them; 12 are left out by auto_compact"
    ]
    assert [(row.table_name, row.files_processed, row.files_created) for row in merged] == [
        *(("t", 10, 1), ("t", 3, 1)),
    ]
    assert [(each.name, each.below_target, each.compactable) for each in after.tables] == [
        *(("off", 12, 12), ("t", 1, 0), ("alone", 1, 0)),
    ]
    assert upkeep.steps(after, "lake")[2].verdict == "nothing to do"


@ON_SQLITE
def test_two_files_that_become_one_are_no_hundred_percent(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        peer.run(
            "CREATE TABLE t (i INTEGER)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"
        )
        peer.run("CREATE TABLE u AS SELECT 1 AS i")

    made = report(Place(lake.uri))

    assert "<dt>Small files</dt><dd>3 of 3<small>2 can be merged</small>" in made.html


@pytest.mark.every_database
@pytest.mark.damages(reason="DuckDB narrows the bounds of a table that it rewrites")
def test_files_of_deleted_rows_are_those_that_duckdb_rewrites(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        for name, gone in (("most", 96), ("half", 50), ("twice", 90)):
            peer.run(f"CREATE TABLE {name} AS SELECT i FROM range(100) AS r(i)")
            peer.run(f"DELETE FROM {name} WHERE i < {gone}")
    with Peer(lake) as peer:
        peer.run("DELETE FROM twice WHERE i < 96")
    first = facts_of(lake)
    with Peer(lake) as peer:
        peer.run("CALL lake.set_option('rewrite_delete_threshold', '0.4', table_name => 'half')")
        peer.run("CALL lake.set_option('auto_compact', false, table_name => 'most')")
    second = facts_of(lake)
    with Peer(lake) as peer:
        rewritten = peer.rows("CALL ducklake_rewrite_data_files('lake')")

    names = ("most", "half", "twice")
    assert [table_of(first, name).rewrite_files for name in names] == [1, 0, 1]
    assert [table_of(second, name).rewrite_files for name in names] == [1, 1, 1]
    assert [table_of(second, name).is_compacted for name in names] == [False, True, True]
    assert sorted(name for _, name, *_ in rewritten) == ["half", "twice"]
    assert upkeep.steps(second, "lake")[3].found == (
        "Most rows are deleted in 2 files of 2 tables. "
        "Left out by the option auto_compact: 1 table."
    )
    assert table_of(first, "half").deleted_rows == 50
    twice = table_of(first, "twice")
    assert (twice.deleted_rows, twice.inlined_deletes, twice.deleted) == (90, 6, 96)


@pytest.mark.every_database
def test_the_past_is_what_duckdb_would_expire(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a", "CREATE OR REPLACE TABLE t AS SELECT 2 AS a")
        peer.run("CREATE TABLE u AS SELECT 1 AS a")
    by_example = facts_of(lake).past
    with Peer(lake) as peer:
        peer.run("CALL lake.set_option('expire_older_than', '1 hour')")
    newest = facts_of(lake).time
    by_option = facts_of(lake, newest + timedelta(minutes=50)).past
    later = facts_of(lake, newest + timedelta(hours=2)).past
    with Peer(lake) as peer:
        older = "older_than => now() + INTERVAL 1 DAY"
        expired = peer.rows(f"CALL ducklake_expire_snapshots('lake', dry_run => true, {older})")

    assert (by_example.age, by_example.is_option) == ("7 days", False)
    assert (by_option.snapshots, by_option.files, by_option.is_option) == (0, 0, True)
    assert (later.snapshots, later.files, later.age) == (len(expired), 1, "1 hour")


@ON_SQLITE
def test_a_snapshot_with_a_name_keeps_its_files(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a", "DELETE FROM t", "INSERT INTO t VALUES (2)")
        peer.run("DELETE FROM t", "INSERT INTO t VALUES (3)")
    newest = facts_of(lake).time
    without = facts_of(lake, newest + timedelta(days=9)).past
    execute(
        lake,
        """INSERT INTO ducklake_metadata VALUES
            ('spark_kept_snapshot.first', '1', NULL, NULL),
            ('spark_kept_snapshot.again', '1', NULL, NULL),
            ('spark_kept_snapshot.newest', '5', NULL, NULL)""",
    )

    facts = facts_of(lake, newest + timedelta(days=9))

    assert (without.snapshots, without.files, without.named) == (5, 2, 0)
    assert (facts.past.snapshots, facts.past.files, facts.past.named) == (4, 1, 1)
    found = upkeep.steps(facts, "lake")[1].found
    assert found.endswith("and have no name; 1 more has one.")


@ON_SQLITE
def test_a_name_for_no_number_is_told(lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER)")
    execute(
        lake, "INSERT INTO ducklake_metadata VALUES ('spark_kept_snapshot.x', 'one', NULL, NULL)"
    )

    with pytest.raises(Failure, match="The name `x` stands for the snapshot `one`"):
        facts_of(lake)


@ON_SQLITE
def test_a_reader_keeps_the_past(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a", *["INSERT INTO t VALUES (2)"] * 3)
    newest = facts_of(lake).time
    later = newest + timedelta(days=9)
    execute(
        lake,
        f"""INSERT INTO ducklake_metadata VALUES
            ('spark_reader.away', '1 {newest:%Y-%m-%dT%H:%M:%SZ}', 'table', 1),
            ('spark_reader.live', '2 {later:%Y-%m-%dT%H:%M:%SZ}', 'table', 1)""",
    )

    facts = facts_of(lake, later)

    assert (facts.past.snapshots, facts.past.readers) == (2, 1)
    found = upkeep.steps(facts, "lake")[1].found
    assert found.endswith("and needed by no reader; 1 reader keeps others.")
    assert facts_of(lake, newest).past.readers == 0


@ON_SQLITE
def test_an_age_that_the_page_cannot_read_is_told(lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run("CALL lake.set_option('expire_older_than', '1 month 2 days')")

    expiry = upkeep.steps(facts_of(lake), "lake")[1]

    assert expiry.verdict == "not known"
    assert "1 month 2 days, which the option says, is not read" in expiry.found
    assert expiry.call.endswith("expire_snapshots()")


@pytest.mark.every_database
def test_files_that_are_scheduled_are_those_that_duckdb_cleans_up(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        peer.run("CREATE TABLE t (a INTEGER)")
        peer.run(*(f"INSERT INTO t VALUES ({number})" for number in range(3)))
        peer.run("CALL ducklake_merge_adjacent_files('lake')")
        today = peer.rows(CLEANUP)
    soon = facts_of(lake).time + timedelta(hours=1)
    by_default = [facts_of(lake, now) for now in (soon, soon + timedelta(days=2))]
    with Peer(lake) as peer:
        peer.run("CALL lake.set_option('delete_older_than', '0 seconds')")
        at_once = peer.rows(CLEANUP)
    by_option = facts_of(lake, soon)

    assert [each.scheduled.due for each in by_default] == [len(today), 3] == [0, 3]
    assert by_option.scheduled.due == by_option.scheduled.files == len(at_once) == 3
    not_yet, due = (upkeep.steps(each, "lake")[4] for each in by_default)
    assert (not_yet.verdict, due.verdict) == ("nothing to do", "worth doing")
    assert not_yet.found.endswith(" UTC. 0 for longer than 2 days (delete_older_than), 3 not yet.")
    assert due.found.endswith(" UTC. 3 for longer than 2 days (delete_older_than).")


@ON_SQLITE
def test_an_age_of_files_that_the_page_cannot_read_is_told(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        peer.run(
            "CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"
        )
        peer.run("CALL ducklake_merge_adjacent_files('lake')")
        peer.run("CALL lake.set_option('delete_older_than', '1 month 2 days')")

    cleanup = upkeep.steps(facts_of(lake), "lake")[4]

    assert cleanup.verdict == "not known"
    assert cleanup.found.endswith("delete_older_than, `1 month 2 days`, is not read by this page.")


@ON_SQLITE
def test_tables_that_auto_compact_leaves_out_gain_nothing(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        peer.run("CREATE TABLE t (i INTEGER)")
        peer.run(*(f"INSERT INTO t VALUES ({number})" for number in range(5)))
        peer.run("CREATE TABLE d AS SELECT i FROM range(100) AS r(i)", "DELETE FROM d WHERE i < 96")
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (6), (7)", "CALL lake.set_option('auto_compact', false)")
        done = [
            peer.rows(f"CALL ducklake_{name}('lake')")
            for name in ("flush_inlined_data", "merge_adjacent_files", "rewrite_data_files")
        ]

    made = report(Place(lake.uri))

    flush, _, merge, rewrite, *_ = upkeep.steps(made.facts, "lake")
    assert done == [[], [], []]
    assert {each.verdict for each in (flush, merge, rewrite)} == {"nothing to do"}
    assert flush.found == merge.found == "Left out by the option auto_compact: 1 table."
    assert rewrite.found == f"96 deleted rows in files. {flush.found}"
    assert "<small>0 can be merged, 5 left out by auto_compact</small>" in made.html


@ON_SQLITE
def test_the_tile_of_deleted_rows_counts_those_in_the_catalog(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        peer.run("CREATE TABLE t AS SELECT i FROM range(20) AS r(i)")
    with Peer(lake) as peer:
        peer.run("DELETE FROM t WHERE i < 10", "INSERT INTO t VALUES (20)")
        left = peer.value("SELECT count(*) FROM t")

    made = report(Place(lake.uri))

    assert made.facts.tables[0].rows == left == 11
    assert "<dt>Deleted rows</dt><dd>50 %<small>10 in data files</small>" in made.html
    assert "10 deleted rows in files, but no file is past" in made.html


@ON_SQLITE
@pytest.mark.damages(reason="DuckDB narrows the bounds of a table that it rewrites")
def test_options_at_their_bounds_have_a_report(lake: Lake) -> None:
    with Peer(lake, FILES) as peer:
        for name in ("none", "all"):
            peer.run(f"CREATE TABLE {name}_small (i INTEGER)")
            peer.run(*(f"INSERT INTO {name}_small VALUES ({number})" for number in range(2)))
        peer.run("CREATE TABLE d AS SELECT i FROM range(100) AS r(i)", "DELETE FROM d WHERE i < 20")
        for option, value, table in (
            ("target_file_size", "0KB", "none_small"),
            # DuckDB stores 2^64 - 1, and its own merge fails then.
            ("target_file_size", "-1", "all_small"),
            ("rewrite_delete_threshold", "nan", "d"),
        ):
            peer.run(f"CALL lake.set_option('{option}', '{value}', table_name => '{table}')")
        for option in ("expire_older_than", "delete_older_than"):
            peer.run(f"CALL lake.set_option('{option}', '3000 years')")
        expired = peer.rows("CALL ducklake_expire_snapshots('lake', dry_run => true)")
        merged = peer.rows("CALL ducklake_merge_adjacent_files('lake', 'none_small')")
        facts = facts_of(lake)
        rewritten = peer.rows("CALL ducklake_rewrite_data_files('lake', 'd')")

    assert (facts.past.snapshots, facts.past.age, expired) == (0, "3000 years", [])
    assert (table_of(facts, "none_small").small_files, merged) == (0, [])
    assert table_of(facts, "all_small").small_files == 2
    assert table_of(facts, "d").rewrite_files == len(rewritten) == 1
    assert facts.scheduled.due == 0


def test_an_option_that_is_no_number_is_told() -> None:
    damaged = Options({("target_file_size", None, None): "large"})

    with pytest.raises(Failure, match="option target_file_size of the lake is `large`"):
        damaged.limits(1, 0)
