"""Asks a catalog database for the files of each partition of each table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ducklake_spark_cli.database import Row
from ducklake_spark_report.asking import VISIBLE, Asking
from ducklake_spark_report.facts import Partition

MOST_KEYS = 4
"""Partitions are told apart by no more of their keys."""

_TARGET = "536870912"


def partitions(asking: Asking) -> Mapping[int, list[Partition]]:
    """The partitions of each table that has files, by the table's id."""
    names = _key_names(asking)
    found: defaultdict[int, list[Partition]] = defaultdict(list)
    for row in _groups(asking):
        values = [row[f"v{key}"] for key in range(MOST_KEYS) if f"v{key}" in row]
        label = _label(names.get(row["partition_id"], []), values)
        found[int(row["table_id"])].append(_partition(row, label))
    return found


def _groups(asking: Asking) -> list[Row]:
    """Files by table, partition spec and values, and those that a merge may take.

    Source: decision 0033; a file that had deletes once is never merged.
    """
    keys = _keys(asking)
    values = "".join(f"p{key}.partition_value AS v{key}, " for key in keys)
    joins = " ".join(
        f"""LEFT JOIN {{file_partition_value}} AS p{key}
            ON p{key}.data_file_id = d.data_file_id AND p{key}.partition_key_index = {key}"""
        for key in keys
    )
    size, small = "d.file_size_bytes", "d.file_size_bytes < o.option_value AND e.known IS NULL"
    by = ["d.table_id", "d.partition_id", *(f"p{key}.partition_value" for key in keys)]
    return asking.rows(
        f"""SELECT d.table_id, d.partition_id, {values} MAX(o.option_value) AS target,
              COUNT(*) AS files, SUM({size}) AS size, SUM(d.record_count) AS records,
              SUM(CASE WHEN {small} THEN 1 ELSE 0 END) AS small_files,
              SUM(CASE WHEN {small} THEN {size} ELSE 0 END) AS small_size
            FROM (SELECT * FROM {{data_file}} WHERE {VISIBLE}) AS d
            JOIN ({asking.option("target_file_size", "BIGINT", _TARGET)}) AS o
              ON o.table_id = d.table_id
            LEFT JOIN (SELECT data_file_id AS known FROM {{delete_file}} GROUP BY data_file_id)
              AS e ON e.known = d.data_file_id
            {joins}
            GROUP BY {", ".join(by)}"""
    )


def _keys(asking: Asking) -> range:
    """The places of partition keys that files have values for."""
    (row,) = asking.rows("SELECT MAX(partition_key_index) AS last FROM {file_partition_value}")
    return range(0 if row["last"] is None else min(int(row["last"]) + 1, MOST_KEYS))


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
        >>> each = _partition({**row, "small_files": 8, "small_size": 600}, "")
        >>> each.small_files, each.merged_files
        (8, 2)
    """
    small, target = int(row["small_files"]), int(row["target"])
    merged = max(1, -(-int(row["small_size"]) // target))
    gains = merged < small
    return Partition(
        label,
        int(row["files"]),
        int(row["size"]),
        int(row["records"]),
        small if gains else 0,
        merged if gains else 0,
    )
