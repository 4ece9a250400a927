"""Rows into partitioned and sorted tables: the files, folders and values that DuckDB would make."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.golden import metadata_differences
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]

LAYOUTS = {
    "identity": ("a INT, s VARCHAR", "s", "(1, 'x y'), (2, 'é/'), (3, NULL), (4, ''), (5, 'x y')"),
    "two identities": (
        "a INT, d DATE, f DECIMAL(5, 2)",
        "d, f",
        "(1, DATE '2020-01-01', 1.5), (2, NULL, -0.5), (3, DATE '2020-01-01', 1.5)",
    ),
    "year and month": (
        "a INT, ts TIMESTAMP",
        "year(ts), month(ts)",
        "(1, TIMESTAMP '2020-01-01 00:00:00'), (2, TIMESTAMP '2020-01-31 23:59:59.999999'), "
        "(3, TIMESTAMP '1969-12-31 23:59:59'), (4, NULL), (5, TIMESTAMP '2020-02-01 00:00:00')",
    ),
    "day and hour of an instant": (
        "a INT, ts TIMESTAMPTZ",
        "day(ts), hour(ts)",
        "(1, TIMESTAMPTZ '2020-01-01 23:30:00+00'), (2, TIMESTAMPTZ '2021-05-01 23:30:00+00')",
    ),
    "two years": (
        "year INT, a DATE, b DATE",
        "year(a), year(b)",
        "(1, DATE '2020-01-01', DATE '2021-01-01'), (2, DATE '2020-01-01', DATE '2022-01-01')",
    ),
    "bucket of integers": ("a INT, b BIGINT", "bucket(4, b)", "(1, 1), (2, 2), (3, 77), (4, NULL)"),
    "bucket of texts": ("a INT, s VARCHAR", "bucket(3, s)", "(1, 'a'), (2, 'b'), (3, 'ccc')"),
    "bucket of decimals": (
        "a INT, d DECIMAL(10, 2)",
        "bucket(5, d)",
        "(1, 1.5), (2, 2.25), (3, -7)",
    ),
    "texts of other types": (
        "a INT, u UUID, tm TIME, iv INTERVAL",
        "u, hour(tm), iv",
        "(1, 'F0000000-0000-0000-0000-000000000001', '13:00:00.5', '1 day'), "
        "(2, 'f0000000-0000-0000-0000-000000000001', '13:59:00', '1 day'), "
        "(3, NULL, NULL, NULL)",
    ),
    "floats and booleans": (
        "a INT, f DOUBLE, b BOOLEAN",
        "f, b",
        "(1, 1.5, true), (2, CAST('nan' AS DOUBLE), false), (3, CAST('-0.0' AS DOUBLE), NULL), "
        "(4, CAST('inf' AS DOUBLE), true), (5, 1e300, true), (6, NULL, NULL)",
    ),
    "unsigned numbers": (
        "a INT, u UTINYINT, v UINTEGER, w UBIGINT",
        "u, bucket(7, v), bucket(5, w)",
        "(1, 255, 4294967295, 18446744073709551615), (2, 0, 1, 1), (3, NULL, NULL, NULL)",
    ),
    "coarse timestamps": (
        "a INT, s TIMESTAMP_S, m TIMESTAMP_MS",
        "s, day(m), bucket(3, s)",
        "(1, TIMESTAMP '2020-01-01 00:00:00.4', TIMESTAMP '2020-01-01 23:59:59.9996'), "
        "(2, TIMESTAMP '2020-01-01 00:00:00', TIMESTAMP '2020-01-02 00:00:00')",
    ),
    "bucket of floats and UUIDs": (
        "a INT, f FLOAT, u UUID",
        "bucket(4, f), bucket(3, u)",
        "(1, 1.5, 'F0000000-0000-0000-0000-000000000001'), (2, 0.1, NULL), (3, -7, NULL)",
    ),
    "bucket of dates": ("a INT, d DATE", "bucket(5, d)", "(1, DATE '2020-01-01'), (2, NULL)"),
}


def new_table(columns: str, layout: str) -> list[str]:
    return [f"CREATE TABLE t ({columns})", f"ALTER TABLE t SET PARTITIONED BY ({layout})"]


def folders(peer: Peer) -> list[str]:
    """The folder that each file of table `t` lies in."""
    files = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
    return sorted(path.split("/")[-2] for (path,) in files)


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", LAYOUTS)
def test_metadata_is_what_duckdb_writes(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register, name: str
) -> None:
    columns, layout, values = LAYOUTS[name]

    def insert(lake: Lake) -> None:
        text = values.replace("TIMESTAMPTZ", "TIMESTAMP").replace(
            "TIMESTAMP '", "TIMESTAMP'" if "TIMESTAMPTZ" in columns else "TIMESTAMP_NTZ'"
        )
        spark.sql(f"INSERT INTO {register(lake, IN_FILES)}.t VALUES {text}")

    differences = metadata_differences(
        lakes, kind, new_table(columns, layout), insert, [f"INSERT INTO t VALUES {values}"]
    )

    assert differences == ""


def test_duckdb_prunes_and_compacts_what_spark_partitioned(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(*new_table("a INT, s VARCHAR", "s, bucket(4, a)"))
        peer.run("INSERT INTO t SELECT range, 'p ' || range % 3 FROM range(30)")
    catalog = register(lake, IN_FILES)

    spark.range(30, 60).selectExpr("CAST(id AS INT) a", "concat('p ', id % 3) s").writeTo(
        f"{catalog}.t"
    ).append()

    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        assert peer.value("SELECT count(*) FROM t WHERE s = 'p 1'") == 20
        assert peer.rows("SELECT s FROM t WHERE a = 43") == [("p 1",)]
        peer.run("CALL ducklake_merge_adjacent_files('lake')")
        assert peer.value("SELECT count(*) FROM t") == 60
        assert peer.rows("SELECT s FROM t WHERE a = 43") == [("p 1",)]
    assert spark.table(f"{catalog}.t").where("s = 'p 2'").count() == 20


def test_a_partition_gets_one_file_however_the_rows_come(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(*new_table("a INT, ts TIMESTAMP", "year(ts), month(ts)"))
    catalog = register(lake, IN_FILES)

    spark.range(0, 1000, 1, 5).selectExpr(
        "CAST(id AS INT) a",
        "CAST(date_add(DATE'2020-01-01', CAST(id * 37 % 365 AS INT)) AS TIMESTAMP_NTZ) ts",
    ).writeTo(f"{catalog}.t").append()

    with Peer(lake) as peer:
        assert peer.value("SELECT file_count FROM ducklake_table_info('lake')") == 12
        assert peer.value("SELECT count(*) FROM t WHERE month(ts) = 3") == peer.value(
            "SELECT count(*) FROM range(1000) WHERE month(DATE '2020-01-01' + "
            "CAST(range * 37 % 365 AS INT)) = 3"
        )


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_value_that_is_rounded_into_the_next_hour(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(*new_table("a INT, s TIMESTAMP_S", "hour(s)"))
    catalog = register(lake, IN_FILES)

    spark.sql(
        f"INSERT INTO {catalog}.t SELECT /*+ COALESCE(1) */ * FROM VALUES"
        " (1, TIMESTAMP_NTZ '2020-01-01 10:15:00'), (2, TIMESTAMP_NTZ '2020-01-01 10:59:59.6') v"
    )

    later = "SELECT a FROM {} WHERE s >= {} '2020-01-01 11:00:00'"
    assert [
        row.a for row in spark.sql(later.format(f"{catalog}.t", "TIMESTAMP_NTZ")).collect()
    ] == [2]
    with Peer(lake) as peer:
        assert peer.rows(later.format("t", "TIMESTAMP")) == [(2,)]
        assert folders(peer) == ["hour=10", "hour=11"]


def test_rows_are_sorted_as_the_table_says(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            'CREATE TABLE t (a INT, "b c" VARCHAR)',
            'ALTER TABLE t SET SORTED BY ("b c" DESC NULLS LAST, a ASC NULLS FIRST)',
        )
    catalog = register(lake, IN_FILES)

    values = [(3, "x"), (1, None), (None, "x"), (2, "y"), (1, "x")]
    spark.createDataFrame(values, "a INT, `b c` STRING").coalesce(1).writeTo(
        f"{catalog}.t"
    ).append()

    with Peer(lake) as peer:
        path = peer.value("SELECT data_file FROM ducklake_list_files('lake', 't')")
        rows = peer.rows(
            f"SELECT * EXCLUDE (filename) FROM read_parquet('{path}', filename = true)"
        )
    assert rows == [(2, "y"), (None, "x"), (1, "x"), (3, "x"), (1, None)]


def test_the_layout_of_the_moment_counts(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(*new_table("a INT, s VARCHAR", "s"))
    catalog = register(lake, IN_FILES)
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 'x')")
    with Peer(lake) as peer:
        peer.run("ALTER TABLE t SET PARTITIONED BY (a)")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (2, 'y')")
    with Peer(lake) as peer:
        peer.run("ALTER TABLE t RESET PARTITIONED BY")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (3, 'z')")

    with Peer(lake) as peer:
        assert peer.rows("SELECT * FROM t ORDER BY a") == [(1, "x"), (2, "y"), (3, "z")]
        assert folders(peer) == ["a=2", "s=x", "t"]


def test_a_value_that_is_none_of_the_keys_type_is_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(*new_table("a INT, u UUID", "bucket(4, u)"))
    catalog = register(lake, IN_FILES)

    with pytest.raises(PySparkException, match=r"DUCKLAKE_INVALID_VALUE.*`u`"):
        spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 'nonsense')")

    assert not list(lake.data_path.rglob("*.parquet"))


def test_a_partition_named_in_the_statement(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(*new_table("a INT, s VARCHAR, b INT", "s"))
        peer.run("CREATE TABLE u (a INT)")
    catalog = register(lake, IN_FILES)

    spark.sql(f"INSERT INTO {catalog}.t PARTITION (s = 'x') VALUES (1, 10)")
    spark.sql(f"INSERT INTO {catalog}.t PARTITION (s) (a, s) VALUES (2, 'y')")
    spark.sql(
        f"FROM (SELECT 3 AS a) INSERT INTO {catalog}.t SELECT a, 'z', a INSERT INTO {catalog}.u "
        "SELECT a"
    )

    with Peer(lake) as peer:
        assert peer.rows("SELECT * FROM t ORDER BY a") == [
            (1, "x", 10),
            (2, "y", None),
            (3, "z", 3),
        ]
        assert peer.rows("SELECT * FROM u") == [(3,)]


def test_without_hive_folders_files_lie_in_the_tables_own(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(*new_table("a INT, s VARCHAR", "s"))
        peer.run("CALL ducklake_set_option('lake', 'hive_file_pattern', false)")
    catalog = register(lake, IN_FILES)

    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 'x')")

    with Peer(lake) as peer:
        assert folders(peer) == ["t"]


def test_years_before_christ_lie_where_duckdb_puts_them(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (c TIMESTAMPTZ)",
            "ALTER TABLE t SET PARTITIONED BY (year(c))",
            "INSERT INTO t VALUES (TIMESTAMPTZ '0044-03-15 (BC) 12:00:00+00')",
        )
    catalog = register(lake, {"data-inlining-row-limit": "0"})

    spark.sql(f"INSERT INTO {catalog}.t SELECT c FROM {catalog}.t")

    keys = spark.sql(f"SELECT partition FROM {catalog}.t.files").collect()
    assert [key[0] for key in keys] == [{"year(c)": "44"}] * 2
