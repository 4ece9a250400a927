"""The types of DuckLake, and the tests that read and write values of each."""

from __future__ import annotations

from matrix.evidence import Cell, no, partly, yes

READ = yes("interop/fixtures::spark_reads_what_duckdb_recorded")
WRITTEN = yes("e2e/write_types::duckdb_reads_equal_values")

WRITTEN_AS = {
    "boolean": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "int128": "HUGEINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "uint128": "UHUGEINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "decimal(18,3)": "DECIMAL(18, 6)",
    "varchar": "VARCHAR",
    "blob": "BLOB",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamp_s": "TIMESTAMP_S",
    "timestamp_ms": "TIMESTAMP_MS",
    "timestamp_ns": "TIMESTAMP_NS",
    "timestamptz": "TIMESTAMPTZ",
    "time": "TIME",
    "timetz": "TIMETZ",
    "interval": "INTERVAL",
    "uuid": "UUID",
    "json": "JSON",
    "list, struct, map": "MAP(VARCHAR, UTINYINT[])",
}
"""The type of DuckDB under which the test of written values has each of these types."""

TYPES: dict[str, tuple[Cell, Cell]] = {
    **{name: (READ, WRITTEN) for name in WRITTEN_AS},
    "timestamptz_ns": (
        yes("e2e/files_of_duckdb_2::new_types_are_read_and_never_spoiled"),
        partly(
            "rows, but no new table",
            "e2e/files_of_duckdb_2::new_types_are_read_and_never_spoiled",
        ),
    ),
    "null": (
        yes("e2e/files_of_duckdb_2::new_types_are_read_and_never_spoiled"),
        yes("e2e/files_of_duckdb_2::new_types_are_read_and_never_spoiled"),
    ),
    "time_ns": (
        yes("e2e/write_types::times_in_nanoseconds_are_read_and_not_written"),
        no("e2e/write_types::times_in_nanoseconds_are_read_and_not_written"),
    ),
    "variant": (
        yes("interop/fixtures::spark_reads_what_duckdb_recorded"),
        yes("e2e/write_types::variants"),
    ),
    "geometry": (
        yes("e2e/geometries::registered_geometries_are_those_of_duckdb"),
        yes("e2e/geometries::written_geometries_are_those_of_duckdb"),
    ),
}
"""Every type of `jvm/docs/types.md`: whether Spark reads it, and writes it."""
