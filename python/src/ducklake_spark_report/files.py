"""Asks a catalog database for the data files of tables, and for the deletes in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ducklake_spark_catalog.database import Row
from ducklake_spark_report.asking import TABLES_AT_ONCE, VISIBLE, Asking
from ducklake_spark_report.options import Limits

MOST_KEYS = 4
"""Partitions are distinguished by no more of their keys."""

_NO_INLINED = "SELECT 0 AS file_id, 0 AS found WHERE 1 = 0"


def files(asking: Asking, limits: Mapping[int, Limits]) -> Mapping[int, list[Row]]:
    """The files of each table that has some, by its id: a row for each partition.

    Args:
        asking: the snapshot.
        limits: what the options say about each table.
    """
    keys, found = _keys(asking), defaultdict(list)
    with_inlined = _with_inlined_deletes(asking, limits)
    others = [number for number in limits if number not in set(with_inlined)]
    rows = _groups(asking, keys, {each: limits[each] for each in others}, _NO_INLINED)
    for start in range(0, len(with_inlined), TABLES_AT_ONCE):
        some = with_inlined[start : start + TABLES_AT_ONCE]
        rows += _groups(asking, keys, {each: limits[each] for each in some}, _inlined(some))
    for row in rows:
        found[int(row["table_id"])].append(row)
    return found


def _groups(
    asking: Asking, keys: Iterable[int], limits: Mapping[int, Limits], inlined: str
) -> list[Row]:
    """Files by table, partition spec and values, with those that a merge or a rewrite may take.

    Source: decisions 14 and 15. A file that had deletes once is merged only when they are
    applied first; a file is rewritten for all its deletes, also those that the catalog keeps.
    """
    if not limits:
        return []
    values = "".join(f"p{key}.partition_value AS v{key}, " for key in keys)
    joins = " ".join(
        f"""LEFT JOIN {{file_partition_value}} AS p{key}
            ON p{key}.data_file_id = d.data_file_id AND p{key}.partition_key_index = {key}"""
        for key in keys
    )
    by = ["d.table_id", "d.partition_id", *(f"p{key}.partition_value" for key in keys)]
    size, gone = "d.file_size_bytes", "d.in_delete_files + d.inlined"
    below = f"{size} < o.target_size"
    small = f"d.is_whole = 1 AND {below}"
    many = f"{gone} > 0 AND {gone} >= d.record_count * o.deleted_share"
    lost = f"CAST({size} AS DOUBLE PRECISION) * ({gone}) / NULLIF(d.record_count, 0)"
    return asking.rows(
        f"""SELECT d.table_id, d.partition_id, {values} MAX(o.target_size) AS target,
              COUNT(*) AS files, SUM({size}) AS size, SUM(d.record_count) AS records,
              SUM(CASE WHEN {small} THEN 1 ELSE 0 END) AS small_files,
              SUM(CASE WHEN {small} THEN {size} ELSE 0 END) AS small_size,
              SUM(CASE WHEN {below} THEN 1 ELSE 0 END) AS below_target,
              SUM(CASE WHEN {below} THEN {size} - COALESCE({lost}, {size}) ELSE 0 END)
                AS below_target_size,
              SUM(CASE WHEN {below} AND d.is_whole = 0 THEN 1 ELSE 0 END) AS with_deletes,
              SUM(d.in_delete_files) AS deleted, SUM(d.inlined) AS inlined_deletes,
              SUM(CASE WHEN {many} THEN 1 ELSE 0 END) AS rewrite_files,
              SUM(CASE WHEN {many} THEN {lost} ELSE 0 END) AS rewrite_size
            FROM ({_deleted(inlined)}) AS d
            JOIN ({_listed(limits)}) AS o ON o.table_id = d.table_id
            {joins}
            GROUP BY {", ".join(by)}"""
    )


def _deleted(inlined: str) -> str:
    """The data files, each with the number of its deleted rows; whether it never had any."""
    return f"""SELECT f.data_file_id, f.table_id, f.partition_id, f.file_size_bytes, f.record_count,
          COALESCE(e.found, 0) AS in_delete_files, COALESCE(i.found, 0) AS inlined,
          CASE WHEN e.data_file_id IS NULL AND i.file_id IS NULL THEN 1 ELSE 0 END AS is_whole
        FROM (SELECT * FROM {{data_file}} WHERE {VISIBLE}) AS f
        LEFT JOIN (SELECT data_file_id,
                     SUM(CASE WHEN {VISIBLE} THEN delete_count ELSE 0 END) AS found
                   FROM {{delete_file}} GROUP BY data_file_id) AS e
          ON e.data_file_id = f.data_file_id
        LEFT JOIN ({inlined}) AS i ON i.file_id = f.data_file_id"""


def _listed(limits: Mapping[int, Limits]) -> str:
    rows = ", ".join(
        f"({number}, {each.target_size}, {each.deleted_share!r})" for number, each in limits.items()
    )
    columns = "table_id, target_size, deleted_share"
    return f"WITH listed ({columns}) AS (VALUES {rows}) SELECT {columns} FROM listed"


def _with_inlined_deletes(asking: Asking, limits: Mapping[int, Limits]) -> list[int]:
    """The tables of which the catalog keeps deletes of rows in files, or has kept some."""
    names = [name.rpartition("_") for name in asking.catalog.database.names()]
    numbers = {int(end) for start, _, end in names if start == "inlined_delete" and end.isdigit()}
    return sorted(numbers & limits.keys())


def _inlined(tables: Sequence[int]) -> str:
    """How many deletes the catalog keeps of each file of these tables."""
    return " UNION ALL ".join(
        f"SELECT file_id, COUNT(*) AS found FROM {{inlined_delete_{number}}} "
        "WHERE begin_snapshot <= ? GROUP BY file_id"
        for number in tables
    )


def _keys(asking: Asking) -> range:
    """The places of partition keys that files have values for."""
    (row,) = asking.rows("SELECT MAX(partition_key_index) AS last FROM {file_partition_value}")
    return range(0 if row["last"] is None else min(int(row["last"]) + 1, MOST_KEYS))
