"""Snapshots with names, which no expiry of Spark's removes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import SupportsIndex

from pyspark.sql import DataFrame

from ducklake_spark._calls import LakeCalls, about
from ducklake_spark._numbers import version_of


@dataclass(frozen=True, repr=False)
class LakeNames(LakeCalls):
    """Names of snapshots."""

    def keep_snapshot(self, name: str, snapshot_version: SupportsIndex | None = None) -> int:
        """Give a snapshot a name, and keep it from expiry.

        Args:
            name: any text that is not blank and not a whole number.
            snapshot_version: its id; the newest snapshot when left out.

        Returns:
            The id of the snapshot.

        Raises:
            InvalidArgumentError: another snapshot has the name, or it cannot be a name.
            NoSuchSnapshotError: the snapshot is not in the lake.

        Example:
            >>> lake.keep_snapshot("before the merge", 2)
            2
            >>> lake.at(name="before the merge").table("events").to_df().count()
            1
            >>> lake.release_snapshot("before the merge")
        """
        version = None if snapshot_version is None else version_of(snapshot_version)
        (row,) = self._call("keep_snapshot", name=name, snapshot_version=version).collect()
        kept: int = row.snapshot_id
        return kept

    def release_snapshot(self, name: str) -> None:
        """Take a name from its snapshot, which may expire then.

        Args:
            name: that of `keep_snapshot`.

        Raises:
            InvalidArgumentError: no snapshot has the name.

        Example:
            >>> _ = lake.keep_snapshot("today")
            >>> lake.release_snapshot("today")
        """
        self._call("release_snapshot", name=name).collect()

    def named_snapshots(self) -> DataFrame:
        """The snapshots with names.

        Returns:
            One row per name; the time is NULL when DuckDB has expired the snapshot.

        Raises:
            NoLakeError: there is no lake yet.

        Example:
            >>> lake.named_snapshots().columns
            ['name', 'snapshot_id', 'snapshot_time']
        """
        return about(self.spark, self.catalog, "named_snapshots")


def id_of(calls: LakeCalls, name: str) -> int:
    """The id of the snapshot with a name.

    Raises:
        ValueError: no snapshot has the name.
    """
    found = about(calls.spark, calls.catalog, "named_snapshots").collect()
    ids: list[int] = [row.snapshot_id for row in found if row["name"] == name]
    if not ids:
        raise ValueError(f"no snapshot has the name {name!r}")
    return ids[0]
