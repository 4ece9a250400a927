"""The JVM that runs already: the one place where this package goes past SQL.

ADD JAR, which is plain SQL, is not enough. Only the threads of statements use its class loader: in
local mode tasks load the connector a second time, and writes fail with a ClassCastException.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from ducklake_spark.errors import UnsupportedError, WrongSparkError
from ducklake_spark_catalog import sparks

CATALOG_CLASS = "ducklake.spark.DuckLakeCatalog"

# What Spark says where the class is not on its class path; the class follows.
_ABSENT = "Cannot find catalog plugin class for catalog "

# Between key and value in a file of settings.
_SEPARATOR = re.compile(r"\s*[=:\s]\s*")

# What a class of the connector says that its Spark lacks a class of the Spark that it is for.
_OF_ANOTHER = "java.lang.NoClassDefFoundError: org/apache/spark/"

# Spark's loaders of what `--jars` names.
_LOADERS = (
    "org.apache.spark.util.MutableURLClassLoader",
    "org.apache.spark.util.ChildFirstURLClassLoader",
)


def is_running() -> bool:
    """Whether Spark's JVM runs: of spark-submit, of a session, or of one that was stopped."""
    from pyspark import SparkContext

    return SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ


def is_absent(failure: Exception) -> bool:
    """Whether Spark failed because it does not have the connector's class.

    A classic session raises py4j's class for Java's exception, a client of Connect Spark's own.
    """
    text = str(failure)
    return _ABSENT in text and CATALOG_CLASS in text


def is_of_another(failure: Exception) -> bool:
    """Whether Spark failed because the connector that it has is for another Spark."""
    return _OF_ANOTHER in str(failure)


def another_jar(release: str) -> WrongSparkError:
    """The error of a Spark whose jar of the connector is for another Spark."""
    return WrongSparkError(
        f"The connector's jar that Spark has is for another version; this is Spark {release}. "
        f"{hint(release)} SQLSTATE: 0A000",
        WrongSparkError.condition,
        {"running": release},
        sql_state="0A000",
    )


def release() -> str:
    """The release of the Spark that runs in this process; else of the one that would be started."""
    if not is_running():
        return _release_of_home()
    from pyspark import SparkContext

    SparkContext._ensure_initialized()
    jvm: Any = SparkContext._jvm
    return str(jvm.org.apache.spark.SparkBuildInfo.spark_version())


def hint(release: str) -> str:
    """What to do where the connector cannot be added to a Spark of this release."""
    is_here = sparks.line_of(release) == sparks.line_of(_release_of_home())
    chosen = "" if is_here else f" --spark {release}"
    return (
        f"Start Spark with `--jars $(python -m ducklake_spark jars{chosen})` and "
        "`--conf spark.sql.extensions=ducklake.spark.DuckLakeExtensions`."
    )


def _release_of_home() -> str:
    return sparks.home_release() or str(pyspark.__version__)


def context() -> Any:  # noqa: ANN401
    """The SparkContext that runs; None when there is none."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context


def settings() -> Mapping[str, str]:
    """What Spark was started with, or is going to be where a builder does not say otherwise."""
    from pyspark import SparkConf

    if not is_running():
        return _defaults()
    running = context()
    conf = SparkConf() if running is None else running.getConf()
    return dict(conf.getAll())


def _defaults() -> Mapping[str, str]:
    """The settings of Spark's own file of defaults."""
    from pyspark.find_spark_home import _find_spark_home

    folder = os.environ.get("SPARK_CONF_DIR") or Path(_find_spark_home(), "conf")
    file = Path(folder, "spark-defaults.conf")
    lines = file.read_text().splitlines() if file.is_file() else []
    pairs = (_SEPARATOR.split(line.strip(), maxsplit=1) for line in lines)
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and pair[0][0] not in "#!"}


def start(settings: Mapping[str, str]) -> None:
    """Start the JVM with settings, which then stand in its command line."""
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized(conf=SparkConf().setAll(list(settings.items())))


def load(jars: Iterable[str]) -> None:
    """Put jars where `--jars` would have put them, unless the connector is there already.

    Spark loads a class of the driver by its own loader, in every thread; a jar that comes by ADD
    JAR is seen by some threads only, and in local mode a second time by the tasks.

    Raises:
        UnsupportedError: the JVM was started in a way that leaves no place for jars.
        WrongSparkError: the connector that is there is for another Spark.
    """
    from pyspark import SparkContext

    SparkContext._ensure_initialized()
    jvm: Any = SparkContext._jvm
    if _is_there(jvm):
        return
    loader = _loader(jvm)
    if loader is None:
        raise UnsupportedError(
            "Adding the connector to this running JVM is not supported: its class loader takes no "
            f"jars. {hint(release())} SQLSTATE: 0A000",
            UnsupportedError.condition,
            {"what": "Adding the connector to this running JVM"},
            sql_state="0A000",
        )
    for jar in jars:
        loader.addURL(jvm.java.io.File(jar).toURI().toURL())


def _is_there(jvm: Any) -> bool:  # noqa: ANN401
    """Whether the JVM has the connector.

    Raises:
        WrongSparkError: it is for another Spark.
    """
    try:
        return bool(jvm.org.apache.spark.util.Utils.classIsLoadable(CATALOG_CLASS))
    except Exception as failure:
        if is_of_another(failure):
            raise another_jar(release()) from failure
        raise


def distribute(jars: Iterable[str]) -> None:
    """Give jars to the executors of the SparkContext that runs, those that they have not yet."""
    running = context()
    there = {Path(entry).name for entry in running._jsc.sc().listJars().mkString(",").split(",")}
    for jar in jars:
        if Path(jar).name not in there:
            running._jsc.addJar(jar)


def stages(spark: SparkSession, tag: str) -> list[tuple[int, int, int]]:
    """The stages of the jobs with a tag that Spark still knows: number, tasks, tasks done."""
    tracker = spark._jsparkSession.sparkContext().statusTracker()
    jobs = map(tracker.getJobInfo, tracker.getJobIdsForTag(tag))
    numbers = [stage for job in jobs if job.isDefined() for stage in job.get().stageIds()]
    found = [stage.get() for stage in map(tracker.getStageInfo, numbers) if stage.isDefined()]
    return [(each.stageId(), each.numTasks(), each.numCompletedTasks()) for each in found]


def _loader(jvm: Any) -> Any:  # noqa: ANN401
    """The outermost loader of Spark's that takes jars; None when there is none."""
    found = None
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    while loader is not None:
        if loader.getClass().getName() in _LOADERS:
            found = loader
        loader = loader.getParent()
    return found
