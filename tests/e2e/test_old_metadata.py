"""CALL cleanup_old_metadata: what goes that nothing needs, and that both engines miss nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.catalogdb import execute, read_catalog
from support.expiring import history
from support.invariants import Scope, check
from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]
STEPS = (
    "CREATE TABLE t (i INT)",
    "INSERT INTO t SELECT i FROM range(40) r(i)",
    "ALTER TABLE t ADD COLUMN s VARCHAR DEFAULT 'old'",
    "ALTER TABLE t RENAME s TO u",
    "ALTER TABLE t RENAME u TO v",
    "INSERT INTO t SELECT i, 'x' FROM range(30) r(i)",
    "ALTER TABLE t ADD COLUMN w INT",
    "ALTER TABLE t DROP COLUMN w",
    "CREATE TABLE e (a INT)",
    "ALTER TABLE e ADD COLUMN b INT",
    "ALTER TABLE e ADD COLUMN c INT",
    "ALTER TABLE e SET PARTITIONED BY (a)",
    "ALTER TABLE e SET PARTITIONED BY (b)",
    "ALTER TABLE e SET SORTED BY (c)",
    "ALTER TABLE e SET SORTED BY (a)",
    "COMMENT ON COLUMN e.a IS 'one'",
    "COMMENT ON COLUMN e.a IS 'two'",
    "INSERT INTO e VALUES (1, 2, 3)",
)
"""A lake whose shapes changed between its files; of `e` only inlined rows are left."""

SNAPSHOTS = len(STEPS)


def cleaned(spark: SparkSession, catalog: str, arguments: str = "") -> dict[str, int]:
    """The rows that went, by metadata table without its prefix."""
    called = spark.sql(f"CALL {catalog}.system.cleanup_old_metadata({arguments})")
    assert called.columns == ["metadata_table", "rows"]
    return {row[0].removeprefix("ducklake_"): row[1] for row in called.collect()}


@pytest.fixture
def past(lake: Lake) -> Lake:
    """The lake of the steps, without the snapshots before its newest."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run(*STEPS)
        gone = ", ".join(str(id) for id in range(SNAPSHOTS))
        peer.rows(f"CALL ducklake_expire_snapshots('lake', versions => [{gone}])")
    return lake


def numbers(lake: Lake) -> dict[str, int]:
    """How many rows each metadata table has, and of each inlined table that there is one."""
    catalog = read_catalog(lake)
    names = [name.removeprefix("ducklake_") for name in catalog.tables]
    return {name: len(catalog.rows(name)) for name in names}


ENDED = {
    "column_tag": 1,
    "partition_column": 1,
    "partition_info": 1,
    "sort_expression": 1,
    "sort_info": 1,
}
"""What ended, and no inlined table needs."""


@pytest.mark.every_database
def test_shapes_that_nothing_needs_go(spark: SparkSession, past: Lake, register: Register) -> None:
    catalog = register(past)
    before, rows = numbers(past), history(past)

    planned = cleaned(spark, catalog, "dry_run => true")

    assert numbers(past) == before
    assert planned == ENDED
    assert cleaned(spark, catalog) == planned
    after = numbers(past)
    assert {name: before[name] - after[name] for name in before if before[name] != after[name]} == (
        planned
    )
    assert cleaned(spark, catalog) == {}
    # The first three schema versions of `t` but one, and the last but one, have no file. In their
    # time the columns s, u and w ended. The versions of `e` stay: it has inlined rows.
    shapes = {"column": 3, "inlined_data_tables": 9, "schema_versions": 3}
    assert cleaned(spark, catalog, "inlined_tables => true, dry_run => true") == shapes
    assert cleaned(spark, catalog, "inlined_tables => true") == shapes
    assert cleaned(spark, catalog, "inlined_tables => true") == {}
    assert history(past) == rows
    assert check(past, Scope(None, expired=frozenset(range(SNAPSHOTS)))) == []


def test_the_last_shape_of_a_merged_file_stays(
    spark: SparkSession, past: Lake, register: Register
) -> None:
    """DuckDB 2.0 merges files over a change of the columns; a compaction needs the last."""
    catalog = register(past)
    arguments = "inlined_tables => true, dry_run => true"
    before = cleaned(spark, catalog, arguments)
    added = STEPS.index("ALTER TABLE t ADD COLUMN s VARCHAR DEFAULT 'old'") + 1

    execute(past, f"UPDATE ducklake_data_file SET partial_max = {added} WHERE begin_snapshot = 2")

    after = cleaned(spark, catalog, arguments)
    execute(past, "UPDATE ducklake_data_file SET partial_max = NULL")
    assert after["schema_versions"] == before["schema_versions"] - 1
    assert after["column"] == before["column"] - 1


@pytest.mark.every_database
def test_duckdb_goes_on_with_the_lake(spark: SparkSession, past: Lake, register: Register) -> None:
    """Merges read a file with the columns of its time, inserts use the newest inlined table."""
    catalog = register(past)

    removed = cleaned(spark, catalog, "inlined_tables => true")

    assert removed["inlined_data_tables"] == 5 + 4
    assert sum(bool(re.fullmatch(r"inlined_data_\d+_\d+", name)) for name in numbers(past)) == 2
    everything: list[tuple[Any, ...]] = [
        *((i, "old") for i in range(40)),
        *((i, "x") for i in range(30)),
        (100, "y"),
        (101, "z"),
    ]
    spark.sql(f"INSERT INTO {catalog}.t VALUES (101, 'z')")
    with Peer(past, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run("INSERT INTO t VALUES (100, 'y')", "INSERT INTO e VALUES (4, 5, 6)")
        assert sorted(peer.rows("FROM t")) == sorted(everything)
        assert sorted(peer.rows("FROM e")) == [(1, 2, 3), (4, 5, 6)]
        peer.run("ALTER TABLE e ADD COLUMN d INT", "INSERT INTO e VALUES (7, 8, 9, 10)")
        peer.rows("CALL ducklake_flush_inlined_data('lake')")
        peer.rows("CALL ducklake_merge_adjacent_files('lake')")
        assert sorted(peer.rows("FROM t")) == sorted(everything)
        assert sorted(peer.rows("FROM e")) == [
            *((1, 2, 3, None), (4, 5, 6, None), (7, 8, 9, 10)),
        ]
        assert peer.rows(f"FROM e AT (VERSION => {SNAPSHOTS})") == [(1, 2, 3)]
    assert sorted(map(tuple, spark.table(f"{catalog}.t").collect())) == sorted(everything)
    assert check(past, Scope(None, expired=frozenset(range(SNAPSHOTS)))) == []


@pytest.mark.every_database
def test_a_session_that_has_read_the_table_goes_on(
    spark: SparkSession, past: Lake, register: Register
) -> None:
    catalog = register(past)
    assert spark.table(f"{catalog}.e").count() == 1

    assert "inlined_data_tables" in cleaned(spark, catalog, "inlined_tables => true")

    assert spark.table(f"{catalog}.e").count() == 1
    spark.sql(f"INSERT INTO {catalog}.e VALUES (4, 5, 6)")
    assert spark.table(f"{catalog}.e").count() == 2


@pytest.mark.every_database
def test_rows_without_an_owner_go(spark: SparkSession, past: Lake, register: Register) -> None:
    catalog = register(past)
    cleaned(spark, catalog)
    before = numbers(past)
    execute(
        past,
        "INSERT INTO ducklake_table_stats VALUES (77, 1, 1, 1)",
        "INSERT INTO ducklake_schema_versions VALUES (3, 3, 77)",
        "INSERT INTO ducklake_name_mapping VALUES (77, 1, 'a', 1, NULL, false)",
        "INSERT INTO ducklake_inlined_data_tables VALUES (77, 'ducklake_inlined_data_77_3', 3)",
        "CREATE TABLE ducklake_inlined_data_77_3 (row_id BIGINT)",
        "INSERT INTO ducklake_inlined_data_77_3 VALUES (1)",
        "INSERT INTO ducklake_file_partition_value VALUES (999, 1, 0, 'a')",
    )

    assert cleaned(spark, catalog) == {
        "file_partition_value": 1,
        "inlined_data_tables": 1,
        "name_mapping": 1,
        "schema_versions": 1,
        "table_stats": 1,
    }
    assert numbers(past) == before


def test_what_a_snapshot_sees_stays(spark: SparkSession, lake: Lake, register: Register) -> None:
    with Peer(lake) as peer:
        peer.run(*STEPS, "DROP TABLE e")
    catalog = register(lake)
    before, rows = numbers(lake), history(lake)

    assert cleaned(spark, catalog) == {}

    assert numbers(lake) == before
    assert history(lake) == rows
