"""`add_data_files`: existing Parquet files become data files, in the same way in both engines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.adding import add_by_duckdb, add_by_spark, duckdb_rows, parquet
from support.asking import refused
from support.catalogdb import read_catalog
from support.lakes import Lake, LakeFactory
from support.peer import Peer, made

Register = Callable[..., str]

NESTED = (
    "CREATE TABLE t (id INT, s STRUCT(a INT, b VARCHAR), l INT[], m MAP(VARCHAR, INT), p INT)",
    "SELECT 1::INT AS id, {'a': 1::INT, 'b': 'x'} AS s, [1, 2]::INT[] AS l, MAP {'k': 1::INT} AS m",
)

TABLES = ("file_column_stats", "name_mapping", "column_mapping", "file_partition_value")


def test_both_engines_write_the_same_catalog_rows(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    file = parquet(tmp_path / "p=5" / "a.parquet", NESTED[1])
    ours, theirs = lakes.new("sqlite"), lakes.new("sqlite")
    for lake in (ours, theirs):
        made(lake, NESTED[0])

    assert add_by_spark(spark, register(ours), file) == [file]
    add_by_duckdb(theirs, file)

    for name in TABLES:
        assert read_catalog(ours).rows(name) == read_catalog(theirs).rows(name), name
    assert duckdb_rows(ours) == duckdb_rows(theirs)


def test_both_engines_read_what_the_other_added(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, NESTED[0])
    catalog = register(lake)
    first = parquet(tmp_path / "p=5" / "a.parquet", NESTED[1])
    second = parquet(tmp_path / "p=6" / "b.parquet", NESTED[1])

    add_by_spark(spark, catalog, first)
    add_by_duckdb(lake, second)

    assert duckdb_rows(lake, "SELECT id, s.b, l, p, rowid FROM t ORDER BY p") == [
        (1, "x", [1, 2], 5, 0),
        (1, "x", [1, 2], 6, 1),
    ]
    rows = spark.sql(f"SELECT id, s.b, l, m['k'], p FROM {catalog}.t ORDER BY p").collect()
    assert [tuple(row) for row in rows] == [(1, "x", [1, 2], 1, 5), (1, "x", [1, 2], 1, 6)]
    assert len(read_catalog(lake).rows("column_mapping")) == 1


@pytest.mark.parametrize(
    ("select", "options", "value"),
    [
        ("SELECT 1::INT AS a", ", allow_missing => true", None),
        ("SELECT 1::INT AS a, 6::INT AS p", "", 6),
    ],
    ids=["no value", "another value"],
)
def test_without_hive_partitioning_the_path_gives_no_value(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    tmp_path: Path,
    select: str,
    options: str,
    value: int | None,
) -> None:
    file = parquet(tmp_path / "p=5" / "a.parquet", select)
    ours, theirs = lakes.new("sqlite"), lakes.new("sqlite")
    for lake in (ours, theirs):
        made(lake, "CREATE TABLE t (a INT, p INT)")
    catalog, off = register(ours), f", hive_partitioning => false{options}"

    assert add_by_spark(spark, catalog, file, off) == [file]
    add_by_duckdb(theirs, file, off)

    for name in TABLES:
        assert read_catalog(ours).rows(name) == read_catalog(theirs).rows(name), name
    assert duckdb_rows(ours) == duckdb_rows(theirs) == [(1, value)]
    assert [tuple(row) for row in spark.table(f"{catalog}.t").collect()] == [(1, value)]


def test_without_hive_partitioning_keys_come_from_the_statistics_alone(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    """DuckDB refuses such a file: it takes the keys of partitions from the path."""
    file = parquet(tmp_path / "p=5" / "a.parquet", "SELECT 1::INT AS a, 6::INT AS p")
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INT, p INT)", "ALTER TABLE t SET PARTITIONED BY (p)")
    catalog = register(lake)
    call = f"CALL {catalog}.system.add_data_files('t', '{file}'"

    refused(spark, f"{call})", "DUCKLAKE_CANNOT_ADD_FILE", "`5` in its path")
    spark.sql(f"{call}, hive_partitioning => false)")

    (key,) = read_catalog(lake).rows("file_partition_value")
    assert key["partition_value"] == "6"
    assert duckdb_rows(lake, "SELECT a, p FROM t WHERE p = 6") == [(1, 6)]


def test_folders_patterns_and_arrays_are_one_commit(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    head = made(lake, "CREATE TABLE t (a INT)")
    catalog = register(lake)
    for number in range(5):
        parquet(tmp_path / f"f{number // 2}" / f"{number}.parquet", f"SELECT {number}::INT AS a")

    assert len(add_by_spark(spark, catalog, f"{tmp_path}/f0")) == 2
    assert len(add_by_spark(spark, catalog, f"{tmp_path}/f1/*.parquet")) == 2
    paths = f"array('{tmp_path}/f2/4.parquet')"
    spark.sql(f"CALL {catalog}.system.add_data_files(table_name => 't', path => {paths})")

    assert duckdb_rows(lake) == [(n,) for n in range(5)]
    assert len(read_catalog(lake).rows("snapshot")) == head + 4


ANYTHING = ", allow_missing => true, ignore_extra_columns => true"
REFUSED = (
    ("a INT, b INT", "SELECT 1::INT AS a", "", "no column `b`"),
    ("a INT", "SELECT 1::INT AS a, 2 AS x", "", "`x`, which the table lacks"),
    ("a INT", "SELECT 1::BIGINT AS a", "", "int64 in column `a`"),
    ("a INT", "SELECT 2 AS x", ANYTHING, "no value for any column"),
    ("a INT, b INT NOT NULL", "SELECT 1::INT AS a", ", allow_missing => true", "takes no NULL"),
    ("a INT NOT NULL", "SELECT NULL::INT AS a", "", "takes none"),
    ("a DECIMAL(9, 2)", "SELECT 1::DECIMAL(9, 0) AS a", "", "decimal"),
)


@pytest.mark.parametrize(("columns", "select", "options", "why"), REFUSED)
def test_a_file_that_does_not_fit_is_refused_with_the_reason(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    tmp_path: Path,
    columns: str,
    select: str,
    options: str,
    why: str,
) -> None:
    lake = lakes.new("sqlite")
    made(lake, f"CREATE TABLE t ({columns})")
    file = parquet(tmp_path / "x.parquet", select)

    with pytest.raises(PySparkException) as caught:
        add_by_spark(spark, register(lake), file, options)

    assert caught.value.getCondition() == "DUCKLAKE_CANNOT_ADD_FILE"
    assert why in str(caught.value)
    assert duckdb_rows(lake) == []


def test_a_file_with_row_ids_of_another_lake_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    other, lake = lakes.new("sqlite"), lakes.new("sqlite")
    rows = ("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1), (2)")
    made(other, *rows, "UPDATE t SET a = 3 WHERE a = 1")
    made(lake, rows[0])
    catalog, options = register(lake), ", ignore_extra_columns => true"
    inserted, updated = duckdb_rows(other, "SELECT data_file FROM ducklake_list_files('lake', 't')")

    add_by_spark(spark, catalog, inserted[0], options)
    with pytest.raises(PySparkException, match="_ducklake_internal_row_id") as caught:
        add_by_spark(spark, catalog, updated[0], options)

    assert caught.value.getCondition() == "DUCKLAKE_CANNOT_ADD_FILE"
    assert duckdb_rows(lake) == [(1,), (2,)]


def test_a_value_of_the_path_outlives_a_change_of_the_column_type(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    head = made(lake, "CREATE TABLE t (x INT, p FLOAT, q INT)")
    catalog = register(lake)
    file = parquet(tmp_path / "p=1.5" / "q=7" / "a.parquet", "SELECT 1::INT AS x")
    add_by_spark(spark, catalog, file)

    spark.sql(f"ALTER TABLE {catalog}.t ALTER COLUMN p TYPE DOUBLE")
    spark.sql(f"ALTER TABLE {catalog}.t ALTER COLUMN q TYPE BIGINT")
    wide = duckdb_rows(lake)
    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', {head + 1})")

    assert wide == duckdb_rows(lake) == [(1, 1.5, 7)]
    with Peer(lake) as peer:
        assert peer.rows("SELECT p FROM t WHERE q = 7 AND p > 1") == [(1.5,)]
    for version in range(head + 1, head + 5):
        rows = spark.sql(f"SELECT * FROM {catalog}.t VERSION AS OF {version} WHERE q = 7").collect()
        assert [tuple(row) for row in rows] == [(1, 1.5, 7)], version


def test_a_file_is_added_once(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (a INT)")
    catalog = register(lake)
    first = parquet(tmp_path / "1.parquet", "SELECT 1::INT AS a")
    second = parquet(tmp_path / "2.parquet", "SELECT 2::INT AS a")
    add_by_duckdb(lake, first)

    for path in (first, str(tmp_path)):
        with pytest.raises(PySparkException) as caught:
            add_by_spark(spark, catalog, path)
        assert caught.value.getCondition() == "DUCKLAKE_FILE_ALREADY_REGISTERED"
    link = tmp_path / "link.parquet"
    link.symlink_to(second)
    for again in (second, link):
        with pytest.raises(PySparkException, match="given twice"):
            spark.sql(f"CALL {catalog}.system.add_data_files('t', array('{second}', '{again}'))")

    assert duckdb_rows(lake) == [(1,)]


def test_a_symbolic_link_and_its_file_are_one_file(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INT)")
    catalog = register(lake)
    file = parquet(tmp_path / "files" / "1.parquet", "SELECT 1::INT AS a")
    other = parquet(tmp_path / "files" / "2.parquet", "SELECT 2::INT AS a")
    links = [tmp_path / name for name in ("a.parquet", "b.parquet")]
    for link in links:
        link.symlink_to(file)
    theirs = tmp_path / "theirs.parquet"
    theirs.symlink_to(other)
    assert add_by_spark(spark, catalog, str(links[0])) == [str(links[0])]
    add_by_duckdb(lake, str(theirs))

    for again in (*links, file, other, theirs):
        with pytest.raises(PySparkException) as caught:
            add_by_spark(spark, catalog, str(again))
        assert caught.value.getCondition() == "DUCKLAKE_FILE_ALREADY_REGISTERED"

    assert duckdb_rows(lake) == [(1,), (2,)]


MONTHS = ("CREATE TABLE t (a INT, ts TIMESTAMP)", "ALTER TABLE t SET PARTITIONED BY (month(ts))")
YEARS = (MONTHS[0], "ALTER TABLE t SET PARTITIONED BY (year(ts))")
UNPROVEN = {
    "a month of two years": (
        MONTHS,
        "month=1",
        "SELECT 1::INT AS a, TIMESTAMP '2020-01-05' AS ts UNION ALL "
        "SELECT 2, TIMESTAMP '2020-06-05' UNION ALL SELECT 3, TIMESTAMP '2021-01-10'",
        "may have rows with other values",
    ),
    "a missing column": (YEARS, "year=2020", "SELECT 1::INT AS a", "has NULL in `ts`"),
    "a nested column that takes no NULL": (
        ("CREATE TABLE t (a INT, l INT[] NOT NULL)",),
        "in",
        "SELECT 1::INT AS a, NULL::INT[] AS l",
        "does not say whether column `l`",
    ),
}


@pytest.mark.parametrize("case", UNPROVEN)
def test_what_is_not_proven_is_refused(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path, case: str
) -> None:
    steps, folder, select, why = UNPROVEN[case]
    lake = lakes.new("sqlite")
    made(lake, *steps)
    file = parquet(tmp_path / folder / "x.parquet", select)

    with pytest.raises(PySparkException) as caught:
        add_by_spark(spark, register(lake), file, ", allow_missing => true")

    assert caught.value.getCondition() == "DUCKLAKE_CANNOT_ADD_FILE"
    assert why in str(caught.value)
    assert duckdb_rows(lake) == []


def test_a_column_without_statistics_is_not_replaced_by_the_path(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INT, p INT)")
    folder = tmp_path / "p=5"
    off = {f"parquet.column.statistics.enabled#{name}": "false" for name in ("a", "p")}
    frame = spark.sql("SELECT 1 AS a, 1 AS p UNION ALL SELECT 2, 2").coalesce(1)
    frame.write.options(**off).parquet(str(folder))

    with pytest.raises(PySparkException) as caught:
        add_by_spark(spark, register(lake), f"{folder}/*.parquet")

    assert caught.value.getCondition() == "DUCKLAKE_CANNOT_ADD_FILE"
    assert "may have rows with other values" in str(caught.value)


def test_partition_keys_come_from_the_path_or_the_statistics(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (a INT, ts TIMESTAMP)",
        "ALTER TABLE t SET PARTITIONED BY (year(ts))",
    )
    catalog = register(lake)

    def select(*days: str) -> str:
        return " UNION ALL ".join(f"SELECT 1::INT AS a, TIMESTAMP '{day}' AS ts" for day in days)

    stated = parquet(tmp_path / "year=2020" / "a.parquet", select("2020-02-02"))
    proven = parquet(tmp_path / "b.parquet", select("2021-01-01", "2021-12-31"))
    mixed = parquet(tmp_path / "c.parquet", select("2021-01-01", "2022-01-01"))
    wrong = parquet(tmp_path / "year=2020" / "d.parquet", select("2021-01-01"))

    add_by_spark(spark, catalog, stated)
    add_by_spark(spark, catalog, proven)
    for path in (mixed, wrong):
        with pytest.raises(PySparkException) as caught:
            add_by_spark(spark, catalog, path)
        assert caught.value.getCondition() == "DUCKLAKE_CANNOT_ADD_FILE"

    values = read_catalog(lake).rows("file_partition_value")
    assert sorted(row["partition_value"] for row in values) == ["2020", "2021"]
    assert duckdb_rows(lake, "SELECT count(*) FROM t WHERE year(ts) = 2021") == [(2,)]
