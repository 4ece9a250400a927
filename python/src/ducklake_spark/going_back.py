"""The way back: a table or the lake at a past snapshot again, one commit undone."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from ducklake_spark._calls import LakeCalls
from ducklake_spark._sql import Time


@dataclass(frozen=True, repr=False)
class LakeGoingBack(LakeCalls):
    """The way back. A table may be named `schema.name`."""

    def rollback_to_snapshot(
        self,
        table_name: str | None = None,
        snapshot_version: int | str | None = None,
        *,
        snapshot_time: Time | None = None,
        schema: str | None = None,
        progress: bool | None = None,
    ) -> DataFrame:
        """Make a table, or the whole lake, what it was at a past snapshot; history stays.

        It is one new snapshot. Rows with their row ids, columns, partition keys, sort order and
        comments come back. A table that was dropped or replaced comes back too; with the whole
        lake also names, schemas and views do, and what is new since is dropped.

        Args:
            table_name: the table; the whole lake when left out.
            snapshot_version: a snapshot's id, or its name.
            snapshot_time: a point in time instead.
            schema: the schema of the table; `main` when left out.
            progress: whether to show a bar.

        Returns:
            One row with the new snapshot for each table that changed. A table that is named and is
            what it was has a row with the newest.

        Raises:
            InvalidArgumentError: not exactly one of version and time is given, or the table cannot
                come back: it did not exist then, or has another name now; or the macros of the lake
                are others.
            NoSuchSnapshotError: the snapshot is not in the lake, or has expired.
            UnreadableFileError: a file of that snapshot is gone.
            CommitConflictError: another commit changed the table meanwhile; nothing happened.

        Example:
            >>> _ = spark.sql("INSERT INTO lake.main.events VALUES (3, 'three')")
            >>> lake.rollback_to_snapshot("events", snapshot_version=3).columns
            ['schema_name', 'table_name', 'snapshot_id']
            >>> lake.table("events").to_df().count()
            2
        """
        return self._call(
            "rollback_to_snapshot",
            progress=progress,
            table_name=table_name,
            snapshot_version=snapshot_version,
            snapshot_time=snapshot_time,
            schema=schema,
        )

    def undo_commit(self, snapshot: int, *, progress: bool | None = None) -> DataFrame:
        """Take back what one commit did to its tables, as a new snapshot; history stays.

        Later commits to other tables stay as they are. Undo the new snapshot to have the commit
        again.

        Args:
            snapshot: the snapshot that the commit made.
            progress: whether to show a bar.

        Returns:
            One row with the new snapshot for each table that changed.

        Raises:
            InvalidArgumentError: a later snapshot changed one of the tables, or the commit changed
                something other than tables.
            NoSuchSnapshotError: the snapshot, or the one before it, is not in the lake or has
                expired.
            UnreadableFileError: a file of the earlier snapshot is gone.
            CommitConflictError: another commit changed a table meanwhile; nothing happened.

        Example:
            >>> _ = spark.sql("DELETE FROM lake.main.events")
            >>> (last,) = lake.snapshots().agg({"snapshot_id": "max"}).first()
            >>> lake.undo_commit(last).count()
            1
            >>> lake.table("events").to_df().count()
            2
        """
        return self._call("undo_commit", progress=progress, snapshot=snapshot)
