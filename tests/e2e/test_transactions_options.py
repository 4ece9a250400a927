"""Options that a transaction sets: seen by its statements, stored with it; DuckDB is the judge."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import rows, value
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, made
from support.transactions import BASE

Register = Callable[..., str]

Option = tuple[str, str, str, str | None]
"""Name, value, scope and the object of the scope."""


def options_of(lake: Lake) -> set[Option]:
    """The stored options, as DuckDB lists them, without the facts about the lake."""
    with Peer(lake) as peer:
        found = peer.rows(
            "SELECT option_name, value, scope, scope_entry FROM ducklake_options('lake')"
        )
    facts = {"version", "created_by", "data_path", "encrypted"}
    return {row for row in found if row[0] not in facts}


def files_of(lake: Lake, table: str) -> int:
    """How many data files a table has."""
    with Peer(lake) as peer:
        return int(peer.value(f"SELECT count(*) FROM ducklake_list_files('lake', '{table}')"))


@pytest.mark.every_database
def test_options_of_each_scope(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, *BASE)
    files = files_of(lake, "u")
    catalog = register(lake)
    other = spark.newSession()
    theirs = register(lake, session=other)
    call = f"CALL {catalog}.system."
    spark.sql(call + "begin_transaction()")
    spark.sql(call + "set_option('target_file_size', '1MB')")
    spark.sql(call + "set_option('parquet_compression', 'zstd', schema => 'main')")
    spark.sql(call + "set_option('data_inlining_row_limit', '7', table_name => 'u')")
    spark.sql(call + "set_option('data_inlining_row_limit', '0', table_name => 'u')")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (9, 'own')")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (9, 'own', 1)")

    wanted = {
        ("target_file_size", "1000000", "GLOBAL", None),
        ("parquet_compression", "zstd", "SCHEMA", "main"),
        ("data_inlining_row_limit", "0", "TABLE", "main.u"),
    }
    seen = "SELECT option_name, value, scope, scope_entry FROM {}.system.options"
    assert wanted <= set(rows(spark, seen.format(catalog)))
    assert wanted.isdisjoint(rows(other, seen.format(theirs)))
    assert options_of(lake) == set()
    spark.sql(call + "commit_transaction()")

    assert options_of(lake) == wanted
    assert wanted <= set(rows(other, seen.format(theirs)))
    assert files_of(lake, "u") == files + 1


def test_a_rollback_takes_options_back(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, *BASE, "CALL lake.set_option('target_file_size', '5MB', table_name => 'u')")
    catalog = register(lake)
    before = options_of(lake)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"CALL {catalog}.system.set_option('sort_on_insert', 'false')")
    spark.sql(f"ALTER TABLE {catalog}.u UNSET TBLPROPERTIES ('target_file_size')")
    assert rows(spark, f"SHOW TBLPROPERTIES {catalog}.u") == []

    spark.sql(f"CALL {catalog}.system.rollback_transaction()")

    assert options_of(lake) == before
    assert rows(spark, f"SHOW TBLPROPERTIES {catalog}.u") == [("target_file_size", "5000000")]


def test_options_alone_make_no_snapshot(
    spark: SparkSession, lake: Lake, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    twin = lakes.new(kind)
    for each in (lake, twin):
        made(each, *BASE)
    catalog = register(lake)
    with Peer(twin) as duckdb:
        duckdb.run(
            "BEGIN",
            "CALL lake.set_option('target_file_size', '5MB')",
            "CALL lake.set_option('sort_on_insert', 'false', table_name => 'u')",
            "COMMIT",
        )
        expected = duckdb.head()
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"CALL {catalog}.system.set_option('target_file_size', '5MB')")
    spark.sql(f"ALTER TABLE {catalog}.u SET TBLPROPERTIES ('sort_on_insert' = 'false')")

    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(None,)]

    with Peer(lake) as peer:
        assert peer.head() == expected
    assert options_of(lake) == options_of(twin) != set()


def test_options_of_what_the_transaction_makes(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *BASE)
    catalog = register(lake)
    call = f"CALL {catalog}.system."
    spark.sql(call + "begin_transaction()")
    spark.sql(f"CREATE SCHEMA {catalog}.s")
    spark.sql(call + "set_option('data_inlining_row_limit', '0', schema => 's')")
    spark.sql(f"CREATE TABLE {catalog}.s.n (id INT) TBLPROPERTIES ('sort_on_insert' = 'false')")
    spark.sql(f"INSERT INTO {catalog}.s.n VALUES (1)")
    spark.sql(f"ALTER TABLE {catalog}.s.n UNSET TBLPROPERTIES ('sort_on_insert')")
    spark.sql(call + "set_option('target_file_size', '1MB', schema => 's', table_name => 'n')")
    assert rows(spark, f"SHOW TBLPROPERTIES {catalog}.s.n") == [("target_file_size", "1000000")]
    spark.sql(call + "set_option('sort_on_insert', 'false', table_name => 't')")
    spark.sql(f"DROP TABLE {catalog}.t")
    spark.sql(call + "commit_transaction()")

    assert options_of(lake) == {
        ("data_inlining_row_limit", "0", "SCHEMA", "s"),
        ("target_file_size", "1000000", "TABLE", "s.n"),
    }
    with Peer(lake) as peer:
        listed = "SELECT count(*) FROM ducklake_list_files('lake', 'n', schema => 's')"
        assert peer.value(listed) == 1
    assert value(spark, f"SELECT count(*) FROM {catalog}.s.n") == 1


def test_the_message_of_the_commit_belongs_to_the_transaction(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    call = f"CALL {catalog}.system."
    spark.sql(f"CREATE TABLE {catalog}.t (id INT)")

    spark.sql(f"{call}begin_transaction(author => 'Ada', message => 'first')")
    spark.sql(f"{call}set_commit_message('Bob', 'last')")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1)")
    spark.sql(f"{call}commit_transaction()")

    spark.sql(f"{call}begin_transaction()")
    spark.sql(f"{call}set_commit_message('Bob', 'rolled back')")
    spark.sql(f"{call}rollback_transaction()")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (2)")

    with Peer(lake) as peer:
        assert peer.rows("SELECT author, commit_message FROM lake.snapshots() OFFSET 2") == [
            ("Bob", "last"),
            (None, None),
        ]
