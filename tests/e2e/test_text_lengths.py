"""CHAR(n) and VARCHAR(n): Spark keeps and obeys the lengths, and DuckDB carries them along."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from support.adding import duckdb_rows
from support.asking import refused, rows, value
from support.lakes import IN_FILES, Lake, LakeFactory
from support.lines import LIKE, SPARK, since
from support.peer import Peer, made

Register = Callable[..., str]

TOO_LONG = "EXCEED_LIMIT_LENGTH"


@pytest.fixture
def table(spark: SparkSession, lake: Lake, register: Register) -> str:
    name = f"{register(lake)}.t"
    spark.sql(f"CREATE TABLE {name} (id INT, v VARCHAR(3), c CHAR(4))")
    return name


def declared(spark: SparkSession, name: str) -> dict[str, str]:
    """The columns of a table with their types as DESCRIBE shows them."""
    return {row[0]: row[1] for row in spark.sql(f"DESCRIBE {name}").collect()}


def too_long(spark: SparkSession, statement: str) -> None:
    """The statement must fail as it does for a table of Spark's own."""
    with pytest.raises(PySparkException) as caught:
        spark.sql(statement).collect()
    assert TOO_LONG in str(caught.value)


def test_writes_of_every_kind_obey_the_lengths(spark: SparkSession, lake: Lake, table: str) -> None:
    spark.sql(f"INSERT INTO {table} VALUES (1, 'abc', 'ab'), (2, 'ab   ', NULL)")
    source = "(SELECT 1 AS id, 'toolong' AS v)"
    for statement in (
        f"INSERT INTO {table} VALUES (3, 'toolong', 'a')",
        f"INSERT INTO {table} VALUES (3, 'a', 'toolong')",
        f"INSERT INTO {table} (id, v) VALUES (3, 'toolong')",
        f"INSERT OVERWRITE {table} VALUES (3, 'toolong', 'a')",
        f"INSERT INTO {table} REPLACE WHERE id = 1 SELECT 1, 'toolong', 'a'",
        f"UPDATE {table} SET v = 'toolong' WHERE id = 1",
        f"MERGE INTO {table} t USING {source} s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = s.v",
        f"MERGE INTO {table} t USING {source} s ON t.id = s.id + 10 "
        "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)",
    ):
        too_long(spark, statement)
    frame = spark.sql("SELECT 3 AS id, 'toolong' AS v, 'a' AS c")
    for write in (
        lambda: frame.writeTo(table).append(),
        lambda: frame.writeTo(table).overwrite(F.lit(True)),
        lambda: frame.write.mode("append").saveAsTable(table),
        lambda: frame.write.insertInto(table),
    ):
        with pytest.raises(PySparkException, match=TOO_LONG):
            write()

    assert duckdb_rows(lake) == [(1, "abc", "ab  "), (2, "ab ", None)]


def test_statements_on_rows_work_with_padded_columns(
    spark: SparkSession, lake: Lake, table: str
) -> None:
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a', 'a'), (2, 'b', 'b'), (3, 'c', 'c')")

    assert rows(spark, f"SELECT id FROM {table} WHERE c = 'b'") == [(2,)]
    assert rows(spark, f"SELECT id FROM {table} WHERE c IN ('a', 'c') ORDER BY id") == [(1,), (3,)]
    spark.sql(f"UPDATE {table} SET c = 'bb' WHERE c = 'b'")
    spark.sql(f"DELETE FROM {table} WHERE c = 'a'")
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT 3 AS id, 'z' AS c UNION ALL SELECT 4, 'y') s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET c = s.c "
        "WHEN NOT MATCHED THEN INSERT (id, c) VALUES (s.id, s.c)"
    )
    assert rows(spark, f"SELECT id, c FROM {table} ORDER BY id") == [
        (2, "bb  "),
        (3, "z   "),
        (4, "y   "),
    ]
    assert duckdb_rows(lake) == [(2, "b", "bb  "), (3, "c", "z   "), (4, None, "y   ")]


def test_statements_of_every_kind_find_rows_by_padded_texts(
    spark: SparkSession, lake: Lake, table: str
) -> None:
    """DuckDB does not pad its texts; a correlated subquery finds them none the less."""
    made(
        lake,
        "INSERT INTO t VALUES (1, 'v', 'a'), (2, 'v', 'b')",
        "CREATE TABLE u AS FROM (VALUES ('a   '), ('b')) r(c)",
    )
    letters = "(3, 'v', 'c'), (4, 'v', 'd'), (5, 'v', 'e'), (6, 'v', 'f')"
    spark.sql(f"INSERT INTO {table} VALUES {letters}")
    other = table.removesuffix("t") + "u"

    spark.sql(f"DELETE FROM {table} x WHERE EXISTS (SELECT 1 FROM {other} u WHERE u.c = x.c)")
    spark.sql(f"DELETE FROM {table} WHERE id = 3 AND c = 'c'")
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT 4 AS id UNION ALL SELECT 5) s ON t.id = s.id "
        "WHEN MATCHED AND t.c = 'd' THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'new' "
        "WHEN NOT MATCHED BY SOURCE AND t.c = 'f' THEN UPDATE SET c = concat(trim(t.c), '!')"
    )
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT 9 AS id, 'i' AS c) s ON t.c = s.c "
        "WHEN NOT MATCHED THEN INSERT (id, c) VALUES (s.id, s.c)"
    )
    left = duckdb_rows(lake)
    spark.sql(f"DELETE FROM {table}")

    assert [(number, v, c.rstrip()) for number, v, c in left] == [
        (2, "v", "b"),
        (5, "new", "e"),
        (6, "v", "f!"),
        (9, None, "i"),
    ]
    assert duckdb_rows(lake) == []


TARGETS = {
    "DELETE FROM {t} WHERE c = 'a'": [(2, "v", "b"), (3, "v", "c")],
    "DELETE FROM {t} WHERE c >= 'b' AND c IS NOT NULL": [(1, "v", "a")],
    "DELETE FROM {t} WHERE id < 3 AND c IN ('a', 'x')": [(2, "v", "b"), (3, "v", "c")],
    "MERGE INTO {t} t USING (SELECT 1 AS id) s ON t.id = s.id "
    "WHEN MATCHED AND t.c = 'a' THEN DELETE": [(2, "v", "b"), (3, "v", "c")],
    "MERGE INTO {t} t USING (SELECT 'b   ' AS c UNION ALL SELECT 'd') s "
    "ON t.c = s.c OR t.c = rpad(s.c, 4, ' ') WHEN MATCHED THEN UPDATE SET v = 'x' "
    "WHEN NOT MATCHED THEN INSERT (id, c) VALUES (4, s.c) "
    "WHEN NOT MATCHED BY SOURCE AND t.c = 'c' THEN UPDATE SET v = rtrim(t.c)": [
        (1, "v", "a"),
        (2, "x", "b"),
        (3, "c", "c"),
        (4, None, "d   "),
    ],
    "UPDATE {t} SET v = 'x' WHERE c = 'b'": [(1, "v", "a"), (2, "x", "b"), (3, "v", "c")],
    "UPDATE {t} SET v = CAST(length(c) AS STRING), c = 'd' WHERE id = 2": [
        (1, "v", "a"),
        (2, "4", "d   "),
        (3, "v", "c"),
    ],
    "UPDATE {t} x SET v = 'x' WHERE EXISTS (SELECT 1 FROM (VALUES ('b   ')) AS s(c) "
    "WHERE s.c = x.c)": [(1, "v", "a"), (2, "x", "b"), (3, "v", "c")],
    "UPDATE {t} SET v = 'x' WHERE rtrim(c) = 'b'": [(1, "v", "a"), (2, "x", "b"), (3, "v", "c")],
}
"""Statements on rows that DuckDB wrote, and what is left; texts without the spaces behind them
stay so where no statement sets them."""


NOT_PADDED = pytest.mark.parametrize(
    "inserts, limit",
    [
        (["(1, 'v', 'a'), (2, 'v', 'b'), (3, 'v', 'c')"], 0),
        (["(1, 'v', 'a')", "(2, 'v', 'b')", "(3, 'v', 'c')"], 0),
        (["(1, 'v', 'a'), (2, 'v', 'b'), (3, 'v', 'c')"], 10),
    ],
    ids=["one file", "three files", "inlined"],
)


@NOT_PADDED
def test_statements_find_texts_that_duckdb_did_not_pad(
    spark: SparkSession, lake: Lake, table: str, inserts: list[str], limit: int
) -> None:
    for statement, expected in TARGETS.items():
        spark.sql(f"TRUNCATE TABLE {table}")
        made(lake, *(f"INSERT INTO t VALUES {values}" for values in inserts), limit=limit)
        spark.sql(statement.format(t=table))
        assert duckdb_rows(lake) == expected, statement


REPLACED = {
    "c = 'a'": [(9, "x", "a   "), (2, "v", "b"), (3, "v", "c")],
    "id < 2 AND c IN ('a', 'b')": [(9, "x", "a   "), (2, "v", "b"), (3, "v", "c")],
    "c <= 'b' AND id > 0": [(9, "x", "a   "), (3, "v", "c")],
    "NOT (c = 'b')": [(9, "x", "a   "), (2, "v", "b")],
    "c LIKE 'c%'": [(9, "x", "a   "), (1, "v", "a"), (2, "v", "b")],
}
"""What a condition of REPLACE WHERE leaves, and the new row."""


@NOT_PADDED
def test_replaced_rows_are_found_by_texts_that_duckdb_did_not_pad(
    spark: SparkSession, lake: Lake, table: str, inserts: list[str], limit: int
) -> None:
    for condition, expected in REPLACED.items():
        spark.sql(f"TRUNCATE TABLE {table}")
        made(lake, *(f"INSERT INTO t VALUES {values}" for values in inserts), limit=limit)
        spark.sql(f"INSERT INTO {table} REPLACE WHERE {condition} SELECT 9, 'x', 'a'")
        assert sorted(duckdb_rows(lake)) == sorted(expected), condition


@NOT_PADDED
def test_replaced_partitions_are_found_by_texts_that_duckdb_did_not_pad(
    spark: SparkSession, lake: Lake, table: str, inserts: list[str], limit: int
) -> None:
    made(lake, "ALTER TABLE t SET PARTITIONED BY (c)")
    made(lake, *(f"INSERT INTO t VALUES {values}" for values in inserts), limit=limit)

    frame = spark.sql("SELECT 9 AS id, 'x' AS v, 'a' AS c")
    frame.writeTo(table).overwritePartitions()

    assert sorted(duckdb_rows(lake)) == [(2, "v", "b"), (3, "v", "c"), (9, "x", "a   ")]


def test_columns_that_are_not_there_are_named(spark: SparkSession, table: str) -> None:
    for statement in (
        f"DELETE FROM {table} WHERE nope = 'a'",
        f"UPDATE {table} SET v = 'x' WHERE nope = 'a'",
        f"MERGE INTO {table} t USING (SELECT 1 AS id) s ON t.nope = s.id WHEN MATCHED THEN DELETE",
    ):
        refused(spark, statement, "UNRESOLVED_COLUMN.WITH_SUGGESTION", "nope")


def test_statements_show_the_types(spark: SparkSession, table: str) -> None:
    assert declared(spark, table) == {"id": "int", "v": "varchar(3)", "c": "char(4)"}
    created = value(spark, f"SHOW CREATE TABLE {table}")
    assert "v VARCHAR(3)" in created and "c CHAR(4)" in created
    assert "spark.text-lengths" not in created
    assert "spark.text-lengths" not in str(rows(spark, f"SHOW TBLPROPERTIES {table}"))
    assert spark.table(table).schema["v"].dataType.simpleString() == "string"


def test_alter_table_keeps_adds_and_changes_lengths(spark: SparkSession, table: str) -> None:
    spark.sql(f"ALTER TABLE {table} ADD COLUMN (n VARCHAR(2), s STRUCT<x: VARCHAR(2)>)")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN s.y CHAR(2)")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN v TO w")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN n TYPE VARCHAR(5)")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN w COMMENT 'kept'")
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('own' = 'x')")
    assert declared(spark, table) == {
        "id": "int",
        "w": "varchar(3)",
        "c": "char(4)",
        "n": "varchar(5)",
        "s": "struct<x:varchar(2),y:char(2)>",
    }

    too_long(spark, f"INSERT INTO {table} VALUES (1, 'toolong', 'a', 'a', NULL)")
    too_long(
        spark, f"INSERT INTO {table} VALUES (1, 'a', 'a', 'a', named_struct('x', 'abc', 'y', 'a'))"
    )
    spark.sql(
        f"INSERT INTO {table} VALUES (1, 'a', 'a', 'abcde', named_struct('x', 'a', 'y', 'b'))"
    )
    assert rows(spark, f"SELECT n, s.x, s.y FROM {table}") == [("abcde", "a", "b ")]
    with pytest.raises(PySparkException):
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN n TYPE VARCHAR(2)")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN n TYPE STRING")
    spark.sql(f"ALTER TABLE {table} DROP COLUMN w")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN w STRING")
    shown = declared(spark, table)
    assert shown["n"] == "string" and shown["w"] == "string" and shown["c"] == "char(4)"


def test_nested_texts_obey_their_lengths(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    name = f"{register(lake)}.n"
    spark.sql(
        f"CREATE TABLE {name} (l ARRAY<VARCHAR(2)>, m MAP<VARCHAR(2), CHAR(3)>, "
        "s STRUCT<a: VARCHAR(2), b: ARRAY<STRUCT<c: CHAR(2)>>>)"
    )

    too_long(spark, f"INSERT INTO {name} (l) VALUES (array('abc'))")
    too_long(spark, f"INSERT INTO {name} (m) VALUES (map('abc', 'a'))")
    spark.sql(f"INSERT INTO {name} (l, m) VALUES (array('ab'), map('ab', 'a'))")
    assert rows(spark, f"SELECT l[0], m['ab'] FROM {name}") == [("ab", "a  ")]
    assert declared(spark, name)["m"] == "map<varchar(2),char(3)>"


@pytest.mark.skipif(SPARK < (4, 2), reason="Spark 4.1 takes no collation behind a length")
@pytest.mark.parametrize("kind", ["sqlite"])
@pytest.mark.parametrize(("changed", "text"), [("v", "VARCHAR(3)"), ("c", "CHAR(4)")])
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE {c}.x (a {t} COLLATE UTF8_LCASE)",
        "CREATE TABLE {c}.x (a ARRAY<{t} COLLATE UNICODE>)",
        "CREATE TABLE {c}.x AS SELECT * FROM shorts",
        "ALTER TABLE {c}.t ADD COLUMN a {t} COLLATE UTF8_LCASE",
        "ALTER TABLE {c}.t ALTER COLUMN {v} TYPE {t} COLLATE UTF8_LCASE",
    ],
)
def test_a_length_with_a_collation_is_refused(
    spark: SparkSession, table: str, lake: Lake, statement: str, changed: str, text: str
) -> None:
    spark.sql(
        f"CREATE OR REPLACE TEMP VIEW shorts AS SELECT CAST('a' AS {text} COLLATE UTF8_LCASE) a"
    )
    asked = statement.format(c=table.removesuffix(".t"), v=changed, t=text)

    refused(spark, asked, "DUCKLAKE_UNSTORABLE_TYPE", "COLLATE", "UTF8_BINARY")

    with Peer(lake) as peer:
        assert peer.rows("SELECT column_name FROM (DESCRIBE t)") == [("id",), ("v",), ("c",)]
        assert peer.rows("SELECT table_name FROM duckdb_tables() WHERE table_name = 'x'") == []
    spark.sql(f"ALTER TABLE {table} ADD COLUMN binary {text} COLLATE UTF8_BINARY")
    assert declared(spark, table)["binary"] == text.lower()


@since(LIKE)
def test_new_tables_take_the_lengths_of_others(spark: SparkSession, lake: Lake, table: str) -> None:
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a', 'b')")
    catalog = table.removesuffix(".t")

    spark.sql(f"CREATE TABLE {catalog}.ctas AS SELECT * FROM {table}")
    spark.sql(f"CREATE TABLE {catalog}.alike LIKE {table}")
    spark.sql(f"CREATE OR REPLACE TABLE {table} (x INT, v VARCHAR(5))")

    lengths = {"id": "int", "v": "varchar(3)", "c": "char(4)"}
    assert declared(spark, f"{catalog}.ctas") == lengths == declared(spark, f"{catalog}.alike")
    assert declared(spark, table) == {"x": "int", "v": "varchar(5)"}
    too_long(spark, f"INSERT INTO {catalog}.ctas VALUES (2, 'toolong', 'b')")
    too_long(spark, f"INSERT INTO {catalog}.alike VALUES (2, 'toolong', 'b')")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'abcde')")
    assert duckdb_rows(lake) == [(1, "abcde")]
    assert rows(spark, f"SELECT * FROM {catalog}.ctas") == [(1, "a", "b   ")]
    past = rows(spark, f"SELECT v, c FROM {catalog}.ctas VERSION AS OF 3")
    assert past == [("a", "b   ")]


@pytest.mark.every_database
def test_duckdb_carries_the_lengths_along(spark: SparkSession, lake: Lake, table: str) -> None:
    with Peer(lake) as peer:
        peer.run(
            "INSERT INTO t VALUES (1, 'longer than three', 'x')",
            "ALTER TABLE t RENAME v TO w",
            "ALTER TABLE t ALTER w SET DEFAULT 'd'",
            "ALTER TABLE t ADD COLUMN n VARCHAR",
            "COMMENT ON TABLE t IS 'a comment'",
            "COMMENT ON COLUMN t.w IS 'another'",
            "ALTER TABLE t DROP COLUMN id",
            "ALTER TABLE t RENAME TO u",
        )
    other = table.removesuffix("t") + "u"

    assert declared(spark, other) == {"w": "varchar(3)", "c": "char(4)", "n": "string"}
    assert rows(spark, f"SELECT w, c FROM {other}") == [("longer than three", "x   ")]
    too_long(spark, f"INSERT INTO {other} VALUES ('toolong', 'a', 'n')")
    spark.sql(f"INSERT INTO {other} VALUES ('abc', 'a', 'any length')")


def test_streams_obey_the_lengths(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE source (id INT, v VARCHAR)")
    catalog = register(lake, IN_FILES)
    spark.sql(f"CREATE TABLE {catalog}.t (id INT, v VARCHAR(3), c CHAR(2))")
    spark.sql(f"INSERT INTO {catalog}.source VALUES (1, 'abc')")

    def run(name: str, source: str, columns: str) -> None:
        stream = spark.readStream.table(f"{catalog}.{source}").selectExpr(*columns.split("; "))
        query = (
            stream.writeStream.trigger(availableNow=True)
            .option("checkpointLocation", str(tmp_path / name))
            .toTable(f"{catalog}.t")
        )
        query.awaitTermination()

    run("first", "source", "id; v; 'x' AS c")
    assert rows(spark, f"SELECT * FROM {catalog}.t") == [(1, "abc", "x ")]
    spark.sql(f"INSERT INTO {catalog}.source VALUES (2, 'toolong')")
    with pytest.raises(PySparkException, match=TOO_LONG):
        run("first", "source", "id; v; 'x' AS c")
    assert rows(spark, f"SELECT count(*) FROM {catalog}.t") == [(1,)]


def test_a_stream_reads_a_table_with_lengths(
    spark: SparkSession, table: str, register: Register, tmp_path: Path
) -> None:
    spark.sql(f"INSERT INTO {table} VALUES (1, 'abc', 'x')")
    copy = table.removesuffix("t") + "copy"
    spark.sql(f"CREATE TABLE {copy} (id INT, v STRING, c STRING)")

    query = (
        spark.readStream.table(table)
        .writeStream.trigger(availableNow=True)
        .option("checkpointLocation", str(tmp_path / "copied"))
        .toTable(copy)
    )
    query.awaitTermination()

    (found,) = rows(spark, f"SELECT id, v, rtrim(c) FROM {copy}")
    assert found == (1, "abc", "x")


def test_the_tag_is_not_set_by_hand(spark: SparkSession, table: str, register: Register) -> None:
    refused(
        spark,
        f"ALTER TABLE {table} SET TBLPROPERTIES ('spark.text-lengths' = '1=varchar(9)')",
        "DUCKLAKE_UNSUPPORTED",
        "VARCHAR(n)",
    )
    refused(
        spark,
        f"ALTER TABLE {table} UNSET TBLPROPERTIES ('spark.text-lengths')",
        "DUCKLAKE_INVALID_OPTION",
        "TYPE STRING",
    )
    refused(
        spark,
        f"CREATE TABLE {table}2 (j VARCHAR(3)) TBLPROPERTIES ('ducklake.type.j' = 'json')",
        "DUCKLAKE_UNSTORABLE_TYPE",
        "VARCHAR(3)",
    )


def test_a_rollback_brings_lengths_back(spark: SparkSession, table: str) -> None:
    catalog = table.removesuffix(".t")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a', 'b')")
    before = value(spark, f"SELECT max(snapshot_id) FROM {catalog}.system.snapshots")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN v TYPE STRING")

    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', {before})").collect()

    assert declared(spark, table)["v"] == "varchar(3)"
