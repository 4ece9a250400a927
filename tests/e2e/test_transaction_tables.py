"""Tables about tables and about the lake within a transaction: its own changes are in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession

from support.asking import column, rows
from support.lakes import Lake
from support.lines import MADE_VIEWS, since
from support.peer import made

Register = Callable[..., str]

UNCOMMITTED = 4 * 10**18
"""Numbers of what is not committed are above it."""


def files(spark: SparkSession, table: str) -> list[tuple[Any, ...]]:
    """The rows, the deletes and the partition of each file, in order."""
    counts = "SELECT record_count, delete_count, partition.part"
    return sorted(rows(spark, f"{counts} FROM {table}.files"))


def test_files_partitions_and_columns(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(
        lake,
        "CREATE TABLE t (id INT, part INT)",
        "ALTER TABLE t SET PARTITIONED BY (part)",
        "INSERT INTO t SELECT i, i % 2 FROM range(1000) r(i)",
    )
    catalog = register(lake)
    t = f"{catalog}.main.t"
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {t} SELECT id, 7 FROM range(1000)")
    spark.sql(f"DELETE FROM {t} WHERE part = 1 AND id < 100")
    spark.sql(f"ALTER TABLE {t} ADD COLUMN more INT")

    within = [(500, 0, "0"), (500, 50, "1"), (1000, 0, "7")]
    assert files(spark, t) == within
    own = "SELECT begin_snapshot, data_file_id, row_id_start"
    ((begin, file, row),) = rows(spark, f"{own} FROM {t}.files WHERE partition.part = 7")
    assert begin is None
    assert min(file, row) > UNCOMMITTED
    parts = f"SELECT partition.part, file_count, record_count FROM {t}.partitions"
    assert sorted(rows(spark, parts)) == [("0", 1, 500), ("1", 1, 500), ("7", 1, 1000)]
    assert "more" in column(spark, f"SELECT column_name FROM {t}.columns")
    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    assert files(spark, t) == within
    ((begin, file, row),) = rows(spark, f"{own} FROM {t}.files WHERE partition.part = 7")
    assert begin == column(spark, f"SELECT id FROM {catalog}.system.current_snapshot")[0]
    assert max(file, row) < UNCOMMITTED


def test_schemas_and_tables(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, "CREATE TABLE gone (id INT)", "CREATE TABLE t (id INT)")
    catalog = register(lake)
    other = spark.newSession()
    theirs = register(lake, session=other)
    tables = "SELECT table_name FROM {c}.system.tables"
    schemas = "SELECT schema_name FROM {c}.system.schemas WHERE schema_name = 's'"
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"CREATE SCHEMA {catalog}.s")
    spark.sql(f"CREATE TABLE {catalog}.s.made (id INT)")
    spark.sql(f"DROP TABLE {catalog}.main.gone")
    spark.sql(f"ALTER TABLE {catalog}.main.t RENAME TO named")

    assert column(spark, tables.format(c=catalog)) == ["made", "named"]
    assert column(spark, schemas.format(c=catalog)) == ["s"]
    assert column(other, tables.format(c=theirs)) == ["gone", "t"]
    assert column(other, schemas.format(c=theirs)) == []
    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    assert column(other, tables.format(c=theirs)) == ["made", "named"]


@since(MADE_VIEWS)
def test_views(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, "CREATE VIEW old AS SELECT 1 AS id")
    catalog = register(lake)
    views = f"SELECT view_name FROM {catalog}.system.views"
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"CREATE VIEW {catalog}.main.new AS SELECT 2 AS id")
    spark.sql(f"DROP VIEW {catalog}.main.old")

    assert column(spark, views) == ["new"]
    spark.sql(f"CALL {catalog}.system.rollback_transaction()")

    assert column(spark, views) == ["old"]
