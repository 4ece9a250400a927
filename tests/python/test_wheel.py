"""The wheel in a new environment: installed without a network, and lakes are read and written."""

from __future__ import annotations

import email
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from support.lakes import CATALOG_KINDS, LakeFactory
from support.peer import Peer

REPOSITORY = Path(__file__).resolve().parents[2]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
"""All that the wheel is for."""


def is_usable(python: str) -> bool:
    """Whether a program of this name makes virtual environments."""
    tried = [python, "-c", "import venv, ensurepip"]
    return bool(shutil.which(python)) and not subprocess.run(tried, capture_output=True).returncode


def newest_spark(version: str) -> str:
    """The newest Spark for a version of Python."""
    return "4.2.0" if version == "3.10" else "4.3.0"


def pairs() -> list[tuple[str, str]]:
    """Interpreters, with the version of the Spark that is installed beside the wheel.

    All other tests run on 4.2.0. The full sweep takes both, and every Python of the machine.
    """
    here = ".".join(map(str, sys.version_info[:2]))
    if not os.environ.get("DUCKLAKE_FULL"):
        return [(sys.executable, newest_spark(here))]
    others = [
        (name, newest_spark(version))
        for version in PYTHONS
        if is_usable(name := f"python{version}")
    ]
    return [(sys.executable, "4.2.0"), *others]


PAIRS = pairs()

# What a user writes: one `configure` for each lake, and plain Spark.
SCRIPT = """
import json, os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable  # as in an environment that is activated
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

lake = dl.Lake(spark, "lake0")
made = lake.create_table("made", "id BIGINT, name STRING", partitioned_by="bucket(4, id)")
made.append(spark.createDataFrame([(1, "a"), (2, "b")], "id BIGINT, name STRING"))
then = lake.current_snapshot().first().id
made.update({"name": "'c'"}, "id = 2")
news = spark.createDataFrame([(1, "gone"), (3, "new")], "id BIGINT, name STRING")
made.merge(news, on="id").when_matched_delete().when_not_matched_insert().execute()
rows["changes"] = made.changes(start=then + 1).count()
lake.checkpoint()
rows["made"] = sorted(map(list, made.to_df().collect()))
rows["then"] = sorted(map(list, made.at(then).to_df().collect()))
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


@pytest.fixture(scope="module", params=PAIRS, ids="-".join)
def environment(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Environment]:
    """A new environment that holds the wheel and one Spark, half a gigabyte."""
    interpreter, spark = request.param
    folder = tmp_path_factory.mktemp("environment")
    run(interpreter, "-m", "venv", folder)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    wheel = built("DUCKLAKE_WHEEL", "target/dist/*.whl")
    sparks = built("DUCKLAKE_SPARK_WHEELS", "target/wheelhouse")
    run(
        *(python, "-m", "pip", "install", "-q", "--no-compile", "--no-index"),
        *("--find-links", sparks, wheel, f"pyspark=={spark}"),
    )
    yield Environment(python, spark)
    shutil.rmtree(folder)


def test_lakes_on_every_catalog_database_are_read_and_one_is_written(
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
    assert answer["then"] == [[1, "a"], [2, "b"]]
    assert answer["made"] == [[2, "c"], [3, "new"]]
    assert answer["changes"] == 4  # both images of the update, a delete, an insert
    with Peer(made[0]) as peer:
        assert peer.rows("SELECT * FROM made ORDER BY id") == [(2, "c"), (3, "new")]


@pytest.mark.parametrize("environment", PAIRS[:1], indirect=True, ids="-".join)
def test_the_wheel_is_for_one_platform_and_holds_its_jars(environment: Environment) -> None:
    wheel = built("DUCKLAKE_WHEEL", "target/dist/*.whl")
    listing = "import ducklake_spark as dl, os; print(*map(os.path.basename, dl.jars()))"

    jars = run(environment.python, "-I", "-c", listing).split()

    assert not wheel.stem.endswith("-any")
    assert "ducklake_spark_report/page.css" in ZipFile(wheel).namelist()
    assert [name.split("-")[0] for name in jars] == ["duckdb_jdbc", "ducklake"]


def test_the_metadata_are_what_an_index_shows() -> None:
    with zipfile.ZipFile(built("DUCKLAKE_WHEEL", "target/dist/*.whl")) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        told = email.message_from_bytes(wheel.read(name))

    assert told["Summary"].startswith("DuckLake lakes in Apache Spark")
    assert told["Requires-Python"] == f">={PYTHONS[0]}"
    classifiers = set(told.get_all("Classifier", ()))
    assert {f"Programming Language :: Python :: {version}" for version in PYTHONS} <= classifiers
    assert {"cli", "duckdb", "postgres"} <= set(told.get_all("Provides-Extra", ()))
    assert told["Description-Content-Type"] == "text/markdown"
    assert "dl.configure(" in str(told.get_payload())
    assert (told["License-File"] == "LICENSE") == (REPOSITORY / "LICENSE").exists()


@pytest.mark.parametrize("environment", PAIRS[:1], indirect=True, ids="-".join)
def test_the_command_says_what_it_needs_more(environment: Environment) -> None:
    command = environment.python.with_name("ducklake-spark")

    done = subprocess.run([command, "tables"], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr == "click is not installed: pip install 'ducklake-spark[cli]'\n"
