"""Readers of tables, for which no expiry of Spark's removes what they have not read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import SupportsIndex

from pyspark.sql import DataFrame

from ducklake_spark._calls import LakeCalls, about
from ducklake_spark._numbers import version_of


@dataclass(frozen=True, repr=False)
class LakeReaders(LakeCalls):
    """How far readers have read. Streams of Spark register themselves."""

    def register_reader(
        self,
        name: str,
        table_name: str,
        snapshot_version: SupportsIndex | None = None,
        *,
        schema: str | None = None,
    ) -> int:
        """Register how far a reader outside of Spark has read a table.

        Neither this snapshot nor a later one expires for as long as the lake option
        `reader-retention` says, so register again after each read.

        Args:
            name: any text that is not blank.
            table_name: also as `schema.table`.
            snapshot_version: the last snapshot that was read; the newest when left out.
            schema: the schema of the table.

        Returns:
            The id of the snapshot.

        Raises:
            NoSuchSnapshotError: the snapshot is not in the lake.

        Example:
            >>> lake.register_reader("warehouse", "events", 2)
            2
            >>> lake.forget_reader("warehouse")
        """
        (row,) = self._call(
            "register_reader",
            name=name,
            table_name=table_name,
            snapshot_version=None if snapshot_version is None else version_of(snapshot_version),
            schema=schema,
        ).collect()
        read: int = row.snapshot_id
        return read

    def forget_reader(
        self, name: str, table_name: str | None = None, *, schema: str | None = None
    ) -> None:
        """Forget a reader; a stream that runs registers itself again.

        Args:
            name: that of `readers`.
            table_name: also as `schema.table`; all tables when left out.
            schema: the schema of the table.

        Raises:
            InvalidArgumentError: there is no such reader.

        Example:
            >>> _ = lake.register_reader("warehouse", "events")
            >>> lake.forget_reader("warehouse", "events")
        """
        self._call("forget_reader", name=name, table_name=table_name, schema=schema).collect()

    def readers(self) -> DataFrame:
        """The readers that are registered.

        Returns:
            One row per reader and table, with the last snapshot that was read.

        Raises:
            NoLakeError: there is no lake yet.

        Example:
            >>> lake.readers().columns
            ['name', 'schema_name', 'table_name', 'snapshot_id', 'snapshot_time', 'registered_at']
        """
        return about(self.spark, self.catalog, "readers")
