"""Small inserts into lakes that DuckDB 1.4 made in PostgreSQL, after a migration.

DuckDB up to 1.4 kept inlined texts and points in time in columns of other types than today.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.fixtures import Fixture, FixtureStore
from support.lakes import Lake
from support.peer import Peer
from support.postgres import PostgresServer

Register = Callable[..., str]

FIXTURE = Fixture("0.3", "postgres", "inlined_single")
SMALL = "SELECT id, v, d FROM {t} WHERE id < 100 OR id >= 900 ORDER BY id"


def by_both(spark: SparkSession, catalog: str, lake: Lake) -> list[tuple[object, ...]]:
    """The rows that the catalog keeps, as both engines read them."""
    answer = rows(spark, SMALL.format(t=f"{catalog}.t"))
    with Peer(lake) as peer:
        assert peer.rows(SMALL.format(t="t")) == answer
    return answer


@pytest.mark.parametrize("migrated_by", ["Spark", "DuckDB"])
def test_small_inserts_after_a_migration_keep_their_values(
    migrated_by: str,
    tmp_path: Path,
    server: PostgresServer,
    spark: SparkSession,
    register: Register,
) -> None:
    lake = FixtureStore(tmp_path, server).lake(FIXTURE)
    if migrated_by == "DuckDB":
        with Peer(lake, "AUTOMATIC_MIGRATION true"):
            pass
    catalog = register(lake, {"automatic-migration": "true"})
    if migrated_by == "Spark":
        spark.sql(f"CREATE SCHEMA {catalog}.s")
        with Peer(lake) as peer:
            peer.run("INSERT INTO t VALUES (899, 'früh', DATE '2024-02-28')")
            peer.run("UPDATE t SET id = 900 WHERE id = 899")

    spark.sql(f"INSERT INTO {catalog}.t VALUES (901, 'h\\\\ello', DATE '2024-02-29')")
    spark.sql(f"UPDATE {catalog}.t SET v = 'new' WHERE id = 3")
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (902, 'spät', DATE '2024-03-01')")
        peer.run("UPDATE t SET v = 'newest' WHERE id = 4")

    early = [(900, "früh", date(2024, 2, 28))] if migrated_by == "Spark" else []
    assert by_both(spark, catalog, lake) == [
        (1, "upd", date(2024, 1, 1)),
        (3, "new", date(1969, 12, 31)),
        (4, "newest", None),
        *early,
        (901, "h\\ello", date(2024, 2, 29)),
        (902, "spät", date(2024, 3, 1)),
    ]
