"""A table of a lake as a Python object; each method is one SQL statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from ducklake_spark._sql import (
    Moment,
    as_of,
    call,
    identifier,
    range_options,
    with_options,
)
from ducklake_spark.errors import translated_errors

_MAIN = "main"
_NOT_FOUND = "TABLE_OR_VIEW_NOT_FOUND"


def run(spark: SparkSession, statement: str) -> DataFrame:
    """The result of a statement, its errors as the classes of this package."""
    with translated_errors():
        return spark.sql(statement)


@dataclass(frozen=True)
class Table:
    """A table of a lake, at the newest snapshot or at the one chosen by `Lake.at`.

    Every method raises `AnalysisException` with Spark's own condition when the table is not there,
    and `NoSuchSnapshotError` when the chosen snapshot is not in the lake.

    Attributes:
        schema: its schema; when None a table of that very name in `main` is meant, and if there
            is none, what stands before the first dot of the name is the schema.
        version: a snapshot's id; the newest, or what the catalog is pinned to, when both are None.
        time: a point in time instead; the newest snapshot at or before it is meant.
    """

    spark: SparkSession
    catalog: str
    schema: str | None
    name: str
    version: int | None = None
    time: datetime | str | None = None

    def to_df(self) -> DataFrame:
        """The rows of the table.

        Returns:
            A DataFrame with the table's columns.

        Example:
            >>> lake.table("events").to_df().count()
            2
        """
        return self._select()

    def files(self) -> DataFrame:
        """The data files of the table with their delete files and counts.

        Returns:
            One row per data file.

        Example:
            >>> lake.table("events").files().columns[0]
            'data_file'
        """
        return self._select("files")

    def partitions(self) -> DataFrame:
        """The partitions of the table.

        Returns:
            One row per partition, with the number of files, rows and bytes.

        Example:
            >>> lake.table("events").partitions().columns
            ['partition', 'file_count', 'record_count', 'file_size_bytes']
        """
        return self._select("partitions")

    def options(self) -> DataFrame:
        """The options in force for the table, and where each comes from.

        Returns:
            One row per option.

        Example:
            >>> lake.table("events").options().columns
            ['option_name', 'value', 'scope']
        """
        return self._select("options")

    def snapshots(self) -> DataFrame:
        """The snapshots that changed the table.

        Returns:
            One row per snapshot, with the columns of `Lake.snapshots`.

        Example:
            >>> lake.table("events").snapshots().columns[:2]
            ['snapshot_id', 'snapshot_time']
        """
        return self._select("snapshots")

    def add_data_files(
        self,
        path: str | Sequence[str],
        *,
        hive_partitioning: bool | None = None,
        allow_missing: bool | None = None,
        ignore_extra_columns: bool | None = None,
    ) -> DataFrame:
        """Make Parquet files that exist already data files of the table: see `Lake.add_data_files`.

        Args:
            path: a file, a folder, a pattern such as `/in/**/*.parquet`, or several of them.
            hive_partitioning: whether `key=value` folders give columns and partition keys their
                values; true when left out.
            allow_missing: whether a file may lack columns of the table; false when left out.
            ignore_extra_columns: whether a file may have columns that the table lacks; false when
                left out.

        Returns:
            One row per file, with the column `filename`.

        Raises:
            CannotAddFileError: a file does not fit the table; no file was added.
            FileAlreadyRegisteredError: a file is in a lake already; no file was added.
            ValueError: the table is one at a snapshot.

        Example:
            >>> _ = spark.sql("CREATE TABLE lake.main.letters (name STRING)")
            >>> letters = spark.createDataFrame([("a",)], "name STRING")
            >>> letters.coalesce(1).write.parquet(f"{folder}/letters")
            >>> lake.table("letters").add_data_files(f"{folder}/letters").count()
            1
        """
        if self.version is not None or self.time is not None:
            raise ValueError("a table at a snapshot cannot be changed")
        arguments = {
            "table_name": self.name,
            "path": path,
            "schema": self.schema,
            "hive_partitioning": hive_partitioning,
            "allow_missing": allow_missing,
            "ignore_extra_columns": ignore_extra_columns,
        }
        return run(self.spark, call(self.catalog, "add_data_files", **arguments))

    def changes(self, *, start: Moment, end: Moment | None = None) -> DataFrame:
        """The rows that snapshots inserted into the table and deleted from it.

        Args:
            start: the first snapshot, or a time: the first snapshot at or after it.
            end: the last snapshot, or a time: the last snapshot at or before it; the table's own
                snapshot when left out.

        Returns:
            One row per change: `snapshot_id`, `rowid`, `change_type` (`insert`, `delete`,
            `update_preimage` or `update_postimage`), then the table's columns.

        The range is looked up when the DataFrame is used: `NoSuchSnapshotError` when a snapshot is
        not in the lake, `ChangesExpiredError` when some of these changes are no longer known (in
        `translated_errors`).

        Example:
            >>> [tuple(row) for row in lake.table("events").changes(start=3, end=3).collect()]
            [(3, 1, 'insert', 2, 'two')]
        """
        return self._select("changes", options=with_options(range_options(start, end)))

    def insertions(self, *, start: Moment, end: Moment | None = None) -> DataFrame:
        """The rows that snapshots inserted into the table, new versions of updated rows included.

        Args:
            start: as in `changes`.
            end: as in `changes`.

        Returns:
            One row per insertion, with the table's columns.

        Example:
            >>> [tuple(row) for row in lake.table("events").insertions(start=2, end=2).collect()]
            [(1, 'one')]
        """
        return self._select("insertions", options=with_options(range_options(start, end)))

    def deletions(self, *, start: Moment, end: Moment | None = None) -> DataFrame:
        """The rows that snapshots deleted from the table, old versions of updated rows included.

        Args:
            start: as in `changes`.
            end: as in `changes`.

        Returns:
            One row per deletion, with the table's columns.

        Example:
            >>> lake.table("events").deletions(start=1, end=3).count()
            0
        """
        return self._select("deletions", options=with_options(range_options(start, end)))

    def rollback_to_snapshot(
        self,
        *,
        snapshot_version: int | None = None,
        snapshot_time: datetime | str | None = None,
    ) -> DataFrame:
        """Make the table what it was at a past snapshot: see `Lake.rollback_to_snapshot`.

        Args:
            snapshot_version: a snapshot's id.
            snapshot_time: a point in time instead.

        Returns:
            One row with the new snapshot, or the newest when the table is what it was.

        Raises:
            InvalidArgumentError: not exactly one of version and time is given, or the table cannot
                come back.
            CommitConflictError: another commit changed the table meanwhile; nothing happened.
            ValueError: the table is one at a snapshot.

        Example:
            >>> _ = spark.sql("DELETE FROM lake.main.events")
            >>> lake.table("events").rollback_to_snapshot(snapshot_version=3).count()
            1
            >>> lake.table("events").to_df().count()
            2
        """
        if self.version is not None or self.time is not None:
            raise ValueError("a table at a snapshot cannot be changed")
        arguments = {
            "table_name": self.name,
            "snapshot_version": snapshot_version,
            "snapshot_time": snapshot_time,
            "schema": self.schema,
        }
        return run(self.spark, call(self.catalog, "rollback_to_snapshot", **arguments))

    def _select(self, *suffix: str, options: str = "") -> DataFrame:
        holder, dot, name = self.name.partition(".")
        try:
            return self._rows(options, self.schema or _MAIN, self.name, *suffix)
        except AnalysisException as failure:
            is_other = self.schema is None and dot and failure.getCondition() == _NOT_FOUND
            if not is_other:
                raise
        return self._rows(options, holder, name, *suffix)

    def _rows(self, options: str, *names: str) -> DataFrame:
        clauses = as_of(self.version, self.time) + options
        return run(self.spark, f"SELECT * FROM {identifier(self.catalog, *names)}{clauses}")
