"""What a table is at a snapshot beside its rows, as it lies in the catalog database."""

from __future__ import annotations

from typing import TypeAlias

from support.peer import Peer

Shape: TypeAlias = tuple[str, ...]
"""A line for each row of the catalog database that says what the table is, in one order."""

_PARTS = {
    "table": "(table_id, table_uuid) FROM mine",
    "column": "(column_id, parent_column, column_name, column_type, nulls_allowed, initial_default,"
    " default_value, default_value_type, default_value_dialect)"
    " FROM live_column JOIN mine USING (table_id)",
    "partition": "(partition_id, partition_key_index, column_id, transform)"
    " FROM live_partition_info JOIN mine USING (table_id)"
    " JOIN {m}_partition_column USING (table_id, partition_id)",
    "sort": "(sort_key_index, expression, dialect, sort_direction, null_order)"
    " FROM live_sort_info JOIN mine USING (table_id)"
    " JOIN {m}_sort_expression USING (table_id, sort_id)",
    "tag": "(key, value) FROM live_tag JOIN mine ON object_id = table_id WHERE value IS NOT NULL",
    "column tag": "(column_id, key, value) FROM live_column_tag JOIN mine USING (table_id)"
    " WHERE value IS NOT NULL",
}
"""Values of the catalog database by what they say.

A sort order that comes back has a new `sort_id`, to which nothing else refers; so it is left out.
What says as much as no row is left out too: a tag without a value, which a removed comment leaves
behind, and a partition spec without keys, which RESET PARTITIONED BY makes.
"""

_TABLES = ("schema", "table", "column", "partition_info", "sort_info", "tag", "column_tag")
_LIVE = (
    "live_{t} AS (FROM {{m}}_{t}"
    " WHERE begin_snapshot <= $at AND (end_snapshot IS NULL OR end_snapshot > $at))"
)
_MINE = (
    "mine AS (FROM live_table JOIN live_schema USING (schema_id)"
    " WHERE table_name = $table AND schema_name = $schema)"
)
_QUERY = (
    f"WITH {', '.join(_LIVE.format(t=table) for table in _TABLES)}, {_MINE} "
    + " UNION ALL ".join(
        f"SELECT '{part}: ' || CAST({values.replace(' FROM', ' AS VARCHAR) FROM', 1)}"
        for part, values in _PARTS.items()
    )
    + " ORDER BY ALL"
).format(m="__ducklake_metadata_lake.ducklake")


def shape(peer: Peer, table: str, version: int, schema: str = "main") -> Shape:
    """The shape of a table at a snapshot; empty when there is no such table."""
    known = {"table": table, "schema": schema, "at": version}
    return tuple(line for (line,) in peer.rows(_QUERY, known))


def identity(of: Shape) -> str:
    """The line with the id and the uuid of the table."""
    (line,) = (line for line in of if line.startswith("table: "))
    return line
