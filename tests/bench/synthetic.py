"""Makes a lake whose one table has many registered files, without writing any of the files.

DuckDB makes the lake and the table, so that its metadata is what DuckDB expects; the rows of the
data files and of their statistics are then generated with SQL in the catalog database itself.

Usage, in the folder `tests`:
    python -m bench.synthetic sqlite <catalog file> <files>
    python -m bench.synthetic postgres "<libpq connection string>" <files>
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from support.peer import connect

ROWS_PER_FILE = 1000
COLUMNS = 16

POSTGRES_DATA = Path(tempfile.gettempdir()) / "synthetic"
"""The data path of each lake in PostgreSQL."""

_CREATE = """
CREATE TABLE lake.points (
    id BIGINT, c01 BIGINT, c02 BIGINT, c03 BIGINT, c04 INTEGER, c05 INTEGER, c06 DOUBLE, c07 DOUBLE,
    c08 VARCHAR, c09 VARCHAR, c10 VARCHAR, c11 DATE, c12 DATE, c13 TIMESTAMP, c14 DECIMAL(12, 2),
    c15 BOOLEAN
)
"""

# Smallest and largest text of each column in file n; `id` is clustered, the others repeat.
_BOUNDS = [
    (1, "n * 1000", "n * 1000 + 999"),
    (2, "n % 977", "n % 977 + 5000"),
    (3, "n", "n + 1"),
    (4, "-n", "n"),
    (5, "n % 31", "n % 31 + 100"),
    (6, "0", "1000"),
    (7, "'0.5'", "'1000.5'"),
    (8, "'-1.0'", "'1.0'"),
    (9, "'alpha ' || n % 100", "'omega ' || n % 100"),
    (10, "'k' || n", "'k' || n || 'z'"),
    (11, "'a'", "'z'"),
    (12, "'2024-01-01'", "'2024-12-31'"),
    (13, "'1999-01-01'", "'2030-12-31'"),
    (14, "'2024-01-01 00:00:00'", "'2024-12-31 23:59:59.5'"),
    (15, "'0.00'", "'99999.99'"),
    (16, "'0'", "'1'"),
]


Execute = Callable[[str], object]
"""Runs SQL on the catalog, `{numbers}` standing for a table of file numbers."""

Fill = Callable[[int, Execute], None]
"""Adds rows for so many files."""


def file_name(number: int) -> str:
    """The name of a data file."""
    return f"ducklake-00000000-0000-7000-8000-{number}.parquet"


Bounds = Sequence[tuple[int, str, str]]
"""Columns with the SQL of the least and the greatest value in file n."""


def generate(files: int, execute: Execute, bounds_of: Bounds = tuple(_BOUNDS)) -> None:
    """Adds the rows of the files to the one table of an attached lake."""
    table = "(SELECT MAX(table_id) FROM ducklake_table WHERE table_name = 'points')"
    head = "(SELECT MAX(snapshot_id) FROM ducklake_snapshot)"
    execute(f"""
        INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, path,
            path_is_relative, file_format, record_count, file_size_bytes, footer_size, row_id_start)
        SELECT n, {table}, {head}, 'ducklake-00000000-0000-7000-8000-' || n || '.parquet',
            {{true}}, 'parquet', {ROWS_PER_FILE}, 65536, 1200, n * {ROWS_PER_FILE}
        FROM {{numbers}}""")
    bounds = " UNION ALL ".join(
        f"SELECT n, {column} AS c, CAST({low} AS VARCHAR) AS low, CAST({high} AS VARCHAR) AS high "
        "FROM {numbers}"
        for column, low, high in bounds_of
    )
    execute(f"""
        INSERT INTO ducklake_file_column_stats (data_file_id, table_id, column_id,
            column_size_bytes, value_count, null_count, min_value, max_value, contains_nan)
        SELECT n, {table}, c, 4096, {ROWS_PER_FILE}, 0, low, high,
            CASE WHEN c IN (7, 8) THEN {{false}} END
        FROM ({bounds}) AS bounds ORDER BY n, c""")
    execute(f"UPDATE ducklake_snapshot SET next_file_id = {files} WHERE snapshot_id = {head}")
    execute(
        f"INSERT INTO ducklake_table_stats SELECT {table}, {files * ROWS_PER_FILE}, "
        f"{files * ROWS_PER_FILE}, {files * 65536}"
    )


def add_partitions(keys: int, execute: Execute) -> None:
    """Partitions the table by its column `c04`; file n has the value n modulo `keys`."""
    table = "(SELECT MAX(table_id) FROM ducklake_table WHERE table_name = 'points')"
    head = "(SELECT MAX(snapshot_id) FROM ducklake_snapshot)"
    execute(f"INSERT INTO ducklake_partition_info VALUES (1000, {table}, {head}, NULL)")
    execute(
        "INSERT INTO ducklake_partition_column (partition_id, table_id, partition_key_index, "
        f"column_id, transform) VALUES (1000, {table}, 0, 5, 'identity')"
    )
    execute(f"""
        INSERT INTO ducklake_file_partition_value (data_file_id, table_id, partition_key_index,
            partition_value)
        SELECT n, {table}, 0, CAST(n % {keys} AS VARCHAR) FROM {{numbers}}""")
    execute("UPDATE ducklake_data_file SET partition_id = 1000")


def add_statistics(execute: Execute) -> None:
    """Adds statistics of tables, by the text of those of their files; none may be there."""
    execute("""
        INSERT INTO ducklake_table_column_stats (table_id, column_id, contains_null, contains_nan,
            min_value, max_value)
        SELECT table_id, column_id, {false}, NULL, MIN(min_value), MAX(max_value)
        FROM ducklake_file_column_stats GROUP BY table_id, column_id""")


def add_history(files: int, execute: Execute) -> None:
    """Adds as many snapshots as files, each recorded as an append."""
    head = "(SELECT MAX(snapshot_id) FROM ducklake_snapshot)"
    execute(f"""
        INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made)
        SELECT {head} + 1 + n, 'inserted_into_table:1' FROM {{numbers}}""")
    execute(f"""
        INSERT INTO ducklake_snapshot (snapshot_id, snapshot_time, schema_version,
            next_catalog_id, next_file_id)
        SELECT {head} + 1 + n, snapshot_time, schema_version, next_catalog_id, next_file_id
        FROM ducklake_snapshot, {{numbers}} WHERE snapshot_id = {head}""")


def generate_snapshots(files: int, execute: Execute) -> None:
    """As `generate`, but each file is of a snapshot of its own."""
    generate(files, execute)
    add_history(files, execute)
    first = f"(SELECT MAX(snapshot_id) FROM ducklake_snapshot) - {files - 1}"
    execute(f"UPDATE ducklake_data_file SET begin_snapshot = {first} + data_file_id")


def make_sqlite(path: Path, files: int, fill: Fill = generate) -> None:
    """A lake in a SQLite file."""
    _attach_and_create(f"ducklake:sqlite:{path}", f"{path}.files/")
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        numbers = (
            "(WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t "
            f"WHERE n < {files - 1}) SELECT n FROM t)"
        )
        fill(files, lambda sql: connection.execute(_fill(sql, numbers, "1", "0")))


def make_postgres(connection: str, files: int, fill: Fill = generate) -> None:
    """A lake in the `public` schema of an empty PostgreSQL database."""
    _attach_and_create(f"ducklake:postgres:{connection}", f"{POSTGRES_DATA}/")
    database = connect()
    database.execute(f"ATTACH '{connection}' AS pg (TYPE postgres)")
    numbers = f"generate_series(CAST(0 AS BIGINT), {files - 1}) AS t(n)"

    def execute(sql: str) -> None:
        text = _fill(sql, numbers, "true", "false").replace("'", "''")
        database.execute(f"CALL postgres_execute('pg', '{text}')")

    fill(files, execute)
    execute("ANALYZE")


def _fill(sql: str, numbers: str, true: str, false: str) -> str:
    return sql.replace("{numbers}", numbers).replace("{true}", true).replace("{false}", false)


def _attach_and_create(uri: str, data_path: str) -> None:
    database = connect()
    database.execute(f"ATTACH '{uri}' AS lake (DATA_PATH '{data_path}', DATA_INLINING_ROW_LIMIT 0)")
    database.execute(_CREATE)
    database.close()


def main(arguments: list[str]) -> None:
    """Entry point."""
    kind, address, files = arguments
    if kind == "sqlite":
        make_sqlite(Path(address), int(files))
    else:
        make_postgres(address, int(files))


if __name__ == "__main__":
    main(sys.argv[1:])
