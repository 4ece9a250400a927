"""Writes the Parquet files in `duckdb-2.0`, and what DuckDB 2.0 reads from them.

Run it in an environment with `duckdb==2.0.0`, from the folder `tests`:

    python -m compat.parquet20

The columns have the field ids that DuckLake gives to the same columns: a column before its parts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
from duckdb.sqltypes import DuckDBPyType

from support.peer import canonical_query, identifier, parts_of

FOLDER = Path(__file__).with_name("duckdb-2.0")

_STAMP = "TIMESTAMP '2024-02-29 12:34:56.789012'"

FILES = {
    "required": f"""
        SELECT i % 2 = 0 AS truth, CAST(i - 1 AS TINYINT) AS int8,
            CAST(i * 300 AS SMALLINT) AS int16,
            CAST(i * 70000 AS INTEGER) AS int32, i * 5000000000 AS int64,
            CAST(i + 250 AS UTINYINT) AS uint8, CAST(i + 65000 AS USMALLINT) AS uint16,
            CAST(i + 4000000000 AS UINTEGER) AS uint32,
            CAST(18446744073709551610 + i AS UBIGINT) AS uint64,
            CAST(i + 0.5 AS FLOAT) AS single, CAST(i / 3 AS DOUBLE) AS double,
            CAST(i + 0.25 AS DECIMAL(4, 2)) AS small, CAST(i + 0.125 AS DECIMAL(18, 3)) AS middle,
            CAST(i + 0.0625 AS DECIMAL(38, 10)) AS large, 'text ' || i AS text,
            CAST('bytes' || i AS BLOB) AS bytes, DATE '2024-02-28' + CAST(i AS INTEGER) AS day,
            TIME '12:34:56.789' + to_seconds(i) AS clock,
            {_STAMP} + to_hours(i) AS stamp,
            CAST({_STAMP} + to_hours(i) AS TIMESTAMP_S) AS stamp_s,
            CAST({_STAMP} + to_hours(i) AS TIMESTAMP_MS) AS stamp_ms,
            make_timestamp_ns(1709210096123456789 + i) AS stamp_ns,
            CAST('550e8400-e29b-41d4-a716-44665544000' || i AS UUID) AS uuid,
            to_months(CAST(i AS INTEGER)) + to_days(2) + to_seconds(3.5) AS span
        FROM range(3) r(i)""",
    "optional": f"""
        SELECT CASE WHEN i <> 1 THEN CAST(i AS INTEGER) END AS number,
            CASE WHEN i <> 1 THEN 'text ' || i END AS text,
            CASE WHEN i <> 1 THEN {_STAMP} + to_hours(i) END AS stamp,
            CASE WHEN i <> 1 THEN [i, NULL, i + 1] END AS list,
            CASE WHEN i <> 1 THEN {{'a': i, 'b': CASE WHEN i = 0 THEN 'x' END}} END AS struct,
            CASE WHEN i <> 1 THEN map(['k' || i, 'l'], [i, NULL]) END AS map
        FROM range(4) r(i)""",
    "nested": """
        SELECT CAST(i AS INTEGER) AS id, [i, i + 1] AS list,
            {'a': i, 'b': 'x' || i, 'c': [i], 'd': {'e': i}} AS struct,
            map(['k' || i], [i]) AS map, [{'a': i}, {'a': i + 1}] AS structs,
            map([i], [[i, i]]) AS lists
        FROM range(3) r(i)""",
    "clocks": """
        SELECT CAST(i AS INTEGER) AS id, CAST('0' || i || ':00:00+02' AS TIMETZ) AS timetz
        FROM range(3) r(i)""",
    "variant": """
        SELECT CAST(i AS INTEGER) AS id,
            CAST({'a': i, 'b': 'x' || i, 'c': [i, 7]} AS VARIANT) AS same,
            CASE i WHEN 0 THEN CAST(5 AS VARIANT) WHEN 1 THEN CAST('five' AS VARIANT)
                WHEN 2 THEN CAST([1, 2] AS VARIANT) WHEN 3 THEN CAST({'k': 1.5} AS VARIANT)
            END AS mixed
        FROM range(5) r(i)""",
    "fine": """
        SELECT CAST(i AS INTEGER) AS id,
            CAST(make_timestamp_ns(1000 * i - 1) AS TIMESTAMPTZ_NS) AS instant, NULL AS nothing
        FROM range(3) r(i)""",
}


def _field_ids(fields: list[tuple[str, DuckDBPyType]], numbers: Iterator[int]) -> str:
    entries = []
    for name, kind in fields:
        own = next(numbers)
        inner = "" if str(kind) == "VARIANT" else _field_ids(parts_of(kind), numbers)
        entries.append(
            f"{identifier(name)}: {{__duckdb_field_id: {own}, {inner[1:-1]}}}"
            if inner not in ("", "{}")
            else f"{identifier(name)}: {own}"
        )
    return "{" + ", ".join(entries) + "}"


def main() -> None:
    """Write all files anew."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    expected = {}
    for name, query in FILES.items():
        relation = connection.sql(query)
        fields = list(zip(relation.columns, relation.types, strict=True))
        ids = _field_ids(fields, iter(range(1, 100)))
        path = FOLDER / f"{name}.parquet"
        source = query if name == "fine" else f"FROM {name}"
        if name != "fine":
            # Columns of a table are known to have no NULL: they become REQUIRED. The type of NULL
            # alone is INTEGER in a table.
            connection.execute(f"CREATE TABLE {name} AS {query}")
        connection.execute(f"COPY ({source}) TO '{path}' (FORMAT parquet, FIELD_IDS {ids})")
        texts = canonical_query(f"SELECT * FROM '{path}'", fields)
        expected[name] = {
            "columns": [[column, str(kind)] for column, kind in fields],
            "rows": [list(row) for row in connection.execute(texts).fetchall()],
        }
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
