"""Columns that change after a transaction has added rows to their table; DuckDB is the judge."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import CatalogKind, Lake, LakeFactory
from support.lines import VARIANT_WRITES, since
from support.peer import Peer
from support.transactions import Statement, check_alike, lived, seen_in, tables_of

Register = Callable[..., str]

BASE = (
    "CREATE TABLE u (id INT, part VARCHAR, score FLOAT)",
    "INSERT INTO u SELECT i, 'p' || (i % 3), i / 2 FROM range(6) r(i)",
    "CREATE TABLE n (id INT, s STRUCT(a INT, b VARCHAR), l STRUCT(x INT)[])",
    "INSERT INTO n VALUES (1, {'a': 2, 'b': 'x'}, [{'x': 3}])",
)

OWN: tuple[Statement, ...] = (
    "INSERT INTO {c}.u VALUES (7, 'own', 0.1), (8, 'own', 8.5), (9, NULL, NULL)",
    "DELETE FROM {c}.u WHERE id IN (2, 8)",
)
"""The transaction has rows of its own, one of them dead."""


def alter(change: str, theirs: str | None = None, table: str = "u") -> Statement:
    """A change of a table, in the words of both engines."""
    return (
        f"ALTER TABLE {{c}}.{table} {change}",
        f"ALTER TABLE {table} {change if theirs is None else theirs}",
    )


STATEMENTS: dict[str, tuple[Statement, ...]] = {
    "added": (
        *OWN,
        alter("ADD COLUMN more INT"),
        "INSERT INTO {c}.u VALUES (10, 'later', 1, 100)",
        "UPDATE {c}.u SET more = id WHERE id IN (1, 7, 10)",
        "DELETE FROM {c}.u WHERE more IS NULL AND id < 4",
        "INSERT INTO {c}.u VALUES (11, 'last', 1, NULL)",
    ),
    "added with a default": (
        *OWN,
        alter("ADD COLUMN more INT DEFAULT 5"),
        "INSERT INTO {c}.u VALUES (10, 'later', 1, 100)",
        "UPDATE {c}.u SET part = 'x' WHERE more = 5 AND id > 4",
        "DELETE FROM {c}.u WHERE id = 9",
    ),
    "dropped": (
        *OWN,
        "ALTER TABLE {c}.u DROP COLUMN part",
        "INSERT INTO {c}.u VALUES (10, 1)",
        "UPDATE {c}.u SET score = 3 WHERE id > 8",
        "DELETE FROM {c}.u WHERE id = 7",
    ),
    "renamed": (
        *OWN,
        "ALTER TABLE {c}.u RENAME COLUMN part TO kind",
        "INSERT INTO {c}.u VALUES (10, 'later', 1)",
        "UPDATE {c}.u SET kind = 'x' WHERE kind = 'own'",
    ),
    "dropped and added again": (
        *OWN,
        "ALTER TABLE {c}.u DROP COLUMN part",
        alter("ADD COLUMN part STRING", "ADD COLUMN part VARCHAR"),
        "INSERT INTO {c}.u VALUES (10, 1, 'later')",
        "UPDATE {c}.u SET part = 'x' WHERE id IN (0, 7)",
    ),
    "widened": (
        *OWN,
        alter("ALTER COLUMN id TYPE BIGINT"),
        "INSERT INTO {c}.u VALUES (5000000000, 'later', 1)",
        "UPDATE {c}.u SET part = 'x' WHERE id >= 7",
        "DELETE FROM {c}.u WHERE id = 9",
    ),
    "a float that becomes a double": (
        *OWN,
        alter("ALTER COLUMN score TYPE DOUBLE"),
        ("INSERT INTO {c}.u VALUES (10, 'later', 0.1D)", "INSERT INTO u VALUES (10, 'later', 0.1)"),
        "UPDATE {c}.u SET part = 'x' WHERE score < 0.2",
    ),
    "fields": (
        (
            "INSERT INTO {c}.n "
            "VALUES (2, named_struct('a', 5, 'b', 'y'), array(named_struct('x', 6)))",
            "INSERT INTO n VALUES (2, {'a': 5, 'b': 'y'}, [{'x': 6}])",
        ),
        alter("ADD COLUMN s.c INT", table="n"),
        alter("DROP COLUMN s.a", table="n"),
        (
            "INSERT INTO {c}.n VALUES (3, named_struct('b', 'z', 'c', 7), NULL)",
            "INSERT INTO n VALUES (3, {'b': 'z', 'c': 7}, NULL)",
        ),
        "DELETE FROM {c}.n WHERE s.b = 'x'",
    ),
    "a new table": (
        ("CREATE TABLE {c}.m (id INT, s STRING)", "CREATE TABLE m (id INT, s VARCHAR)"),
        "INSERT INTO {c}.m VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        alter("ADD COLUMN more INT DEFAULT 5", table="m"),
        alter("ALTER COLUMN id TYPE BIGINT", table="m"),
        "INSERT INTO {c}.m VALUES (5000000000, 'd', 6)",
        "UPDATE {c}.m SET s = 'x' WHERE more = 5 AND id > 1",
        "ALTER TABLE {c}.m DROP COLUMN s",
        "DELETE FROM {c}.m WHERE id = 3",
    ),
    "added and dropped": (
        *OWN,
        alter("ADD COLUMN more INT DEFAULT 5"),
        "INSERT INTO {c}.u VALUES (10, 'later', 1, 100)",
        "ALTER TABLE {c}.u DROP COLUMN more",
        "INSERT INTO {c}.u VALUES (11, 'last', 1)",
    ),
    "everything at once": (
        *OWN,
        alter("ADD COLUMN more INT DEFAULT 5"),
        "INSERT INTO {c}.u VALUES (10, 'later', 1, 100)",
        alter("ALTER COLUMN id TYPE BIGINT"),
        "ALTER TABLE {c}.u RENAME COLUMN part TO kind",
        "INSERT INTO {c}.u VALUES (5000000000, 'last', 1, 7)",
        "ALTER TABLE {c}.u DROP COLUMN score",
        "UPDATE {c}.u SET kind = 'x' WHERE more <> 5",
        "DELETE FROM {c}.u WHERE id = 10",
    ),
}


@pytest.fixture(params=[0, 20], ids=["files", "inlined"])
def limit(request: pytest.FixtureRequest) -> int:
    """How many rows are inlined, in both lakes."""
    return int(request.param)


@pytest.mark.parametrize("name", STATEMENTS)
def test_columns_change_after_own_rows(
    spark: SparkSession,
    lake: Lake,
    lakes: LakeFactory,
    kind: CatalogKind,
    register: Register,
    limit: int,
    name: str,
) -> None:
    if name == "fields":
        limit = 0  # DuckDB refuses to change fields after inlined rows of the transaction
    catalog = check_alike(spark, register, (lake, lakes.new(kind)), limit, BASE, STATEMENTS[name])

    for table in ("u", "n"):
        check_feed(lake, table)
        check_filters(spark, catalog, lake, table)
    with Peer(lake) as peer:
        # A column may get the id of one that the transaction has added and dropped.
        peer.run("ALTER TABLE u ADD COLUMN fresh INT", "INSERT INTO n (id) VALUES (50)")
        assert peer.value("SELECT count(*) FROM u WHERE fresh IS NOT NULL") == 0
        before = tables_of(peer)
    for procedure in ("flush_inlined_data", "rewrite_data_files", "merge_adjacent_files"):
        spark.sql(f"CALL {catalog}.system.{procedure}()")
        with Peer(lake) as peer:
            assert tables_of(peer) == before, procedure
        for table in ("u", "n"):
            assert seen_in(spark, f"{catalog}.{table}") == before[f"main.{table}"], procedure


@pytest.mark.every_database
def test_each_database_takes_changed_columns(
    spark: SparkSession,
    lake: Lake,
    lakes: LakeFactory,
    kind: CatalogKind,
    register: Register,
    limit: int,
) -> None:
    statements = STATEMENTS["everything at once"]
    catalog = check_alike(spark, register, (lake, lakes.new(kind)), limit, BASE, statements)

    check_feed(lake, "u")
    check_filters(spark, catalog, lake, "u")


def check_feed(lake: Lake, table: str) -> None:
    """DuckDB's feed reports each row that came, went or changed in the newest snapshot."""
    with Peer(lake) as peer:
        head = peer.head()
        before, after = lived(peer, table, head - 1), lived(peer, table, head)
        found = peer.rows(
            "SELECT change_type, rowid FROM "
            f"ducklake_table_changes('lake', 'main', '{table}', {head}, {head})"
        )
    of_type = {kind: sorted(id_ for change, id_ in found if change == kind) for kind, _ in found}
    assert of_type.get("insert", []) == sorted(set(after) - set(before))
    gone = [id_ for id_ in of_type.get("delete", []) if id_ in before]
    assert gone == sorted(set(before) - set(after))
    assert of_type.get("update_preimage", []) == of_type.get("update_postimage", [])
    assert set(of_type.get("update_preimage", [])) <= set(before) & set(after)


def check_filters(spark: SparkSession, catalog: str, lake: Lake, table: str) -> None:
    """Filters on each column find what is there: no statistics hide a row from an engine."""
    names = [name for name, kind in spark.table(f"{catalog}.{table}").dtypes if "<" not in kind]
    wanted: dict[str, int] = {}
    with Peer(lake) as peer:
        for name in names:
            values = [value for (value,) in peer.rows(f"SELECT {name} FROM {table}")]
            for value in set(values):
                test = f"{name} IS NULL" if value is None else f"{name} = {value!r}"
                wanted[test] = values.count(value)
                assert peer.value(f"SELECT count(*) FROM {table} WHERE {test}") == wanted[test], (
                    test
                )
    query = ", ".join(f"count_if({test})" for test in wanted)
    assert rows(spark, f"SELECT {query} FROM {catalog}.{table}") == [tuple(wanted.values())]
    for test in list(wanted)[::3]:
        found = rows(spark, f"SELECT count(*) FROM {catalog}.{table} WHERE {test}")
        assert found == [(wanted[test],)], test


def test_not_null_minds_own_rows(
    spark: SparkSession, lake: Lake, register: Register, limit: int
) -> None:
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {limit}") as peer:
        peer.run(*BASE)
    catalog = register(lake, {"data-inlining-row-limit": str(limit)})
    call = f"CALL {catalog}.system."
    spark.sql(call + "begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (7, NULL, 1)")
    refused(spark, call + "set_not_null('u', 'part')", "DUCKLAKE_INVALID_CHANGE", "part")
    spark.sql(call + "set_not_null('u', 'id')")
    spark.sql(f"UPDATE {catalog}.u SET part = 'own' WHERE id = 7")
    spark.sql(call + "set_not_null('u', 'part')")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (8, 'later', 1)")
    spark.sql(call + "commit_transaction()")

    with Peer(lake) as peer:
        nullable = peer.rows("SELECT column_name FROM (DESCRIBE u) WHERE \"null\" = 'YES'")
        assert nullable == [("score",)]
        assert peer.value("SELECT count(*) FROM u WHERE part IS NOT NULL") == 8


@pytest.mark.every_database
@pytest.mark.parametrize(
    "change",
    [
        pytest.param("ADD COLUMN v VARIANT", marks=since(VARIANT_WRITES)),
        "RENAME COLUMN part TO ctid",
    ],
)
def test_rows_that_the_catalog_can_no_longer_keep_go_to_files(
    spark: SparkSession, lake: Lake, register: Register, change: str
) -> None:
    """SQLite holds no variants, PostgreSQL no column of this name; partition keys count, too."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 20") as peer:
        peer.run(*BASE)
    catalog = register(lake, {"data-inlining-row-limit": "20"})
    call = f"CALL {catalog}.system."
    spark.sql(call + "begin_transaction()")
    spark.sql(f"ALTER TABLE {catalog}.u SET PARTITIONED BY (score)")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (7, 'own', 1), (8, 'own', 0), (9, NULL, NULL)")
    spark.sql(f"UPDATE {catalog}.u SET part = 'new' WHERE id IN (1, 8)")
    spark.sql(f"ALTER TABLE {catalog}.u {change}")
    spark.sql(f"DELETE FROM {catalog}.u WHERE id IN (2, 9)")
    spark.sql(f"UPDATE {catalog}.u SET score = 2 WHERE id IN (3, 7)")
    more = ", NULL" if "VARIANT" in change else ""
    spark.sql(f"INSERT INTO {catalog}.u VALUES (10, 'later', 1{more})")
    own = rows(spark, f"SELECT id, score FROM {catalog}.u")
    spark.sql(call + "commit_transaction()")

    named = "part" if "VARIANT" in change else "ctid"
    expected = [
        (0, 0, "p0", 0.0),
        (1, 1, "new", 0.5),
        (3, 3, "p0", 2.0),
        (4, 4, "p1", 2.0),
        (5, 5, "p2", 2.5),
        (7, "own", 2.0),
        (8, "new", 0.0),
        (10, "later", 1.0),
    ]
    old, new = expected[:5], expected[5:]
    with Peer(lake) as peer:
        found = peer.rows(f"SELECT rowid, id, {named}, score FROM u ORDER BY id")
        assert found[:5] == old
        assert [row[1:] for row in found[5:]] == new
        assert sorted(row[0] for row in found[5:]) == [6, 7, 8]
    assert sorted(own) == [(row[-3], row[-1]) for row in expected]
    read = rows(spark, f"SELECT rowid, id, {named}, score FROM {catalog}.u ORDER BY id")
    assert read == found
    check_feed(lake, "u")
    with Peer(lake) as peer:
        # Without it DuckDB fails to insert into a table with a column `ctid` in PostgreSQL.
        peer.run("CALL lake.set_option('data_inlining_row_limit', 0, table_name => 'u')")
        peer.run("INSERT INTO u (id) VALUES (11)")
        assert peer.value("SELECT count(*) FROM u") == 9
