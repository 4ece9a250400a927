"""What keeps a lake in order: flush, merge, rewrite, and all upkeep in one call."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from ducklake_spark._calls import LakeCalls


@dataclass(frozen=True, repr=False)
class LakeMaintenance(LakeCalls):
    """The upkeep of a lake. A table may be named `schema.name`.

    Every method raises `ReadOnlyError` for a catalog that is read-only or pinned to a snapshot, and
    those of a table Spark's `AnalysisException` when the table is not there.
    """

    def flush_inlined_data(
        self,
        table_name: str | None = None,
        *,
        schema_name: str | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Move rows and deletes that are kept in the catalog into files.

        Args:
            table_name: the table; when left out, all tables.
            schema_name: the schema of the table, or of all tables.
            progress: whether to show a bar.

        Returns:
            One row per table of which rows were moved.

        Raises:
            UnwritableFileError: storage does not take a file.
            CommitConflictError: what others committed meanwhile forbids it.

        Example:
            >>> lake.flush_inlined_data("events").columns
            ['schema_name', 'table_name', 'rows_flushed']
        """
        return self._call(
            "flush_inlined_data", progress=progress, table_name=table_name, schema_name=schema_name
        )

    def merge_adjacent_files(
        self,
        table_name: str | None = None,
        *,
        schema: str | None = None,
        max_compacted_files: int | None = None,
        min_file_size: int | None = None,
        max_file_size: int | None = None,
        apply_deletes: bool = False,
        where: str | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Merge small files into larger ones; snapshots and row ids stay.

        Files are merged up to the option `target_file_size`. The old files are scheduled for
        deletion. Files that ever had deleted rows are left alone, unless `apply_deletes` is given.

        Args:
            table_name: the table; when left out, all tables.
            schema: the schema of the table, or of all tables.
            max_compacted_files: the largest number of new files of each table.
            min_file_size: files with fewer bytes are left alone.
            max_file_size: files with so many bytes or more are left alone.
            apply_deletes: whether small files with deleted rows are written without them first, as
                by `rewrite_data_files`, so that they are merged, too.
            where: a condition in SQL on columns of the table, which partition values or bounds of
                files decide: only files that may hold such rows are taken, with all their rows.
            progress: whether to show a bar.

        Returns:
            One row per new file, with its partition.

        Raises:
            InvalidArgumentError: a number is out of range, or `where` chooses no files.
            UnsupportedError: the table has a value that Spark cannot carry.
            UnreadableFileError: a file is gone.
            CommitConflictError: others changed the table again and again meanwhile.
            MaintenanceIncompleteError: a table failed; what was merged stays merged.

        Example:
            >>> lake.merge_adjacent_files("events").columns
            ['schema_name', 'table_name', 'files_processed', 'files_created', 'partition']
        """
        return self._call(
            "merge_adjacent_files",
            progress=progress,
            table_name=table_name,
            schema=schema,
            max_compacted_files=max_compacted_files,
            min_file_size=min_file_size,
            max_file_size=max_file_size,
            apply_deletes=apply_deletes,
            where=where,
            show_partitions=True,
        )

    def rewrite_data_files(
        self,
        table_name: str | None = None,
        *,
        schema: str | None = None,
        delete_threshold: float | None = None,
        where: str | None = None,
        progress: bool | None = None,
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
            where: a condition in SQL on columns of the table, which partition values or bounds of
                files decide: only files that may hold such rows are taken, with all their rows.
            progress: whether to show a bar.

        Returns:
            One row per group of files that became one file, or none when all rows are deleted.

        Raises:
            InvalidArgumentError: the threshold is out of range, or `where` chooses no files.
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
            progress=progress,
            table_name=table_name,
            schema=schema,
            delete_threshold=delete_threshold,
            where=where,
        )

    def recompute_statistics(
        self,
        table_name: str | None = None,
        *,
        schema: str | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Compute the statistics of a table from those of its files and from its inlined rows.

        The statistics of a table never get narrower by themselves: they name the smallest and the
        largest value that the table ever had.

        Args:
            table_name: the table; when left out, all tables.
            schema: the schema of the table, or of all tables.
            progress: whether to show a bar.

        Returns:
            One row per table whose statistics changed.

        Raises:
            CommitConflictError: others changed the columns of the table again and again meanwhile.

        Example:
            >>> lake.recompute_statistics("events").columns
            ['schema_name', 'table_name', 'snapshot_id']
        """
        return self._call(
            "recompute_statistics", progress=progress, table_name=table_name, schema=schema
        )

    def repair_partition_values(
        self,
        table_name: str | None = None,
        *,
        schema: str | None = None,
        dry_run: bool | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Give files the partition values that their statistics prove, in place of wrong ones.

        Lakes that came from Iceberg by DuckDB have ordinals in place of years and months.

        Args:
            table_name: the table; when left out, all tables.
            schema: the schema of the table, or of all tables.
            dry_run: whether to change nothing and say what would happen; false when left out.
            progress: whether to show a bar.

        Returns:
            One row per partition key with wrong values.

        Raises:
            CommitConflictError: others changed the columns of the table again and again meanwhile.

        Example:
            >>> lake.repair_partition_values("events").columns[2:]
            ['partition_key', 'files_repaired', 'files_left', 'snapshot_id']
        """
        return self._call(
            "repair_partition_values",
            progress=progress,
            table_name=table_name,
            schema=schema,
            dry_run=dry_run,
        )

    def vacuum_catalog(self, *, progress: bool | None = None) -> DataFrame:
        """Write the catalog database anew, so that it holds no bytes of removed rows.

        Args:
            progress: whether to show a bar.

        Returns:
            No row.

        Raises:
            CatalogBusyError: others use the database.
            UnsupportedError: the catalog is a DuckDB file, which only a copy by hand makes free of
                them.

        Example:
            >>> lake.vacuum_catalog().columns
            ['Success']
        """
        return self._call("vacuum_catalog", progress=progress)

    def checkpoint(self, *, apply_deletes: bool = True, progress: bool | None = None) -> DataFrame:
        """Do the upkeep of the whole lake as its options say: one call for a daily job.

        It flushes, expires, merges, rewrites, computes statistics anew, cleans up and deletes
        orphaned files, in this order, each as the method of this name does without arguments. A
        step that fails stops no other.

        Args:
            apply_deletes: whether small files with deleted rows are merged, too.
            progress: whether to show a bar.

        Returns:
            What was done: one row per step and table, and for a step with nothing to do one that
            says why.

        Raises:
            MaintenanceIncompleteError: steps failed; the others are done, and stay so.

        Example:
            >>> [row.step for row in lake.checkpoint().collect()][-1]
            'delete_orphaned_files'
        """
        return self._call("checkpoint", progress=progress, apply_deletes=apply_deletes)
