"""CALL rewrite_data_files and checkpoint: the catalog is DuckDB's, and the past stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.compacting import (
    Spans,
    by_duckdb,
    by_spark,
    file_rows,
    make_tables,
    rewrite,
    scheduled,
    unlike,
)
from support.flushing import Rows, differences, texts
from support.invariants import Scope, check
from support.lakes import CATALOG_KINDS, CatalogKind, Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.sweep import FULL

Register = Callable[..., str]

KEPT = "CALL lake.set_option('data_inlining_row_limit', '5', table_name => '{t}')"
"""From here on the catalog itself keeps small deletes of a table."""

SAME = {
    "plain": (
        "CREATE TABLE plain (i INT, s VARCHAR)",
        *(f"INSERT INTO plain SELECT i, 's' || i FROM range({n}, {n + 9}) r(i)" for n in (0, 9)),
        "INSERT INTO plain SELECT i, NULL FROM range(20, 40) r(i)",
        "DELETE FROM plain WHERE i IN (0, 1, 2, 3, 10, 11, 12)",
        "DELETE FROM plain WHERE i IN (4, 21)",
    ),
    "shapes": (
        "CREATE TABLE shapes (i INT, s VARCHAR)",
        "INSERT INTO shapes SELECT i, 's' || i FROM range(9) r(i)",
        "DELETE FROM shapes WHERE i > 5",
        "ALTER TABLE shapes ADD COLUMN x INT DEFAULT 7",
        "INSERT INTO shapes SELECT i, 'a', 1 FROM range(20, 30) r(i)",
        "ALTER TABLE shapes DROP COLUMN s",
        "ALTER TABLE shapes ALTER COLUMN i TYPE BIGINT",
        "ALTER TABLE shapes RENAME COLUMN x TO y",
        "INSERT INTO shapes SELECT i, 3 FROM range(30, 34) r(i)",
        "DELETE FROM shapes WHERE i IN (23, 24, 25, 26, 30, 31)",
    ),
    "parts": (
        "CREATE TABLE parts (k VARCHAR, v INT)",
        "INSERT INTO parts SELECT 'a', i FROM range(5) r(i)",
        "ALTER TABLE parts SET PARTITIONED BY (k)",
        *(f"INSERT INTO parts SELECT 'a b', i FROM range({n}) r(i)" for n in (6, 7, 8)),
        "INSERT INTO parts SELECT NULL, i FROM range(5) r(i)",
        "DELETE FROM parts WHERE v IN (1, 2, 3)",
    ),
    "kept": (
        "CREATE TABLE kept (i INT)",
        KEPT.replace("{t}", "kept"),
        *(f"INSERT INTO kept SELECT i FROM range({n}, {n + 9}) r(i)" for n in (0, 9, 18)),
        "DELETE FROM kept WHERE i IN (0, 1, 2, 3)",
        "DELETE FROM kept WHERE i IN (9, 10, 11, 12)",
        "DELETE FROM kept WHERE i IN (13, 14, 15, 16)",
        "DELETE FROM kept WHERE i = 17",
        "INSERT INTO kept VALUES (100)",
    ),
    "gone": (
        "CREATE TABLE gone (i INT)",
        KEPT.replace("{t}", "gone"),
        "INSERT INTO gone SELECT i FROM range(6) r(i)",
        "INSERT INTO gone SELECT i FROM range(100, 106) r(i)",
        "DELETE FROM gone WHERE i IN (0, 1, 2)",
        "DELETE FROM gone WHERE i IN (3, 4, 5)",
    ),
    "mixed": (
        "CREATE TABLE mixed (i INT)",
        "INSERT INTO mixed SELECT i FROM range(20) r(i)",
        "DELETE FROM mixed WHERE i IN (3, 4, 5, 6, 7, 8)",
        KEPT.replace("{t}", "mixed"),
        "DELETE FROM mixed WHERE i IN (10, 11)",
    ),
    "merged": (
        "CREATE TABLE merged (i INT)",
        *(f"INSERT INTO merged SELECT i FROM range({n}, {n + 9}) r(i)" for n in (0, 9, 18)),
        "CALL ducklake_merge_adjacent_files('lake', 'merged')",
        "DELETE FROM merged WHERE i % 3 = 0",
        "DELETE FROM merged WHERE i % 3 = 1",
    ),
    "updated": (
        "CREATE TABLE updated (i INT, s VARCHAR)",
        "INSERT INTO updated SELECT i, 'a' FROM range(9) r(i)",
        "UPDATE updated SET s = 'b' WHERE i > 3",
        "DELETE FROM updated WHERE i IN (4, 5, 6)",
    ),
    "sorted": (
        "CREATE TABLE sorted (i INT, s VARCHAR)",
        "INSERT INTO sorted SELECT i, 'a' FROM range(9) r(i)",
        "ALTER TABLE sorted SET SORTED BY (i DESC)",
        "DELETE FROM sorted WHERE i IN (2, 3, 4, 5)",
    ),
    "added": (
        "CREATE TABLE added (i INT, s VARCHAR)",
        "COPY (SELECT i::INT AS i, 'f' AS s FROM range(9) r(i)) TO '{d}/r1.parquet'",
        "COPY (SELECT 'g' || i AS s FROM range(9) r(i)) TO '{d}/r2.parquet'",
        "CALL ducklake_add_data_files('lake', 'added', '{d}/r1.parquet')",
        "CALL ducklake_add_data_files('lake', 'added', '{d}/r2.parquet', allow_missing => true)",
        "INSERT INTO added SELECT NULL, 'h' FROM range(9)",
        "DELETE FROM added WHERE rowid % 2 = 0",
    ),
}

SETTINGS = {"data-inlining-row-limit": "0"}


def chosen(kind: CatalogKind) -> dict[str, tuple[str, ...]]:
    """The tables that are looked at: a part of them for each kind of catalog database."""
    start, step = (0, 1) if FULL else (CATALOG_KINDS.index(kind), 3)
    return {name: SAME[name] for name in list(SAME)[start::step]}


def past(answer: dict[Any, Rows]) -> dict[Any, Rows]:
    """What is read of the past."""
    return {key: rows for key, rows in answer.items() if key[1] != "head"}


def last_changes(lake: Lake, spans: Spans) -> dict[str, Rows]:
    """What DuckDB reports of the changes since each table was made."""
    with Peer(lake) as peer:
        head = peer.head()
        feed = "ducklake_table_changes('lake', 'main', '{t}', {a}, {b})"
        return {
            name: texts(peer.rows(f"SELECT * FROM {feed.format(t=name, a=last + 1, b=head)}"))
            for name, (_, last) in spans.items()
        }


@pytest.mark.every_database
def test_the_catalog_is_that_of_duckdb_and_the_past_stays(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake, twin = lakes.new(kind), lakes.new(kind)
    tables = chosen(kind)
    spans = make_tables(lake, tables)
    assert make_tables(twin, tables) == spans
    catalog = register(lake)
    before, ours = by_duckdb(lake, spans), by_spark(spark, catalog, spans)
    waiting = scheduled(lake)

    found: dict[str, Rows] = {}
    for name in tables:
        with Peer(twin) as peer:
            call = f"CALL ducklake_rewrite_data_files('lake', '{name}', delete_threshold => 0.3)"
            theirs = peer.rows(call)

        done = rewrite(spark, catalog, f"'{name}', delete_threshold => 0.3")
        assert (name, sorted(done)) == (name, sorted(theirs))
        assert theirs != []
        found[name] = unlike(file_rows(lake, name), file_rows(twin, name))
        assert rewrite(spark, catalog, f"'{name}', delete_threshold => 0.3") == []

    assert "\n".join(str(row) for rows in found.values() for row in rows) == ""
    after = by_duckdb(lake, spans)
    assert differences(past(before), past(after)) == {}
    assert differences(by_duckdb(twin, spans), after) == {}
    assert differences(ours, by_spark(spark, catalog, spans)) == {}
    assert last_changes(lake, spans) == last_changes(twin, spans)
    assert scheduled(lake) == waiting
    theirs_made, ours_made = read_catalog(twin), read_catalog(lake)
    assert [row["snapshot_id"] for row in ours_made.rows("snapshot")] == [
        row["snapshot_id"] for row in theirs_made.rows("snapshot")
    ]
    assert check(lake, Scope(committed_by_peers[lake.uri])) == []


def test_bounds_of_the_table_stay_and_no_engine_trusts_them(
    lakes: LakeFactory, register: Register, spark: SparkSession
) -> None:
    """DuckDB takes narrower bounds, and then leaves out rows of past snapshots.

    It takes MIN and MAX from the bounds when the table has as many rows as its files.
    """
    lake, twin = lakes.new("sqlite"), lakes.new("sqlite")
    tables = {
        "t": (
            "CREATE TABLE t (i INT)",
            *(f"INSERT INTO t SELECT i FROM range({n}, {n + 100}) r(i)" for n in (0, 100)),
            "DELETE FROM t WHERE i < 60 OR i BETWEEN 140 AND 199",
        )
    }
    for each in (lake, twin):
        make_tables(each, tables)
    with Peer(twin) as peer:
        peer.run("CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.5)")

    catalog = register(lake)
    assert rewrite(spark, catalog, "delete_threshold => 0.5") == [("main", "t", 2, 1)]

    (ours,), (theirs,) = (read_catalog(each).rows("table_stats") for each in (lake, twin))
    assert (ours["record_count"], ours["next_row_id"]) == (200, 200)
    assert (theirs["record_count"], theirs["next_row_id"]) == (80, 200)
    live = [r for r in read_catalog(lake).rows("data_file") if r["end_snapshot"] is None]
    assert ours["file_size_bytes"] == sum(row["file_size_bytes"] for row in live)
    (bounds,) = read_catalog(lake).rows("table_column_stats")
    assert (bounds["min_value"], bounds["max_value"]) == ("0", "199")
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*) FROM t AT (VERSION => 3) WHERE i < 10") == [(10,)]
        assert peer.rows("SELECT count(*), min(i), max(i) FROM t") == [(80, 60, 139)]


def test_thresholds_and_options_are_obeyed(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    deleted = {"few": 10, "half": 50, "most": 95, "none": 0, "off": 95}
    tables = {
        name: [
            f"CREATE TABLE {name} (i INT)",
            f"INSERT INTO {name} SELECT i FROM range(100) r(i)",
            *([f"DELETE FROM {name} WHERE i < {count}"] if count else []),
        ]
        for name, count in deleted.items()
    }
    tables["off"].append("CALL lake.set_option('auto_compact', 'false', table_name => 'off')")
    make_tables(lake, tables)
    catalog = register(lake)

    for wrong in ("-0.01", "1.01", "double('NaN')"):
        with pytest.raises(PySparkException, match="between 0 and 1") as error:
            rewrite(spark, catalog, f"delete_threshold => {wrong}")
        assert error.value.getCondition() == "DUCKLAKE_INVALID_ARGUMENT"
    with pytest.raises(PySparkException, match="nothing"):
        rewrite(spark, catalog, "'nothing'")

    assert rewrite(spark, catalog) == [("main", "most", 1, 1)]
    assert rewrite(spark, catalog, "delete_threshold => 0.51") == []
    assert rewrite(spark, catalog, "delete_threshold => 0.5") == [("main", "half", 1, 1)]
    option = "'rewrite_delete_threshold', '0.1', table_name => 'few'"
    spark.sql(f"CALL {catalog}.system.set_option({option})").collect()
    assert rewrite(spark, catalog, "schema => 'main'") == [("main", "few", 1, 1)]
    assert rewrite(spark, catalog, "delete_threshold => 0") == []
    assert rewrite(spark, catalog, "'off', delete_threshold => 0") == []


def test_new_files_keep_the_target_size(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """DuckDB makes one file of all, however large."""
    lake = lakes.new("sqlite")
    tables = {
        "t": (
            "CREATE TABLE t (s VARCHAR)",
            *(
                f"INSERT INTO t SELECT md5((i + {n})::VARCHAR) FROM range(200) r(i)"
                for n in range(0, 1200, 200)
            ),
            "DELETE FROM t WHERE rowid % 2 = 0",
            "CALL lake.set_option('target_file_size', '10000B', table_name => 't')",
        )
    }
    make_tables(lake, tables)

    done = rewrite(spark, register(lake), "'t', delete_threshold => 0.5")

    assert done == [("main", "t", 3, 1), ("main", "t", 3, 1)]
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*), min(rowid), max(rowid) FROM t") == [(600, 1, 1199)]
    assert check(lake, Scope(committed_by_peers[lake.uri], is_free_of_orphans=True)) == []


def test_a_checkpoint_does_all_steps_and_tells_failures_at_the_end(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    tables = {
        "small": ["CREATE TABLE small (i INT)", *["INSERT INTO small VALUES (1)"] * 3],
        "deleted": [
            "CREATE TABLE deleted (i INT)",
            "INSERT INTO deleted SELECT i FROM range(100) r(i)",
            "DELETE FROM deleted WHERE i < 99",
        ],
        "kept": [
            "CREATE TABLE kept (i INT)",
            KEPT.replace("{t}", "kept"),
            "INSERT INTO kept VALUES (1)",
        ],
    }
    spans = make_tables(lake, tables)
    with Peer(lake) as peer:
        peer.run(
            "CALL lake.set_option('expire_older_than', '0 seconds')",
            "CALL lake.set_option('delete_older_than', '0 seconds')",
        )
    orphan = lake.data_path / "main" / "small" / f"ducklake-{UUID(int=7)}.parquet"
    orphan.write_bytes(b"PAR1")
    catalog = register(lake)

    called = spark.sql(f"CALL {catalog}.system.checkpoint()").collect()

    assert [(row.step, row.table_name) for row in called if row.note is None] == [
        ("flush_inlined_data", "kept"),
        ("expire_snapshots", None),
        ("merge_adjacent_files", "small"),
        ("rewrite_data_files", "deleted"),
        *((step, None) for step in ("cleanup_old_files", "delete_orphaned_files")),
    ]
    made = read_catalog(lake)
    changes = [row["changes_made"] for row in made.rows("snapshot_changes")]
    steps = ("inline_flush", "merge_adjacent", "rewrite_delete")
    assert [next(s for s in steps if f"{s}:" in text) for text in changes[-3:]] == list(steps)
    assert made.rows("files_scheduled_for_deletion") == []
    live = [row for row in made.rows("data_file") if row["end_snapshot"] is None]
    assert len(live) == 3
    with Peer(lake) as peer:
        counts = [peer.rows(f"SELECT count(*) FROM {name}") for name in spans]
    assert counts == [[(3,)], [(1,)], [(1,)]]
    assert check(lake, Scope(frozenset(), is_free_of_orphans=True)) == []

    with Peer(lake) as peer:
        peer.run("ALTER TABLE kept ADD COLUMN n VARIANT")
        for value in ("{'a': TIME '12:00:00'}", "1"):
            peer.run(f"INSERT INTO kept SELECT 1, {value}::VARIANT FROM range(9)")
        peer.run(*["INSERT INTO small SELECT 1 FROM range(9)"] * 2)
    with pytest.raises(PySparkException, match="column `n` Spark cannot carry") as error:
        spark.sql(f"CALL {catalog}.system.checkpoint()").collect()
    assert error.value.getCondition() == "DUCKLAKE_MAINTENANCE_INCOMPLETE"
    done = "rewrite_data_files, recompute_statistics, cleanup_old_files, delete_orphaned_files"
    assert done in str(error.value)
    assert rewrite(spark, catalog, "delete_threshold => 0") == []
    assert len([row for row in file_rows(lake, "small") if row[4] == "data_file"]) == 1
