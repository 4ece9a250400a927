"""Limits that an administrator gives a user of PostgreSQL: clear errors, and nothing is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import psycopg
from pyspark.sql import SparkSession

from support.asking import refused, value
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, made
from support.postgres import PostgresServer

Register = Callable[..., str]


def _limited(lakes: LakeFactory, server: PostgresServer, **limits: str) -> tuple[Lake, str]:
    """A lake with one table, and a user with limits who may do everything in it."""
    lake = lakes.new("postgres")
    made(lake, "CREATE TABLE t AS SELECT 42 AS a")
    user = f"{lake.database}_limited"
    server.run_sql(lake.database, f"CREATE ROLE {user} LOGIN SUPERUSER")
    for name, limit in limits.items():
        server.run_sql(lake.database, f"ALTER ROLE {user} SET {name} = '{limit}'")
    return lake, user


def test_a_statement_that_took_too_long_is_told_and_may_be_repeated(
    spark: SparkSession, lakes: LakeFactory, register: Register, server: PostgresServer
) -> None:
    lake, user = _limited(lakes, server, statement_timeout="3s")
    catalog = register(lake, {"user": user, **IN_FILES})
    spark.sql(f"INSERT INTO {catalog}.t VALUES (43)")
    files = sorted(lake.data_path.rglob("*.parquet"))

    with psycopg.connect(server.keywords(lake.database)) as other:
        other.execute("LOCK TABLE ducklake_snapshot IN EXCLUSIVE MODE")
        refused(
            spark,
            f"INSERT INTO {catalog}.t VALUES (44)",
            "DUCKLAKE_CATALOG_CANCELLED",
            "statement timeout",
            "statement_timeout",
        )
    assert sorted(lake.data_path.rglob("*.parquet")) == files
    spark.sql(f"INSERT INTO {catalog}.t VALUES (45)")
    with Peer(lake) as peer:
        assert sorted(peer.rows("SELECT a FROM t")) == [(42,), (43,), (45,)]


def test_connections_that_the_server_closes_when_they_are_idle_are_replaced(
    spark: SparkSession, lakes: LakeFactory, register: Register, server: PostgresServer
) -> None:
    lake, user = _limited(
        lakes,
        server,
        idle_session_timeout="100ms",
        idle_in_transaction_session_timeout="2s",
    )
    catalog = register(lake, {"user": user})
    for number in (43, 44, 45):
        time.sleep(0.3)
        spark.sql(f"INSERT INTO {catalog}.t VALUES ({number})")
        time.sleep(0.3)
        assert value(spark, f"SELECT max(a) FROM {catalog}.t") == number
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*) FROM t") == [(4,)]


def test_a_statement_that_an_administrator_ends_is_told(
    spark: SparkSession, lakes: LakeFactory, register: Register, server: PostgresServer
) -> None:
    lake, user = _limited(lakes, server)
    catalog = register(lake, {"user": user, "busy-timeout": "60000"})
    end = f"SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE usename = '{user}'"

    def cancel() -> None:
        server.wait_for(lake.database, f"{end} AND wait_event_type = 'Lock'", "1")

    with psycopg.connect(server.keywords(lake.database)) as other:
        other.execute("LOCK TABLE ducklake_snapshot IN EXCLUSIVE MODE")
        thread = threading.Thread(target=cancel)
        thread.start()
        refused(
            spark,
            f"INSERT INTO {catalog}.t VALUES (44)",
            "DUCKLAKE_CATALOG_CANCELLED",
            "user request",
        )
        thread.join()
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 1
