"""Catalogs whose writer wants more of Spark than rows: other people's files, programs, secrets."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.adding import add_by_duckdb, parquet
from support.asking import column, refused, rows, value
from support.catalogdb import execute, read_catalog
from support.expiring import cleanup
from support.lakes import IN_FILES, Lake, LakeFactory
from support.lines import LIKE, MADE_VIEWS, has, since
from support.peer import Peer, literal, made

Register = Callable[..., str]

pytestmark = pytest.mark.damages


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the machine that is no part of any lake."""
    file = tmp_path / "secret.txt"
    file.write_text("TOP SECRET")
    return file


def with_view(lake: Lake, table: str, shown: dict[str, str]) -> None:
    """Put a view in the place of a metadata table, with other values in some columns."""
    columns = list(read_catalog(lake).tables[table].types)
    selected = ", ".join(f"{shown[name]} AS {name}" if name in shown else name for name in columns)
    execute(
        lake,
        f"CREATE TABLE true_table AS SELECT * FROM {table}",
        f"DROP TABLE {table}",
        f"CREATE VIEW {table} AS SELECT {selected} FROM true_table",
    )


@pytest.mark.every_database
def test_a_view_in_the_place_of_a_metadata_table_is_refused(
    spark: SparkSession, lake: Lake, register: Register, secret: Path
) -> None:
    made(lake, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    of_file = f"(SELECT content FROM read_text({literal(str(secret))}))"
    with_view(lake, "ducklake_table", {"table_name": of_file if lake.kind == "duckdb" else "'x'"})
    catalog = register(lake)

    for statement in (f"SHOW TABLES IN {catalog}.main", f"CREATE TABLE {catalog}.u (a INT)"):
        message = refused(
            spark, statement, "DUCKLAKE_CORRUPT_CATALOG", "`ducklake_table`", "it is a view"
        )
        assert "TOP SECRET" not in message


def schedule(lake: Lake, path: str, *, is_relative: bool) -> None:
    """Schedule a file for deletion, as whoever may write the catalog can."""
    flag = {"sqlite": str(int(is_relative))}.get(lake.kind, str(is_relative).lower())
    execute(
        lake,
        "INSERT INTO ducklake_files_scheduled_for_deletion VALUES "
        f"(999, {literal(path)}, {flag}, '2020-01-01 00:00:00+00')",
    )


@pytest.mark.every_database
def test_only_files_of_the_lake_are_deleted_unless_somebody_asks(
    spark: SparkSession, lake: Lake, register: Register, secret: Path
) -> None:
    made(
        lake,
        "CREATE TABLE t AS SELECT i::INT AS a FROM range(100) r(i)",
        "DROP TABLE t",
        "CALL ducklake_expire_snapshots('lake', older_than => now())",
    )
    (own,) = lake.data_path.rglob("*.parquet")
    other = secret.parent / "other.txt"
    other.write_text("of somebody else")
    schedule(lake, str(secret), is_relative=False)
    schedule(lake, os.path.relpath(other, lake.data_path), is_relative=True)
    catalog = register(lake)

    assert len(cleanup(spark, catalog, "cleanup_all => true, dry_run => true")) == 1
    assert [Path(path) for path in cleanup(spark, catalog, "cleanup_all => true")] == [own]
    spark.sql(f"CALL {catalog}.system.checkpoint()").collect()

    assert (own.exists(), secret.exists(), other.exists()) == (False, True, True)
    assert len(read_catalog(lake).rows("files_scheduled_for_deletion")) == 2
    asked = "cleanup_all => true, outside_data_path => true"
    assert len(cleanup(spark, catalog, asked)) == 2
    assert (secret.exists(), other.exists()) == (False, False)
    assert read_catalog(lake).rows("files_scheduled_for_deletion") == []


def test_a_registered_file_is_deleted_when_somebody_asks(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (a INT)")
    file = parquet(tmp_path / "given.parquet", "SELECT 1::INT AS a")
    add_by_duckdb(lake, file)
    catalog = register(lake)
    spark.sql(f"TRUNCATE TABLE {catalog}.t")
    spark.sql(f"CALL {catalog}.system.expire_snapshots(older_than => now())").collect()

    assert cleanup(spark, catalog, "cleanup_all => true") == []
    assert Path(file).exists()
    assert len(cleanup(spark, catalog, "cleanup_all => true, outside_data_path => true")) == 1
    assert not Path(file).exists()


def test_orphans_are_looked_for_below_the_data_path_alone(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, other = lakes.new("sqlite"), lakes.new("sqlite")
    made(other, "CREATE TABLE t AS SELECT i::INT AS a FROM range(100) r(i)")
    made(lake, "CREATE TABLE t (a INT)")
    theirs = list(other.data_path.rglob("*.parquet"))
    path = os.path.relpath(other.data_path, lake.data_path)
    execute(lake, f"UPDATE ducklake_schema SET path = {literal(path + '/')}")
    catalog = register(lake)

    assert column(spark, f"CALL {catalog}.system.delete_orphaned_files(cleanup_all => true)") == []

    assert len(theirs) == 1
    assert theirs[0].exists()


def test_orphans_are_not_looked_for_behind_links_that_lead_away_or_around(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, other = lakes.new("sqlite"), lakes.new("sqlite")
    for each in (lake, other):
        made(each, "CREATE TABLE t AS SELECT i::INT AS a FROM range(100) r(i)")
    (theirs,) = other.data_path.rglob("*.parquet")
    (known,) = lake.data_path.rglob("*.parquet")
    orphan = known.with_name(f"ducklake-{uuid.uuid4()}.parquet")
    elsewhere = lake.data_path / "elsewhere" / f"ducklake-{uuid.uuid4()}.parquet"
    elsewhere.parent.mkdir()
    for file in (orphan, elsewhere):
        file.write_bytes(known.read_bytes())
    table = known.parent
    (table / "theirs").symlink_to(other.data_path)
    (table.parent / "moved").symlink_to(elsewhere.parent)
    for name in ("up", "again"):
        (table / name).symlink_to(table.parent)
    catalog = register(lake)

    found = column(spark, f"CALL {catalog}.system.delete_orphaned_files(cleanup_all => true)")

    assert {Path(file).resolve() for file in found} == {orphan, elsewhere}
    assert len(found) == 2
    assert (theirs.exists(), known.exists()) == (True, True)
    assert (orphan.exists(), elsewhere.exists()) == (False, False)


def test_a_data_file_of_another_format_is_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """DuckDB 1.5.5 takes each file for Parquet."""
    made(lake, "CREATE TABLE t AS SELECT i::INT AS a FROM range(100) r(i)")
    catalog = register(lake)
    execute(lake, "UPDATE ducklake_data_file SET file_format = 'PARQUET'")
    assert value(spark, f"SELECT max(a) FROM {catalog}.t WHERE a < 50") == 49
    execute(lake, "UPDATE ducklake_data_file SET file_format = 'vortex'")
    other = register(lake, dict(IN_FILES))

    for question in ("SELECT max(a) FROM {}.t WHERE a < 50", "DELETE FROM {}.t WHERE a < 50"):
        refused(spark, question.format(other), "DUCKLAKE_UNSUPPORTED", "of format `vortex`")
    feed = f"SELECT * FROM ducklake_table_changes('{other}', 'main', 't', 0, 1)"
    refused(spark, feed, "DUCKLAKE_UNSUPPORTED", "of format `vortex`")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("SELECT reflect('java.lang.System', 'getProperty', 'user.home') AS a", "`reflect`"),
        ("SELECT java_method('java.util.UUID', 'randomUUID') AS a", "`reflect`"),
        ("SELECT try_reflect('java.util.UUID', 'randomUUID') AS a", "`reflect`"),
        ("SELECT a FROM (SELECT IDENTIFIER('reflect')('java.util.UUID', 'randomUUID') a)", "`refl"),
        ("SELECT TRANSFORM (1) USING 'cat /etc/hostname' AS (a STRING)", "TRANSFORM"),
        ("WITH x AS (SELECT TRANSFORM (1) USING 'cat' AS (a STRING)) SELECT * FROM x", "TRANSFORM"),
        (
            "SELECT (SELECT max(a) FROM (SELECT TRANSFORM (1) USING 'cat' AS (a INT))) a",
            "TRANSFORM",
        ),
        ("DROP TABLE {}.t", "no query"),
    ],
)
def test_a_view_runs_no_program(
    spark: SparkSession, lake: Lake, register: Register, text: str, part: str
) -> None:
    made(lake, "CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT a FROM t")
    catalog = register(lake)
    text = text.format(catalog)
    execute(lake, f"UPDATE ducklake_view SET dialect = 'spark', sql = {literal(text)}")

    refused(spark, f"SELECT * FROM {catalog}.main.v", "DUCKLAKE_UNUSABLE_VIEW", part)

    assert spark.table(f"{catalog}.t").count() == 0
    if text.startswith("SELECT re") and has(MADE_VIEWS):
        create = f"CREATE VIEW {catalog}.main.w AS {text}"
        refused(spark, create, "DUCKLAKE_UNUSABLE_VIEW", part)


def test_a_view_reads_files_with_the_rights_of_who_asks(
    spark: SparkSession, lakes: LakeFactory, register: Register, secret: Path
) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT a FROM t")
    text = f"SELECT value AS a FROM text.`{secret}`"
    execute(lake, f"UPDATE ducklake_view SET dialect = 'spark', sql = {literal(text)}")
    catalog = register(lake)

    assert column(spark, f"SELECT * FROM {catalog}.main.v") == ["TOP SECRET"]
    secret.unlink()
    with pytest.raises(PySparkException, match="PATH_NOT_FOUND"):
        spark.table(f"{catalog}.main.v").collect()


def test_the_catalog_chooses_no_other_data_path_than_the_setting(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, other = lakes.new("sqlite"), lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INT)")
    made(other, "CREATE TABLE t AS SELECT i::INT AS a FROM range(100) r(i)")
    (theirs,) = other.data_path.rglob("*.parquet")
    stored = f"UPDATE ducklake_metadata SET value = {literal(other.data_address)}"
    execute(lake, f"{stored} WHERE key = 'data_path'")
    schedule(lake, str(theirs), is_relative=False)
    catalog = register(lake, {"data-path": lake.data_address})

    for call in ("cleanup_old_files", "delete_orphaned_files"):
        with pytest.raises(PySparkException, match="data-path"):
            spark.sql(f"CALL {catalog}.system.{call}(cleanup_all => true)").collect()

    assert theirs.exists()


@since(LIKE)
def test_settings_and_the_environment_come_into_no_text_of_the_catalog(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    text = "${env:PATH} ${spark.app.name} ${system:user.home}"
    made(
        lake,
        f"CREATE TABLE t (a INT, b VARCHAR DEFAULT {literal(text)})",
        "CREATE VIEW v AS SELECT a FROM t",
    )
    execute(
        lake,
        "UPDATE ducklake_view SET dialect = 'spark', sql = "
        f"{literal(f'SELECT {literal(text)} AS a')}",
    )
    catalog = register(lake)

    spark.sql(f"INSERT INTO {catalog}.t (a) VALUES (1)")
    spark.sql(f"CREATE TABLE {catalog}.copy LIKE {catalog}.t")
    spark.sql(f"INSERT INTO {catalog}.copy (a) VALUES (2)")

    assert column(spark, f"SELECT b FROM {catalog}.t") == [text]
    assert column(spark, f"SELECT b FROM {catalog}.copy") == [text]
    assert column(spark, f"SELECT a FROM {catalog}.main.v") == [text]


def test_a_default_runs_no_program(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, "CREATE TABLE t (a INT, b VARCHAR DEFAULT 'x')")
    catalog = register(lake)
    for dialect in ("spark", "duckdb"):
        call = "reflect('java.lang.System', 'getProperty', 'user.home')"
        execute(
            lake,
            f"UPDATE ducklake_column SET default_value = {literal(call)}, default_value_type = "
            f"'expression', default_value_dialect = '{dialect}' WHERE column_name = 'b'",
        )
        other = register(lake)
        with pytest.raises(Exception, match=r"DEFAULT|only DuckDB"):
            spark.sql(f"INSERT INTO {other}.t (a) VALUES (1)").collect()
    assert rows(spark, f"SELECT * FROM {catalog}.t") == []


def test_an_inlined_table_has_one_of_ducklakes_names(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)", limit=10)
    (name,) = (row["table_name"] for row in read_catalog(lake).rows("inlined_data_tables"))
    execute(
        lake,
        f"CREATE TABLE customers AS SELECT * FROM {name}",
        "UPDATE ducklake_inlined_data_tables SET table_name = 'customers'",
    )
    catalog = register(lake)

    for statement in ("SELECT a FROM {}.t", "INSERT INTO {}.t VALUES (2)"):
        refused(spark, statement.format(catalog), "DUCKLAKE_CORRUPT_CATALOG", "`customers`")


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"], indirect=True)
def test_readers_of_duckdb_see_what_spark_wrote_into_a_confined_file(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (a INT)")
    for i in range(3):
        spark.sql(f"INSERT INTO {catalog}.t VALUES ({i})")

    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*) FROM t") == [(3,)]


def test_who_writes_the_files_decides_about_rows_and_no_more(
    spark: SparkSession, lake: Lake, register: Register, secret: Path
) -> None:
    made(
        lake,
        "CREATE TABLE t AS SELECT 'mine' AS a FROM range(100)",
        "CREATE TABLE u AS SELECT 'ours' AS a FROM range(100)",
    )
    catalog = register(lake)
    mine, other = (next((lake.data_path / "main" / name).glob("*.parquet")) for name in "tu")
    asked = f"SELECT max(a) FROM {catalog}.t"

    assert value(spark, asked) == "mine"
    assert mine.stat().st_size == other.stat().st_size
    mine.write_bytes(other.read_bytes())
    assert value(spark, asked) == "ours"
    mine.write_bytes(other.read_bytes()[:-4])
    refused(spark, asked, "DUCKLAKE_UNREADABLE_FILE", mine.name)
    mine.write_bytes(secret.read_bytes())
    message = refused(spark, asked, "DUCKLAKE_UNREADABLE_FILE", mine.name)
    assert "TOP SECRET" not in message


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
def test_files_of_a_table_that_is_gone_stop_nothing(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """A transaction of DuckDB commits after its table was dropped and has expired.

    An INSERT of DuckDB files would leave a data file like the one of `lost`.
    """
    made(lake, "CREATE TABLE t AS SELECT i::INT AS a FROM range(100) r(i)")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as late:
        late.run("BEGIN", "SELECT count(*) FROM t", "DELETE FROM t WHERE a % 2 = 0")
        made(
            lake,
            "DROP TABLE t",
            "CREATE TABLE u AS SELECT i::INT AS a FROM range(50) r(i)",
            "CREATE TABLE lost AS SELECT i::INT AS a FROM range(50) r(i)",
            "CALL ducklake_expire_snapshots('lake', older_than => now())",
        )
        late.run("COMMIT")
    execute(lake, "DELETE FROM ducklake_table WHERE table_name = 'lost'")
    listed = {row["table_id"] for row in read_catalog(lake).rows("table")}
    for table in ("data_file", "delete_file"):
        assert {row["table_id"] for row in read_catalog(lake).rows(table)} - listed
    catalog = register(lake)
    added = parquet(tmp_path / "given.parquet", "SELECT 1::INT AS a")

    assert rows(spark, f"SELECT count(*) FROM {catalog}.u") == [(50,)]
    spark.sql(f"CALL {catalog}.system.add_data_files('u', '{added}')").collect()
    cleanup(spark, catalog, "cleanup_all => true")
    spark.sql(f"CALL {catalog}.system.delete_orphaned_files(dry_run => true)").collect()
    spark.sql(f"CALL {catalog}.system.expire_snapshots(older_than => now())").collect()
    cleanup(spark, catalog, "cleanup_all => true")

    listed = {row["table_id"] for row in read_catalog(lake).rows("table")}
    for table in ("data_file", "delete_file", "file_column_stats"):
        assert {row["table_id"] for row in read_catalog(lake).rows(table)} <= listed
    spark.sql(f"CALL {catalog}.system.delete_orphaned_files(older_than => now())").collect()
    assert len(list(lake.data_path.rglob("*.parquet"))) == 1
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM u") == 51
