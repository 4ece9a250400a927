"""CALL merge_adjacent_files with `apply_deletes`: few files are left, and the past stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.compacting import (
    by_duckdb,
    by_spark,
    file_rows,
    make_tables,
    merge,
    scheduled,
    unlike,
)
from support.flushing import Rows, differences
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, committed_by_peers

Register = Callable[..., str]

KEPT = "CALL lake.set_option('data_inlining_row_limit', '5', table_name => '{t}')"
"""From here on the catalog itself keeps small deletes of a table."""

ALL_DELETED = {
    "plain": (
        "CREATE TABLE plain (i INT, s VARCHAR)",
        *(
            f"INSERT INTO plain SELECT i, 's' || i FROM range({n}, {n + 9}) r(i)"
            for n in (0, 9, 18)
        ),
        "DELETE FROM plain WHERE i % 9 = 1",
        "DELETE FROM plain WHERE i IN (2, 21)",
    ),
    "parts": (
        "CREATE TABLE parts (k VARCHAR, v INT)",
        "ALTER TABLE parts SET PARTITIONED BY (k)",
        *(f"INSERT INTO parts SELECT 'a b', i FROM range({n}) r(i)" for n in (6, 7, 8)),
        *(f"INSERT INTO parts SELECT NULL, i FROM range({n}) r(i)" for n in (5, 6)),
        "DELETE FROM parts WHERE v = 2",
    ),
    "kept": (
        "CREATE TABLE kept (i INT)",
        KEPT.replace("{t}", "kept"),
        *(f"INSERT INTO kept SELECT i FROM range({n}, {n + 9}) r(i)" for n in (0, 9, 18)),
        "DELETE FROM kept WHERE i % 9 = 0",
        "DELETE FROM kept WHERE i = 10",
    ),
    "updated": (
        "CREATE TABLE updated (i INT, s VARCHAR)",
        *(f"INSERT INTO updated SELECT i, 'a' FROM range({n}, {n + 9}) r(i)" for n in (0, 9)),
        "UPDATE updated SET s = 'b' WHERE i IN (4, 5, 13)",
        "DELETE FROM updated WHERE i IN (5, 6)",
    ),
}
"""Tables of which every file has lost a row: DuckDB's rewrite makes the same of them."""

MIXED = {
    "mixed": (
        "CREATE TABLE mixed (i INT, s VARCHAR)",
        *(
            f"INSERT INTO mixed SELECT i, 's' || i FROM range({n}, {n + 9}) r(i)"
            for n in range(0, 54, 9)
        ),
        "DELETE FROM mixed WHERE i IN (10, 29)",
        "INSERT INTO mixed VALUES (100, 'late')",
    ),
    "one": (
        "CREATE TABLE one (i INT)",
        *(f"INSERT INTO one SELECT i FROM range({n}, {n + 9}) r(i)" for n in (0, 9)),
        "DELETE FROM one WHERE i = 3",
    ),
    "gone": (
        "CREATE TABLE gone (i INT)",
        *(f"INSERT INTO gone SELECT i FROM range({n}, {n + 9}) r(i)" for n in (0, 9, 18)),
        KEPT.replace("{t}", "gone"),
        *(f"DELETE FROM gone WHERE i BETWEEN {n} AND {n + 4}" for n in (0, 5)),
    ),
    "shapes": (
        "CREATE TABLE shapes (i INT, s VARCHAR)",
        *(f"INSERT INTO shapes SELECT i, 's' || i FROM range({n}, {n + 9}) r(i)" for n in (0, 9)),
        "DELETE FROM shapes WHERE i % 9 = 4",
        "ALTER TABLE shapes ADD COLUMN x INT DEFAULT 7",
        "INSERT INTO shapes SELECT i, 'a', 1 FROM range(20, 30) r(i)",
    ),
}
"""Tables with files that lost rows beside files that did not."""

APPLIED = "apply_deletes => true"


def past(answer: dict[Any, Rows]) -> dict[Any, Rows]:
    """What is read of the past."""
    return {key: rows for key, rows in answer.items() if key[1] != "head"}


def rows_now(answer: dict[Any, Rows]) -> dict[Any, list[Any]]:
    """The rows with their row ids, without their snapshots."""
    return {
        key[0]: sorted((row[0], *row[2:]) for row in rows)
        for key, rows in answer.items()
        if key[1] == "head"
    }


def live(lake: Lake, table: str) -> int:
    """How many files a table has."""
    (id,) = {r["table_id"] for r in read_catalog(lake).rows("table") if r["table_name"] == table}
    files = read_catalog(lake).rows("data_file")
    return len([r for r in files if r["table_id"] == id and r["end_snapshot"] is None])


@pytest.mark.every_database
def test_files_with_deletes_become_what_duckdbs_rewrite_makes_of_them(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake, twin = lakes.new(kind), lakes.new(kind)
    spans = make_tables(lake, ALL_DELETED)
    assert make_tables(twin, ALL_DELETED) == spans
    catalog = register(lake)
    before, ours = by_duckdb(lake, spans), by_spark(spark, catalog, spans)
    waiting = scheduled(lake)

    found: dict[str, Rows] = {}
    for name in ALL_DELETED:
        with Peer(twin) as peer:
            call = f"CALL ducklake_rewrite_data_files('lake', '{name}', delete_threshold => 0)"
            theirs = peer.rows(call)
        assert merge(spark, catalog, f"'{name}'") == []
        if name == "updated":  # the file that UPDATE wrote lost a row, too
            assert len(theirs) == 1
        done = merge(spark, catalog, f"'{name}', {APPLIED}")
        assert (name, sorted(done)) == (name, sorted(theirs))
        found[name] = unlike(file_rows(lake, name), file_rows(twin, name))
        assert merge(spark, catalog, f"'{name}', {APPLIED}") == []

    assert "\n".join(str(row) for rows in found.values() for row in rows) == ""
    after = by_duckdb(lake, spans)
    assert differences(past(before), past(after)) == {}
    assert differences(by_duckdb(twin, spans), after) == {}
    assert differences(ours, by_spark(spark, catalog, spans)) == {}
    assert scheduled(lake) == waiting
    assert check(lake, Scope(committed_by_peers[lake.uri])) == []


@pytest.mark.every_database
def test_files_without_deletes_are_merged_with_them_and_history_stays(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake = lakes.new(kind)
    spans = make_tables(lake, MIXED)
    catalog = register(lake)
    before, ours = by_duckdb(lake, spans), by_spark(spark, catalog, spans)

    done = {name: merge(spark, catalog, f"'{name}', {APPLIED}") for name in MIXED}

    assert {name: [row[2:] for row in rows] for name, rows in done.items()} == {
        "mixed": [(2, 1), (6, 1)],
        "one": [(1, 1), (2, 1)],
        "gone": [(2, 1), (2, 1)],
        "shapes": [(2, 1), (2, 1)],
    }
    assert {name: live(lake, name) for name in MIXED} == dict.fromkeys(MIXED, 1)
    after = by_duckdb(lake, spans)
    assert differences(past(before), past(after)) == {}
    assert rows_now(before) == rows_now(after)
    assert differences(ours, by_spark(spark, catalog, spans)) == {}
    with Peer(lake) as peer:
        first, head = spans["mixed"][1] + 1, peer.head()
        feed = f"ducklake_table_changes('lake', 'main', 'mixed', {first}, {head})"
        moved = peer.rows(f"SELECT change_type, count(*) FROM {feed} GROUP BY ALL ORDER BY ALL")
    # Only the rows of the two files that lost rows show, each as an update to the same values.
    assert moved == [("update_postimage", 16), ("update_preimage", 16)]
    assert check(lake, Scope(committed_by_peers[lake.uri])) == []


def test_sizes_and_partitions_limit_which_files_are_taken(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    tables = {
        name: (
            f"CREATE TABLE {name} (k INT, s VARCHAR)",
            f"ALTER TABLE {name} SET PARTITIONED BY (k)",
            *(
                f"INSERT INTO {name} SELECT {k}, md5(i::VARCHAR) FROM range({rows}) r(i)"
                for k, rows in ((1, 3), (1, 4), (2, 3), (3, 900), (3, 901), (3, 5), (3, 6))
            ),
            f"DELETE FROM {name} WHERE s = md5('1')",
        )
        for name in ("t", "off")
    }
    tables["off"] += ("CALL lake.set_option('auto_compact', 'false', table_name => 'off')",)
    make_tables(lake, tables)
    catalog = register(lake)

    small = merge(spark, catalog, f"'t', max_file_size => 20000, {APPLIED}")
    shown = spark.sql(
        f"CALL {catalog}.system.merge_adjacent_files('t', {APPLIED}, show_partitions => true)"
    ).collect()
    left_out = merge(spark, catalog, f"'off', {APPLIED}")

    assert small == [("main", "t", 2, 1), ("main", "t", 2, 1)]
    assert [(row.files_processed, row.files_created, row.partition) for row in shown] == [
        (2, 1, {"k": "3"}),
        (2, 1, {"k": "3"}),
    ]
    assert left_out == []
    assert live(lake, "t") == 3
    with Peer(lake) as peer:
        assert peer.rows("SELECT k, count(*) FROM t GROUP BY k ORDER BY k") == [
            *((1, 5), (2, 2), (3, 1808)),
        ]


def test_an_encrypted_lake_keeps_its_keys(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    catalog = register(lake, {"encrypted": "true", "data-inlining-row-limit": "0"})
    spark.sql(f"CREATE TABLE {catalog}.main.t (id BIGINT)")
    for start in (0, 100):
        spark.sql(
            f"INSERT INTO {catalog}.main.t SELECT id FROM range({start}, {start + 100}, 1, 1)"
        )
    spark.sql(f"DELETE FROM {catalog}.main.t WHERE id % 100 = 7")

    assert merge(spark, catalog, APPLIED) == [("main", "t", 2, 1)]

    assert spark.sql(f"SELECT count(*), sum(id) FROM {catalog}.main.t").collect() == [
        (198, 199 * 100 - 7 - 107)
    ]
    files = read_catalog(lake).rows("data_file")
    assert all(row["encryption_key"] for row in files)


@pytest.mark.every_database
def test_a_checkpoint_says_what_it_did(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake = lakes.new(kind)
    tables = {
        "t": (
            "CREATE TABLE t (i INT)",
            *(
                f"INSERT INTO t SELECT i FROM range({n}, {n + 100}) r(i)"
                for n in range(0, 400, 100)
            ),
            "DELETE FROM t WHERE i % 100 = 7",
            KEPT.replace("{t}", "t"),
            "INSERT INTO t VALUES (1000)",
        ),
        "off": (
            "CREATE TABLE off (i INT)",
            "CALL lake.set_option('auto_compact', 'false', table_name => 'off')",
        ),
    }
    make_tables(lake, tables)
    catalog = register(lake)

    plain = spark.sql(f"CALL {catalog}.system.checkpoint(apply_deletes => false)").collect()
    rows = spark.sql(f"CALL {catalog}.system.checkpoint()").collect()
    again = spark.sql(f"CALL {catalog}.system.checkpoint()").collect()

    of_plain = [(row.step, row.table_name, row.rows_flushed) for row in plain if not row.note]
    assert of_plain == [("flush_inlined_data", "t", 1)]
    left_out = ("off", "auto_compact is false")
    assert [(row.step, row.table_name, row.note) for row in rows if row.note] == [
        ("flush_inlined_data", *left_out),
        ("expire_snapshots", None, "expire_older_than is not set"),
        ("merge_adjacent_files", *left_out),
        ("rewrite_data_files", *left_out),
        *((step, None, "nothing to do") for step in ("recompute_statistics", "cleanup_old_files")),
        ("delete_orphaned_files", None, "nothing to do"),
    ]
    (merged,) = [row for row in rows if row.step == "merge_adjacent_files" and not row.note]
    assert (merged.table_name, merged.files_processed, merged.files_created) == ("t", 6, 2)
    assert min(merged.bytes_processed, merged.bytes_created) > 0
    assert merged.conflicts == 0
    assert [row for row in again if not row.note] == []
    assert live(lake, "t") == 1
