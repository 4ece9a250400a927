"""DELETE of whole files and of rows in the catalog opens no file, and takes just the rows meant."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.deleting import changes, is_known, no_files, same
from support.lakes import IN_FILES, Lake
from support.peer import Peer, made

Register = Callable[..., str]

PARTITIONED = (
    "CREATE TABLE t (id INT, part INT, s VARCHAR)",
    "ALTER TABLE t SET PARTITIONED BY (part)",
    "INSERT INTO t SELECT i, i % 3, 's' || i FROM range(60) r(i)",
    "INSERT INTO t SELECT i, NULL, NULL FROM range(60, 80) r(i)",
)


def head(lake: Lake) -> int:
    """The newest snapshot."""
    with Peer(lake) as peer:
        return peer.head()


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("part = 1", [i for i in range(80) if i >= 60 or i % 3 != 1]),
        ("part IN (0, 2)", [i for i in range(80) if i >= 60 or i % 3 == 1]),
        ("part IS NULL", [*range(60)]),
        ("NOT part <=> 1", [i for i in range(60) if i % 3 == 1]),
        ("part <> 1", [i for i in range(80) if i >= 60 or i % 3 == 1]),
        ("part IS NOT NULL AND id >= 0", [*range(60, 80)]),
        ("part = 1 OR id >= 60", [i for i in range(60) if i % 3 != 1]),
        ("id >= 0", []),
        ("true", []),
    ],
)
def test_whole_files_end_unread(
    spark: SparkSession, lake: Lake, register: Register, condition: str, left: list[int]
) -> None:
    made(lake, *PARTITIONED)
    catalog = register(lake)
    before = head(lake)
    gone = 80 - len(left)

    with no_files(lake):
        spark.sql(f"DELETE FROM {catalog}.t WHERE {condition}")

    assert sorted(same(spark, lake, catalog, "SELECT id FROM {t}")) == [(i,) for i in left]
    same(spark, lake, catalog, "SELECT id, part, s, rowid FROM {t}")
    past = f"SELECT count(*) FROM {{t}} AT (VERSION => {before})"
    assert same(spark, lake, catalog, past) == [(80,)]
    with Peer(lake) as peer:
        assert peer.head() == before + 1
        assert peer.value("SELECT count(*) FROM t") == len(left)
        assert not peer.rows(
            "SELECT 1 FROM ducklake_list_files('lake', 't') WHERE delete_file IS NOT NULL"
        )
    assert changes(lake, before + 1, before + 1) == [(before + 1, "delete", gone)]


@pytest.mark.parametrize("condition", ["part = 7", "id < 0", "false", "part = NULL", "s < 'a'"])
def test_what_matches_nothing_makes_no_snapshot(
    spark: SparkSession, lake: Lake, register: Register, condition: str
) -> None:
    made(lake, *PARTITIONED)
    catalog = register(lake)
    before = head(lake)

    with no_files(lake):
        spark.sql(f"DELETE FROM {catalog}.t WHERE {condition}")

    assert head(lake) == before


@pytest.mark.every_database
def test_rows_in_the_catalog_are_judged_there(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        *PARTITIONED,
        "INSERT INTO t VALUES (100, 1, 'x'), (101, 2, NULL), (102, NULL, 'y')",
        "DELETE FROM t WHERE id = 102",
        limit=10,
    )
    catalog = register(lake)
    before = head(lake)

    with no_files(lake):
        spark.sql(f"DELETE FROM {catalog}.t WHERE part = 1")
        spark.sql(f"DELETE FROM {catalog}.t WHERE id > 100")

    left = same(spark, lake, catalog, "SELECT id FROM {t}")
    assert sorted(left) == [(i,) for i in range(80) if i >= 60 or i % 3 != 1]
    past = f"SELECT id, rowid FROM {{t}} AT (VERSION => {before + 1})"
    assert (101, 81) in same(spark, lake, catalog, past)
    assert changes(lake, before + 1, before + 2) == [
        (before + 1, "delete", 21),
        (before + 2, "delete", 1),
    ]


def test_a_file_with_a_delete_file_ends_too(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *PARTITIONED, "DELETE FROM t WHERE id < 9")
    catalog = register(lake, IN_FILES)
    before = head(lake)

    with no_files(lake):
        spark.sql(f"DELETE FROM {catalog}.t WHERE part = 1")

    left = same(spark, lake, catalog, "SELECT id FROM {t}")
    assert sorted(left) == [(i,) for i in range(9, 80) if i >= 60 or i % 3 != 1]
    same(spark, lake, catalog, f"SELECT id, rowid FROM {{t}} AT (VERSION => {before})")
    assert changes(lake, before + 1, before + 1) == [(before + 1, "delete", 17)]


@pytest.mark.every_database
def test_a_file_with_deletes_in_the_catalog_keeps_its_story(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """Were it ended, DuckDB's change feed would report the rows deleted before once more."""
    made(lake, *PARTITIONED, "DELETE FROM t WHERE id IN (1, 4)", limit=10)
    catalog = register(lake)
    before = head(lake)

    assert not is_known(spark, f"{catalog}.t", "part = 1")
    spark.sql(f"DELETE FROM {catalog}.t WHERE part = 1")

    left = same(spark, lake, catalog, "SELECT id FROM {t}")
    assert sorted(left) == [(i,) for i in range(80) if i >= 60 or i % 3 != 1]
    assert changes(lake, before + 1, before + 1) == [(before + 1, "delete", 18)]


def test_replace_where_ends_whole_files_unread(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *PARTITIONED)
    catalog = register(lake, IN_FILES)
    with Peer(lake) as peer:
        files = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
    hidden = [file for (file,) in files if "part=1" in file]

    for file in hidden:
        lake.data_path.joinpath(file).rename(f"{file}.away")
    spark.sql(f"INSERT INTO {catalog}.t REPLACE WHERE part = 1 OR id = 0 VALUES (500, 1, 'new')")
    for file in hidden:
        lake.data_path.joinpath(f"{file}.away").rename(file)

    left = same(spark, lake, catalog, "SELECT id FROM {t}")
    assert sorted(left) == [(i,) for i in [*range(1, 80), 500] if i >= 60 or i % 3 != 1]


@pytest.mark.parametrize("key", ["read-only", "snapshot-version"])
def test_a_lake_that_may_not_be_written_keeps_its_rows(
    spark: SparkSession, lake: Lake, register: Register, key: str
) -> None:
    made(lake, *PARTITIONED)
    catalog = register(lake, {key: "true" if key == "read-only" else str(head(lake))})

    for condition in ("part = 1", "true", "part = 7"):
        refused(spark, f"DELETE FROM {catalog}.t WHERE {condition}", "DUCKLAKE_READ_ONLY")

    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM t") == 80


def test_the_commit_says_who_made_it(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, *PARTITIONED)
    catalog = register(lake)

    spark.sql(f"CALL {catalog}.system.set_commit_message('me', 'old rows')")
    spark.sql(f"DELETE FROM {catalog}.t WHERE part = 1")
    spark.sql(f"DELETE FROM {catalog}.t")

    with Peer(lake) as peer:
        answer = peer.rows(
            "SELECT author, commit_message, changes FROM ducklake_snapshots('lake') "
            "ORDER BY snapshot_id DESC LIMIT 2"
        )
    changes = {"tables_deleted_from": ["1"], "inlined_delete": ["1"]}
    assert answer == [(None, None, changes), ("me", "old rows", changes)]


def test_what_spark_has_cached_is_read_again(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *PARTITIONED)
    table = f"{register(lake)}.t"
    spark.sql(f"CACHE TABLE {table}")

    spark.sql(f"DELETE FROM {table} WHERE part = 1")

    assert rows(spark, f"SELECT count(*) FROM {table}") == [(60,)]
    spark.sql(f"UNCACHE TABLE {table}")
