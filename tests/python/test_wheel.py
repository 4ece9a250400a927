"""The wheel in a new environment: installed without a network, three lines, and a lake is read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from support.lakes import CATALOG_KINDS, LakeFactory
from support.peer import Peer

REPOSITORY = Path(__file__).resolve().parents[2]
SPARKS = ("4.2.0", "4.3.0") if os.environ.get("DUCKLAKE_FULL") else ("4.3.0",)
"""All other tests run on 4.2.0; the full sweep installs the wheel beside both."""

# What a user writes: one `configure` for each lake, and plain Spark.
SCRIPT = """
import json, sys
from pyspark.sql import SparkSession
import ducklake_spark as dl

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
for number, uri in enumerate(sys.argv[1:]):
    builder = dl.configure(builder, f"lake{number}", uri)
spark = builder.getOrCreate()
names = [f"lake{number}" for number in range(len(sys.argv) - 1)]
rows = {name: [list(row) for row in spark.table(f"{name}.events").orderBy("id").collect()]
        for name in names}
rows["version"] = spark.version
print(json.dumps(rows))
"""

# Whatever tries to reach another machine fails at once.
NO_NETWORK = {
    "JAVA_TOOL_OPTIONS": " ".join(
        f"-D{scheme}.proxyHost=127.0.0.1 -D{scheme}.proxyPort=9" for scheme in ("http", "https")
    ),
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "PIP_NO_INDEX": "1",
}


def built(variable: str, fallback: str) -> Path:
    """What the build made: named by an environment variable, or at its usual place."""
    found = os.environ.get(variable) or max(map(str, REPOSITORY.glob(fallback)), default=None)
    if found is None:
        raise pytest.UsageError(f"nothing at {fallback}: run ./sbt wheel sparkWheels")
    return Path(found)


def run(*command: str | Path) -> str:
    """The output of a program; a failure shows what it printed."""
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **NO_NETWORK},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass(frozen=True)
class Environment:
    """An interpreter, and the version of the Spark that it has."""

    python: Path
    spark: str


@pytest.fixture(scope="module", params=SPARKS)
def environment(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Environment]:
    """A new environment that holds the wheel and one Spark, half a gigabyte."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    wheel = built("DUCKLAKE_WHEEL", "target/dist/*.whl")
    sparks = built("DUCKLAKE_SPARK_WHEELS", "target/wheelhouse")
    run(
        *(python, "-m", "pip", "install", "-q", "--no-compile", "--no-index"),
        *("--find-links", sparks, wheel, f"pyspark=={request.param}"),
    )
    yield Environment(python, request.param)
    shutil.rmtree(folder)


def test_three_lines_read_a_lake_on_every_catalog_database(
    environment: Environment, lakes: LakeFactory
) -> None:
    made = [lakes.new(kind) for kind in CATALOG_KINDS]
    for lake in made:
        with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
            peer.run(
                "CREATE TABLE events (id INTEGER, name VARCHAR)",
                "INSERT INTO events VALUES (1, 'one'), (2, 'two'), (3, 'three')",
                "DELETE FROM events WHERE id = 2",
            )

    answer: dict[str, Any] = json.loads(
        run(environment.python, "-I", "-c", SCRIPT, *(lake.uri for lake in made)).splitlines()[-1]
    )

    expected = [[1, "one"], [3, "three"]]
    assert answer["version"] == environment.spark
    assert [answer[f"lake{number}"] for number in range(3)] == [expected] * 3


@pytest.mark.parametrize("environment", SPARKS[:1], indirect=True)
def test_the_wheel_is_for_one_platform_and_holds_its_jars(environment: Environment) -> None:
    wheel = built("DUCKLAKE_WHEEL", "target/dist/*.whl")
    listing = "import ducklake_spark as dl, os; print(*map(os.path.basename, dl.jars()))"

    jars = run(environment.python, "-I", "-c", listing).split()

    assert not wheel.stem.endswith("-any")
    assert "ducklake_spark_report/page.css" in ZipFile(wheel).namelist()
    assert [name.split("-")[0] for name in jars] == ["duckdb_jdbc", "ducklake"]


@pytest.mark.parametrize("environment", SPARKS[:1], indirect=True)
def test_the_command_says_what_it_needs_more(environment: Environment) -> None:
    command = environment.python.with_name("ducklake-spark")

    done = subprocess.run([command, "tables"], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr == "click is not installed: pip install 'ducklake-spark[cli]'\n"
