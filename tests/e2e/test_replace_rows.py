"""REPLACE WHERE, static partitions and dynamic overwrite: exactly the rows meant go."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, functions

from support.lakes import IN_FILES, Lake
from support.peer import Peer, made

Register = Callable[..., str]
MODE = "spark.sql.sources.partitionOverwriteMode"


@pytest.fixture
def dynamic(spark: SparkSession) -> Iterator[None]:
    spark.conf.set(MODE, "dynamic")
    yield
    spark.conf.unset(MODE)


def rows(lake: Lake, query: str = "SELECT * FROM t ORDER BY ALL") -> list[tuple[object, ...]]:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        return peer.rows(query)


def same_in_spark(spark: SparkSession, table: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in spark.table(table).collect())


def test_replace_where_takes_single_rows_of_files(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT, s VARCHAR)",
        "INSERT INTO t SELECT range, 'old' FROM range(10)",
        "INSERT INTO t SELECT range, 'old' FROM range(10, 12)",
        "INSERT INTO t SELECT range, 'old' FROM range(20, 30)",
    )
    table = f"{register(lake, IN_FILES)}.t"

    spark.sql(f"INSERT INTO {table} REPLACE WHERE a BETWEEN 8 AND 15 SELECT 9, 'new'")

    kept = [*range(8), *range(20, 30)]
    expected = sorted([*((a, "old") for a in kept), (9, "new")])
    assert rows(lake) == expected
    assert same_in_spark(spark, table) == expected
    assert len(rows(lake, "SELECT * FROM t AT (VERSION => 4)")) == 22
    with Peer(lake) as peer:
        assert peer.head() == 5
        assert peer.value("SELECT count(*) FROM t") == len(expected)
        deleted = peer.rows(
            "SELECT change_type, count(*) FROM ducklake_table_changes('lake', 'main', 't', 5, 5) "
            "GROUP BY 1 ORDER BY 1"
        )
        assert deleted == [("delete", 4), ("insert", 1)]
        kinds = peer.rows(
            "SELECT (data_file IS NOT NULL), delete_file IS NOT NULL, count(*) "
            "FROM ducklake_list_files('lake', 't') GROUP BY ALL ORDER BY ALL"
        )
        assert kinds == [(True, False, 2), (True, True, 1)]


def test_what_was_deleted_before_stays_deleted(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT, s VARCHAR)",
        "INSERT INTO t SELECT range, 'old' FROM range(10)",
        "DELETE FROM t WHERE a = 3",
        "DELETE FROM t WHERE a = 5",
    )
    table = f"{register(lake)}.t"

    new = spark.table(table).where("a = 7").selectExpr("a", "'new' AS s")
    new.writeTo(table).overwrite(functions.col("a") >= 6)

    expected = [(0, "old"), (1, "old"), (2, "old"), (4, "old"), (7, "new")]
    assert rows(lake) == expected
    assert [a for a, _ in rows(lake, "SELECT * FROM t AT (VERSION => 4) ORDER BY a")] == [
        0,
        1,
        2,
        4,
        6,
        7,
        8,
        9,
    ]
    made(lake, "DELETE FROM t WHERE a = 1", "UPDATE t SET s = 'x' WHERE a = 2")
    assert rows(lake) == [(0, "old"), (2, "x"), (4, "old"), (7, "new")]


@pytest.mark.every_database
def test_deletes_and_rows_that_duckdb_keeps_in_the_catalog(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT, s VARCHAR)",
        "INSERT INTO t SELECT range, 'file' FROM range(100)",
        "INSERT INTO t VALUES (100, 'row'), (101, 'row')",
        "DELETE FROM t WHERE a IN (5, 50)",
        limit=10,
    )
    table = f"{register(lake)}.t"

    spark.sql(f"INSERT INTO {table} REPLACE WHERE a >= 50 AND a <= 100 VALUES (1000, 'new')")

    kept = [a for a in range(50) if a != 5]
    expected = [*((a, "file") for a in kept), (101, "row"), (1000, "new")]
    assert rows(lake) == expected
    assert same_in_spark(spark, table) == expected
    assert rows(lake, "SELECT count(*) FROM t AT (VERSION => 4)") == [(100,)]


def test_odd_column_names_and_null_stay_out_of_the_way(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        'CREATE TABLE t (filename VARCHAR, file_row_number INT, rowid INT, "a b" DOUBLE)',
        "INSERT INTO t VALUES ('x', 1, 7, 1.5), ('y', 2, 8, NULL), ('z', 3, 9, 'nan')",
    )
    table = f"{register(lake)}.t"

    spark.sql(
        f"INSERT INTO {table} REPLACE WHERE `a b` > 2 OR filename = 'x' VALUES ('n', 0, 0, 0)"
    )

    assert rows(lake, "SELECT filename FROM t ORDER BY 1") == [("n",), ("y",)]


def test_a_condition_that_matches_nothing_only_appends(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    table = f"{register(lake)}.t"

    spark.sql(f"INSERT INTO {table} REPLACE WHERE a > 5 SELECT 9")
    spark.sql(f"INSERT INTO {table} REPLACE WHERE a > 50 SELECT 1 WHERE false")

    assert rows(lake) == [(1,), (9,)]
    with Peer(lake) as peer:
        assert peer.head() == 3


def test_a_condition_that_cannot_be_evaluated_is_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    table = f"{register(lake)}.t"

    with pytest.raises(PySparkException):
        spark.sql(f"INSERT INTO {table} REPLACE WHERE hash(a) > 5 SELECT 9")

    assert rows(lake) == [(1,)]


def test_static_partitions(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT, p VARCHAR)",
        "ALTER TABLE t SET PARTITIONED BY (p)",
        "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, NULL)",
    )
    table = f"{register(lake)}.t"

    spark.sql(f"INSERT OVERWRITE {table} PARTITION (p = 'x') VALUES (10), (11)")
    spark.sql(f"INSERT OVERWRITE {table} PARTITION (p = NULL) VALUES (30)")

    assert rows(lake) == [(2, "y"), (10, "x"), (11, "x"), (30, None)]


@pytest.mark.usefixtures("dynamic")
def test_dynamic_overwrite_replaces_the_partitions_that_get_rows(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT, p VARCHAR)",
        "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, NULL), (4, 'z')",
        "ALTER TABLE t SET PARTITIONED BY (p)",
        "INSERT INTO t VALUES (5, 'x'), (6, 'y'), (7, NULL)",
    )
    made(lake, "INSERT INTO t VALUES (8, 'x'), (9, 'z')", limit=10)
    table = f"{register(lake)}.t"

    spark.sql(f"INSERT OVERWRITE {table} VALUES (100, 'x'), (101, NULL)")

    expected = [(2, "y"), (4, "z"), (6, "y"), (9, "z"), (100, "x"), (101, None)]
    assert rows(lake) == expected
    assert len(rows(lake, "SELECT * FROM t AT (VERSION => 5)")) == 9

    spark.createDataFrame([(200, "y")], "a INT, p STRING").writeTo(table).overwritePartitions()
    assert rows(lake) == [(4, "z"), (9, "z"), (100, "x"), (101, None), (200, "y")]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("keys", ["", "ALTER TABLE t SET PARTITIONED BY (p)"])
def test_no_new_rows_replace_no_partition(
    spark: SparkSession, lake: Lake, register: Register, keys: str
) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT, p VARCHAR)",
        keys or "SELECT 1",
        "INSERT INTO t VALUES (1, 'x')",
    )
    table = f"{register(lake)}.t"
    none = spark.table(table).where("false")

    none.writeTo(table).overwritePartitions()

    assert rows(lake) == [(1, "x")]
    spark.createDataFrame([(2, "x")], "a INT, p STRING").writeTo(table).overwritePartitions()
    assert rows(lake) == [(2, "x")]


CALENDAR = {
    "TIMESTAMP": "TIMESTAMP_NTZ '{}'",
    "TIMESTAMPTZ": "TIMESTAMP '{} 00:00:00Z'",
    "TIMESTAMP_S": "TIMESTAMP_NTZ '{}'",
    "DATE": "DATE '{}'",
}


@pytest.mark.usefixtures("dynamic")
@pytest.mark.parametrize("type_name", CALENDAR)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_dynamic_overwrite_by_months(
    spark: SparkSession, lake: Lake, register: Register, type_name: str
) -> None:
    made(
        lake,
        f"CREATE TABLE t (a INT, ts {type_name})",
        "INSERT INTO t VALUES (1, '2020-01-31'), (2, '2020-02-01'), (3, '2021-01-15')",
        "ALTER TABLE t SET PARTITIONED BY (year(ts), month(ts))",
        "INSERT INTO t VALUES (4, '2020-01-01'), (5, '2019-12-31'), (6, NULL), (7, 'infinity')"
        if type_name != "TIMESTAMP_S"
        else "INSERT INTO t VALUES (4, '2020-01-01'), (5, '2019-12-31'), (6, NULL)",
    )
    table = f"{register(lake)}.t"
    value = CALENDAR[type_name].format("2020-01-10")

    spark.sql(f"INSERT OVERWRITE {table} SELECT 10, {value}")

    kept = [2, 3, 5, 6, *([7] if type_name != "TIMESTAMP_S" else []), 10]
    assert rows(lake, "SELECT a FROM t ORDER BY a") == [(a,) for a in kept]

    spark.sql(f"INSERT OVERWRITE {table} SELECT 11, NULL")
    assert rows(lake, "SELECT a FROM t ORDER BY a") == [(2,), (3,), (5,), (10,), (11,)]


@pytest.mark.usefixtures("dynamic")
def test_dynamic_overwrite_by_bucket(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(
        lake,
        "CREATE TABLE t (a BIGINT, n INT)",
        "ALTER TABLE t SET PARTITIONED BY (bucket(4, a))",
        "INSERT INTO t SELECT range, 0 FROM range(20)",
    )
    table = f"{register(lake)}.t"
    same = "(murmur3_32(a) & 2147483647) % 4 = (murmur3_32(7::BIGINT) & 2147483647) % 4"

    spark.sql(f"INSERT OVERWRITE {table} SELECT 7L, 1")

    with Peer(lake) as peer:
        assert peer.rows(f"SELECT a, n FROM t WHERE {same}") == [(7, 1)]
        others = peer.value(f"SELECT count(*) FROM range(20) AS r (a) WHERE NOT ({same})")
        assert peer.value("SELECT count(*) FROM t WHERE n = 0") == others


@pytest.mark.usefixtures("dynamic")
def test_a_month_without_its_year_is_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT, d DATE)",
        "ALTER TABLE t SET PARTITIONED BY (month(d))",
        "INSERT INTO t VALUES (1, '2020-01-01')",
    )
    table = f"{register(lake)}.t"

    with pytest.raises(PySparkException, match=r"DUCKLAKE_UNSUPPORTED.*month without year"):
        spark.sql(f"INSERT OVERWRITE {table} SELECT 2, DATE '2021-01-01'")

    assert rows(lake, "SELECT a FROM t") == [(1,)]


@pytest.mark.usefixtures("dynamic")
def test_no_rows_replace_nothing(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(
        lake,
        "CREATE TABLE t (a INT, p INT)",
        "ALTER TABLE t SET PARTITIONED BY (p)",
        "INSERT INTO t VALUES (1, 1)",
    )
    table = f"{register(lake)}.t"

    spark.sql(f"INSERT OVERWRITE {table} SELECT 1, 1 WHERE false")

    assert rows(lake) == [(1, 1)]
    with Peer(lake) as peer:
        assert peer.head() == 3
