"""Asks a catalog database for the tables of a lake: files, deletes, rows that it keeps itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ducklake_spark_cli import schemas
from ducklake_spark_cli.database import Row
from ducklake_spark_report.asking import PREFIXED_VISIBLE, VISIBLE, Asking
from ducklake_spark_report.facts import Table
from ducklake_spark_report.partitions import partitions

_THRESHOLD = "0.95"
_TABLES_AT_ONCE = 100


def tables(asking: Asking) -> tuple[Table, ...]:
    """Every table of the snapshot; the largest first."""
    groups, deletes = partitions(asking), _deletes(asking)
    inlined, removed = _inlined_rows(asking), _inlined_deletes(asking)
    paths = asking.catalog.paths(asking.snapshot)
    untouched = _without_compaction(asking)
    found = []
    for row in _named(asking):
        number = int(row["table_id"])
        parts = groups.get(number, [])
        gone = deletes.get(number, {"deleted": 0, "rewrite_files": 0, "rewrite_size": 0})
        table = Table(
            schema=schemas.text(paths[row["schema_id"]]),
            name=str(row["table_name"]),
            rows=sum(each.rows for each in parts)
            - int(gone["deleted"])
            - removed.get(number, 0)
            + inlined.get(number, 0),
            files=sum(each.files for each in parts),
            size=sum(each.size for each in parts),
            deleted_rows=int(gone["deleted"]),
            rewrite_files=int(gone["rewrite_files"]),
            rewrite_size=int(gone["rewrite_size"] or 0),
            inlined_rows=inlined.get(number, 0),
            inlined_deletes=removed.get(number, 0),
            partitions=tuple(parts),
            is_compacted=number not in untouched,
        )
        found.append(table)
    return tuple(sorted(found, key=lambda each: each.size, reverse=True))


def _named(asking: Asking) -> list[Row]:
    return asking.rows(
        f"""SELECT table_id, schema_id, table_name FROM {{table}} WHERE {VISIBLE}
            ORDER BY schema_id, table_name"""
    )


def _deletes(asking: Asking) -> dict[int, Row]:
    """The deletes of each table that has delete files, and the files that have many of them."""
    threshold = asking.option("rewrite_delete_threshold", "DOUBLE PRECISION", _THRESHOLD)
    many = "e.delete_count >= d.record_count * o.option_value"
    lost = "d.file_size_bytes * e.delete_count / NULLIF(d.record_count, 0)"
    rows = asking.rows(
        f"""SELECT d.table_id, SUM(e.delete_count) AS deleted,
              SUM(CASE WHEN {many} THEN 1 ELSE 0 END) AS rewrite_files,
              SUM(CASE WHEN {many} THEN {lost} ELSE 0 END) AS rewrite_size
            FROM (SELECT * FROM {{data_file}} WHERE {VISIBLE}) AS d
            JOIN (SELECT data_file_id, delete_count FROM {{delete_file}} WHERE {VISIBLE}) AS e
              ON e.data_file_id = d.data_file_id
            JOIN ({threshold}) AS o ON o.table_id = d.table_id
            GROUP BY d.table_id"""
    )
    return {int(row["table_id"]): row for row in rows}


def _inlined_rows(asking: Asking) -> dict[int, int]:
    """How many rows of each table are kept in the catalog."""
    if "inlined_data_tables" not in asking.catalog.database.names():
        return {}
    registered = asking.rows("SELECT table_id, schema_version FROM {inlined_data_tables}")
    numbers = [(int(row["table_id"]), int(row["schema_version"])) for row in registered]
    prefixed = _with_prefix(asking)
    return _counted(
        asking,
        [
            f"SELECT {number} AS table_id, COUNT(*) AS found FROM {{{name}}} "
            f"WHERE {PREFIXED_VISIBLE if name in prefixed else VISIBLE}"
            for number, version in numbers
            for name in (f"inlined_data_{number}_{version}",)
        ],
    )


def _with_prefix(asking: Asking) -> set[str]:
    """The inlined tables of the form of 1.1, which development versions before it have in part."""
    if not asking.catalog.version.startswith("1.1"):
        return set()
    return asking.catalog.database.names_with("_ducklake_begin_snapshot")


def _inlined_deletes(asking: Asking) -> dict[int, int]:
    """How many deletes of rows in files are kept in the catalog, by table."""
    names = [name.rpartition("_") for name in asking.catalog.database.names()]
    numbers = sorted(int(end) for start, _, end in names if start == "inlined_delete")
    return _counted(
        asking,
        [
            f"SELECT {number} AS table_id, COUNT(*) AS found FROM {{inlined_delete_{number}}} AS i "
            "JOIN {data_file} AS d ON d.data_file_id = i.file_id "
            "WHERE i.begin_snapshot <= ? AND (d.end_snapshot IS NULL OR d.end_snapshot > ?)"
            for number in numbers
        ],
    )


def _counted(asking: Asking, queries: Sequence[str]) -> dict[int, int]:
    """Counts by table; one query for many tables."""
    found: defaultdict[int, int] = defaultdict(int)
    for start in range(0, len(queries), _TABLES_AT_ONCE):
        for row in asking.rows(" UNION ALL ".join(queries[start : start + _TABLES_AT_ONCE])):
            found[int(row["table_id"])] += int(row["found"])
    return found


def _without_compaction(asking: Asking) -> set[int]:
    """The tables that the option `auto_compact` keeps out of upkeep."""
    rows = asking.rows(asking.option("auto_compact", "VARCHAR", "'true'"))
    return {int(row["table_id"]) for row in rows if row["option_value"] == "false"}
