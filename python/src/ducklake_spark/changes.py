"""What changes a lake other than rows: options, commit messages, the layout of tables, files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame, SparkSession

from ducklake_spark._sql import Value, call
from ducklake_spark.table import run


@dataclass(frozen=True)
class LakeChanges:
    """The methods of `Lake` that change something. A table may be named `schema.name`.

    Every method raises `ReadOnlyError` for a catalog that is read-only or pinned to a snapshot, and
    those of a table Spark's `AnalysisException` when the table is not there.
    """

    spark: SparkSession
    catalog: str

    def set_option(
        self,
        option: str,
        value: bool | int | float | str,
        *,
        schema: str | None = None,
        table_name: str | None = None,
    ) -> None:
        """Store an option of the lake, of a schema or of a table; no snapshot is made.

        Args:
            option: its name in DuckLake.
            value: its value.
            schema: the schema it is for, or that of the table.
            table_name: the table it is for.

        Raises:
            InvalidOptionError: there is no such option, or it cannot have the value.

        Example:
            >>> lake.set_option("parquet_compression", "zstd", table_name="events")
        """
        text = str(value).lower() if isinstance(value, bool) else str(value)
        self._call("set_option", option=option, value=text, schema=schema, table_name=table_name)

    def set_commit_message(
        self, author: str, commit_message: str, *, extra_info: str | None = None
    ) -> None:
        """Say who makes this session's next commit, and why.

        Args:
            author: who.
            commit_message: why.
            extra_info: anything else.

        Example:
            >>> lake.set_commit_message("Ada", "rows of January")
        """
        arguments = {"author": author, "commit_message": commit_message, "extra_info": extra_info}
        self._call("set_commit_message", **arguments)

    def set_partitioned_by(
        self, table_name: str, transforms: Sequence[str], *, schema: str | None = None
    ) -> None:
        """Partition the files that a table gets from now on.

        Args:
            table_name: the table.
            transforms: columns, or transforms such as `year(ts)` and `bucket(4, id)`.
            schema: its schema; `main` when left out.

        Raises:
            InvalidArgumentError: none is given.
            InvalidChangeError: a column is not there, or cannot have the transform.
            UnsupportedError: a transform that there is not.

        Example:
            >>> lake.set_partitioned_by("events", ["name"])
        """
        self._call(
            "set_partitioned_by", table_name=table_name, transforms=transforms, schema=schema
        )

    def reset_partitioned_by(self, table_name: str, *, schema: str | None = None) -> None:
        """Partition the files of a table no more.

        Args:
            table_name: the table.
            schema: its schema; `main` when left out.

        Example:
            >>> lake.reset_partitioned_by("events")
        """
        self._call("reset_partitioned_by", table_name=table_name, schema=schema)

    def set_sorted_by(
        self, table_name: str, expressions: Sequence[str], *, schema: str | None = None
    ) -> None:
        """Sort the files that a table gets from now on.

        Args:
            table_name: the table.
            expressions: columns, each with its order: `id DESC NULLS LAST`.
            schema: its schema; `main` when left out.

        Raises:
            InvalidArgumentError: none is given.
            InvalidChangeError: a column is not there.
            UnsupportedError: an expression that is no column.

        Example:
            >>> lake.set_sorted_by("events", ["name", "id DESC"])
        """
        self._call("set_sorted_by", table_name=table_name, expressions=expressions, schema=schema)

    def reset_sorted_by(self, table_name: str, *, schema: str | None = None) -> None:
        """Sort the files of a table no more.

        Args:
            table_name: the table.
            schema: its schema; `main` when left out.

        Example:
            >>> lake.reset_sorted_by("events")
        """
        self._call("reset_sorted_by", table_name=table_name, schema=schema)

    def set_not_null(self, table_name: str, column: str, *, schema: str | None = None) -> None:
        """Let a column that has no NULL take none from now on.

        Args:
            table_name: the table.
            column: its column.
            schema: its schema; `main` when left out.

        Raises:
            InvalidChangeError: the column is not there, or has a NULL.

        Example:
            >>> lake.set_not_null("events", "id")
        """
        self._call("set_not_null", table_name=table_name, column=column, schema=schema)

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

    def add_data_files(
        self,
        table_name: str,
        path: str | Sequence[str],
        *,
        schema: str | None = None,
        hive_partitioning: bool | None = None,
        allow_missing: bool | None = None,
        ignore_extra_columns: bool | None = None,
    ) -> DataFrame:
        """Make Parquet files that exist already data files of a table, all in one commit.

        The files stay where they are. The lake owns them from then on: compaction and expiry may
        delete them.

        Args:
            table_name: the table.
            path: a file, a folder, a pattern such as `/in/**/*.parquet`, or several of them.
            schema: the schema of the table; `main` when left out.
            hive_partitioning: whether `key=value` folders give columns and partition keys their
                values; true when left out.
            allow_missing: whether a file may lack columns of the table; false when left out.
            ignore_extra_columns: whether a file may have columns that the table lacks; false when
                left out.

        Returns:
            One row per file, with the column `filename`.

        Raises:
            CannotAddFileError: a file has other columns or types, no certain partition value, or
                cannot be read, or there is none; no file was added.
            FileAlreadyRegisteredError: a file is in a lake already; no file was added.

        Example:
            >>> _ = spark.sql("CREATE TABLE lake.main.numbers (id BIGINT)")
            >>> spark.range(3).coalesce(1).write.parquet(f"{folder}/three")
            >>> lake.add_data_files("numbers", f"{folder}/three").count()
            1
            >>> lake.table("numbers").to_df().count()
            3
        """
        return self._call(
            "add_data_files",
            table_name=table_name,
            path=path,
            schema=schema,
            hive_partitioning=hive_partitioning,
            allow_missing=allow_missing,
            ignore_extra_columns=ignore_extra_columns,
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

    def rollback_to_snapshot(
        self,
        table_name: str,
        *,
        snapshot_version: int | None = None,
        snapshot_time: datetime | str | None = None,
        schema: str | None = None,
    ) -> DataFrame:
        """Make a table what it was at a past snapshot, as one new snapshot; history stays.

        Rows with their row ids, columns, partition keys, sort order and comments come back. A
        table that was dropped or replaced comes back too.

        Args:
            table_name: the table.
            snapshot_version: a snapshot's id.
            snapshot_time: a point in time instead.
            schema: the schema of the table; `main` when left out.

        Returns:
            One row with the new snapshot, or the newest when the table is what it was.

        Raises:
            InvalidArgumentError: not exactly one of version and time is given, or the table cannot
                come back: it did not exist then, or has another name now.
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

    def _call(self, procedure: str, **arguments: Value) -> DataFrame:
        return run(self.spark, call(self.catalog, procedure, **arguments))
