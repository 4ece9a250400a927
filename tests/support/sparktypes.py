"""Which Spark type each DuckDB type is read as: the table of the public interface, by hand."""

from __future__ import annotations

from support.typetext import DuckType, Leaf, ListOf, MapOf, StructOf

SPARK_TYPE = {
    "BOOLEAN": "boolean",
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INTEGER": "int",
    "BIGINT": "bigint",
    "HUGEINT": "decimal(38,0)",
    "UTINYINT": "smallint",
    "USMALLINT": "int",
    "UINTEGER": "bigint",
    "UBIGINT": "decimal(20,0)",
    "UHUGEINT": "decimal(38,0)",
    "FLOAT": "float",
    "DOUBLE": "double",
    "VARCHAR": "string",
    "BLOB": "binary",
    "DATE": "date",
    "TIME": "string",
    "TIME_NS": "string",
    "TIME WITH TIME ZONE": "string",
    "TIMESTAMP": "timestamp_ntz",
    "TIMESTAMP_S": "timestamp_ntz",
    "TIMESTAMP_MS": "timestamp_ntz",
    "TIMESTAMP_NS": "timestamp_ntz",
    "TIMESTAMP WITH TIME ZONE": "timestamp",
    "INTERVAL": "string",
    "UUID": "string",
    "JSON": "string",
    "VARIANT": "variant",
    "GEOMETRY": "binary",
}


def spark_type(duck: DuckType) -> str:
    """The Spark type in `simpleString` form."""
    match duck:
        case Leaf(name) if name.startswith("DECIMAL("):
            return name.lower()
        case Leaf(name):
            return SPARK_TYPE[name]
        case ListOf(element):
            return f"array<{spark_type(element)}>"
        case MapOf(key, value):
            return f"map<{spark_type(key)},{spark_type(value)}>"
        case StructOf(fields):
            inner = ",".join(f"{name}:{spark_type(kind)}" for name, kind in fields)
            return f"struct<{inner}>"
