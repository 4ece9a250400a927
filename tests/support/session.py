"""The jars under test and the settings of a session with them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ducklake_spark as dl
import pyspark
import pytest
from ducklake_spark_catalog import sparks
from py4j.java_gateway import JavaPackage, JVMView

from support.lakes import EXTENSION_CLASS

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def shared_classes() -> dict[str, str]:
    """The option of a Spark that maps the classes of its start from an archive.

    The archive is DUCKLAKE_SHARED_CLASSES, which `support/sharedclasses.py` makes. A JVM with
    another class path does without it, and says so on standard output, but for the last options.
    """
    archive = os.environ.get("DUCKLAKE_SHARED_CLASSES")
    options = f"-XX:SharedArchiveFile={archive} -Xlog:cds=off -Xlog:cds+dynamic=off"
    return {"spark.driver.extraJavaOptions": options} if archive else {}


# Spark takes its working memory in pages, which on two cores have 64 MiB each. A broadcast join of
# three rows keeps one: eight threads with three joins each filled the heap (1.9 of 2 GiB, full
# collections), and Spark moved other broadcasts to disk, by Kryo. Small pages hold as much.
SESSION_SETTINGS = {
    "spark.master": "local[2]",
    "spark.app.name": "ducklake-tests",
    "spark.driver.memory": "2g",
    "spark.buffer.pageSize": "256k",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.extensions": EXTENSION_CLASS,
    "spark.ui.enabled": "false",
    "spark.sql.ui.retainedExecutions": "50",
    "spark.ui.showConsoleProgress": "false",
    **shared_classes(),
}

INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""Spark without compiling each query, for tests that ask thousands of different small ones."""


def remember_names() -> None:
    """Has Python ask Java once for each name of a package or class.

    Each call of PySpark names a class anew, and Java looks for it in all jars, package by package.
    """
    for kind in (JVMView, JavaPackage):
        kind.__getattr__ = _remembering(kind.__getattr__)


def _remembering(look_up: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    def remembered(names: Any, name: str) -> Any:  # noqa: ANN401
        found = vars(names)[name] = look_up(names, name)
        return found

    return remembered


def jars() -> str:
    """The jars under test: DUCKLAKE_JAR, or those that the build put into the Python package."""
    if chosen := os.environ.get("DUCKLAKE_JAR"):
        return chosen
    built = dl.jars()
    if not built:
        raise RuntimeError("no jar: run ./sbt packageJars, or name it in DUCKLAKE_JAR")
    return ",".join(built)


def store_jars() -> str:
    """The jars of Hadoop's S3A: DUCKLAKE_STORE_JARS, or those that the build made for this Spark.

    Raises:
        RuntimeError: there are none; only tests with a bucket need them.
    """
    if chosen := os.environ.get("DUCKLAKE_STORE_JARS"):
        return chosen
    line = sparks.line_of(pyspark.__version__)
    folder = "s3a-jars" if line == sparks.LINES["4.3"] else f"s3a-jars-{line}"
    built = sorted((REPOSITORY / "target" / folder).glob("*.jar"))
    if not built:
        raise RuntimeError("no jars for object stores: run ./sbt storeJars storeJarsOfLines")
    return ",".join(map(str, built))


def moving_jars() -> list[str]:
    """The jars that read tables of other formats: DUCKLAKE_MOVING_JARS, or those of the build."""
    if chosen := os.environ.get("DUCKLAKE_MOVING_JARS"):
        return chosen.split(",")
    return sorted(map(str, (REPOSITORY / "target" / "moving-jars").glob("*.jar")))


def delta_jars() -> str:
    """The jars of Delta's connector: DUCKLAKE_DELTA_JARS, or those of the build."""
    folder = REPOSITORY / "target" / "delta-jars"
    found = os.environ.get("DUCKLAKE_DELTA_JARS") or ",".join(map(str, folder.glob("*.jar")))
    if not found:
        pytest.skip("there are no jars of Delta's connector: run ./sbt deltaJars")
    return found


def delta_python() -> str:
    """The interpreter for Delta's connector, which is for Spark 4.2: this one, or the build's."""
    if pyspark.__version__.startswith("4.2."):
        return sys.executable
    of_build = REPOSITORY / "target/venv" / Path(sys.executable).relative_to(sys.prefix)
    if not of_build.exists():
        pytest.skip(f"Delta's connector is for Spark 4.2, and there is no {of_build}")
    return str(of_build)


def all_jars() -> str:
    """The jars under test, and those of Hadoop's S3A and of other formats if they are there."""
    mine = [jars(), *moving_jars()]
    with contextlib.suppress(RuntimeError):
        mine.append(store_jars())
    return ",".join(mine)
