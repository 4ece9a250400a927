"""What older versions of Spark cannot do with a lake is refused, and the error names the version.

The list is `support/lines.py`; `python/test_lines.py` holds that each entry has a test.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import IN_FILES, Lake
from support.lines import (
    CACHE,
    CAST_DEFAULTS,
    CHANGES,
    COLUMN_IDS,
    CONSTRAINTS,
    EVOLVING_INSERT,
    EVOLVING_MERGE,
    GEOMETRY,
    GEOMETRY_WRITES,
    LIKE,
    MADE_VIEWS,
    NARROWER_SOURCES,
    ONE_STATEMENT,
    PLAIN_VIEWS,
    ROW_GROUPS,
    SPARK,
    TIME,
    VARIANT_WRITES,
    before,
    since,
)
from support.peer import Peer, made

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

UNSUPPORTED = "DUCKLAKE_UNSUPPORTED"


@pytest.fixture
def catalog(lake: Lake, register: Callable[..., str]) -> str:
    """A lake with a table `t` of one row and a view `v` of it."""
    made(lake, "CREATE TABLE t AS SELECT 1 AS a", "CREATE VIEW v AS SELECT a FROM t")
    return register(lake, IN_FILES)


@before(MADE_VIEWS)
@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("CREATE VIEW {c}.main.w AS SELECT 1 AS a", "CREATE VIEW"),
        ("CREATE OR REPLACE VIEW {c}.main.v AS SELECT 1 AS a", "CREATE VIEW"),
        ("ALTER VIEW {c}.main.v AS SELECT 2 AS a", "ALTER VIEW"),
        ("ALTER VIEW {c}.main.v RENAME TO {c}.main.w", "ALTER VIEW"),
        ("ALTER VIEW {c}.main.v SET TBLPROPERTIES ('k' = 'v')", "ALTER VIEW"),
        ("ALTER VIEW {c}.main.v UNSET TBLPROPERTIES ('k')", "ALTER VIEW"),
        ("DROP VIEW {c}.main.v", "DROP VIEW"),
        ("DROP VIEW IF EXISTS {c}.main.w", "DROP VIEW"),
        ("SHOW VIEWS IN {c}.main", "SHOW VIEWS"),
    ],
)
def test_statements_about_views(
    spark: SparkSession, lake: Lake, catalog: str, statement: str, name: str
) -> None:
    refused(spark, statement.format(c=catalog), UNSUPPORTED, name, "Spark 4.2")

    assert rows(spark, f"SELECT * FROM {catalog}.main.v") == [(1,)]
    with Peer(lake) as peer:
        assert peer.head() == 2


@before(MADE_VIEWS)
def test_temporary_views_are_not_views_of_the_lake(spark: SparkSession, catalog: str) -> None:
    session = spark.newSession()
    session.conf.set(f"spark.sql.catalog.{catalog}", spark.conf.get(f"spark.sql.catalog.{catalog}"))
    session.conf.set(
        f"spark.sql.catalog.{catalog}.uri", spark.conf.get(f"spark.sql.catalog.{catalog}.uri")
    )
    session.sql(f"USE {catalog}.main")

    session.sql("CREATE TEMPORARY VIEW w AS SELECT 5 AS a")
    session.sql("ALTER VIEW w AS SELECT 6 AS a")
    assert rows(session, "SELECT a FROM w") == [(6,)]
    session.sql("DROP VIEW w")
    refused(session, "CREATE VIEW w AS SELECT 1 AS a", UNSUPPORTED, "CREATE VIEW", "Spark 4.2")


@before(PLAIN_VIEWS)
def test_views_are_read_and_described_by_the_extension_alone(
    spark: SparkSession, catalog: str
) -> None:
    view = f"{catalog}.main.v"

    assert rows(spark, f"SELECT a FROM {view}") == [(1,)]
    assert rows(spark, f"DESCRIBE {view}") == [("a", "int", None)]
    refused(spark, f"DESCRIBE EXTENDED {view}", UNSUPPORTED, view, "4.2", "DuckLakeExtensions")


@before(LIKE)
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE {c}.u LIKE {c}.t",
        "CREATE TABLE IF NOT EXISTS {c}.main.u LIKE {c}.main.t",
        "CREATE TABLE u LIKE {c}.main.t",
        "CREATE TABLE {c}.u LIKE other",
    ],
)
def test_a_table_like_another(spark: SparkSession, catalog: str, statement: str) -> None:
    refused(spark, statement.format(c=catalog), UNSUPPORTED, "LIKE", "Spark 4.2")


@before(CHANGES)
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM {c}.main.t CHANGES FROM VERSION 1 TO VERSION 2",
        "SELECT a FROM (SELECT * FROM {c}.t CHANGES FROM VERSION 1)",
    ],
)
def test_the_clause_changes(spark: SparkSession, catalog: str, query: str) -> None:
    refused(spark, query.format(c=catalog), UNSUPPORTED, "CHANGES", "Spark 4.2", ".t.changes")


@before(CHANGES)
def test_the_option_for_changes(spark: SparkSession, catalog: str) -> None:
    reader = spark.read.format("ducklake").option("readChangeFeed", "true")

    with pytest.raises(PySparkException, match=r"Spark 4\.2") as caught:
        reader.option("startingVersion", "1").load(f"{catalog}.main.t").collect()
    assert caught.value.getCondition() == UNSUPPORTED


@before(EVOLVING_INSERT)
def test_an_insert_that_adds_columns(spark: SparkSession, lake: Lake, catalog: str) -> None:
    wider = spark.sql("SELECT 2 AS a, 3 AS b")
    insert = f"INSERT WITH SCHEMA EVOLUTION INTO {catalog}.t SELECT 2 AS a, 3 AS b"

    refused(spark, insert, UNSUPPORTED, "SCHEMA EVOLUTION", "Spark 4.2", "ALTER TABLE")
    with pytest.raises(PySparkException, match=r"Spark 4\.2") as caught:
        wider.writeTo(f"{catalog}.t").option("mergeSchema", "true").append()
    assert caught.value.getCondition() == "DUCKLAKE_INVALID_SETTING"
    with Peer(lake) as peer:
        assert peer.head() == 2


MERGE = (
    "MERGE WITH SCHEMA EVOLUTION INTO {c}.t AS t USING (SELECT 1 AS a, 2 AS b) AS s ON t.a = s.a "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)


NAMED_MERGE = MERGE.replace("INTO {c}.t", "INTO IDENTIFIER('{c}.t')")


@before(EVOLVING_MERGE)
def test_a_merge_that_adds_columns(spark: SparkSession, lake: Lake, catalog: str) -> None:
    for merge in (MERGE, NAMED_MERGE):
        refused(spark, merge.format(c=catalog), UNSUPPORTED, "SCHEMA EVOLUTION", "Spark 4.1")
    parameter = MERGE.replace("INTO {c}.t", "INTO IDENTIFIER(:target)")
    with pytest.raises(PySparkException, match=r"Spark 4\.1") as caught:
        spark.sql(parameter, args={"target": f"{catalog}.t"})

    assert caught.value.getCondition() == UNSUPPORTED
    with Peer(lake) as peer:
        assert peer.head() == 2


WIDE = "CREATE TABLE w (a BIGINT, s STRUCT(f DOUBLE), n INTEGER)"
OF_NARROWER = (
    "MERGE WITH SCHEMA EVOLUTION INTO {c}.w AS t USING (SELECT {columns}) AS s ON t.a = s.a "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)


@before(NARROWER_SOURCES)
@since(EVOLVING_MERGE)
@pytest.mark.parametrize("filled", [True, False])
@pytest.mark.parametrize(
    ("columns", "parts"),
    [
        ("1 AS a, 5 AS more", ("INT for the column `a`", "CAST(a AS BIGINT)")),
        ("1L AS a, 'x' AS n", ("STRING for the column `n`", "CAST(n AS INT)")),
        (
            "1L AS a, named_struct('f', CAST(2 AS FLOAT)) AS s",
            ("FLOAT for the column `s.f`", "CAST(s.f AS DOUBLE)"),
        ),
    ],
)
def test_columns_do_not_get_the_types_of_a_source(
    spark: SparkSession,
    lake: Lake,
    catalog: str,
    columns: str,
    parts: tuple[str, ...],
    filled: bool,
) -> None:
    head = made(lake, WIDE, *["INSERT INTO w VALUES (1, {'f': 1}, 1)"] * filled)

    merge = OF_NARROWER.format(c=catalog, columns=columns)
    refused(spark, merge, UNSUPPORTED, "SCHEMA EVOLUTION", "Spark 4.2", *parts)

    with Peer(lake) as peer:
        assert peer.head() == head
        assert [row[1] for row in peer.rows("DESCRIBE w")] == [
            "BIGINT",
            "STRUCT(f DOUBLE)",
            "INTEGER",
        ]


@since(EVOLVING_MERGE)
def test_a_column_gets_the_wider_type_of_a_source(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    made(lake, WIDE, "INSERT INTO w VALUES (1, {'f': 1}, 1)")

    spark.sql(OF_NARROWER.format(c=catalog, columns="1L AS a, 5000000000 AS n"))

    with Peer(lake) as peer:
        assert peer.rows("FROM w") == [(1, {"f": 1.0}, 5000000000)]
        assert peer.rows("DESCRIBE w")[2][1] == "BIGINT"


@since(NARROWER_SOURCES)
def test_values_of_a_narrower_source_are_cast(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    made(lake, WIDE)

    spark.sql(OF_NARROWER.format(c=catalog, columns="1 AS a, 5 AS more"))

    with Peer(lake) as peer:
        assert peer.rows("FROM w") == [(1, None, None, 5)]
        assert peer.rows("DESCRIBE w")[0][1] == "BIGINT"


@before(ONE_STATEMENT)
@since(EVOLVING_MERGE)
def test_a_merge_that_adds_columns_makes_two_snapshots(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    spark.sql(MERGE.format(c=catalog))

    with Peer(lake) as peer:
        assert peer.head() == 4
        assert peer.rows("FROM t") == [(1, 2)]


@before(COLUMN_IDS)
def test_a_column_that_was_dropped_and_added_again(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    made(lake, "ALTER TABLE t ADD COLUMN b INT DEFAULT 5")
    frame = spark.table(f"{catalog}.t")
    made(lake, "ALTER TABLE t DROP COLUMN b", "ALTER TABLE t ADD COLUMN b INT DEFAULT 6")

    # Spark 4.1 loads the table again, by its name.
    assert [tuple(row) for row in frame.collect()] == [(1, 6 if SPARK >= (4, 1) else 5)]


@before(VARIANT_WRITES)
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO {c}.x SELECT 2, parse_json('1')",
        "CREATE TABLE {c}.y AS SELECT parse_json('1') AS v",
        "UPDATE {c}.x SET id = 2",
        "INSERT OVERWRITE {c}.x SELECT * FROM {c}.x",
    ],
)
def test_writes_of_variants(spark: SparkSession, lake: Lake, catalog: str, statement: str) -> None:
    made(lake, "CREATE TABLE x (id INT, v VARIANT)", "INSERT INTO x VALUES (1, 'a'::VARIANT)")

    refused(spark, statement.format(c=catalog), UNSUPPORTED, "VARIANT", "Spark 4.1")
    assert rows(spark, f"SELECT id, to_json(v) FROM {catalog}.x") == [(1, '"a"')]
    spark.sql(f"DELETE FROM {catalog}.x WHERE to_json(v) = '\"a\"'")
    with Peer(lake) as peer:
        assert peer.rows("FROM x") == []


@before(TIME)
def test_times_are_texts(spark: SparkSession, lake: Lake, catalog: str) -> None:
    made(lake, "CREATE TABLE x (t TIME)", "INSERT INTO x VALUES ('12:00:00.5')")

    assert rows(spark, f"SELECT * FROM {catalog}.x") == [("12:00:00.5",)]


@before(TIME)
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE {c}.y (t TIME)",
        "CREATE OR REPLACE TABLE {c}.y (a INT NOT NULL, `t` TIME(3), b STRING)",
        "REPLACE TABLE {c}.t (s STRUCT<t: TIME>)",
        "ALTER TABLE {c}.t ADD COLUMN t TIME",
        "ALTER TABLE {c}.t ADD COLUMNS (b INT, t ARRAY<TIME>)",
    ],
)
def test_a_column_of_times(spark: SparkSession, catalog: str, statement: str) -> None:
    refused(spark, statement.format(c=catalog), UNSUPPORTED, "TIME", "Spark 4.1")


@since(TIME)
def test_times_are_times_where_sparks_flag_says_so(
    spark: SparkSession, lake: Lake, catalog: str
) -> None:
    spark.conf.set("spark.sql.timeType.enabled", "true")
    try:
        spark.sql(f"CREATE TABLE {catalog}.x (t TIME)")
        spark.sql(f"INSERT INTO {catalog}.x VALUES (TIME '12:00:00.5')")
        assert rows(spark, f"SELECT hour(t) FROM {catalog}.x") == [(12,)]
    finally:
        spark.conf.unset("spark.sql.timeType.enabled")

    with Peer(lake) as peer:
        assert peer.rows("SELECT t::VARCHAR FROM x") == [("12:00:00.5",)]


@before(GEOMETRY)
def test_geometries_are_read_as_bytes(spark: SparkSession, lake: Lake, catalog: str) -> None:
    made(lake, "CREATE TABLE x AS SELECT 'POINT (1 2)'::GEOMETRY AS g")

    ((found,),) = rows(spark, f"SELECT g FROM {catalog}.x")
    assert bytes(found).hex() == "0101000000000000000000f03f0000000000000040"


@before(GEOMETRY)
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE {c}.y (g GEOMETRY(4326))",
        "CREATE TABLE IF NOT EXISTS {c}.y (a INT, s STRUCT<g: GEOMETRY(4326)>)",
        "CREATE OR REPLACE TABLE {c}.y (a INT, g GEOMETRY)",
        "REPLACE TABLE {c}.t (g GEOMETRY(4326))",
        "ALTER TABLE {c}.t ADD COLUMN g GEOMETRY(4326)",
        "ALTER TABLE {c}.t ADD COLUMNS (b INT, g GEOMETRY(4326))",
    ],
)
def test_a_column_of_geometries(spark: SparkSession, catalog: str, statement: str) -> None:
    refused(spark, statement.format(c=catalog), UNSUPPORTED, "GEOMETRY", "Spark 4.2")


@before(GEOMETRY)
def test_the_words_elsewhere_are_no_types(spark: SparkSession, catalog: str) -> None:
    spark.sql(f"CREATE TABLE {catalog}.x (time INT, geometry INT COMMENT 'a GEOMETRY')")

    broken = f"CREATE TABLE {catalog}.y (time INT, a INT COMMENT 'a GEOMETRY, or a TIME') NONSENSE"
    refused(spark, broken, "PARSE_SYNTAX_ERROR")


@before(GEOMETRY_WRITES)
def test_writes_of_geometries(spark: SparkSession, lake: Lake, catalog: str) -> None:
    made(lake, "CREATE TABLE x (g GEOMETRY)")

    insert = f"INSERT INTO {catalog}.x VALUES (X'0101000000000000000000f03f0000000000000040')"
    refused(spark, insert, UNSUPPORTED, "GEOMETRY", "Spark 4.1")


@before(ROW_GROUPS)
def test_row_groups_end_by_their_bytes(spark: SparkSession, lake: Lake, catalog: str) -> None:
    writer = spark.range(1000).coalesce(1).selectExpr("CAST(id AS INT) AS a")

    with pytest.raises(PySparkException, match=r"Spark 4\.1") as caught:
        writer.writeTo(f"{catalog}.t").option("parquet_row_group_size", "400").append()
    assert caught.value.getCondition() == "DUCKLAKE_INVALID_SETTING"

    made(lake, "CALL lake.set_option('parquet_row_group_size', 400)")
    writer.writeTo(f"{catalog}.t").append()
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*) FROM t") == [(1001,)]


@before(CAST_DEFAULTS)
def test_defaults_of_another_type(spark: SparkSession, catalog: str) -> None:
    create = f"CREATE TABLE {catalog}.x (a INT, b INT DEFAULT {{}})"

    refused(spark, create.format("5 / 2"), "INVALID_DEFAULT_VALUE.DATA_TYPE", "`b`")
    spark.sql(create.format("CAST(5 / 2 AS INT)"))


@before(CACHE)
def test_a_cached_table_that_changes_is_read_again(spark: SparkSession, catalog: str) -> None:
    spark.sql(f"CACHE TABLE {catalog}.t")

    spark.sql(f"INSERT INTO {catalog}.t VALUES (2)")

    assert rows(spark, f"SELECT a FROM {catalog}.t ORDER BY a") == [(1,), (2,)]


@before(CONSTRAINTS)
def test_constraints_are_no_words_of_spark(spark: SparkSession, catalog: str) -> None:
    create = f"CREATE TABLE {catalog}.x (a INT, CONSTRAINT p CHECK (a > 0))"
    refused(spark, create, "PARSE_SYNTAX_ERROR")
