"""Damaged catalogs before the commands that read them without Spark."""

from __future__ import annotations

import pytest

from support.catalogdb import execute
from support.commands import command
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
