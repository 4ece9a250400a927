"""Tables whose files the catalog database chooses, because memory holds no index of all."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import read_metrics, refused, rows
from support.catalogdb import execute
from support.lakes import IN_FILES, Lake
from support.peer import Peer

Register = Callable[..., str]

FILES = 600
SMALL = {"planning.max-bytes": str(607 * 100)}
"""Memory for 100 listed files, and for an index of 493 files by a column of numbers."""


@pytest.fixture
def many_files(lake: Lake) -> Lake:
    """A lake with a table of 600 files of ten rows, sorted by `id`, partitioned by `k`."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (id BIGINT, day DATE, moment TIMESTAMP, zoned TIMESTAMPTZ, k INTEGER, "
            "name VARCHAR, half DOUBLE)"
        )
        peer.run("ALTER TABLE t SET PARTITIONED BY (k)")
        peer.run(
            "INSERT INTO t SELECT i, DATE '2024-01-01' + (i // 10)::INTEGER, "
            "TIMESTAMP '2024-01-01 00:00:00.5' + INTERVAL 1 HOUR * i, "
            "TIMESTAMPTZ '2024-01-01 00:00:00.25+00' + INTERVAL 1 HOUR * i, i // 10 - 300, "
            "CASE WHEN i % 7 > 0 THEN printf('n%05dé', i) END, i / 2 "
            f"FROM range({FILES * 10}) r(i)"
        )
    return lake


CONDITIONS = (
    "id = 4711",
    "id IN (3, 1234, 5999, 700000)",
    "id < 25 OR id >= 5990",
    "k = -300",
    "k = 299 AND name IS NULL",
    "day BETWEEN DATE '2024-03-01' AND DATE '2024-03-03'",
    "moment >= TIMESTAMP '2024-09-06 22:00:00.5'",
    "zoned = TIMESTAMP '2024-01-11 00:00:00.25+00:00'",
    "name LIKE 'n0123%'",
    "name >= 'n05990é'",
    "NOT (id > 30 OR name < 'n00003')",
    "half > 2990 AND id > 5900",
    "id IS NULL",
    "moment < TIMESTAMP '2024-01-01 03:00:00'",
    "moment >= TIMESTAMP '2024-09-07 00:00:00'",
    "zoned < TIMESTAMP '2024-01-01 03:00:00+00:00'",
)


@pytest.mark.parametrize("kind", ["sqlite", "postgres", "duckdb"], indirect=True)
def test_filters_find_the_rows_that_duckdb_finds(
    spark: SparkSession, many_files: Lake, register: Register
) -> None:
    with Peer(many_files) as peer:
        expected = {
            condition: peer.rows(f"SELECT id, name FROM t WHERE {condition} ORDER BY id")
            for condition in CONDITIONS
        }
    catalog = register(many_files, SMALL)

    for condition in CONDITIONS:
        frame = spark.sql(f"SELECT id, name FROM {catalog}.t WHERE {condition}")
        assert sorted(tuple(row) for row in frame.collect()) == expected[condition], condition
        if expected[condition]:
            assert read_metrics(frame)["ducklakeFilesListed"] == FILES, condition
            assert read_metrics(frame)["ducklakeFilesRead"] <= 11, condition


def test_what_needs_no_list_of_all_files_works(
    spark: SparkSession, many_files: Lake, register: Register
) -> None:
    catalog = register(many_files, SMALL | IN_FILES)
    table = f"{catalog}.t"

    assert rows(spark, f"SELECT count(*) FROM {table}") == [(FILES * 10,)]
    assert len(rows(spark, f"SELECT * FROM {table} LIMIT 50")) == 50
    assert rows(spark, f"SELECT count(*), max(id) FROM {table} WHERE k = 7") == [(10, 3079)]
    joined = f"SELECT count(*) FROM {table} a JOIN {table} b ON a.id = b.id WHERE b.k = 5"
    assert rows(spark, f"SELECT id FROM {table} WHERE id IN (NULL)") == []
    few = register(many_files, {"planning.max-bytes": str(607 * 10)})
    assert len(rows(spark, f"SELECT * FROM {few}.t LIMIT 50")) == 50
    for query in (f"SELECT sum(id) FROM {table}", joined, f"SELECT * FROM {table} WHERE half > 0"):
        refused(spark, query, "DUCKLAKE_TOO_MANY_FILES", "planning.max-bytes")


def test_a_stream_reads_all_files_in_batches_that_memory_holds(
    spark: SparkSession, many_files: Lake, register: Register, tmp_path: Path
) -> None:
    """Its filter matches more files than a plan may have, each of its batches has fewer."""
    table = f"{register(many_files, SMALL | IN_FILES)}.t"
    spark.sql(f"CREATE TABLE {table}_read (id BIGINT)")
    rising = spark.readStream.option("max-files-per-trigger", 90).table(table).where("id >= 0")
    writer = rising.select("id").writeStream.option("checkpointLocation", str(tmp_path))

    writer.trigger(availableNow=True).toTable(f"{table}_read").awaitTermination()

    read = f"SELECT count(*), count(DISTINCT id) FROM {table}_read"
    assert rows(spark, read) == [(FILES * 10, FILES * 10)]


def test_rows_are_changed_where_a_filter_finds_few_files(
    spark: SparkSession, many_files: Lake, register: Register
) -> None:
    catalog = register(many_files, SMALL | IN_FILES)

    spark.sql(f"DELETE FROM {catalog}.t WHERE k = 3")
    spark.sql(f"DELETE FROM {catalog}.t WHERE id = 15")
    spark.sql(f"UPDATE {catalog}.t SET name = 'new' WHERE id = 27")
    spark.sql(f"INSERT INTO {catalog}.t (id, k) VALUES (70000, 3)")

    assert rows(spark, f"SELECT id FROM {catalog}.t WHERE k = 3") == [(70000,)]
    assert rows(spark, f"SELECT name FROM {catalog}.t WHERE id = 27") == [("new",)]
    assert rows(spark, f"SELECT count(*) FROM {catalog}.t") == [(FILES * 10 - 10,)]
    with Peer(many_files) as peer:
        assert peer.rows("SELECT count(*), count(CASE WHEN id = 15 THEN 1 END) FROM t") == [
            (FILES * 10 - 10, 0)
        ]


_ODD = (
    *("x", "", "-", "1e5", "007", " 5", "99999999999999999999999", "infinity", "2024-02-31"),
    *("0044-03-15 (BC)", "2024-01-05 24:00:00", "2024-01-05 10:00:00.50", "é", "\\", "%"),
)


_AT_MIDNIGHT = ("2024-09-06 24:00:00", "2024-09-07 00:00:00.", "2024-09-07 00:00:00")
"""The last text alone is a usual one; all mean the same moment, or none."""


@pytest.mark.damages
@pytest.mark.parametrize("kind", ["sqlite", "postgres", "duckdb"], indirect=True)
def test_odd_statistics_keep_the_files_that_an_index_keeps(
    spark: SparkSession, many_files: Lake, register: Register
) -> None:
    choose = random.Random(43)
    for text in (*_ODD, None):
        for column in ("min_value", "max_value"):
            value = "NULL" if text is None else f"'{text}'"
            file, of = choose.randrange(FILES), choose.randrange(1, 8)
            execute(
                many_files,
                f"UPDATE ducklake_file_column_stats SET {column} = {value} "
                f"WHERE data_file_id % {FILES} = {file} AND column_id = {of}",
            )
    for of, text in ((3, "4713-01-01 (BC) 00:00:00"), (4, "4713-01-01 (BC) 00:00:00+00")):
        execute(
            many_files,
            f"UPDATE ducklake_file_column_stats SET min_value = '{text}' "
            f"WHERE data_file_id % {FILES} < 20 AND column_id = {of}",
        )
    for place, spelled in enumerate(_AT_MIDNIGHT):
        execute(
            many_files,
            f"UPDATE ducklake_file_column_stats SET max_value = '{spelled}' "
            f"WHERE data_file_id % {FILES} = {100 + place} AND column_id = 3",
        )
    execute(many_files, "DELETE FROM ducklake_file_column_stats WHERE data_file_id % 97 = 5")
    execute(
        many_files,
        "UPDATE ducklake_file_column_stats SET value_count = NULL WHERE data_file_id % 89 = 5",
    )
    indexed, chosen = register(many_files), register(many_files, SMALL)

    def files(catalog: str, condition: str) -> list[str]:
        plan = rows(spark, f"EXPLAIN SELECT name FROM {catalog}.t WHERE {condition}")
        return re.findall(r"\d+ of \d+ files", str(plan[0][0]))

    for condition in CONDITIONS:
        assert files(chosen, condition) == files(indexed, condition) != [], condition
