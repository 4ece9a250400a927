"""What makes the commit of a transaction fail, and what does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from support.asking import refused, rows
from support.lakes import Lake
from support.peer import Peer, made

Register = Callable[..., str]

BASE = (
    "CREATE TABLE t (id INT, name VARCHAR)",
    "INSERT INTO t SELECT i, 'n' || i FROM range(20) r(i)",
    "CREATE TABLE u (id INT)",
)

READS = {
    "delete": "DELETE FROM {t} WHERE id BETWEEN 5 AND 9",
    "update": "UPDATE {t} SET name = 'x' WHERE id BETWEEN 5 AND 9",
    "merge": "MERGE INTO {t} t USING (SELECT 7 AS id) s ON t.id = s.id AND t.id BETWEEN 5 AND 9 "
    "WHEN MATCHED THEN UPDATE SET name = 'x' WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
}
"""Statements that read the rows with the ids 5 to 9."""


@pytest.fixture(params=[0, 10], ids=["files", "inlined"])
def limit(request: pytest.FixtureRequest) -> int:
    """How many rows of others are inlined."""
    return int(request.param)


def begun(spark: SparkSession, lake: Lake, register: Register, level: str, *statements: str) -> str:
    """A catalog with a transaction that ran statements."""
    made(lake, *BASE)
    catalog = register(lake, {"isolation-level": level})
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    for statement in statements:
        spark.sql(statement.format(t=f"{catalog}.t", u=f"{catalog}.u"))
    return catalog


def insert_by_others(lake: Lake, limit: int, row: str) -> int:
    """Another commit adds a row; the id of its snapshot."""
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {limit}") as peer:
        peer.run(f"INSERT INTO t VALUES {row}")
        return peer.head()


@pytest.mark.parametrize("read", READS)
def test_rows_that_were_not_read_do_not_matter(
    spark: SparkSession, lake: Lake, register: Register, limit: int, read: str
) -> None:
    statements = (READS[read], "INSERT INTO {u} VALUES (1)")
    catalog = begun(spark, lake, register, "serializable", *statements)
    head = insert_by_others(lake, limit, "(50, 'theirs')")

    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(head + 1,)]

    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM t WHERE name = 'theirs'") == 1
        assert peer.value("SELECT count(*) FROM u") == 1


@pytest.mark.parametrize("read", READS)
def test_rows_that_would_have_been_read_are_a_conflict(
    spark: SparkSession, lake: Lake, register: Register, limit: int, read: str
) -> None:
    statements = ("INSERT INTO {u} VALUES (1)", READS[read], "INSERT INTO {u} VALUES (2)")
    catalog = begun(spark, lake, register, "serializable", *statements)
    head = insert_by_others(lake, limit, "(6, 'theirs')")

    message = refused(
        spark,
        f"CALL {catalog}.system.commit_transaction()",
        "DUCKLAKE_COMMIT_CONFLICT",
        "The transaction cannot be committed",
        "main.t",
        "another commit added rows that may match",
        "Run the transaction again",
    )

    assert "statement" not in message.split("SQLSTATE")[0]
    with Peer(lake) as peer:
        assert peer.head() == head
        assert peer.value("SELECT count(*) FROM u") == 0


@pytest.mark.parametrize("read", READS)
def test_the_level_snapshot_minds_no_new_rows(
    spark: SparkSession, lake: Lake, register: Register, limit: int, read: str
) -> None:
    catalog = begun(spark, lake, register, "snapshot", READS[read])
    head = insert_by_others(lake, limit, "(6, 'theirs')")

    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(head + 1,)]


def test_a_merge_minds_deleted_rows_that_it_read(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = begun(spark, lake, register, "serializable", READS["merge"])
    made(lake, "DELETE FROM t WHERE id = 8")
    refused(
        spark,
        f"CALL {catalog}.system.commit_transaction()",
        "DUCKLAKE_COMMIT_CONFLICT",
        "The transaction cannot be committed",
        "main.t",
    )


def test_replaced_rows_mind_their_condition(
    spark: SparkSession, lake: Lake, register: Register, limit: int
) -> None:
    catalog = begun(spark, lake, register, "snapshot")
    spark.sql(f"CALL {catalog}.system.rollback_transaction()")
    for row, conflicts in (("(50, 'theirs')", False), ("(6, 'theirs')", True)):
        spark.sql(f"CALL {catalog}.system.begin_transaction()")
        frame = spark.sql("SELECT CAST(7 AS INT) AS id, 'own' AS name")
        frame.writeTo(f"{catalog}.t").overwrite(F.col("id").between(5, 9))
        head = insert_by_others(lake, limit, row)
        commit = f"CALL {catalog}.system.commit_transaction()"
        if conflicts:
            refused(spark, commit, "DUCKLAKE_COMMIT_CONFLICT", "The transaction", "main.t")
        else:
            assert rows(spark, commit) == [(head + 1,)]


@pytest.mark.parametrize("level", ["snapshot", "serializable"])
@pytest.mark.parametrize(
    "empty",
    ["DELETE FROM {t}", "TRUNCATE TABLE {t}", "INSERT OVERWRITE {t} SELECT * FROM {t} LIMIT 0"],
)
def test_rows_that_nobody_has_seen_are_not_deleted(
    spark: SparkSession, lake: Lake, register: Register, limit: int, level: str, empty: str
) -> None:
    archive = "INSERT INTO {u} SELECT id FROM {t}"
    catalog = begun(spark, lake, register, level, archive, empty)
    head = insert_by_others(lake, limit, "(50, 'theirs')")
    refused(
        spark,
        f"CALL {catalog}.system.commit_transaction()",
        "DUCKLAKE_COMMIT_CONFLICT",
        "The transaction cannot be committed",
        "main.t",
        "another commit added rows",
    )
    with Peer(lake) as peer:
        assert peer.head() == head
        assert peer.value("SELECT count(*) FROM t") == 21
        peer.run("DELETE FROM t WHERE id = 3")

    for statement in ("CALL {c}.system.begin_transaction()", archive, empty):
        spark.sql(statement.format(c=catalog, t=f"{catalog}.t", u=f"{catalog}.u"))
    made(lake, "DELETE FROM t WHERE id = 50")
    spark.sql(f"CALL {catalog}.system.commit_transaction()")
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM t") == 0
        assert peer.value("SELECT count(*) FROM u") == 20


def test_definitions_name_both_sides(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = begun(spark, lake, register, "snapshot", "ALTER TABLE {t} ADD COLUMN more INT")
    made(lake, "ALTER TABLE t ADD COLUMN other INT")
    with Peer(lake) as peer:
        head = peer.head()

    refused(
        spark,
        f"CALL {catalog}.system.commit_transaction()",
        "DUCKLAKE_COMMIT_CONFLICT",
        "The transaction cannot be committed: it wants to alter table main.t",
        f"snapshot {head}",
        "did alter table main.t",
    )
