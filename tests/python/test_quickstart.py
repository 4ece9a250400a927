"""The example that `./sbt quickstart` runs: its folder, its answers and its page."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from support.peer import connect
from support.sweep import only_in_the_full_sweep

EXAMPLES = Path(__file__).resolve().parents[2] / "python/examples"

# The whole example on fewer rows.
SMALL = """
import sys, quickstart
quickstart.SCALE = 0.001
sys.exit(quickstart.main(quickstart.fresh(None)))
"""


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the example prints, with a folder for temporary files."""
    paths = [str(EXAMPLES), *sys.path]
    return subprocess.run(
        [sys.executable, *arguments],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "TMPDIR": str(folder),
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The example's module that finds the folder."""
    monkeypatch.syspath_prepend(EXAMPLES)
    yield importlib.import_module("places")
    for name in ("places", "engines"):
        sys.modules.pop(name, None)


@only_in_the_full_sweep("a Spark of its own; test_examples.py runs that of the README in every run")
def test_both_engines_agree_and_the_page_stays(tmp_path: Path) -> None:
    done = ran(tmp_path, "-c", SMALL)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "DuckDB and Spark agree everywhere." in done.stdout
    for step in (
        "region.append(rows)",
        "region.add_data_files('",
        "customer.merge(news, on='c_custkey')",
        "customer.rollback_to_snapshot(",
        "with lake.transaction() as tx:",
    ):
        assert f"Spark   {step}" in done.stdout
    assert done.stdout.count("LEMURIA") == 4  # the COPY, what each engine reads, the DELETE
    assert done.stdout.count("POSEIDONIA") == 1
    (page,) = re.findall(r"A page about it, for a browser: (.*)", done.stdout)
    assert Path(page).is_relative_to(tmp_path)
    assert Path(page).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_keys_with_a_token_are_given_to_both_engines(
    places: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN"):
        monkeypatch.setenv(f"AWS_{name}", f"the {name}'s")
    engines = importlib.import_module("engines")

    hadoop = engines._hadoop()
    with connect("httpfs") as duck:
        duck.execute(engines._secret())
        (answer,) = duck.execute("SELECT secret_string FROM duckdb_secrets()").fetchall()

    assert hadoop["fs.s3a.session.token"] == "the SESSION_TOKEN's"
    assert "SESSION_TOKEN 'the SESSION_TOKEN''s'" in engines._secret()
    assert "session_token=redacted" in answer[0]


def test_a_folder_with_other_things_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/mine.txt").write_text("mine")

    done = ran(tmp_path, str(EXAMPLES / "quickstart.py"), str(tmp_path))

    assert done.returncode == 1
    assert f"{tmp_path} is not empty" in done.stderr
    assert [path.name for path in tmp_path.rglob("*")] == ["data", "mine.txt"]


def test_the_lake_of_an_earlier_run_is_replaced_and_no_more(
    places: ModuleType, tmp_path: Path
) -> None:
    folder = places.fresh(tmp_path / "new")
    (folder / "data/main/t").mkdir(parents=True)
    for name in ("catalog.sqlite", "catalog.sqlite-wal", "lake.html", "data/main/t/f.parquet"):
        (folder / name).write_text("old")
    (folder / "notes.txt").write_text("mine")

    again = places.fresh(folder)

    assert again == folder
    assert {path.name for path in folder.rglob("*")} == {"made-by-quickstart", "notes.txt"}


def test_an_empty_folder_is_taken_and_a_new_one_made(
    places: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "empty").mkdir()

    assert places.fresh(tmp_path / "empty") == tmp_path / "empty"
    assert places.fresh(None).parent == tmp_path
