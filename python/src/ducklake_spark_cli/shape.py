"""What a table looks like, as its catalog database describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ducklake_spark_catalog.database import Database, Row

_VISIBLE = "begin_snapshot <= ? AND (end_snapshot IS NULL OR end_snapshot > ?)"


def columns(database: Database, table: int, snapshot: int) -> list[Row]:
    """The columns of a table at a snapshot, nested ones too, with its partition keys and its order.

    Returns:
        One row per column; a nested column has the names that lead to it, with dots between them.

    Raises:
        ValueError: a column is below itself, or below one that is not there.
    """
    at = (snapshot, snapshot, table)
    rows = database.rows(
        f"""SELECT column_id, column_name, column_type, nulls_allowed, default_value, parent_column
            FROM {{column}} WHERE {_VISIBLE} AND table_id = ? ORDER BY column_order, column_id""",
        *at,
    )
    tags = database.rows(
        f"""SELECT column_id, "value" FROM {{column_tag}}
            WHERE {_VISIBLE} AND table_id = ? AND "key" = 'comment'""",
        *at,
    )
    comments = {row["column_id"]: row["value"] for row in tags}
    keys, order = _keys(database, at), _order(database, at)
    below: dict[int | None, list[Row]] = {}
    for row in rows:
        below.setdefault(row["parent_column"], []).append(row)
    found = [*_in_order(below, None, "", ())]
    if len(found) < len(rows):
        raise ValueError(f"columns of table {table} are below columns that are not there")
    return [
        {
            "column_name": name,
            "column_type": row["column_type"],
            "nulls_allowed": bool(row["nulls_allowed"]),
            "default_value": row["default_value"],
            "comment": comments.get(row["column_id"]),
            "partitioned_by": ", ".join(keys.get(row["column_id"], [])) or None,
            "sorted_by": order.get(row["column_name"]) if row["parent_column"] is None else None,
        }
        for name, row in found
    ]


def _in_order(
    below: Mapping[int | None, list[Row]], parent: int | None, prefix: str, above: tuple[int, ...]
) -> Iterator[tuple[str, Row]]:
    """Each column, then the columns in it.

    Raises:
        ValueError: a column is below itself, or has no id.
    """
    for row in below.get(parent, []):
        name, number = f"{prefix}{row['column_name']}", row["column_id"]
        if number is None or number in above:
            raise ValueError(f"column {name} has column_id {number} as a column above it")
        yield name, row
        yield from _in_order(below, number, f"{name}.", (*above, number))


def _keys(database: Database, at: tuple[int, int, int]) -> dict[int, list[str]]:
    """The place and the transform of the partition keys, by the id of the column."""
    rows = database.rows(
        f"""SELECT c.column_id, c.partition_key_index, c.transform
            FROM (SELECT * FROM {{partition_info}} WHERE {_VISIBLE} AND table_id = ?) AS i
            JOIN {{partition_column}} AS c
              ON c.partition_id = i.partition_id AND c.table_id = i.table_id
            ORDER BY c.partition_key_index""",
        *at,
    )
    found: dict[int, list[str]] = {}
    for row in rows:
        place = int(row["partition_key_index"]) + 1
        found.setdefault(row["column_id"], []).append(f"{place}: {row['transform']}")
    return found


def _order(database: Database, at: tuple[int, int, int]) -> dict[str, str]:
    """The place and the direction of the keys of the sort order, by their text."""
    if "sort_info" not in database.names():
        return {}
    rows = database.rows(
        f"""SELECT e.expression, e.sort_key_index, e.sort_direction, e.null_order
            FROM (SELECT * FROM {{sort_info}} WHERE {_VISIBLE} AND table_id = ?) AS i
            JOIN {{sort_expression}} AS e ON e.sort_id = i.sort_id AND e.table_id = i.table_id
            ORDER BY e.sort_key_index""",
        *at,
    )
    return {
        str(row["expression"]).strip('"'): f"{int(row['sort_key_index']) + 1}: "
        f"{row['sort_direction']} {str(row['null_order']).replace('_', ' ')}"
        for row in rows
    }
