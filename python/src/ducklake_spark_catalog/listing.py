"""Where each kind of catalog database lists its tables and their columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Listing:
    """Two sources for FROM.

    Attributes:
        tables: each with table_schema and table_name.
        columns: each with column_name too.
        others: what can be read like a table and is none, each with table_schema and table_name.
    """

    tables: str
    columns: str
    others: str


OF_SQLITE = Listing(
    "(SELECT 'main' AS table_schema, name AS table_name FROM sqlite_master WHERE type = 'table')",
    """(SELECT 'main' AS table_schema, t.name AS table_name, c.name AS column_name
        FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table')""",
    """(SELECT 'main' AS table_schema, name AS table_name FROM sqlite_master
        WHERE type = 'view' OR type = 'table' AND rootpage = 0)""",
)

OF_DUCKDB = Listing(
    "information_schema.tables",
    "information_schema.columns",
    """(SELECT schema_name AS table_schema, view_name AS table_name FROM duckdb_views()
        WHERE NOT internal)""",
)

# The information_schema of PostgreSQL hides tables that the user may not read. With them missing,
# deletes would be counted as none; with them listed, a query of them fails.
_OF_SCHEMAS = """pg_catalog.pg_class AS t
    JOIN pg_catalog.pg_namespace AS s ON s.oid = t.relnamespace AND t.relkind IN ('r', 'p', 'v')"""

OF_POSTGRES = Listing(
    f"(SELECT s.nspname AS table_schema, t.relname AS table_name FROM {_OF_SCHEMAS}) AS t",
    f"""(SELECT s.nspname AS table_schema, t.relname AS table_name, c.attname AS column_name
        FROM {_OF_SCHEMAS} JOIN pg_catalog.pg_attribute AS c ON c.attrelid = t.oid
        WHERE c.attnum > 0 AND NOT c.attisdropped) AS c""",
    """(SELECT s.nspname AS table_schema, t.relname AS table_name FROM pg_catalog.pg_class AS t
        JOIN pg_catalog.pg_namespace AS s
          ON s.oid = t.relnamespace AND t.relkind IN ('v', 'm', 'f')) AS t""",
)
