"""The comparison of libraries is true: each piece of code in it is run."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from comparison import libraries
from comparison.libraries import Bench, as_rows
from comparison.tasks import ONE, TASKS, TWO, Absent, Library, Task, page
from support.lakes import LakeFactory
from support.sweep import only_in_the_full_sweep

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "jvm/docs/comparison.md"

of_others = only_in_the_full_sweep("of another library alone, whose version is pinned")
every_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.title)


def check(bench: Bench, task: Task, library: Library) -> None:
    cell = getattr(task, library)
    if isinstance(cell, Absent):
        assert [name for name in cell.names if bench.has(name)] == []
        return
    found = bench.run(cell)
    if task.found is not None:
        assert as_rows(found) == list(task.found)
    assert bench.rows() == list(task.after or (ONE, TWO))


def test_the_page_is_what_the_tasks_say() -> None:
    if os.environ.get("DUCKLAKE_RECORD") == "1":
        PAGE.write_text(page(), encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == page()


@every_task
def test_what_ducklake_spark_does(
    task: Task, spark: SparkSession, lakes: LakeFactory, tmp_path: Path
) -> None:
    with libraries.ours(spark, lakes, tmp_path) as bench:
        check(bench, task, "ours")


@of_others
@every_task
def test_what_duckdb_does(task: Task, lakes: LakeFactory, tmp_path: Path) -> None:
    with libraries.duckdb(lakes, tmp_path) as bench:
        check(bench, task, "duckdb")


@of_others
@every_task
@pytest.mark.filterwarnings("ignore")
def test_what_pyiceberg_does(task: Task, tmp_path: Path) -> None:
    with libraries.iceberg(tmp_path) as bench:
        check(bench, task, "iceberg")


@pytest.mark.skipif(
    "DELTA_JARS" not in os.environ or importlib.util.find_spec("delta") is None,
    reason="DELTA_JARS does not name Delta's jars, or delta-spark is not installed",
)
def test_what_delta_does(tmp_path: Path) -> None:
    """All tasks in a process of their own: the session needs Delta's extension and catalog."""
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def try_delta(folder: Path) -> None:
    """Run what the comparison says of Delta."""
    spark = libraries.delta_session()
    for number, task in enumerate(TASKS):
        place = folder / str(number)
        place.mkdir()
        with libraries.delta(spark, place) as bench:
            print(task.title)
            check(bench, task, "delta")
    spark.stop()


if __name__ == "__main__":
    try_delta(Path(sys.argv[1]))
