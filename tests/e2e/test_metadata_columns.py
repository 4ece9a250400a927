"""The hidden columns rowid, snapshot_id, filename, file_row_number."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from support.asking import rows, value
from support.lakes import Lake
from support.peer import Peer


def test_they_are_hidden_from_star(spark: SparkSession, catalog: str) -> None:
    assert spark.table(f"{catalog}.events").columns == ["id", "sort", "amount", "flag"]


def test_they_have_their_types(spark: SparkSession, catalog: str) -> None:
    frame = spark.sql(f"SELECT rowid, snapshot_id, filename, file_row_number FROM {catalog}.events")

    types = [field.dataType.simpleString() for field in frame.schema.fields]
    assert types == ["bigint", "bigint", "string", "bigint"]


def test_row_ids_and_snapshots_are_those_of_duckdb(
    spark: SparkSession, example: Lake, catalog: str
) -> None:
    query = "SELECT rowid, snapshot_id, filename, id FROM {}.main.events ORDER BY rowid"
    with Peer(example) as peer:
        expected = peer.rows(query.format("lake"))

    assert rows(spark, query.format(catalog)) == expected


def test_an_inlined_row_has_no_position(spark: SparkSession, catalog: str) -> None:
    query = f"SELECT id, filename, file_row_number FROM {catalog}.events WHERE id IN (1, 2, 101)"

    found = {row[0]: row[1:] for row in rows(spark, query)}

    assert found[2][0].endswith(".parquet")
    assert found[2][1] == 2
    assert found[1] == ("ducklake_inlined_data_1_1", None)
    assert found[101] == ("ducklake_inlined_data_1_1", None)


def test_they_filter_and_group(spark: SparkSession, catalog: str) -> None:
    by_snapshot = f"SELECT snapshot_id, count(*) FROM {catalog}.events GROUP BY 1 ORDER BY 1"

    assert rows(spark, by_snapshot) == [(4, 89), (5, 2), (7, 1)]
    assert value(spark, f"SELECT id FROM {catalog}.events WHERE rowid = 99") == 99
    assert value(spark, f"SELECT count(*) FROM {catalog}.events WHERE file_row_number < 5") == 3


def test_they_are_right_at_an_old_snapshot(spark: SparkSession, catalog: str) -> None:
    query = f"SELECT max(snapshot_id), max(rowid) FROM {catalog}.events VERSION AS OF 5"

    assert rows(spark, query) == [(5, 102)]


def test_a_user_column_of_the_same_name_wins(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 'mine' AS filename, 7 AS file_row_number, 1 AS a")
    catalog = register(lake)

    frame = spark.sql(f"SELECT filename, file_row_number, snapshot_id FROM {catalog}.t")
    assert [tuple(row) for row in frame.collect()] == [("mine", 7, 1)]


def test_updated_rows_keep_their_row_id(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t AS SELECT i AS a, i AS b FROM range(1000) AS r(i)",
            "UPDATE t SET b = -1 WHERE a % 2 = 0",
        )
    catalog = register(lake)

    assert value(spark, f"SELECT count(*) FROM {catalog}.t WHERE rowid = a") == 1000
    changed = f"SELECT snapshot_id, count(*) FROM {catalog}.t WHERE b = -1 GROUP BY 1"
    assert rows(spark, changed) == [(2, 500)]


def test_a_column_that_differs_in_case_alone_is_another_one_in_a_session_with_case(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            'CREATE TABLE t (id INT, "FileName" VARCHAR, "RowId" VARCHAR)',
            "INSERT INTO t SELECT i, 'mine', 'x' || i FROM range(20) AS r(i)",
        )
    catalog = register(lake)
    query = f"SELECT rowid, RowId, FileName, filename FROM {catalog}.main.t WHERE rowid = 3"
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        ((rowid, own, name, file),) = rows(spark, query)
        none = rows(spark, f"SELECT id FROM {catalog}.main.t WHERE filename = 'mine'")
    finally:
        spark.conf.unset("spark.sql.caseSensitive")

    assert (rowid, own, name, none) == (3, "x3", "mine", [])
    assert file.endswith(".parquet")
