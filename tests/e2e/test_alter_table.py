"""ALTER TABLE from Spark: old rows, old files and DuckDB keep up."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.catalogdb import execute
from support.lakes import Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]


def columns(spark: SparkSession, table: str) -> list[tuple[str, str]]:
    """Names and types."""
    return [(name, kind) for name, kind in spark.table(table).dtypes]


@pytest.fixture(params=[0, 10], ids=["files", "inlined"])
def limit(request: pytest.FixtureRequest) -> str:
    """Rows in files, and rows kept in the catalog."""
    return f"DATA_INLINING_ROW_LIMIT {request.param}"


def test_columns_come_go_and_change_under_rows(
    spark: SparkSession, lake: Lake, register: Register, limit: str
) -> None:
    catalog = register(lake)
    with Peer(lake, limit) as peer:
        peer.run("CREATE TABLE t (k INT, s STRUCT(a INT, b VARCHAR), l STRUCT(x INT)[])")
        peer.run("INSERT INTO t VALUES (1, {'a': 2, 'b': 'x'}, [{'x': 3}])")

    for change in (
        "ADD COLUMN n BIGINT DEFAULT 7 COMMENT 'seven' FIRST",
        "ADD COLUMNS (day DATE DEFAULT DATE '2020-01-02', flag BOOLEAN NOT NULL DEFAULT true)",
        "ADD COLUMN s.c STRING AFTER a",
        "ADD COLUMN l.element.y DOUBLE DEFAULT 0.5",
        "RENAME COLUMN s.b TO bb",
        "ALTER COLUMN k TYPE BIGINT",
        "ALTER COLUMN s.a TYPE BIGINT",
        "RENAME COLUMN k TO key",
        "ALTER COLUMN key AFTER day",
    ):
        spark.sql(f"ALTER TABLE {catalog}.t {change}")

    assert columns(spark, f"{catalog}.t") == [
        ("n", "bigint"),
        ("s", "struct<a:bigint,c:string,bb:string>"),
        ("l", "array<struct<x:int,y:double>>"),
        ("day", "date"),
        ("key", "bigint"),
        ("flag", "boolean"),
    ]
    read = rows(spark, f"SELECT n, s.a, s.c, s.bb, l[0].x, l[0].y, day, key, flag FROM {catalog}.t")
    assert [str(cell) for cell in read[0]] == [
        "7", "2", "None", "x", "3", "0.5", "2020-01-02", "1", "True",
    ]  # fmt: skip
    with Peer(lake, limit) as peer:
        assert [row[0] for row in peer.rows("DESCRIBE t")] == ["n", "s", "l", "day", "key", "flag"]
        seen = peer.rows("SELECT n, s.a, s.c, s.bb, l[1].x, day, key, flag FROM t")
        assert [str(cell) for cell in seen[0]] == [
            "7", "2", "None", "x", "3", "2020-01-02", "1", "True",
        ]  # fmt: skip
        peer.run("INSERT INTO t (key, flag) VALUES (5000000000, false)")
        peer.run("ALTER TABLE t ADD COLUMN later INT")
    spark.sql(f"ALTER TABLE {catalog}.t DROP COLUMNS (s.c, n, later)")
    assert rows(spark, f"SELECT key, s.bb, flag FROM {catalog}.t ORDER BY key") == [
        (1, "x", True),
        (5000000000, None, False),
    ]


def test_several_changes_are_one_snapshot_and_none_is_none(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (a INT)")

    spark.sql(f"ALTER TABLE {catalog}.t ADD COLUMNS (b INT, c INT, d STRUCT<x: INT>)")
    spark.sql(f"ALTER TABLE {catalog}.t DROP COLUMN IF EXISTS nope")
    spark.sql(f"ALTER TABLE {catalog}.t SET TBLPROPERTIES ('target_file_size' = '1MB')")

    with Peer(lake) as peer:
        assert peer.head() == 2
        peer.run("INSERT INTO t VALUES (1, 2, 3, {'x': 4})")
    spark.sql(f"ALTER TABLE {catalog}.t REPLACE COLUMNS (b STRING, z INT)")
    assert rows(spark, f"SELECT b, z FROM {catalog}.t") == [(None, None)]
    with Peer(lake) as peer:
        assert peer.head() == 4


def test_properties_of_one_statement_are_set_all_or_none(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """Tags make a snapshot and options do not."""
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INT)")
    catalog = register(lake)
    execute(
        lake,
        "CREATE TRIGGER full BEFORE INSERT ON ducklake_metadata WHEN new.key = 'target_file_size'"
        " BEGIN SELECT RAISE(ABORT, 'full'); END",
    )
    options = "'sort_on_insert' = 'false', 'target_file_size' = '1MB'"

    for properties in (options, f"'own' = 'x', {options}"):
        with pytest.raises(PySparkException, match="full"):
            spark.sql(f"ALTER TABLE {catalog}.t SET TBLPROPERTIES ({properties})")
        assert rows(spark, f"SHOW TBLPROPERTIES {catalog}.t") == []

    execute(lake, "DROP TRIGGER full")
    spark.sql(f"ALTER TABLE {catalog}.t SET TBLPROPERTIES ('own' = 'x', {options})")
    shown = {row[0]: row[1] for row in rows(spark, f"SHOW TBLPROPERTIES {catalog}.t")}
    assert shown == {"own": "x", "sort_on_insert": "false", "target_file_size": "1000000"}
    with Peer(lake) as peer:
        assert peer.head() == 2


def test_defaults_change_for_later_rows_only(
    spark: SparkSession, lake: Lake, register: Register, limit: str
) -> None:
    catalog = register(lake)
    with Peer(lake, limit) as peer:
        peer.run("CREATE TABLE t (id INT)", "INSERT INTO t VALUES (1)")

    spark.sql(f"ALTER TABLE {catalog}.t ADD COLUMN d INT DEFAULT 5")
    with Peer(lake, limit) as peer:
        peer.run("INSERT INTO t (id) VALUES (2)")
    spark.sql(f"ALTER TABLE {catalog}.t ALTER COLUMN d SET DEFAULT 2 * 3")
    with Peer(lake, limit) as peer:
        peer.run("INSERT INTO t (id) VALUES (3)")
    spark.sql(f"ALTER TABLE {catalog}.t ALTER COLUMN d DROP DEFAULT")
    with Peer(lake, limit) as peer:
        peer.run("INSERT INTO t (id) VALUES (4)")
        seen = peer.rows("SELECT id, d FROM t ORDER BY id")

    assert seen == [(1, 5), (2, 5), (3, 6), (4, None)]
    assert rows(spark, f"SELECT id, d FROM {catalog}.t ORDER BY id") == seen


def test_old_and_new_rows_get_an_added_default(
    spark: SparkSession, lake: Lake, register: Register, limit: str
) -> None:
    catalog = register(lake)
    with Peer(lake, limit) as peer:
        peer.run("CREATE TABLE t (id INT)", "INSERT INTO t VALUES (1)")

    spark.sql(
        f"ALTER TABLE {catalog}.t ADD COLUMNS (w STRING DEFAULT 'NULL', y BINARY DEFAULT X'00FF', "
        "ts TIMESTAMP DEFAULT TIMESTAMP '2020-01-02 03:04:05', d DECIMAL(10,2) DEFAULT 1.5, "
        "n DOUBLE DEFAULT double('NaN'), u STRING DEFAULT upper('null'))"
    )
    spark.sql(f"INSERT INTO {catalog}.t (id) VALUES (2)")

    texts = "w, hex(y), CAST(ts AS {text}), CAST(d AS {text}), isnan(n), u"
    with Peer(lake, limit) as peer:
        peer.run("INSERT INTO t (id) VALUES (3)")
        seen = peer.rows(f"SELECT {texts.format(text='VARCHAR')} FROM t")
    expected = ("NULL", "00FF", "2020-01-02 03:04:05+00", "1.50", True, "NULL")
    assert seen == [expected] * 3
    read = rows(spark, f"SELECT {texts.format(text='STRING')} FROM {catalog}.t")
    assert read == [(*expected[:2], "2020-01-02 03:04:05", *expected[3:])] * 3


def test_a_default_of_the_moment_stays_one(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (id INT, d INT)")

    spark.sql(f"ALTER TABLE {catalog}.t ADD COLUMN made TIMESTAMP DEFAULT current_timestamp()")

    assert "DEFAULT current_timestamp()" in value(spark, f"SHOW CREATE TABLE {catalog}.t")
    with Peer(lake) as peer:
        peer.run("INSERT INTO t (id) VALUES (1)")
        assert peer.value("SELECT now() - made < INTERVAL 1 MINUTE FROM t") is True


def test_comments_and_properties_come_and_go(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (a INT)")
    comments = (
        "SELECT t.comment, c.comment FROM duckdb_tables() t JOIN duckdb_columns() c "
        "USING (database_name, table_name) WHERE table_name = 't' AND database_name = 'lake'"
    )

    spark.sql(f"COMMENT ON TABLE {catalog}.t IS 'all'")
    spark.sql(f"ALTER TABLE {catalog}.t ALTER COLUMN a COMMENT 'one'")
    spark.sql(
        f"ALTER TABLE {catalog}.t SET TBLPROPERTIES ('own' = 'x', 'sort_on_insert' = 'false')"
    )

    with Peer(lake) as peer:
        assert peer.rows(comments) == [("all", "one")]
        assert peer.rows("SELECT * FROM ducklake_options('lake') WHERE scope = 'TABLE'")
    shown = {row[0]: row[1] for row in rows(spark, f"SHOW TBLPROPERTIES {catalog}.t")}
    assert shown == {"own": "x", "sort_on_insert": "false"}
    spark.sql(f"COMMENT ON TABLE {catalog}.t IS NULL")
    spark.sql(f"ALTER TABLE {catalog}.t UNSET TBLPROPERTIES ('own', 'sort_on_insert')")
    assert rows(spark, f"SHOW TBLPROPERTIES {catalog}.t") == []
    with Peer(lake) as peer:
        assert peer.rows(comments) == [(None, "one")]


def test_duckdb_adds_a_column_behind_one_that_was_moved(
    spark: SparkSession, lake: Lake, register: Register, limit: str
) -> None:
    """It gives the column its id for an order, and takes it for the last one."""
    with Peer(lake, limit) as peer:
        peer.run("CREATE TABLE t (a INT, b INT, c INT)", "INSERT INTO t VALUES (1, 2, 3)")
    catalog = register(lake)

    spark.sql(f"ALTER TABLE {catalog}.t ALTER COLUMN c FIRST")
    spark.sql(f"ALTER TABLE {catalog}.t ALTER COLUMN b FIRST")

    with Peer(lake, limit) as peer:
        peer.run("ALTER TABLE t ADD COLUMN d INT", "INSERT INTO t VALUES (20, 30, 10, 40)")
        assert peer.rows("SELECT a, b, c, d FROM t ORDER BY a") == [
            (1, 2, 3, None),
            (10, 20, 30, 40),
        ]
    assert columns(spark, f"{catalog}.t") == [(name, "int") for name in ("b", "c", "a", "d")]


@pytest.mark.parametrize("kind", ["sqlite"])
def test_keys_of_maps_keep_their_fields(
    spark: SparkSession, lake: Lake, register: Register, limit: str
) -> None:
    catalog = register(lake)
    kind = "MAP(STRUCT(x INT, y INT), STRUCT(a INT, b INT))"
    points = "{'x': 1, 'y': 1}: {'a': 1, 'b': 1}, {'x': 1, 'y': 2}: {'a': 2, 'b': 2}"
    with Peer(lake, limit) as peer:
        peer.run(f"CREATE TABLE t (m {kind})", f"INSERT INTO t VALUES (MAP {{{points}}})")
        peer.run(f"CREATE TABLE empty (m {kind})")

    drop = f"ALTER TABLE {catalog}.t DROP COLUMN m.key.y"
    refused(spark, drop, "DUCKLAKE_INVALID_CHANGE", "`m.key.y`", "map's keys")
    spark.sql(f"ALTER TABLE {catalog}.t DROP COLUMN m.value.b")
    spark.sql(f"ALTER TABLE {catalog}.empty DROP COLUMN m.key.y")

    with Peer(lake) as peer:
        read = peer.value("SELECT m::VARCHAR FROM t")
        assert read == "{{'x': 1, 'y': 1}={'a': 1}, {'x': 1, 'y': 2}={'a': 2}}"
        peer.run("INSERT INTO empty (m) VALUES (NULL)")
        assert "MAP(STRUCT(x INTEGER)" in peer.value("SELECT typeof(m) FROM empty")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"], indirect=True)
def test_a_duckdb_that_stays_attached_reads_by_the_new_type(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (a INT, b DECIMAL(4, 2))")
        peer.run("INSERT INTO t VALUES (1, 1.5), (2, 2.5)")
        found = "SELECT a, b FROM t WHERE a > 1 AND b < 99"
        assert [row[0] for row in peer.rows(found)] == [2]

        spark.sql(f"ALTER TABLE {catalog}.t ALTER COLUMN a TYPE BIGINT")
        spark.sql(f"ALTER TABLE {catalog}.t ALTER COLUMN b TYPE DECIMAL(12, 2)")

        assert [row[0] for row in peer.rows(found)] == [2]
        peer.run("INSERT INTO t VALUES (5000000000, 98.5)")
        assert [row[0] for row in peer.rows(found + " ORDER BY a")] == [2, 5000000000]


def test_a_rename_keeps_what_duckdb_sorts_by(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """Its expressions call functions and name types that are spelt like columns."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (year TIMESTAMP, date DATE, a INT)",
            "ALTER TABLE t SET SORTED BY (year(year), CAST(year AS DATE), a)",
        )
    catalog = register(lake)

    spark.sql(f"ALTER TABLE {catalog}.t RENAME COLUMN year TO `at`")
    spark.sql(f"ALTER TABLE {catalog}.t RENAME COLUMN date TO day")

    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("INSERT INTO t VALUES (TIMESTAMP '2021-01-01', NULL, 1), ('2020-01-01', NULL, 2)")
        files = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
        assert peer.rows(f"SELECT a FROM read_parquet('{files[0][0]}')") == [(2,), (1,)]
        expressions = peer.rows(
            "SELECT expression FROM __ducklake_metadata_lake.ducklake_sort_expression e"
            " JOIN __ducklake_metadata_lake.ducklake_sort_info i USING (sort_id)"
            " WHERE i.end_snapshot IS NULL ORDER BY sort_key_index"
        )
        assert expressions == [('"year"("at")',), ('CAST("at" AS "DATE")',), ("a",)]


def test_a_rename_leaves_fields_and_methods_in_sort_expressions(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (s STRUCT(a INT, c INT), a INT, n VARCHAR)",
            "ALTER TABLE t SET SORTED BY ((s).a, n.upper())",
        )
    catalog = register(lake)

    spark.sql(f"ALTER TABLE {catalog}.t RENAME COLUMN a TO b")
    spark.sql(f"ALTER TABLE {catalog}.t RENAME COLUMN n TO m")
    spark.sql(f"ALTER TABLE {catalog}.t DROP COLUMN b")
    field = f"ALTER TABLE {catalog}.t RENAME COLUMN s.a TO b"
    refused(spark, field, "DUCKLAKE_INVALID_CHANGE", "the table is sorted by it")

    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("INSERT INTO t VALUES ({'a': 2, 'c': 1}, 'x'), ({'a': 1, 'c': 2}, 'x')")
        files = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
        assert peer.rows(f"SELECT s.a FROM read_parquet('{files[0][0]}')") == [(1,), (2,)]


def test_cluster_by_is_the_sort_order(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (a INT, `order` INT) CLUSTER BY (`order`)")

    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("INSERT INTO t VALUES (1, 9), (2, 8)")
        files = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
        assert peer.rows(f"SELECT a FROM read_parquet('{files[0][0]}')") == [(2,), (1,)]
    spark.sql(f"ALTER TABLE {catalog}.t CLUSTER BY (a)")
    spark.sql(f"ALTER TABLE {catalog}.t RENAME COLUMN a TO `new name`")
    shown = {row[0]: row[1] for row in rows(spark, f"SHOW TBLPROPERTIES {catalog}.t")}
    assert shown == {"ducklake.sorted-by": '"new name" ASC NULLS LAST'}
    spark.sql(f"ALTER TABLE {catalog}.t CLUSTER BY NONE")
    assert rows(spark, f"SHOW TBLPROPERTIES {catalog}.t") == []


def test_a_table_is_renamed_with_its_rows(
    spark: SparkSession, lake: Lake, register: Register, limit: str
) -> None:
    catalog = register(lake)
    with Peer(lake, limit) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a", "CREATE SCHEMA s", "CREATE TABLE other (a INT)")

    spark.sql(f"ALTER TABLE {catalog}.t RENAME TO u")
    spark.sql(f"ALTER TABLE {catalog}.main.u RENAME TO {catalog}.main.U2")
    spark.sql(f"ALTER TABLE {catalog}.u2 RENAME TO main.`T 3`")

    refused(
        spark,
        f"ALTER TABLE {catalog}.`T 3` RENAME TO OTHER",
        "TABLE_OR_VIEW_ALREADY_EXISTS",
        "OTHER",
    )
    refused(spark, f"ALTER TABLE {catalog}.`T 3` RENAME TO s.x", "DUCKLAKE_UNSUPPORTED", "s")
    spark.sql(f"CREATE TABLE {catalog}.s.t (a INT)")
    spark.sql(f"ALTER TABLE {catalog}.s.t RENAME TO u")
    move = f"ALTER TABLE {catalog}.s.u RENAME TO {catalog}.t"
    refused(spark, move, "DUCKLAKE_UNSUPPORTED", "from schema `s` to `main`")
    with Peer(lake, limit) as peer:
        assert peer.rows('SELECT a FROM "T 3"') == [(1,)]
        peer.run('INSERT INTO "T 3" VALUES (2)', 'ALTER TABLE "T 3" RENAME TO t')
    assert rows(spark, f"SELECT a FROM {catalog}.t ORDER BY a") == [(1,), (2,)]


@pytest.mark.parametrize(
    ("change", "condition", "part"),
    [
        ("ADD COLUMN A INT", "FIELD_ALREADY_EXISTS", "A"),
        ("ADD COLUMN end_snapshot INT", "DUCKLAKE_INVALID_NAME", "end_snapshot"),
        ("ADD COLUMN n INT NOT NULL", "DUCKLAKE_INVALID_CHANGE", "NOT NULL"),
        ("ADD COLUMN n VOID", "DUCKLAKE_UNSTORABLE_TYPE", "VOID"),
        ("RENAME COLUMN a TO row_id", "DUCKLAKE_INVALID_NAME", "row_id"),
        ("RENAME COLUMN a TO P", "FIELD_ALREADY_EXISTS", "P"),
        ("DROP COLUMN p", "DUCKLAKE_INVALID_CHANGE", "partitioned"),
        ("DROP COLUMN o", "DUCKLAKE_INVALID_CHANGE", "sorted"),
        ("DROP COLUMN s.x", "DUCKLAKE_INVALID_CHANGE", "struct"),
        ("DROP COLUMN nope", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "nope"),
        ("ALTER COLUMN a TYPE SMALLINT", "NOT_SUPPORTED_CHANGE_COLUMN", "SMALLINT"),
        ("ALTER COLUMN a TYPE STRING", "DUCKLAKE_INVALID_CHANGE", "varchar"),
        ("ALTER COLUMN p TYPE DOUBLE", "DUCKLAKE_INVALID_CHANGE", "hash"),
        ("SET TBLPROPERTIES ('target_file_size' = 'x')", "DUCKLAKE_INVALID_OPTION", "128MB"),
        ("SET TBLPROPERTIES ('ducklake.type.a' = 'uuid')", "DUCKLAKE_INVALID_OPTION", "created"),
        ("SET LOCATION '/tmp/x'", "DUCKLAKE_UNSUPPORTED", "LOCATION"),
        ("CLUSTER BY (s.x)", "DUCKLAKE_UNSUPPORTED", "s.x"),
        ("ADD CONSTRAINT c CHECK (a > 0)", "DUCKLAKE_UNSUPPORTED", "constraint"),
    ],
)
def test_what_would_lose_something_is_refused_and_nothing_changes(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    change: str,
    condition: str,
    part: str,
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (a INT, p INT, o INT, s STRUCT(x INT))",
            "ALTER TABLE t SET PARTITIONED BY (bucket(4, p))",
            "ALTER TABLE t SET SORTED BY (o)",
            "INSERT INTO t VALUES (1, 2, 3, {'x': 4})",
        )
        before = peer.head()
    catalog = register(lake)

    refused(spark, f"ALTER TABLE {catalog}.t {change}", condition, part)

    with Peer(lake) as peer:
        assert peer.head() == before
        assert peer.rows("SELECT a, p, o, s.x FROM t") == [(1, 2, 3, 4)]
