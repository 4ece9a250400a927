"""Upkeep of one table: the procedures of `Lake`, without the name of the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, SupportsIndex

from pyspark.sql import DataFrame

from ducklake_spark._calls import FilePath, as_paths
from ducklake_spark._numbers import version_of
from ducklake_spark._sql import Time
from ducklake_spark._table_calls import TableCalls


@dataclass(frozen=True, repr=False)
class TableUpkeep(TableCalls):
    """Files added and put in order, and the way back. `progress` is as in `Lake`."""

    def add_data_files(
        self,
        path: FilePath | Iterable[FilePath],
        *,
        hive_partitioning: bool | None = None,
        allow_missing: bool | None = None,
        ignore_extra_columns: bool | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Make Parquet files that exist already data files of the table: see `Lake.add_data_files`.

        Args:
            path: a file, a folder, a pattern such as `/in/**/*.parquet`, or several of them.
            hive_partitioning: whether `key=value` folders give columns and partition keys their
                values; true when left out.
            allow_missing: whether a file may lack columns of the table; false when left out.
            ignore_extra_columns: whether a file may have columns that the table lacks; false when
                left out.
            progress: whether to show a bar.

        Returns:
            One row per file, with the column `filename`.

        Raises:
            CannotAddFileError: a file does not fit, or cannot be read; no file was added.
            FileAlreadyRegisteredError: a file is in a lake already; no file was added.

        Example:
            >>> from pathlib import Path
            >>> t = lake.create_table("added", "id BIGINT")
            >>> spark.range(3).coalesce(1).write.mode("overwrite").parquet(f"{folder}/four")
            >>> t.add_data_files(Path(folder, "four")).count()
            1
            >>> lake.drop_table("added")
        """
        return self._call(
            "add_data_files",
            progress=progress,
            path=as_paths(path),
            schema=self.schema_name,
            hive_partitioning=hive_partitioning,
            allow_missing=allow_missing,
            ignore_extra_columns=ignore_extra_columns,
        )

    def export_delta(
        self,
        path: str,
        *,
        version: int | str | None = None,
        dry_run: bool | None = None,
        flush: bool | None = None,
        keep_versions: int | None = None,
        column_mapping: Literal["id"] | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Show a snapshot of the table to readers of Delta: see `Lake.export_delta`.

        Args:
            path: the folder of the table of Delta.
            version: the id or the name of the snapshot; the newest when left out.
            dry_run: whether to write nothing and say what would happen; false when left out.
            flush: whether to flush inlined rows first; false when left out.
            keep_versions: how many exported snapshots of the folder keep their names, at least 1;
                all when left out.
            column_mapping: `id` for readers that find columns by field ids.
            progress: whether to show a bar.

        Returns:
            What was written, or what stands in the way: the columns `what`, `detail`, `count` and
            `bytes`.

        Raises:
            UnsupportedError: Delta cannot show the table; nothing was written.
            InvalidArgumentError: the folder has another table.

        Example:
            >>> t = lake.table("events")
            >>> report = t.export_delta("/shared/t", dry_run=True)  # doctest: +SKIP
        """
        return self._call(
            "export_delta",
            progress=progress,
            path=path,
            schema=self.schema_name,
            version=None if version is None else str(version),
            dry_run=dry_run,
            flush=flush,
            keep_versions=keep_versions,
            column_mapping=column_mapping,
        )

    def export_iceberg(
        self,
        path: str,
        *,
        version: int | str | None = None,
        dry_run: bool | None = None,
        flush: bool | None = None,
        keep_versions: int | None = None,
        format_version: Literal[2, 3] | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Show a snapshot of the table to readers of Iceberg: see `Lake.export_iceberg`.

        Args:
            path: the folder of the table of Iceberg.
            version: the id or the name of the snapshot; the newest when left out.
            dry_run: whether to write nothing and say what would happen; false when left out.
            flush: whether to flush inlined rows first; false when left out.
            keep_versions: how many exported snapshots of the folder keep their names, at least 1;
                all when left out.
            format_version: of the table of Iceberg, 2 when left out; a table keeps 3 once it has
                it.
            progress: whether to show a bar.

        Returns:
            What was written, or what stands in the way: the columns `what`, `detail`, `count` and
            `bytes`.

        Raises:
            UnsupportedError: Iceberg cannot show the table; nothing was written.
            InvalidArgumentError: the folder has another table.

        Example:
            >>> t = lake.table("events")
            >>> report = t.export_iceberg("/shared/t", dry_run=True)  # doctest: +SKIP
        """
        return self._call(
            "export_iceberg",
            progress=progress,
            path=path,
            schema=self.schema_name,
            version=None if version is None else str(version),
            dry_run=dry_run,
            flush=flush,
            keep_versions=keep_versions,
            format_version=format_version,
        )

    def flush_inlined_data(self, *, progress: bool | None = None) -> DataFrame:
        """Move rows and deletes that are kept in the catalog into files.

        Args:
            progress: whether to show a bar.

        Returns:
            One row with the number of rows; no row when there were none.

        Raises:
            UnwritableFileError: storage does not take a file.
            CommitConflictError: what others committed meanwhile forbids it.

        Example:
            >>> lake.table("events").flush_inlined_data().columns
            ['schema_name', 'table_name', 'rows_flushed']
        """
        return self._call("flush_inlined_data", progress=progress, schema_name=self.schema_name)

    def merge_adjacent_files(
        self,
        *,
        max_compacted_files: int | None = None,
        min_file_size: int | None = None,
        max_file_size: int | None = None,
        apply_deletes: bool = False,
        where: str | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Merge small files into larger ones: see `Lake.merge_adjacent_files`.

        Args:
            max_compacted_files: the largest number of new files.
            min_file_size: files with fewer bytes are left alone.
            max_file_size: files with so many bytes or more are left alone.
            apply_deletes: whether small files with deleted rows are merged, too.
            where: a condition on columns: only files that may hold such rows are taken.
            progress: whether to show a bar.

        Returns:
            One row per new file, with its partition.

        Raises:
            InvalidArgumentError: a number is out of range, or `where` chooses no files.
            UnsupportedError: the table has a value that Spark cannot carry.
            CommitConflictError: others changed the table again and again meanwhile.

        Example:
            >>> lake.table("events").merge_adjacent_files().columns
            ['schema_name', 'table_name', 'files_processed', 'files_created', 'partition']
        """
        return self._call(
            "merge_adjacent_files",
            progress=progress,
            schema=self.schema_name,
            max_compacted_files=max_compacted_files,
            min_file_size=min_file_size,
            max_file_size=max_file_size,
            apply_deletes=apply_deletes,
            where=where,
            show_partitions=True,
        )

    def recompute_statistics(self, *, progress: bool | None = None) -> DataFrame:
        """Compute the table's statistics anew: see `Lake.recompute_statistics`.

        Args:
            progress: whether to show a bar.

        Returns:
            One row when the statistics changed.

        Raises:
            CommitConflictError: others changed the columns of the table again and again meanwhile.

        Example:
            >>> lake.table("events").recompute_statistics().columns
            ['schema_name', 'table_name', 'snapshot_id']
        """
        return self._call("recompute_statistics", progress=progress, schema=self.schema_name)

    def repair_partition_values(
        self, *, dry_run: bool | None = None, progress: bool | None = None
    ) -> DataFrame:
        """Replace wrong partition values of the table: see `Lake.repair_partition_values`.

        Args:
            dry_run: whether to change nothing and say what would happen; false when left out.
            progress: whether to show a bar.

        Returns:
            One row per partition key with wrong values.

        Raises:
            CommitConflictError: others changed the columns of the table again and again meanwhile.

        Example:
            >>> lake.table("events").repair_partition_values(dry_run=True).columns[:2]
            ['schema_name', 'table_name']
        """
        return self._call(
            "repair_partition_values",
            progress=progress,
            schema=self.schema_name,
            dry_run=dry_run,
        )

    def rewrite_data_files(
        self,
        *,
        delete_threshold: float | None = None,
        where: str | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Write files with many deleted rows anew: see `Lake.rewrite_data_files`.

        Args:
            delete_threshold: the share of deleted rows, from 0 to 1, from which on a file is
                written anew; the option `rewrite_delete_threshold` when left out.
            where: a condition on columns: only files that may hold such rows are taken.
            progress: whether to show a bar.

        Returns:
            One row per group of files that became one file, or none when all rows are deleted.

        Raises:
            InvalidArgumentError: the threshold is out of range, or `where` chooses no files.
            UnsupportedError: the table has a value that Spark cannot carry.
            CommitConflictError: others changed the table again and again meanwhile.

        Example:
            >>> lake.table("events").rewrite_data_files(delete_threshold=0.5).columns
            ['schema_name', 'table_name', 'files_processed', 'files_created']
        """
        return self._call(
            "rewrite_data_files",
            progress=progress,
            schema=self.schema_name,
            delete_threshold=delete_threshold,
            where=where,
        )

    def rollback_to_snapshot(
        self,
        snapshot_version: int | str | None = None,
        *,
        snapshot_time: Time | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Make the table what it was at a past snapshot: see `Lake.rollback_to_snapshot`.

        Args:
            snapshot_version: a snapshot's id, or its name.
            snapshot_time: a point in time instead.
            progress: whether to show a bar.

        Returns:
            One row with the new snapshot, or the newest when the table is what it was.

        Raises:
            InvalidArgumentError: not exactly one of version and time is given, or the table cannot
                come back.
            CommitConflictError: another commit changed the table meanwhile; nothing happened.

        Example:
            >>> lake.table("events").delete("true")
            >>> lake.table("events").rollback_to_snapshot(3).count()
            1
            >>> lake.table("events").to_df().count()
            2
        """
        return self._call(
            "rollback_to_snapshot",
            progress=progress,
            snapshot_version=snapshot_version,
            snapshot_time=snapshot_time,
            schema=self.schema_name,
        )

    def register_reader(self, name: str, snapshot_version: SupportsIndex | None = None) -> int:
        """Register how far a reader outside of Spark has read: see `Lake.register_reader`.

        Args:
            name: any text that is not blank.
            snapshot_version: the last snapshot that was read; the newest when left out.

        Returns:
            The id of the snapshot.

        Raises:
            NoSuchSnapshotError: the snapshot is not in the lake.

        Example:
            >>> lake.table("events").register_reader("warehouse", 2)
            2
        """
        (row,) = self._call(
            "register_reader",
            name=name,
            snapshot_version=None if snapshot_version is None else version_of(snapshot_version),
            schema=self.schema_name,
        ).collect()
        read: int = row.snapshot_id
        return read

    def forget_reader(self, name: str) -> None:
        """Forget a reader of the table; a stream that runs registers itself again.

        Args:
            name: that of `Lake.readers`.

        Raises:
            InvalidArgumentError: the table has no such reader.

        Example:
            >>> t = lake.table("events")
            >>> _ = t.register_reader("warehouse")
            >>> t.forget_reader("warehouse")
        """
        self._call("forget_reader", name=name, schema=self.schema_name).collect()
