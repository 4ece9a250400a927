"""A rollback of a whole lake beside other commits: refused, or the lake is what it was."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.lakes import LakeFactory
from support.peer import Peer, made
from support.proxy import PostgresProxy, begins_a_commit
from support.sweep import FULL

Register = Callable[..., str]

SETUP = (
    "CREATE TABLE t (a INT)",
    "INSERT INTO t SELECT i FROM range(40) r(i)",
    "CREATE TABLE same (a INT)",
    "INSERT INTO same VALUES (1)",
    "CREATE VIEW v AS SELECT 1 AS k",
    "DELETE FROM t WHERE a < 5",
)
PAST = 5

THEIRS = {
    "a row of a table that stays": "INSERT INTO same VALUES (2)",
    "another table": "CREATE TABLE w (i INT)",
    "another schema": "CREATE SCHEMA s",
    "another name": "ALTER TABLE t RENAME TO x",
    "another view": "CREATE OR REPLACE VIEW v AS SELECT 2 AS k",
    "a macro": "CREATE MACRO m() AS 3",
    "a table that goes": "DROP TABLE same",
}
CHOSEN = THEIRS if FULL else list(THEIRS)[:4]


@pytest.mark.parametrize("theirs", CHOSEN)
def test_a_rollback_of_the_lake_is_refused_after_any_other_commit(
    spark: SparkSession,
    lakes: LakeFactory,
    proxy: PostgresProxy,
    register: Register,
    theirs: str,
) -> None:
    lake = lakes.new("postgres")
    made(lake, *SETUP)
    catalog = register(replace(lake, uri=proxy.uri(lake.database)))
    call = f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => {PAST})"

    with proxy.held(begins_a_commit) as gate, ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: spark.sql(call).collect())
        running.add_done_callback(lambda _: gate.open())
        gate.wait()
        made(lake, THEIRS[theirs])
        before = read_catalog(lake)
        gate.open()
        with pytest.raises(PySparkException) as caught:
            running.result(timeout=120)

    assert caught.value.getCondition() == "DUCKLAKE_COMMIT_CONFLICT"
    assert read_catalog(lake) == before
    if theirs != "a macro":
        assert len(spark.sql(call).collect()) > 0
        with Peer(lake) as peer:
            assert peer.rows("SELECT count(*) FROM t") == [(40,)]
            assert peer.rows("SELECT a FROM same") == [(1,)]
