"""Connections to PostgreSQL: who may not have one learns why, and few serve many statements."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psycopg
from pyspark.sql import SparkSession

from support.asking import refused, value
from support.lakes import LakeFactory
from support.peer import made
from support.postgres import PostgresServer

Register = Callable[..., str]


def test_what_keeps_a_user_out_is_named(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("postgres")
    nobody = register(lake, {"user": "nobody_of_this_name"})
    elsewhere = replace(lake, uri=lake.uri.replace(f"dbname={lake.database}", "dbname=no_such_db"))
    nowhere = replace(lake, uri=lake.uri.replace("host=127.0.0.1", "host=no-such-host.invalid"))

    for catalog, condition, what in [
        (nobody, "DUCKLAKE_LOGIN_REFUSED", "nobody_of_this_name"),
        (register(elsewhere), "DUCKLAKE_NO_SUCH_DATABASE", "no_such_db"),
        (register(nowhere), "DUCKLAKE_UNKNOWN_HOST", "no-such-host.invalid"),
    ]:
        refused(spark, f"SHOW TABLES IN {catalog}.main", condition, what)


def test_a_user_who_may_only_read_reads_and_is_told_so_when_writing(
    spark: SparkSession, lakes: LakeFactory, register: Register, server: PostgresServer
) -> None:
    lake = lakes.new("postgres")
    made(lake, "CREATE TABLE t AS SELECT 42 AS a")
    reader = f"{lake.database}_reader"
    server.run_sql(lake.database, f"CREATE ROLE {reader} LOGIN")
    server.run_sql(lake.database, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reader}")
    catalog = register(lake, {"user": reader})

    assert value(spark, f"SELECT a FROM {catalog}.t") == 42
    refused(
        spark, f"INSERT INTO {catalog}.t VALUES (43)", "DUCKLAKE_NOT_PERMITTED", "permission denied"
    )
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 1


def test_eight_statements_share_two_connections(
    spark: SparkSession, lakes: LakeFactory, register: Register, server: PostgresServer
) -> None:
    lake = lakes.new("postgres")
    made(lake, "CREATE TABLE t AS SELECT 42 AS a")
    catalog = register(lake, {"pool.size": "2"})
    kept = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND application_name = 'ducklake-spark'"
    )

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: value(spark, f"SELECT a FROM {catalog}.t"), range(8)))

    assert found == [42] * 8
    assert int(server.run_sql(lake.database, kept)) <= 2


WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND application_name = 'ducklake-spark' AND wait_event_type = 'Lock'"
)


def test_a_statement_waits_for_a_connection_as_long_as_the_key_says(
    spark: SparkSession, lakes: LakeFactory, register: Register, server: PostgresServer
) -> None:
    lake = lakes.new("postgres")
    made(lake, "CREATE TABLE t AS SELECT 42 AS a")
    settings = {"pool.size": "1", "pool.wait-ms": "200", "busy-timeout": "60000"}
    catalog = register(lake, settings)
    assert value(spark, f"SELECT a FROM {catalog}.t") == 42

    with ThreadPoolExecutor(1) as thread, psycopg.connect(server.keywords(lake.database)) as other:
        other.execute("LOCK TABLE ducklake_snapshot IN EXCLUSIVE MODE")
        insert = f"INSERT INTO {catalog}.t VALUES (43)"
        waiting = thread.submit(lambda: spark.sql(insert).collect())
        deadline = time.monotonic() + 30
        while int(server.run_sql(lake.database, WAITING)) == 0:
            assert time.monotonic() < deadline, "the statement does not wait for the lock"
            time.sleep(0.05)
        refused(spark, f"SELECT * FROM {catalog}.t", "DUCKLAKE_POOL_EXHAUSTED", "for 200 ms")
        other.rollback()
        waiting.result(timeout=60)

    assert value(spark, f"SELECT sum(a) FROM {catalog}.t") == 85
