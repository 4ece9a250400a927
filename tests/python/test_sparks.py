"""Which Sparks the package serves, which jars it gives to each, and what it says to others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import ducklake_spark as dl
import pytest
from ducklake_spark import _jvm
from ducklake_spark_catalog import sparks
from ducklake_spark_cli import checks
from pyspark.sql import SparkSession

SERVED = "ducklake-spark serves Spark 4.0, 4.1, 4.2 and 4.3, not"


@pytest.fixture
def no_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process in which no Spark runs."""
    monkeypatch.setattr("pyspark.SparkContext._gateway", None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.delenv("SPARK_HOME", raising=False)


def home(folder: Path, release: str) -> str:
    """A folder that looks like that of a Spark."""
    (folder / "jars").mkdir(parents=True)
    (folder / "jars" / f"spark-core_2.13-{release}.jar").touch()
    return str(folder)


@pytest.mark.parametrize(
    ("release", "line"),
    [
        ("4.0.0", "4.0"),
        ("4.0.1-amzn-0", "4.0"),
        ("4.1.4", "4.1"),
        ("4.2.0.dev1", "4.2"),
        ("4.3.0", "4.2"),
        ("4.3", "4.2"),
        ("3.5.9", None),
        ("4.4.0", None),
        ("4.10.0", None),
        ("5.0.0", None),
        ("", None),
    ],
)
def test_each_spark_has_the_jar_of_its_line(release: str, line: str | None) -> None:
    assert sparks.line_of(release) == line


@pytest.mark.parametrize(
    ("release", "mend"),
    [
        ("3.5.9", "DuckDB reads the same lake."),
        ("4.4.0", "Take one of these, or a newer ducklake-spark."),
        ("5.0.0", "Take one of these, or a newer ducklake-spark."),
    ],
)
def test_a_spark_that_is_not_served_is_refused_in_one_sentence(release: str, mend: str) -> None:
    with pytest.raises(dl.WrongSparkError) as raised:
        dl.jars(release)

    assert str(raised.value).endswith(f"{SERVED} {release}. {mend} SQLSTATE: 0A000")
    assert raised.value.getCondition() == "DUCKLAKE_WRONG_SPARK"
    assert raised.value.getMessageParameters() == {"running": release}


@pytest.mark.usefixtures("no_jvm")
def test_the_spark_of_spark_home_is_the_one_that_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", home(tmp_path, "3.5.9"))

    with pytest.raises(dl.WrongSparkError, match=r"not 3\.5\.9"):
        dl.configure(SparkSession.Builder(), "lake", "ducklake:sqlite:l.sqlite")


@pytest.mark.usefixtures("no_jvm")
def test_a_folder_that_does_not_tell_its_version_leaves_that_of_pyspark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = dl.jars()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))

    assert dl.jars() == ours


def test_the_hint_names_the_spark_where_it_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setattr("pyspark.__version__", "4.2.0")

    assert "$(python -m ducklake_spark jars)" in _jvm.hint("4.3.0")
    assert "$(python -m ducklake_spark jars --spark 4.1.4)" in _jvm.hint("4.1.4")


def printed(*arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """What `python -m ducklake_spark` does, after a line of Python."""
    script = f"{before}\nimport runpy; runpy.run_module('ducklake_spark', run_name='__main__')"
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_takes_the_version_of_a_spark_elsewhere() -> None:
    refused = printed("jars", "--spark", "3.5.9")

    assert refused.returncode == 1
    assert refused.stdout == ""
    assert refused.stderr.count("\n") == 1
    assert f"{SERVED} 3.5.9. DuckDB reads the same lake." in refused.stderr


def test_an_older_pyspark_cannot_import_the_package() -> None:
    done = printed("jars", before="import pyspark; pyspark.__version__ = '3.5.9'")

    assert done.stderr.endswith(f"ImportError: {SERVED} 3.5.9. DuckDB reads the same lake.\n")


@pytest.mark.parametrize(
    ("installed", "started", "state", "found", "mend"),
    [
        ("4.0.5", None, "ok", "4.0.5", ""),
        ("4.3.0", "4.3.0", "ok", "4.3.0", ""),
        ("4.1.4", "4.0.5", "warning", "4.1.4, and SPARK_HOME is of 4.0.5", "Unset SPARK_HOME"),
        ("4.1.4", "3.5.9", "wrong", "4.1.4", f"{SERVED} 3.5.9. DuckDB reads the same lake."),
        ("3.5.9", None, "wrong", "3.5.9", f"{SERVED} 3.5.9. DuckDB reads the same lake."),
        ("4.4.0", None, "wrong", "4.4.0", "pip install 'pyspark>=4.0,<4.4'"),
    ],
)
def test_a_doctor_looks_at_the_version(
    installed: str,
    started: str | None,
    state: str,
    found: str,
    mend: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checks.metadata, "version", lambda _: installed)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    if started is not None:
        monkeypatch.setenv("SPARK_HOME", home(tmp_path, started))

    finding = checks.pyspark()

    assert (finding.state, finding.found) == (state, found)
    assert mend in finding.mend


def test_a_doctor_names_the_jar_of_the_line(tmp_path: Path) -> None:
    names = ["duckdb_jdbc-2.jar", "ducklake-spark-common-1.jar"]
    (tmp_path / "4.1").mkdir()
    for name in (*names, "4.1/ducklake-spark-4.1_2.13-thin-1.jar"):
        (tmp_path / name).touch()

    good = checks.jars(tmp_path, "4.1.4")
    bad = checks.jars(tmp_path, "4.0.5")

    assert (good.state, good.found) == (
        "ok",
        "duckdb_jdbc-2.jar, ducklake-spark-4.1_2.13-thin-1.jar, ducklake-spark-common-1.jar",
    )
    assert (bad.state, bad.found) == ("wrong", f"no jar ducklake-spark-4.0_* in {tmp_path}")
