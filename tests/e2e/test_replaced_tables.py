"""A table in place of another: no commit of others is lost, nor layout silently (decision 24)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, functions

from support.asking import rows, value
from support.lakes import Lake
from support.logs import logged
from support.meanwhile import meanwhile
from support.peer import Peer, made

Register = Callable[..., str]

WARNINGS = "ducklake.spark.ddl.StagedCreation"


BY_OTHERS = {
    "insert": "INSERT INTO t SELECT i, 1 FROM range(500, 600) r(i)",
    "inlined insert": "INSERT INTO t VALUES (500, 1)",
    "delete": "DELETE FROM t WHERE a < 50",
    "inlined delete": "DELETE FROM t WHERE a = 1",
    "update": "UPDATE t SET b = 9 WHERE a < 50",
    "alter": "ALTER TABLE t ADD COLUMN c INT",
}
SETUP = ("CREATE TABLE t (a INT, b INT)", "INSERT INTO t SELECT i, 0 FROM range(100) r(i)")


@pytest.mark.parametrize("change", BY_OTHERS)
def test_a_table_is_not_replaced_by_its_rows_of_before(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, change: str
) -> None:
    made(lake, *SETUP)
    catalog = register(lake)

    with meanwhile(tmp_path / "held", lambda: made(lake, BY_OTHERS[change])) as hold:
        hold(spark.table(f"{catalog}.t"), "a").createOrReplaceTempView("held_rows")
        with pytest.raises(PySparkException) as caught:
            spark.sql(f"CREATE OR REPLACE TABLE {catalog}.main.t AS SELECT * FROM held_rows")

    assert caught.value.getCondition() == "DUCKLAKE_COMMIT_CONFLICT"
    assert "main.t" in str(caught.value)
    with Peer(lake) as peer:
        peer.run("CREATE TEMP TABLE e AS SELECT * FROM t AT (VERSION => 2)")
        peer.run(BY_OTHERS[change].replace(" t ", " e "))
        assert sorted(peer.rows("FROM t"), key=repr) == sorted(peer.rows("FROM e"), key=repr)


WAYS: dict[str, Callable[[DataFrame, str], object]] = {
    "saveAsTable": lambda frame, table: frame.write.mode("overwrite").saveAsTable(table),
    "saveAsTable of other columns": lambda frame, table: (
        frame.select("a").write.mode("overwrite").saveAsTable(table)
    ),
    "createOrReplace": lambda frame, table: frame.writeTo(table).createOrReplace(),
    "replace": lambda frame, table: frame.writeTo(table).replace(),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_dataframes_lose_no_commit_either(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, way: str
) -> None:
    made(lake, *SETUP, "CREATE VIEW v AS SELECT * FROM t")
    catalog = register(lake)
    source = spark.table(f"{catalog}.main.v") if way == "replace" else spark.table(f"{catalog}.t")

    with meanwhile(tmp_path / "held", lambda: made(lake, BY_OTHERS["insert"])) as hold:
        with pytest.raises(PySparkException, match="DUCKLAKE_COMMIT_CONFLICT"):
            WAYS[way](hold(source, "a"), f"{catalog}.main.t")

    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 200


OTHER_SOURCES = ("{c}.main.u", "(SELECT * FROM {c}.main.t VERSION AS OF {version})")


@pytest.mark.parametrize("source", OTHER_SOURCES)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_what_a_statement_did_not_read_is_replaced(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, source: str
) -> None:
    made(lake, *SETUP, "CREATE TABLE u AS FROM t")
    catalog = register(lake)
    with Peer(lake) as peer:
        text = source.format(c=catalog, version=peer.head())

    with meanwhile(tmp_path / "held", lambda: made(lake, BY_OTHERS["insert"])) as hold:
        frame = hold(spark.sql(f"SELECT * FROM {text}"), "a")
        frame.writeTo(f"{catalog}.main.t").createOrReplace()

    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 100


def test_compactions_do_not_hold_up_a_replacement(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(
        lake,
        *SETUP,
        "INSERT INTO t SELECT i, 0 FROM range(100, 200) r(i)",
        "INSERT INTO t VALUES (0, 0)",
    )
    catalog = register(lake)

    def compact() -> None:
        made(lake, "CALL ducklake_merge_adjacent_files('lake')")
        made(lake, "CALL ducklake_flush_inlined_data('lake')")

    with meanwhile(tmp_path / "held", compact) as hold:
        hold(spark.table(f"{catalog}.t"), "a").writeTo(f"{catalog}.main.t").createOrReplace()

    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 201


@pytest.fixture
def table(spark: SparkSession, lake: Lake, register: Register) -> str:
    """The name of a table with everything that a table can have."""
    catalog = register(lake)
    spark.sql(
        f"CREATE TABLE {catalog}.t (a INT NOT NULL COMMENT 'the key', k INT DEFAULT 7, u SMALLINT)"
        " PARTITIONED BY (k) COMMENT 'a table' TBLPROPERTIES ('ducklake.sorted-by' = 'a DESC',"
        " 'parquet_compression' = 'zstd', 'owner_team' = 'x', 'ducklake.type.u' = 'uint8')"
    )
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 1, 1), (2, 2, 2)")
    return f"{catalog}.main.t"


def described(spark: SparkSession, table: str) -> list[tuple[object, ...]]:
    """What Spark says of a table."""
    return rows(spark, f"DESCRIBE TABLE EXTENDED {table}") + rows(
        spark, f"SHOW TBLPROPERTIES {table}"
    )


NEW_ROWS = "SELECT 5 AS a, 6 AS k, CAST(7 AS SMALLINT) AS u"


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_save_as_table_keeps_the_table_when_the_columns_are_the_same(
    spark: SparkSession, lake: Lake, table: str
) -> None:
    frame = spark.sql(NEW_ROWS)
    before = described(spark, table)
    with Peer(lake) as peer:
        identity = "SELECT table_id, table_uuid FROM ducklake_table_info('lake')"
        is_it = peer.rows(identity)

    with logged(spark, WARNINGS) as warnings:
        frame.write.mode("overwrite").saveAsTable(table)
        assert rows(spark, f"SELECT * FROM {table}") == [(5, 6, 7)]
        frame.write.partitionBy("k").mode("overwrite").saveAsTable(table)
        option = frame.withColumn("k", functions.lit(8)).write.mode("overwrite")
        option.option("partitionOverwriteMode", "dynamic").saveAsTable(table)

    assert warnings.toString() == ""
    assert rows(spark, f"SELECT * FROM {table} ORDER BY k") == [(5, 6, 7), (5, 8, 7)]
    assert described(spark, table) == before
    with Peer(lake) as peer:
        assert peer.rows(identity) == is_it
    with pytest.raises(PySparkException, match="NOT_NULL"):
        frame.selectExpr("CAST(NULL AS INT) AS a", "k", "u").write.mode("overwrite").saveAsTable(
            table
        )
    assert value(spark, f"SELECT count(*) FROM {table}") == 2


REPLACING: dict[str, Callable[[DataFrame, str], object]] = {
    "other columns": lambda frame, table: (
        frame.select("a", "k").write.mode("overwrite").saveAsTable(table)
    ),
    "other order": lambda frame, table: (
        frame.select("k", "a", "u").write.mode("overwrite").saveAsTable(table)
    ),
    "overwriteSchema": lambda frame, table: (
        frame.write.mode("overwrite").option("overwriteSchema", "true").saveAsTable(table)
    ),
    "createOrReplace": lambda frame, table: frame.writeTo(table).createOrReplace(),
    "replace": lambda frame, table: frame.writeTo(table).using("parquet").replace(),
    "CREATE OR REPLACE": lambda frame, table: frame.sparkSession.sql(
        f"CREATE OR REPLACE TABLE {table} USING parquet AS {NEW_ROWS}"
    ),
    "REPLACE": lambda frame, table: frame.sparkSession.sql(f"REPLACE TABLE {table} AS {NEW_ROWS}"),
}


@pytest.mark.parametrize("way", REPLACING)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_another_table_says_what_it_does_not_have(
    spark: SparkSession, table: str, way: str
) -> None:
    with logged(spark, WARNINGS) as warnings:
        REPLACING[way](spark.sql(NEW_ROWS), table)
        answer = warnings.toString()

    for part in (
        "the partition keys (k)",
        "the sort order",
        "NOT NULL of `a`",
        "the default of `k`",
        "the comment on `a`",
        "the option `parquet_compression`",
        "the comment",
        "the property `owner_team`",
        "INSERT OVERWRITE",
    ):
        assert part in answer, answer
    assert ("the type of `u`" in answer) == (way != "other columns")
    assert rows(spark, f"SELECT a, k FROM {table}") == [(5, 6)]
    assert "Part 0" not in str(described(spark, table))


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_what_a_statement_names_again_is_not_lost(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    keys = "PARTITIONED BY (a) TBLPROPERTIES ('ducklake.sorted-by' = 'b', 'owner_team' = 'x')"
    spark.sql(f"CREATE TABLE {catalog}.t {keys} AS SELECT 1 AS a, 2 AS b")

    with logged(spark, WARNINGS) as warnings:
        spark.sql(f"CREATE OR REPLACE TABLE {catalog}.t {keys} AS SELECT 1 AS a, 2 AS b")
        spark.sql(f"CREATE OR REPLACE TABLE {catalog}.u AS SELECT 1 AS a, 2 AS b")
        spark.sql(f"CREATE OR REPLACE TABLE {catalog}.u AS SELECT 3 AS b")

    assert warnings.toString() == ""
