"""CALL flush_inlined_data: rows and deletes go to files, and history stays what it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import execute, read_catalog
from support.flushing import (
    Rows,
    answers,
    by_duckdb,
    by_spark,
    differences,
    flush,
    kept,
    made,
    ranges,
    snapshots,
    some_ranges,
    texts,
)
from support.lakes import CATALOG_KINDS, CatalogKind, Lake, LakeFactory
from support.peer import Peer
from support.sweep import FULL

Register = Callable[..., str]

STEPS = (
    "CREATE TABLE t (i INT, s VARCHAR, f FLOAT)",
    "INSERT INTO t SELECT i, 's' || i, i / 2 FROM range(40) r(i)",
    "INSERT INTO t VALUES (100, 'a', 0.1), (101, NULL, 0.2)",
    "UPDATE t SET s = 'b' WHERE i = 100",
    "DELETE FROM t WHERE i IN (3, 4)",
    "DELETE FROM t WHERE i BETWEEN 10 AND 25",
    "DELETE FROM t WHERE i = 5",
    "ALTER TABLE t DROP COLUMN s",
    "ALTER TABLE t ADD COLUMN x INT DEFAULT 7",
    "INSERT INTO t VALUES (200, 1.5, 8)",
    "UPDATE t SET x = 9 WHERE i IN (100, 6)",
    "UPDATE t SET x = x + 1 WHERE i = 101",
    "UPDATE t SET x = x + 1 WHERE i = 101",
    "DELETE FROM t WHERE i = 200",
    "ALTER TABLE t RENAME COLUMN f TO g",
    "INSERT INTO t VALUES (300, 0.1, NULL)",
    "ALTER TABLE t ALTER COLUMN x TYPE BIGINT",
)


def test_history_is_the_same_before_and_after(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    head = made(lake, *STEPS)
    catalog = register(lake)
    turn = CATALOG_KINDS.index(lake.kind)
    asked = [*snapshots(head), *(ranges(head) if FULL else some_ranges(head)[turn::3])]
    before, ours = answers(lake, asked), by_spark(spark, f"{catalog}.t", head)

    flushed = flush(spark, catalog)

    assert flushed == [("main", "t", 9)]
    assert kept(lake) == 0
    assert differences(before, answers(lake, before)) == {}
    assert differences(ours, by_spark(spark, f"{catalog}.t", head)) == {}
    assert flush(spark, catalog) == []
    with Peer(lake) as peer:
        assert peer.head() == head + 1
        said = peer.value(f"SELECT changes FROM lake.snapshots() WHERE snapshot_id = {head + 1}")
        # An insert, too: beside one DuckDB writes no delete file (decision 02).
        assert sorted(said) == ["flushed_inlined", "tables_deleted_from", "tables_inserted_into"]


def test_delete_files_of_spark_and_deletes_in_the_catalog(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """Spark's delete files end each other; the flush leaves one that records all."""
    made(lake, "CREATE TABLE t (i INT)", "INSERT INTO t SELECT i FROM range(40) r(i)")
    catalog = register(lake)
    expected = {2: set(range(40))}

    def step(run: Callable[[], object], version: int, gone: set[int]) -> None:
        run()
        expected[version] = expected[version - 1] - gone

    first, second = set(range(11)), set(range(20, 32))
    step(lambda: spark.sql(f"DELETE FROM {catalog}.t WHERE i < 11"), 3, first)
    step(lambda: made(lake, "DELETE FROM t WHERE i = 15"), 4, {15})
    step(lambda: spark.sql(f"DELETE FROM {catalog}.t WHERE i BETWEEN 20 AND 31"), 5, second)
    step(lambda: made(lake, "DELETE FROM t WHERE i = 39"), 6, {39})

    assert flush(spark, catalog) == []

    expected[7] = expected[6]
    step(lambda: made(lake, "DELETE FROM t WHERE i IN (11, 12)", limit=0), 8, {11, 12})
    deleted = {3: first, 4: {15}, 5: second, 6: {39}, 8: {11, 12}}
    assert live(lake, 8) == expected
    assert feed(lake, 8) == deleted
    made(lake, "DELETE FROM t WHERE i = 13", "CALL ducklake_flush_inlined_data('lake')")
    assert live(lake, 8) == expected
    assert feed(lake, 9) == {**deleted, 9: {13}}
    assert {row[0] for row in spark.table(f"{catalog}.t").collect()} == expected[8] - {13}


@pytest.mark.damages  # by DuckDB: its flush, at the second try, leaves deletes in the catalog
def test_a_flush_of_duckdb_at_its_second_try_is_read_right_and_mended(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """On PostgreSQL any commit meanwhile does it, of any engine to any table."""
    lake = lakes.new("postgres")
    made(lake, "CREATE TABLE t (i INT)", "INSERT INTO t SELECT i FROM range(40) r(i)")
    made(lake, "DELETE FROM t WHERE i IN (11, 12)")
    catalog = register(lake)
    left = set(range(40)) - {11, 12}
    with Peer(lake) as peer:
        peer.run("BEGIN", "CALL ducklake_flush_inlined_data('lake')")
        spark.sql(f"CREATE TABLE {catalog}.u (i INT)")
        peer.run("COMMIT")
        assert {i for (i,) in peer.rows("SELECT i FROM t")} != left
    assert kept(lake) == 2

    assert {row[0] for row in spark.table(f"{catalog}.t").collect()} == left
    assert spark.table(f"{catalog}.t").count() == len(left)
    spark.sql(f"DELETE FROM {catalog}.t WHERE i = 13")
    flush(spark, catalog)

    assert kept(lake) == 0
    assert live(lake, 6) == {
        2: set(range(40)),
        **dict.fromkeys((3, 4, 5), left),
        6: left - {13},
    }
    assert feed(lake, 7) == {3: {11, 12}, 6: {13}}
    assert {row[0] for row in spark.table(f"{catalog}.t").collect()} == left - {13}


def live(lake: Lake, head: int) -> dict[int, set[object]]:
    """The values of the one column in each snapshot, by DuckDB."""
    with Peer(lake) as peer:
        found = {v: peer.rows(f"SELECT i FROM t AT (VERSION => {v})") for v in range(2, head + 1)}
        counts = {
            v: peer.value(f"SELECT count(*) FROM t AT (VERSION => {v})") for v in range(2, head + 1)
        }
    assert {v: len(rows) for v, rows in found.items()} == counts
    return {version: {i for (i,) in rows} for version, rows in found.items()}


def feed(lake: Lake, head: int) -> dict[int, set[object]]:
    """What DuckDB says was deleted by each snapshot, each value once."""
    with Peer(lake) as peer:
        rows = peer.rows(
            "SELECT snapshot_id, i FROM ducklake_table_changes"
            f"('lake', 'main', 't', 1, {head}) WHERE change_type = 'delete'"
        )
    assert len(rows) == len(set(rows))
    return {
        version: {i for snapshot, i in rows if snapshot == version}
        for version in {snapshot for snapshot, _ in rows}
    }


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_attached_session_goes_on(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind
) -> None:
    lake = lakes.new(kind)
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run(*STEPS)
        catalog = register(lake)
        before = texts(peer.rows("SELECT rowid, * FROM t"))

        flush(spark, catalog)

        assert texts(peer.rows("SELECT rowid, * FROM t")) == before
        peer.run(
            "INSERT INTO t VALUES (400, 1, 1), (401, 2, 2)",
            "UPDATE t SET x = 10 WHERE i IN (100, 400)",
            "DELETE FROM t WHERE i IN (7, 300, 401)",
            "CALL ducklake_flush_inlined_data('lake')",
            "CALL ducklake_rewrite_data_files('lake', delete_threshold => 0.01)",
            "CALL ducklake_merge_adjacent_files('lake')",
            "INSERT INTO t VALUES (500, 1, 1)",
        )
        rows = texts(peer.rows("SELECT rowid, * FROM t"))
    assert texts(map(tuple, spark.sql(f"SELECT rowid, * FROM {catalog}.t").collect())) == rows
    assert [("main", "t", 1)] == flush(spark, catalog)
    made(lake, "CALL ducklake_expire_snapshots('lake', older_than => now())")
    with Peer(lake) as peer:
        assert texts(peer.rows("SELECT rowid, * FROM t")) == rows


def test_merging_keeps_row_ids(spark: SparkSession, lake: Lake, register: Register) -> None:
    """A first row id beside ids in the file would make DuckDB number the rows anew."""
    head = made(
        lake,
        "CREATE TABLE t (i INT)",
        "INSERT INTO t VALUES (1), (2), (3)",
        "ALTER TABLE t ADD COLUMN x INT",
        "UPDATE t SET x = 5 WHERE i = 1",
        "INSERT INTO t VALUES (4, 4)",
    )
    catalog = register(lake)
    before = answers(lake, snapshots(head))
    flush(spark, catalog)
    made(lake, "INSERT INTO t VALUES (5, 5)")
    flush(spark, catalog)

    made(lake, "CALL ducklake_merge_adjacent_files('lake')")

    assert differences(before, answers(lake, snapshots(head))) == {}


def test_rows_go_to_the_partitions_of_today(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    head = made(
        lake,
        "CREATE TABLE t (i INT, s VARCHAR)",
        "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)",
        "ALTER TABLE t ADD COLUMN k INT DEFAULT 5",
        "ALTER TABLE t SET PARTITIONED BY (bucket(4, k), s)",
        "INSERT INTO t VALUES (4, 'a', 6), (5, 'a', 5)",
        "DELETE FROM t WHERE i = 1",
    )
    catalog = register(lake)
    before = by_duckdb(lake, head)

    assert flush(spark, catalog) == [("main", "t", 5)]

    assert differences(before, answers(lake, before)) == {}
    table = f"{catalog}.t"
    parts = spark.sql(f"SELECT record_count, partition FROM {table}.files").collect()
    assert [count for count, _ in parts] == [1] * 5
    assert {partition["s"] for _, partition in parts} == {"a", "b", None}
    with Peer(lake) as peer:
        assert peer.rows("SELECT i FROM t WHERE k = 5 AND s = 'a'") == [(5,)]
        assert peer.rows("SELECT i FROM t WHERE s IS NULL") == [(3,)]
        peer.run("CALL ducklake_merge_adjacent_files('lake')")
        assert peer.value("SELECT count(*) FROM t") == 4
    found = spark.sql(f"SELECT i FROM {table} WHERE k = 5 AND s = 'a'").collect()
    assert [i for (i,) in found] == [5]


def test_rows_are_sorted_as_by_duckdb(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    stored: list[Rows] = []
    for by_peer in (True, False):
        lake = lakes.new("sqlite")
        made(
            lake,
            "CREATE TABLE t (i INT, s VARCHAR)",
            "CALL lake.set_option('sort_on_insert', false)",
            "ALTER TABLE t SET SORTED BY (s DESC NULLS FIRST, i)",
            "INSERT INTO t VALUES (3, 'a'), (1, 'b'), (2, NULL), (0, 'a')",
        )
        catalog = register(lake)
        if by_peer:
            made(lake, "CALL ducklake_flush_inlined_data('lake')")
        else:
            flush(spark, catalog)
        with Peer(lake) as peer:
            (file,) = lake.data_path.rglob("*.parquet")
            stored.append(peer.rows(f"SELECT * FROM read_parquet('{file}')"))
    assert stored[0] == stored[1]
    assert [row[0] for row in stored[0]] == [2, 1, 0, 3]


def test_what_is_flushed(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(
        lake,
        "CREATE SCHEMA s",
        *(f"CREATE TABLE {name} (i INT)" for name in ("a", "b", "c", "s.a", "s.b", "later")),
        *(f"INSERT INTO {name} VALUES (1), (2)" for name in ("a", "b", "c", "s.a", "s.b", "later")),
        "CALL lake.set_option('auto_compact', false, table_name => 'later')",
        "DROP TABLE c",
    )
    catalog = register(lake)

    assert flush(spark, catalog, "'a'") == [("main", "a", 2)]
    assert flush(spark, catalog, "table_name => 's.a'") == [("s", "a", 2)]
    made(lake, "INSERT INTO s.a VALUES (3)")
    assert flush(spark, catalog, "schema_name => 's'") == [("s", "a", 1), ("s", "b", 2)]
    with Peer(lake) as peer:
        head = peer.head()
    assert flush(spark, catalog) == [("main", "b", 2)]
    with Peer(lake) as peer:
        assert peer.head() == head + 1
    assert flush(spark, catalog, "'later'") == []
    for arguments, condition in (
        ("'nope'", "TABLE_OR_VIEW_NOT_FOUND"),
        ("schema_name => 'nope'", "SCHEMA_NOT_FOUND"),
        ("'c'", "TABLE_OR_VIEW_NOT_FOUND"),
    ):
        with pytest.raises(PySparkException) as error:
            flush(spark, catalog, arguments)
        assert error.value.getCondition() == condition


def test_expiry_by_duckdb_comes_after(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (i INT)", "INSERT INTO t SELECT i FROM range(40) r(i)")
    catalog = register(lake)
    spark.sql(f"DELETE FROM {catalog}.t WHERE i < 11")
    made(lake, "DELETE FROM t WHERE i = 15", "DELETE FROM t WHERE i = 16")
    flush(spark, catalog)

    made(lake, "CALL ducklake_expire_snapshots('lake', versions => [2, 3])")
    made(lake, "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")

    with Peer(lake) as peer:
        assert peer.rows("SELECT i FROM t AT (VERSION => 4)") == [
            (i,) for i in range(11, 40) if i != 15
        ]
        assert peer.value("SELECT count(*) FROM t") == 27
    assert spark.table(f"{catalog}.t").count() == 27


MANY = (
    "INSERT INTO {table} SELECT row_id + 10000 * k, begin_snapshot, NULL, i + 10000 * k,"
    " 's' || (i + 10000 * k) FROM {table}, range(1, 21) r(k)",
    "UPDATE ducklake_table_stats SET record_count = 210000, next_row_id = 210000",
    "UPDATE ducklake_table_column_stats SET max_value = '209999' WHERE max_value = '9999'",
)
"""Makes 210,000 inlined rows of 10,000, for which DuckDB itself takes half a minute."""


def test_many_rows_are_written_by_tasks(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("duckdb")
    made(
        lake,
        "CREATE TABLE t (i INT, s VARCHAR)",
        "INSERT INTO t SELECT i, 's' || i FROM range(10000) r(i)",
        limit=1_000_000,
    )
    (table,) = (row["table_name"] for row in read_catalog(lake).rows("inlined_data_tables"))
    execute(lake, *(statement.format(table=table) for statement in MANY))
    made(lake, "DELETE FROM t WHERE i % 1000 = 1", limit=1_000_000)
    catalog = register(lake)
    asked = "SELECT count(*), sum(i), sum(rowid), min(s), max(s) FROM t AT (VERSION => {})"
    with Peer(lake) as peer:
        before = [peer.rows(asked.format(version)) for version in (2, 3)]
    assert [count for ((count, *_),) in before] == [210_000, 209_790]

    assert flush(spark, catalog) == [("main", "t", 210_000)]

    assert kept(lake) == 0
    with Peer(lake) as peer:
        assert [peer.rows(asked.format(version)) for version in (2, 3)] == before
        assert peer.value("SELECT count(*) FROM ducklake_list_files('lake', 't')") == 3


def test_what_spark_keeps_in_the_catalog(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (i INT, s VARCHAR)")
    catalog = register(lake)
    table = f"{catalog}.t"
    for statement in (
        "INSERT INTO {t} SELECT CAST(id AS INT), 'f' FROM range(30)",
        "INSERT INTO {t} VALUES (100, 'a'), (101, 'b')",
        "UPDATE {t} SET s = 'c' WHERE i IN (5, 100)",
        "DELETE FROM {t} WHERE i IN (6, 101)",
        "UPDATE {t} SET s = 'd' WHERE i = 100",
        "ALTER TABLE {t} ADD COLUMN x INT",
        "MERGE INTO {t} t USING (SELECT 100 AS i) s ON t.i = s.i "
        "WHEN MATCHED THEN UPDATE SET x = 1",
    ):
        spark.sql(statement.replace("{t}", table))
    with Peer(lake) as peer:
        head = peer.head()
    before, ours = by_duckdb(lake, head), by_spark(spark, table, head)

    assert flush(spark, catalog) == [("main", "t", 6)]

    assert kept(lake) == 0
    assert differences(before, answers(lake, before)) == {}
    assert differences(ours, by_spark(spark, table, head)) == {}
