"""Transactions as `with` blocks, in a classic session and over Spark Connect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ducklake_spark as dl
import pytest
from pyspark.sql import SparkSession

from support.connect import connected
from support.lakes import Lake
from support.lines import SPARK
from support.peer import Peer

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)


@pytest.fixture
def made(session: SparkSession, lake: Lake, register: Register) -> dl.Lake:
    """A lake with two tables of one row each."""
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS id", "CREATE TABLE u AS SELECT 1 AS id")
    return dl.Lake(session, register(lake, session=session))


def head(lake: Lake) -> int:
    """The newest snapshot."""
    with Peer(lake) as peer:
        return peer.head()


def ids(made: dl.Lake, table: str) -> list[int]:
    """The ids in a table."""
    return sorted(row.id for row in made.table(table).to_df().collect())


def test_the_end_of_the_block_commits(made: dl.Lake, lake: Lake) -> None:
    base = head(lake)

    with made.transaction(author="Ada", message="both") as tx:
        made.table("t").append(made.spark.range(5, 7))
        made.table("u").append(made.table("t").to_df())
        assert ids(made, "u") == [1, 1, 5, 6]
        assert head(lake) == base
        assert tx.is_open

    assert (tx.base, tx.snapshot, tx.is_open) == (base, base + 1, False)
    assert ids(made, "u") == [1, 1, 5, 6]
    row = made.history(1).collect()[0]
    assert (row.snapshot_id, row.author, row.commit_message) == (base + 1, "Ada", "both")


def test_an_error_in_the_block_rolls_back(made: dl.Lake, lake: Lake) -> None:
    base = head(lake)

    with pytest.raises(RuntimeError, match="stop"), made.transaction() as tx:
        made.table("t").append(made.spark.range(5, 7))
        made.create_table("n", "id BIGINT")
        raise RuntimeError("stop")

    assert (tx.snapshot, tx.is_open) == (None, False)
    assert head(lake) == base
    assert ids(made, "t") == [1]


def test_an_error_after_a_commit_of_the_block_is_the_error_of_the_block(
    made: dl.Lake, lake: Lake
) -> None:
    base = head(lake)

    with pytest.raises(RuntimeError, match="stop"), made.transaction():
        made.table("t").append(made.spark.range(5, 7))
        made.spark.sql(f"CALL {made.catalog}.system.commit_transaction()").collect()
        raise RuntimeError("stop")

    assert head(lake) == base + 1
    with made.transaction() as tx:
        made.table("t").append(made.spark.range(7, 8))
    assert (tx.snapshot, ids(made, "t")) == (base + 2, [1, 5, 6, 7])


def test_a_block_may_end_its_transaction(made: dl.Lake, lake: Lake) -> None:
    base = head(lake)

    with made.transaction() as tx:
        made.table("t").append(made.spark.range(5, 7))
        assert tx.commit() == base + 1
    with made.transaction() as other:
        made.table("t").append(made.spark.range(7, 9))
        other.rollback()

    assert head(lake) == base + 1
    assert (
        repr(tx)
        == f"<Transaction of {made.catalog} on snapshot {base}, ended, snapshot {base + 1}>"
    )


def test_a_session_has_one_transaction(made: dl.Lake) -> None:
    begun = made.begin()

    with pytest.raises(dl.TransactionStateError, match="one is open already"):
        made.begin()
    begun.rollback()
    with pytest.raises(dl.TransactionStateError, match="none is open"):
        begun.rollback()


def test_the_words_of_sql(made: dl.Lake, lake: Lake) -> None:
    base, spark = head(lake), made.spark
    spark.sql(f"USE {made.catalog}")

    spark.sql("BEGIN TRANSACTION").collect()
    spark.sql("INSERT INTO t VALUES (2)").collect()
    spark.sql("ROLLBACK").collect()
    spark.sql("START TRANSACTION").collect()
    spark.sql("INSERT INTO u SELECT id + 4 FROM t").collect()
    (row,) = spark.sql("COMMIT").collect()

    assert tuple(row) == (base + 1,)
    assert (ids(made, "t"), ids(made, "u")) == ([1], [1, 5])


@pytest.mark.skipif(SPARK < (4, 1), reason="Spark 4.0 has no clones over Spark Connect")
def test_a_clone_over_connect_does_not_join(
    connect_address: str, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INT)")
    remote: Any = connected(connect_address)
    here = dl.Lake(remote, register(lake, session=remote))
    with here.transaction() as tx:
        remote.sql(f"INSERT INTO {here.catalog}.t VALUES (1)").collect()
        clone = remote.cloneSession()
        there = dl.Lake(clone, here.catalog)
        assert ids(there, "t") == []
        with there.transaction():
            clone.sql(f"INSERT INTO {here.catalog}.t VALUES (2)").collect()
            assert ids(there, "t") == [2]
        assert ids(here, "t") == [1]
        assert tx.is_open
    assert ids(there, "t") == [1, 2]
    remote.stop()  # PySpark cannot stop a clone
    with Peer(lake) as peer:
        assert peer.rows("FROM t ORDER BY id") == [(1,), (2,)]
