"""What keeps a lake in order: flush, merge, rewrite, expiry, files deleted, and going back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame

from ducklake_spark._calls import LakeCalls


@dataclass(frozen=True)
class LakeMaintenance(LakeCalls):
    """The upkeep of a lake, and its way back. A table may be named `schema.name`.

    Every method raises `ReadOnlyError` for a catalog that is read-only or pinned to a snapshot, and
    those of a table Spark's `AnalysisException` when the table is not there.
    """

    def flush_inlined_data(
        self, table_name: str | None = None, *, schema_name: str | None = None
    ) -> DataFrame:
        """Move rows and deletes that are kept in the catalog into files.

        Args:
            table_name: the table; when left out, all tables.
            schema_name: the schema of the table, or of all tables.

        Returns:
            One row per table of which rows were moved.

        Raises:
            UnwritableFileError: storage does not take a file.
            CommitConflictError: what others committed meanwhile forbids it.

        Example:
            >>> lake.flush_inlined_data("events").columns
            ['schema_name', 'table_name', 'rows_flushed']
        """
        return self._call("flush_inlined_data", table_name=table_name, schema_name=schema_name)

    def merge_adjacent_files(
        self,
        table_name: str | None = None,
        *,
        schema: str | None = None,
        max_compacted_files: int | None = None,
        min_file_size: int | None = None,
        max_file_size: int | None = None,
    ) -> DataFrame:
        """Merge small files into larger ones; snapshots, row ids and change feeds stay.

        Files are merged up to the option `target_file_size`. The old files are scheduled for
        deletion.

        Args:
            table_name: the table; when left out, all tables.
            schema: the schema of the table, or of all tables.
            max_compacted_files: the largest number of new files of each table.
            min_file_size: files with fewer bytes are left alone.
            max_file_size: files with so many bytes or more are left alone.

        Returns:
            One row per new file.

        Raises:
            InvalidArgumentError: a number is out of range.
            UnsupportedError: the table has a value that Spark cannot carry.
            UnreadableFileError: a file is gone.
            CommitConflictError: others changed the table again and again meanwhile.
            MaintenanceIncompleteError: a table failed; what was merged stays merged.

        Example:
            >>> lake.merge_adjacent_files("events").columns
            ['schema_name', 'table_name', 'files_processed', 'files_created']
        """
        return self._call(
            "merge_adjacent_files",
            table_name=table_name,
            schema=schema,
            max_compacted_files=max_compacted_files,
            min_file_size=min_file_size,
            max_file_size=max_file_size,
        )

    def rewrite_data_files(
        self,
        table_name: str | None = None,
        *,
        schema: str | None = None,
        delete_threshold: float | None = None,
    ) -> DataFrame:
        """Write files with many deleted rows anew, without these rows; row ids and the past stay.

        The old files stay for past snapshots, until those expire. The change feed of the new
        snapshot shows the rows that moved as updates to the same values.

        Args:
            table_name: the table; when left out, all tables.
            schema: the schema of the table, or of all tables.
            delete_threshold: the share of deleted rows, from 0 to 1, from which on a file is
                written anew; when left out, the option `rewrite_delete_threshold`, which is 0.95
                when it is not set.

        Returns:
            One row per group of files that became one file, or none when all rows are deleted.

        Raises:
            InvalidArgumentError: the threshold is out of range.
            UnsupportedError: the table has a value that Spark cannot carry.
            UnreadableFileError: a file is gone.
            CommitConflictError: others changed the table again and again meanwhile.
            MaintenanceIncompleteError: a table failed; what was rewritten stays so.

        Example:
            >>> lake.rewrite_data_files("events", delete_threshold=0.5).columns
            ['schema_name', 'table_name', 'files_processed', 'files_created']
        """
        return self._call(
            "rewrite_data_files",
            table_name=table_name,
            schema=schema,
            delete_threshold=delete_threshold,
        )

    def expire_snapshots(
        self,
        *,
        older_than: datetime | None = None,
        versions: Sequence[int] | None = None,
        dry_run: bool = False,
    ) -> DataFrame:
        """Remove old snapshots; files that no other snapshot sees are scheduled for deletion.

        Without a criterion, the option `expire_older_than` is it; when that is not set either,
        nothing expires. The newest snapshot never expires.

        Args:
            older_than: snapshots that were made before this time.
            versions: snapshots by id; those that are not there are ignored.
            dry_run: change nothing, and only tell what would go.

        Returns:
            The snapshots that expire, with the columns of `snapshots`.

        Raises:
            InvalidArgumentError: both criteria are given.
            MaintenanceIncompleteError: the catalog database failed on the way; a next run does the
                rest.

        Example:
            >>> lake.expire_snapshots(versions=[0], dry_run=True).count()
            1
        """
        return self._call(
            "expire_snapshots", versions=versions, older_than=older_than, dry_run=dry_run
        )

    def cleanup_old_files(
        self,
        *,
        older_than: datetime | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
    ) -> DataFrame:
        """Delete files that are scheduled for deletion.

        Without a criterion, those go that were scheduled longer ago than the option
        `delete_older_than` says, which is two days when it is not set.

        Args:
            older_than: files that were scheduled before this time.
            cleanup_all: all files, whenever they were scheduled.
            dry_run: delete nothing, and only tell what would go.

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
            "cleanup_old_files", cleanup_all=cleanup_all, older_than=older_than, dry_run=dry_run
        )

    def delete_orphaned_files(
        self,
        *,
        older_than: datetime | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
    ) -> DataFrame:
        """Delete files that the catalog does not know: those of writers that were killed.

        Without a criterion, those go that were last written longer ago than the option
        `delete_older_than` says, which is two days when it is not set. Only files with names that
        DuckDB and Spark give go, and only in the folders of the lake's schemas.

        Args:
            older_than: files that were last written before this time.
            cleanup_all: all files, also those that a writer at work has just made.
            dry_run: delete nothing, and only tell what would go.

        Returns:
            The paths of the files.

        Raises:
            InvalidArgumentError: both criteria are given.
            MaintenanceIncompleteError: a folder cannot be listed, and nothing was deleted; or a
                file could not be deleted, and the others are.

        Example:
            >>> lake.delete_orphaned_files(dry_run=True).collect()
            []
        """
        return self._call(
            "delete_orphaned_files",
            cleanup_all=cleanup_all,
            older_than=older_than,
            dry_run=dry_run,
        )

    def checkpoint(self) -> DataFrame:
        """Do the upkeep of the whole lake as its options say: one call for a daily job.

        It flushes, expires, merges, rewrites, cleans up and deletes orphaned files, in this order,
        each as the method of this class does without arguments. A step that fails stops no other.

        Returns:
            No row.

        Raises:
            MaintenanceIncompleteError: steps failed; the others are done, and stay so.

        Example:
            >>> lake.checkpoint().columns
            ['Success']
        """
        return self._call("checkpoint")

    def rollback_to_snapshot(
        self,
        table_name: str | None = None,
        *,
        snapshot_version: int | None = None,
        snapshot_time: datetime | str | None = None,
        schema: str | None = None,
    ) -> DataFrame:
        """Make a table, or the whole lake, what it was at a past snapshot; history stays.

        It is one new snapshot. Rows with their row ids, columns, partition keys, sort order and
        comments come back. A table that was dropped or replaced comes back too; with the whole
        lake also names, schemas and views do, and what is new since is dropped.

        Args:
            table_name: the table; the whole lake when left out.
            snapshot_version: a snapshot's id.
            snapshot_time: a point in time instead.
            schema: the schema of the table; `main` when left out.

        Returns:
            One row with the new snapshot for each table that changed. A table that is named and is
            what it was has a row with the newest.

        Raises:
            InvalidArgumentError: not exactly one of version and time is given, or the table cannot
                come back: it did not exist then, or has another name now; or the macros of the lake
                are others.
            NoSuchSnapshotError: the snapshot is not in the lake, or has expired.
            UnreadableFileError: a file of that snapshot is gone.
            CommitConflictError: another commit changed the table meanwhile; nothing happened.

        Example:
            >>> _ = spark.sql("INSERT INTO lake.main.events VALUES (3, 'three')")
            >>> lake.rollback_to_snapshot("events", snapshot_version=3).columns
            ['schema_name', 'table_name', 'snapshot_id']
            >>> lake.table("events").to_df().count()
            2
        """
        return self._call(
            "rollback_to_snapshot",
            table_name=table_name,
            snapshot_version=snapshot_version,
            snapshot_time=snapshot_time,
            schema=schema,
        )

    def undo_commit(self, snapshot: int) -> DataFrame:
        """Take back what one commit did to its tables, as a new snapshot; history stays.

        Later commits to other tables stay as they are. Undo the new snapshot to have the commit
        again.

        Args:
            snapshot: the snapshot that the commit made.

        Returns:
            One row with the new snapshot for each table that changed.

        Raises:
            InvalidArgumentError: a later snapshot changed one of the tables, or the commit changed
                something other than tables.
            NoSuchSnapshotError: the snapshot, or the one before it, is not in the lake or has
                expired.
            UnreadableFileError: a file of the earlier snapshot is gone.
            CommitConflictError: another commit changed a table meanwhile; nothing happened.

        Example:
            >>> _ = spark.sql("DELETE FROM lake.main.events")
            >>> (last,) = lake.snapshots().agg({"snapshot_id": "max"}).first()
            >>> lake.undo_commit(last).count()
            1
            >>> lake.table("events").to_df().count()
            2
        """
        return self._call("undo_commit", snapshot=snapshot)
