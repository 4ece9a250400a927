"""NULL in a column that is NOT NULL, which DuckDB registers: refused where it would be invented."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]


@pytest.fixture
def added(lake: Lake, tmp_path: Path) -> Lake:
    """A table with a good file, one with NULL, and one without the column."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (a INTEGER NOT NULL, b INTEGER)", "INSERT INTO t VALUES (1, 1)")
        for name, rows in (("null", "NULL::INT AS a, 2 AS b"), ("missing", "3 AS b")):
            file = tmp_path / f"{name}.parquet"
            peer.run(
                f"COPY (SELECT {rows}) TO '{file}' (FORMAT parquet)",
                f"CALL ducklake_add_data_files('lake', 't', '{file}', allow_missing => true)",
            )
    return lake


@pytest.mark.damages
@pytest.mark.parametrize("kind", ["sqlite"])
@pytest.mark.parametrize("b", [2, 3])
def test_null_is_refused_and_not_invented(
    added: Lake, register: Register, spark: SparkSession, b: int
) -> None:
    name = f"{register(added)}.t"

    with Peer(added) as peer:
        assert sorted(peer.rows("SELECT b, a FROM t")) == [(1, 1), (2, None), (3, None)]
    assert spark.sql(f"SELECT a FROM {name} WHERE b = 1").collect() == [(1,)]
    assert sorted(row.b for row in spark.sql(f"SELECT b FROM {name}").collect()) == [1, 2, 3]
    with pytest.raises(PySparkException, match="it has NULL in the column `a`, which is NOT NULL"):
        spark.sql(f"SELECT a, b FROM {name} WHERE b = {b}").collect()


@pytest.mark.damages
@pytest.mark.parametrize("kind", ["sqlite"])
def test_the_rows_are_read_without_not_null(
    added: Lake, register: Register, spark: SparkSession
) -> None:
    name = f"{register(added)}.t"

    spark.sql(f"ALTER TABLE {name} ALTER COLUMN a DROP NOT NULL")

    assert sorted(spark.sql(f"SELECT b, a FROM {name}").collect()) == [(1, 1), (2, None), (3, None)]


@pytest.mark.parametrize("kind", ["sqlite"])
def test_rows_that_are_deleted_do_not_matter(
    lake: Lake, register: Register, spark: SparkSession
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (a INTEGER, b INTEGER)",
            "INSERT INTO t VALUES (1, 1), (NULL, 2), (3, 3)",
            "DELETE FROM t WHERE a IS NULL",
            "ALTER TABLE t ALTER COLUMN a SET NOT NULL",
        )

    assert sorted(spark.table(f"{register(lake)}.t").collect()) == [(1, 1), (3, 3)]
