"""Encrypted lakes: what one engine writes the other reads, and keys show nowhere else."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.catalogdb import read_catalog
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.peer import Peer
from support.streams import Feed

Register = Callable[..., str]

OPENSSL = ("httpfs",)
"""DuckDB encrypts with the library of this extension."""

COLUMNS = "rowid, a, s, l, i::VARCHAR AS i, t"

TABLE = (
    "CREATE TABLE t (a BIGINT, s VARCHAR, l STRUCT(x BIGINT, y VARCHAR[]), i INTERVAL, "
    "t TIMESTAMP_NS)"
)
SOME_ROWS = (
    "INSERT INTO t SELECT r, 'text ' || r % 7, {{'x': r, 'y': ['y' || r, NULL]}}, "
    "INTERVAL (r) DAY, TIMESTAMP '2026-01-01' + INTERVAL (r) SECOND FROM range({0}, {1}) AS q(r)"
)


def peer(lake: Lake, *options: str) -> Peer:
    """DuckDB at an encrypted lake."""
    return Peer(lake, *options, extensions=OPENSSL)


def sealed(lake: Lake, *statements: str) -> None:
    """Run statements in DuckDB at an encrypted lake, which it makes first."""
    with peer(lake, "ENCRYPTED", "DATA_INLINING_ROW_LIMIT 0") as writer:
        writer.run(*statements)


def new(lakes: LakeFactory, register: Register, kind: CatalogKind) -> tuple[Lake, str]:
    """An encrypted lake that Spark makes with its first table."""
    lake = lakes.new(kind)
    options = {"encrypted": "true", "data-path": f"{lake.data_path}/", **IN_FILES}
    return lake, register(lake, options)


def seen(spark: SparkSession, lake: Lake, catalog: str, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query with `{t}` for the table, which are the same in both engines."""
    with peer(lake) as reader:
        by_duckdb = sorted(reader.rows(query.format(t="t")))
    by_spark = sorted(rows(spark, query.format(t=f"{catalog}.t")))
    assert by_spark == by_duckdb
    return by_spark


def files_of(lake: Lake) -> list[dict[str, Any]]:
    """The rows of all data and delete files."""
    catalog = read_catalog(lake)
    return [*catalog.rows("data_file"), *catalog.rows("delete_file")]


@pytest.mark.every_database
def test_what_duckdb_encrypted_is_read(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind
) -> None:
    lake = lakes.new(kind)
    sealed(lake, TABLE, SOME_ROWS.format(0, 9000), SOME_ROWS.format(9000, 10000))
    sealed(lake, "DELETE FROM t WHERE a % 3 = 0", "UPDATE t SET s = 'new' WHERE a % 100 = 1")
    catalog = register(lake)

    assert len(seen(spark, lake, catalog, "SELECT rowid, a, s FROM {t}")) == 6666
    assert seen(spark, lake, catalog, "SELECT count(*), sum(l.x) FROM {t} WHERE a > 9500")
    assert value(spark, f"SELECT count(*) FROM {catalog}.t VERSION AS OF 2") == 9000
    spark_feed = f"SELECT count(*) FROM ducklake_table_changes('{catalog}', 'main', 't', 1, 5)"
    with peer(lake) as reader:
        feed = "SELECT count(*) FROM ducklake_table_changes('lake', 'main', 't', 1, 5)"
        expected = reader.value(feed)
    assert value(spark, spark_feed) == expected


@pytest.mark.every_database
def test_what_spark_encrypts_duckdb_reads_and_changes(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind
) -> None:
    lake, catalog = new(lakes, register, kind)
    spark.sql(f"CREATE TABLE {catalog}.t (a BIGINT, s STRING) PARTITIONED BY (bucket(2, a))")
    spark.sql(f"INSERT INTO {catalog}.t SELECT id, concat('s', id % 5) FROM range(5000)")
    spark.sql(f"DELETE FROM {catalog}.t WHERE a % 4 = 0")
    spark.sql(f"UPDATE {catalog}.t SET s = 'changed' WHERE a % 4 = 1")
    spark.sql(
        f"MERGE INTO {catalog}.t USING (SELECT id FROM range(4998, 5002)) AS n ON t.a = n.id "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (a, s) VALUES (n.id, 'merged')"
    )
    assert len(seen(spark, lake, catalog, "SELECT rowid, a, s FROM {t}")) == 3750

    sealed(lake, "DELETE FROM t WHERE a % 4 = 2", "INSERT INTO t VALUES (-1, 'by DuckDB')")

    assert len(seen(spark, lake, catalog, "SELECT rowid, a, s FROM {t}")) == 2502
    assert value(spark, f"SELECT s FROM {catalog}.t WHERE a = -1") == "by DuckDB"
    spark.sql(f"DELETE FROM {catalog}.t WHERE a % 8 = 3")
    assert seen(spark, lake, catalog, "SELECT count(*), sum(a) FROM {t}")


WITH_PARTS = (
    "CREATE TABLE {t} (a BIGINT, s STRING, f STRING, "
    "l STRUCT<x: BIGINT, y: ARRAY<STRING>>, m MAP<STRING, INT>, n DECIMAL(9, 2))"
)
PARTS = (
    "SELECT id, concat('text ', id % 7), repeat(concat('long ', id % 3), 50), "
    "named_struct('x', id, 'y', array(concat('y', id), NULL)), "
    "map(concat('k', id % 5), CAST(id AS INT)), IF(id % 4 = 0, NULL, id / 100) FROM range({0}, {1})"
)
FILTERED = (
    "count(*), sum(a), sum(l.x), min(s), max(f), count(n) FROM {t}",
    "a, l.x, l.y, n FROM {t} WHERE s = 'text 3' AND a > 58000",
    "count(*), sum(a) FROM {t} WHERE s = 'text 3x'",
    "count(*), sum(l.x) FROM {t} WHERE s = 'text 3x' OR a = 41000",
    "l.y FROM {t} WHERE l.x BETWEEN 29990 AND 30010 AND f <> 'long 1'",
    "count(*), sum(a) FROM {t} WHERE n IS NULL AND s IN ('text 1', 'none')",
    "rowid, n FROM {t} WHERE n = 581.01",
    "count(*) FROM {t} WHERE m['k1'] > 100",
)


def test_duckdb_filters_and_projects_what_spark_encrypts(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, catalog = new(lakes, register, "sqlite")
    spark.sql(WITH_PARTS.format(t=f"{catalog}.t"))
    insert = f"INSERT INTO {catalog}.t {PARTS}"
    spark.sql(insert.format(0, 20000))
    option = "'parquet_row_group_size', '4096', table_name => 't'"
    rows(spark, f"CALL {catalog}.system.set_option({option})")
    spark.sql(insert.format(20000, 60000))

    for when in ("written", "with deletes", "merged"):
        if when == "with deletes":
            spark.sql(f"DELETE FROM {catalog}.t WHERE a % 10 = 5")
        if when == "merged":
            rows(spark, f"CALL {catalog}.system.merge_adjacent_files('t')")
            rows(spark, f"CALL {catalog}.system.rewrite_data_files('t', delete_threshold => 0)")
        for query in FILTERED:
            seen(spark, lake, catalog, f"SELECT {query}")


def test_the_feed_of_encrypted_files_is_that_of_duckdb(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, catalog = new(lakes, register, "sqlite")
    spark.sql(f"CREATE TABLE {catalog}.t (a BIGINT, s STRING)")
    spark.sql(f"INSERT INTO {catalog}.t SELECT id, concat('s', id % 5) FROM range(1000)")
    spark.sql(f"UPDATE {catalog}.t SET s = 'new' WHERE a % 100 = 1")
    sealed(lake, "DELETE FROM t WHERE a % 50 = 2", "UPDATE t SET s = 'other' WHERE a % 300 = 0")

    columns = "snapshot_id, rowid, change_type, a, s"
    with peer(lake) as reader:
        feed = "ducklake_table_changes('lake', 'main', 't', 0, 5)"
        expected = sorted(reader.rows(f"SELECT {columns} FROM {feed}"))
    feed = f"ducklake_table_changes('{catalog}', 'main', 't', 0, 5)"
    assert sorted(rows(spark, f"SELECT {columns} FROM {feed}")) == expected
    assert len(expected) > 1000


def test_each_file_of_spark_has_a_key_of_its_own_and_no_folder_shows_a_value(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, catalog = new(lakes, register, "sqlite")
    spark.sql(f"CREATE TABLE {catalog}.t (p STRING, a BIGINT) PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO {catalog}.t SELECT concat('secret', id % 3), id FROM range(300)")
    spark.sql(f"DELETE FROM {catalog}.t WHERE a % 2 = 0")

    kept = files_of(lake)

    keys = [row["encryption_key"] for row in kept]
    assert len(kept) == 6 and len(set(keys)) == 6 and {len(key) for key in keys} == {24}
    assert not list(lake.data_path.rglob("p=*"))
    answer = f"SELECT value FROM {catalog}.t.options WHERE option_name = 'hive_file_pattern'"
    assert value(spark, answer) == "false"
    for path in lake.data_path.rglob("*.parquet"):
        content = path.read_bytes()
        assert content[:4] == content[-4:] == b"PARE" and b"secret" not in content


def test_maintenance_keeps_every_bit(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    sealed(lake, TABLE, *(SOME_ROWS.format(n, n + 1000) for n in range(0, 5000, 1000)))
    sealed(lake, "DELETE FROM t WHERE a < 2990")
    with peer(lake, "DATA_INLINING_ROW_LIMIT 100") as writer:
        writer.run(SOME_ROWS.format(5000, 5010), "DELETE FROM t WHERE a IN (3000, 4000, 5003)")
    catalog = register(lake)

    def bits() -> list[tuple[Any, ...]]:
        with peer(lake) as reader:
            return sorted(reader.rows("SELECT rowid, snapshot_id, * FROM t"))

    before = bits()
    (flushed,) = rows(spark, f"CALL {catalog}.system.flush_inlined_data('t')")
    assert flushed[2] == 10 and bits() == before
    rewritten = rows(spark, f"CALL {catalog}.system.rewrite_data_files('t', delete_threshold => 0)")
    assert rewritten[0][2] >= 1 and [row[2:] for row in bits()] == [row[2:] for row in before]
    sealed(lake, *(SOME_ROWS.format(n, n + 1000) for n in range(6000, 9000, 1000)))
    before = bits()
    merged = rows(spark, f"CALL {catalog}.system.merge_adjacent_files('t')")
    assert merged[0][2] >= 3 and bits() == before
    assert value(spark, f"SELECT sum(a) FROM {catalog}.t") == sum(row[2] for row in before)
    rows(spark, f"CALL {catalog}.system.expire_snapshots(older_than => now())")
    rows(spark, f"CALL {catalog}.system.cleanup_old_files(cleanup_all => true)")
    assert [row[2:] for row in bits()] == [row[2:] for row in before]
    assert all(row["encryption_key"] for row in files_of(lake))


def test_a_rollback_brings_files_back_with_their_keys(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    sealed(lake, "CREATE TABLE t AS SELECT range AS a FROM range(100)", "DROP TABLE t")
    catalog = register(lake, IN_FILES)

    rows(spark, f"CALL {catalog}.system.rollback_to_snapshot('t', 1)")

    assert seen(spark, lake, catalog, "SELECT count(*), sum(a) FROM {t}") == [(100, 4950)]


def test_a_rollback_copies_deleted_rows_to_encrypted_files(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, catalog = new(lakes, register, "sqlite")
    spark.sql(f"CREATE TABLE {catalog}.t (a BIGINT, s STRING)")
    spark.sql(f"INSERT INTO {catalog}.t SELECT id, concat('s', id % 5) FROM range(3000)")
    before = seen(spark, lake, catalog, "SELECT rowid, a, s FROM {t}")
    spark.sql(f"UPDATE {catalog}.t SET s = 'new' WHERE a % 3 = 1")
    spark.sql(f"DELETE FROM {catalog}.t WHERE a % 2 = 0")

    rows(spark, f"CALL {catalog}.system.rollback_to_snapshot('t', 2)")

    assert seen(spark, lake, catalog, "SELECT rowid, a, s FROM {t}") == before
    assert all(row["encryption_key"] for row in files_of(lake))


def test_inlined_rows_are_flushed_with_their_deletes(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    catalog = register(lake, {"encrypted": "true", "data-path": f"{lake.data_path}/"})
    spark.sql(f"CREATE TABLE {catalog}.t (a BIGINT)")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1), (2), (3)")
    spark.sql(f"DELETE FROM {catalog}.t WHERE a = 2")
    assert files_of(lake) == []

    rows(spark, f"CALL {catalog}.system.flush_inlined_data('t')")

    assert [bool(row["encryption_key"]) for row in files_of(lake)] == [True, True]
    assert seen(spark, lake, catalog, "SELECT rowid, a FROM {t}") == [(0, 1), (2, 3)]
    with peer(lake) as reader:
        past = "SELECT a FROM t AT (VERSION => 2) ORDER BY a"
        assert reader.rows(past) == [(1,), (2,), (3,)]


def test_keys_show_in_list_files_and_nowhere_else(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    sealed(lake, "CREATE TABLE t AS SELECT range AS a FROM range(100)")
    sealed(lake, "DELETE FROM t WHERE a = 5")
    catalog = register(lake)
    keys = [row["encryption_key"] for row in files_of(lake)]
    listing = "data_file_encryption_key, delete_file_encryption_key"

    frame = spark.table(f"{catalog}.t").where("a > 1")
    plans = frame._jdf.queryExecution().toString() + str(
        rows(spark, f"EXPLAIN EXTENDED DELETE FROM {catalog}.t WHERE a = 7")
    )
    partitions = str(frame._jdf.queryExecution().executedPlan().toJSON())
    frame.collect()

    assert len(keys) == 2 and not any(key in plans or key in partitions for key in keys)
    with peer(lake) as reader:
        answer = reader.rows(f"SELECT {listing} FROM ducklake_list_files('lake', 't')")
    by_spark = rows(spark, f"SELECT {listing} FROM {catalog}.t.files")
    assert [tuple(map(bytes, row)) for row in by_spark] == answer


def swap_keys(lake: Lake) -> None:
    """Give each of two data files the key of the other."""
    with sqlite3.connect(lake.database) as connection:
        connection.execute(
            "UPDATE ducklake_data_file SET encryption_key = (SELECT encryption_key "
            "FROM ducklake_data_file AS o WHERE o.data_file_id <> ducklake_data_file.data_file_id)"
        )


def swap_files(lake: Lake) -> None:
    """Give each of two data files the place of the other."""
    one, two = sorted(lake.data_path.rglob("*.parquet"))
    aside = Path(f"{one}.aside")
    one.rename(aside)
    two.rename(one)
    aside.rename(two)


def cut_files(lake: Lake) -> None:
    """Take some bytes away from the end of each file."""
    for path in lake.data_path.rglob("*.parquet"):
        path.write_bytes(path.read_bytes()[:-30])


def flip_bits(lake: Lake) -> None:
    """Change one bit of the first page of each file."""
    for path in lake.data_path.rglob("*.parquet"):
        content = bytearray(path.read_bytes())
        content[40] ^= 4
        path.write_bytes(content)


@pytest.mark.damages("swaps, cuts or changes files, or swaps keys")
@pytest.mark.parametrize("writer", ["duckdb", "spark"])
@pytest.mark.parametrize("damage", [swap_keys, swap_files, cut_files, flip_bits])
def test_a_file_that_is_not_the_one_of_its_key_is_refused_by_name(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    writer: str,
    damage: Callable[[Lake], None],
) -> None:
    if writer == "duckdb":
        lake = lakes.new("sqlite")
        sealed(lake, "CREATE TABLE t AS SELECT 1 AS a", "INSERT INTO t VALUES (2)")
    else:
        lake, catalog = new(lakes, register, "sqlite")
        spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 1 AS a")
        spark.sql(f"INSERT INTO {catalog}.t VALUES (2)")
    damage(lake)

    message = refused(
        spark, f"SELECT * FROM {register(lake)}.t", "DUCKLAKE_UNREADABLE_FILE", "main.t"
    )

    assert not any(row["encryption_key"] in message for row in files_of(lake))


@pytest.mark.damages("removes a key")
def test_a_file_without_a_key_is_refused_by_name(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    sealed(lake, "CREATE TABLE t AS SELECT 1 AS a")
    catalog = register(lake)
    with sqlite3.connect(lake.database) as connection:
        connection.execute("UPDATE ducklake_data_file SET encryption_key = NULL")
    name = next(lake.data_path.rglob("*.parquet")).name

    refused(spark, f"SELECT a FROM {catalog}.t", "DUCKLAKE_ENCRYPTED_LAKE", name, "no key")
    assert rows(spark, f"SELECT data_file_encryption_key FROM {catalog}.t.files") == [(None,)]


def test_files_of_others_cannot_be_added(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake, catalog = new(lakes, register, "sqlite")
    spark.sql(f"CREATE TABLE {catalog}.t (a BIGINT)")
    spark.range(3).write.parquet(str(tmp_path / "other"))

    refused(
        spark,
        f"CALL {catalog}.system.add_data_files('t', '{tmp_path}/other/*.parquet')",
        "DUCKLAKE_ENCRYPTED_LAKE",
        "main.t",
        "INSERT INTO",
    )
    assert files_of(lake) == []


@pytest.mark.parametrize("made", ["true", "false"])
def test_a_lake_stays_as_it_was_made(
    spark: SparkSession, lakes: LakeFactory, register: Register, made: str
) -> None:
    lake = lakes.new("sqlite")
    place = {"data-path": f"{lake.data_path}/"}
    first = register(lake, {**place, "encrypted": made})
    spark.sql(f"CREATE TABLE {first}.t (a BIGINT)")
    other = register(lake, {"encrypted": "false" if made == "true" else "true"})

    refused(spark, f"SELECT * FROM {other}.t", "DUCKLAKE_INVALID_SETTING", "encrypted", made)
    assert rows(spark, f"SELECT * FROM {register(lake)}.t") == []


def test_a_stream_merges_its_rows_by_key(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind, tmp_path: Path
) -> None:
    lake, catalog = new(lakes, register, kind)
    spark.sql(f"CREATE TABLE {catalog}.t (id INT, name STRING, n INT)")
    events = Feed(spark, tmp_path)
    events.add(
        tuple((i, f"a{i}", 1, "u") for i in range(50)),
        ((1, "b", 2, "u"), (2, None, 2, "d"), (3, "late", 0, "u"), (60, "new", 1, "u")),
        ((1, None, 3, "d"),),
        columns=("id", "name", "n", "op"),
    )
    options = {"merge-keys": "id", "sequence-by": "n", "delete-when": "op = 'd'"}
    frame = events.frame("id INT, name STRING, n INT, op STRING")

    assert events.run(f"{catalog}.main.t", frame, options=options) == [0, 1, 2]

    wanted = [(i, f"a{i}", 1) for i in range(50) if i not in (1, 2)] + [(60, "new", 1)]
    assert seen(spark, lake, catalog, "SELECT id, name, n FROM {t}") == wanted
    files = files_of(lake)
    assert files and all(file["encryption_key"] for file in files)

    events.forget_last_commit()
    with peer(lake) as reader:
        head = reader.head()
    events.run(f"{catalog}.main.t", frame, options=options)
    with peer(lake) as reader:
        assert reader.head() == head
    assert seen(spark, lake, catalog, "SELECT id, name, n FROM {t}") == wanted
