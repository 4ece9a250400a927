"""A table of a lake as a Python object; each method is one SQL statement."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from ducklake_spark._sql import identifier
from ducklake_spark.errors import translated_errors

_MAIN = "main"


def run(spark: SparkSession, statement: str) -> DataFrame:
    """The result of a statement, its errors as the classes of this package."""
    with translated_errors():
        return spark.sql(statement)


@dataclass(frozen=True)
class Table:
    """A table of a lake, at the newest snapshot or at the one chosen by `Lake.at`."""

    spark: SparkSession
    catalog: str
    schema: str
    name: str
    moment: str = ""

    def to_df(self) -> DataFrame:
        """The rows of the table.

        Returns:
            A DataFrame with the table's columns.

        Raises:
            NoSuchSnapshotError: the chosen snapshot is not in the lake.

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

    def _select(self, *suffix: str) -> DataFrame:
        name = identifier(self.catalog, self.schema, self.name, *suffix)
        return run(self.spark, f"SELECT * FROM {name}{self.moment}")


def table_of(
    spark: SparkSession, catalog: str, name: str, schema: str | None, moment: str
) -> Table:
    """The table; a name with one dot holds the schema when none is given."""
    if schema is None and name.count(".") == 1:
        schema, name = name.split(".")
    return Table(spark, catalog, schema or _MAIN, name, moment)
