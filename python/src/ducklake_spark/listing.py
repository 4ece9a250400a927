"""What is in a lake, of today or at a snapshot: schemas, tables and views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from ducklake_spark._calls import about
from ducklake_spark._names import schema_paths
from ducklake_spark._sql import Time, as_of, identifier
from ducklake_spark.errors import NoLakeError

_Rows: TypeAlias = "list[tuple[str, int, list[str]]]"

# What a catalog without a lake looks like: the columns and rows of `system.schemas` and
# `system.tables`.
_WITHOUT_LAKE: dict[str, tuple[str, _Rows]] = {
    "schemas": (
        "schema_name STRING, schema_id BIGINT, names ARRAY<STRING>",
        [("main", 0, ["main"])],
    ),
    "tables": ("schema_name STRING, table_name STRING, schema_id BIGINT", []),
}


@dataclass(frozen=True, repr=False)
class Listing:
    """What a lake and a lake at one snapshot list. Every method gives a DataFrame."""

    spark: SparkSession
    catalog: str

    def schemas(self) -> DataFrame:
        """The schemas, those in other schemas too; at the snapshot when one was chosen.

        Returns:
            One row per schema, with the column `schema_name`; where there is no lake yet, `main`.

        Raises:
            NoSuchSnapshotError: the snapshot is not in the lake.
            ConnectionFailedError: the catalog database does not answer.

        Example:
            >>> [row.schema_name for row in lake.schemas().collect()]
            ['main']
            >>> lake.at(2).schemas().count()
            1
        """
        return self._listed("schemas").select("schema_name")

    def tables(self, schema: str | None = None) -> DataFrame:
        """The tables, or those of one schema; `views` has the views.

        At the snapshot when one was chosen.

        Args:
            schema: the schema, without those in it; all when left out.

        Returns:
            One row per table, with the columns `schema_name` and `table_name`.

        Raises:
            NoSuchSnapshotError: the snapshot is not in the lake.
            AnalysisException: the schema is not there.

        Example:
            >>> [tuple(row) for row in lake.tables().collect()]
            [('main', 'events')]
            >>> lake.at(0).tables("main").count()
            0
        """
        found = self._listed("tables")
        if schema:
            found = found.where(f"schema_id = {self._schema_id(schema)}")
        return found.select("schema_name", "table_name")

    def views(self) -> DataFrame:
        """The views with their SQL text and its dialect; at the snapshot when one was chosen.

        Returns:
            One row per view.

        Raises:
            NoLakeError: there is no lake yet.
            NoSuchSnapshotError: the snapshot is not in the lake.

        Example:
            >>> lake.views().columns[:2]
            ['schema_name', 'view_name']
        """
        return self._about("views")

    def table_info(self) -> DataFrame:
        """All tables with the number and size of their files; at the snapshot when one was chosen.

        Returns:
            One row per table; sizes are in bytes.

        Raises:
            NoLakeError: there is no lake yet.
            NoSuchSnapshotError: the snapshot is not in the lake.

        Example:
            >>> [row.table_name for row in lake.table_info().collect()]
            ['events']
            >>> [row.file_count for row in lake.at(2).table_info().collect()]
            [1]
        """
        return self._about("table_info")

    def _moment(self) -> tuple[int | None, Time | None]:
        """Version and time of the snapshot."""
        return None, None

    def _schema_id(self, text: str) -> int:
        """The id of the schema that a text means."""
        known = self._listed("schemas").collect()
        for path in schema_paths(text):
            alike = [row for row in known if _folded(row.names) == _folded(path)]
            exact = [row for row in alike if tuple(row.names) == path]
            if alike:
                return int((exact or alike)[0].schema_id)
        raise AnalysisException(
            f"Cannot list the tables of schema `{text}`: lake `{self.catalog}` has no such schema"
            f"{as_of(*self._moment())}. SQLSTATE: 42704",
            "SCHEMA_NOT_FOUND",
            {"schemaName": identifier(self.catalog, text)},
        )

    def _listed(self, name: str) -> DataFrame:
        try:
            return self._about(name)
        except NoLakeError:
            columns, rows = _WITHOUT_LAKE[name]
            return self.spark.createDataFrame(rows, columns)

    def _about(self, name: str) -> DataFrame:
        return about(self.spark, self.catalog, name, as_of(*self._moment()))


def _folded(names: Sequence[str]) -> list[bytes]:
    """Names for a comparison that ignores the case of A to Z, and of no other letter."""
    return [name.encode().lower() for name in names]
