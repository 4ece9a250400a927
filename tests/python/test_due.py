"""Upkeep when it is due: the exit code of the report; examples for cron, Airflow and Dagster."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.commands import command
from support.lakes import Lake, LakeFactory
from support.pages import DOCS, blocks
from support.peer import Peer

PROGRAM = """#!/bin/sh
if [ "$1" = checkpoint ]; then echo "$@" >> {folder}/done; exit; fi
exec {python} -m ducklake_spark_cli "$@"
"""
"""The program as cron finds it: upkeep itself needs Spark, and is only noted here."""


def lakes_of(lakes: LakeFactory) -> dict[str, Lake]:
    """A lake with rows in its catalog, which should be flushed, and one with none."""
    made = {"due": lakes.new("sqlite"), "kept": lakes.new("sqlite")}
    for lake in made.values():
        with Peer(lake) as peer:
            peer.run("CREATE TABLE t (id BIGINT)")
    with Peer(made["due"]) as peer:
        peer.run("INSERT INTO t VALUES (1)")
    return made


@pytest.fixture(params=["due", "kept", "absent"])
def prod(request: pytest.FixtureRequest, folder: Path, lakes: LakeFactory) -> Iterator[str]:
    """What the profile `prod` is in this folder; the program stands before all others in PATH."""
    kind: str = request.param
    made = lakes_of(lakes)
    uri = made[kind].uri if kind in made else f"ducklake:sqlite:{folder}/no.sqlite"
    (folder / "ducklake-spark.toml").write_text(f'[lakes.prod]\nuri = "{uri}"\n')
    program = folder / "ducklake-spark"
    program.write_text(PROGRAM.format(folder=folder, python=sys.executable))
    program.chmod(0o755)
    yield kind


def example(word: str) -> str:
    """The example of the page that has a word."""
    section = "Upkeep when it is due"
    found = [each for each in blocks(DOCS / "command-line.md") if each.section == section]
    (chosen,) = [each.text for each in found if word in each.text]
    return chosen


def bash(line: str, folder: Path) -> int:
    """How a shell ends that runs a line in the folder."""
    path = {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**os.environ, **path},
        stdout=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    return done.returncode


def test_the_exit_code_says_whether_upkeep_is_due(lakes: LakeFactory) -> None:
    made = lakes_of(lakes)
    code = ("report", "--exit-code", "--lake")

    assert command(*code, made["due"].uri).exit_code == 4
    assert command(*code, made["due"].uri, "--json").exit_code == 4
    assert command(*code, made["kept"].uri).exit_code == 0
    assert command("report", "--lake", made["due"].uri).exit_code == 0
    assert command(*code, "ducklake:sqlite:no.sqlite").exit_code == 1


def test_cron_does_upkeep_that_is_due(prod: str, folder: Path) -> None:
    _, line = example("/dev/null").split("* * * ", 1)

    bash(line, folder)

    assert (folder / "done").exists() == (prod == "due")


def test_airflow_skips_upkeep_that_is_not_due(
    prod: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = airflow(monkeypatch)
    exec(example("airflow"), {})

    codes = {"due": 0, "kept": 99, "absent": 1}
    assert list(tasks) == ["due", "checkpoint"]
    assert bash(tasks["due"].bash_command, folder) == codes[prod]
    assert tasks["due"].behind == [tasks["checkpoint"]]
    assert bash(tasks["checkpoint"].bash_command, folder) == 0
    assert (folder / "done").read_text() == "checkpoint --lake prod\n"


class Task:
    """A task as Airflow's operator for shells makes it: exit code 99 skips it by default."""

    def __init__(self, tasks: dict[str, Task], task_id: str, bash_command: str) -> None:
        """A task, noted by its id."""
        self.bash_command = bash_command
        self.behind: list[Task] = []
        tasks[task_id] = self

    def __rshift__(self, other: Task) -> Task:
        """The other task comes behind this one."""
        self.behind.append(other)
        return other


def airflow(monkeypatch: pytest.MonkeyPatch) -> dict[str, Task]:
    """The names that the example imports; the tasks that it makes, by their ids."""
    tasks: dict[str, Task] = {}

    class Dag:
        def __init__(self, name: str, *, schedule: str, **_: object) -> None:
            assert len(schedule.split()) == 5

        def __enter__(self) -> None:
            """Begin to make tasks."""

        def __exit__(self, *_: object) -> None:
            """All tasks are made."""

    def operator(**given: str) -> Task:
        return Task(tasks, **given)

    home = types.ModuleType("airflow")
    monkeypatch.setattr(home, "DAG", Dag, raising=False)
    bash_module = types.ModuleType("airflow.providers.standard.operators.bash")
    monkeypatch.setattr(bash_module, "BashOperator", operator, raising=False)
    monkeypatch.setitem(sys.modules, "airflow", home)
    monkeypatch.setitem(sys.modules, bash_module.__name__, bash_module)
    for part in ("airflow.providers", "airflow.providers.standard"):
        monkeypatch.setitem(sys.modules, part, types.ModuleType(part))
    operators = "airflow.providers.standard.operators"
    monkeypatch.setitem(sys.modules, operators, types.ModuleType(operators))
    return tasks


class Failure(Exception):
    """A step that failed, as Dagster names it."""


@dataclass
class Schedule:
    """A schedule of Dagster."""

    job: Callable[[], None]
    cron_schedule: str


def dagster(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Schedule]]:
    """The names that the example imports; what it hands to Dagster."""
    handed: dict[str, list[Schedule]] = {}
    module = types.ModuleType("dagster")
    names = {
        "op": lambda step: step,
        "job": lambda job: job,
        "Failure": Failure,
        "ScheduleDefinition": Schedule,
        "Definitions": handed.update,
    }
    for name, value in names.items():
        monkeypatch.setattr(module, name, value, raising=False)
    monkeypatch.setitem(sys.modules, "dagster", module)
    return handed


def test_dagster_does_upkeep_that_is_due_and_fails_without_a_lake(
    prod: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed = dagster(monkeypatch)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    exec(example("dagster"), names)
    (nightly,) = handed["schedules"]

    assert names["nightly"] is nightly
    if prod == "absent":
        with pytest.raises(Failure, match="exit code 1"):
            nightly.job()
    else:
        nightly.job()

    assert len(nightly.cron_schedule.split()) == 5
    assert (folder / "done").exists() == (prod == "due")
