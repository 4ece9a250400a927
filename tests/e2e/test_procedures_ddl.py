"""Procedures that change tables and options, and DuckDB's words for them with the extension."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.catalogdb import read_catalog
from support.lakes import Lake
from support.peer import Peer, made

Register = Callable[..., str]

FILES = "SELECT data_file FROM ducklake_list_files('lake', 't')"


def folders(lake: Lake) -> set[str]:
    """Folders of the files of table `t`, as DuckDB lists them, below the table's own."""
    with Peer(lake) as peer:
        files = [row[0] for row in peer.rows(FILES)]
    return {file.split("/t/")[1].rpartition("/")[0] for file in files}


def insert(lake: Lake, number: int) -> None:
    """One row from DuckDB, in a file."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(f"INSERT INTO t VALUES ({number}, TIMESTAMP '2024-03-05', 'x')")


@pytest.fixture
def catalog(spark: SparkSession, lake: Lake, register: Register) -> str:
    """A lake with the empty table `t`."""
    name = register(lake)
    spark.sql(f"CREATE TABLE {name}.t (a INT, ts TIMESTAMP_NTZ, `b c` STRING)")
    return name


@pytest.mark.parametrize("words", ["procedure", "extension"])
def test_keys_are_set_and_reset(spark: SparkSession, lake: Lake, catalog: str, words: str) -> None:
    def run(keys: list[str]) -> None:
        if words == "extension":
            action = f"SET PARTITIONED BY ({', '.join(keys)})" if keys else "RESET PARTITIONED BY"
            spark.sql(f"ALTER TABLE {catalog}.t {action}")
        else:
            texts = ", ".join(f"'{key}'" for key in keys)
            call = (
                f"set_partitioned_by('t', array({texts}))" if keys else "reset_partitioned_by('t')"
            )
            spark.sql(f"CALL {catalog}.system.{call}")

    run(["months(ts)", "bucket(4, a)", '"b c"', "year(ts)"])
    insert(lake, 1)
    run(["day(ts)"])
    run(["day(ts)"])
    insert(lake, 2)
    run([])
    run([])
    insert(lake, 3)

    assert folders(lake) == {"year=2024/month=3/bucket=0/b%20c=x", "day=5", ""}
    assert sorted(rows(spark, f"SELECT a FROM {catalog}.t")) == [(1,), (2,), (3,)]
    with Peer(lake) as peer:
        assert peer.head() == 7


@pytest.mark.parametrize("words", ["procedure", "extension"])
def test_sort_orders_are_set_and_reset(
    spark: SparkSession, lake: Lake, catalog: str, words: str
) -> None:
    if words == "extension":
        spark.sql(f"ALTER TABLE {catalog}.t SET SORTED BY (a DESC NULLS FIRST, `b c`)")
    else:
        spark.sql(f"CALL {catalog}.system.set_sorted_by('t', array('a DESC NULLS FIRST', '`b c`'))")

    properties = dict(rows(spark, f"SHOW TBLPROPERTIES {catalog}.t"))
    assert properties["ducklake.sorted-by"] == 'a DESC NULLS FIRST, "b c" ASC NULLS LAST'
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("INSERT INTO t (a) VALUES (1), (3), (NULL), (2)")
        ((file,),) = peer.rows(FILES)
        assert peer.rows(f"SELECT a FROM read_parquet('{file}')") == [(None,), (3,), (2,), (1,)]
    if words == "extension":
        spark.sql(f"ALTER TABLE {catalog}.t RESET SORTED BY")
    else:
        spark.sql(f"CALL {catalog}.system.reset_sorted_by(table_name => 't', schema => 'main')")
    assert rows(spark, f"SHOW TBLPROPERTIES {catalog}.t") == []


@pytest.mark.parametrize("words", ["procedure", "extension"])
def test_not_null_is_set_where_no_null_is(
    spark: SparkSession, lake: Lake, catalog: str, words: str
) -> None:
    def statement(column: str) -> str:
        if words == "extension":
            return f"ALTER TABLE {catalog}.t ALTER COLUMN {column} SET NOT NULL"
        return f"CALL {catalog}.system.set_not_null('main.t', '{column}')"

    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("INSERT INTO t (a, ts) VALUES (1, now()::TIMESTAMP)")
    with Peer(lake) as peer:
        peer.run("INSERT INTO t (a) VALUES (2)")

    spark.sql(statement("a"))
    refused(spark, statement("ts"), "DUCKLAKE_INVALID_CHANGE", "`ts`", "NULL")
    refused(spark, statement("nope"), "DUCKLAKE_INVALID_CHANGE", "`nope`")

    refused(
        spark, f"INSERT INTO {catalog}.t VALUES (NULL, now(), 'x')", "NOT_NULL_ASSERT_VIOLATION"
    )
    with Peer(lake) as peer:
        with pytest.raises(Exception, match="NOT NULL"):
            peer.run("INSERT INTO t (a) VALUES (NULL)")
        peer.run("ALTER TABLE t ALTER a DROP NOT NULL", "INSERT INTO t (a) VALUES (NULL)")
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 3


def test_duckdbs_words_find_the_table_by_the_current_schema(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    spark.sql(f"CREATE SCHEMA {catalog}.s")
    spark.sql(f"CREATE TABLE {catalog}.s.t (z INT)")
    session = spark.newSession()
    for key, setting in lake.spark_settings(catalog).items():
        session.conf.set(key, setting)
    session.sql(f"USE {catalog}.s")

    session.sql("ALTER TABLE t SET PARTITIONED BY (z)")

    assert "PARTITIONED BY (z)" in value(spark, f"SHOW CREATE TABLE {catalog}.s.t")
    assert "PARTITIONED" not in value(spark, f"SHOW CREATE TABLE {catalog}.t")
    refused(session, "ALTER TABLE nope SET PARTITIONED BY (z)", "TABLE_OR_VIEW_NOT_FOUND", "nope")
    refused(session, "ALTER TABLE spark_catalog.default.x RESET SORTED BY", "PARSE_SYNTAX_ERROR")


def test_keys_that_cannot_be_are_refused(spark: SparkSession, lake: Lake, catalog: str) -> None:
    insert(lake, 1)
    for keys, condition, part in (
        ("array('bucket(3, a)')", "DUCKLAKE_INVALID_CHANGE", "rows"),
        ("array('nope')", "DUCKLAKE_INVALID_CHANGE", "nope"),
        ("array('year(a)')", "DUCKLAKE_INVALID_CHANGE", "year"),
        ("array('truncate(3, a)')", "DUCKLAKE_UNSUPPORTED", "truncate"),
        ("array('bucket(0, a)')", "DUCKLAKE_UNSUPPORTED", "bucket"),
        ("array()", "DUCKLAKE_INVALID_ARGUMENT", "empty"),
        ("NULL", "DUCKLAKE_INVALID_ARGUMENT", "NULL"),
    ):
        call = f"CALL {catalog}.system.set_partitioned_by('t', {keys})"
        refused(spark, call, condition, part)
    refused(
        spark,
        f"CALL {catalog}.system.set_sorted_by('t', array('a + 1'))",
        "DUCKLAKE_UNSUPPORTED",
        "a + 1",
    )
    with Peer(lake) as peer:
        assert peer.head() == 2


def test_options_are_stored_as_duckdb_stores_them(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    call = f"CALL {catalog}.system.set_option"
    spark.sql(f"{call}('Target_File_Size', '10MB')")
    spark.sql(f"{call}('target_file_size', '20MB')")
    spark.sql(f"{call}('parquet_version', 2, schema => 'main')")
    spark.sql(f"{call}(option => 'data_inlining_row_limit', value => '0', table_name => 't')")
    spark.sql(f"{call}('hive_file_pattern', false, 'main', 't')")

    with Peer(lake) as peer:
        assert peer.head() == 1
        stored = peer.rows(
            "SELECT option_name, value, scope FROM ducklake_options('lake') "
            "WHERE option_name NOT IN ('version', 'created_by', 'data_path', 'encrypted')"
        )
        assert sorted(stored) == [
            ("data_inlining_row_limit", "0", "TABLE"),
            ("hive_file_pattern", "false", "TABLE"),
            ("parquet_version", "V2", "SCHEMA"),
            ("target_file_size", "20000000", "GLOBAL"),
        ]
        peer.run("INSERT INTO t (a) VALUES (1)")
        assert len(peer.rows(FILES)) == 1
    for arguments, condition, part in (
        ("'foo', 1", "DUCKLAKE_INVALID_OPTION", "foo"),
        ("'version', '2'", "DUCKLAKE_INVALID_OPTION", "version"),
        ("'parquet_compression', 'none'", "DUCKLAKE_INVALID_OPTION", "snappy"),
        ("'parquet_compression_level', 23", "DUCKLAKE_INVALID_OPTION", "0 to 22"),
        ("'target_file_size', 'x'", "DUCKLAKE_INVALID_OPTION", "128MB"),
        ("'expire_older_than', '1 day', 'main'", "DUCKLAKE_INVALID_OPTION", "whole lake"),
        ("'sort_on_insert', true, 'nope'", "SCHEMA_NOT_FOUND", "nope"),
        ("'sort_on_insert', true, 'main', 'nope'", "TABLE_OR_VIEW_NOT_FOUND", "nope"),
        ("'sort_on_insert', NULL", "DUCKLAKE_INVALID_ARGUMENT", "value"),
    ):
        refused(spark, f"{call}({arguments})", condition, part)


NULLS = (
    ("rollback_to_snapshot(NULL, 1)", "table_name"),
    ("rollback_to_snapshot('t', 1, schema => NULL)", "schema"),
    ("set_option('sort_on_insert', 'false', table_name => NULL)", "table_name"),
    ("set_option('sort_on_insert', 'false', NULL, 't')", "schema"),
    ("merge_adjacent_files(NULL)", "table_name"),
    ("merge_adjacent_files('t', max_file_size => CAST(NULL AS BIGINT))", "max_file_size"),
    ("flush_inlined_data(schema_name => NULL)", "schema_name"),
    ("rewrite_data_files('t', delete_threshold => NULL)", "delete_threshold"),
    ("expire_snapshots(versions => array(1), dry_run => NULL)", "dry_run"),
    ("expire_snapshots(versions => array(1, NULL))", "versions"),
    ("cleanup_old_files(NULL, now())", "cleanup_all"),
    ("delete_orphaned_files(older_than => NULL)", "older_than"),
    ("list_files('t', Snapshot_Version => NULL)", "snapshot_version"),
    ("table_insertions(NULL, 't', 1, 2)", "schema_name"),
    ("add_data_files('t', '/in', allow_missing => NULL)", "allow_missing"),
)
"""Calls that say NULL of an argument, which taken for one left out would do something else."""


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_an_argument_that_is_null_is_not_one_left_out(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    insert(lake, 1)
    known = read_catalog(lake)

    for call, argument in NULLS:
        sql = f"CALL {catalog}.system.{call}"
        refused(spark, sql, "DUCKLAKE_INVALID_ARGUMENT", f"`{argument}`", "NULL")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        merge = f"CALL {catalog}.system.merge_adjacent_files('t', max_file_size => '16MB')"
        refused(spark, merge, "DUCKLAKE_INVALID_ARGUMENT", "`max_file_size`")
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")
    with pytest.raises(PySparkException, match="`table_name`"):
        spark.sql(f"CALL {catalog}.system.rollback_to_snapshot(:t, 1)", {"t": None})
    files = f"SELECT * FROM ducklake_list_files('{catalog}', 't', snapshot_version => NULL)"
    refused(spark, files, "DUCKLAKE_INVALID_ARGUMENT", "`snapshot_version`", "NULL")

    assert read_catalog(lake) == known


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_message_may_have_parts_that_are_null(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    spark.sql(f"CALL {catalog}.system.set_commit_message('me', NULL, extra_info => NULL)")
    spark.sql(f"ALTER TABLE {catalog}.t ADD COLUMN d INT")
    with Peer(lake) as peer:
        peer.run(
            "BEGIN",
            "CALL lake.set_commit_message('me', NULL, extra_info => NULL)",
            "ALTER TABLE t ADD COLUMN e INT",
            "COMMIT",
        )

        said = "SELECT author, commit_message, commit_extra_info FROM ducklake_snapshots('lake')"
        assert peer.rows(f"{said} ORDER BY snapshot_id OFFSET 2") == [("me", None, None)] * 2


def test_a_commit_carries_what_was_said_of_it(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    answer = "SELECT author, commit_message, commit_extra_info FROM ducklake_snapshots('lake')"

    spark.sql(f"CALL {catalog}.system.set_commit_message('me', 'why', extra_info => 'more')")
    spark.sql(f"ALTER TABLE {catalog}.t ADD COLUMN d INT")
    spark.sql(f"ALTER TABLE {catalog}.t ADD COLUMN e INT")
    spark.sql(f"CALL {catalog}.system.set_option('require_commit_message', true)")
    refused(spark, f"ALTER TABLE {catalog}.t ADD COLUMN f INT", "DUCKLAKE_COMMIT_MESSAGE_REQUIRED")
    spark.conf.set("spark.ducklake.commit.message", "from the session")
    try:
        spark.sql(f"INSERT INTO {catalog}.t (a) VALUES (1)")
    finally:
        spark.conf.unset("spark.ducklake.commit.message")

    with Peer(lake) as peer:
        assert peer.rows(f"{answer} ORDER BY snapshot_id OFFSET 2") == [
            ("me", "why", "more"),
            (None, None, None),
            (None, "from the session", None),
        ]
        head = peer.head()
    assert value(spark, f"SELECT id FROM {catalog}.system.last_committed_snapshot") == head


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_statement_that_changes_nothing_is_no_commit(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    spark.sql(f"CALL {catalog}.system.set_commit_message('me', 'why')")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE other (a INT)")

    spark.sql(f"TRUNCATE TABLE {catalog}.t")

    last = f"SELECT id FROM {catalog}.system.last_committed_snapshot"
    assert value(spark, last) == 1
    spark.sql(f"ALTER TABLE {catalog}.t ADD COLUMN d INT")
    with Peer(lake) as peer:
        answer = peer.rows("SELECT snapshot_id, commit_message FROM ducklake_snapshots('lake')")
    assert answer == [(0, None), (1, None), (2, None), (3, "why")]
    assert value(spark, last) == 3


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("call", "commits"),
    [("flush_inlined_data", 2), ("merge_adjacent_files", 2), ("checkpoint", 4)],
)
def test_all_commits_of_a_call_carry_what_was_said_of_it(
    spark: SparkSession, lake: Lake, register: Register, call: str, commits: int
) -> None:
    for limit in (0, 10):
        for table in ("a", "b"):
            created = f"CREATE TABLE IF NOT EXISTS {table} (i INT)"
            inserts = [f"INSERT INTO {table} VALUES ({i})" for i in (1, 2)]
            made(lake, created, *inserts, limit=limit)
    catalog = register(lake)
    with Peer(lake) as peer:
        head = peer.head()
    spark.sql(f"CALL {catalog}.system.set_option('require_commit_message', true)")
    spark.sql(f"CALL {catalog}.system.set_commit_message('me', 'upkeep', extra_info => 'more')")

    spark.sql(f"CALL {catalog}.system.{call}()")

    answer = "SELECT author, commit_message, commit_extra_info FROM ducklake_snapshots('lake')"
    with Peer(lake) as peer:
        found = peer.rows(f"{answer} WHERE snapshot_id > {head}")
    assert found == [("me", "upkeep", "more")] * commits
    refused(spark, f"DROP TABLE {catalog}.a", "DUCKLAKE_COMMIT_MESSAGE_REQUIRED")


def test_a_writing_statement_reads_the_session_s_last_commit(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    spark.sql(f"CREATE TABLE {catalog}.ids (id BIGINT)")
    made = value(spark, f"SELECT id FROM {catalog}.system.last_committed_snapshot")

    spark.sql(f"INSERT INTO {catalog}.ids SELECT id FROM {catalog}.system.last_committed_snapshot")

    assert rows(spark, f"SELECT id FROM {catalog}.ids") == [(made,)]
    with Peer(lake) as peer:
        assert peer.head() == made + 1
