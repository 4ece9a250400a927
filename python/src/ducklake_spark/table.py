"""A table of a lake as a Python object; each method is one SQL statement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import SupportsIndex

from pyspark.sql import DataFrame

from ducklake_spark import _show
from ducklake_spark._calls import LakeCalls, is_there
from ducklake_spark._history import history
from ducklake_spark._sql import Moment, Time, as_of, moment_of, range_options, with_options
from ducklake_spark.named_snapshots import id_of
from ducklake_spark.pictures import TablePictures
from ducklake_spark.table_rows import TableRows
from ducklake_spark.table_shape import TableShape
from ducklake_spark.table_upkeep import TableUpkeep
from ducklake_spark.translation import unlogged_errors

_COLUMNS_SHOWN = 20


@dataclass(frozen=True, repr=False)
class Table(TableRows, TableShape, TableUpkeep, TablePictures):
    """A table of a lake, at the newest snapshot or at the one chosen by `at`.

    `Lake.table` makes it. Every read is a DataFrame, and `to_df().toPandas()` or `.toArrow()` take
    it from there. Every method raises `AnalysisException` with Spark's own condition when the table
    is not there, and `NoSuchSnapshotError` when the chosen snapshot is not in the lake. Methods
    that change a table raise `ReadOnlyError` for a catalog that is read-only, and `ValueError` for
    a table at a snapshot.

    Attributes:
        schema_name: its schema; when None a table of that very name in `main` is meant, and if
            there is none, what stands before a dot of the name is the schema.
        version: a snapshot's id; the newest, or what the catalog is pinned to, when both are None.
        time: a point in time instead; the newest snapshot at or before it is meant.
    """

    def __repr__(self) -> str:
        """The name, the snapshot and the columns; without them where they cannot be read."""
        try:
            with unlogged_errors():
                columns = [f"{each.name} {each.type}" for each in self.schema]
        except Exception:  # of a text for people nobody expects an error
            return f"<{self._title()}>"
        more = len(columns) - _COLUMNS_SHOWN
        shown = columns[:_COLUMNS_SHOWN] + ([f"… {more:,} more"] if more > 0 else [])
        return f"<{self._title()}: {', '.join(shown)}>"

    def _repr_html_(self) -> str:
        """The columns as a table of a notebook."""
        rows = [(each.name, each.type, each.nullable, each.comment) for each in self.schema]
        return _show.html(self._title(), ("column", "type", "null", "comment"), rows)

    def _title(self) -> str:
        name = ".".join(filter(None, (self.catalog, self.schema_name, self.name)))
        at = "" if self.version is None else f" at version {self.version}"
        return f"Table {name}{at if self.time is None else f' at {self.time}'}"

    def at(
        self,
        moment: Moment | None = None,
        *,
        version: SupportsIndex | None = None,
        time: Time | None = None,
        name: str | None = None,
    ) -> Table:
        """The table as it was.

        Args:
            moment: a snapshot's id, also as text, or a point in time.
            version: a snapshot's id.
            time: a point in time; the newest snapshot at or before it is meant.
            name: that of a snapshot that `Lake.keep_snapshot` keeps; it is looked up at once.

        Returns:
            The table at that snapshot; nothing else is read yet.

        Raises:
            ValueError: not exactly one of the four is given, or no snapshot has the name.

        Example:
            >>> lake.table("events").at(2).to_df().count()
            1
        """
        named = None if name is None else id_of(LakeCalls(self.spark, self.catalog), name)
        found, at = moment_of(moment, version, time, named)
        return replace(self, version=found, time=at)

    def exists(self) -> bool:
        """Whether the table is there.

        Returns:
            True for a table and for a view.

        Raises:
            NoSuchSnapshotError: the chosen snapshot is not in the lake.

        Example:
            >>> lake.table("events").exists(), lake.table("nope").exists()
            (True, False)
        """
        return is_there(self.spark, self._full_name(), as_of(self.version, self.time))

    def to_df(self) -> DataFrame:
        """The rows of the table.

        Returns:
            A DataFrame with the table's columns.

        Raises:
            AnalysisException: the table is not there.
            NoSuchSnapshotError: the chosen snapshot is not in the lake.

        Example:
            >>> lake.table("events").to_df().count()
            2
        """
        return self._select()

    def files(self) -> DataFrame:
        """The data files of the table with their delete files and counts.

        Returns:
            One row per data file; sizes are in bytes.

        Raises:
            AnalysisException: the table is not there.
            NoSuchSnapshotError: the chosen snapshot is not in the lake.

        Example:
            >>> lake.table("events").files().columns[0]
            'data_file'
        """
        return self._select("files")

    def columns(self) -> DataFrame:
        """The columns of the table, nested ones too, with their ids and DuckLake's types.

        Returns:
            One row per column; a nested column follows the one that it belongs to.

        Raises:
            AnalysisException: the table is not there.
            NoSuchSnapshotError: the chosen snapshot is not in the lake.

        Example:
            >>> [tuple(row)[:3] for row in lake.table("events").columns().collect()]
            [(1, 'id', 'int32'), (2, 'name', 'varchar')]
        """
        return self._select("columns")

    def partitions(self) -> DataFrame:
        """The partitions of the table.

        Returns:
            One row per partition, with the number of files, rows and bytes.

        Raises:
            AnalysisException: the table is not there.
            NoSuchSnapshotError: the chosen snapshot is not in the lake.

        Example:
            >>> lake.table("events").partitions().columns
            ['partition', 'file_count', 'record_count', 'file_size_bytes']
        """
        return self._select("partitions")

    def options(self) -> DataFrame:
        """The options in force for the table, and where each comes from.

        Returns:
            One row per option.

        Raises:
            AnalysisException: the table is not there.
            InvalidArgumentError: the table is one at a snapshot: this says what holds now.

        Example:
            >>> lake.table("events").options().columns
            ['option_name', 'value', 'scope']
        """
        return self._select("options")

    def snapshots(self) -> DataFrame:
        """The snapshots that changed the table.

        Returns:
            One row per snapshot, with the columns of `Lake.snapshots`.

        Raises:
            AnalysisException: the table is not there.
            InvalidArgumentError: the table is one at a snapshot: this says what holds now.

        Example:
            >>> lake.table("events").snapshots().columns[:2]
            ['snapshot_id', 'snapshot_time']
        """
        return self._select("snapshots")

    def history(self, limit: SupportsIndex | None = None) -> DataFrame:
        """The snapshots that changed the table, the newest first.

        Args:
            limit: no more snapshots than these; all when left out.

        Returns:
            One row per snapshot, with the columns of `Lake.snapshots`. Its changes have the names
            of tables and schemas; what was dropped since has its number.

        Raises:
            AnalysisException: the table is not there.
            InvalidArgumentError: the table is one at a snapshot: this says what holds now.
            TypeError: the limit is no whole number.

        Example:
            >>> [row.snapshot_id for row in lake.table("events").history(2).collect()]
            [3, 2]
        """
        return history(LakeCalls(self.spark, self.catalog), self.snapshots(), limit)

    def changes(self, start: Moment, end: Moment | None = None) -> DataFrame:
        """The rows that snapshots inserted into the table and deleted from it.

        Args:
            start: the first snapshot, by its id or its name, or a time: the first snapshot at or
                after it.
            end: the last snapshot, or a time: the last snapshot at or before it; the table's own
                snapshot when left out.

        Returns:
            One row per change: `snapshot_id`, `rowid`, `change_type` (`insert`, `delete`,
            `update_preimage` or `update_postimage`), then the table's columns.

        Raises:
            AnalysisException: the table is not there.
            TypeError: the start or the end is neither a snapshot's id nor a time.
            NoSuchSnapshotError: a snapshot of the range is not in the lake; this and the next are
                raised when the DataFrame is used, in `translated_errors`.
            ChangesExpiredError: some of these changes are no longer known.

        Example:
            >>> [tuple(row) for row in lake.table("events").changes(start=3, end=3).collect()]
            [(3, 1, 'insert', 2, 'two')]
        """
        return self._select("changes", options=with_options(range_options(start, end)))

    def insertions(self, start: Moment, end: Moment | None = None) -> DataFrame:
        """The rows that snapshots inserted into the table, new versions of updated rows included.

        Args:
            start: as in `changes`.
            end: as in `changes`.

        Returns:
            One row per insertion, with the table's columns.

        Raises:
            AnalysisException: the table is not there; all other errors are those of `changes`.

        Example:
            >>> [tuple(row) for row in lake.table("events").insertions(start=2, end=2).collect()]
            [(1, 'one')]
        """
        return self._select("insertions", options=with_options(range_options(start, end)))

    def deletions(self, start: Moment, end: Moment | None = None) -> DataFrame:
        """The rows that snapshots deleted from the table, old versions of updated rows included.

        Args:
            start: as in `changes`.
            end: as in `changes`.

        Returns:
            One row per deletion, with the table's columns.

        Raises:
            AnalysisException: the table is not there; all other errors are those of `changes`.

        Example:
            >>> t = lake.create_table("numbers", spark.range(4))
            >>> t.delete("id = 3")
            >>> [row.id for row in t.deletions(start=1).collect()]
            [3]
            >>> lake.drop_table("numbers")
        """
        return self._select("deletions", options=with_options(range_options(start, end)))
