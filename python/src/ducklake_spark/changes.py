"""What changes a lake other than rows: options, commit messages, the layout of tables, files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from ducklake_spark._calls import FilePath, LakeCalls, as_list, as_paths
from ducklake_spark._sql import Option, option_text


@dataclass(frozen=True, repr=False)
class LakeChanges(LakeCalls):
    """Options, layout and new files of a lake. A table may be named `schema.name`.

    Every method raises `ReadOnlyError` for a catalog that is read-only or pinned to a snapshot, and
    those of a table Spark's `AnalysisException` when the table is not there.
    """

    def set_option(
        self,
        option: str,
        value: Option,
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
            TypeError: the value is no number, text or boolean.

        Example:
            >>> lake.set_option("parquet_compression", "zstd", table_name="events")
        """
        text = option_text(value)
        self._call("set_option", option=option, value=text, schema=schema, table_name=table_name)

    def set_commit_message(
        self, author: str, commit_message: str, *, extra_info: str | None = None
    ) -> None:
        """Say who makes this session's next commit, and why.

        Args:
            author: who.
            commit_message: why.
            extra_info: anything else.

        Raises:
            AnalysisException: the author or the message is None.

        Example:
            >>> lake.set_commit_message("Ada", "rows of January")
        """
        self._call(
            "set_commit_message",
            author=author,
            commit_message=commit_message,
            extra_info=extra_info,
        )

    def set_partitioned_by(
        self, table_name: str, transforms: str | Sequence[str], *, schema: str | None = None
    ) -> None:
        """Partition the files that a table gets from now on.

        Args:
            table_name: the table.
            transforms: columns, or transforms such as `year(ts)` and `bucket(4, id)`; one text
                or several.
            schema: its schema; `main` when left out.

        Raises:
            InvalidArgumentError: none is given.
            InvalidChangeError: a column is not there, or cannot have the transform.
            UnsupportedError: a transform that there is not.

        Example:
            >>> lake.set_partitioned_by("events", "name")
        """
        self._call(
            "set_partitioned_by",
            table_name=table_name,
            transforms=as_list(transforms),
            schema=schema,
        )

    def reset_partitioned_by(self, table_name: str, *, schema: str | None = None) -> None:
        """Partition the files of a table no more.

        Args:
            table_name: the table.
            schema: its schema; `main` when left out.

        Raises:
            AnalysisException: the table is not there.
            ReadOnlyError: the catalog is read-only or pinned to a snapshot.

        Example:
            >>> lake.reset_partitioned_by("events")
        """
        self._call("reset_partitioned_by", table_name=table_name, schema=schema)

    def set_sorted_by(
        self, table_name: str, expressions: str | Sequence[str], *, schema: str | None = None
    ) -> None:
        """Sort the files that a table gets from now on.

        Args:
            table_name: the table.
            expressions: columns, each with its order: `id DESC NULLS LAST`; one text or several.
            schema: its schema; `main` when left out.

        Raises:
            InvalidArgumentError: none is given.
            InvalidChangeError: a column is not there.
            UnsupportedError: an expression that is no column.

        Example:
            >>> lake.set_sorted_by("events", ["name", "id DESC"])
        """
        self._call(
            "set_sorted_by", table_name=table_name, expressions=as_list(expressions), schema=schema
        )

    def reset_sorted_by(self, table_name: str, *, schema: str | None = None) -> None:
        """Sort the files of a table no more.

        Args:
            table_name: the table.
            schema: its schema; `main` when left out.

        Raises:
            AnalysisException: the table is not there.
            ReadOnlyError: the catalog is read-only or pinned to a snapshot.

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

    def add_data_files(
        self,
        table_name: str,
        path: FilePath | Iterable[FilePath],
        *,
        schema: str | None = None,
        hive_partitioning: bool | None = None,
        allow_missing: bool | None = None,
        ignore_extra_columns: bool | None = None,
        progress: bool | None = None,
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
            progress: whether to show a bar.

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
            progress=progress,
            table_name=table_name,
            path=as_paths(path),
            schema=schema,
            hive_partitioning=hive_partitioning,
            allow_missing=allow_missing,
            ignore_extra_columns=ignore_extra_columns,
        )
