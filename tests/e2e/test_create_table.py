"""CREATE TABLE and DROP TABLE from Spark; DuckDB sees the same table and goes on with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import column, refused, rows, value
from support.lakes import CatalogKind, Lake, LakeFactory
from support.lines import CONSTRAINTS, GEOMETRY, LIKE, MADE_VIEWS, has, since
from support.peer import Peer

Register = Callable[..., str]

TYPES = {
    "b": ("BOOLEAN", "BOOLEAN"),
    "i8": ("TINYINT", "TINYINT"),
    "i16": ("SMALLINT", "SMALLINT"),
    "i32": ("INT", "INTEGER"),
    "i64": ("BIGINT", "BIGINT"),
    "f32": ("FLOAT", "FLOAT"),
    "f64": ("DOUBLE", "DOUBLE"),
    "d": ("DECIMAL(12,3)", "DECIMAL(12,3)"),
    "s": ("STRING", "VARCHAR"),
    "c": ("CHAR(3)", "VARCHAR"),
    "v": ("VARCHAR(5)", "VARCHAR"),
    "y": ("BINARY", "BLOB"),
    "dt": ("DATE", "DATE"),
    "ts": ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE"),
    "tn": ("TIMESTAMP_NTZ", "TIMESTAMP"),
    "va": ("VARIANT", "VARIANT"),
    "ym": ("INTERVAL YEAR TO MONTH", "INTERVAL"),
    "l": ("ARRAY<ARRAY<INT>>", "INTEGER[][]"),
    "st": ("STRUCT<a: INT, B: STRUCT<c: STRING>>", "STRUCT(a INTEGER, B STRUCT(c VARCHAR))"),
    "m": ("MAP<STRING, STRUCT<x: INT>>", "MAP(VARCHAR, STRUCT(x INTEGER))"),
}


def test_every_type_is_the_same_type_in_duckdb(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    declared = ", ".join(f"{name} {spoken}" for name, (spoken, _) in TYPES.items())

    spark.sql(f"CREATE TABLE {catalog}.t ({declared})")

    with Peer(lake) as peer:
        described = {row[0]: row[1] for row in peer.rows("DESCRIBE t")}
        peer.run(
            "INSERT INTO t (i32, l, st, m) VALUES (1, [[2]], {'a': 3, 'B': {'c': 'x'}}, "
            "MAP {'k': {'x': 4}})"
        )
    expected = {name: answer for name, (_, answer) in TYPES.items()}
    assert described == expected
    read = rows(spark, f"SELECT i32, l[0][0], st.B.c, m['k'].x FROM {catalog}.t")
    assert read == [(1, 2, "x", 4)]


@since(GEOMETRY)
def test_a_geometry_is_one_in_duckdb(spark: SparkSession, lake: Lake, register: Register) -> None:
    spark.sql(f"CREATE TABLE {register(lake)}.t (g GEOMETRY(0))")

    with Peer(lake) as peer:
        assert [row[:2] for row in peer.rows("DESCRIBE t")] == [("g", "GEOMETRY")]


def test_keys_order_comments_and_properties(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)

    spark.sql(
        f"CREATE TABLE {catalog}.t (id BIGINT COMMENT 'which', ts TIMESTAMP_NTZ, `key` STRING) "
        "PARTITIONED BY (`key`, days(ts), year(ts), bucket(4, id)) COMMENT 'all' "
        "TBLPROPERTIES ('target_file_size' = '10MB', 'own' = 'x', "
        "'ducklake.sorted-by' = 'id DESC NULLS FIRST, `key`')"
    )

    shown = {row[0]: row[1] for row in rows(spark, f"SHOW TBLPROPERTIES {catalog}.t")}
    assert shown["own"] == "x" and shown["target_file_size"] == "10000000"
    assert shown["ducklake.sorted-by"] == 'id DESC NULLS FIRST, "key" ASC NULLS LAST'
    created = value(spark, f"SHOW CREATE TABLE {catalog}.t")
    assert "PARTITIONED BY (key, year(ts), month(ts), day(ts), bucket(4, id))" in created
    with Peer(lake) as peer:
        assert peer.value("SELECT comment FROM duckdb_tables() WHERE table_name = 't'") == "all"
        comments = "SELECT comment FROM duckdb_columns() WHERE column_name = 'id'"
        assert peer.value(comments) == "which"
        peer.run("CALL ducklake_flush_inlined_data('lake')")
        peer.run("INSERT INTO t SELECT range, TIMESTAMP '2024-03-05', 'k' FROM range(100)")
        files = [
            row[0] for row in peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
        ]
    assert files and all("/t/key=k/year=2024/month=3/day=5/bucket" in file for file in files)
    assert value(spark, f"SELECT count(*) FROM {catalog}.t WHERE id = 7") == 1


def test_what_show_create_prints_makes_the_same_table(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(
        f"CREATE TABLE {catalog}.t (a STRING DEFAULT 'x', b SMALLINT, c TIMESTAMP_NTZ) "
        "PARTITIONED BY (year(c)) TBLPROPERTIES ('ducklake.type.a' = 'json', "
        "'ducklake.type.b' = 'uint8', 'ducklake.sorted-by' = 'b DESC', 'parquet_version' = '2')"
    )
    text = value(spark, f"SHOW CREATE TABLE {catalog}.main.t")

    spark.sql(text.replace(f"{catalog}.main.t", f"{catalog}.main.again"))

    again = value(spark, f"SHOW CREATE TABLE {catalog}.main.again")
    assert again == text.replace(f"{catalog}.main.t", f"{catalog}.main.again")
    with Peer(lake) as peer:
        assert peer.rows("DESCRIBE again") == peer.rows("DESCRIBE t")


@since(LIKE)
def test_a_table_like_another_has_its_columns_and_keys(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (gone INT, a UINTEGER DEFAULT 3, u UUID, s STRUCT(x INT, y INT))",
            "ALTER TABLE t DROP COLUMN gone",
            "ALTER TABLE t SET PARTITIONED BY (a)",
            "ALTER TABLE t SET SORTED BY (u DESC)",
        )

    spark.sql(f"CREATE TABLE {catalog}.l LIKE {catalog}.t")

    with Peer(lake) as peer:
        assert peer.rows("DESCRIBE l") == peer.rows("DESCRIBE t")
        peer.run("INSERT INTO l (u) SELECT uuid() FROM range(20)")
        files = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 'l')")
        assert files and all("a=3" in row[0] for row in files)
    assert value(spark, f"SELECT count(*) FROM {catalog}.l WHERE a = 3") == 20
    shown = {row[0]: row[1] for row in rows(spark, f"SHOW TBLPROPERTIES {catalog}.l")}
    assert shown["ducklake.sorted-by"] == "u DESC NULLS LAST"


@since(LIKE)
def test_like_obeys_its_properties_or_refuses_them(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(
        f"CREATE TABLE {catalog}.t (a STRING, b INT) TBLPROPERTIES ('ducklake.sorted-by' = 'a')"
    )
    like = f"CREATE TABLE {catalog}.l LIKE {catalog}.t"

    refused(spark, f"{like} LOCATION '/somewhere'", "DUCKLAKE_UNSUPPORTED", "LOCATION")
    typed = f"{like} TBLPROPERTIES ('ducklake.type.a' = 'uuid')"
    refused(spark, typed, "DUCKLAKE_UNSUPPORTED", "`ducklake.type.a` with LIKE")
    unknown = f"{like} TBLPROPERTIES ('ducklake.sorted-by' = 'c')"
    refused(spark, unknown, "DUCKLAKE_INVALID_CHANGE", "there is no such column")
    spark.sql(f"{like} USING ducklake TBLPROPERTIES ('ducklake.sorted-by' = 'b DESC')")

    shown = {row[0]: row[1] for row in rows(spark, f"SHOW TBLPROPERTIES {catalog}.l")}
    assert shown == {"ducklake.sorted-by": "b DESC NULLS LAST"}


def test_a_name_that_is_no_plain_word_gets_a_folder_of_its_own(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)

    spark.sql(f"CREATE TABLE {catalog}.`a/b c` (i INT)")

    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run('INSERT INTO "a/b c" VALUES (1)')
    assert rows(spark, f"SELECT i FROM {catalog}.`a/b c`") == [(1,)]
    (file,) = lake.data_path.rglob("*.parquet")
    assert len(file.parent.name) == 36 and file.parent.parent == lake.data_path / "main"


def test_names_may_be_long_and_odd(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = register(lake)
    names = ["n" * 70 + "1", "n" * 70 + "2", "a.b", 'quo"te', "tick`", "é ü", "semi;colon", "%"]
    declared = ", ".join(f"`{name.replace('`', '``')}` INT" for name in names)

    spark.sql(f"CREATE TABLE {catalog}.`{'t' * 80}` ({declared}) CLUSTER BY (`a.b`, `tick```)")
    spark.sql(f"INSERT INTO {catalog}.`{'t' * 80}` VALUES (1, 2, 3, 4, 5, 6, 7, 8)")

    with Peer(lake) as peer:
        assert [row[0] for row in peer.rows(f"DESCRIBE {'t' * 80}")] == names
        peer.run(f"INSERT INTO {'t' * 80} VALUES (8, 7, 6, 5, 4, 3, 2, 1)")
    spark.sql(f"ALTER TABLE {catalog}.`{'t' * 80}` ADD COLUMN `{'n' * 70}3` INT DEFAULT 9")
    assert rows(spark, f"SELECT * FROM {catalog}.`{'t' * 80}` ORDER BY `%`") == [
        (8, 7, 6, 5, 4, 3, 2, 1, 9),
        (1, 2, 3, 4, 5, 6, 7, 8, 9),
    ]


@pytest.mark.parametrize(
    ("statement", "condition", "part"),
    [
        ("CREATE TABLE {c}.T (a INT)", "TABLE_OR_VIEW_ALREADY_EXISTS", "T"),
        ("CREATE TABLE {c}.V (a INT)", "TABLE_OR_VIEW_ALREADY_EXISTS", "V"),
        ("CREATE TABLE {c}.nope.x (a INT)", "SCHEMA_NOT_FOUND", "nope"),
        ("CREATE TABLE {c}.x (a INT, A INT)", "COLUMN_ALREADY_EXISTS", "a"),
        ("CREATE TABLE {c}.x (Row_Id INT)", "DUCKLAKE_INVALID_NAME", "Row_Id"),
        ("CREATE TABLE {c}.x (_ducklake_internal_row_id INT)", "DUCKLAKE_INVALID_NAME", "inlined"),
        ("CREATE TABLE {c}.x", "DUCKLAKE_INVALID_CHANGE", "column"),
        ("CREATE TABLE {c}.x (a STRUCT<>)", "DUCKLAKE_UNSTORABLE_TYPE", "field"),
        ("CREATE TABLE {c}.x (a ARRAY<STRING COLLATE UNICODE>)", "DUCKLAKE_UNSTORABLE_TYPE", "a."),
        ("CREATE TABLE {c}.x (a INT) USING csv", "DUCKLAKE_UNSUPPORTED", "csv"),
        ("CREATE TABLE {c}.x (a INT) LOCATION '/tmp/x'", "DUCKLAKE_UNSUPPORTED", "LOCATION"),
        (
            "CREATE TABLE {c}.x (a INT) CLUSTER BY (a) "
            "TBLPROPERTIES ('ducklake.sorted-by' = 'a DESC')",
            "DUCKLAKE_UNSUPPORTED",
            "CLUSTER BY with another sort order",
        ),
        ("CREATE TABLE {c}.x (a INT) PARTITIONED BY (truncate(3, a))", "DUCKLAKE_UNSUPPORTED", "3"),
        ("CREATE TABLE {c}.x (a INT) PARTITIONED BY (year(a))", "DUCKLAKE_INVALID_CHANGE", "year"),
        pytest.param(
            "CREATE TABLE {c}.x (a INT CHECK (a > 0))",
            "DUCKLAKE_UNSUPPORTED",
            "constraint",
            marks=since(CONSTRAINTS),
        ),
        ("CREATE TABLE {c}.x (a ARRAY<INT> DEFAULT array(1))", "DUCKLAKE_INVALID_CHANGE", "array"),
        (
            "CREATE TABLE {c}.x (a SMALLINT DEFAULT -5) "
            "TBLPROPERTIES ('ducklake.type.a' = 'uint8')",
            "DUCKLAKE_INVALID_CHANGE",
            "uint8",
        ),
        (
            "CREATE TABLE {c}.x (a STRING DEFAULT 'x') TBLPROPERTIES ('ducklake.type.a' = 'uuid')",
            "DUCKLAKE_INVALID_CHANGE",
            "'x'",
        ),
        ("CREATE TABLE {c}.x (a STRING DEFAULT current_user())", "DUCKLAKE_INVALID_CHANGE", "user"),
        (
            "CREATE TABLE {c}.x (a INT) TBLPROPERTIES ('parquet_version' = '7')",
            "DUCKLAKE_INVALID_OPTION",
            "parquet_version",
        ),
        (
            "CREATE TABLE {c}.x (a INT) TBLPROPERTIES ('expire_older_than' = '1 day')",
            "DUCKLAKE_INVALID_OPTION",
            "whole lake",
        ),
        (
            "CREATE TABLE {c}.x (a STRING) TBLPROPERTIES ('ducklake.type.a' = 'int32')",
            "DUCKLAKE_UNSTORABLE_TYPE",
            "STRING",
        ),
        (
            "CREATE TABLE {c}.x (a STRING) TBLPROPERTIES ('ducklake.type.b' = 'uuid')",
            "DUCKLAKE_INVALID_OPTION",
            "no such column",
        ),
    ],
)
def test_what_cannot_be_a_table_is_refused_and_nothing_changes(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    statement: str,
    condition: str,
    part: str,
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT 1 AS a")
        before = peer.head()
    catalog = register(lake)

    refused(spark, statement.format(c=catalog), condition, part)

    with Peer(lake) as peer:
        assert peer.head() == before
        assert {row[0] for row in peer.rows("SHOW TABLES")} == {"t", "v"}


def test_if_not_exists_leaves_what_is_there(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    spark.sql(f"CREATE TABLE {catalog}.t (a INT)")

    spark.sql(f"CREATE TABLE IF NOT EXISTS {catalog}.T (b STRING)")

    assert column(spark, f"SHOW COLUMNS IN {catalog}.main.t") == ["a"]
    with Peer(lake) as peer:
        assert peer.head() == 1


def test_dropped_tables_are_gone_and_stay_in_the_past(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a", "CREATE TABLE u AS SELECT 2 AS a")
        past = peer.head()

    spark.sql(f"DROP TABLE {catalog}.T")
    spark.sql(f"DROP TABLE {catalog}.u PURGE")
    spark.sql(f"DROP TABLE IF EXISTS {catalog}.nope")

    refused(spark, f"DROP TABLE {catalog}.t", "TABLE_OR_VIEW_NOT_FOUND", "t")
    assert rows(spark, f"SELECT a FROM {catalog}.t VERSION AS OF {past}") == [(1,)]
    with Peer(lake) as peer:
        assert peer.rows("SHOW TABLES") == []
        assert peer.head() == past + 2
        peer.run("CREATE TABLE t (b VARCHAR)", "INSERT INTO t VALUES ('x')")
    assert rows(spark, f"SELECT * FROM {catalog}.t") == [("x",)]


NO_VIEW = "SCHEMA_NOT_FOUND" if has(MADE_VIEWS) else "DUCKLAKE_UNSUPPORTED"
FAILING = (
    ("CREATE TABLE {c}.nosuch.t (a INT)", "SCHEMA_NOT_FOUND"),
    ("CREATE TABLE {c}.t (a INT) LOCATION '/x'", "DUCKLAKE_UNSUPPORTED"),
    ("CREATE TABLE {c}.t (a INT) TBLPROPERTIES ('target_file_size' = 'x')", None),
    ("CREATE TABLE {c}.t (a INT) PARTITIONED BY (truncate(3, a))", None),
    ("CREATE TABLE {c}.t AS SELECT CAST(id || 'x' AS INT) AS a FROM range(3)", None),
    ("CREATE OR REPLACE TABLE {c}.t AS SELECT assert_true(id < 1) AS a FROM range(3)", None),
    ("CREATE VIEW {c}.nosuch.v AS SELECT 1 AS a", NO_VIEW),
    ("CREATE SCHEMA {c}.s LOCATION '/x'", "DUCKLAKE_UNSUPPORTED"),
    ("CREATE SCHEMA {c}.main", "SCHEMA_ALREADY_EXISTS"),
    ("CREATE SCHEMA {c}.nosuch.s", None),
    ("COMMENT ON SCHEMA {c}.main IS 'x'", None),
    ("INSERT INTO {c}.t VALUES (1)", "TABLE_OR_VIEW_NOT_FOUND"),
    ("ALTER TABLE {c}.t ADD COLUMN b INT", "TABLE_OR_VIEW_NOT_FOUND"),
    ("CALL {c}.system.add_data_files('t', '/in')", "TABLE_OR_VIEW_NOT_FOUND"),
    ("CALL {c}.system.undo_commit(3)", "DUCKLAKE_NO_SUCH_SNAPSHOT"),
    ("CALL {c}.system.rollback_to_snapshot('t', 0)", "DUCKLAKE_NO_SUCH_SNAPSHOT"),
    ("CALL {c}.system.set_option('foo', 'x')", "DUCKLAKE_INVALID_OPTION"),
    ("CALL {c}.system.set_option('sort_on_insert', 'true', 'nosuch')", "SCHEMA_NOT_FOUND"),
    ("CALL {c}.system.set_partitioned_by('t', array('a'))", "TABLE_OR_VIEW_NOT_FOUND"),
)
"""Statements that fail where there is no lake, and why, where this matters."""


def test_a_statement_that_fails_makes_no_lake(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind
) -> None:
    lake = lakes.new(kind)
    catalog = register(lake, {"data-path": f"{lake.data_path}/"})

    for sql, condition in FAILING:
        with pytest.raises(PySparkException) as failed:
            spark.sql(sql.format(c=catalog)).collect()
        assert condition in (None, failed.value.getCondition()), failed.value
        assert not value(spark, f"SELECT lake_exists FROM {catalog}.system.settings"), sql

    assert kind == "postgres" or not Path(lake.database).exists()
    assert not [file for file in lake.data_path.rglob("*") if file.is_file()]
    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT id AS a FROM range(20)")
    with Peer(lake) as peer:
        assert peer.head() == 1
        assert peer.rows("SELECT count(*), sum(a) FROM t") == [(20, 190)]


def test_an_option_that_is_set_makes_the_lake(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind
) -> None:
    lake = lakes.new(kind)
    catalog = register(lake, {"data-path": f"{lake.data_path}/"})

    spark.sql(f"CALL {catalog}.system.set_option('target_file_size', '10MB')")

    with Peer(lake) as peer:
        assert peer.head() == 0
        stored = "SELECT value FROM ducklake_options('lake') WHERE option_name LIKE 'target%'"
        assert peer.rows(stored) == [("10000000",)]


@pytest.mark.every_database
def test_the_first_create_makes_the_lake(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind
) -> None:
    lake = lakes.new(kind)
    catalog = register(lake, {"data-path": f"{lake.data_path}/"})
    spark.sql(f"DROP TABLE IF EXISTS {catalog}.t")
    if kind != "postgres":
        assert not Path(lake.database).exists()

    spark.sql(f"CREATE TABLE {catalog}.t (a INT DEFAULT 4)")

    with Peer(lake) as peer:
        peer.run("INSERT INTO t DEFAULT VALUES")
    assert rows(spark, f"SELECT a FROM {catalog}.t") == [(4,)]


def test_a_read_only_or_pinned_catalog_creates_nothing(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INT)")
    for options in ({"read-only": "true"}, {"snapshot-version": "1"}):
        catalog = register(lake, options)
        for statement in (
            "CREATE TABLE {c}.x (a INT)",
            "DROP TABLE {c}.t",
            "ALTER TABLE {c}.t ADD COLUMN b INT",
            "ALTER TABLE {c}.t RENAME TO x",
            "CREATE SCHEMA {c}.s",
            "DROP SCHEMA {c}.main CASCADE",
            *(["CREATE VIEW {c}.main.v AS SELECT 1 AS a"] if has(MADE_VIEWS) else []),
        ):
            refused(spark, statement.format(c=catalog), "DUCKLAKE_READ_ONLY", catalog)
    with Peer(lake) as peer:
        assert peer.head() == 1
