"""Appending rows: every way Spark has, and what DuckDB finds afterwards."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from support.lakes import Lake
from support.peer import Peer, made

Register = Callable[..., str]


def asked(lake: Lake, query: str) -> list[tuple[object, ...]]:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        return peer.rows(query)


def test_duckdb_reads_what_spark_inserted(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT, b VARCHAR)", "INSERT INTO t VALUES (1, 'one')")
    catalog = register(lake)

    spark.sql(f"INSERT INTO {catalog}.t VALUES (2, 'two'), (3, NULL)")

    rows = [(1, "one"), (2, "two"), (3, None)]
    assert asked(lake, "SELECT * FROM t ORDER BY a") == rows
    assert [tuple(row) for row in spark.table(f"{catalog}.t").orderBy("a").collect()] == rows


def test_one_insert_is_one_snapshot_that_duckdb_describes(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT)")
    catalog = register(lake)

    spark.range(100).selectExpr("CAST(id AS INT) AS a").repartition(3).writeTo(
        f"{catalog}.t"
    ).append()

    with Peer(lake) as peer:
        head = peer.head()
        assert head == 2
        changes = peer.value(
            f"SELECT changes FROM ducklake_snapshots('lake') WHERE snapshot_id = {head}"
        )
        assert changes == {"tables_inserted_into": ["1"]}
        assert peer.value("SELECT count(*) FROM t") == 100
        assert peer.value("SELECT file_count FROM ducklake_table_info('lake')") == 3
        files = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
        assert len(files) == 3 and all("/main/t/ducklake-" in path for (path,) in files)
        inserted = peer.rows(
            f"SELECT change_type, count(*), count(DISTINCT rowid) "
            f"FROM ducklake_table_changes('lake', 'main', 't', {head}, {head}) GROUP BY 1"
        )
        assert inserted == [("insert", 100, 100)]


def test_duckdb_goes_on_after_spark(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, "CREATE TABLE t (a INT, b VARCHAR)", "INSERT INTO t VALUES (1, 'one')")
    catalog = register(lake)
    spark.sql(f"INSERT INTO {catalog}.t VALUES (2, 'two')")

    made(
        lake,
        "INSERT INTO t VALUES (3, 'three')",
        "UPDATE t SET b = 'zwei' WHERE a = 2",
        "DELETE FROM t WHERE a = 1",
        "ALTER TABLE t ADD COLUMN c INT DEFAULT 7",
        "CALL ducklake_merge_adjacent_files('lake')",
    )
    spark.sql(f"INSERT INTO {catalog}.t VALUES (4, 'four', 8)")

    rows = [(2, "zwei", 7), (3, "three", 7), (4, "four", 8)]
    assert asked(lake, "SELECT * FROM t ORDER BY a") == rows
    assert [tuple(row) for row in spark.table(f"{catalog}.t").orderBy("a").collect()] == rows


def test_no_rows_make_no_snapshot(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, "CREATE TABLE t (a INT)")
    catalog = register(lake)

    spark.sql(f"INSERT INTO {catalog}.t SELECT a FROM {catalog}.t")

    with Peer(lake) as peer:
        assert peer.head() == 1


def test_columns_by_name_missing_ones_and_defaults(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT, b VARCHAR DEFAULT 'x', c INT DEFAULT 5, d DATE)")
    catalog = register(lake)

    spark.sql(f"INSERT INTO {catalog}.t (a) VALUES (1)")
    spark.sql(f"INSERT INTO {catalog}.t BY NAME SELECT 2 AS a, DATE'2020-01-01' AS d")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (3, DEFAULT, DEFAULT, DEFAULT)")
    spark.sql(f"INSERT INTO {catalog}.t (c, b, a) VALUES (9, 'y', 4)")
    spark.createDataFrame([(5, "z")], "a INT, b STRING").writeTo(f"{catalog}.t").append()

    assert asked(lake, "SELECT a, b, c, d::VARCHAR FROM t ORDER BY a") == [
        (1, "x", 5, None),
        (2, "x", 5, "2020-01-01"),
        (3, "x", 5, None),
        (4, "y", 9, None),
        (5, "z", 5, None),
    ]


def test_every_write_by_name_fills_the_columns_that_it_leaves_out(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT, b VARCHAR DEFAULT 'x', p INT DEFAULT 5)")
    made(lake, "ALTER TABLE t SET PARTITIONED BY (p)")
    table = f"{register(lake)}.t"
    later = f"SELECT CAST(count(*) AS INT) + 1 AS a FROM {table} HAVING count(*) < 10"

    spark.sql(f"INSERT INTO {table} BY NAME {later}")
    spark.sql(f"INSERT INTO {table} BY NAME WITH n AS ({later}) SELECT a, 'y' AS B FROM n")
    spark.sql(f"INSERT INTO {table} (a) {later}")
    spark.sql(f"INSERT INTO {table} PARTITION (p = 6) BY NAME {later}")
    spark.sql(f"INSERT INTO {table} PARTITION (p = 6) (a) {later}")
    spark.sql(later).writeTo(table).append()
    spark.sql(later).write.mode("append").saveAsTable(table)
    spark.sql(later).write.format("ducklake").mode("append").save(table)
    first = asked(lake, "FROM t ORDER BY a")
    spark.sql("SELECT 9 AS a").writeTo(table).overwrite(F.col("a") > 2)
    second = asked(lake, "FROM t ORDER BY a")
    spark.sql(f"INSERT OVERWRITE {table} BY NAME SELECT 10 AS a")

    assert first == [
        (1, "x", 5),
        (2, "y", 5),
        (3, "x", 5),
        (4, "x", 6),
        (5, "x", 6),
        (6, "x", 5),
        (7, "x", 5),
        (8, "x", 5),
    ]
    assert second == [(1, "x", 5), (2, "y", 5), (9, "x", 5)]
    assert asked(lake, "FROM t") == [(10, "x", 5)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("SELECT 1 AS a", "`n`"),
        ("SELECT 1 AS n, 2 AS z", "`z`"),
        ("SELECT 1 AS n, 2 AS n", "`n`"),
    ],
)
def test_a_write_by_name_that_does_not_fit_names_the_column(
    spark: SparkSession, lake: Lake, register: Register, query: str, names: str
) -> None:
    made(lake, "CREATE TABLE t (n INT NOT NULL, a INT DEFAULT 5)")
    table = f"{register(lake)}.t"

    with pytest.raises(PySparkException, match=names):
        spark.sql(f"INSERT INTO {table} BY NAME {query}")
    with pytest.raises(PySparkException, match=names):
        spark.sql(query).writeTo(table).append()

    assert asked(lake, "SELECT count(*) FROM t") == [(0,)]


def test_every_way_to_append(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, "CREATE TABLE t (a INT)")
    catalog = register(lake)
    table = f"{catalog}.main.t"

    def rows(value: int) -> object:
        return spark.createDataFrame([(value,)], "a INT")

    rows(1).writeTo(table).append()
    rows(2).write.insertInto(table)
    rows(3).write.mode("append").saveAsTable(table)
    spark.sql(f"INSERT INTO TABLE {table} VALUES (4)")
    rows(5).createOrReplaceTempView("more")
    spark.sql(f"INSERT INTO {table} TABLE more")

    assert asked(lake, "SELECT * FROM t ORDER BY a") == [(1,), (2,), (3,), (4,), (5,)]


def test_a_table_is_read_while_it_is_written(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1), (2)")
    catalog = register(lake)

    spark.sql(f"INSERT INTO {catalog}.t SELECT a + 10 FROM {catalog}.t")

    assert asked(lake, "SELECT * FROM t ORDER BY a") == [(1,), (2,), (11,), (12,)]


def test_overwrite_replaces_all_rows_in_one_snapshot(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1), (2)", "INSERT INTO t VALUES (3)"
    )
    catalog = register(lake)

    spark.sql(f"INSERT OVERWRITE {catalog}.t SELECT a + 10 FROM {catalog}.t WHERE a > 1")

    with Peer(lake) as peer:
        assert peer.rows("SELECT * FROM t ORDER BY a") == [(12,), (13,)]
        assert peer.rows("SELECT * FROM t AT (VERSION => 3) ORDER BY a") == [(1,), (2,), (3,)]
        assert peer.head() == 4
        kinds = peer.rows(
            "SELECT change_type, count(*) FROM ducklake_table_changes('lake', 'main', 't', 4, 4) "
            "GROUP BY 1 ORDER BY 1"
        )
        assert kinds == [("delete", 3), ("insert", 2)]


@pytest.mark.every_database
def test_overwrite_ends_inlined_rows_too(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1), (2)")
    catalog = register(lake)

    spark.sql(f"INSERT OVERWRITE {catalog}.t VALUES (7)")

    assert asked(lake, "SELECT * FROM t") == [(7,)]
    assert asked(lake, "SELECT * FROM t AT (VERSION => 2) ORDER BY a") == [(1,), (2,)]


def test_overwriting_with_no_rows_empties_the_table(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    catalog = register(lake)

    spark.sql(f"INSERT OVERWRITE {catalog}.t SELECT 1 WHERE false")

    assert asked(lake, "SELECT count(*) FROM t") == [(0,)]


def test_null_in_a_not_null_column_changes_nothing(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT NOT NULL)")
    catalog = register(lake)

    with pytest.raises(PySparkException, match="NOT_NULL"):
        spark.sql(f"INSERT INTO {catalog}.t VALUES (CAST(NULL AS INT))")

    assert asked(lake, "SELECT count(*) FROM t") == [(0,)]
    assert not list(lake.data_path.rglob("*.parquet"))


def test_a_failed_task_leaves_no_file(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT, u UUID)",
        "CALL ducklake_set_option('lake', 'target_file_size', '10KB')",
        "CALL ducklake_set_option('lake', 'parquet_row_group_size', 1000)",
    )
    catalog = register(lake)
    rows = "SELECT CAST(id AS INT) AS a, IF(id < {good}, uuid(), 'nonsense') AS u FROM range(9000)"

    with pytest.raises(PySparkException, match="DUCKLAKE_INVALID_VALUE"):
        spark.sql(rows.format(good=8000)).coalesce(1).writeTo(f"{catalog}.t").append()

    assert not list(lake.data_path.rglob("*.parquet"))
    with Peer(lake) as peer:
        assert peer.head() == 1
    spark.sql(rows.format(good=9000)).coalesce(1).writeTo(f"{catalog}.t").append()
    assert len(list(lake.data_path.rglob("*.parquet"))) > 3


def test_a_read_only_catalog_takes_no_rows(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT)")
    catalog = register(lake, {"read-only": "true"})

    with pytest.raises(PySparkException, match="DUCKLAKE_READ_ONLY"):
        spark.sql(f"INSERT INTO {catalog}.t VALUES (1)")
