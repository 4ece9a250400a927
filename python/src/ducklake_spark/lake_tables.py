"""New tables of a lake, and those that go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from ducklake_spark._calls import as_list, as_view, run
from ducklake_spark._frames import ArrowStream, PandasOnSpark, Rows, as_dataframe
from ducklake_spark._names import first_there, new_table_paths
from ducklake_spark._sql import Option, clause_text, identifier, properties
from ducklake_spark.lake_schemas import LakeSchemas
from ducklake_spark.shape import columns_sql
from ducklake_spark.table import Table

_SORT_PROPERTY = "ducklake.sorted-by"


@dataclass(frozen=True, repr=False)
class LakeTables(LakeSchemas):
    """Tables. Each change is one snapshot."""

    def create_table(
        self,
        table_name: str,
        columns: str | StructType | Mapping[str, str] | Rows,
        *,
        schema: str | None = None,
        partitioned_by: str | Sequence[str] = (),
        sorted_by: str | Sequence[str] = (),
        comment: str | None = None,
        properties: Mapping[str, Option] | None = None,
        if_not_exists: bool = False,
    ) -> Table:
        """Make a table, in one snapshot.

        Args:
            table_name: its name, or `schema.name` when no schema is given. Of several dots the last
                before which a schema stands divides the two.
            columns: as SQL (`"id BIGINT NOT NULL, name STRING DEFAULT 'x'"`), as a mapping of names
                to types, as Spark's `StructType`; or a DataFrame, or rows of pandas, Polars or
                Arrow, whose columns and rows it gets.
            schema: its schema; `main` when left out.
            partitioned_by: columns, or transforms such as `year(ts)`; one text or several.
            sorted_by: columns, each with its order: `id DESC NULLS LAST`; one text or several.
            comment: the table's comment.
            properties: tags of the table, and options of DuckLake for it.
            if_not_exists: whether to do nothing when it is there.

        Returns:
            The table.

        Raises:
            InvalidNameError: a table or a column cannot have the name.
            TypeError: a property is no number, text or boolean.
            UnstorableTypeError: a column has a type that a lake cannot hold.
            AnalysisException: the table is there already, or its schema is not.

        Example:
            >>> t = lake.create_table(
            ...     "visits", {"id": "BIGINT NOT NULL", "at": "TIMESTAMP"}, partitioned_by="day(at)"
            ... )
            >>> t.partitioning, t.schema["id"].nullable
            (('day(at)',), False)
            >>> lake.drop_table("visits")
        """
        around, path = first_there(
            new_table_paths(schema, table_name), lambda place: self._is_schema(place[1][:-1])
        )
        tags = dict(properties or {})
        if sorted_by:
            tags[_SORT_PROPERTY] = ", ".join(as_list(sorted_by))
        name = identifier(self.catalog, *path)
        start = f"CREATE TABLE {'IF NOT EXISTS ' if if_not_exists else ''}{name}"
        end = _clauses(as_list(partitioned_by), comment, tags)
        if isinstance(columns, (DataFrame, PandasOnSpark, ArrowStream)):
            with as_view(self.spark, as_dataframe(self.spark, columns, "rows are")) as view:
                run(self.spark, f"{start}{end} AS SELECT * FROM {view}")
        else:
            run(self.spark, f"{start} ({_columns(columns)}){end}")
        return Table(self.spark, self.catalog, around, path[-1])

    def drop_table(
        self, table_name: str, *, schema: str | None = None, if_exists: bool = False
    ) -> None:
        """Drop a table; past snapshots keep it, and its files stay until they expire.

        Args:
            table_name: its name, or `schema.name` when no schema is given.
            schema: its schema; `main` when left out.
            if_exists: whether to do nothing when it is not there.

        Raises:
            AnalysisException: the table is not there.

        Example:
            >>> _ = lake.create_table("numbers", "id BIGINT")
            >>> lake.drop_table("numbers")
            >>> lake.drop_table("numbers", if_exists=True)
        """
        name = Table(self.spark, self.catalog, schema, table_name)._full_name()
        run(self.spark, f"DROP TABLE {'IF EXISTS ' if if_exists else ''}{name}")


def _columns(given: str | StructType | Mapping[str, str]) -> str:
    """The columns of a CREATE TABLE.

    Raises:
        TypeError: they are something else.
    """
    if isinstance(given, StructType):
        return columns_sql(given)
    if isinstance(given, Mapping):
        return ", ".join(f"{identifier(name)} {kind}" for name, kind in given.items())
    if isinstance(given, str):
        return given
    raise TypeError(
        "columns are SQL text, a mapping of names to types, a StructType or a DataFrame, "
        f"not a {type(given).__name__}"
    )


def _clauses(
    partitioned_by: list[str],
    comment: str | None,
    tags: Mapping[str, Option],
) -> str:
    """What follows the columns of a CREATE TABLE."""
    keys = f" PARTITIONED BY ({', '.join(partitioned_by)})" if partitioned_by else ""
    about = "" if comment is None else f" COMMENT {clause_text(comment)}"
    return keys + about + properties(tags)
