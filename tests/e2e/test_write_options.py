"""Lake options, wherever they are set, and options of a write decide how files are made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, functions

from support.lakes import IN_FILES, Lake
from support.lines import GEOMETRY_WRITES, ROW_GROUPS, since
from support.meanwhile import meanwhile
from support.peer import Peer, made

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)


def of_files(lake: Lake, schema: str, question: str) -> list[object]:
    """What DuckDB says about the files of table `t`, each answer once."""
    with Peer(lake) as peer:
        files = peer.rows(
            f"SELECT data_file FROM ducklake_list_files('lake', 't', schema => '{schema}')"
        )
        return sorted(
            {row[0] for (path,) in files for row in peer.rows(question.format(file=path))}
        )


COMPRESSION = "SELECT compression FROM parquet_metadata('{file}')"
GROUPS = "SELECT row_group_num_rows FROM parquet_metadata('{file}')"


def test_the_nearest_scope_wins(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(
        lake,
        "CREATE SCHEMA s",
        "CREATE TABLE t (a INT)",
        "CREATE TABLE s.t (a INT)",
        "CREATE TABLE s.u (a INT)",
        "CALL ducklake_set_option('lake', 'parquet_compression', 'gzip')",
        "CALL ducklake_set_option('lake', 'parquet_compression', 'zstd', schema => 's')",
        "CALL ducklake_set_option('lake', 'parquet_compression', 'lz4', "
        "schema => 's', table_name => 'u')",
    )
    catalog = register(lake)

    for table in ("main.t", "s.t", "s.u"):
        spark.sql(f"INSERT INTO {catalog}.{table} SELECT id FROM range(100)")

    assert of_files(lake, "main", COMPRESSION) == ["GZIP"]
    assert of_files(lake, "s", COMPRESSION) == ["ZSTD"]
    made(lake, "DROP TABLE s.t", "ALTER TABLE s.u RENAME TO t")
    assert of_files(lake, "s", COMPRESSION) == ["LZ4_RAW"]


@since(ROW_GROUPS)
def test_options_of_a_write_go_first(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(
        lake,
        "CREATE TABLE t (a BIGINT)",
        "CALL ducklake_set_option('lake', 'parquet_compression', 'gzip')",
    )
    catalog = register(lake)

    rows = spark.range(1000).coalesce(1).withColumnRenamed("id", "a")
    writer = rows.writeTo(f"{catalog}.t").option("compression", "zstd")
    writer.option("parquet_row_group_size", "400").append()

    assert of_files(lake, "main", COMPRESSION) == ["ZSTD"]
    assert of_files(lake, "main", GROUPS) == [200, 400]


def test_files_have_the_wanted_size(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(
        lake,
        "CREATE TABLE t (a BIGINT, s VARCHAR)",
        "CALL ducklake_set_option('lake', 'target_file_size', '1MB')",
    )
    catalog = register(lake)

    rows = spark.range(300000).coalesce(1).selectExpr("id", "sha2(CAST(id AS STRING), 256)")
    rows.write.insertInto(f"{catalog}.t")

    with Peer(lake) as peer:
        sizes = [
            size
            for (size,) in peer.rows(
                "SELECT data_file_size_bytes FROM ducklake_list_files('lake', 't')"
            )
        ]
        assert peer.value("SELECT count(DISTINCT a) FROM t") == 300000
    assert len(sizes) > 10
    assert all(size < 2_000_000 for size in sizes)


def test_row_groups_have_the_wanted_bytes(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (s VARCHAR)",
        "CALL ducklake_set_option('lake', 'parquet_compression', 'uncompressed')",
        "CALL ducklake_set_option('lake', 'parquet_row_group_size_bytes', '1MB')",
    )
    catalog = register(lake)

    rows = spark.range(100_000).coalesce(1).selectExpr("sha2(CAST(id AS STRING), 256)")
    rows.write.insertInto(f"{catalog}.t")

    sizes = of_files(lake, "main", "SELECT row_group_bytes FROM parquet_metadata('{file}')")
    assert len(sizes) > 1
    assert all(int(str(size)) < 2_000_000 for size in sizes)


def test_pages_have_the_wanted_version(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(
        lake,
        "CREATE TABLE t (a BIGINT)",
        "CALL ducklake_set_option('lake', 'parquet_version', 2)",
    )
    catalog = register(lake)

    rows = spark.range(10_000).coalesce(1).selectExpr("id * id AS a")
    rows.write.insertInto(f"{catalog}.t")

    encodings = of_files(lake, "main", "SELECT encodings FROM parquet_metadata('{file}')")
    assert any("DELTA_BINARY_PACKED" in str(each) for each in encodings)
    with Peer(lake) as peer:
        assert peer.value("SELECT sum(a) FROM t") == sum(a * a for a in range(10_000))


def test_options_of_duckdb_alone_change_nothing(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """Tasks write files of their own anyway, and deletes are Parquet files, as readers expect."""
    made(
        lake,
        "CREATE TABLE t (a BIGINT)",
        "CALL ducklake_set_option('lake', 'per_thread_output', true)",
        "CALL ducklake_set_option('lake', 'write_deletion_vectors', true)",
    )
    catalog = register(lake, IN_FILES)

    spark.range(100).coalesce(1).withColumnRenamed("id", "a").writeTo(f"{catalog}.t").append()
    spark.sql(f"DELETE FROM {catalog}.t WHERE a % 10 = 3")

    with Peer(lake) as peer:
        listed = peer.rows("SELECT delete_file FROM ducklake_list_files('lake', 't')")
        assert peer.rows("SELECT count(*), sum(a) FROM t") == [(90, 4470)]
    assert [str(name).endswith(".parquet") for (name,) in listed] == [True]


@pytest.mark.parametrize("level", [0, 22])
def test_both_write_with_the_levels_at_the_limits(
    spark: SparkSession, lake: Lake, register: Register, level: int
) -> None:
    made(lake, "CREATE TABLE t (a BIGINT)")
    catalog = register(lake, {"data-inlining-row-limit": "0"})

    spark.sql(f"CALL {catalog}.system.set_option('parquet_compression', 'zstd')")
    spark.sql(f"CALL {catalog}.system.set_option('parquet_compression_level', {level})")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1)")
    made(lake, "INSERT INTO t VALUES (2)")

    assert of_files(lake, "main", COMPRESSION) == ["ZSTD"]
    assert [row.a for row in spark.sql(f"SELECT a FROM {catalog}.t ORDER BY a").collect()] == [1, 2]


@pytest.mark.parametrize(
    ("option", "value"),
    [("compression", "brotli"), ("target_file_size", "-1"), ("parquet_version", "3")],
)
def test_an_option_that_cannot_be_obeyed_is_refused(
    spark: SparkSession, lake: Lake, register: Register, option: str, value: str
) -> None:
    made(lake, "CREATE TABLE t (a BIGINT)")
    catalog = register(lake)

    with pytest.raises(PySparkException, match="DUCKLAKE_INVALID_SETTING"):
        spark.range(1).toDF("a").writeTo(f"{catalog}.t").option(option, value).append()

    assert not list(lake.data_path.rglob("*.parquet"))


def test_a_conflict_removes_the_files(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    catalog = register(lake)
    before = set(lake.data_path.rglob("*.parquet"))

    with meanwhile(tmp_path / "held", lambda: made(lake, "DROP TABLE t")) as hold:
        rows = hold(spark.range(10).select(functions.col("id").cast("int").alias("a")), "a")
        with pytest.raises(PySparkException, match=r"DUCKLAKE_\w*CONFLICT.*main\.t"):
            rows.writeTo(f"{catalog}.t").append()

    assert set(lake.data_path.rglob("*.parquet")) == before


def test_paths_with_odd_characters(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    database = tmp_path / "a b%20é.sqlite"
    odd = Lake("sqlite", f"ducklake:sqlite:{database}", tmp_path / "d%41ta #1 é?", str(database))
    made(
        odd,
        'CREATE TABLE "we ird/ü" (a INT, "p q" VARCHAR)',
        'ALTER TABLE "we ird/ü" SET PARTITIONED BY ("p q")',
    )
    catalog = register(odd)

    spark.sql(f"INSERT INTO {catalog}.`we ird/ü` VALUES (1, '%2F x'), (2, '#?')")
    spark.sql(f"INSERT INTO {catalog}.`we ird/ü` REPLACE WHERE a = 2 VALUES (3, '#?')")

    with Peer(odd) as peer:
        assert peer.rows('SELECT * FROM "we ird/ü" ORDER BY a') == [(1, "%2F x"), (3, "#?")]
        assert peer.rows("CALL ducklake_delete_orphaned_files('lake', dry_run => true)") == []
    assert not list(tmp_path.rglob("*.crc"))


@since(GEOMETRY_WRITES)
def test_geometry(spark: SparkSession, lake: Lake, register: Register) -> None:
    point = "0101000000000000000000f03f0000000000000040"
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0", extensions=["spatial"]) as peer:
        peer.run("CREATE TABLE t (g GEOMETRY)", "INSERT INTO t VALUES ('POINT (1 2)'::GEOMETRY)")
    catalog = register(lake)

    spark.sql(f"INSERT INTO {catalog}.t VALUES (X'{point}'), (NULL)")

    with Peer(lake, extensions=["spatial"]) as peer:
        assert peer.rows("SELECT ST_AsText(g) FROM t WHERE g IS NOT NULL") == [
            ("POINT (1 2)",),
            ("POINT (1 2)",),
        ]
