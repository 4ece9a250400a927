"""What a lake and a table look like: the report page, and pictures for notebooks."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ducklake_spark._calls import LakeCalls, run
from ducklake_spark._sql import identifier
from ducklake_spark._table_calls import TableCalls
from ducklake_spark.errors import CatalogBusyError, ConnectionFailedError, DuckLakeError
from ducklake_spark.translation import translated_errors
from ducklake_spark_catalog.failure import Failure, RunAgain
from ducklake_spark_catalog.places import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ducklake_spark_report import Report
    from ducklake_spark_report.charts import Chart

_MISSING = "reports and pictures need more packages: pip install 'ducklake-spark[report]'"

# What Python's own drivers need to know of a catalog's keys.
_KEYS = (
    *("metadata-schema", "busy-timeout", "user", "password", "password-file"),
    *("data-path", "override-data-path"),
)


@dataclass(frozen=True, repr=False)
class LakePictures(LakeCalls):
    """The lake as a page and as a picture.

    Both read the catalog database from this process with Python's own drivers, not through Spark:
    a file must be on this machine, and PostgreSQL needs `pip install 'ducklake-spark[postgres]'`.
    """

    def report(self, file: str | os.PathLike[str] | None = None) -> Report:
        """A page about the lake: growth, tables, files, commits, and what upkeep would gain.

        It is one file without scripts that needs no network. No data file is opened. The page shows
        the newest snapshot, also when the catalog is pinned to another.

        Args:
            file: where to write the page; when left out it is not written. A notebook shows it.

        Returns:
            The report; its `html` is the page.

        Raises:
            ImportError: the extra `report` is not installed.
            CatalogBusyError: another process has the catalog database open.
            ConnectionFailedError: this process cannot read the catalog database.
            OSError: the file cannot be written.

        Example:
            >>> page = lake.report(folder + "/lake.html")
            >>> page.html.startswith("<!doctype html>")
            True
        """
        _refuse_without_extra()
        from ducklake_spark_report import report

        with _translated():
            made = report(self._place(), name=self.catalog)
        if file is not None:
            made.save(file)
        return made

    def plot_history(self) -> Chart:
        """How the lake grew: files and bytes over its snapshots. A notebook shows the picture.

        Returns:
            The picture; its `figure` is matplotlib's.

        Raises:
            ImportError: the extra `report` is not installed.
            CatalogBusyError: another process has the catalog database open.
            ConnectionFailedError: this process cannot read the catalog database.

        Example:
            >>> lake.plot_history().headings
            ('time', 'size', 'files')
        """
        _refuse_without_extra()
        from ducklake_spark_report import charts, facts_of

        with _translated():
            return charts.growth(facts_of(self._place()).growth)

    def _place(self) -> Place:
        """The lake as Python's own drivers find it; files by the whole path that Spark uses."""
        prefix = f"spark.sql.catalog.{self.catalog}."
        given = {key: self.spark.conf.get(prefix + key, None) for key in _KEYS}
        given |= _below(self.spark, prefix, "jdbc.")
        settings: dict[str, str | bool] = {key: value for key, value in given.items() if value}
        settings["override-data-path"] = given["override-data-path"] == "true"
        name = identifier(self.catalog, "system", "settings")
        (there,) = run(self.spark, f"SELECT address FROM {name}").collect()
        address = str(there.address)
        is_file = not address.startswith("postgres:")
        uri = f"ducklake:{address}" if is_file else self.spark.conf.get(f"{prefix}uri")
        return Place(str(uri), settings)


@dataclass(frozen=True, repr=False)
class TablePictures(TableCalls):
    """The table as a picture."""

    def plot_files(self) -> Chart:
        """How many data files there are of each size, and how much they hold.

        A notebook shows the picture.

        Returns:
            The picture; its `figure` is matplotlib's.

        Raises:
            ImportError: the extra `report` is not installed.

        Example:
            >>> lake.table("events").plot_files().rows[0][:2]
            ('below 64 KiB', 2)
        """
        _refuse_without_extra()
        from ducklake_spark_report import charts
        from ducklake_spark_report.sizes import size_class, size_classes

        files = self._select("files").selectExpr(
            f"{size_class('data_file_size_bytes')} AS place",
            "1 AS files",
            "data_file_size_bytes AS size",
        )
        with translated_errors():
            rows = files.groupBy("place").sum("files", "size").collect()
        return charts.sizes(size_classes([(row[0], row[1], row[2]) for row in rows]))


def _below(spark: SparkSession, catalog: str, prefix: str) -> dict[str, str | None]:
    """The keys of a catalog that begin in a way. Spark lists only all settings of a session."""
    names = [key for key in spark.conf.getAll if key.startswith(catalog + prefix)]
    return {name.removeprefix(catalog): spark.conf.get(name) for name in names}


def _refuse_without_extra() -> None:
    """Say which extra has matplotlib, which all pictures need.

    Raises:
        ImportError: it is not installed.
    """
    try:
        importlib.import_module("matplotlib")
    except ModuleNotFoundError as missing:
        if missing.name != "matplotlib":
            raise
        raise ImportError(_MISSING) from missing


@contextmanager
def _translated() -> Iterator[None]:
    """Tell failures of Python's own drivers as errors of this package."""
    try:
        yield
    except RunAgain as failure:
        raise _error(CatalogBusyError, failure, "55P03") from failure
    except Failure as failure:
        raise _error(ConnectionFailedError, failure, "08006") from failure


def _error(kind: type[DuckLakeError], failure: Exception, state: str) -> DuckLakeError:
    text = f"This process cannot read the catalog database itself: {failure} SQLSTATE: {state}"
    return kind(text, kind.condition, {"why": str(failure)}, sql_state=state)
