"""Files with profiles of `ducklake-spark` with random damage: rows, or a message for a person.

DUCKLAKE_FUZZ is how many cases are run, DUCKLAKE_SEED the first.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fuzz.budget import cases
from support.fuzz.profiles import BrokenProfiles
from support.lakes import LakeFactory
from support.peer import made


def test_broken_profiles_end_in_rows_or_in_messages(
    lakes: LakeFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)", limit=10)

    fuzz = BrokenProfiles(lake.uri, tmp_path)
    found = [fault for case in cases(40) for fault in fuzz.faults(case)]

    print(*sorted(fuzz.counted.items()), sep="\n")
    assert not found, "\n".join(found)
