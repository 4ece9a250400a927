"""What a cached frame showed is what every way of writing writes (decision 23)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from support.asking import rows, value
from support.lakes import Lake
from support.peer import Peer, made

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

LABEL = "reflect('java.util.UUID', 'randomUUID') AS k"
"""Another text each time it is computed, as the answer of a model or of a web service may be."""


@pytest.fixture
def catalog(spark: SparkSession, lake: Lake, register: Register) -> Iterator[str]:
    """A lake with the source `s` of twenty rows, and the empty tables `t` and `u`."""
    name = register(lake)
    made(
        lake,
        "CREATE TABLE s AS SELECT i::INT AS a FROM range(20) r(i)",
        "CREATE TABLE t (a INT, k VARCHAR)",
        "CREATE TABLE u (a INT, k VARCHAR)",
    )
    yield name
    spark.catalog.clearCache()


def shown(frame: DataFrame) -> list[tuple[object, ...]]:
    """The rows of a frame, which is in the cache afterwards."""
    return sorted(tuple(row) for row in frame.cache().collect())


def labelled(spark: SparkSession, table: str) -> DataFrame:
    """The rows of a table with a column `k` that is computed anew with each run of the plan."""
    return spark.sql(f"SELECT a, {LABEL} FROM {table}")


WAYS: dict[str, Callable[[DataFrame, str], object]] = {
    "append": lambda frame, table: frame.writeTo(table).append(),
    "overwritePartitions": lambda frame, table: frame.writeTo(table).overwritePartitions(),
    "insertInto": lambda frame, table: frame.write.insertInto(table),
    "saveAsTable": lambda frame, table: frame.write.mode("append").saveAsTable(table),
    "mode overwrite": lambda frame, table: frame.write.mode("overwrite").saveAsTable(table),
    "createOrReplace": lambda frame, table: frame.writeTo(table).createOrReplace(),
    "INSERT": lambda frame, table: frame.sparkSession.sql(f"INSERT INTO {table} SELECT * FROM v"),
    "MERGE": lambda frame, table: frame.sparkSession.sql(
        f"MERGE INTO {table} t USING v ON t.a = v.a"
        " WHEN MATCHED THEN UPDATE SET k = v.k WHEN NOT MATCHED THEN INSERT *"
    ),
    "CTAS": lambda frame, table: frame.sparkSession.sql(
        f"CREATE OR REPLACE TABLE {table} AS SELECT * FROM v"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_rows_are_written_as_they_were_shown(spark: SparkSession, catalog: str, way: str) -> None:
    frame = labelled(spark, f"{catalog}.s")
    expected = shown(frame)
    frame.createOrReplaceTempView("v")

    for table in ("t", "u"):  # the second write begins at another snapshot than was shown
        WAYS[way](frame, f"{catalog}.main.{table}")

        assert rows(spark, f"SELECT * FROM {catalog}.{table} ORDER BY a") == expected, table


def test_rows_of_files_are_written_as_they_were_shown(
    spark: SparkSession, catalog: str, tmp_path: Path
) -> None:
    spark.table(f"{catalog}.s").write.parquet(f"{tmp_path}/s")
    frame = labelled(spark, f"parquet.`{tmp_path}/s`")
    expected = shown(frame)

    frame.writeTo(f"{catalog}.main.t").append()

    assert rows(spark, f"SELECT * FROM {catalog}.t ORDER BY a") == expected


QUERIES = {
    "of a cached frame": "SELECT a, {label} FROM inner",
    "of a join with it": "SELECT x.a, {label} FROM {c}.s x JOIN inner y ON x.a = y.a",
    "of a number that the catalog knows": "SELECT CAST(count(*) AS INT) AS a, {label} FROM {c}.s",
    "of nothing": "SELECT a, {label} FROM {c}.s WHERE false UNION ALL SELECT 1, {label}",
    "with a subquery": "SELECT a, {label} FROM {c}.s WHERE a > (SELECT avg(a) FROM {c}.s)",
}


@pytest.mark.parametrize("query", QUERIES)
def test_rows_of_every_query_are_written_as_they_were_shown(
    spark: SparkSession, catalog: str, query: str
) -> None:
    shown(spark.table(f"{catalog}.s").where("a >= 0"))
    spark.table(f"{catalog}.s").where("a >= 0").createOrReplaceTempView("inner")
    frame = spark.sql(QUERIES[query].format(c=catalog, label=LABEL))
    expected = shown(frame)

    frame.writeTo(f"{catalog}.main.t").append()

    assert rows(spark, f"SELECT * FROM {catalog}.t ORDER BY a") == expected


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("DELETE FROM {c}.s WHERE a IN (SELECT a FROM v)", "SELECT a FROM {c}.s"),
        (
            "UPDATE {c}.s SET a = -1 WHERE a IN (SELECT a FROM v)",
            "SELECT a FROM {c}.s WHERE a >= 0",
        ),
    ],
)
def test_the_rows_that_were_shown_are_changed(
    spark: SparkSession, catalog: str, statement: str, question: str
) -> None:
    spark.udf.register("coin", lambda a: __import__("random").random() < 0.5, "BOOLEAN")
    frame = spark.sql(f"SELECT a FROM {catalog}.s WHERE coin(a)")
    chosen = {a for (a,) in shown(frame)}
    frame.createOrReplaceTempView("v")

    spark.sql(statement.format(c=catalog))

    left = {a for (a,) in rows(spark, question.format(c=catalog))}
    assert left == set(range(20)) - chosen


def test_what_others_have_committed_to_the_source_is_written(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    frame = spark.table(f"{catalog}.s").selectExpr("a", "'x' AS k")
    shown(frame)
    made(lake, "DELETE FROM s WHERE a < 10", "INSERT INTO s VALUES (100)")

    frame.writeTo(f"{catalog}.main.t").append()

    assert value(spark, f"SELECT sum(a) FROM {catalog}.t") == sum(range(10, 20)) + 100


def test_a_frame_follows_the_table_that_it_is_written_to(spark: SparkSession, catalog: str) -> None:
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 'x')")
    frame = spark.table(f"{catalog}.t")
    shown(frame)

    for count in (2, 4, 8):
        frame.writeTo(f"{catalog}.main.t").append()

        assert value(spark, f"SELECT count(*) FROM {catalog}.t") == count


PAST: dict[str, Callable[[SparkSession, str, int], DataFrame]] = {
    "VERSION AS OF": lambda spark, table, version: labelled(
        spark, f"{table} VERSION AS OF {version}"
    ),
    "versionAsOf": lambda spark, table, version: (
        spark.read.option("versionAsOf", version).table(table).selectExpr("a", LABEL)
    ),
    "snapshot-version": lambda spark, table, version: (
        spark.read.option("snapshot-version", version).table(table).selectExpr("a", LABEL)
    ),
}


@pytest.mark.parametrize("way", PAST)
@pytest.mark.parametrize("caching", [True, False])
def test_rows_of_a_named_snapshot_are_written_as_they_were_shown(
    spark: SparkSession, lake: Lake, catalog: str, way: str, caching: bool
) -> None:
    with Peer(lake) as peer:
        head = peer.head()
    frame = PAST[way](spark, f"{catalog}.main.s", head)
    expected = shown(frame) if caching else []
    frame.createOrReplaceTempView("v")
    made(lake, "DELETE FROM s WHERE a > 2")

    frame.writeTo(f"{catalog}.main.t").append()
    spark.sql(f"INSERT INTO {catalog}.main.u SELECT * FROM v")

    for table in ("t", "u"):
        written = rows(spark, f"SELECT * FROM {catalog}.{table} ORDER BY a")
        assert [a for a, _ in written] == list(range(20)), table
        assert not caching or written == expected, table


def test_a_statement_with_an_option_of_a_read_writes_the_rows_of_its_snapshot(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    with Peer(lake) as peer:
        head = peer.head()
    made(lake, "DELETE FROM s WHERE a > 2")

    for option in ("versionAsOf", "snapshot-version"):
        source = f"{catalog}.main.s WITH ('{option}' = '{head}')"
        spark.sql(f"INSERT OVERWRITE {catalog}.main.t SELECT a, 'x' FROM {source}")

        assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 20, option


def test_commits_to_other_tables_leave_a_result_in_the_cache(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    query = f"SELECT a, {LABEL} FROM {catalog}.s"
    expected = shown(spark.sql(query))

    made(lake, "INSERT INTO u VALUES (1, 'x')")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 'x')")

    assert sorted(rows(spark, query)) == expected
    made(lake, "INSERT INTO s VALUES (100)")
    assert len(rows(spark, query)) == 21


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO {c}.main.u SELECT * FROM {c}.t",
        "CREATE OR REPLACE TABLE {c}.main.u AS SELECT * FROM {c}.t",
        "CREATE OR REPLACE TABLE {c}.t AS SELECT * FROM {c}.t",
    ],
)
def test_a_table_that_others_changed_since_it_was_cached_by_its_name_is_read_as_it_is(
    spark: SparkSession, lake: Lake, catalog: str, statement: str
) -> None:
    made(lake, "INSERT INTO t VALUES (1, 'x')")
    spark.sql(f"CACHE TABLE {catalog}.t")
    made(lake, "INSERT INTO t VALUES (2, 'y')")

    spark.sql(statement.format(c=catalog))

    table = "u" if ".u" in statement else "t"
    with Peer(lake) as peer:
        assert peer.rows(f"SELECT a FROM {table} ORDER BY a") == [(1,), (2,)]
