"""Asks a catalog database for the tables of a lake, and for rows of them that it keeps itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ducklake_spark_catalog import schemas
from ducklake_spark_catalog.database import Row
from ducklake_spark_report.asking import PREFIXED_VISIBLE, TABLES_AT_ONCE, VISIBLE, Asking
from ducklake_spark_report.facts import Table
from ducklake_spark_report.files import files
from ducklake_spark_report.options import Options
from ducklake_spark_report.partitions import partitions

_SUMMED = (
    *("files", "size", "records", "deleted", "inlined_deletes"),
    *("rewrite_files", "rewrite_size"),
)


def tables(asking: Asking, options: Options) -> tuple[Table, ...]:
    """Every table of the snapshot; the largest first."""
    named = _named(asking)
    limits = {
        int(row["table_id"]): options.limits(row["table_id"], row["schema_id"]) for row in named
    }
    of_tables = files(asking, limits)
    parts, inlined = partitions(asking, of_tables), _inlined_rows(asking)
    paths = asking.catalog.paths(asking.snapshot)
    found = []
    for row in named:
        number = int(row["table_id"])
        sums = _sums(of_tables.get(number, []))
        table = Table(
            schema=schemas.text(paths[row["schema_id"]]),
            name=str(row["table_name"]),
            rows=sums["records"]
            - sums["deleted"]
            - sums["inlined_deletes"]
            + inlined.get(number, 0),
            files=sums["files"],
            size=sums["size"],
            deleted_rows=sums["deleted"],
            rewrite_files=sums["rewrite_files"],
            rewrite_size=sums["rewrite_size"],
            inlined_rows=inlined.get(number, 0),
            inlined_deletes=sums["inlined_deletes"],
            partitions=tuple(parts.get(number, [])),
            is_compacted=limits[number].is_compacted,
        )
        found.append(table)
    return tuple(sorted(found, key=lambda each: each.size, reverse=True))


def _sums(partitions: Sequence[Row]) -> dict[str, int]:
    """What the files of all partitions of a table have together."""
    return {name: sum(int(row[name] or 0) for row in partitions) for name in _SUMMED}


def _named(asking: Asking) -> list[Row]:
    return asking.rows(
        f"""SELECT table_id, schema_id, table_name FROM {{table}} WHERE {VISIBLE}
            ORDER BY schema_id, table_name"""
    )


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


def _counted(asking: Asking, queries: Sequence[str]) -> dict[int, int]:
    """Counts by table; one query for many tables."""
    found: defaultdict[int, int] = defaultdict(int)
    for start in range(0, len(queries), TABLES_AT_ONCE):
        for row in asking.rows(" UNION ALL ".join(queries[start : start + TABLES_AT_ONCE])):
            found[int(row["table_id"])] += int(row["found"])
    return found
