"""Inlined tables whose schema version DuckDB does not record, so that it mistakes their columns."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.catalogdb import execute
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]
KINDS: list[CatalogKind] = ["sqlite", "postgres"]


@pytest.fixture
def altered(lake: Lake) -> Lake:
    """A table that DuckDB altered without inlining, with a row that it inlined afterwards."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (a INT)", "ALTER TABLE t ADD COLUMN b INT")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run("INSERT INTO t VALUES (1, 2)")
    return lake


@pytest.mark.parametrize("kind", KINDS)
def test_duckdb_alone_loses_the_column(altered: Lake) -> None:
    with Peer(altered) as peer:
        peer.run("CREATE TABLE other (i INT)")
    with Peer(altered) as peer:
        assert peer.rows("SELECT * FROM t") == [(1, None)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "statement", ["INSERT INTO {t} VALUES (3, 4)", "ALTER TABLE {t} ALTER COLUMN a COMMENT 'x'"]
)
def test_a_commit_of_spark_tells_the_version(
    altered: Lake, register: Register, spark: SparkSession, statement: str
) -> None:
    name = f"{register(altered)}.t"
    spark.sql(statement.replace("{t}", name))
    with Peer(altered) as peer:
        peer.run("CREATE TABLE other (i INT)", "INSERT INTO t VALUES (5, 6)")

    rows = {(1, 2), (5, 6)} | ({(3, 4)} if "INSERT" in statement else set())
    assert {tuple(row) for row in spark.table(name).collect()} == rows
    with Peer(altered) as peer:
        assert set(peer.rows("SELECT * FROM t")) == rows
        peer.run("CALL ducklake_flush_inlined_data('lake')")
        assert set(peer.rows("SELECT * FROM t")) == rows


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("has_duckdb_expired", [False, True])
@pytest.mark.parametrize(
    "statement",
    ["CALL {c}.system.expire_snapshots(older_than => now())", "INSERT INTO {c}.t VALUES (3, 4)"],
)
def test_the_version_is_told_though_its_snapshots_expire(
    altered: Lake,
    register: Register,
    spark: SparkSession,
    statement: str,
    has_duckdb_expired: bool,
) -> None:
    with Peer(altered) as peer:
        peer.run("CREATE TABLE other (i INT)", "INSERT INTO other VALUES (1)")
        if has_duckdb_expired:
            past = [*range(peer.head())]
            peer.run(f"CALL ducklake_expire_snapshots('lake', versions => {past})")

    spark.sql(statement.replace("{c}", register(altered)))

    rows = {(1, 2)} | ({(3, 4)} if "INSERT" in statement else set())
    with Peer(altered) as peer:
        assert set(peer.rows("SELECT * FROM t")) == rows
        peer.run("CALL ducklake_flush_inlined_data('lake')")
        assert set(peer.rows("SELECT * FROM t")) == rows


def test_spark_reads_inlined_rows_with_the_columns_of_their_snapshot(
    lakes: LakeFactory, register: Register, spark: SparkSession
) -> None:
    """DuckDB's migration forgets versions whose snapshots have expired; in 0.2 none is recorded."""
    lake = lakes.new("sqlite")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run(
            "CREATE TABLE t (a INT)",
            "INSERT INTO t VALUES (1)",
            "ALTER TABLE t ADD COLUMN w INT",
            "INSERT INTO t VALUES (2, 20)",
        )
    execute(lake, "DELETE FROM ducklake_schema_versions WHERE begin_snapshot = 3")

    rows = {tuple(row) for row in spark.table(f"{register(lake)}.t").collect()}

    assert rows == {(1, None), (2, 20)}
