"""What a table looks like, and what it is going to look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ducklake_spark._calls import as_list, is_there, run
from ducklake_spark._sql import Option, as_of, identifier, option_text
from ducklake_spark._table_calls import TableCalls
from ducklake_spark.shape import Schema, partition_keys, schema_of, sort_keys
from ducklake_spark.translation import translated_errors

_SORT_PROPERTY = "ducklake.sorted-by"


@dataclass(frozen=True, repr=False)
class TableShape(TableCalls):
    """Columns, partition keys, sort order and properties. Each change of them is one snapshot."""

    @property
    def schema(self) -> Schema:
        """The columns: names, types, field ids, defaults, comments; also of a past snapshot.

        Raises:
            AnalysisException: the table is not there.
            NoSuchSnapshotError: the chosen snapshot is not in the lake.

        Example:
            >>> lake.table("events").schema["name"].type
            'string'
        """
        name, clauses = self._full_name(), as_of(self.version, self.time)
        with translated_errors():
            struct = run(self.spark, f"SELECT * FROM {name}{clauses}").schema
        columns = f"{name}.{identifier('columns')}"
        if not is_there(self.spark, columns, clauses):
            # Views have none.
            return schema_of(struct, {})
        rows = run(self.spark, f"SELECT * FROM {columns}{clauses}").collect()
        return schema_of(
            struct, {row.column_name: row.column_id for row in rows if row.parent_column is None}
        )

    @property
    def partitioning(self) -> tuple[str, ...]:
        """The partition keys of new files, such as `('year(ts)', 'region')`.

        Raises:
            ValueError: the table is one at a snapshot.

        Example:
            >>> lake.table("events").partitioning
            ()
        """
        self._refuse_asking()
        described = run(self.spark, f"DESCRIBE TABLE {self._full_name()}").collect()
        return partition_keys(described, len(self.schema))

    @property
    def sorting(self) -> tuple[str, ...]:
        """The sort order of new files, such as `('id ASC NULLS LAST',)`.

        Raises:
            ValueError: the table is one at a snapshot.

        Example:
            >>> lake.table("events").sorting
            ()
        """
        return sort_keys(self.properties.get(_SORT_PROPERTY, ""))

    @property
    def properties(self) -> dict[str, str]:
        """The table's properties: its tags, and the options that are set for it.

        Raises:
            ValueError: the table is one at a snapshot.

        Example:
            >>> lake.table("events").properties
            {}
        """
        self._refuse_asking()
        rows = run(self.spark, f"SHOW TBLPROPERTIES {self._full_name()}").collect()
        return {row[0]: row[1] for row in rows}

    def set_option(self, option: str, value: Option) -> None:
        """Store an option of the table; no snapshot is made.

        Args:
            option: its name in DuckLake.
            value: its value.

        Raises:
            InvalidOptionError: there is no such option, or it cannot have the value.
            TypeError: the value is no number, text or boolean.

        Example:
            >>> lake.table("events").set_option("target_file_size", 64_000_000)
        """
        self._call("set_option", option=option, value=option_text(value), schema=self.schema_name)

    def set_partitioned_by(self, transforms: str | Sequence[str]) -> None:
        """Partition the files that the table gets from now on.

        Args:
            transforms: columns, or transforms such as `year(ts)` and `bucket(4, id)`; one text or
                several.

        Raises:
            InvalidArgumentError: none is given.
            InvalidChangeError: a column is not there, or cannot have the transform.
            UnsupportedError: a transform that there is not.

        Example:
            >>> lake.table("events").set_partitioned_by("name")
            >>> lake.table("events").partitioning
            ('name',)
            >>> lake.table("events").reset_partitioned_by()
        """
        keys = as_list(transforms)
        self._call("set_partitioned_by", transforms=keys, schema=self.schema_name)

    def reset_partitioned_by(self) -> None:
        """Partition the files of the table no more.

        Raises:
            AnalysisException: the table is not there.
            ValueError: the table is one at a snapshot.

        Example:
            >>> lake.table("events").reset_partitioned_by()
        """
        self._call("reset_partitioned_by", schema=self.schema_name)

    def set_sorted_by(self, expressions: str | Sequence[str]) -> None:
        """Sort the files that the table gets from now on.

        Args:
            expressions: columns, each with its order: `id DESC NULLS LAST`; one text or several.

        Raises:
            InvalidArgumentError: none is given.
            InvalidChangeError: a column is not there.
            UnsupportedError: an expression that is no column.

        Example:
            >>> lake.table("events").set_sorted_by("id")
            >>> lake.table("events").sorting
            ('id ASC NULLS LAST',)
            >>> lake.table("events").reset_sorted_by()
        """
        keys = as_list(expressions)
        self._call("set_sorted_by", expressions=keys, schema=self.schema_name)

    def reset_sorted_by(self) -> None:
        """Sort the files of the table no more.

        Raises:
            AnalysisException: the table is not there.
            ValueError: the table is one at a snapshot.

        Example:
            >>> lake.table("events").reset_sorted_by()
        """
        self._call("reset_sorted_by", schema=self.schema_name)

    def set_not_null(self, column: str) -> None:
        """Let a column that has no NULL take none from now on.

        Args:
            column: its name, which may be quoted as in SQL.

        Raises:
            InvalidChangeError: the column is not there, or has a NULL.

        Example:
            >>> t = lake.create_table("numbers", "id BIGINT")
            >>> t.set_not_null("id")
            >>> t.schema["id"].nullable
            False
            >>> lake.drop_table("numbers")
        """
        self._call("set_not_null", column=column, schema=self.schema_name)

    def _refuse_asking(self) -> None:
        if self.version is not None or self.time is not None:
            raise ValueError("layout and properties are those of today: ask the table without at()")
