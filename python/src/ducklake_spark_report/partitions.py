"""Names the partitions of tables, and estimates what a merge makes of their small files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ducklake_spark_catalog.database import Row
from ducklake_spark_report.asking import Asking
from ducklake_spark_report.facts import Partition
from ducklake_spark_report.files import MOST_KEYS


def partitions(asking: Asking, files: Mapping[int, list[Row]]) -> dict[int, list[Partition]]:
    """The partitions of each table that has files, by the table's id."""
    names = _key_names(asking)

    def partition(row: Row) -> Partition:
        values = [row[f"v{key}"] for key in range(MOST_KEYS) if f"v{key}" in row]
        return _partition(row, _label(names.get(row["partition_id"], []), values))

    return {number: [partition(row) for row in rows] for number, rows in files.items()}


def _key_names(asking: Asking) -> dict[int, list[str]]:
    """The partition keys of each partition spec as SQL writes them, in their order."""
    rows = asking.rows(
        """SELECT p.partition_id, p.transform, c.column_name
           FROM {partition_column} AS p
           LEFT JOIN {column} AS c ON c.table_id = p.table_id AND c.column_id = p.column_id
             AND c.end_snapshot IS NULL
           ORDER BY p.partition_id, p.partition_key_index"""
    )
    found: defaultdict[int, list[str]] = defaultdict(list)
    for row in rows:
        column = row["column_name"] or "a dropped column"
        transform = row["transform"]
        found[row["partition_id"]].append(
            column if transform == "identity" else f"{transform}({column})"
        )
    return found


def _label(names: Iterable[str], values: Iterable[object]) -> str:
    """A partition in words.

    Example:
        >>> _label(["region", "year(day)"], ["north", None])
        'region = north, year(day) = NULL'
    """
    return ", ".join(
        f"{name} = {'NULL' if value is None else value}"
        for name, value in zip(names, values, strict=False)
    )


def _partition(row: Row, label: str) -> Partition:
    """A partition, and what a merge would make of its small files.

    Example:
        >>> row = {"files": 9, "size": 900, "records": 90, "target": 500}
        >>> merge = {"small_files": 8, "small_size": 600}
        >>> whole = {"below_target": 9, "below_target_size": 640, "with_deletes": 1}
        >>> each = _partition({**row, **merge, **whole}, "")
        >>> each.small_files, each.merged_files
        (8, 2)
        >>> each.below_target, each.compacted_files, each.with_deletes
        (9, 2, 1)
    """
    small, target = int(row["small_files"]), max(1, int(row["target"]))
    merged = max(1, -(-int(row["small_size"]) // target))
    gains = merged < small
    below = int(row["below_target"])
    compacted = max(1, -(-int(row["below_target_size"]) // target))
    compacts = compacted < below
    return Partition(
        label,
        int(row["files"]),
        int(row["size"] or 0),
        int(row["records"] or 0),
        small if gains else 0,
        merged if gains else 0,
        below_target=below,
        compacted_files=compacted if compacts else below,
        with_deletes=int(row["with_deletes"]) if compacts else 0,
    )
