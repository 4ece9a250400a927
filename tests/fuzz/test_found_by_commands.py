"""Damaged catalogs before the commands that read them without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.catalogdb import execute
from support.commands import command, json_of
from support.lakes import LakeFactory
from support.peer import made


@pytest.mark.damages
@pytest.mark.parametrize(
    ("asked", "damage", "why"),
    [
        ("doctor", "ducklake_schema SET end_snapshot = 0", "there is no"),
        ("report", "ducklake_schema SET end_snapshot = 0", "there is no"),
        ("tables", "ducklake_schema SET end_snapshot = 0", "there is no"),
        ("doctor", "ducklake_inlined_data_tables SET schema_version = 'x'", "'x'"),
        ("report", "ducklake_inlined_data_tables SET schema_version = 'x'", "'x'"),
        ("report", "ducklake_snapshot SET snapshot_time = '0000-00'", "'0000-00' is no time"),
    ],
)
def test_rows_that_cannot_be_used_are_told_in_words(
    lakes: LakeFactory, asked: str, damage: str, why: str
) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)", limit=10)
    execute(lake, f"UPDATE {damage}")

    done = command(asked, "--lake", lake.uri)

    assert done.exit_code == 1, done.output
    assert "holds rows that cannot be used" in done.output
    assert why in done.output


READS = (
    *(("tables",), ("describe", "t"), ("history", "t"), ("files", "t"), ("options", "--all")),
    *(("report",), ("doctor",)),
)


@pytest.mark.damages
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE ducklake_data_file SET record_count = 9e999",
        "UPDATE ducklake_data_file SET file_size_bytes = 9e999",
        "UPDATE ducklake_delete_file SET delete_count = 9e999",
        "UPDATE ducklake_snapshot SET snapshot_id = 9e999 WHERE snapshot_id = 1",
        "UPDATE ducklake_table SET table_id = NULL",
        "UPDATE ducklake_column SET column_id = NULL",
        "UPDATE ducklake_column SET parent_column = column_id WHERE column_name = 's'",
        "UPDATE ducklake_column SET column_id = 2, parent_column = 2 WHERE column_name = 'x'",
        "UPDATE ducklake_metadata SET \"key\" = x'00ff' WHERE \"key\" = 'created_by'",
        "DELETE FROM ducklake_snapshot",
    ],
)
def test_no_command_ends_in_a_trace(lakes: LakeFactory, tmp_path: Path, damage: str) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (a INTEGER, s STRUCT(x INTEGER))",
        "INSERT INTO t SELECT i, {'x': i} FROM range(20) r(i)",
        "DELETE FROM t WHERE a = 3",
    )
    execute(lake, damage)

    for asked in READS:
        page = ("--html", str(tmp_path / "page.html")) if asked == ("report",) else ()
        done = command(*asked, "--lake", lake.uri, *page)
        assert isinstance(done.exception, SystemExit | None), (asked, done.exc_info)
        assert "Traceback" not in done.output


@pytest.mark.damages
@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (
            "parent_column = column_id WHERE column_name = 's'",
            "below columns that are not there",
        ),
        (
            "column_id = 2, parent_column = 2 WHERE column_name = 'x'",
            "column s.x has column_id 2 as a column above it",
        ),
    ],
)
def test_a_column_below_itself_is_told(lakes: LakeFactory, damage: str, why: str) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INTEGER, s STRUCT(x INTEGER))")
    execute(lake, f"UPDATE ducklake_column SET {damage}")

    done = command("describe", "t", "--lake", lake.uri)

    assert done.exit_code == 1
    assert why in done.output


@pytest.mark.damages
def test_a_path_that_is_null_stands_for_the_folder_around_it(lakes: LakeFactory) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t AS SELECT 1 AS a", "INSERT INTO t VALUES (2)")
    execute(
        lake,
        "UPDATE ducklake_schema SET path = NULL",
        "UPDATE ducklake_table SET path = NULL",
        "UPDATE ducklake_data_file SET path = NULL WHERE data_file_id = 0",
        "UPDATE ducklake_data_file SET path = 'x.parquet' WHERE data_file_id = 1",
    )

    found = [row["path"] for row in json_of("files", "t", "--lake", lake.uri)]

    assert found == [f"{lake.data_path}/", f"{lake.data_path}/x.parquet"]
