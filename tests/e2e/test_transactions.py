"""Transactions over several statements and tables: one snapshot, or none; DuckDB is the judge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from support.asking import refused, rows, value
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.lines import FRAMES_FOLLOW, before, since
from support.peer import Peer, made
from support.transactions import (
    BASE,
    TABLES,
    Played,
    lived,
    net_changes,
    next_row_id,
    reported,
    seen_by,
)

Register = Callable[..., str]

STATEMENTS: dict[str, tuple[str, ...]] = {
    "insert": (
        "INSERT INTO {t} VALUES (100, 'a', 1), (101, 'b', NULL)",
        "INSERT INTO {u} VALUES (100, 'new')",
        "INSERT INTO {t} SELECT id + 200, part, 2 FROM {u}",
    ),
    "delete": (
        "DELETE FROM {t} WHERE id < 5",
        "DELETE FROM {t} WHERE id % 7 = 0",
        "DELETE FROM {u} WHERE part = 'p1'",
    ),
    "update twice": (
        "UPDATE {t} SET name = 'x' WHERE id < 4",
        "UPDATE {t} SET name = name || 'y' WHERE id < 2",
    ),
    "update and delete": (
        "UPDATE {t} SET name = 'x' WHERE id < 4",
        "DELETE FROM {t} WHERE id = 1",
        "DELETE FROM {t} WHERE id = 7",
    ),
    "insert, update and delete": (
        "INSERT INTO {t} VALUES (100, 'a', 1), (101, 'b', 2), (102, 'c', 3)",
        "UPDATE {t} SET name = 'y' WHERE id = 101",
        "DELETE FROM {t} WHERE id = 102",
        "UPDATE {t} SET score = -1 WHERE id IN (5, 100)",
    ),
    "all own rows deleted": (
        "INSERT INTO {t} VALUES (100, 'a', 1), (101, 'b', 2)",
        "INSERT INTO {u} VALUES (100, 'left')",
        "DELETE FROM {t} WHERE id >= 100",
    ),
    "a base file deleted step by step": (
        "DELETE FROM {t} WHERE id BETWEEN 20 AND 24",
        "DELETE FROM {t} WHERE id >= 25",
        "INSERT INTO {t} VALUES (100, 'a', 1)",
    ),
    "emptied and filled": (
        "INSERT INTO {t} VALUES (100, 'a', 1)",
        "DELETE FROM {t} WHERE true",
        "INSERT INTO {t} VALUES (101, 'b', 2)",
        "UPDATE {t} SET score = 3 WHERE id = 101",
    ),
    "truncate": ("TRUNCATE TABLE {t}", "INSERT INTO {u} VALUES (7, 'after')"),
    "merge": (
        "INSERT INTO {u} VALUES (2, 'again'), (300, 'new')",
        "MERGE INTO {t} AS target USING (SELECT id, max(part) AS part FROM {u} GROUP BY id) AS s "
        "ON target.id = s.id WHEN MATCHED THEN UPDATE SET name = s.part "
        "WHEN NOT MATCHED THEN INSERT (id, name, score) VALUES (s.id, s.part, 0)",
        "DELETE FROM {t} WHERE id = 300",
        "UPDATE {t} SET score = 9 WHERE id = 2",
    ),
    "many rows": (
        "INSERT INTO {t} SELECT id + 1000, name, score FROM {t}",
        "UPDATE {t} SET name = 'old' WHERE id < 1000",
        "DELETE FROM {t} WHERE id % 2 = 0",
        "INSERT INTO {t} SELECT id + 5000, name, score FROM {t}",
    ),
}


@pytest.fixture(params=[0, 10], ids=["files", "inlined"])
def limit(request: pytest.FixtureRequest) -> int:
    """How many rows are inlined, in both lakes."""
    return int(request.param)


@pytest.fixture
def played(spark: SparkSession, lake: Lake, register: Register, limit: int) -> Played:
    """A lake with two tables, registered in the session."""
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {limit}") as peer:
        peer.run(*BASE)
    catalog = register(lake, {"data-inlining-row-limit": str(limit)})
    return Played(spark, catalog, lake)


def data_files(lake: Lake) -> set[Path]:
    """All files below the data path."""
    return {path for path in lake.data_path.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_transaction_is_one_snapshot(
    played: Played, lakes: LakeFactory, kind: CatalogKind, limit: int, name: str
) -> None:
    check_one_snapshot(played, lakes.new(kind), limit, STATEMENTS[name])


@pytest.mark.every_database
def test_each_database_takes_transactions(
    played: Played, lakes: LakeFactory, kind: CatalogKind, limit: int
) -> None:
    statements = (*STATEMENTS["insert, update and delete"], *STATEMENTS["merge"])
    check_one_snapshot(played, lakes.new(kind), limit, statements)


def check_one_snapshot(played: Played, twin: Lake, limit: int, statements: tuple[str, ...]) -> None:
    """Both engines run the statements in a transaction; they see and leave the same rows."""
    inlining = f"DATA_INLINING_ROW_LIMIT {limit}"
    with Peer(twin, inlining) as peer:
        peer.run(*BASE)
    with Peer(played.lake) as peer:
        base = peer.head()
        before = {table: lived(peer, table, base) for table in TABLES}
        first_new = {table: next_row_id(peer, table) for table in TABLES}

    assert played.call("begin_transaction") == [(base,)]
    with Peer(twin, inlining) as duckdb:
        duckdb.run("BEGIN")
        for statement in statements:
            duckdb.run(statement.format(t="t", u="u"))
            played.run(statement)
            for table in TABLES:
                assert played.sees(table) == seen_by(duckdb, table), statement
        duckdb.run("COMMIT")
        with Peer(played.lake) as other:
            assert other.head() == base
        assert played.call("commit_transaction") == [(base + 1,)]
        left = {table: seen_by(duckdb, table) for table in TABLES}
        assert {table: played.sees(table) for table in TABLES} == left

    with Peer(played.lake) as peer:
        assert peer.head() == base + 1
        for table in TABLES:
            after = lived(peer, table, base + 1)
            assert seen_by(peer, table) == left[table]
            assert lived(peer, table, base) == before[table]
            assert reported(peer, table, base + 1) == net_changes(before[table], after)
            new = sorted(set(after) - set(before[table]))
            assert new == [*range(first_new[table], first_new[table] + len(new))]


def test_a_rollback_leaves_nothing(played: Played) -> None:
    files = data_files(played.lake)
    before = {table: played.sees(table) for table in TABLES}
    with Peer(played.lake) as peer:
        base = peer.head()

    played.call("begin_transaction")
    for statement in STATEMENTS["many rows"]:
        played.run(statement)
    assert played.sees("t") != before["t"]
    played.call("rollback_transaction")

    assert {table: played.sees(table) for table in TABLES} == before
    assert data_files(played.lake) == files
    with Peer(played.lake) as peer:
        assert peer.head() == base


def test_what_nets_to_nothing_makes_no_snapshot(played: Played) -> None:
    files = data_files(played.lake)
    played.call("begin_transaction")
    played.run("INSERT INTO {t} SELECT id + 100, name, score FROM {t}")
    played.run("UPDATE {t} SET name = 'x' WHERE id >= 100")
    played.run("DELETE FROM {t} WHERE id >= 100")

    assert played.call("commit_transaction") == [(None,)]

    assert data_files(played.lake) == files


def test_the_commit_has_one_row_of_changes(played: Played, limit: int, spark: SparkSession) -> None:
    spark.sql(
        f"CALL {played.catalog}.system.begin_transaction(author => 'Ada', "
        "message => 'two tables', extra_info => 'x')"
    )
    played.run("INSERT INTO {t} VALUES (100, 'a', 1)")
    played.run("INSERT INTO {u} VALUES (100, 'a')")
    played.run("INSERT INTO {t} VALUES (101, 'a', 1)")
    ((made_by_us,),) = played.call("commit_transaction")

    with Peer(played.lake) as peer:
        ((text, author, message, extra),) = peer.rows(
            "SELECT changes_made, author, commit_message, commit_extra_info "
            "FROM __ducklake_metadata_lake.ducklake_snapshot_changes "
            f"WHERE snapshot_id = {made_by_us}"
        )
    assert (author, message, extra) == ("Ada", "two tables", "x")
    entry = "inserted_into_table" if limit == 0 else "inlined_insert"
    assert sorted(text.split(",")) == [f"{entry}:1", f"{entry}:2"]
    assert played.call("last_committed_snapshot") == [(made_by_us,)]


def test_a_failed_statement_leaves_the_transaction_open(played: Played) -> None:
    played.call("begin_transaction")
    played.run("INSERT INTO {t} VALUES (100, 'a', 1)")
    seen = played.sees("t")
    files = data_files(played.lake)

    refused(
        played.spark,
        f"INSERT INTO {played.catalog}.t SELECT id, raise_error('no'), score "
        f"FROM {played.catalog}.t",
        "USER_RAISED_EXCEPTION",
    )

    assert played.sees("t") == seen
    assert data_files(played.lake) == files
    played.run("INSERT INTO {t} VALUES (101, 'b', 1)")
    played.call("commit_transaction")
    with Peer(played.lake) as peer:
        assert peer.value("SELECT count(*) FROM t WHERE id >= 100") == 2


def test_rows_of_others_do_not_disturb(played: Played) -> None:
    played.call("begin_transaction")
    played.run("DELETE FROM {t} WHERE id = 5")
    played.run("INSERT INTO {t} VALUES (100, 'a', 1)")
    made(played.lake, "INSERT INTO t VALUES (500, 'theirs', 0)", "DELETE FROM t WHERE id = 6")
    assert (500, "theirs", 0.0) not in played.sees("t")

    played.call("commit_transaction")

    with Peer(played.lake) as peer:
        ids = {row[0] for row in peer.rows("SELECT id FROM t")}
    assert {100, 500} <= ids
    assert ids.isdisjoint({5, 6})


def test_the_same_row_deleted_by_others_is_a_conflict(played: Played) -> None:
    played.call("begin_transaction")
    played.run("INSERT INTO {u} SELECT id, name FROM {t}")
    played.run("UPDATE {t} SET name = 'mine' WHERE id = 5")
    made(played.lake, "DELETE FROM t WHERE id = 5")
    with Peer(played.lake) as peer:
        base = peer.head()
    files = data_files(played.lake)

    refused(
        played.spark,
        f"CALL {played.catalog}.system.commit_transaction()",
        "DUCKLAKE_COMMIT_CONFLICT",
    )

    assert len(data_files(played.lake)) <= len(files)
    with Peer(played.lake) as peer:
        assert peer.head() == base
        known = {
            row[0] for row in peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
        }
        known |= {
            row[0] for row in peer.rows("SELECT data_file FROM ducklake_list_files('lake', 'u')")
        }
    left = {path for path in data_files(played.lake) if path.suffix == ".parquet"}
    assert played.call("current_snapshot") == [(base,)]
    assert {Path(name).name for name in known} <= {path.name for path in left}
    played.call("begin_transaction")
    played.call("rollback_transaction")


def test_other_sessions_see_nothing(
    played: Played, spark: SparkSession, register: Register
) -> None:
    other = spark.newSession()
    catalog = register(played.lake, session=other)
    before = rows(other, f"SELECT count(*) FROM {catalog}.t")
    played.call("begin_transaction")
    played.run("INSERT INTO {t} VALUES (100, 'a', 1)")

    assert rows(other, f"SELECT count(*) FROM {catalog}.t") == before
    other.sql(f"INSERT INTO {catalog}.t VALUES (200, 'other', 1)")
    assert value(other, f"SELECT count(*) FROM {catalog}.t WHERE id >= 100") == 1
    assert value(spark, f"SELECT count(*) FROM {played.catalog}.t WHERE id >= 100") == 1

    played.call("commit_transaction")
    assert value(other, f"SELECT count(*) FROM {catalog}.t WHERE id >= 100") == 2


def test_frames_and_caches_follow(played: Played, spark: SparkSession) -> None:
    frame = spark.table(f"{played.catalog}.t")
    before = frame.count()
    spark.sql(f"CACHE TABLE {played.catalog}.t")
    assert frame.count() == before
    played.call("begin_transaction")

    played.run("INSERT INTO {t} VALUES (100, 'a', 1)")
    assert spark.table(f"{played.catalog}.t").count() == before + 1
    played.run("INSERT INTO {t} VALUES (101, 'a', 1)")
    assert spark.table(f"{played.catalog}.t").count() == before + 2
    played.call("rollback_transaction")

    assert spark.table(f"{played.catalog}.t").count() == before
    assert len(spark.table(f"{played.catalog}.t").collect()) == before
    spark.sql(f"UNCACHE TABLE {played.catalog}.t")


def test_own_rows_have_no_snapshot_yet(played: Played, spark: SparkSession) -> None:
    played.call("begin_transaction")
    played.run("INSERT INTO {t} VALUES (100, 'a', 1)")

    found = rows(spark, f"SELECT id, snapshot_id FROM {played.catalog}.t WHERE id >= 100")

    assert found == [(100, None)]
    assert value(spark, f"SELECT max(id) FROM {played.catalog}.t") == 100
    assert value(spark, f"SELECT min(id) FROM {played.catalog}.t") == 0
    ((base,),) = played.call("current_snapshot")
    past = f"SELECT count(*) FROM {played.catalog}.t VERSION AS OF {base} WHERE id >= 100"
    assert value(spark, past) == 0
    option = spark.read.option("snapshot-version", base).table(f"{played.catalog}.t")
    assert option.where("id >= 100").count() == 0
    played.call("rollback_transaction")


REFUSED = {
    "CALL {c}.system.merge_adjacent_files()": "merge_adjacent_files",
    "CALL {c}.system.flush_inlined_data()": "flush_inlined_data",
    "CALL {c}.system.rewrite_data_files()": "rewrite_data_files",
    "CALL {c}.system.expire_snapshots(versions => array(1))": "expire_snapshots",
    "CALL {c}.system.cleanup_old_files(cleanup_all => true)": "cleanup_old_files",
    "CALL {c}.system.delete_orphaned_files(cleanup_all => true)": "delete_orphaned_files",
    "CALL {c}.system.rollback_to_snapshot(1)": "rollback_to_snapshot",
    "CALL {c}.system.undo_commit(1)": "undo_commit",
    "CALL {c}.system.checkpoint()": "checkpoint",
    "CALL {c}.system.recompute_statistics()": "recompute_statistics",
    "CALL {c}.system.repair_partition_values()": "repair_partition_values",
    "CALL {c}.system.cleanup_old_metadata()": "cleanup_old_metadata",
    "CALL {c}.system.vacuum_catalog()": "vacuum_catalog",
    "CALL {c}.system.keep_snapshot('in')": "keep_snapshot",
    "CALL {c}.system.release_snapshot('in')": "release_snapshot",
    "CALL {c}.system.register_reader('r', 't')": "register_reader",
    "CALL {c}.system.forget_reader('r')": "forget_reader",
    "CALL {c}.system.export_delta('t', '/nowhere')": "export_delta",
    "CALL {c}.system.export_iceberg('t', '/nowhere')": "export_iceberg",
    "CALL {c}.system.migrate_from_parquet('`parquet`.`/nowhere`', 'x')": "migrate_from_parquet",
}


def test_what_cannot_be_part_is_refused_by_name(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *BASE)
    catalog = register(lake)
    with Peer(lake) as peer:
        base = peer.head()
    files = data_files(lake)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (9, 'kept')")

    for statement, name in REFUSED.items():
        refused(
            spark,
            statement.format(c=catalog),
            "DUCKLAKE_UNSUPPORTED",
            name,
            "inside a transaction",
        )

    assert data_files(lake) == files
    with Peer(lake) as peer:
        assert peer.head() == base
    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(base + 1,)]


def test_begin_and_end_take_turns(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, *BASE)
    catalog = register(lake)
    call = f"CALL {catalog}.system."
    state = "DUCKLAKE_TRANSACTION_STATE"

    refused(spark, call + "commit_transaction()", state, "none is open")
    refused(spark, call + "rollback_transaction()", state, "none is open")
    assert value(spark, f"SELECT transaction_begun FROM {catalog}.system.settings") is None
    spark.sql(call + "begin_transaction()")
    refused(spark, call + "begin_transaction()", state, "one is open already")
    assert value(spark, f"SELECT transaction_begun FROM {catalog}.system.settings") is not None
    spark.sql(call + "rollback_transaction()")
    refused(spark, call + "rollback_transaction()", state, "none is open")


@before(FRAMES_FOLLOW)
def test_a_frame_keeps_the_rows_of_its_ended_transaction(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *BASE)
    catalog = register(lake, IN_FILES)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (50, 'own')")
    frame = spark.table(f"{catalog}.u")
    spark.sql(f"CALL {catalog}.system.rollback_transaction()")

    assert frame.count() == 7
    assert spark.table(f"{catalog}.u").count() == 6


@since(FRAMES_FOLLOW)
def test_a_frame_of_an_ended_transaction_writes_nothing(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *BASE)
    catalog = register(lake, IN_FILES)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (50, 'own')")
    frame = spark.table(f"{catalog}.u")
    assert frame.count() == 7
    spark.sql(f"CALL {catalog}.system.rollback_transaction()")

    assert frame.count() == 6
    frame.writeTo(f"{catalog}.u").append()
    with Peer(lake) as peer:
        assert peer.value("SELECT count(*) FROM u") == 12


def test_overwrites(spark: SparkSession, lake: Lake, register: Register) -> None:
    made(lake, *BASE)
    catalog = register(lake, IN_FILES)
    with Peer(lake) as peer:
        base = peer.head()
        before = lived(peer, "u", base)
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    spark.sql(f"INSERT INTO {catalog}.u VALUES (50, 'own'), (51, 'own')")
    frame = spark.sql("SELECT 60 AS id, 'own' AS part")
    frame.writeTo(f"{catalog}.u").overwrite(F.col("part").isin("own", "p1"))
    spark.sql(f"INSERT INTO {catalog}.t SELECT id, part, 1 FROM {catalog}.u")
    spark.sql(f"INSERT OVERWRITE {catalog}.u SELECT * FROM {catalog}.u WHERE part <> 'p0'")

    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(base + 1,)]

    with Peer(lake) as peer:
        found = sorted(peer.rows("SELECT id, part FROM u"))
        assert found == [(2, "p2"), (5, "p2"), (60, "own")]
        after = lived(peer, "u", base + 1)
        assert reported(peer, "u", base + 1) == net_changes(before, after)
