"""An environment with dbt and the adapter, and the example project in a folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ADAPTER = REPOSITORY / "python/dbt"
ENVIRONMENT = REPOSITORY / "target/dbt"

_REQUIREMENTS = ADAPTER / "requirements-dev.txt"
_PYTHON = ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
_COMMAND = ("--no-use-colors", "--no-send-anonymous-usage-stats")


class NoDbt(Exception):
    """dbt cannot be installed here."""


def interpreter(folder: Path) -> Path:
    """An interpreter with dbt, made anew when its pins change, and the adapter as it is now.

    It has dbt alone: PySpark and its like are those of the tests, whatever their Spark.

    Args:
        folder: for the wheel of the adapter.

    Raises:
        NoDbt: pip did not get dbt; with its last words.
    """
    stamp = f"{_REQUIREMENTS.read_text()}{sys.base_prefix}"
    mark = ENVIRONMENT / ".made-from"
    if not mark.exists() or mark.read_text() != stamp:
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
        try:
            _pip("-r", str(_REQUIREMENTS))
        except subprocess.CalledProcessError as failed:
            raise NoDbt(failed.stderr.strip().splitlines()[-1]) from failed
        mark.write_text(stamp)
    (_packages() / "tests.pth").write_text("\n".join(map(str, _packages_of_tests())))
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ADAPTER, check=True, capture_output=True)
    _pip("--no-deps", "--force-reinstall", *map(str, folder.glob("*.whl")))
    return _PYTHON


def _pip(*what: str) -> None:
    command = [str(_PYTHON), "-m", "pip", "--disable-pip-version-check", "-q", "install", *what]
    subprocess.run(command, capture_output=True, text=True, check=True)


def _packages_of_tests() -> list[Path]:
    """Of another Spark than that of the build two folders, the one with PySpark first."""
    return [path for path in map(Path, sys.path) if path.name == "site-packages"]


def _packages() -> Path:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([str(_PYTHON), "-c", code], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())


@dataclass(frozen=True)
class Answer:
    """How a command of dbt ended."""

    success: bool
    error: str
    nodes: dict[str, tuple[str, str]]

    @property
    def bad(self) -> dict[str, str]:
        """The messages of nodes that failed; under `""` that of the command."""
        failed = {"error", "fail", "runtime error", "skipped"}
        found = {name: text for name, (status, text) in self.nodes.items() if status in failed}
        return found | ({} if self.success or found else {"": self.error or "no success"})


class Project:
    """The example project in a folder, with a process of dbt for it."""

    def __init__(self, folder: Path, process: subprocess.Popen[str], target: str) -> None:
        """Commands use the target of the profile."""
        self.folder = folder
        self._process = process
        self._target = target

    def run(self, *command: str) -> Answer:
        """Runs a command, such as `run` or `snapshot`.

        Raises:
            RuntimeError: the process has ended; with the end of its log.
        """
        line = [*_COMMAND, *command, "--target", self._target]
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(line), file=self._process.stdin, flush=True)
        if not (answer := self._process.stdout.readline()):
            raise RuntimeError((self.folder / "printed.log").read_text()[-5000:])
        ended = json.loads(answer)
        nodes = {name: (str(status), text) for name, (status, text) in ended["nodes"].items()}
        return Answer(ended["success"], ended["error"], nodes)

    def write(self, path: str, text: str) -> None:
        """Writes a file of the project."""
        (self.folder / path).write_text(text)


@contextmanager
def project(
    python: Path, folder: Path, target: str, settings: dict[str, str], **variables: str
) -> Iterator[Project]:
    """The example project, and dbt in a process until the block ends.

    Args:
        python: the interpreter that has dbt.
        folder: does not exist yet.
        target: that of the profile to use.
        settings: of Spark, for the target `session`.
        variables: of the environment.
    """
    shutil.copytree(ADAPTER / "example", folder)
    profile = folder / "profiles.yml"
    more = f"      server_side_parameters: {json.dumps(settings)}\n      threads: 2\n"
    profile.write_text(profile.read_text().replace("      threads: 2\n", more, 1))
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY / "python/src"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        **variables,
    }
    with (folder / "printed.log").open("w") as printed:
        process = subprocess.Popen(
            [str(python), str(Path(__file__).with_name("dbtprocess.py"))],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=printed,
            text=True,
        )
        try:
            yield Project(folder, process, target)
        finally:
            process.communicate()


def failures(answers: Sequence[Answer]) -> list[dict[str, str]]:
    """What failed in some commands; empty when nothing did."""
    return [answer.bad for answer in answers if answer.bad]
