"""CALL recompute_statistics: bounds of rows that are gone go, and no engine misses a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.compacting import rewrite
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, committed_by_peers, made

Register = Callable[..., str]


def recompute(spark: SparkSession, catalog: str, arguments: str = "") -> list[tuple[Any, ...]]:
    """The result of the procedure."""
    called = spark.sql(f"CALL {catalog}.system.recompute_statistics({arguments})")
    assert called.columns == ["schema_name", "table_name", "snapshot_id"]
    return [tuple(row) for row in called.collect()]


def bounds(lake: Lake, table: str = "t") -> dict[str, tuple[Any, Any]]:
    """The stored bounds of the columns of a table, by the names that they have now."""
    catalog = read_catalog(lake)
    (id,) = {r["table_id"] for r in catalog.rows("table") if r["table_name"] == table}
    names = {
        r["column_id"]: r["column_name"]
        for r in catalog.rows("column")
        if r["table_id"] == id and r["end_snapshot"] is None
    }
    return {
        names[r["column_id"]]: (r["min_value"], r["max_value"])
        for r in catalog.rows("table_column_stats")
        if r["table_id"] == id
    }


def expire_all(spark: SparkSession, catalog: str) -> None:
    """All snapshots but the newest go."""
    spark.sql(f"CALL {catalog}.system.expire_snapshots(older_than => now())").collect()


def records(lake: Lake) -> int:
    """The number of rows by the statistics of the only table."""
    (row,) = read_catalog(lake).rows("table_stats")
    return int(row["record_count"])


@pytest.mark.every_database
def test_bounds_of_rows_that_are_gone_go_with_the_last_snapshot_that_has_them(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake = lakes.new(kind)
    made(
        lake,
        "CREATE TABLE t (i INT, s VARCHAR, d DATE, f DOUBLE, z INTERVAL, b BLOB)",
        "INSERT INTO t SELECT i, 's' || (100 + i), DATE '2020-01-01' + i::INT, i / 4,"
        " to_days(i::INT), ('b' || i)::BLOB FROM range(100) r(i)",
        "DELETE FROM t WHERE i < 10 OR i > 89",
    )
    catalog = register(lake)
    first = bounds(lake)

    rewrite(spark, catalog, "delete_threshold => 0")
    assert recompute(spark, catalog) == []
    assert bounds(lake) == first
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM t AT (VERSION => 2) WHERE i < 10") == 10
        assert peer.rows("SELECT min(i), max(i) FROM t") == [(10, 89)]
    expire_all(spark, catalog)
    ((_, _, snapshot),) = recompute(spark, catalog, "'t'")
    assert recompute(spark, catalog, "'t'") == []

    narrow = bounds(lake)
    assert narrow["i"] == ("10", "89")
    assert narrow["s"] == ("s110", "s189")
    assert narrow["d"] == ("2020-01-11", "2020-03-30")
    assert narrow["f"] == ("2.5", "22.25")
    assert records(lake) == 80
    changes = read_catalog(lake).rows("snapshot_changes")
    assert [(r["snapshot_id"], r["changes_made"]) for r in changes][-1] == (snapshot, None)
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*), min(i), max(i), min(s) FROM t") == [(80, 10, 89, "s110")]
        assert peer.rows("SELECT count(*) FROM t WHERE i = 10 OR s = 's189'") == [(2,)]
        peer.run("INSERT INTO t (i) SELECT 500 FROM range(20)")
        assert peer.rows("SELECT max(i), count(*) FROM t WHERE i > 80") == [(500, 29)]
        assert len(peer.rows("FROM ducklake_snapshots('lake')")) >= 3
    assert bounds(lake)["i"] == ("10", "500")
    assert check(lake, Scope(committed_by_peers[lake.uri])) == []


@pytest.mark.every_database
def test_inlined_rows_count_and_so_do_those_that_have_ended(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake = lakes.new(kind)
    made(
        lake,
        "CREATE TABLE t (i INT, s VARCHAR)",
        "INSERT INTO t SELECT i, 'x' FROM range(20, 40) r(i)",
        "INSERT INTO t VALUES (1, 'a'), (99, 'z')",
        "DELETE FROM t WHERE i = 1",
        "ALTER TABLE t ADD COLUMN l BIGINT DEFAULT 7",
        "INSERT INTO t VALUES (50, 'm', 12)",
        limit=10,
    )
    catalog = register(lake)

    recompute(spark, catalog)
    while_kept = bounds(lake)
    for call in ("flush_inlined_data('t')", "rewrite_data_files('t', delete_threshold => 0)"):
        spark.sql(f"CALL {catalog}.system.{call}").collect()
    expire_all(spark, catalog)
    recompute(spark, catalog)

    assert while_kept["i"] == ("1", "99")
    assert while_kept["s"] == ("a", "z")
    assert (bounds(lake)["i"], bounds(lake)["s"]) == (("20", "99"), ("m", "z"))
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*) FROM t WHERE l = 7") == [(21,)]
        assert peer.rows("SELECT count(*) FROM t WHERE l IS NULL") == [(0,)]
        assert peer.rows("SELECT min(i), max(i), max(l) FROM t") == [(20, 99, 12)]
    assert check(lake, Scope(committed_by_peers[lake.uri])) == []


def test_unknown_bounds_have_no_row_and_known_ones_get_one(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (i INT, s VARCHAR, n VARCHAR)",
        "INSERT INTO t SELECT i, repeat('ü', 300), NULL FROM range(20) r(i)",
        "INSERT INTO t SELECT i, 'a', NULL FROM range(20, 40) r(i)",
    )
    catalog = register(lake)
    spark.sql(f"INSERT INTO {catalog}.t SELECT CAST(id AS INT), 'b', NULL FROM range(40, 60)")
    recompute(spark, catalog)
    with_long = bounds(lake)
    spark.sql(f"DELETE FROM {catalog}.t WHERE i < 20")
    expire_all(spark, catalog)

    assert [row[1] for row in recompute(spark, catalog)] == ["t"]

    assert with_long == {"i": ("0", "59"), "n": (None, None)}
    assert bounds(lake) == {"i": ("20", "59"), "s": ("a", "b"), "n": (None, None)}
    with Peer(lake) as peer:
        peer.run("INSERT INTO t SELECT 1, 'c', 'd' FROM range(20)")
        assert peer.rows("SELECT count(*) FROM t WHERE s = 'a'") == [(20,)]
        assert peer.rows("SELECT count(*) FROM t WHERE n IS NULL") == [(40,)]


def test_what_duckdbs_rewrite_narrowed_holds_for_the_past_again(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (i INT)",
        "INSERT INTO t SELECT i FROM range(100) r(i)",
        "DELETE FROM t WHERE i < 60",
        "CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0)",
    )
    in_the_past = "SELECT count(*) FROM t AT (VERSION => 2) WHERE i < 10"
    with Peer(lake) as peer:
        lost = peer.value(in_the_past)

    recompute(spark, register(lake))

    assert lost == 0  # DuckDB applies the bounds of today
    assert (
        records(lake) == 41
    )  # one more than the table has, so that nobody takes 0 for its minimum
    with Peer(lake) as peer:
        assert peer.value(in_the_past) == 10
        assert peer.rows("SELECT count(*), min(i), max(i) FROM t") == [(40, 60, 99)]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_session_of_duckdb_that_is_at_work_loses_no_bounds(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake = lakes.new(kind)
    made(
        lake,
        "CREATE TABLE t (i INT)",
        "INSERT INTO t SELECT i FROM range(100) r(i)",
        "INSERT INTO t SELECT i FROM range(200, 300) r(i)",
        "DELETE FROM t WHERE i < 100",
    )
    catalog = register(lake)
    expire_all(spark, catalog)

    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        assert peer.value("SELECT min(i) FROM t") == 200
        if kind == "postgres":  # SQLite has one writer at a time, and DuckDB's does not wait
            peer.run("BEGIN", "INSERT INTO t SELECT 1000")
        recompute(spark, catalog)
        if kind == "postgres":
            peer.run("COMMIT")
        peer.run("INSERT INTO t SELECT 150")
        assert peer.rows("SELECT count(*) FROM t WHERE i IN (150, 200)") == [(2,)]

    assert bounds(lake)["i"] == ("150", "1000" if kind == "postgres" else "299")
    assert check(lake, Scope(committed_by_peers[lake.uri])) == []


def test_tables_are_chosen_as_by_other_procedures(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    statements = ["CREATE SCHEMA s", "CREATE TABLE empty (i INT)"]
    for name in ("a", "s.b"):
        statements += [
            f"CREATE TABLE {name} (i INT)",
            f"INSERT INTO {name} SELECT i FROM range(100) r(i)",
            f"INSERT INTO {name} SELECT i FROM range(200, 300) r(i)",
            f"DELETE FROM {name} WHERE i < 100",
        ]
    made(lake, *statements)
    catalog = register(lake)
    expire_all(spark, catalog)

    with pytest.raises(PySparkException, match="nothing"):
        recompute(spark, catalog, "'nothing'")
    assert [row[:2] for row in recompute(spark, catalog, "schema => 's'")] == [("s", "b")]
    assert [row[:2] for row in recompute(spark, catalog)] == [("main", "a")]


@pytest.mark.every_database
def test_a_checkpoint_narrows_bounds(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake = lakes.new(kind)
    made(
        lake,
        "CREATE TABLE t (i INT)",
        "INSERT INTO t SELECT i FROM range(100) r(i)",
        "INSERT INTO t SELECT i FROM range(200, 300) r(i)",
        "DELETE FROM t WHERE i < 100",
        "CALL lake.set_option('expire_older_than', '0 seconds')",
    )
    catalog = register(lake)

    rows = spark.sql(f"CALL {catalog}.system.checkpoint()").collect()

    (row,) = [row for row in rows if row.step == "recompute_statistics"]
    assert (row.table_name, row.note.startswith("statistics changed")) == ("t", True)
    assert bounds(lake)["i"] == ("200", "299")
