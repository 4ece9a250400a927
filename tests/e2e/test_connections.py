"""Connections to PostgreSQL: who may not have one learns why, and few serve many statements."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

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
