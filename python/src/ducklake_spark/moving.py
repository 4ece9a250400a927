"""Tables of other formats: moving in, and showing tables to their readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pyspark.sql import DataFrame

from ducklake_spark._calls import LakeCalls


@dataclass(frozen=True, repr=False)
class LakeMoving(LakeCalls):
    """What a lake does with tables of Delta, Iceberg and Parquet."""

    def migrate_from_iceberg(
        self,
        source: str,
        table: str,
        *,
        schema: str | None = None,
        dry_run: bool | None = None,
        checksum: bool | None = None,
        history: bool | None = None,
        allow_shared_files: bool | None = None,
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
            checksum: whether to read all rows twice before the commit, by the lake and by the
                library of the source, and compare both; false when left out.
            history: whether the snapshots of the source become snapshots of the lake, which must be
                new, or older than all of them; false when left out.
            allow_shared_files: whether the source may say that other tables have its files, too;
                false when left out.
            progress: whether to show a bar.

        Returns:
            What comes along, what is left behind and what is in the way: the columns `what`,
            `detail`, `count` and `bytes`.

        Raises:
            UnsupportedError: the table has something that a lake has not, or the session does not
                have Iceberg's library; nothing was changed.
            CannotAddFileError: a file is not what the table says, or the checksums differ; nothing
                was changed.
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
            checksum=checksum,
            history=history,
            allow_shared_files=allow_shared_files,
        )

    def migrate_from_delta(
        self,
        source: str,
        table: str,
        *,
        schema: str | None = None,
        dry_run: bool | None = None,
        checksum: bool | None = None,
        drop_unsupported: bool | None = None,
        history: bool | None = None,
        allow_shared_files: bool | None = None,
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
            checksum: whether to read all rows twice before the commit, by the lake and by the
                library of the source, and compare both; false when left out.
            drop_unsupported: whether definitions that lakes do not have, such as CHECK constraints,
                are left behind instead of refused; false when left out.
            history: whether the versions of the source become snapshots of the lake, which must be
                new, or older than all of them; false when left out.
            allow_shared_files: whether the source may say that other tables have its files, too;
                false when left out.
            progress: whether to show a bar.

        Returns:
            What comes along, what is left behind and what is in the way: the columns `what`,
            `detail`, `count` and `bytes`.

        Raises:
            UnsupportedError: the table has something that a lake has not, or the session does not
                have Delta's Kernel; nothing was changed.
            CannotAddFileError: a file is not what the table says, or has a type that DuckDB does
                not read so, or the checksums differ; nothing was changed.
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
            checksum=checksum,
            drop_unsupported=drop_unsupported,
            history=history,
            allow_shared_files=allow_shared_files,
        )

    def migrate_from_parquet(
        self,
        source: str,
        table: str,
        *,
        schema: str | None = None,
        dry_run: bool | None = None,
        checksum: bool | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Make Parquet files a new table of the lake, in one commit, where they are.

        The columns are those that Spark infers. The lake owns the files from then on.

        Args:
            source: a folder, which has a `/`, or the name of a table of the session.
            table: the name of the new table.
            schema: the schema of the new table; `main` when left out.
            dry_run: whether to change nothing and say what would happen; false when left out.
            checksum: whether to read all rows twice before the commit, by the lake and by the
                library of the source, and compare both; false when left out.
            progress: whether to show a bar.

        Returns:
            What comes along, what is left behind and what is in the way: the columns `what`,
            `detail`, `count` and `bytes`.

        Raises:
            InvalidArgumentError: there are no Parquet files, or they are those of Delta or Iceberg.
            UnsupportedError: the files have something that a lake has not; nothing was changed.
            CannotAddFileError: DuckDB reads a file in another way, or the checksums differ; nothing
                was changed.
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
            checksum=checksum,
        )

    def export_delta(
        self,
        table_name: str | None,
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
        """Show a snapshot of a table or a schema to readers of Delta, over the same data files.

        Each call writes the next version of the table of Delta, unless nothing has changed. The
        snapshot gets a name, by which expiry and cleanup keep its files.

        Args:
            table_name: the table; None for all tables of `schema`, each in a folder of its name.
            path: the folder of the table of Delta, or of the tables.
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
            UnsupportedError: Delta cannot show the table, or one of them; nothing was written.
            InvalidArgumentError: the folder has another table, or the schema has none.

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
        table_name: str | None,
        path: str,
        *,
        schema: str | None = None,
        version: int | str | None = None,
        dry_run: bool | None = None,
        flush: bool | None = None,
        keep_versions: int | None = None,
        format_version: Literal[2, 3] | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Show a snapshot of a table or a schema to readers of Iceberg, over the same data files.

        Each call writes the next version of the table of Iceberg, unless nothing has changed. The
        snapshot gets a name, by which expiry and cleanup keep its files.

        Args:
            table_name: the table; None for all tables of `schema`, each in a folder of its name.
            path: the folder of the table of Iceberg, or of the tables.
            schema: the schema of the table; `main` when left out.
            version: the id or the name of the snapshot; the newest when left out.
            dry_run: whether to write nothing and say what would happen; false when left out.
            flush: whether to flush inlined rows first; false when left out.
            keep_versions: how many exported snapshots of the folder keep their names, at least 1;
                all when left out.
            format_version: of the table of Iceberg, 2 when left out; a table keeps 3 once it has
                it.
            progress: whether to show a bar.

        Returns:
            What was written, or what stands in the way: the columns `what`, `detail`, `count` and
            `bytes`.

        Raises:
            UnsupportedError: Iceberg cannot show the table, or one of them, or the session does not
                have Iceberg's library; nothing was written.
            InvalidArgumentError: the folder has another table, or the schema has none.

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
            format_version=format_version,
        )
