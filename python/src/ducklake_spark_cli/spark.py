"""The lake in a Spark session, for commands that need one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

import ducklake_spark as dl
from ducklake_spark import _progress
from ducklake_spark.translation import unlogged_errors
from ducklake_spark_catalog import keys
from ducklake_spark_catalog.failure import Failure, RunAgain
from ducklake_spark_catalog.moments import moment
from ducklake_spark_catalog.places import FOREIGN, Place, text

CATALOG = "lake"
"""What the lake is called in SQL."""

_QUIET = {
    "spark.app.name": "ducklake-spark",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
}

_AGAIN = (
    dl.CatalogBusyError,
    dl.CatalogCancelledError,
    dl.CommitConflictError,
    dl.CommitTimedOutError,
    dl.ConcurrentChangeError,
)


@contextmanager
def opened(place: Place) -> Iterator[dl.Lake]:
    """The lake in a Spark session; a session that runs already lends its context.

    Raises:
        Failure: Spark or the lake says no.
    """
    before = SparkSession.getActiveSession()
    try:
        session = _started(place) if before is None else _beside(before, place)
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always", UserWarning)
            lake = dl.Lake(session, CATALOG)
        for warning in raised:
            click.echo(f"Warning: {warning.message}", err=True)
        session.catalog.setCurrentCatalog(CATALOG)
        with dl.translated_errors(), unlogged_errors():
            yield lake
    except PySparkException as failure:
        kind = RunAgain if isinstance(failure, _AGAIN) else Failure
        raise kind(str(failure).partition("\n\nJVM stacktrace:")[0]) from failure
    finally:
        if before is None and (running := SparkSession.getActiveSession()) is not None:
            running.stop()


@contextmanager
def shown(lake: dl.Lake, title: str | None, wanted: bool | None) -> Iterator[None]:
    """A bar while the block runs, unless it has no title."""
    with _progress.shown(lake.spark, title or "", wanted if title else False):
        yield


def collected(rows: DataFrame) -> list[Row]:
    """The rows.

    Raises:
        Failure: Python has no such date or time.
    """
    try:
        return rows.collect()
    except PySparkException:
        raise
    except (OverflowError, ValueError) as failure:
        raise Failure(
            f"Python has no value for a date or time of the rows: {failure}.",
            "Ask for it as text: ducklake-spark sql 'SELECT CAST(column AS STRING) FROM table'.",
        ) from failure


def settings(place: Place) -> dict[str, str]:
    """The Spark settings that register the lake.

    Raises:
        Failure: a key is not known; the nearest one is named.
    """
    return dl.settings(CATALOG, place.uri, **_options(place))


def _started(place: Place) -> SparkSession:
    local = {} if "spark.remote" in place.spark else {"spark.master": "local[*]"}
    builder = SparkSession.Builder()
    for key, value in {**_QUIET, **local, **place.spark}.items():
        builder.config(key, value)
    return dl.configure(builder, CATALOG, place.uri, **_options(place)).getOrCreate()


def _beside(running: SparkSession, place: Place) -> SparkSession:
    session = running.newSession()
    for key, value in settings(place).items():
        session.conf.set(key, value)
    return session


def _options(place: Place) -> dict[str, Any]:
    """The keys of a profile as the Python package takes them.

    Raises:
        Failure: a key is not known; the nearest one is named.
    """
    keys.check(place)
    hadoop = {
        key.removeprefix("hadoop."): text(value)
        for key, value in place.settings.items()
        if key.startswith("hadoop.")
    }
    others = {
        key if key.startswith(FOREIGN) else key.replace("-", "_").replace(".", "_"): value
        for key, value in place.settings.items()
        if not key.startswith("hadoop.")
    }
    if (time := place.text("snapshot-time")) is not None:
        # The session may have a zone of its own, and commands without Spark know none.
        others["snapshot_time"] = moment(time).isoformat(sep=" ")
    return {"hadoop": hadoop, **others}
