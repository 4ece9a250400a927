"""The folder that a relative data path means, as the command line finds it without Spark."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from ducklake_spark_catalog.data_folder import DataFolder, chosen
from ducklake_spark_catalog.failure import Failure

from support.commands import command, json_of
from support.lakes import Lake, LakeFactory
from support.peer import connect, literal

FILES = ["lake/main/t/1.parquet", "lake/main/t/2.parquet"]


def put(base: Path, file: str) -> None:
    """An empty file."""
    (base / file).parent.mkdir(parents=True, exist_ok=True)
    (base / file).touch()


@pytest.fixture
def bases(tmp_path: Path) -> tuple[Path, Path]:
    """The folder of the catalog and the working folder."""
    catalog, working = tmp_path / "catalog", tmp_path / "working"
    catalog.mkdir()
    working.mkdir()
    return catalog, working


def test_the_folder_is_the_one_with_the_files(bases: tuple[Path, Path]) -> None:
    names = [str(base) for base in bases]
    assert chosen("lake/", None, names, []) == DataFolder(f"{names[0]}/lake/")
    assert "nor in" in chosen("lake/", None, names, FILES).doubt

    put(bases[1], FILES[1])

    assert chosen("lake/", None, names, FILES) == DataFolder(f"{names[1]}/lake/")
    assert chosen("lake/", "lake", names, FILES) == DataFolder(f"{names[1]}/lake/")
    assert chosen("lake/", None, names, []) == DataFolder(f"{names[1]}/lake/")
    with pytest.raises(Failure, match="stores its files in"):
        chosen("lake/", f"{names[0]}/lake", names, FILES)

    put(bases[0], FILES[0])

    with pytest.raises(Failure, match="others in"):
        chosen("lake/", None, names, FILES)
    assert "there are" in chosen("lake/", None, names, []).doubt


def test_doctor_and_files_show_absolute_paths(
    lakes: LakeFactory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    folder = Path(lake.database).parent
    monkeypatch.chdir(folder)
    made_here(lake)
    monkeypatch.chdir(tmp_path)

    (row,) = json_of("files", "t", "--lake", lake.uri)

    assert Path(row["path"]).is_relative_to(folder / "lake")
    assert os.path.exists(row["path"])
    assert doctors(lake)["found"] == f"{folder}/lake"

    (folder / "lake").rename(folder / "away")

    assert doctors(lake)["state"] == "wrong"
    assert f"{folder}/lake/ nor in {tmp_path}/lake/" in doctors(lake)["found"]


def doctors(lake: Lake) -> dict[str, str]:
    """What `doctor` says about the data path."""
    findings = json.loads(command("doctor", "--lake", lake.uri, "--json").stdout)
    (found,) = [each for each in findings if each["check"] == "data path"]
    return dict(found)


def made_here(lake: Lake) -> None:
    """A lake whose data path is relative to the working folder."""
    with connect() as peer:
        peer.execute(f"ATTACH {literal(lake.uri)} AS lake (DATA_PATH 'lake/')")
        peer.execute("CREATE TABLE lake.t AS SELECT i FROM range(100) r(i)")
