"""A rollback to older types of columns, over rows whose values these types do not have."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from support.asking import rows
from support.histories import State, state
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import Peer, made

Register = Callable[..., str]


def states(lake: Lake) -> dict[int, State | None]:
    """What the table is at each snapshot, as DuckDB sees it."""
    with Peer(lake) as peer:
        return {version: state(peer, "t", version) for version in range(1, peer.head() + 1)}


def test_a_file_of_newer_types_whose_rows_are_deleted_is_no_obstacle(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """The file does not end, because one of its rows was deleted in the catalog."""
    lake = lakes.new("sqlite")
    past = made(
        lake,
        "CREATE TABLE t (k INT, a INT, b BOOLEAN, c DATE, d DECIMAL(5, 2))",
        "INSERT INTO t SELECT i, i, i > 5, DATE '2026-01-01', i FROM range(20) r(i)",
    )
    made(
        lake,
        "ALTER TABLE t ALTER a TYPE DOUBLE",
        "ALTER TABLE t ALTER b TYPE INT",
        "ALTER TABLE t ALTER c TYPE TIMESTAMP",
        "ALTER TABLE t ALTER d TYPE DOUBLE",
        "INSERT INTO t SELECT i, 3e12, 7, TIMESTAMP '2026-01-01 01:02:03', 1e9 "
        "FROM range(20, 40) r(i)",
    )
    made(lake, "DELETE FROM t WHERE k = 30", limit=10)
    catalog = register(lake, IN_FILES)
    head = made(lake)

    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', {past})")

    known = states(lake)
    assert known[head + 1] == known[past]
    wanted = [(k, k, k > 5, f"{k}.00") for k in range(20)]
    query = f"SELECT k, a, b, CAST(d AS STRING) FROM {catalog}.t WHERE c < DATE '2027-01-01'"
    assert sorted(rows(spark, query)) == wanted
    spark.sql(f"CALL {catalog}.system.rewrite_data_files('t')")
    assert sorted(rows(spark, query)) == wanted
    now = states(lake)
    assert {version: now[version] for version in known} == known
    assert now[head + 2] == known[past]


def test_a_flush_keeps_the_buckets_of_rows_that_have_ended(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """DuckDB skips files without a bucket."""
    lake = lakes.new("sqlite")
    past = made(
        lake,
        "CREATE TABLE t (k INT, b INT)",
        "ALTER TABLE t SET PARTITIONED BY (bucket(4, k))",
        "ALTER TABLE t SET SORTED BY (b)",
        "INSERT INTO t SELECT i, i FROM range(8) r(i)",
        limit=10,
    )
    made(lake, "DELETE FROM t WHERE k < 5", "ALTER TABLE t ALTER b TYPE BIGINT", limit=10)

    spark.sql(f"CALL {register(lake)}.system.flush_inlined_data('t')")

    with Peer(lake) as peer:
        found = [
            peer.rows(f"SELECT b FROM t AT (VERSION => {past}) WHERE k = {k}") for k in range(8)
        ]
    assert found == [[(k,)] for k in range(8)]


def test_a_flush_writes_rows_whose_keys_have_other_types_now(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    past = made(
        lake,
        "CREATE TABLE t (a INT, b INT)",
        "ALTER TABLE t SET PARTITIONED BY (a)",
        "ALTER TABLE t SET SORTED BY (b)",
        "INSERT INTO t VALUES (1, 7), (2, NULL)",
        limit=10,
    )
    wide = made(
        lake,
        "ALTER TABLE t ALTER a TYPE DOUBLE",
        "ALTER TABLE t ALTER b TYPE DOUBLE",
        "INSERT INTO t VALUES (3.5, 4.5), (3e12, 5.5)",
        limit=10,
    )
    catalog = register(lake)
    table = f"{catalog}.t"
    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('t', {past})")
    known = states(lake)

    spark.sql(f"CALL {catalog}.system.flush_inlined_data('t')")

    now = states(lake)
    assert {version: now[version] for version in known} == known
    assert now[wide + 2] == now[past]
    assert sorted(rows(spark, f"SELECT * FROM {table} WHERE a > 0")) == [(1, 7), (2, None)]
    old = f"SELECT b FROM {table} VERSION AS OF {wide} WHERE a"
    assert (rows(spark, f"{old} = 3.5"), rows(spark, f"{old} = 1")) == ([(4.5,)], [(7.0,)])
