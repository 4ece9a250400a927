"""Statements of other formats, hidden columns that are set, comments that Spark passes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import Lake
from support.lines import CONSTRAINTS, MADE_VIEWS, since
from support.peer import last_commit

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)


@pytest.fixture
def table(spark: SparkSession, lake: Lake, register: Register) -> str:
    """The name of a table of three rows, whose first column has a default and a comment."""
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (a INT DEFAULT 42 COMMENT 'key', c INT)")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 1), (2, 1), (3, 2)")
    return f"{catalog}.main.t"


def test_statements_of_other_formats_are_told_our_way(spark: SparkSession, table: str) -> None:
    order = f"ALTER TABLE {table} SET SORTED BY (a)"
    refused(spark, f"OPTIMIZE {table} ZORDER BY (a)", "DUCKLAKE_UNSUPPORTED", order)
    refused(spark, f"OPTIMIZE {table} WHERE a > 1", "DUCKLAKE_UNSUPPORTED", "all partitions")
    refused(spark, f"VACUUM {table}", "DUCKLAKE_UNSUPPORTED", "cleanup_old_files")
    more = f"SELECT * FROM {table}.partitions"
    refused(spark, f"SHOW PARTITIONS {table} PARTITION (a=1)", "DUCKLAKE_UNSUPPORTED", more)
    refused(spark, "SELECT * FROM ducklake_xyz('lake')", "DUCKLAKE_UNSUPPORTED", "ducklake_options")
    refused(spark, "OPTIMIZE elsewhere.t", "PARSE_SYNTAX_ERROR")
    refused(spark, "SELECT * FROM nothing_xyz('lake')", "UNRESOLVABLE_TABLE_VALUED_FUNCTION")


def test_statements_of_other_formats_do_what_they_mean(spark: SparkSession, table: str) -> None:
    history = rows(spark, f"SELECT snapshot_id FROM {table}.snapshots ORDER BY 1 DESC")

    described = [row[:1] for row in rows(spark, f"DESCRIBE HISTORY {table}")]
    assert described == history
    assert len(history) == 2
    assert [r[:1] for r in rows(spark, f"DESC HISTORY {table} LIMIT 1 -- newest")] == history[:1]
    spark.sql(f"ALTER TABLE {table} SET PARTITIONED BY (c)")
    for number in (4, 5, 6):
        spark.sql(f"INSERT INTO {table} SELECT {number}, id FROM range(12)")
    partitions = rows(spark, f"SHOW PARTITIONS {table};")
    assert ({"c": "11"}, 3) in [row[:2] for row in partitions]
    merged = rows(spark, f"OPTIMIZE {table}")
    assert merged == [("main", "t", 3, 1)] * 12
    assert ({"c": "11"}, 1) in [row[:2] for row in rows(spark, f"SHOW PARTITIONS {table}")]


def test_statements_of_duckdb_about_a_lake_are_told_our_way(
    spark: SparkSession, table: str
) -> None:
    lake = table.partition(".")[0]
    for statement, part in (
        ("ATTACH 'ducklake:sqlite:lake.sqlite' AS other (DATA_PATH 'data/')", "spark.sql.catalog"),
        (f"-- upkeep\nCHECKPOINT {lake};", "system.checkpoint()"),
        (f"FORCE CHECKPOINT `{lake}`", "CHECKPOINT of"),
        (f'DETACH DATABASE IF EXISTS "{lake}"', "settings"),
        (f"COPY {table} TO 'file.parquet'", "DIRECTORY"),
        (f"COPY {table} (a, c) FROM 'file.csv' (HEADER)", "INSERT INTO"),
    ):
        refused(spark, statement, "DUCKLAKE_UNSUPPORTED", part)
    for statement in (
        "ATTACH 'other.db' AS other",
        "CHECKPOINT elsewhere",
        "DETACH elsewhere",
        "COPY elsewhere.t TO 'file.parquet'",
    ):
        refused(spark, statement, "PARSE_SYNTAX_ERROR")


def test_a_table_of_the_current_lake_is_told_too(spark: SparkSession, table: str) -> None:
    session = spark.newSession()
    catalog = table.partition(".")[0]
    for key in ("", ".uri"):
        setting = f"spark.sql.catalog.{catalog}{key}"
        session.conf.set(setting, spark.conf.get(setting))
    session.sql(f"USE {catalog}")

    assert len(rows(session, "DESCRIBE HISTORY t")) == 2
    assert rows(session, "SHOW PARTITIONS t") == []
    assert rows(session, "OPTIMIZE t") == []
    session.sql("CREATE TABLE history (t INT COMMENT 'mine')")
    assert ("comment", "mine") in rows(session, "DESCRIBE HISTORY t")


def test_what_others_mean_by_a_name_is_theirs(spark: SparkSession, lake: Lake, table: str) -> None:
    """A path of Delta, and a temporary view that is called like a table of the lake."""
    session = spark.newSession()
    catalog = table.partition(".")[0]
    for key in ("", ".uri"):
        setting = f"spark.sql.catalog.{catalog}{key}"
        session.conf.set(setting, spark.conf.get(setting))
    session.sql(f"USE {catalog}")

    refused(session, "OPTIMIZE delta.`/data/t`", "PARSE_SYNTAX_ERROR")
    refused(session, "DESCRIBE HISTORY delta.`/data/t`", "TABLE_OR_VIEW_NOT_FOUND")
    session.sql("CREATE TEMPORARY VIEW t AS SELECT 1 AS a, 1 AS c")
    before = last_commit(lake)
    refused(session, "ALTER TABLE t SET SORTED BY (a)", "PARSE_SYNTAX_ERROR")
    refused(session, "OPTIMIZE t", "PARSE_SYNTAX_ERROR")
    with pytest.raises(PySparkException, match=r"PARSE_SYNTAX_ERROR|EXPECT_TABLE_NOT_VIEW"):
        session.sql("INSERT INTO t REPLACE USING (a) SELECT 1, 1")
    assert last_commit(lake) == before


def test_a_procedure_that_is_not_there_names_those_that_are(
    spark: SparkSession, table: str
) -> None:
    catalog = table.partition(".")[0]
    for name, part in (
        ("system.flush_inlined_dat", "Did you mean `system.flush_inlined_data`?"),
        ("ducklake_merge_adjacent_files", "Did you mean `system.merge_adjacent_files`?"),
        ("main.snapshots", "Did you mean `system.snapshots`?"),
    ):
        refused(spark, f"CALL {catalog}.{name}()", "DUCKLAKE_UNSUPPORTED", part)


@pytest.mark.parametrize(
    ("columns", "part"),
    [
        pytest.param("a INT PRIMARY KEY", "constraint", marks=since(CONSTRAINTS)),
        pytest.param("a INT CHECK (a > 0)", "constraint", marks=since(CONSTRAINTS)),
        ("a INT, b INT GENERATED ALWAYS AS (a + 1)", "generated column `b`"),
        ("a BIGINT GENERATED ALWAYS AS IDENTITY", "identity column `a`"),
    ],
)
def test_what_columns_of_other_formats_have_is_refused(
    spark: SparkSession, table: str, columns: str, part: str
) -> None:
    statement = f"CREATE TABLE {table}2 ({columns})"
    refused(spark, statement, "DUCKLAKE_UNSUPPORTED", part, "NOT NULL")


SOURCE = "(SELECT 3 AS a, 7 AS r) s ON t.a = s.a"
UNCHANGED = [(1, 1), (2, 1), (3, 2)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {t} SET rowid = 5",
        "UPDATE IDENTIFIER('{t}') SET c = 9, rowid = 5",
        f"MERGE INTO IDENTIFIER('{{t}}') t USING {SOURCE} WHEN MATCHED THEN UPDATE SET rowid = s.r",
        "UPDATE {t} x SET x.rowid = 5, c = 9 WHERE a = 3",
        f"MERGE INTO {{t}} t USING {SOURCE} WHEN MATCHED THEN UPDATE SET rowid = s.r",
        f"MERGE INTO {{t}} t USING {SOURCE} WHEN NOT MATCHED THEN INSERT (rowid, a) VALUES (8, 1)",
    ],
)
def test_hidden_columns_are_not_set(spark: SparkSession, table: str, statement: str) -> None:
    refused(spark, statement.format(t=table), "DUCKLAKE_UNSUPPORTED", "hidden column")

    assert rows(spark, f"SELECT * FROM {table} ORDER BY a") == UNCHANGED


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {t} SET c = 9, rowid = :r WHERE a = 3",
        "UPDATE IDENTIFIER(:t) SET c = 9, rowid = :r WHERE a = 3",
        f"MERGE INTO {{t}} t USING {SOURCE} WHEN MATCHED THEN UPDATE SET c = :r, rowid = s.r",
    ],
)
def test_hidden_columns_are_not_set_by_statements_with_parameters(
    spark: SparkSession, table: str, statement: str
) -> None:
    with pytest.raises(PySparkException, match="hidden column") as caught:
        spark.sql(statement.format(t=table), args={"r": 7, "t": table})

    assert caught.value.getCondition() == "DUCKLAKE_UNSUPPORTED"
    assert rows(spark, f"SELECT * FROM {table} ORDER BY a") == UNCHANGED


def test_the_source_of_a_merge_may_read_hidden_columns(spark: SparkSession, table: str) -> None:
    source = f"(SELECT a, rowid AS r FROM {table}) s"
    spark.sql(
        f"MERGE INTO {table} t USING {source} ON t.a = s.a AND s.r > 0 "
        "WHEN MATCHED THEN UPDATE SET c = s.r + 10"
    )

    assert rows(spark, f"SELECT * FROM {table} ORDER BY a") == [(1, 1), (2, 11), (3, 12)]


@since(MADE_VIEWS)
def test_a_view_drops_the_comments_that_spark_passes_on(spark: SparkSession, table: str) -> None:
    view = table.replace("main.t", "main.v")
    spark.sql(f"CREATE VIEW {view} AS SELECT * FROM {table}")
    spark.sql(f"CREATE OR REPLACE VIEW {view} (x, y) AS SELECT a, c FROM {table}")
    own = f"CREATE OR REPLACE VIEW {view} (x COMMENT 'mine', y) AS SELECT a, c FROM {table}"
    refused(spark, own, "DUCKLAKE_UNSUPPORTED", "comment")

    assert rows(spark, f"SELECT x, y FROM {view} ORDER BY x") == [(1, 1), (2, 1), (3, 2)]


def test_a_copy_keeps_the_defaults_of_plain_columns(spark: SparkSession, table: str) -> None:
    copy = table.replace("main.t", "main.copy")
    spark.sql(f"CREATE TABLE {copy} AS SELECT a, a + 0 AS b, c FROM {table} WHERE a = 1")
    spark.sql(f"INSERT INTO {copy} (c) VALUES (7)")

    assert rows(spark, f"SELECT * FROM {copy} ORDER BY c") == [(1, 1, 1), (42, None, 7)]
    described = rows(spark, f"DESCRIBE {copy}")
    assert [comment for name, _, comment in described if name in ("a", "b")] == ["key", None]


def test_macros_of_duckdb_are_made_by_duckdb(spark: SparkSession, table: str) -> None:
    function = f"{table.partition('.')[0]}.main.twice"

    for statement, part in (
        (f"CREATE FUNCTION {function} AS 'org.example.Twice'", "CREATE FUNCTION"),
        (f"CREATE FUNCTION {function}(x INT) RETURNS INT RETURN x * 2", "CREATE FUNCTION"),
        (f"DROP FUNCTION {function}", "DROP FUNCTION"),
        (f"CREATE MACRO {function}(x) AS x * 2", "MACRO"),
    ):
        with pytest.raises(PySparkException, match=part):
            spark.sql(statement)
