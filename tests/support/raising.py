"""Lakes of version 1.0 brought to 1.1 in plain SQL, and back.

Written from the description of the format, not from the connector, so that it judges the
connector's own migration. The lakes are derived: DuckDB 1.5 wrote them, and no DuckDB 2.0 has
touched them.
"""

from __future__ import annotations

from support.catalogdb import execute, read_catalog
from support.lakes import Lake
from support.peer import identifier, literal

_OWN_COLUMNS = ("row_id", "begin_snapshot", "end_snapshot")
_FLAGS = ("min_is_exact", "max_is_exact")
_VIEW_COLUMN_TAGS = "ducklake_view_column_tag"
_ADDED = (
    ("ducklake_schema", "parent_schema_id"),
    ("ducklake_data_file", "row_group_count"),
    *(("ducklake_file_column_stats", flag) for flag in _FLAGS),
    ("ducklake_delete_file", "row_group_count"),
    *(("ducklake_table_column_stats", flag) for flag in _FLAGS),
)


def raise_to_11(lake: Lake) -> None:
    """Make it a lake of 1.1: new columns and table, renamed columns, missing schema versions."""
    flag = "BIGINT" if lake.kind == "sqlite" else "BOOLEAN"
    added = [
        f"ALTER TABLE {table} ADD COLUMN {column} {flag if column in _FLAGS else 'BIGINT'}"
        for table, column in _ADDED
    ]
    tags = (
        f"CREATE TABLE {_VIEW_COLUMN_TAGS} (view_id BIGINT, column_name VARCHAR, "
        'begin_snapshot BIGINT, end_snapshot BIGINT, "key" VARCHAR, "value" VARCHAR)'
    )
    versions = [
        f"INSERT INTO ducklake_schema_versions VALUES ({begin}, {version}, {table})"
        for begin, version, table in _missing_schema_versions(lake)
    ]
    execute(lake, *_renames(lake, "", "_ducklake_"), *added, tags, *versions, _version("1.1"))


def lower_to_10(lake: Lake) -> None:
    """Make it a lake of 1.0 again, so that DuckDB 1.5 reads what was written to it as 1.1."""
    dropped = [f"ALTER TABLE {table} DROP COLUMN {column}" for table, column in _ADDED]
    execute(
        lake,
        *_renames(lake, "_ducklake_", ""),
        *dropped,
        f"DROP TABLE {_VIEW_COLUMN_TAGS}",
        _version("1.0"),
    )


def convert_inlined(lake: Lake) -> None:
    """Give the inlined tables of a lake in PostgreSQL the types of today, as DuckDB 2.0 does."""
    catalog = read_catalog(lake)
    texts = {
        (row["table_id"], row["column_name"])
        for row in catalog.rows("column")
        if row["column_type"] in ("varchar", "json") and row["parent_column"] is None
    }
    statements = []
    for entry in catalog.rows("inlined_data_tables"):
        table = entry["table_name"]
        for column, kind in catalog.tables[table].types.items():
            name = identifier(column)
            to = f"ALTER TABLE {table} ALTER COLUMN {name} TYPE"
            if kind == "character varying" and (entry["table_id"], column) in texts:
                statements.append(f"{to} bytea USING convert_to({name}, 'UTF8')")
            elif kind == "date" or kind.startswith("timestamp"):
                statements.append(f"{to} varchar USING CAST({name} AS text)")
    execute(lake, *statements)


def _version(text: str) -> str:
    return f"UPDATE ducklake_metadata SET value = {literal(text)} WHERE key = 'version'"


def _renames(lake: Lake, before: str, after: str) -> list[str]:
    tables = [row["table_name"] for row in read_catalog(lake).rows("inlined_data_tables")]
    return [
        f"ALTER TABLE {identifier(table)} RENAME COLUMN {before}{column} TO {after}{column}"
        for table in tables
        for column in _OWN_COLUMNS
    ]


def _missing_schema_versions(lake: Lake) -> list[tuple[int, int, int]]:
    """First snapshot, schema version and table of inlined tables whose version is not listed."""
    catalog = read_catalog(lake)
    known = {(r["table_id"], r["schema_version"]) for r in catalog.rows("schema_versions")}
    found = []
    for row in catalog.rows("inlined_data_tables"):
        table, version = row["table_id"], row["schema_version"]
        begins = [
            snapshot["snapshot_id"]
            for snapshot in catalog.rows("snapshot")
            if snapshot["schema_version"] == version
            and any(
                life["begin_snapshot"] <= snapshot["snapshot_id"]
                and (life["end_snapshot"] or snapshot["snapshot_id"] + 1) > snapshot["snapshot_id"]
                for life in catalog.rows("table")
                if life["table_id"] == table
            )
        ]
        if (table, version) not in known and begins:
            found.append((min(begins), version, table))
    return found
