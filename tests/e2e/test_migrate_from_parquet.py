"""`migrate_from_parquet`: Parquet files become a table of the lake, where they are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.adding import duckdb_rows, old_calendar, parquet
from support.asking import refused
from support.catalogdb import read_catalog
from support.deltalog import write_table
from support.lakes import Lake
from support.moving import bytes_below, same_in_both
from support.peer import Peer, literal

Register = Callable[..., str]

TYPES = (
    "SELECT id, CAST(id AS TINYINT) AS byte, id / 3 AS double, CAST(id AS DECIMAL(9, 2)) AS money, "
    "DATE'2020-01-01' + CAST(id AS INT) AS day, TIMESTAMP_NTZ'1969-12-31 23:59:59' AS local, "
    "IF(id = 1, NULL, 'n' || id) AS text, X'00FF' AS bytes, NAMED_STRUCT('a', id) AS s, "
    "ARRAY(NAMED_STRUCT('x', id), NULL) AS l, MAP('k', id) AS m FROM RANGE(3)"
)
PARTITIONED = (
    "SELECT id, ELT(id + 1, 'a b/c%=é', NULL, '%41', 'x') AS p, "
    "ELT(id + 1, 7, 8, NULL, 9) AS n, DATE'2020-01-01' AS d FROM RANGE(4)"
)


OLD_DATES = (
    "SELECT id, IF(id = 0, DATE'0001-01-01', NULL) AS day, TIMESTAMP'1001-02-03 04:05:06' AS at, "
    "NAMED_STRUCT('day', DATE'1582-10-04') AS s FROM RANGE(3)"
)
NEW_DATES = (
    "SELECT 9L AS id, DATE'1582-10-15' AS day, TIMESTAMP'1900-01-01 00:00:00' AS at, "
    "NAMED_STRUCT('day', CAST(NULL AS DATE)) AS s"
)


def call(lake: str, source: Path | str, options: str = "") -> str:
    """The statement that moves files to table `t`."""
    return f"CALL {lake}.system.migrate_from_parquet({literal(str(source))}, 't'{options})"


def migrate(spark: SparkSession, lake: str, source: Path | str, options: str = "") -> list[Any]:
    """The lines of a move to table `t`."""
    return [tuple(row) for row in spark.sql(call(lake, source, options)).collect()]


@pytest.fixture
def old_times(spark: SparkSession) -> Iterator[None]:
    """Spark writes INT96 for instants, as it does by default."""
    spark.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
    yield
    spark.conf.unset("spark.sql.parquet.outputTimestampType")


def expected(spark: SparkSession, source: Path, folder: Path) -> str:
    """The pattern of plain files with the rows that Spark reads from a folder."""
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    rows = spark.read.option("mergeSchema", "true").parquet(str(source))
    rows.coalesce(1).write.parquet(str(folder / "expected"))
    spark.conf.unset("spark.sql.parquet.outputTimestampType")
    return f"{folder}/expected/*.parquet"


def test_files_of_several_schemas(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name, source = register(lake), tmp_path / "in"
    spark.sql(TYPES).write.parquet(str(source))
    spark.sql("SELECT 9L AS id, 'late' AS more").write.mode("append").parquet(str(source))
    wanted, before = expected(spark, source, tmp_path), bytes_below(str(source))

    lines = migrate(spark, name, source)

    assert ("data files to rewrite", 0) not in [(line[0], line[2]) for line in lines]
    same_in_both(spark, lake, name, wanted)
    assert bytes_below(str(source)) == before
    assert not any(row["path_is_relative"] for row in read_catalog(lake).rows("data_file"))


def test_folders_give_columns_and_keys(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name, source = register(lake), tmp_path / "in"
    spark.sql(PARTITIONED).write.partitionBy("p", "n", "d").parquet(str(source))
    wanted = expected(spark, source, tmp_path)

    lines = migrate(spark, name, source)

    keys = [line[1] for line in lines if line[0] == "partition key"]
    assert keys == ["p", "n", "d"]
    assert "data files to rewrite" not in [line[0] for line in lines]
    same_in_both(spark, lake, name, wanted)
    assert duckdb_rows(lake, "SELECT id FROM t WHERE p = 'x' AND n = 9") == [(3,)]
    with Peer(lake) as peer:
        peer.run("INSERT INTO t SELECT 10, 'y', 1, DATE '2021-01-01'")
    assert spark.table(f"{name}.main.t").where("p = 'y'").count() == 1


@pytest.mark.usefixtures("old_times")
def test_old_timestamps_are_rewritten(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """DuckDB would read local times."""
    name, source = register(lake), tmp_path / "in"
    query = "SELECT 1 AS id, TIMESTAMP'2020-06-01 12:00:00.000001' AS at, 'q' AS p"
    spark.sql(query).write.partitionBy("p").parquet(str(source))
    wanted = expected(spark, source, tmp_path)

    lines = migrate(spark, name, source)

    assert ("data files to rewrite", 1) in [(line[0], line[2]) for line in lines]
    same_in_both(spark, lake, name, wanted)


@pytest.mark.in_every_run
@pytest.mark.parametrize("form", ["TIMESTAMP_MICROS", "INT96"])
def test_dates_of_the_old_calendar_are_rewritten(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, form: str
) -> None:
    """Spark alone reads that calendar. Newer dates are the same in both."""
    name, source = register(lake), tmp_path / "in"
    with old_calendar(spark, form):
        spark.sql(OLD_DATES).coalesce(1).write.parquet(str(source))
        spark.sql(NEW_DATES).coalesce(1).write.mode("append").parquet(str(source))
    wanted = expected(spark, source, tmp_path)

    lines = migrate(spark, name, source, ", checksum => true")

    rewritten = [line[2] for line in lines if line[0] == "data files to rewrite"]
    assert rewritten == [2 if form == "INT96" else 1]
    same_in_both(spark, lake, name, wanted)
    first = duckdb_rows(lake, "SELECT CAST(day AS VARCHAR), s.day FROM t WHERE id = 0")
    assert first == [("0001-01-01", dt.date(1582, 10, 4))]


def test_milliseconds_of_the_old_calendar_are_in_the_way(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """The lake's readers cannot bring them into the new one. Newer ones are the same in both."""
    name, source = register(lake), tmp_path / "in"
    with old_calendar(spark, "TIMESTAMP_MILLIS"):
        spark.sql(NEW_DATES).coalesce(1).write.parquet(str(source))
        spark.sql(OLD_DATES).coalesce(1).write.parquet(str(tmp_path / "old"))

    trial = migrate(spark, name, tmp_path / "old", ", dry_run => true")

    (why,) = [line[1] for line in trial if line[0] == "in the way"]
    assert f"{tmp_path}/old/part-" in why
    assert "in column `at`" in why
    refused(spark, call(name, tmp_path / "old"), "DUCKLAKE_CANNOT_ADD_FILE", "in milliseconds")
    migrate(spark, name, source)
    same_in_both(spark, lake, name, expected(spark, source, tmp_path))


def test_a_table_of_the_sessions_catalog(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """A partition may be in any folder. Its file is written again when the path lacks the value."""
    name = register(lake)
    spark.sql(
        "CREATE TABLE spark_catalog.default.moved_files (id INT, p INT) USING parquet "
        f"PARTITIONED BY (p) LOCATION '{tmp_path}/table'"
    )
    try:
        spark.sql("INSERT INTO spark_catalog.default.moved_files VALUES (1, 1), (2, 2)")
        spark.sql("SELECT 3 AS id").write.parquet(f"{tmp_path}/elsewhere")
        spark.sql(
            "ALTER TABLE spark_catalog.default.moved_files "
            f"ADD PARTITION (p = 3) LOCATION '{tmp_path}/elsewhere'"
        )

        lines = migrate(spark, name, "spark_catalog.default.moved_files")
    finally:
        spark.sql("DROP TABLE spark_catalog.default.moved_files")

    assert ("data files to rewrite", 1) in [(line[0], line[2]) for line in lines]
    assert duckdb_rows(lake) == [(1, 1), (2, 2), (3, 3)]
    assert spark.table(f"{name}.main.t").where("p = 3").count() == 1


def test_a_dry_run_changes_nothing(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    file = parquet(tmp_path / "in/a.parquet", "SELECT 1 AS a")
    before = read_catalog(lake).rows("snapshot")

    lines = migrate(spark, register(lake), tmp_path / "in", ", dry_run => true")

    size = Path(file).stat().st_size
    assert lines == [("columns", None, 1, None), ("data files", None, 1, size)]
    assert read_catalog(lake).rows("snapshot") == before


def test_folders_of_other_formats_are_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """They have files that are no longer rows of the table."""
    name = register(lake)
    write_table(tmp_path / "delta", [1])
    (tmp_path / "iceberg/metadata").mkdir(parents=True)
    (tmp_path / "iceberg/metadata/v1.metadata.json").write_text("{}")

    refused(spark, call(name, tmp_path / "delta"), "DUCKLAKE_INVALID_ARGUMENT", "from_delta")
    refused(spark, call(name, tmp_path / "iceberg"), "DUCKLAKE_INVALID_ARGUMENT", "from_iceberg")


def test_a_table_of_another_format_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    spark.sql(
        f"CREATE TABLE spark_catalog.default.lines (a INT) USING json LOCATION '{tmp_path}/json'"
    )
    try:
        statement = call(name, "spark_catalog.default.lines")
        refused(spark, statement, "DUCKLAKE_INVALID_ARGUMENT", "Parquet")
    finally:
        spark.sql("DROP TABLE spark_catalog.default.lines")


def test_rows_that_are_not_those_of_files_are_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Those of views, and those with values that no file has."""
    name = register(lake)
    table = "spark_catalog.default.moved_rows"
    spark.sql(f"CREATE TABLE {table} (a INT) USING parquet LOCATION '{tmp_path}/rows'")
    try:
        spark.sql(f"INSERT INTO {table} VALUES (1), (2)")
        spark.sql(
            f"CREATE VIEW spark_catalog.default.some_rows AS SELECT * FROM {table} WHERE a > 1"
        )
        spark.table(table).where("a > 1").createOrReplaceTempView("fewer_rows")
        for view in ("spark_catalog.default.some_rows", "fewer_rows"):
            refused(spark, call(name, view), "DUCKLAKE_INVALID_ARGUMENT", "no table")
        spark.sql(f"ALTER TABLE {table} ADD COLUMN b INT DEFAULT 7")
        refused(spark, call(name, table), "DUCKLAKE_UNSUPPORTED", "`b` has a default")
    finally:
        spark.catalog.dropTempView("fewer_rows")
        spark.sql("DROP VIEW IF EXISTS spark_catalog.default.some_rows")
        spark.sql(f"DROP TABLE {table}")
    with Peer(lake) as peer:
        assert peer.head() == 0


def test_a_type_that_duckdb_reads_in_another_way_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Spark reads a text where DuckDB reads JSON."""
    parquet(tmp_path / "in/a.parquet", "SELECT '{}'::JSON AS j")

    refused(spark, call(register(lake), tmp_path / "in"), "DUCKLAKE_CANNOT_ADD_FILE", "json")
