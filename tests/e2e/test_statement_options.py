"""Options of reads and writes: obeyed exactly, or refused by name, in every way to write."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, functions

from support.asking import refused, rows
from support.lakes import Lake
from support.lines import EVOLVING_INSERT, since
from support.peer import made

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

TABLE = [(1, 1), (2, 1), (3, 2)]


@pytest.fixture
def table(spark: SparkSession, lake: Lake, register: Register) -> str:
    """The name of a table of three rows, partitioned by `c`."""
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (a INT, c INT) PARTITIONED BY (c)")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 1), (2, 1), (3, 2)")
    return f"{catalog}.main.t"


@pytest.fixture
def frame(spark: SparkSession) -> DataFrame:
    """One new row."""
    return spark.sql("SELECT 9 AS a, 1 AS c")


def refusal(write: Callable[[], object]) -> str:
    """The message of a write whose options are refused."""
    with pytest.raises(PySparkException) as caught:
        write()
    assert caught.value.getCondition() == "DUCKLAKE_INVALID_SETTING", str(caught.value)
    return str(caught.value)


def content(spark: SparkSession, table: str) -> list[tuple[object, ...]]:
    """The table's rows."""
    return rows(spark, f"SELECT * FROM {table} ORDER BY 1")


REPLACING: dict[str, Callable[[DataFrame, str], object]] = {
    "insertInto": lambda frame, table: (
        frame.write.mode("overwrite").option("replaceWhere", "c = 1").insertInto(table)
    ),
    "saveAsTable": lambda frame, table: (
        frame.select("c", "a")
        .write.mode("overwrite")
        .option("replaceWhere", "c = 1")
        .saveAsTable(table)
    ),
    "writeTo": lambda frame, table: (
        frame.writeTo(table)
        .option("replacewhere", "c BETWEEN 0 AND 1 AND a < CAST('7' AS BIGINT)")
        .overwrite(functions.lit(True))
    ),
    "sql": lambda frame, table: frame.sparkSession.sql(
        f"INSERT OVERWRITE {table} WITH ('replaceWhere' = 'c IN (1, 7)') VALUES (9, 1)"
    ),
}


@pytest.mark.parametrize("way", REPLACING)
def test_replace_where_replaces_the_rows_of_its_condition(
    spark: SparkSession, table: str, frame: DataFrame, way: str
) -> None:
    REPLACING[way](frame, table)

    assert content(spark, table) == [(3, 2), (9, 1)]


def test_replace_where_is_refused_where_it_cannot_be_obeyed(
    spark: SparkSession, table: str, frame: DataFrame
) -> None:
    where = "replaceWhere"
    writer = frame.writeTo(table).option(where, "c = 1")

    assert "append" in refusal(writer.append)
    assert "otherwise" in refusal(writer.overwritePartitions)
    assert "REPLACE WHERE" in refusal(writer.replace)
    assert "append" in refusal(
        lambda: frame.write.mode("append").option(where, "c = 1").saveAsTable(table)
    )
    for blank in ("", " "):
        overwriting = frame.write.mode("overwrite").option(where, blank)
        assert "blank" in refusal(partial(overwriting.insertInto, table))
        assert "blank" in refusal(partial(overwriting.saveAsTable, table))
        assert "blank" in refusal(frame.writeTo(table).option(where, blank).append)
    for text, condition in (
        ("c IN (SELECT 1)", "DUCKLAKE_UNSUPPORTED"),
        ("no_such = 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("c = = 1", "PARSE_SYNTAX_ERROR"),
    ):
        with pytest.raises(PySparkException) as caught:
            frame.write.mode("overwrite").option(where, text).insertInto(table)
        assert caught.value.getCondition() == condition

    assert content(spark, table) == TABLE


def test_replace_where_gives_the_table_nothing_else(
    spark: SparkSession, table: str, frame: DataFrame
) -> None:
    writer = partial(frame.writeTo(table).option, "replaceWhere", "c = 1")
    named = frame.write.mode("overwrite").option("replaceWhere", "c = 1").option("comment", "x")

    assert "`parquet_version`" in refusal(
        writer().tableProperty("parquet_version", "2").createOrReplace
    )
    assert "comment" in refusal(partial(named.saveAsTable, table))
    with pytest.raises(PySparkException) as caught:
        writer().using("delta").createOrReplace()
    assert "USING delta" in str(caught.value)
    assert content(spark, table) == TABLE


def test_a_dynamic_overwrite_may_be_an_option(
    spark: SparkSession, table: str, frame: DataFrame
) -> None:
    mode = "partitionOverwriteMode"
    frame.write.mode("overwrite").option(mode, "dynamic").insertInto(table)

    assert content(spark, table) == [(3, 2), (9, 1)]
    other = frame.withColumn("a", functions.lit(8))
    other.write.mode("overwrite").option(mode, "dynamic").saveAsTable(table)
    assert content(spark, table) == [(3, 2), (8, 1)]
    assert mode in refusal(
        lambda: frame.select("c").write.mode("overwrite").option(mode, "dynamic").saveAsTable(table)
    )
    assert mode in refusal(
        lambda: frame.writeTo(table).option(mode, "static").overwritePartitions()
    )
    assert content(spark, table) == [(3, 2), (8, 1)]


@since(EVOLVING_INSERT)
def test_schemas_are_merged_and_overwritten_where_that_is_asked(
    spark: SparkSession, table: str, frame: DataFrame
) -> None:
    wider = frame.withColumn("n", functions.lit("x"))

    wider.write.mode("append").option("mergeSchema", "true").saveAsTable(table)
    assert content(spark, table) == [(1, 1, None), (2, 1, None), (3, 2, None), (9, 1, "x")]
    assert "WITH SCHEMA EVOLUTION" in refusal(
        lambda: wider.write.mode("overwrite").option("mergeSchema", "true").insertInto(table)
    )
    assert "saveAsTable" in refusal(
        lambda: wider.write.mode("overwrite").option("overwriteSchema", "true").insertInto(table)
    )
    assert len(content(spark, table)) == 4

    frame.select("a").write.mode("overwrite").option("overwriteSchema", "true").saveAsTable(table)
    assert content(spark, table) == [(9,)]


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("branch", "no branches"),
        ("userMetadata", "commit-message"),
        ("comit-message", "`commit-message`"),
        ("target_file_sze", "`target_file_size`"),
        ("auto_compact", "TBLPROPERTIES"),
        ("path", "leave it out"),
    ],
)
def test_an_unknown_option_of_a_write_is_refused(
    spark: SparkSession, table: str, frame: DataFrame, option: str, hint: str
) -> None:
    writer = frame.write.mode("append").option(option, "1")

    assert hint in refusal(lambda: writer.saveAsTable(table))
    assert hint in refusal(lambda: writer.insertInto(table))

    assert content(spark, table) == TABLE


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("branch", "versionAsOf"),
        ("versionAs", "`versionAsOf`"),
        ("snapshot-versoin", "`snapshot-version`"),
        ("readChangeFeed", "start-snapshot"),
        ("mergeSchema", "leave it out"),
    ],
)
def test_an_unknown_option_of_a_read_is_refused(
    spark: SparkSession, table: str, option: str, hint: str
) -> None:
    assert hint in refusal(lambda: spark.read.option(option, "1").table(table).collect())
    assert option in refusal(
        lambda: spark.read.option(option, "1").table(f"{table}.files").collect()
    )
    query = f"SELECT * FROM {table} WITH ('{option}' = '1')"
    refused(spark, query, "DUCKLAKE_INVALID_SETTING", hint)


@pytest.mark.parametrize("option", ["snapshot-version", "versionAsOf", "no-such"])
def test_a_view_takes_no_options(
    spark: SparkSession, lake: Lake, table: str, frame: DataFrame, option: str
) -> None:
    made(lake, "CREATE VIEW v AS SELECT * FROM t")
    view = table.replace("main.t", "main.v")
    reader = spark.read.option(option, "1")

    assert f"the view `{view}`" in refusal(lambda: reader.table(view).collect())
    query = f"SELECT * FROM {view} WITH ('{option}' = '1')"
    refused(spark, query, "DUCKLAKE_INVALID_SETTING", option)
    refused(spark, f"INSERT INTO {view} VALUES (1, 1)", "DUCKLAKE_UNSUPPORTED", "Writing")
    with pytest.raises(PySparkException, match="Writing") as caught:
        frame.writeTo(view).option(option, "1").append()
    assert caught.value.getCondition() == "DUCKLAKE_UNSUPPORTED"
    assert content(spark, view) == TABLE


def test_a_new_table_takes_no_unknown_option_and_is_not_left_behind(
    spark: SparkSession, table: str, frame: DataFrame
) -> None:
    fresh = table.replace("main.t", "main.fresh")

    assert "frmat" in refusal(lambda: frame.writeTo(fresh).option("frmat", "x").create())
    assert not spark.catalog.tableExists(fresh)
    frame.write.mode("overwrite").option("replaceWhere", "c = 1").saveAsTable(fresh)

    assert content(spark, fresh) == [(9, 1)]


READING_THE_TARGET = {
    "a table": "SELECT CAST(9 AS INT) AS a, c FROM {t} WHERE a = 1",
    "a subquery": "SELECT 9 AS a, 1 AS c WHERE (SELECT max(a) FROM {t}) = 3",
    "a view": "SELECT a, c FROM reading",
}


@pytest.mark.parametrize("query", READING_THE_TARGET.values(), ids=READING_THE_TARGET)
@pytest.mark.parametrize(
    "option", ["'partitionOverwriteMode' = 'dynamic'", "'replaceWhere' = 'c = 1'"]
)
def test_options_hold_when_the_query_reads_the_table(
    spark: SparkSession, table: str, option: str, query: str
) -> None:
    """Spark resolves a name once in a statement, whatever its options are."""
    reading = READING_THE_TARGET["a subquery"].format(t=table)
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW reading AS {reading}")

    spark.sql(f"INSERT OVERWRITE {table} WITH ({option}) {query.format(t=table)}")

    assert content(spark, table) == [(3, 2), (9, 1)]


@pytest.mark.parametrize(
    "insert", ["INSERT INTO {t} WITH ({o})", "INSERT INTO {t} WITH ({o}) REPLACE WHERE c = 1"]
)
def test_an_unknown_option_is_refused_when_the_query_reads_the_table(
    spark: SparkSession, table: str, insert: str
) -> None:
    statement = insert.format(t=table, o="'frmat' = '1'")

    refused(
        spark, f"{statement} SELECT a, c FROM {table}", "DUCKLAKE_INVALID_SETTING", "of a write"
    )
    assert content(spark, table) == TABLE


def test_reads_of_the_target_keep_their_own_options(spark: SparkSession, table: str) -> None:
    spark.sql(f"INSERT INTO {table} VALUES (4, 2)")
    before = f"SELECT a, c FROM {table} WITH ('snapshot-version' = '2') WHERE c = 2"

    spark.sql(f"INSERT OVERWRITE {table} WITH ('replaceWhere' = 'c = 2') {before}")

    assert content(spark, table) == TABLE


def test_options_are_obeyed_in_each_round_of_a_script(spark: SparkSession, table: str) -> None:
    """A script analyses the statements of a loop anew in each round."""
    spark.sql(f"INSERT INTO {table} VALUES (4, 2)")
    spark.sql(f"CREATE TABLE {table}_rounds (number INT, new BIGINT)")
    then, before = (f"SELECT * FROM {table} WITH ('snapshot-version' = '{n}')" for n in (3, 2))
    spark.conf.set("spark.sql.scripting.enabled", "true")

    try:
        spark.sql(
            f"""
            BEGIN
              DECLARE round INT = 1;
              WHILE round < 4 DO
                INSERT INTO {table}_rounds SELECT round, count(*) FROM ({then} EXCEPT {before});
                SET round = round + 1;
              END WHILE;
            END"""
        )
    finally:
        spark.conf.unset("spark.sql.scripting.enabled")

    assert sorted(rows(spark, f"SELECT * FROM {table}_rounds")) == [(1, 1), (2, 1), (3, 1)]
