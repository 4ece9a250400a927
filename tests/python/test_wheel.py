"""The wheel in a new environment: installed without a network, and lakes are read and written."""

from __future__ import annotations

import email
import importlib.util
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

import ducklake_spark as dl
import pytest
from ducklake_spark_catalog import sparks

from support.builds import built
from support.lakes import CATALOG_KINDS, LakeFactory
from support.pages import blocks
from support.peer import Peer
from support.sweep import FULL, only_in_the_full_sweep

REPOSITORY = Path(__file__).resolve().parents[2]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
"""All that the wheel is for."""


PACKAGES_OF_CLI = ("click", "rich", "markdown_it", "mdurl", "pygments", "tomli")
"""What the extra `cli` brings; all of it is plain Python."""


def interpreter(name: str) -> str | None:
    """A program of this name that makes virtual environments, on the path or among pyenv's."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = [shutil.which(name), *map(str, sorted(versions.glob(f"*/bin/{name}")))]
    tried = ("-c", "import venv, ensurepip")
    return next(
        (
            each
            for each in found
            if each and not subprocess.run([each, *tried], capture_output=True).returncode
        ),
        None,
    )


LINES = {"4.0.5": "4.0", "4.1.4": "4.1", "4.2.0": "4.2", "4.2.1": "4.2", "4.3.0": "4.2"}
"""The Sparks that a full sweep installs beside the wheel, each with its line."""


def newest_spark(version: str) -> str:
    """The newest Spark for a version of Python."""
    return "4.2.0" if version == "3.10" else "4.3.0"


def pairs() -> list[tuple[str, str]]:
    """Interpreters, with the version of the Spark that is installed beside the wheel.

    Most other tests run on 4.2.0. The full sweep takes every Spark, and every Python that the wheel
    is for; those that the machine does not have are skipped by name.
    """
    here = ".".join(map(str, sys.version_info[:2]))
    if not FULL:
        return [(sys.executable, newest_spark(here))]
    others = [(f"python{version}", newest_spark(version)) for version in PYTHONS]
    return [*((sys.executable, spark) for spark in LINES), *others]


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


def run(*command: str | Path, path: Path | None = None, folder: Path | None = None) -> str:
    """The output of a program; a failure shows what it printed.

    Args:
        command: the program and its arguments.
        path: a folder with more packages than its environment has.
        folder: where the program runs.
    """
    more = {} if path is None else {"PYTHONPATH": str(path)}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, **NO_NETWORK, **more},
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
    name, spark = request.param
    program = interpreter(name)
    if program is None:
        pytest.skip(f"no {name} that makes virtual environments is on this machine")
    folder = tmp_path_factory.mktemp("environment")
    run(program, "-m", "venv", folder)
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


@only_in_the_full_sweep("a Spark of its own; test_examples.py runs the README in every run")
def test_the_readme_works_word_for_word(environment: Environment, tmp_path: Path) -> None:
    sql, python = (block.text for block in blocks(REPOSITORY / "README.md")[:2])
    (tmp_path / "lake.py").write_text(
        f"from support.peer import connect\nwith connect() as duck: duck.execute({sql!r})\n"
    )
    (tmp_path / "readme.py").write_text(python)
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "lake.py"], cwd=tmp_path, env=here, check=True)

    done = run(environment.python, "readme.py", folder=tmp_path)

    assert "|  1| one|\n|  2| two|" in done
    assert "|  1| one|\n|  2| too|" in done


WRONG = """
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
import ducklake_spark as dl

line, uri = sys.argv[1:]
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder.config("spark.jars", ",".join(dl.jars(line)))
for key, value in dl.settings("lake", uri).items():
    builder.config(key, value)

def told(call):
    try:
        call()
    except Exception as failure:
        return f"{type(failure).__name__}: {failure}".replace("\\n", " ")

spark = builder.getOrCreate()
print("source >", told(lambda: spark.read.format("ducklake").option("uri", uri).load("t")))
print("catalog >", told(lambda: spark.sql("SHOW SCHEMAS IN lake")))
print("Lake >", told(lambda: dl.Lake(spark, "lake")))
spark.stop()
builder.config("spark.sql.extensions", "ducklake.spark.DuckLakeExtensions")
print("extension >", told(builder.getOrCreate))
"""

BARE = "NoClassDefFoundError: org/apache/spark/sql/connector/catalog/RelationCatalog"

WRONG_LINES = ("4.0", "4.1", "4.2") if FULL else ("4.1",)


@pytest.mark.parametrize("line", WRONG_LINES)
def test_a_jar_for_another_spark_says_so(
    environment: Environment, line: str, tmp_path: Path
) -> None:
    if line == LINES[environment.spark]:
        pytest.skip("the jar is the one for this Spark")

    uri = f"ducklake:sqlite:{tmp_path}/l.sqlite"
    shown = run(environment.python, "-I", "-c", WRONG, line, uri, folder=tmp_path)

    told = dict(row.split(" > ", maxsplit=1) for row in shown.splitlines() if " > " in row)
    served = " and ".join(sorted(key for key, value in sparks.LINES.items() if value == line))
    refusal = (
        f"[DUCKLAKE_WRONG_SPARK] This is the jar for Spark {served}; this is Spark "
        f"{environment.spark}. Use ducklake-spark-{LINES[environment.spark]}_2.13."
    )
    assert told.keys() == {"source", "catalog", "Lake", "extension"}
    assert refusal in told["source"]
    assert refusal in told["extension"]
    if line == "4.2":  # Java cannot load the class of the catalog
        assert BARE in told["catalog"]
        assert f"this is Spark {environment.spark}" in told["Lake"]
    else:
        assert refusal in told["catalog"]
        assert refusal.partition(" ")[2] in told["Lake"]
    assert told["Lake"].startswith("WrongSparkError: ")


@pytest.mark.parametrize("environment", PAIRS[:1], indirect=True, ids="-".join)
def test_the_wheel_is_for_one_platform_and_holds_its_jars(environment: Environment) -> None:
    wheel = built("DUCKLAKE_WHEEL", "target/dist/*.whl")
    listing = "import ducklake_spark as dl, os; print(*map(os.path.basename, dl.jars()))"

    jars = run(environment.python, "-I", "-c", listing).split()

    assert not wheel.stem.endswith("-any")
    inside = ZipFile(wheel).namelist()
    assert "ducklake_spark_report/page.css" in inside
    lines = [name.split("/")[-2] for name in inside if name.endswith(".jar") and "-thin-" in name]
    assert sorted(lines) == sorted(set(LINES.values()))
    common = f"ducklake-spark-common-{dl.__version__}.jar"
    own = f"ducklake-spark-{LINES[environment.spark]}_2.13-thin-{dl.__version__}.jar"
    assert [name.split("-")[0] for name in jars] == ["duckdb_jdbc", "ducklake", "ducklake"]
    assert jars[1:] == [common, own]
    packed = ZipFile(wheel).open(f"ducklake_spark/jars/{common}")
    libraries = [name for name in ZipFile(packed).namelist() if "sqlitejdbc." in name]
    assert len(libraries) == 1, libraries


def test_the_metadata_are_what_an_index_shows() -> None:
    with zipfile.ZipFile(built("DUCKLAKE_WHEEL", "target/dist/*.whl")) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        given = email.message_from_bytes(wheel.read(name))

    assert given["Summary"].startswith("DuckLake lakes in Apache Spark")
    assert given["Requires-Python"] == f">={PYTHONS[0]}"
    classifiers = set(given.get_all("Classifier", ()))
    assert {f"Programming Language :: Python :: {version}" for version in PYTHONS} <= classifiers
    assert set(given.get_all("Provides-Extra", ())) == {"cli", "duckdb", "postgres", "report"}
    required = given.get_all("Requires-Dist", ())
    assert {"pyspark<4.4,>=4.0"} == {each for each in required if each.startswith("pyspark")}
    extras = {
        extra: {each.split(">=")[0] for each in required if f"extra == '{extra}'" in each}
        for extra in ("cli", "report")
    }
    assert extras["cli"] == {"click", "rich", "tomli"}
    assert extras["report"] == {"click", "matplotlib", "rich", "tomli"}
    assert {"ducklake", "duckdb", "spark"} <= set(given["Keywords"].split(","))
    links = dict(each.split(", ") for each in given.get_all("Project-URL", ()))
    assert links["DuckLake"] == "https://ducklake.select"
    assert [link for link in links.values() if not link.startswith("https://")] == []
    assert given["Description-Content-Type"] == "text/markdown"
    assert "dl.configure(" in str(given.get_payload())
    assert (given["License-File"] == "LICENSE") == (REPOSITORY / "LICENSE").exists()


@pytest.mark.parametrize("environment", PAIRS[:1], indirect=True, ids="-".join)
def test_the_command_says_what_it_needs_more(environment: Environment) -> None:
    command = environment.python.with_name("ducklake-spark")

    done = subprocess.run([command, "tables"], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr == "click is not installed: pip install 'ducklake-spark[cli]'\n"


@only_in_the_full_sweep("a Spark of its own; test_command_line_starts.py starts one in every run")
def test_the_command_line_works_where_its_extra_is(
    environment: Environment, lakes: LakeFactory, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE events AS SELECT 1 AS id")

    def printed(*arguments: str) -> Any:  # noqa: ANN401
        command = environment.python.with_name("ducklake-spark")
        shown = run(command, *arguments, "--json", "--lake", lake.uri, path=extra_cli(tmp_path))
        return json.loads(shown)

    (table,) = printed("tables")
    rows = printed("sql", "SELECT id, version() AS version FROM events")
    findings = {each["check"]: each for each in printed("doctor")}

    assert (table["table_name"], table["file_count"]) == ("events", 1)
    assert rows[0]["id"] == 1
    assert rows[0]["version"].startswith(environment.spark)
    assert findings["PySpark"]["found"] == environment.spark
    assert {each["state"] for each in findings.values()} == {"ok"}


def extra_cli(folder: Path) -> Path:
    """A folder with the packages of the extra `cli`: the wheelhouse has those of Spark alone."""
    packages = folder / "packages"
    packages.mkdir(exist_ok=True)
    for name in PACKAGES_OF_CLI:
        found = importlib.util.find_spec(name)
        link = packages / name
        if found is not None and found.origin is not None and not link.exists():
            link.symlink_to(Path(found.origin).parent)
    return packages
