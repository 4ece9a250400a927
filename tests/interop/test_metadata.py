"""The comparison of two lakes' metadata notices what differs, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from interop.damages import HEALTHY
from interop.test_invariants import moved
from support.catalogdb import execute, read_catalog
from support.lakes import Lake, LakeFactory
from support.metadata import Allowed, compare
from support.peer import Peer


@pytest.fixture(scope="module")
def made(lakes: LakeFactory) -> Lake:
    """A lake on SQLite with something in most tables."""
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(*HEALTHY.split(";"))
    return lake


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "UPDATE ducklake_data_file SET record_count = 11 WHERE data_file_id = 0",
            ["ducklake_data_file (0,), record_count: 10 | 11"],
        ),
        (
            "UPDATE ducklake_data_file SET footer_size = NULL WHERE data_file_id = 0",
            ["ducklake_data_file (0,), footer_size: '<size>' | NULL"],
        ),
        (
            "UPDATE ducklake_data_file SET path = 'other/' || path WHERE data_file_id = 0",
            [
                "ducklake_data_file (0,), path:"
                " 'ducklake-<uuid>.parquet' | 'other/ducklake-<uuid>.parquet'"
            ],
        ),
        (
            "UPDATE ducklake_metadata SET value = 'true' WHERE key = 'encrypted'",
            ["ducklake_metadata ('encrypted', None, None), value: 'false' | 'true'"],
        ),
        (
            "DELETE FROM ducklake_table_stats WHERE table_id = 1",
            [
                "ducklake_table_stats (1,), row: {table_id=1, record_count=12, next_row_id=12,"
                " file_size_bytes=<size>} | NULL"
            ],
        ),
        (
            "UPDATE ducklake_metadata SET value = '/elsewhere/' WHERE key = 'data_path'",
            [],
        ),
        ("UPDATE ducklake_snapshot SET snapshot_time = '2020-01-01 00:00:00+00'", []),
        ("UPDATE ducklake_file_column_stats SET column_size_bytes = 1", []),
    ],
)
def test_a_difference_is_told(made: Lake, tmp_path: Path, sql: str, expected: list[str]) -> None:
    other = moved(made, tmp_path)

    execute(other, sql)

    found = compare(read_catalog(made), read_catalog(other)).differences
    assert list(map(str, found)) == expected


def test_a_renamed_table_keeps_its_uuid(made: Lake, tmp_path: Path) -> None:
    other = moved(made, tmp_path)

    execute(
        other,
        "UPDATE ducklake_table SET table_uuid = '01a1ffe5-babc-7e28-8940-9ac9eefe8bf9'"
        " WHERE table_name = 'renamed'",
    )

    found = compare(read_catalog(made), read_catalog(other)).differences
    assert [each.column for each in found] == ["table_uuid"]


def test_the_columns_of_the_tables_are_compared(made: Lake, tmp_path: Path) -> None:
    other = moved(made, tmp_path)

    execute(other, "ALTER TABLE ducklake_view ADD COLUMN more VARCHAR")

    found = compare(read_catalog(made), read_catalog(other)).differences
    assert {each.table for each in found} == {"(columns of the tables)"}


def test_what_is_allowed_is_met_by_name(made: Lake, tmp_path: Path) -> None:
    other = moved(made, tmp_path)
    execute(other, "UPDATE ducklake_data_file SET record_count = 11 WHERE data_file_id = 0")
    allowed = [
        Allowed("rows", "for this test", "ducklake_data_file", "record_count", accepts)
        for accepts in (lambda left, right: left > right, lambda left, right: left < right)
    ]

    strict = compare(read_catalog(made), read_catalog(other), allowed[:1])
    lenient = compare(read_catalog(made), read_catalog(other), allowed)

    assert (len(strict.differences), strict.met) == (1, set())
    assert (len(lenient.differences), lenient.met) == (0, {"rows"})
