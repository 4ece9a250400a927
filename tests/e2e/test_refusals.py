"""What cannot be is refused by name, also where Spark would hide the reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import CATALOG_CLASS, Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]


@pytest.fixture
def table(lake: Lake) -> Lake:
    """A lake with a table `t` of one row, and a view `v` of it."""
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a", "CREATE VIEW v AS SELECT a FROM t")
    return lake


@pytest.mark.parametrize(
    ("function", "condition", "part"),
    [
        ("ducklake_settings('nolake')", "DUCKLAKE_INVALID_ARGUMENT", "nolake"),
        ("ducklake_list_files('{c}', 't', nope => 2)", "DUCKLAKE_INVALID_ARGUMENT", "nope"),
        (
            "ducklake_list_files('{c}', 't', snapshot_version => 99)",
            "DUCKLAKE_NO_SUCH_SNAPSHOT",
            "99",
        ),
    ],
)
def test_a_table_function_says_what_is_wrong(
    spark: SparkSession,
    table: Lake,
    register: Register,
    function: str,
    condition: str,
    part: str,
) -> None:
    catalog = register(table)

    refused(spark, f"SELECT * FROM {function.format(c=catalog)}", condition, part)


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("SELECT :p", "UNBOUND_SQL_PARAMETER"),
        ("ALTER TABLE {c}.t SET PARTITIONED BY (a)", "DUCKLAKE_INVALID_SETTING"),
        ("ALTER TABLE {c}.t ALTER COLUMN a SET NOT NULL", "DUCKLAKE_INVALID_SETTING"),
    ],
)
def test_the_parser_hides_no_error(
    spark: SparkSession, lakes: LakeFactory, register: Register, statement: str, condition: str
) -> None:
    catalog = register(lakes.new("sqlite"), {"no-such-key": "x"})

    refused(spark, statement.format(c=catalog), condition)


def test_duckdbs_words_may_stand_beside_comments(
    spark: SparkSession, table: Lake, register: Register
) -> None:
    catalog = register(table)

    spark.sql(f"/* by a */ ALTER TABLE {catalog}.t SET SORTED BY (a) -- only")

    shown = rows(spark, f"SHOW TBLPROPERTIES {catalog}.t ('ducklake.sorted-by')")
    assert shown == [("ducklake.sorted-by", "a ASC NULLS LAST")]


@pytest.mark.parametrize("options", [{"read-only": "true"}, {"snapshot-version": "2"}])
def test_truncate_asks_whether_it_may(
    spark: SparkSession, table: Lake, register: Register, options: dict[str, str]
) -> None:
    refused(spark, f"TRUNCATE TABLE {register(table, options)}.t", "DUCKLAKE_READ_ONLY")

    with Peer(table) as peer:
        assert (peer.head(), peer.rows("SELECT a FROM t")) == (2, [(1,)])


@pytest.mark.parametrize(
    "statement", ["INSERT INTO {v} VALUES (2)", "DELETE FROM {v}", "UPDATE {v} SET a = 2"]
)
def test_a_view_is_not_written(
    spark: SparkSession, table: Lake, register: Register, statement: str
) -> None:
    catalog = register(table)

    refused(spark, statement.format(v=f"{catalog}.main.v"), "DUCKLAKE_UNSUPPORTED", "view")


def test_a_view_does_not_travel(spark: SparkSession, table: Lake, register: Register) -> None:
    query = f"SELECT * FROM {register(table)}.main.v VERSION AS OF 2"

    refused(spark, query, "DUCKLAKE_UNSUPPORTED", "view", "main.v")


def test_a_snapshot_is_not_named_twice(
    spark: SparkSession, table: Lake, register: Register
) -> None:
    query = f"SELECT * FROM {register(table)}.t VERSION AS OF 2 WITH ('snapshot-version' = '1')"

    refused(spark, query, "DUCKLAKE_INVALID_ARGUMENT", "snapshot-version")


def test_a_sqlite_file_is_not_opened_as_a_file_of_duckdb(
    spark: SparkSession, lakes: LakeFactory
) -> None:
    lake = lakes.new("sqlite")
    Peer(lake).close()
    spark.conf.set("spark.sql.catalog.wrong_kind", CATALOG_CLASS)
    spark.conf.set("spark.sql.catalog.wrong_kind.uri", f"ducklake:{lake.database}")

    refused(spark, "SHOW TABLES IN wrong_kind.main", "DUCKLAKE_NOT_A_DATABASE", "DuckDB")
