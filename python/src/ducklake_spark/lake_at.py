"""The tables of a lake, of today or at a snapshot."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from ducklake_spark import _show
from ducklake_spark._calls import LakeCalls
from ducklake_spark._sql import Moment, Time
from ducklake_spark.listing import Listing
from ducklake_spark.table import Table


@dataclass(frozen=True, repr=False)
class Tables(Listing):
    """What a lake and a lake at one snapshot have in common."""

    def table(self, name: str, *, schema: str | None = None) -> Table:
        """A table; at the snapshot when one was chosen.

        Args:
            name: its name. Without a schema, and with dots: a table of that very name in `main`,
                or else the schema and the name.
            schema: its schema; `main` when left out. In lakes of version 1.1 `a.b` is the schema
                `b` in `a`, unless a schema has that very name.

        Returns:
            The table; nothing is read yet.

        Raises:
            TypeError: the name is no text.

        Example:
            >>> lake.table("events").to_df().columns
            ['id', 'name']
            >>> lake.at(2).table("main.events").to_df().count()
            1
        """
        if not isinstance(name, str):
            raise TypeError(f"a table's name is text, not {name!r}")
        return Table(self.spark, self.catalog, schema, name, *self._moment())

    def changes(
        self,
        table_name: str,
        start: Moment,
        end: Moment | None = None,
        *,
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

        Raises:
            AnalysisException: the table is not there.
            TypeError: the start or the end is neither a snapshot's id nor a time.

        Example:
            >>> lake.changes("events", start=2, end=3).columns
            ['snapshot_id', 'rowid', 'change_type', 'id', 'name']
        """
        return self.table(table_name, schema=schema).changes(start=start, end=end)

    def insertions(
        self,
        table_name: str,
        start: Moment,
        end: Moment | None = None,
        *,
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

        Raises:
            AnalysisException: the table is not there.
            TypeError: the start or the end is neither a snapshot's id nor a time.

        Example:
            >>> lake.insertions("events", start=1).count()
            2
        """
        return self.table(table_name, schema=schema).insertions(start=start, end=end)

    def deletions(
        self,
        table_name: str,
        start: Moment,
        end: Moment | None = None,
        *,
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

        Raises:
            AnalysisException: the table is not there.
            TypeError: the start or the end is neither a snapshot's id nor a time.

        Example:
            >>> lake.create_table("numbers", spark.range(4)).delete("id = 3")
            >>> [row.id for row in lake.deletions("main.numbers", start=1).collect()]
            [3]
            >>> lake.drop_table("numbers")
        """
        return self.table(table_name, schema=schema).deletions(start=start, end=end)

    def _tables_html(self, caption: str) -> str:
        schemas, tables = self._about("schemas"), self._about("table_info")
        return _show.tables(caption, schemas.collect(), tables.collect())


@dataclass(frozen=True, repr=False)
class LakeAt(Tables):
    """A lake at one snapshot. `Lake.at` makes it."""

    version: int | None = None
    time: Time | None = None

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
        calls = LakeCalls(self.spark, self.catalog)
        return calls._call(
            "list_files",
            table_name=table_name,
            schema=schema,
            snapshot_version=self.version,
            snapshot_time=self.time,
        )

    def _repr_html_(self) -> str:
        """The tables that there were, as a table of a notebook."""
        return self._tables_html(repr(self)[1:-1])

    def __repr__(self) -> str:
        """The name of the catalog and the snapshot; nothing is read."""
        at = f"at {self.time}" if self.version is None else f"at version {self.version}"
        return f"<Lake {self.catalog} {at}>"

    def _moment(self) -> tuple[int | None, Time | None]:
        return self.version, self.time
