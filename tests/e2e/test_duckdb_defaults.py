"""Defaults that DuckDB declared, in the words of its users: Spark inserts what DuckDB inserts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import Lake
from support.lines import GEOMETRY_WRITES, since
from support.peer import Peer, made

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"])

ONLY_DUCKDB = "INVALID_DEFAULT_VALUE.NOT_CONSTANT"


def same_in_both(spark: SparkSession, lake: Lake, catalog: str, columns: dict[str, str]) -> None:
    """Each engine inserts a row of defaults into a table of DuckDB; the rows must be equal."""
    declared = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t (id INT, {declared})", "INSERT INTO t (id) VALUES (1)")

    spark.sql(f"INSERT INTO {catalog}.t (id) VALUES (2)")

    with Peer(lake) as peer:
        shown = [f"CAST({name} AS VARCHAR)" for name in columns]
        theirs, ours = peer.rows(f"SELECT {', '.join(shown)} FROM t ORDER BY id")
    assert dict(zip(columns, ours, strict=True)) == dict(zip(columns, theirs, strict=True))


@pytest.fixture
def zone(spark: SparkSession) -> Iterator[str]:
    """A time zone, which is that of Spark's session."""
    name = "America/New_York"
    spark.conf.set("spark.sql.session.timeZone", name)
    yield name
    spark.conf.set("spark.sql.session.timeZone", "UTC")


INSTANTS = {
    "day": "TIMESTAMPTZ DEFAULT '2024-07-01'",
    "summer": "TIMESTAMPTZ DEFAULT '2024-07-01 01:02:03.123456'",
    "winter": "TIMESTAMPTZ DEFAULT '2024-01-01 00:00:00'",
    "skipped": "TIMESTAMPTZ DEFAULT '2024-03-10 02:30:00'",
    "old": "TIMESTAMPTZ DEFAULT '0001-01-01 00:00:00'",
    "far": "TIMESTAMPTZ DEFAULT '25000-01-01 00:00:00'",
    "called": "TIMESTAMPTZ DEFAULT CAST('2024-07-01 00:00:00' AS TIMESTAMPTZ)",
    "shown": "TIMESTAMP DEFAULT CAST('2024-07-01 00:00:00' AS TIMESTAMPTZ)",
    "fixed": "TIMESTAMPTZ DEFAULT '2024-07-01 00:00:00+00'",
    "never": "TIMESTAMPTZ DEFAULT 'infinity'",
}


def test_an_instant_without_an_offset_is_in_the_zone_of_the_session(
    spark: SparkSession, lake: Lake, register: Register, zone: str
) -> None:
    catalog = register(lake)
    declared = ", ".join(f"{name} {kind}" for name, kind in INSTANTS.items())
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t (id INT, {declared})")
        peer.run(f"SET TimeZone = '{zone}'", "INSERT INTO t (id) VALUES (1)")

    spark.sql(f"INSERT INTO {catalog}.t (id) VALUES (2)")

    with Peer(lake) as peer:
        shown = [f"CAST({name} AS VARCHAR)" for name in INSTANTS]
        theirs, ours = peer.rows(f"SELECT {', '.join(shown)} FROM t ORDER BY id")
    assert dict(zip(INSTANTS, ours, strict=True)) == dict(zip(INSTANTS, theirs, strict=True))
    assert ours[0] == "2024-07-01 04:00:00+00"


@pytest.mark.parametrize("default", ["'12:00:00'", "CAST('12:00:00' AS TIMETZ)"])
def test_a_time_without_an_offset_is_left_to_duckdb(
    spark: SparkSession, lake: Lake, register: Register, default: str
) -> None:
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run(
            f"CREATE TABLE t (id INT, z TIMETZ DEFAULT {default}, o TIMETZ DEFAULT '12:00:00+02')"
        )

    refused(spark, f"INSERT INTO {catalog}.t (id) VALUES (1)", ONLY_DUCKDB, "only DuckDB knows")

    spark.sql(f"INSERT INTO {catalog}.t (id, z) VALUES (1, '01:00:00+01')")
    with Peer(lake) as peer:
        assert peer.rows("SELECT z::VARCHAR, o::VARCHAR FROM t") == [("01:00:00+01", "12:00:00+02")]


def test_instants_of_spark_keep_their_offset(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """Spark's session is in UTC here, and DuckDB's is not."""
    catalog = register(lake)
    spark.sql(
        f"CREATE TABLE {catalog}.t (id INT, z STRING DEFAULT '12:00:00', "
        "i TIMESTAMP DEFAULT TIMESTAMP '2024-07-01 00:00:00') "
        "TBLPROPERTIES ('ducklake.type.z' = 'timetz')"
    )

    spark.sql(f"INSERT INTO {catalog}.t (id) VALUES (1)")

    with Peer(lake) as peer:
        peer.run("SET TimeZone = 'America/New_York'", "INSERT INTO t (id) VALUES (2)")
        peer.run("SET TimeZone = 'UTC'")
        shown = peer.rows("SELECT z::VARCHAR, i::VARCHAR FROM t")
    assert shown == [("12:00:00+00", "2024-07-01 00:00:00+00")] * 2


TICKS = {
    "up": "'2024-01-01 00:00:00.5'",
    "down": "'2024-01-01 00:00:00.4999999'",
    "tie": "'2024-01-01 00:00:00.0005'",
    "next_day": "'2024-01-01 23:59:59.9996'",
    "before": "'1960-01-01 00:00:00.4995'",
    "called": "CAST('2024-01-01 00:00:00.9996' AS {unit})",
    "never": "'infinity'",
}


@pytest.mark.parametrize("unit", ["TIMESTAMP_S", "TIMESTAMP_MS"])
def test_coarse_timestamps_are_rounded(
    spark: SparkSession, lake: Lake, register: Register, unit: str
) -> None:
    columns = {name: f"{unit} DEFAULT {text.format(unit=unit)}" for name, text in TICKS.items()}
    same_in_both(spark, lake, register(lake), columns)


SPELLINGS = {
    "length": "INTERVAL DEFAULT '1.5 days'",
    "seconds": "INTERVAL DEFAULT '90'",
    "hex": "INTEGER DEFAULT '0x1_0'",
    "binary_digits": "UTINYINT DEFAULT '0B11'",
    "grouped": "BIGINT DEFAULT '1_000'",
    "fraction": "DOUBLE DEFAULT '1_0.5_5e1_0'",
    "price": "DECIMAL(10, 2) DEFAULT '1_000.5'",
    "first_day": "DATE DEFAULT ' Epoch'",
    "first_second": "TIMESTAMP_S DEFAULT 'epoch'",
    "first_instant": "TIMESTAMPTZ DEFAULT 'epoch'",
    "called": "INTEGER DEFAULT CAST('0x10' AS INTEGER)",
}


def test_values_have_all_spellings_of_duckdb(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    same_in_both(spark, lake, register(lake), SPELLINGS)


@pytest.mark.parametrize(
    "column",
    [
        "BIGINT DEFAULT '1e00003'",
        "TIMESTAMPTZ DEFAULT CAST('2024-07-01 00:00:00 Europe/Berlin' AS TIMESTAMPTZ)",
    ],
)
def test_a_default_that_spark_does_not_know_is_named_and_copied(
    spark: SparkSession, lake: Lake, register: Register, column: str
) -> None:
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t (id INT, x {column})")

    insert = f"INSERT INTO {catalog}.t (id) VALUES (1)"
    refused(spark, insert, ONLY_DUCKDB, "only DuckDB knows", column.split("'")[1])
    spark.sql(f"CREATE TABLE {catalog}.copied AS SELECT * FROM {catalog}.t")

    with Peer(lake) as peer:
        for table in ("t", "copied"):
            peer.run(f"INSERT INTO {table} (id) VALUES (2)")
        copied = peer.rows("SELECT x::VARCHAR FROM copied")
        assert copied == peer.rows("SELECT x::VARCHAR FROM t") and copied != [(None,)]


def test_a_number_that_is_too_long_for_spark_is_named(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    number = "123456789012345678901234567890123456789"
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t (id INT, x HUGEINT DEFAULT {number})")

    refused(spark, f"INSERT INTO {catalog}.t (id) VALUES (1)", ONLY_DUCKDB, number)


KINDS = {
    "today": "DATE DEFAULT now()",
    "midnight": "TIMESTAMP DEFAULT current_date",
    "coarse": "TIMESTAMP_S DEFAULT current_date",
    "instant": "TIMESTAMPTZ DEFAULT DATE '2020-01-02'",
    "written_day": "VARCHAR DEFAULT DATE '2020-01-02'",
    "half": "DOUBLE DEFAULT (1.5 + 1)",
    "single": "FLOAT DEFAULT (1.5 + 1)",
    "whole": "DOUBLE DEFAULT (1 + 1)",
    "amount": "DECIMAL(10, 2) DEFAULT (1 + 1)",
    "flag": "INTEGER DEFAULT true",
    "tiny_flag": "TINYINT DEFAULT true",
    "truth": "BOOLEAN DEFAULT (1 + 0)",
    "written_truth": "VARCHAR DEFAULT true",
    "written_sum": "VARCHAR DEFAULT (1 + 2)",
    "narrowed": "INTEGER DEFAULT (3000000000 - 2999999999)",
    "wide": "BIGINT DEFAULT (3000000000 - 1)",
    "huge": "HUGEINT DEFAULT (1 + 2)",
    "unsigned": "UINTEGER DEFAULT (1 + 2)",
    "nothing": "DOUBLE DEFAULT NULL::INTEGER",
}


def test_an_expression_of_another_kind_becomes_the_columns_type(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    same_in_both(spark, lake, register(lake), KINDS)


def test_a_default_beyond_nanoseconds_is_refused(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """DuckDB refuses it too."""
    catalog = register(lake)
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INT, n TIMESTAMP_NS)")
        with pytest.raises(duckdb.Error, match="3000-01-01"):
            peer.run("CREATE TABLE far (n TIMESTAMP_NS DEFAULT '3000-01-01 00:00:00')")
    far = "TIMESTAMP_NTZ '3000-01-01 00:00:00'"

    for statement in (
        f"ALTER TABLE {catalog}.t ALTER COLUMN n SET DEFAULT {far}",
        f"CREATE TABLE {catalog}.u (n TIMESTAMP_NTZ DEFAULT {far}) "
        "TBLPROPERTIES ('ducklake.type.n' = 'timestamp_ns')",
    ):
        refused(spark, statement, "DUCKLAKE_INVALID_CHANGE", "`n`", "3000", "timestamp_ns")


TEXTS = {
    "usual": "VARCHAR DEFAULT 'plain (text)'",
    "mark": "VARCHAR DEFAULT 'it''s'",
    "path": r"VARCHAR DEFAULT 'C:\new\'",
    "lines": r"VARCHAR DEFAULT E'\nfirst\r\nsecond\n'",
    "variable": "VARCHAR DEFAULT '$${spark.app.name}${x}'",
    "document": r"""JSON DEFAULT '{"a": "\"b\" \u0041"}'""",
    "called": r"VARCHAR DEFAULT ('it''s' || '\')",
    "marks": "VARCHAR DEFAULT ''''''",
    "nothing": "VARCHAR DEFAULT ''",
    "blob": r"BLOB DEFAULT '\x00\x5C'",
}


@pytest.mark.parametrize("escaped", ["false", "true"])
def test_texts_are_the_same_for_each_setting_of_strings(
    spark: SparkSession, lake: Lake, register: Register, escaped: str
) -> None:
    catalog = register(lake)
    columns = {**TEXTS, "own": "VARCHAR DEFAULT ('it''s ' || length('abc'))"}
    declared = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t (id INT, {declared})", "INSERT INTO t (id) VALUES (1)")

    spark.conf.set("spark.sql.parser.escapedStringLiterals", escaped)
    try:
        spark.sql(f"INSERT INTO {catalog}.t (id, own) VALUES (2, NULL)")
        spark.sql(f"CREATE TABLE {catalog}.copied AS SELECT * FROM {catalog}.t WHERE id = 1")
        shown = spark.sql(f"SHOW CREATE TABLE {catalog}.t").collect()[0][0]
    finally:
        spark.conf.unset("spark.sql.parser.escapedStringLiterals")

    assert "DEFAULT 'plain (text)'" in shown
    with Peer(lake) as peer:
        peer.run("INSERT INTO copied (id) VALUES (2)")
        texts = ", ".join(f"CAST({name} AS VARCHAR)" for name in columns)
        theirs, ours = peer.rows(f"SELECT {texts} FROM t ORDER BY id")
        assert dict(zip(TEXTS, ours, strict=False)) == dict(zip(TEXTS, theirs, strict=False))
        assert peer.rows(f"SELECT {texts} FROM copied ORDER BY id") == [theirs] * 2


VALUES = {
    "number": "VARIANT DEFAULT 5",
    "word": "VARIANT DEFAULT 'it''s'",
    "document": """VARIANT DEFAULT '{"a": 1}'""",
    "null_text": "VARIANT DEFAULT 'NULL'",
    "point": "GEOMETRY DEFAULT 'POINT(1 2)'",
    "area": "GEOMETRY DEFAULT 'POLYGON((0 0, 1 0, 1 1.5, 0 0))'",
    "several": "GEOMETRY DEFAULT 'GEOMETRYCOLLECTION Z (POINT Z (1 2 3), MULTIPOINT Z EMPTY)'",
}
NO_PLACES = [name for name, kind in VALUES.items() if kind.startswith("VARIANT")]
PLACES = [name for name in VALUES if name not in NO_PLACES]


@pytest.mark.parametrize("limit", [0, 10], ids=["files", "inlined"])
def test_old_rows_have_variants_and_geometries_as_defaults(
    spark: SparkSession, lake: Lake, register: Register, limit: int
) -> None:
    catalog = register(lake)
    made(lake, "CREATE TABLE t (id INT)", "INSERT INTO t VALUES (1)", limit=limit)
    adding = [f"ALTER TABLE t ADD COLUMN {name} {kind}" for name, kind in VALUES.items()]
    made(lake, *adding, "INSERT INTO t (id) VALUES (2)", limit=limit)

    texts = ", ".join(f"CAST({name} AS STRING)" for name in NO_PLACES)
    bytes_ = ", ".join(f"hex({name})" for name in PLACES)
    read = rows(spark, f"SELECT id, {texts}, {bytes_} FROM {catalog}.t ORDER BY id")

    with Peer(lake) as peer:
        texts = ", ".join(f"CAST({name} AS VARCHAR)" for name in NO_PLACES)
        bytes_ = ", ".join(f"hex(ST_AsWKB({name}))" for name in PLACES)
        assert read == peer.rows(f"SELECT id, {texts}, {bytes_} FROM t ORDER BY id")
        assert read[0][1:3] == ("5", "it's")


@since(GEOMETRY_WRITES)
def test_new_rows_have_variants_and_geometries_as_defaults(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    same_in_both(spark, lake, register(lake), VALUES)

    with Peer(lake) as peer:
        kinds = "variant_typeof(number), variant_typeof(document)"
        assert peer.rows(f"SELECT DISTINCT {kinds} FROM t") == [("VARCHAR", "VARCHAR")]
