"""What changes a lake other than rows: options, commit messages, the layout of tables, files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

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

    def migrate_from_iceberg(
        self,
        source: str,
        table: str,
        *,
        schema: str | None = None,
        dry_run: bool | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Make a table of Iceberg a new table of the lake, in one commit, its files where they are.

        The lake owns the files from then on: end all writes and the upkeep of the source before.
        The session needs Iceberg's library.

        Args:
            source: a metadata file, or the folder of a table.
            table: the name of the new table.
            schema: the schema of the new table; `main` when left out.
            dry_run: whether to change nothing and say what would happen; false when left out.
            progress: whether to show a bar.

        Returns:
            What comes along, what is left behind and what is in the way: the columns `what`,
            `detail`, `count` and `bytes`.

        Raises:
            UnsupportedError: the table has something that a lake has not, or the session does not
                have Iceberg's library; nothing was changed.
            CannotAddFileError: a file is not what the table says; nothing was changed.
            FileAlreadyRegisteredError: a file is in a lake already; nothing was changed.

        Example:
            >>> report = lake.migrate_from_iceberg("/old/t", "t", dry_run=True)  # doctest: +SKIP
        """
        return self._call(
            "migrate_from_iceberg",
            progress=progress,
            source=source,
            table=table,
            schema=schema,
            dry_run=dry_run,
        )

    def export_delta(
        self,
        table_name: str,
        path: str,
        *,
        schema: str | None = None,
        version: int | str | None = None,
        dry_run: bool | None = None,
        flush: bool | None = None,
        keep_versions: int | None = None,
        column_mapping: Literal["id"] | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Show a snapshot of a table to readers of Delta, over the same data files.

        Each call writes the next version of the table of Delta, unless nothing has changed. The
        snapshot gets a name, by which expiry and cleanup keep its files.

        Args:
            table_name: the table.
            path: the folder of the table of Delta.
            schema: the schema of the table; `main` when left out.
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
            >>> report = lake.export_delta("t", "/shared/t", dry_run=True)  # doctest: +SKIP
        """
        return self._call(
            "export_delta",
            progress=progress,
            table_name=table_name,
            path=path,
            schema=schema,
            version=None if version is None else str(version),
            dry_run=dry_run,
            flush=flush,
            keep_versions=keep_versions,
            column_mapping=column_mapping,
        )

    def export_iceberg(
        self,
        table_name: str,
        path: str,
        *,
        schema: str | None = None,
        version: int | str | None = None,
        dry_run: bool | None = None,
        flush: bool | None = None,
        keep_versions: int | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Show a snapshot of a table to readers of Iceberg, over the same data files.

        Each call writes the next version of the table of Iceberg, unless nothing has changed. The
        snapshot gets a name, by which expiry and cleanup keep its files.

        Args:
            table_name: the table.
            path: the folder of the table of Iceberg.
            schema: the schema of the table; `main` when left out.
            version: the id or the name of the snapshot; the newest when left out.
            dry_run: whether to write nothing and say what would happen; false when left out.
            flush: whether to flush inlined rows first; false when left out.
            keep_versions: how many exported snapshots of the folder keep their names, at least 1;
                all when left out.
            progress: whether to show a bar.

        Returns:
            What was written, or what stands in the way: the columns `what`, `detail`, `count` and
            `bytes`.

        Raises:
            UnsupportedError: Iceberg cannot show the table, or the session does not have Iceberg's
                library; nothing was written.
            InvalidArgumentError: the folder has another table.

        Example:
            >>> report = lake.export_iceberg("t", "/shared/t", dry_run=True)  # doctest: +SKIP
        """
        return self._call(
            "export_iceberg",
            progress=progress,
            table_name=table_name,
            path=path,
            schema=schema,
            version=None if version is None else str(version),
            dry_run=dry_run,
            flush=flush,
            keep_versions=keep_versions,
        )

    def migrate_from_delta(
        self,
        source: str,
        table: str,
        *,
        schema: str | None = None,
        dry_run: bool | None = None,
        drop_unsupported: bool | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Make a table of Delta a new table of the lake, in one commit, its files where they are.

        The lake owns the files from then on: end all writes and the upkeep of the source before.
        The session needs Delta's Kernel.

        Args:
            source: the folder of a table.
            table: the name of the new table.
            schema: the schema of the new table; `main` when left out.
            dry_run: whether to change nothing and say what would happen; false when left out.
            drop_unsupported: whether definitions that lakes do not have, such as CHECK constraints,
                are left behind instead of refused; false when left out.
            progress: whether to show a bar.

        Returns:
            What comes along, what is left behind and what is in the way: the columns `what`,
            `detail`, `count` and `bytes`.

        Raises:
            UnsupportedError: the table has something that a lake has not, or the session does not
                have Delta's Kernel; nothing was changed.
            CannotAddFileError: a file is not what the table says, or has a type that DuckDB does
                not read so; nothing was changed.
            FileAlreadyRegisteredError: a file is in a lake already; nothing was changed.

        Example:
            >>> report = lake.migrate_from_delta("/old/t", "t", dry_run=True)  # doctest: +SKIP
        """
        return self._call(
            "migrate_from_delta",
            progress=progress,
            source=source,
            table=table,
            schema=schema,
            dry_run=dry_run,
            drop_unsupported=drop_unsupported,
        )

    def migrate_from_parquet(
        self,
        source: str,
        table: str,
        *,
        schema: str | None = None,
        dry_run: bool | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Make Parquet files a new table of the lake, in one commit, where they are.

        The columns are those that Spark infers. The lake owns the files from then on.

        Args:
            source: a folder, which has a `/`, or the name of a table of the session.
            table: the name of the new table.
            schema: the schema of the new table; `main` when left out.
            dry_run: whether to change nothing and say what would happen; false when left out.
            progress: whether to show a bar.

        Returns:
            What comes along, what is left behind and what is in the way: the columns `what`,
            `detail`, `count` and `bytes`.

        Raises:
            InvalidArgumentError: there are no Parquet files, or they are those of Delta or Iceberg.
            UnsupportedError: the files have something that a lake has not; nothing was changed.
            CannotAddFileError: DuckDB reads a file in another way; nothing was changed.
            FileAlreadyRegisteredError: a file is in a lake already; nothing was changed.

        Example:
            >>> report = lake.migrate_from_parquet("/old/t", "t", dry_run=True)  # doctest: +SKIP
        """
        return self._call(
            "migrate_from_parquet",
            progress=progress,
            source=source,
            table=table,
            schema=schema,
            dry_run=dry_run,
        )

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
