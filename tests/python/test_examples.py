"""The examples of the docstrings and of the README are run, on a lake that DuckDB made."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import ducklake_spark as dl
import pytest
from ducklake_spark import (
    _assign,
    _calls,
    _names,
    _numbers,
    _progress,
    _show,
    _sql,
    changes,
    cleaning,
    errors,
    going_back,
    lake_at,
    lake_reads,
    lake_schemas,
    lake_tables,
    listing,
    maintenance,
    merge,
    named_snapshots,
    pictures,
    readers,
    session,
    shape,
    table,
    table_rows,
    table_shape,
    table_upkeep,
    translation,
)
from ducklake_spark import lake as lake_module
from pyspark.sql import SparkSession

from support.doctests import run_examples
from support.lakes import Lake, LakeFactory
from support.peer import Peer

PURE = [
    _assign,
    _calls,
    _names,
    _numbers,
    _progress,
    _show,
    _sql,
    errors,
    session,
    shape,
    translation,
]
ON_A_LAKE = [
    changes,
    cleaning,
    going_back,
    lake_at,
    lake_module,
    lake_reads,
    lake_schemas,
    lake_tables,
    listing,
    maintenance,
    merge,
    named_snapshots,
    pictures,
    readers,
    table,
    table_rows,
    table_shape,
    table_upkeep,
]

REPOSITORY = Path(__file__).resolve().parents[2]
README = REPOSITORY / "README.md"
PACKAGE_README = REPOSITORY / "python/README.md"
PAGE = REPOSITORY / "jvm/docs/python.md"
BLOCK = re.compile(r"^```(sql|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("module", PURE, ids=lambda module: module.__name__)
def test_examples_without_a_session_hold(module: ModuleType) -> None:
    results = run_examples(module)

    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("module", ON_A_LAKE, ids=lambda module: module.__name__)
def test_examples_on_a_lake_hold(module: ModuleType, example_lake: dl.Lake, tmp_path: Path) -> None:
    names = {"lake": example_lake, "spark": example_lake.spark, "folder": str(tmp_path)}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        results = run_examples(module, **names)

    assert results.attempted > 0
    assert results.failed == 0, printed.getvalue()


def test_the_page_about_python_runs(
    example_lake: dl.Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"spark": example_lake.spark}
    if "connect" in type(example_lake.spark).__module__:
        # As in the process of a client, where `functions` makes Columns for the server.
        monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    blocks = [text for _, text in BLOCK.findall(PAGE.read_text())]

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec("\n".join(blocks), names)

    assert (tmp_path / "lake.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    orders = example_lake.table("sales.orders")
    assert sorted(tuple(row) for row in orders.to_df().select("id", "region").collect()) == [
        (1, "west"),
        (3, "south"),
        (4, "east"),
        (5, "north"),
    ]
    assert (orders.schema["amount"].default, orders.sorting) == ("0.00BD", ("id ASC NULLS LAST",))
    assert "'newest'" in printed.getvalue()


def test_the_readme_of_the_package_runs(session: SparkSession, lakes: LakeFactory) -> None:
    (text,) = [text for _, text in BLOCK.findall(PACKAGE_README.read_text())]
    _, _, on_a_session = text.partition("spark = builder.getOrCreate()\n")
    for key, value in dl.settings("lake", lakes.new("sqlite").uri).items():
        session.conf.set(key, value)

    with (
        pytest.warns(UserWarning, match="There is no lake at"),
        contextlib.redirect_stdout(io.StringIO()) as printed,
    ):
        exec(on_a_session, {"dl": dl, "spark": session})

    now, before, changes = printed.getvalue().split("+\n\n")[:3]
    assert "|  2| two|" in now
    assert "|  2| too|" in before
    assert "|update_postimage|  2| two|" in changes


def test_the_lake_knows_the_version_of_the_connector(example_lake: dl.Lake) -> None:
    (row,) = example_lake.settings().collect()

    assert row.extension_version == dl.__version__


@pytest.mark.parametrize("name", ["nope", "", "lake.main", "spark_catalog"])
def test_a_catalog_that_is_no_lake_is_refused_at_once(example_lake: dl.Lake, name: str) -> None:
    with pytest.raises(dl.InvalidSettingError, match=r"is no lake of this session.*`lake`"):
        dl.Lake(example_lake.spark, name)


def test_a_snapshot_that_is_not_there_has_an_exception_of_its_own(example_lake: dl.Lake) -> None:
    with pytest.raises(dl.NoSuchSnapshotError):
        example_lake.at(version=99).table("events").to_df()


def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    sql, python = (text for _, text in BLOCK.findall(README.read_text())[:2])
    script = f"from support.peer import connect\nwith connect() as duck: duck.execute({sql!r})\n"
    (tmp_path / "readme.py").write_text(script + python)

    done = subprocess.run(
        [sys.executable, "readme.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "|  1| one|\n|  2| two|" in done.stdout
    assert "|  1| one|\n|  2| too|" in done.stdout
    address = f"ducklake:sqlite:{tmp_path}/lake.sqlite"
    with Peer(Lake("sqlite", address, tmp_path / "lake", "", is_moved=True)) as peer:
        assert peer.rows("FROM events ORDER BY id") == [(1,), (2,)]
        assert peer.rows("FROM names ORDER BY name") == [("one",), ("two",)]
        assert peer.head() == 8
        assert peer.rows("FROM events AT (VERSION => 6) ORDER BY id")[-1] == (4, "four")
