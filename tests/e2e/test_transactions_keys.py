"""Partition keys that change within a transaction, before and after it added rows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import rows
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.peer import Peer
from support.transactions import Statement, check_alike

Register = Callable[..., str]

PLAIN = (
    "CREATE TABLE u (id INT, part VARCHAR)",
    "INSERT INTO u SELECT i, 'p' || (i % 3) FROM range(6) r(i)",
)
KEYED = (
    "CREATE TABLE u (id INT, part VARCHAR)",
    "ALTER TABLE u SET PARTITIONED BY (part)",
    PLAIN[1],
)


def keys(name: str) -> Statement:
    """Sets the partition key."""
    return (
        f"CALL {{c}}.system.set_partitioned_by('u', array('{name}'))",
        f"ALTER TABLE u SET PARTITIONED BY ({name})",
    )


NO_KEYS: Statement = (
    "CALL {c}.system.reset_partitioned_by('u')",
    "ALTER TABLE u RESET PARTITIONED BY",
)
"""After it DuckDB 1.5.5 ends with an internal error when the same transaction inserts."""


def insert(first: int) -> str:
    """Two rows of two partitions."""
    return f"INSERT INTO {{c}}.u VALUES ({first}, 'p1'), ({first + 1}, 'own')"


STATEMENTS: dict[str, tuple[tuple[str, ...], tuple[Statement, ...]]] = {
    "set": (PLAIN, (insert(10), keys("part"), insert(20))),
    "set at first": (PLAIN, (keys("part"), insert(10))),
    "reset": (KEYED, (insert(10), NO_KEYS, insert(20))),
    "replaced": (KEYED, (insert(10), keys("id"), insert(20))),
}


def layouts(lake: Lake) -> list[tuple[object, ...]]:
    """The rows in live files by keys and partition values, and the keys of the table."""
    meta = "__ducklake_metadata_lake.ducklake"
    with Peer(lake) as peer:
        return peer.rows(
            f"""SELECT sum(rows)::INT, keys, held FROM (
                SELECT record_count AS rows, (SELECT list((column_id, transform)) FROM
                    {meta}_partition_column AS k WHERE k.partition_id = file.partition_id) AS keys,
                    (SELECT list(partition_value) FROM {meta}_file_partition_value AS v
                    WHERE v.data_file_id = file.data_file_id) AS held
                FROM {meta}_data_file AS file WHERE end_snapshot IS NULL) GROUP BY ALL
            UNION ALL SELECT NULL, (SELECT list((column_id, transform)) FROM
                {meta}_partition_column AS k WHERE k.partition_id = live.partition_id), NULL
            FROM {meta}_partition_info AS live WHERE end_snapshot IS NULL
            ORDER BY ALL"""
        )


@pytest.mark.every_database
@pytest.mark.parametrize("name", STATEMENTS)
def test_files_have_the_keys_of_their_time(
    spark: SparkSession,
    lake: Lake,
    lakes: LakeFactory,
    kind: CatalogKind,
    register: Register,
    name: str,
) -> None:
    base, statements = STATEMENTS[name]
    twin = lakes.new(kind)

    together = NO_KEYS not in statements
    check_alike(spark, register, (lake, twin), 0, base, statements, together=together)

    assert layouts(lake) == layouts(twin)


CHANGED: dict[str, tuple[tuple[str, ...], tuple[Statement, ...]]] = {
    "set twice": (PLAIN, (keys("part"), insert(10), keys("id"), insert(20))),
    "and back": (KEYED, (insert(10), NO_KEYS, insert(20), keys("part"), insert(30))),
    "rows changed": (
        KEYED,
        (
            insert(10),
            NO_KEYS,
            "UPDATE {c}.u SET part = 'x' WHERE part = 'p1'",
            keys("id"),
            insert(20),
            "DELETE FROM {c}.u WHERE part = 'own' AND id < 20",
            "UPDATE {c}.u SET id = id + 100 WHERE part = 'p2'",
        ),
    ),
    "a column widened": (
        PLAIN,
        (
            insert(10),
            keys("id"),
            ("ALTER TABLE {c}.u ALTER COLUMN id TYPE BIGINT", "ALTER TABLE u ALTER id TYPE BIGINT"),
            insert(20),
        ),
    ),
}


@pytest.mark.parametrize("name", CHANGED)
def test_rows_are_the_same_whatever_the_keys(
    spark: SparkSession,
    lake: Lake,
    lakes: LakeFactory,
    kind: CatalogKind,
    register: Register,
    name: str,
) -> None:
    base, statements = CHANGED[name]
    twins = (lake, lakes.new(kind))
    together = NO_KEYS not in statements
    catalog = check_alike(spark, register, twins, 0, base, statements, together=together)

    wanted: dict[str, list[tuple[object, ...]]] = {}
    with Peer(lake) as peer:
        for part in ("p0", "p1", "p2", "own", "x"):
            wanted[part] = sorted(peer.rows(f"SELECT id FROM u WHERE part || '' = '{part}'"))
            assert sorted(peer.rows(f"SELECT id FROM u WHERE part = '{part}'")) == wanted[part]
    for part, found in wanted.items():
        assert sorted(rows(spark, f"SELECT id FROM {catalog}.u WHERE part = '{part}'")) == found


def test_inlined_rows_do_not_mind_keys(spark: SparkSession, lake: Lake, register: Register) -> None:
    """DuckDB refuses keys after inlined rows of the same transaction; here they are possible."""
    with Peer(lake) as peer:
        peer.run(*PLAIN)
    catalog = register(lake)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (10, 'p1')")
    spark.sql(f"CALL {catalog}.system.set_partitioned_by('u', array('part'))")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (20, 'p1')")
    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    with Peer(lake) as peer:
        assert sorted(peer.rows("SELECT id FROM u WHERE part = 'p1'")) == [(1,), (4,), (10,), (20,)]
        peer.run("CALL ducklake_flush_inlined_data('lake')")
        assert peer.value("SELECT count(*) FROM u WHERE part = 'p1'") == 4


def test_a_new_table_gets_keys_after_rows(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake, IN_FILES)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"CREATE TABLE {catalog}.u (id INT, part STRING)")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (1, 'a')")
    spark.sql(f"CALL {catalog}.system.set_partitioned_by('u', array('part'))")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (2, 'a')")
    spark.sql(f"CALL {catalog}.system.commit_transaction()")

    found = layouts(lake)
    assert [row for row in found if row[0] is not None and row[2] is None] != []
    assert [row[2] for row in found if row[0] is not None and row[2] is not None] == [["a"]]
    with Peer(lake) as peer:
        assert sorted(peer.rows("SELECT id FROM u WHERE part = 'a'")) == [(1,), (2,)]
