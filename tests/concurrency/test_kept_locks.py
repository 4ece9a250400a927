"""DuckDB 1.5 keeps the lock of a SQLite file when its COMMIT has waited in vain for a reader.

Programs run in processes of their own: two libraries of SQLite in one process take each other's
locks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
from pyspark.sql import SparkSession

from concurrency.programs import line, running
from support.asking import refused, rows
from support.lakes import LakeFactory
from support.peer import Peer

Register = Callable[..., str]

READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("BEGIN")
print(connection.execute("SELECT count(*) FROM ducklake_snapshot").fetchall(), flush=True)
sys.stdin.read()
"""
WRITER = """
import sys
from support.peer import connect
connection = connect()
connection.execute(f"ATTACH '{sys.argv[1]}' AS lake")
try:
    connection.execute("INSERT INTO lake.t VALUES (2)")
except Exception as error:
    print(" ".join(str(error).split()), flush=True)
connection.close()
print("closed", flush=True)
sys.stdin.read()
"""


def test_the_lock_is_free_when_the_process_ends(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")
    catalog = register(lake, {"busy-timeout": "100"})
    question = f"SELECT a FROM {catalog}.t"

    with running(READER, lake.database) as reader:
        assert line(reader) == "[(2,)]"
        with running(WRITER, lake.uri) as writer:
            assert "COMMIT" in (error := line(writer)) and "database is locked" in error
            assert line(writer) == "closed"
            reader.kill()
            reader.wait()

            refused(spark, question, "DUCKLAKE_CATALOG_BUSY")
            with closing(sqlite3.connect(lake.database, timeout=0.1)) as other:
                with pytest.raises(sqlite3.OperationalError, match="locked"):
                    other.execute("SELECT count(*) FROM ducklake_snapshot")

            writer.kill()
            writer.wait()
    assert rows(spark, question) == [(1,)]
