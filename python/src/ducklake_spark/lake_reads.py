"""What a lake says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import SupportsIndex

from pyspark.sql import DataFrame

from ducklake_spark._calls import LakeCalls, about
from ducklake_spark._history import history
from ducklake_spark._sql import Time


@dataclass(frozen=True, repr=False)
class LakeReads(LakeCalls):
    """History, options, settings and files. Every method gives a DataFrame."""

    def snapshots(self) -> DataFrame:
        """All snapshots that are kept.

        Returns:
            One row per snapshot, with its time and changes.

        Raises:
            NoLakeError: there is no lake yet.

        Example:
            >>> lake.snapshots().columns[:2]
            ['snapshot_id', 'snapshot_time']
        """
        return self._system("snapshots")

    def history(self, limit: SupportsIndex | None = None) -> DataFrame:
        """The snapshots that are kept, the newest first, with the names of what they changed.

        Args:
            limit: no more snapshots than these; all when left out.

        Returns:
            One row per snapshot, with the columns of `snapshots`. Its changes have the names of
            tables and schemas; what was dropped since has its number.

        Raises:
            NoLakeError: there is no lake yet.
            TypeError: the limit is no whole number.

        Example:
            >>> [row.changes for row in lake.history(1).collect()]
            [{'tables_inserted_into': ['main.events']}]
        """
        return history(self, self.snapshots(), limit)

    def current_snapshot(self) -> DataFrame:
        """The newest snapshot, or the one that the catalog is pinned to.

        Returns:
            One row with the column `id`.

        Raises:
            NoLakeError: there is no lake yet.

        Example:
            >>> lake.current_snapshot().columns
            ['id']
        """
        return self._system("current_snapshot")

    def last_committed_snapshot(self) -> DataFrame:
        """The last snapshot that this session committed.

        Returns:
            One row with the column `id`, NULL when the session committed none.

        Raises:
            NoLakeError: there is no lake yet.

        Example:
            >>> lake.last_committed_snapshot().columns
            ['id']
        """
        return self._system("last_committed_snapshot")

    def options(self) -> DataFrame:
        """The options stored in the lake, for the lake, its schemas and its tables.

        Returns:
            One row per option and scope.

        Raises:
            NoLakeError: there is no lake yet.

        Example:
            >>> lake.options().columns[:2]
            ['option_name', 'description']
        """
        return self._system("options")

    def settings(self) -> DataFrame:
        """Where the lake is and whether it is there; the connector's version, the data path.

        Returns:
            One row, also when there is no lake.

        Raises:
            ConnectionFailedError: the catalog database does not answer.

        Example:
            >>> lake.settings().columns[-3:]
            ['address', 'lake_exists', 'transaction_begun']
        """
        return self._system("settings")

    def list_files(
        self,
        table_name: str,
        *,
        schema: str | None = None,
        snapshot_version: int | None = None,
        snapshot_time: Time | None = None,
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
        return self._call(
            "list_files",
            table_name=table_name,
            schema=schema,
            snapshot_version=snapshot_version,
            snapshot_time=snapshot_time,
        )

    def _system(self, name: str) -> DataFrame:
        return about(self.spark, self.catalog, name)
