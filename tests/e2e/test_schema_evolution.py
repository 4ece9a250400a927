"""WITH SCHEMA EVOLUTION: a statement's new columns and its rows are one snapshot."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.lakes import IN_FILES, Lake
from support.lines import EVOLVING_INSERT, EVOLVING_MERGE, ONE_STATEMENT, since
from support.peer import Peer, last_commit

Register = Callable[..., str]


@pytest.fixture
def made(lake: Lake) -> Lake:
    """A lake with a table of one column and one row in the catalog."""
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    return lake


@since(EVOLVING_INSERT)
def test_insert_adds_columns(spark: SparkSession, made: Lake, register: Register) -> None:
    catalog = register(made, IN_FILES)

    spark.sql(
        f"INSERT WITH SCHEMA EVOLUTION INTO {catalog}.t BY NAME "
        "SELECT 2 AS a, 'x' AS b, named_struct('c', 1.5D) AS s"
    )

    head, changes = last_commit(made)
    assert head == 3
    assert "tables_altered" in changes
    assert "tables_inserted_into" in changes
    with Peer(made) as peer:
        assert peer.rows("SELECT a, b, s.c FROM t ORDER BY a") == [(1, None, None), (2, "x", 1.5)]
        peer.run("INSERT INTO t VALUES (3, 'y', {'c': 2})")
    rows = spark.sql(f"SELECT a, b, s.c FROM {catalog}.t ORDER BY a").collect()
    assert [tuple(row) for row in rows] == [(1, None, None), (2, "x", 1.5), (3, "y", 2.0)]


@since(EVOLVING_INSERT)
def test_insert_widens_columns(spark: SparkSession, made: Lake, register: Register) -> None:
    catalog = register(made)

    spark.sql(
        f"INSERT WITH SCHEMA EVOLUTION INTO {catalog}.t BY NAME SELECT 5000000000 AS a, 'x' AS b"
    )

    assert last_commit(made)[0] == 3
    with Peer(made) as peer:
        assert peer.rows("SELECT a, b FROM t ORDER BY a") == [(1, None), (5000000000, "x")]


@since(EVOLVING_INSERT)
def test_values_of_narrower_types_are_cast(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a BIGINT, b DOUBLE)")
    catalog = register(lake)

    spark.sql(
        f"INSERT WITH SCHEMA EVOLUTION INTO {catalog}.t BY NAME SELECT 1 AS a, 2 AS b, 3 AS c"
    )

    with Peer(lake) as peer:
        types = [(name, kind) for name, kind, *_ in peer.rows("DESCRIBE t")]
        assert types == [("a", "BIGINT"), ("b", "DOUBLE"), ("c", "INTEGER")]
        assert peer.rows("FROM t") == [(1, 2.0, 3)]


@since(ONE_STATEMENT)
def test_merge_adds_columns(spark: SparkSession, made: Lake, register: Register) -> None:
    catalog = register(made)

    spark.sql(
        f"MERGE WITH SCHEMA EVOLUTION INTO {catalog}.t AS t "
        "USING (SELECT * FROM VALUES (1, 'one'), (2, 'two') AS v(a, b)) AS s ON t.a = s.a "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )

    assert last_commit(made)[0] == 3
    with Peer(made) as peer:
        assert peer.rows("SELECT a, b, rowid FROM t ORDER BY a") == [(1, "one", 0), (2, "two", 1)]


@since(EVOLVING_INSERT)
def test_a_failed_statement_leaves_no_column(
    spark: SparkSession, made: Lake, register: Register
) -> None:
    catalog = register(made)

    with pytest.raises(PySparkException):
        spark.sql(
            f"INSERT WITH SCHEMA EVOLUTION INTO {catalog}.t BY NAME "
            "SELECT 2 AS a, raise_error('no') AS b"
        )

    with Peer(made) as peer:
        assert peer.head() == 2
        assert peer.rows("SELECT * FROM t") == [(1,)]


ON_A = "ON t.a = s.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


@since(EVOLVING_MERGE)
@pytest.mark.parametrize(
    "statement",
    [
        f"MERGE WITH SCHEMA EVOLUTION INTO {{t}} t USING (SELECT 1 AS a, 2 AS b) AS s {ON_A}",
        "MERGE WITH SCHEMA EVOLUTION INTO IDENTIFIER('{t}') t USING (SELECT 1 AS a, 2 AS b) AS s "
        + ON_A,
        f"WITH s AS (SELECT 1L AS a) MERGE WITH SCHEMA EVOLUTION INTO {{t}} t USING s {ON_A}",
        pytest.param(
            "INSERT WITH SCHEMA EVOLUTION INTO {t} BY NAME SELECT 2 AS a, 'x' AS b",
            marks=since(EVOLVING_INSERT),
        ),
    ],
)
def test_explain_adds_no_columns(
    spark: SparkSession, made: Lake, register: Register, statement: str
) -> None:
    """Spark shows an error of planning as the plan; Spark 4.1 is refused before."""
    explain = "EXPLAIN EXTENDED " + statement.format(t=f"{register(made)}.main.t")

    try:
        told = "\n".join(row[0] for row in spark.sql(explain).collect())
    except PySparkException as error:
        told = str(error)

    with Peer(made) as peer:
        assert peer.head() == 2
        assert [row[:2] for row in peer.rows("DESCRIBE t")] == [("a", "INTEGER")]
    assert "EXPLAIN" in told
    assert "WITH SCHEMA EVOLUTION" in told
    assert "is not supported" in told


def test_without_the_words_a_new_column_is_refused(
    spark: SparkSession, made: Lake, register: Register
) -> None:
    catalog = register(made)

    with pytest.raises(PySparkException):
        spark.sql(f"INSERT INTO {catalog}.t BY NAME SELECT 2 AS a, 'x' AS b")

    with Peer(made) as peer:
        assert peer.head() == 2
