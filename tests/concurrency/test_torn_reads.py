"""Spark reads one moment of a SQLite file with a write-ahead log. DuckDB 1.5 reads several."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

from pyspark.sql import SparkSession

from concurrency.programs import line, running
from support.asking import rows
from support.lakes import Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]

WRITER = """
import sys
from support.peer import connect
connection = connect()
connection.execute(f"ATTACH '{sys.argv[1]}' AS lake")
print("begun", flush=True)
for number in range(10**9):
    try:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO lake.t VALUES (1)")
        connection.execute("INSERT INTO lake.u VALUES (1)")
        connection.execute("COMMIT")
        if number % 5 == 0:
            connection.execute("CALL ducklake_flush_inlined_data('lake')")
    except Exception:
        connection.close()
        connection = connect()
        connection.execute(f"ATTACH '{sys.argv[1]}' AS lake")
"""
QUERY = "SELECT (SELECT count(*) FROM {0}t), (SELECT count(*) FROM {0}u)"
LOOKS_OF_SPARK = 40


def new_lake(lakes: LakeFactory) -> Lake:
    """Two tables, to which each commit adds the same; the file has a write-ahead log."""
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER)", "CREATE TABLE u (a INTEGER)")
    with closing(sqlite3.connect(lake.database)) as catalog:
        catalog.execute("PRAGMA journal_mode = WAL")
    return lake


def test_spark_reads_whole_commits(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = new_lake(lakes)
    catalog = register(lake, {"busy-timeout": "60000"})

    with running(WRITER, lake.uri) as writer:
        assert line(writer) == "begun"
        try:
            looks = [rows(spark, QUERY.format(f"{catalog}.main.")) for _ in range(LOOKS_OF_SPARK)]
        finally:
            writer.kill()

    assert [look for look in looks if look[0][0] != look[0][1]] == []
    assert looks[0] != looks[-1]
