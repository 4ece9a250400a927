"""Settings that a database of PostgreSQL or a role has change no value of an inlined row."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from support.asking import rows, value
from support.flushing import Rows, flush, kept, made
from support.lakes import Lake, LakeFactory
from support.peer import Peer
from support.postgres import PostgresServer

SETTINGS = {
    "extra_float_digits": "-15",
    "intervalstyle": "sql_standard",
    "bytea_output": "escape",
    "datestyle": "'German, DMY'",
    "timezone": "'Asia/Kathmandu'",
    "standard_conforming_strings": "off",
    "backslash_quote": "off",
    "client_encoding": "'LATIN1'",
    "search_path": "'nowhere'",
    "default_transaction_isolation": "serializable",
    "default_transaction_deferrable": "on",
    "transform_null_equals": "on",
    "array_nulls": "off",
    "row_security": "off",
    "quote_all_identifiers": "on",
}
INTERVALS = ("postgres_verbose", "iso_8601")

CREATED = """CREATE TABLE t (
    i INTEGER, d DOUBLE, f FLOAT, v INTERVAL, s VARCHAR, b BLOB, t TIMESTAMP, z TIMESTAMPTZ,
    a DATE, h TIME, o TIMETZ, n DECIMAL(20, 5), u UUID, l VARCHAR[])"""
INSERTED = """INSERT INTO t VALUES
    (1, 0.30000000000000004, 0.1, INTERVAL '1 year 2 days 03:04:05.5', 'ä\\x', '\\x5C\\x00'::BLOB,
     '2024-02-03 04:05:06.7', '2024-02-03 04:05:06.7+00', '2024-02-03', '04:05:06.7',
     '04:05:06.7+00', 123456789012345.12345, '00000000-0000-0000-0000-00000000000a', ['a', NULL]),
    (2, 1.7976931348623157e308, 3.4028235e38, INTERVAL '1 month 2 days', '', ''::BLOB,
     '1600-01-01', '1600-01-01 00:00:00+00', '1600-01-01', '00:00:00', '00:00:00+00', -0.00001,
     NULL, [])"""
SHOWN = """SELECT i, d, f, CAST(v AS {text}), s, hex(b), CAST(t AS {text}), {micros}(z),
    CAST(a AS {text}), CAST(h AS {text}), CAST(o AS {text}), CAST(n AS {text}), CAST(u AS {text}),
    l FROM {table} ORDER BY i"""


def _set(server: PostgresServer, owner: str) -> None:
    for name, setting in SETTINGS.items():
        server.run_sql("postgres", f"ALTER {owner} SET {name} = {setting}")


def _made(lake: Lake) -> Rows:
    """Make a table; what DuckDB shows of it."""
    made(lake, CREATED, INSERTED)
    return _by_duckdb(lake)


def _by_duckdb(lake: Lake) -> Rows:
    with Peer(lake) as peer:
        return peer.rows(SHOWN.format(text="VARCHAR", micros="epoch_us", table="t"))


def _shown(spark: SparkSession, table: str) -> Rows:
    return rows(spark, SHOWN.format(text="STRING", micros="unix_micros", table=table))


def test_settings_of_the_database_change_no_value(
    spark: SparkSession, lakes: LakeFactory, server: PostgresServer, register: Callable[..., str]
) -> None:
    lake = lakes.new("postgres")
    expected = _made(lake)
    _set(server, f"DATABASE {lake.database}")
    table = f"{register(lake)}.t"

    assert _shown(spark, table) == expected
    assert value(spark, f"SELECT count(*) FROM {table} WHERE d = 0.30000000000000004D") == 1
    assert value(spark, f"SELECT count(*) FROM {table} WHERE d > 1.797693134862315E308D") == 1
    for style in INTERVALS:
        server.run_sql("postgres", f"ALTER DATABASE {lake.database} SET intervalstyle = {style}")
        other = register(lake, {"jdbc.ApplicationName": style})
        assert _shown(spark, f"{other}.t") == expected


def test_changes_and_flushes_write_the_same_values_back(
    spark: SparkSession, lakes: LakeFactory, server: PostgresServer, register: Callable[..., str]
) -> None:
    lake = lakes.new("postgres")
    expected = [(int(row[0]) + 10, *row[1:]) for row in _made(lake)]
    role = f"ROLE {server.user} IN DATABASE {lake.database}"
    _set(server, role)
    catalog = register(lake)

    spark.sql(f"UPDATE {catalog}.t SET i = i + 10")
    server.run_sql("postgres", f"ALTER {role} RESET ALL")
    assert _by_duckdb(lake) == expected

    _set(server, role)
    flush(spark, catalog)
    assert kept(lake) == 0
    server.run_sql("postgres", f"ALTER {role} RESET ALL")
    assert _by_duckdb(lake) == expected
    assert _shown(spark, f"{catalog}.t") == expected
