"""BEGIN TRANSACTION, START TRANSACTION, COMMIT and ROLLBACK: the words of the procedures."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.lakes import Lake, LakeFactory
from support.lines import SPARK
from support.peer import Peer, made

Register = Callable[..., str]

# The words are about Spark's parser; what the procedures do is in test_transactions.py.
pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

STATE = "DUCKLAKE_TRANSACTION_STATE"


@pytest.fixture
def current(spark: SparkSession, lake: Lake, register: Register) -> SparkSession:
    """A session whose current catalog is a lake with a table of one row."""
    made(lake, "CREATE TABLE t AS SELECT 1 AS id")
    session = spark.newSession()
    session.sql(f"USE {register(lake, session=session)}")
    return session


def head(lake: Lake) -> int:
    """The newest snapshot."""
    with Peer(lake) as peer:
        return peer.head()


@pytest.mark.parametrize(
    ("begin", "commit", "rollback"),
    [
        ("BEGIN TRANSACTION", "COMMIT", "ROLLBACK"),
        ("begin work;", "commit work;", "rollback work;"),
        ("START TRANSACTION", "COMMIT TRANSACTION", "-- no\nROLLBACK TRANSACTION /* ! */"),
    ],
)
def test_words_do_what_the_procedures_do(
    current: SparkSession, lake: Lake, begin: str, commit: str, rollback: str
) -> None:
    base = head(lake)

    assert rows(current, begin) == [(base,)]
    current.sql("INSERT INTO t VALUES (2)")
    current.sql("CREATE TABLE u AS SELECT id FROM t")
    assert rows(current, rollback) == []
    assert rows(current, "SELECT id FROM t") == [(1,)]

    assert rows(current, begin) == [(base,)]
    current.sql("INSERT INTO t VALUES (3)")
    current.sql("CREATE TABLE u AS SELECT id FROM t")
    assert head(lake) == base
    assert rows(current, commit) == [(base + 1,)]
    with Peer(lake) as peer:
        assert peer.rows("SELECT id FROM u ORDER BY id") == [(1,), (3,)]
        assert peer.head() == base + 1


@pytest.mark.parametrize(
    ("word", "procedure"),
    [("COMMIT", "commit_transaction"), ("ROLLBACK", "rollback_transaction")],
)
def test_errors_are_those_of_the_procedures(
    current: SparkSession, word: str, procedure: str
) -> None:
    catalog = current.catalog.currentCatalog()
    by_word = refused(current, word, STATE, "none is open")

    assert str(by_word) == str(refused(current, f"CALL {catalog}.system.{procedure}()", STATE))


def test_the_current_lake_is_meant(current: SparkSession, lake: Lake) -> None:
    catalog, base = current.catalog.currentCatalog(), head(lake)
    current.sql("BEGIN TRANSACTION")
    current.sql("INSERT INTO t VALUES (2)")
    current.sql("USE spark_catalog")

    for word, procedure in (
        ("START TRANSACTION", "begin_transaction"),
        ("COMMIT", "commit_transaction"),
        ("ROLLBACK", "rollback_transaction"),
    ):
        refused(current, word, STATE, "not a lake", "USE lake", f"CALL lake.system.{procedure}()")

    assert value(current, f"SELECT count(*) FROM {catalog}.t") == 2
    assert head(lake) == base
    current.sql(f"USE {catalog}")
    assert rows(current, "COMMIT") == [(base + 1,)]


def test_each_of_two_lakes_has_its_own(
    current: SparkSession, lakes: LakeFactory, lake: Lake, register: Register
) -> None:
    other = lakes.new("sqlite")
    made(other, "CREATE TABLE t AS SELECT 1 AS id")
    first, second = current.catalog.currentCatalog(), register(other, session=current)
    base = head(lake)
    current.sql("BEGIN TRANSACTION")
    current.sql("INSERT INTO t VALUES (2)")

    current.sql(f"USE {second}")
    refused(current, "COMMIT", STATE, f"`{second}`", "none is open")
    current.sql("BEGIN TRANSACTION")
    current.sql("INSERT INTO t VALUES (3)")
    current.sql("ROLLBACK")
    assert value(current, "SELECT count(*) FROM t") == 1

    current.sql(f"USE {first}")
    assert rows(current, "COMMIT") == [(base + 1,)]


def test_scripts_are_sparks(current: SparkSession, lake: Lake) -> None:
    base = head(lake)
    current.conf.set("spark.sql.scripting.enabled", "true")  # Spark 4.0 has it, and not by default

    found = rows(
        current,
        "BEGIN\n"
        "  DECLARE transaction INT DEFAULT 5;\n"
        "  -- COMMIT\n"
        "  INSERT INTO t VALUES (2);\n"
        "  SELECT transaction, 'COMMIT; ROLLBACK' AS commit;\n"
        "END",
    )

    assert found == [(5, "COMMIT; ROLLBACK")]
    assert head(lake) == base + 1


@pytest.mark.skipif(SPARK < (4, 1), reason="Spark 4.0 has no handlers in scripts")
def test_a_handler_of_a_script_rolls_back(current: SparkSession) -> None:
    catalog = current.catalog.currentCatalog()
    current.sql("BEGIN TRANSACTION")
    current.sql(
        "BEGIN\n"
        f"  DECLARE EXIT HANDLER FOR SQLEXCEPTION CALL {catalog}.system.rollback_transaction();\n"
        "  INSERT INTO t VALUES (3);\n"
        "  SELECT raise_error('no');\n"
        "END"
    ).collect()
    assert rows(current, "SELECT id FROM t") == [(1,)]
    refused(current, "COMMIT", STATE, "none is open")


def test_other_uses_of_the_words_are_sparks(current: SparkSession) -> None:
    frame = current.range(1).selectExpr("id AS commit").selectExpr("commit + 1 AS rollback")

    assert frame.selectExpr("rollback").collect() == [(1,)]
    assert rows(current, "SELECT * FROM (SELECT 1 AS commit) AS rollback") == [(1,)]
    refused(current, "BEGIN", "PARSE_SYNTAX_ERROR")
