"""A lake as a Python object; each method is one SQL statement."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame, SparkSession

from ducklake_spark._jvm import CATALOG_CLASS
from ducklake_spark._sql import Moment, call, identifier
from ducklake_spark.changes import LakeChanges
from ducklake_spark.errors import InvalidSettingError
from ducklake_spark.maintenance import LakeMaintenance
from ducklake_spark.table import Table, run

_PREFIX = "spark.sql.catalog."


@dataclass(frozen=True)
class Tables:
    """What a lake and a lake at one snapshot have in common."""

    spark: SparkSession
    catalog: str

    def table(self, name: str, *, schema: str | None = None) -> Table:
        """A table; at the snapshot when one was chosen.

        Args:
            name: its name. Without a schema, and with a dot: a table of that very name in `main`,
                or else the schema and the name.
            schema: its schema; `main` when left out.

        Returns:
            The table; nothing is read yet.

        Example:
            >>> lake.table("events").to_df().columns
            ['id', 'name']
            >>> lake.at(version=2).table("main.events").to_df().count()
            1
        """
        return Table(self.spark, self.catalog, schema, name, *self._moment())

    def changes(
        self,
        table_name: str,
        *,
        start: Moment,
        end: Moment | None = None,
        schema: str | None = None,
    ) -> DataFrame:
        """The change feed of a table: `Table.changes`.

        Args:
            table_name: its name, or `schema.name` when no schema is given.
            start: the first snapshot, or a time.
            end: the last snapshot, or a time; the newest snapshot when left out.
            schema: its schema; `main` when left out.

        Returns:
            One row per change.

        Example:
            >>> lake.changes("events", start=2, end=3).columns
            ['snapshot_id', 'rowid', 'change_type', 'id', 'name']
        """
        return self.table(table_name, schema=schema).changes(start=start, end=end)

    def insertions(
        self,
        table_name: str,
        *,
        start: Moment,
        end: Moment | None = None,
        schema: str | None = None,
    ) -> DataFrame:
        """The rows that snapshots inserted into a table: `Table.insertions`.

        Args:
            table_name: as in `changes`.
            start: as in `changes`.
            end: as in `changes`.
            schema: as in `changes`.

        Returns:
            One row per insertion.

        Example:
            >>> lake.insertions("events", start=1).count()
            2
        """
        return self.table(table_name, schema=schema).insertions(start=start, end=end)

    def deletions(
        self,
        table_name: str,
        *,
        start: Moment,
        end: Moment | None = None,
        schema: str | None = None,
    ) -> DataFrame:
        """The rows that snapshots deleted from a table: `Table.deletions`.

        Args:
            table_name: as in `changes`.
            start: as in `changes`.
            end: as in `changes`.
            schema: as in `changes`.

        Returns:
            One row per deletion.

        Example:
            >>> lake.deletions("main.events", start=1).count()
            0
        """
        return self.table(table_name, schema=schema).deletions(start=start, end=end)

    def _moment(self) -> tuple[int | None, datetime | str | None]:
        """Version and time of the snapshot."""
        return None, None


@dataclass(frozen=True)
class LakeAt(Tables):
    """A lake at one snapshot. `Lake.at` makes it."""

    version: int | None = None
    time: datetime | str | None = None

    def list_files(self, table_name: str, *, schema: str | None = None) -> DataFrame:
        """The data files a table had.

        Args:
            table_name: its name, or `schema.name` when no schema is given.
            schema: its schema; `main` when left out.

        Returns:
            One row per data file.

        Raises:
            NoSuchSnapshotError: the snapshot is not in the lake.
            AnalysisException: the table was not there.

        Example:
            >>> lake.at(version=2).list_files("events").count()
            1
        """
        arguments = {
            "table_name": table_name,
            "schema": schema,
            "snapshot_version": self.version,
            "snapshot_time": self.time,
        }
        return run(self.spark, call(self.catalog, "list_files", **arguments))

    def _moment(self) -> tuple[int | None, datetime | str | None]:
        return self.version, self.time


@dataclass(frozen=True)
class Lake(Tables, LakeChanges, LakeMaintenance):
    """A lake that is registered as a catalog. Every read is a DataFrame.

    The catalog must be registered in the session, else `InvalidSettingError` is raised at once. A
    warning tells when there is no lake at its address yet. Every method raises `NoLakeError` when
    there is no lake, and `ConnectionFailedError` or `CatalogBusyError` when its catalog database
    does not answer.

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

    def at(self, *, version: int | None = None, time: datetime | str | None = None) -> LakeAt:
        """The lake as it was.

        Args:
            version: a snapshot's id.
            time: a point in time; the newest snapshot at or before it is meant.

        Returns:
            The lake at that snapshot; nothing is read yet.

        Raises:
            ValueError: neither or both are given.

        Example:
            >>> lake.at(version=2).table("events").to_df().count()
            1
        """
        if (version is None) == (time is None):
            raise ValueError("give a version or a time")
        return LakeAt(self.spark, self.catalog, version, time)

    def snapshots(self) -> DataFrame:
        """All snapshots that are kept.

        Returns:
            One row per snapshot, with its time and changes.

        Example:
            >>> lake.snapshots().columns[:2]
            ['snapshot_id', 'snapshot_time']
        """
        return self._system("snapshots")

    def current_snapshot(self) -> DataFrame:
        """The newest snapshot, or the one that the catalog is pinned to.

        Returns:
            One row with the column `id`.

        Example:
            >>> lake.current_snapshot().columns
            ['id']
        """
        return self._system("current_snapshot")

    def last_committed_snapshot(self) -> DataFrame:
        """The last snapshot that this session committed.

        Returns:
            One row with the column `id`, NULL when the session committed none.

        Example:
            >>> lake.last_committed_snapshot().columns
            ['id']
        """
        return self._system("last_committed_snapshot")

    def table_info(self) -> DataFrame:
        """All tables with the number and size of their files.

        Returns:
            One row per table.

        Example:
            >>> [row.table_name for row in lake.table_info().collect()]
            ['events']
        """
        return self._system("table_info")

    def options(self) -> DataFrame:
        """The options stored in the lake, for the lake, its schemas and its tables.

        Returns:
            One row per option and scope.

        Example:
            >>> lake.options().columns[:2]
            ['option_name', 'description']
        """
        return self._system("options")

    def settings(self) -> DataFrame:
        """Where the lake is and whether it is there; the connector's version, the data path.

        Returns:
            One row, also when there is no lake.

        Example:
            >>> lake.settings().columns
            ['catalog_type', 'extension_version', 'data_path', 'address', 'lake_exists']
        """
        return self._system("settings")

    def list_files(
        self,
        table_name: str,
        *,
        schema: str | None = None,
        snapshot_version: int | None = None,
        snapshot_time: datetime | str | None = None,
    ) -> DataFrame:
        """The data files of a table with their delete files.

        Args:
            table_name: its name, or `schema.name` when no schema is given.
            schema: its schema; `main` when left out.
            snapshot_version: a snapshot's id; the newest when left out.
            snapshot_time: a point in time instead.

        Returns:
            One row per data file.

        Raises:
            InvalidArgumentError: both a version and a time are given.
            NoSuchSnapshotError: the snapshot is not in the lake.
            AnalysisException: the table is not there.

        Example:
            >>> lake.list_files("events", snapshot_version=2).count()
            1
        """
        arguments = {
            "table_name": table_name,
            "schema": schema,
            "snapshot_version": snapshot_version,
            "snapshot_time": snapshot_time,
        }
        return run(self.spark, call(self.catalog, "list_files", **arguments))

    def _system(self, name: str) -> DataFrame:
        return run(self.spark, f"SELECT * FROM {identifier(self.catalog, 'system', name)}")


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
