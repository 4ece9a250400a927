"""The examples of the docstrings and of the README are run, on a lake that DuckDB made."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import ducklake_spark as dl
import pytest
from ducklake_spark import _sql, changes, errors, session, table
from ducklake_spark import lake as lake_module
from pyspark.sql import SparkSession

from support.lakes import LakeFactory
from support.peer import Peer

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = re.compile(r"^```(sql|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_examples(module: ModuleType, **names: object) -> doctest.TestResults:
    """Run the examples of a module with more names in scope."""
    found = doctest.DocTestFinder(recurse=True).find(module, extraglobs=names)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in found:
        runner.run(example)
    return runner.summarize(verbose=False)


@pytest.fixture(scope="module")
def example_lake(spark: SparkSession, lakes: LakeFactory) -> dl.Lake:
    """A lake with the table `events`: one row at snapshot 2, two at snapshot 3."""
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE events (id INTEGER, name VARCHAR)",
            "INSERT INTO events VALUES (1, 'one')",
            "INSERT INTO events VALUES (2, 'two')",
        )
    for key, value in dl.settings("lake", made.uri).items():
        spark.conf.set(key, value)
    return dl.Lake(spark, "lake")


@pytest.mark.parametrize("module", [_sql, errors, session], ids=lambda module: module.__name__)
def test_examples_without_a_session_hold(module: ModuleType) -> None:
    results = run_examples(module)

    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize(
    "module", [lake_module, changes, table], ids=lambda module: module.__name__
)
def test_examples_on_a_lake_hold(module: ModuleType, example_lake: dl.Lake, tmp_path: Path) -> None:
    names = {"lake": example_lake, "spark": example_lake.spark, "folder": str(tmp_path)}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        results = run_examples(module, **names)

    assert results.attempted > 0
    assert results.failed == 0, printed.getvalue()


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
