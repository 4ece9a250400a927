"""A lake as a Python object; each method is one SQL statement."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import SupportsIndex

from pyspark.sql import SparkSession

from ducklake_spark import _show
from ducklake_spark._jvm import CATALOG_CLASS
from ducklake_spark._sql import Moment, Time, moment_of
from ducklake_spark.changes import LakeChanges
from ducklake_spark.cleaning import LakeCleaning
from ducklake_spark.errors import InvalidSettingError
from ducklake_spark.going_back import LakeGoingBack
from ducklake_spark.lake_at import LakeAt, Tables
from ducklake_spark.lake_reads import LakeReads
from ducklake_spark.lake_tables import LakeTables
from ducklake_spark.maintenance import LakeMaintenance
from ducklake_spark.pictures import LakePictures

_PREFIX = "spark.sql.catalog."


@dataclass(frozen=True, repr=False)
class Lake(
    Tables,
    LakeReads,
    LakeTables,
    LakeChanges,
    LakeMaintenance,
    LakeCleaning,
    LakeGoingBack,
    LakePictures,
):
    """A lake that is registered as a catalog. Every read is a DataFrame.

    The catalog must be registered in the session, else `InvalidSettingError` is raised at once. A
    warning tells when there is no lake at its address yet. Every method raises `NoLakeError` when
    there is no lake, and `ConnectionFailedError` or `CatalogBusyError` when its catalog database
    does not answer.

    Methods that may take long have `progress`: whether to show a bar. When it is left out, there is
    one in a terminal and in a notebook, if the package rich is installed.

    Example:
        >>> lake = Lake(spark, "lake")
        >>> lake.table("events").to_df().count()
        2
    """

    def __post_init__(self) -> None:
        """Refuse a catalog that is not registered; warn of a lake that is not there."""
        if self.spark.conf.get(_PREFIX + self.catalog, None) != CATALOG_CLASS:
            raise _not_registered(self.spark, self.catalog)
        (there,) = self.settings().collect()
        if not there.lake_exists:
            warnings.warn(
                f"There is no lake at {there.address}: catalog `{self.catalog}` looks empty, and "
                "the first statement that creates something makes the lake.",
                stacklevel=3,
            )

    def __repr__(self) -> str:
        """The name of the catalog; nothing is read."""
        return f"<Lake {self.catalog}>"

    def _repr_html_(self) -> str:
        """The address and the tables, as a table of a notebook."""
        (there,) = self.settings().collect()
        caption = f"Lake {self.catalog} at {there.address}, files in {there.data_path}"
        tables = self.table_info().collect() if there.lake_exists else []
        rows = [
            (each.table_name, each.file_count, _show.size(each.file_size_bytes)) for each in tables
        ]
        return _show.html(caption, ("table", "files", "size"), rows)

    def at(
        self,
        moment: Moment | None = None,
        *,
        version: SupportsIndex | None = None,
        time: Time | None = None,
    ) -> LakeAt:
        """The lake as it was.

        Args:
            moment: a snapshot's id, or a point in time.
            version: a snapshot's id.
            time: a point in time; the newest snapshot at or before it is meant.

        Returns:
            The lake at that snapshot; nothing is read yet.

        Raises:
            ValueError: not exactly one of the three is given.

        Example:
            >>> lake.at(2).table("events").to_df().count()
            1
        """
        return LakeAt(self.spark, self.catalog, *moment_of(moment, version, time))


def _not_registered(spark: SparkSession, catalog: str) -> InvalidSettingError:
    """The error of a catalog that the session does not know as a lake."""
    settings = dict(spark.conf.getAll)
    known = sorted(
        key.removeprefix(_PREFIX)
        for key, value in settings.items()
        if key.startswith(_PREFIX) and value == CATALOG_CLASS
    )
    listed = ", ".join(f"`{name}`" for name in known) or "none"
    return InvalidSettingError(
        f"Catalog `{catalog}` is no lake of this session. Lakes of this session: {listed}. "
        "Register it with `configure`. SQLSTATE: 42616",
        InvalidSettingError.condition,
        {"key": _PREFIX + catalog, "why": "is not set"},
        sql_state="42616",
    )
