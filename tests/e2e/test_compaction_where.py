"""CALL merge_adjacent_files and rewrite_data_files with `where`: other files stay as they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.compacting import by_duckdb, make_tables, merge, rewrite
from support.flushing import Rows, differences, texts
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]

TABLES = {
    "days": (
        "CREATE TABLE days (day DATE, i INT)",
        "ALTER TABLE days SET PARTITIONED BY (day)",
        *(
            f"INSERT INTO days SELECT DATE '2026-10-30' + {n}, i FROM range(9) r(i)"
            for n in (0, 0, 1, 2, 2, 3, 3)
        ),
    ),
    "months": (
        "CREATE TABLE months (t TIMESTAMP, i INT)",
        "ALTER TABLE months SET PARTITIONED BY (year(t), month(t))",
        *(
            f"INSERT INTO months SELECT TIMESTAMP '2026-{month}-05 12:00:00', i FROM range(9) r(i)"
            for month in (10, 10, 11, 11, 12, 12)
        ),
    ),
    "plain": (
        "CREATE TABLE plain (i INT, s STRUCT(x INT))",
        *(
            f"INSERT INTO plain SELECT i, {{'x': -i}} FROM range({n}, {n + 10}) r(i)"
            for n in (0, 10, 15, 100)
        ),
        "INSERT INTO plain SELECT NULL, NULL FROM range(10) r(i)",
    ),
}

DELETED = {
    "days": (*TABLES["days"], "DELETE FROM days WHERE i % 2 = 0"),
    "plain": (*TABLES["plain"], "DELETE FROM plain WHERE i % 2 = 0"),
}


def files(lake: Lake, table: str) -> dict[str, int]:
    """The live data files of a table, by DuckDB, with their numbers of rows."""
    with Peer(lake) as peer:
        paths = peer.rows(f"SELECT data_file FROM ducklake_list_files('lake', '{table}')")
        return {
            path: count
            for (path,) in paths
            for ((count,),) in [peer.rows(f"SELECT count(*) FROM read_parquet('{path}')")]
        }


def live_rows(lake: Lake, table: str) -> Rows:
    """The rows of a table with their row ids, by DuckDB."""
    with Peer(lake) as peer:
        return texts(peer.rows(f"SELECT rowid, * FROM {table}"))


@pytest.mark.every_database
def test_a_merge_takes_the_files_that_may_hold_such_rows(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake = lakes.new(kind)
    spans = make_tables(lake, TABLES)
    catalog = register(lake)
    before, old = by_duckdb(lake, spans), {name: files(lake, name) for name in TABLES}

    merged = {
        "days": merge(spark, catalog, """'days', where => "day >= DATE '2026-11-01'" """),
        "months": merge(spark, catalog, """'months', where => "t < '2026-12-01'" """),
        "plain": merge(spark, catalog, "'plain', where => 'i BETWEEN 16 AND 30'"),
    }

    assert merged == {
        "days": [("main", "days", 2, 1)] * 2,
        "months": [("main", "months", 2, 1)] * 2,
        "plain": [("main", "plain", 2, 1)],
    }
    new = {name: files(lake, name) for name in TABLES}
    left = {name: sorted(new[name][path] for path in new[name].keys() & old[name]) for name in new}
    assert left == {"days": [9] * 3, "months": [9] * 2, "plain": [10] * 3}
    made = {name: sorted(new[name][path] for path in new[name].keys() - old[name]) for name in new}
    assert made == {"days": [18] * 2, "months": [18] * 2, "plain": [20]}
    assert differences(before, by_duckdb(lake, spans)) == {}


@pytest.mark.every_database
def test_a_rewrite_takes_the_files_that_may_hold_such_rows(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake = lakes.new(kind)
    spans = make_tables(lake, DELETED)
    catalog = register(lake)
    before, old = by_duckdb(lake, spans), {name: files(lake, name) for name in DELETED}
    rows = {name: live_rows(lake, name) for name in DELETED}

    days = rewrite(
        spark, catalog, "'days', delete_threshold => 0.1, where => \"day = '2026-10-31'\""
    )
    plain = rewrite(spark, catalog, "'plain', delete_threshold => 0.1, where => 's.x < -50'")
    none = rewrite(spark, catalog, "'plain', delete_threshold => 0.1, where => 'i = 50'")

    assert (days, plain, none) == ([("main", "days", 1, 1)], [("main", "plain", 1, 1)], [])
    new = {name: files(lake, name) for name in DELETED}
    assert {name: len(new[name].keys() & old[name]) for name in new} == {"days": 6, "plain": 4}
    assert [new["days"][path] for path in new["days"].keys() - old["days"]] == [4]
    assert [new["plain"][path] for path in new["plain"].keys() - old["plain"]] == [5]
    assert {name: live_rows(lake, name) for name in DELETED} == rows
    # The rows of new files begin with the snapshot of the rewrite, as in DuckDB's own.
    assert differences(before, by_duckdb(lake, spans)).keys() <= {(name, "head") for name in spans}


def test_small_files_with_deletes_are_merged_in_a_part_only(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    make_tables(lake, DELETED)
    catalog = register(lake)
    old = files(lake, "days")

    merged = merge(spark, catalog, "'days', apply_deletes => true, where => \"day = '2026-11-01'\"")

    assert merged == [("main", "days", 2, 1)]
    new = files(lake, "days")
    assert [new[path] for path in new.keys() - old] == [8]
    assert len(new.keys() & old) == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("where => 'i = 1'", ("argument `where` needs `table_name`",)),
        ("'plain', where => 'i % 2 = 0'", ("`where`", "(i % 2) = 0", "computed for each row")),
        ("'plain', where => 'i = 1 AND rand() < 0.5'", ("`where`", "RAND()", "for each row")),
        ("'plain', where => 'i = 1 OR s.x % 2 = 0'", ("`where`", "computed for each row")),
        ("'plain', where => 'true'", ("`where`", "minimum and maximum")),
        ("'plain', where => 'nope = 1'", ("`nope`", "UNRESOLVED_COLUMN")),
        ("'plain', where => 'i = = 1'", ("PARSE_SYNTAX_ERROR",)),
        ("'plain', where => 'i + 1'", ("DATATYPE_MISMATCH",)),
    ],
)
@pytest.mark.parametrize("procedure", ["merge_adjacent_files", "rewrite_data_files"])
def test_a_condition_that_chooses_no_files_is_refused(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    procedure: str,
    arguments: str,
    words: tuple[str, ...],
) -> None:
    lake = lakes.new("sqlite")
    make_tables(lake, {"plain": TABLES["plain"]})
    catalog = register(lake)
    old = files(lake, "plain")

    with pytest.raises(PySparkException) as refused:
        spark.sql(f"CALL {catalog}.system.{procedure}({arguments})").collect()

    for word in words:
        assert word in str(refused.value)
    assert files(lake, "plain") == old
