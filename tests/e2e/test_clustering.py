"""CLUSTER BY is a sort order, and a sort order that it can write is shown as clustering."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)


def clustered(spark: SparkSession, table: str) -> list[str]:
    """The columns by which Spark shows the table as clustered."""
    return [column.name for column in spark.catalog.listColumns(table) if column.isCluster]


def test_what_cluster_by_creates_is_shown_as_clustering(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    table = f"{register(lake)}.main.t"
    spark.sql(f"CREATE TABLE {table} (a INT, b STRING) CLUSTER BY (b, a)")

    assert clustered(spark, table) == ["a", "b"]
    described = [row[0] for row in rows(spark, f"DESCRIBE {table}")]
    assert described[described.index("# Clustering Information") :][2:4] == ["b", "a"]
    with Peer(lake) as peer:
        peer.run("ALTER TABLE t SET SORTED BY (a ASC NULLS LAST)")
    assert clustered(spark, table) == ["a"]
    with Peer(lake) as peer:
        peer.run("ALTER TABLE t SET SORTED BY (a DESC)")
    assert clustered(spark, table) == []
    spark.sql(f"ALTER TABLE {table} CLUSTER BY (a)")
    assert clustered(spark, table) == ["a"]
    spark.sql(f"ALTER TABLE {table} SET PARTITIONED BY (a)")
    assert clustered(spark, table) == []


def test_frames_are_appended_to_a_clustered_table(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    table = f"{register(lake)}.main.t"
    spark.range(3).write.clusterBy("id").saveAsTable(table)

    spark.range(3, 5).write.mode("append").clusterBy("id").saveAsTable(table)
    spark.range(9).write.mode("overwrite").clusterBy("id").saveAsTable(table)
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        spark.range(2).write.mode("overwrite").insertInto(table)
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")

    assert rows(spark, f"SELECT id FROM {table} ORDER BY id") == [(0,), (1,)]
    assert clustered(spark, table) == ["id"]


def test_show_create_table_can_be_run_again(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    table = f"{register(lake)}.main.t"
    spark.sql(f"CREATE TABLE {table} (a INT, b INT) CLUSTER BY (b, a)")
    ((shown,),) = rows(spark, f"SHOW CREATE TABLE {table}")
    spark.sql(f"DROP TABLE {table}")

    spark.sql(shown)

    assert clustered(spark, table) == ["a", "b"]
    other = f"CREATE TABLE {table}2 (a INT) CLUSTER BY (a) "
    properties = "TBLPROPERTIES ('ducklake.sorted-by' = '{}')"
    refused(spark, other + properties.format("a DESC"), "DUCKLAKE_UNSUPPORTED", "CLUSTER BY")
    spark.sql(other + properties.format("a"))
