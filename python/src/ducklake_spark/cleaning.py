"""What goes for good: old snapshots, old files, orphaned files and old metadata."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import SupportsIndex

from pyspark.sql import DataFrame

from ducklake_spark._calls import LakeCalls
from ducklake_spark._numbers import versions_of
from ducklake_spark._sql import Age, since


@dataclass(frozen=True, repr=False)
class LakeCleaning(LakeCalls):
    """Snapshots that expire, and files that are deleted. With `dry_run` nothing changes.

    Every method raises `ReadOnlyError` for a catalog that is read-only or pinned to a snapshot.
    """

    def expire_snapshots(
        self,
        *,
        older_than: Age | None = None,
        versions: SupportsIndex | Iterable[SupportsIndex] | None = None,
        dry_run: bool = False,
        progress: bool | None = None,
    ) -> DataFrame:
        """Remove old snapshots; files that no other snapshot sees are scheduled for deletion.

        Without a criterion, the option `expire_older_than` is it; when that is not set either,
        nothing expires. The newest snapshot never expires, nor one with a name, nor one that a
        registered reader needs.

        Args:
            older_than: snapshots that were made before this time, or longer ago than this: a
                timedelta, or a text such as `"7 days"`.
            versions: snapshots by id, one or several, also of NumPy or pandas; those that are not
                there are ignored.
            dry_run: change nothing, and only say what would go.
            progress: whether to show a bar.

        Returns:
            The snapshots that expire, with the columns of `snapshots`; of more than 10,000, the
            10,000 oldest. Those that stay are among them, with their names in `kept_as`, and the
            readers that need them in `kept_for`; the readers that lose one are in `strands`.

        Raises:
            TypeError: a version is no number.
            InvalidArgumentError: both criteria are given.
            MaintenanceIncompleteError: the catalog database failed on the way; a next run does the
                rest.

        Example:
            >>> lake.expire_snapshots(versions=[0], dry_run=True).count()
            1
            >>> lake.expire_snapshots(older_than="7 days", dry_run=True).count()
            0
        """
        return self._call(
            "expire_snapshots",
            progress=progress,
            versions=versions_of(versions),
            older_than=since(older_than),
            dry_run=dry_run,
        )

    def cleanup_old_files(
        self,
        *,
        older_than: Age | None = None,
        cleanup_all: bool = False,
        outside_data_path: bool = False,
        dry_run: bool = False,
        progress: bool | None = None,
    ) -> DataFrame:
        """Delete files that are scheduled for deletion.

        Without a criterion, those go that were scheduled longer ago than the option
        `delete_older_than` says, which is two days when it is not set.

        Args:
            older_than: files that were scheduled before this time, or longer ago than this.
            cleanup_all: all files, whenever they were scheduled.
            outside_data_path: also files that are not below the data path, such as those that
                `add_data_files` registered. Whoever writes the catalog can schedule any path, so
                look at them first: `dry_run=True`.
            dry_run: delete nothing, and only say what would go.
            progress: whether to show a bar.

        Returns:
            The paths of the files.

        Raises:
            InvalidArgumentError: both criteria are given.
            MaintenanceIncompleteError: a file could not be deleted; the others are.

        Example:
            >>> lake.cleanup_old_files(dry_run=True).columns
            ['path']
        """
        return self._call(
            "cleanup_old_files",
            progress=progress,
            cleanup_all=cleanup_all,
            older_than=since(older_than),
            dry_run=dry_run,
            outside_data_path=outside_data_path or None,
        )

    def delete_orphaned_files(
        self,
        *,
        older_than: Age | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
        progress: bool | None = None,
    ) -> DataFrame:
        """Delete files that the catalog does not know: those of writers that were killed.

        Without a criterion, those go that were last written longer ago than the option
        `delete_older_than` says, which is two days when it is not set. Only files with names that
        DuckDB and Spark give go, and only in the folders of the lake's schemas.

        Args:
            older_than: files that were last written before this time, or longer ago than this.
            cleanup_all: all files, also those that a writer at work has just made.
            dry_run: delete nothing, and only say what would go.
            progress: whether to show a bar.

        Returns:
            The paths of the files.

        Raises:
            InvalidArgumentError: both criteria are given.
            SharedFolderError: another lake of the same database has its files in the same folders.
            MaintenanceIncompleteError: a folder cannot be listed, and nothing was deleted; or a
                file could not be deleted, and the others are.

        Example:
            >>> lake.delete_orphaned_files(dry_run=True).collect()
            []
        """
        return self._call(
            "delete_orphaned_files",
            progress=progress,
            cleanup_all=cleanup_all,
            older_than=since(older_than),
            dry_run=dry_run,
        )

    def cleanup_old_metadata(
        self,
        *,
        inlined_tables: bool = False,
        dry_run: bool = False,
        progress: bool | None = None,
    ) -> DataFrame:
        """Remove rows of the catalog that nothing needs and that no expiry removes.

        Rows of tables and files that the catalog no longer has, and past columns, schema versions,
        partition keys and sort orders that neither a snapshot nor a file nor an inlined table
        needs. No snapshot is made, and every snapshot shows what it did.

        Args:
            inlined_tables: also inlined tables of past schema versions that have no row. A session
                of DuckDB that has read their table must attach the lake again.
            dry_run: change nothing, and only say what would go.
            progress: whether to show a bar.

        Returns:
            One row per metadata table, with the number of its rows that went; of
            `ducklake_inlined_data_tables` as many inlined tables were dropped.

        Raises:
            MaintenanceIncompleteError: the catalog database failed on the way; a next run does the
                rest.

        Example:
            >>> lake.cleanup_old_metadata(dry_run=True).columns
            ['metadata_table', 'rows']
        """
        return self._call(
            "cleanup_old_metadata",
            progress=progress,
            inlined_tables=inlined_tables or None,
            dry_run=dry_run,
        )
