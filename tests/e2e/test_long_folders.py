"""Values and names of which a folder's name would be longer than file systems take."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.asking import rows
from support.catalogdb import read_catalog
from support.lakes import IN_FILES, Lake
from support.peer import Peer

Register = Callable[..., str]

LONG = "repeat('ä', 43)"


def test_a_long_text_as_partition_key_is_written_flushed_and_compacted(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    inlined, in_files = register(lake), register(lake, IN_FILES)
    spark.sql(f"CREATE TABLE {inlined}.t (id INT, p STRING, q INT) PARTITIONED BY (p, q)")

    spark.sql(f"INSERT INTO {inlined}.t VALUES (1, {LONG}, 7), (2, 'b', 7)")
    spark.sql(f"CALL {inlined}.system.flush_inlined_data('t')").collect()
    spark.sql(f"INSERT INTO {in_files}.t SELECT id + 2, {LONG}, 7 FROM range(2) r(id)")
    spark.sql(f"UPDATE {in_files}.t SET id = id + 10 WHERE id = 3")
    spark.sql(f"CALL {inlined}.system.checkpoint()").collect()

    found = "SELECT id, length(p) FROM {} ORDER BY id"
    assert sorted(rows(spark, found.format(f"{inlined}.t"))) == [(1, 43), (2, 1), (2, 43), (13, 43)]
    assert sorted(duckdb_rows(lake, found.format("t"))) == [(1, 43), (2, 1), (2, 43), (13, 43)]
    where = f"p = {LONG} AND id < 10"
    assert rows(spark, f"SELECT count(*) FROM {inlined}.t WHERE {where}") == [(2,)]
    live = [row for row in read_catalog(lake).rows("data_file") if row["end_snapshot"] is None]
    folders = {str(row["path"]).rpartition("/")[0] for row in live}
    assert folders == {"q=7", "p=b/q=7"}


def test_duckdb_merges_the_files_of_a_long_text(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake, IN_FILES)
    spark.sql(f"CREATE TABLE {catalog}.t (id INT, p STRING) PARTITIONED BY (p)")
    for n in range(3):
        spark.sql(f"INSERT INTO {catalog}.t VALUES ({n}, {LONG})")

    with Peer(lake) as peer:
        peer.run("CALL ducklake_merge_adjacent_files('lake', 't')")
        assert peer.rows(f"SELECT id FROM t WHERE p = {LONG} ORDER BY id") == [(0,), (1,), (2,)]
    assert rows(spark, f"SELECT count(*) FROM {catalog}.t.files") == [(1,)]


def test_tables_and_schemas_with_long_names_have_room(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake, IN_FILES)
    schema, table = "s" * 300, "t" * 300

    spark.sql(f"CREATE SCHEMA {catalog}.{schema}")
    spark.sql(f"CREATE TABLE {catalog}.{schema}.{table} (id INT)")
    spark.sql(f"INSERT INTO {catalog}.{schema}.{table} VALUES (1)")

    assert duckdb_rows(lake, f"SELECT id FROM lake.{schema}.{table}") == [(1,)]
