"""Existing files that a transaction adds by reference; DuckDB is the judge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.peer import Peer, connect, made
from support.transactions import BASE, lived, net_changes, reported, seen_by

Register = Callable[..., str]


@pytest.fixture
def existing(tmp_path: Path) -> Path:
    """A folder with two Parquet files for the table `u`, one in a folder of Hive."""
    folder = tmp_path / "existing"
    (folder / "part=far").mkdir(parents=True)
    with connect() as duckdb:
        for query, name in (
            ("SELECT (100 + i)::INT AS id, 'file' AS part FROM range(4) r(i)", "a.parquet"),
            ("SELECT (200 + i)::INT AS id FROM range(3) r(i)", "part=far/b.parquet"),
        ):
            duckdb.execute(f"COPY ({query}) TO '{folder / name}' (FORMAT parquet)")
    return folder


def files_below(folder: Path) -> dict[Path, bytes]:
    """All files below a folder, with their bytes."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


STATEMENTS = (
    "INSERT INTO {c}.u VALUES (9, 'own')",
    "CALL {c}.system.add_data_files('u', array('{f}/a.parquet', '{f}/part=far/b.parquet'))",
    "UPDATE {c}.u SET part = 'new' WHERE id IN (1, 101)",
    "DELETE FROM {c}.u WHERE id IN (2, 102, 200)",
    "ALTER TABLE {c}.u ADD COLUMN more INT DEFAULT 5",
    "INSERT INTO {c}.u VALUES (10, 'late', 6)",
)

THEIRS = (
    "INSERT INTO u VALUES (9, 'own')",
    "CALL ducklake_add_data_files('lake', 'u', '{f}/a.parquet')",
    "CALL ducklake_add_data_files('lake', 'u', '{f}/part=far/b.parquet', "
    "hive_partitioning => true)",
    *(statement.replace("{c}.", "") for statement in STATEMENTS[2:]),
)


@pytest.mark.every_database
def test_files_are_part_of_a_transaction(
    spark: SparkSession,
    lake: Lake,
    lakes: LakeFactory,
    kind: CatalogKind,
    register: Register,
    existing: Path,
) -> None:
    twin = lakes.new(kind)
    for each in (lake, twin):
        made(each, *BASE)
    with Peer(twin) as duckdb:
        duckdb.run(*(statement.format(f=existing) for statement in THEIRS))
        expected = seen_by(duckdb, "u")
    before = files_below(existing)
    catalog = register(lake, IN_FILES)
    with Peer(lake) as peer:
        base = peer.head()
    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    for statement in STATEMENTS:
        spark.sql(statement.format(c=catalog, f=existing))
    assert sorted(rows(spark, f"SELECT * FROM {catalog}.u")) == sorted(expected)
    far = f"SELECT id, part, more FROM {catalog}.u WHERE part = 'far' AND id >= 200"
    assert sorted(rows(spark, far)) == [(201, "far", 5), (202, "far", 5)]

    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(base + 1,)]

    assert files_below(existing) == before
    with Peer(lake) as peer:
        assert seen_by(peer, "u") == expected
        assert peer.value("SELECT count(*) FROM u WHERE part = 'far'") == 2
        kinds = peer.rows(
            "SELECT change_type, count(*) FROM "
            f"ducklake_table_changes('lake', 'main', 'u', {base + 1}, {base + 1}) GROUP BY 1"
        )
    # 1 and 2 are of the base; 5 rows of files and the 2 inserted ones are new.
    assert dict(kinds) == {
        "insert": 7,
        "delete": 1,
        "update_preimage": 1,
        "update_postimage": 1,
    }


def test_whole_files_are_named_where_they_are(
    spark: SparkSession, lake: Lake, register: Register, existing: Path
) -> None:
    made(lake, *BASE)
    catalog = register(lake)
    with Peer(lake) as peer:
        base = peer.head()
        before = lived(peer, "u", base)
    call = f"CALL {catalog}.system."
    spark.sql(call + "begin_transaction()")
    spark.sql(call + f"add_data_files('u', '{existing}/a.parquet')")
    spark.sql(f"CREATE TABLE {catalog}.n (id INT, part STRING)")
    spark.sql(call + f"add_data_files('n', '{existing}/part=far/b.parquet')")
    again = call + f"add_data_files('n', '{existing}/a.parquet')"
    refused(spark, again, "DUCKLAKE_FILE_ALREADY_REGISTERED", "of the transaction already")
    spark.sql(call + "commit_transaction()")

    with Peer(lake) as peer:
        named = {
            row[0]
            for table in ("u", "n")
            for row in peer.rows(f"SELECT data_file FROM ducklake_list_files('lake', '{table}')")
        }
        assert {str(existing / "a.parquet"), str(existing / "part=far" / "b.parquet")} <= named
        assert seen_by(peer, "n") == [(200 + i, "far") for i in range(3)]
        after = lived(peer, "u", base + 1)
        assert reported(peer, "u", base + 1) == net_changes(before, after)
        assert len(after) == len(before) + 4


@pytest.mark.parametrize("end", ["rollback", "conflict"])
def test_files_of_others_are_never_deleted(
    spark: SparkSession, lake: Lake, register: Register, existing: Path, end: str
) -> None:
    made(lake, *BASE)
    catalog = register(lake, IN_FILES)
    before = files_below(existing)
    own = set(files_below(lake.data_path))
    call = f"CALL {catalog}.system."
    spark.sql(call + "begin_transaction()")
    spark.sql(call + f"add_data_files('u', '{existing}/*.parquet')")
    spark.sql(f"DELETE FROM {catalog}.u WHERE id IN (1, 101)")
    spark.sql(f"INSERT INTO {catalog}.t VALUES (9, 'own', 1)")
    if end == "rollback":
        spark.sql(call + "rollback_transaction()")
    else:
        made(lake, "DROP TABLE u")
        refused(spark, call + "commit_transaction()", "DUCKLAKE_COMMIT_CONFLICT", "main.u")

    assert files_below(existing) == before
    assert set(files_below(lake.data_path)) == own
