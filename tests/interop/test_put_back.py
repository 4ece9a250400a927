"""What DuckDB makes of files and shapes that a new snapshot puts back (decision 12).

The rows are written by hand, so that each way of going back is judged before Spark takes it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from support.catalogdb import execute, read_catalog
from support.lakes import Lake
from support.peer import Peer, made

ENDED = (
    "CREATE TABLE t (a INT)",
    "INSERT INTO t SELECT i FROM range(100) r(i)",
    "INSERT INTO t SELECT 1000 + i FROM range(5) r(i)",
    "DELETE FROM t WHERE a < 100",
)
FILE_COLUMNS = (
    "file_order, {path}, path_is_relative, file_format, record_count, file_size_bytes, "
    "footer_size, row_id_start, partition_id, encryption_key, mapping_id, partial_max"
)


def snapshot(head: int, changes: str) -> tuple[str, str]:
    """The rows of a snapshot that adds to the shape and to the files."""
    return (
        "INSERT INTO ducklake_snapshot SELECT snapshot_id + 1, CURRENT_TIMESTAMP, "
        "schema_version + 1, next_catalog_id, next_file_id + 5 FROM ducklake_snapshot "
        f"WHERE snapshot_id = {head}",
        f"INSERT INTO ducklake_snapshot_changes VALUES ({head + 1}, '{changes}', NULL, NULL, NULL)",
    )


def second_row(source: int, new: int, begin: int, path: str = "path") -> str:
    """A second row for a data file, or the row of its copy when there is a path."""
    return (
        f"INSERT INTO ducklake_data_file SELECT {new}, table_id, {begin}, NULL, "
        f"{FILE_COLUMNS.format(path=path)} FROM ducklake_data_file WHERE data_file_id = {source}"
    )


def first_file(lake: Lake) -> tuple[int, Path]:
    """The oldest data file of the lake."""
    row = min(read_catalog(lake).rows("data_file"), key=lambda file: int(file["data_file_id"]))
    return int(row["data_file_id"]), lake.data_path / "main" / "t" / str(row["path"])


def total(peer: Peer, version: int) -> tuple[int, int]:
    """Number and sum of the rows of a snapshot, read from the files."""
    query = f"SELECT count(*), sum(a) FROM t AT (VERSION => {version}) WHERE a >= 0"
    return tuple(peer.rows(query)[0])  # type: ignore[return-value]


@pytest.mark.damages("rows of the catalog are written by hand")
def test_a_path_with_two_rows_is_deleted_when_the_old_row_expires(lake: Lake) -> None:
    head = made(lake, *ENDED)
    file, path = first_file(lake)
    execute(
        lake,
        *snapshot(head, "inserted_into_table:1"),
        second_row(file, 50, head + 1),
    )

    with Peer(lake) as peer:
        found = [total(peer, version) for version in (3, 4, 5)]
        assert found == [(105, 9960), (5, 5010), (105, 9960)]
        peer.run("CALL ducklake_expire_snapshots('lake', versions => [1, 2, 3])")
        peer.run("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")

        assert not path.exists()
        with pytest.raises(duckdb.IOException, match="Cannot open file"):
            total(peer, head + 1)


@pytest.mark.damages("rows of the catalog are written by hand")
def test_a_copy_is_an_insert_with_the_old_row_ids(lake: Lake) -> None:
    head = made(lake, *ENDED)
    file, path = first_file(lake)
    shutil.copy(path, path.with_name("copy.parquet"))
    execute(
        lake,
        *snapshot(head, "inserted_into_table:1"),
        second_row(file, 50, head + 1, "'copy.parquet'"),
    )

    with Peer(lake) as peer:
        feed = (
            "SELECT change_type, count(*), min(rowid), max(rowid) "
            f"FROM ducklake_table_changes('lake', 'main', 't', {head + 1}, {head + 1}) GROUP BY 1"
        )
        assert peer.rows(feed) == [("insert", 100, 0, 99)]
        peer.run("CALL ducklake_expire_snapshots('lake', versions => [1, 2, 3])")
        peer.run("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
        assert not path.exists()
        assert total(peer, head + 1) == (105, 9960)


@pytest.mark.damages("rows of the catalog are written by hand")
def test_a_copy_of_a_merged_file_repeats_its_old_inserts(lake: Lake) -> None:
    head = made(
        lake,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1), (2)",
        "INSERT INTO t VALUES (3), (4)",
        "CALL ducklake_merge_adjacent_files('lake')",
        "DELETE FROM t WHERE a > 0",
    )
    file, path = first_file(lake)
    shutil.copy(path, path.with_name("copy.parquet"))
    execute(
        lake,
        *snapshot(head, "inserted_into_table:1"),
        second_row(file, 50, head + 1, "'copy.parquet'"),
    )

    with Peer(lake) as peer:
        feed = f"FROM ducklake_table_changes('lake', 'main', 't', {head + 1}, {head + 1})"
        assert {row[0] for row in peer.rows(feed)} == {2, 3}


@pytest.mark.damages("rows of the catalog are written by hand")
def test_a_bound_that_is_not_of_the_old_type_breaks_every_read(lake: Lake) -> None:
    head = made(
        lake,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT i FROM range(20) r(i)",
        "ALTER TABLE t ALTER a SET DATA TYPE BIGINT",
        "INSERT INTO t SELECT 5000000000 FROM range(20)",
        "DELETE FROM t WHERE a > 100",
    )
    execute(
        lake,
        *snapshot(head, "altered_table:1"),
        f"UPDATE ducklake_column SET end_snapshot = {head + 1} WHERE end_snapshot IS NULL",
        f"INSERT INTO ducklake_column SELECT column_id, {head + 1}, NULL, table_id, column_order, "
        "column_name, column_type, initial_default, default_value, nulls_allowed, parent_column, "
        "default_value_type, default_value_dialect FROM ducklake_column WHERE begin_snapshot = 1",
        f"INSERT INTO ducklake_schema_versions SELECT {head + 1}, schema_version, 1 "
        f"FROM ducklake_snapshot WHERE snapshot_id = {head + 1}",
    )

    with Peer(lake) as peer:
        for version in (2, head + 1):
            with pytest.raises(duckdb.InvalidInputException, match="5000000000"):
                total(peer, version)
    execute(lake, "DELETE FROM ducklake_table_column_stats")
    with Peer(lake) as peer:
        assert [total(peer, version)[0] for version in (2, 4, head + 1)] == [20, 40, 20]


@pytest.mark.damages("rows of the catalog are written by hand")
def test_a_partition_spec_comes_back_under_its_id(lake: Lake) -> None:
    head = made(
        lake,
        "CREATE TABLE t (a INT, b VARCHAR)",
        "ALTER TABLE t SET PARTITIONED BY (bucket(4, a))",
        "INSERT INTO t SELECT i, 'x' FROM range(40) r(i)",
        "ALTER TABLE t SET PARTITIONED BY (b)",
    )
    spec = min(int(row["partition_id"]) for row in read_catalog(lake).rows("partition_info"))
    execute(
        lake,
        *snapshot(head, "altered_table:1"),
        f"UPDATE ducklake_partition_info SET end_snapshot = {head + 1} WHERE end_snapshot IS NULL",
        f"INSERT INTO ducklake_partition_info VALUES ({spec}, 1, {head + 1}, NULL)",
        f"INSERT INTO ducklake_schema_versions SELECT {head + 1}, schema_version, 1 "
        f"FROM ducklake_snapshot WHERE snapshot_id = {head + 1}",
    )

    with Peer(lake) as peer:
        peer.run("INSERT INTO t SELECT i, 'y' FROM range(40) r(i)")
        found = [peer.rows(f"SELECT b FROM t WHERE a = {a} ORDER BY b") for a in range(40)]
        assert found == [[("x",), ("y",)]] * 40
    files = read_catalog(lake).rows("data_file")
    assert {int(row["partition_id"]) for row in files} == {spec}
