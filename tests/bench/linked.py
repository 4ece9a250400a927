"""Lakes with many real data files that take little room: names of one file that DuckDB wrote.

DuckDB writes the first file of a table and its metadata; SQL in the catalog copies these rows, so
that sizes and statistics are true of each file. Row ids go on from file to file.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from support.lakes import Lake, describe
from support.peer import Peer

_MOST_LINKS = 30_000
"""File systems limit the names of a file: ext4 to 65 000."""


def lake(folder: Path, tables: Mapping[str, int], rows: int) -> Lake:
    """A new lake on SQLite; each table has so many files of so many rows (`id`, `name`).

    Args:
        folder: what was there is deleted.
        tables: the number of files by name.
        rows: of a file; their ids begin with 0 in each file.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = describe("sqlite", folder, "", None)  # type: ignore[arg-type]
    written = f"SELECT i, 'name of row ' || i FROM range({rows}) r(i)"
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        for table in tables:
            peer.run(f"CREATE TABLE {table} (id BIGINT, name VARCHAR)")
            peer.run(f"INSERT INTO {table} {written}")
        query = "SELECT data_file FROM ducklake_list_files('lake', ?)"
        first = {table: Path(str(peer.value(query, [table]))) for table in tables}
    with sqlite3.connect(made.database) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for table, files in tables.items():
            _link(first[table], files - 1)
            _register(connection, table, files - 1)
    return made


def size(of: Lake, table: str) -> int:
    """The bytes of each file of a table."""
    return next((of.data_path / "main" / table).glob("*.parquet")).stat().st_size


def _name(number: int) -> str:
    return f"ducklake-00000000-0000-7000-8000-{number:012}.parquet"


def _link(first: Path, more: int) -> None:
    source = first
    for number in range(1, more + 1):
        target = first.parent / _name(number)
        if number % _MOST_LINKS == 0:
            shutil.copyfile(source, target)
            source = target
        else:
            os.link(source, target)


def _register(connection: sqlite3.Connection, table: str, more: int) -> None:
    """Copies the rows of a table's only file for so many more files."""
    ((table_id, file_id, next_id),) = connection.execute(
        "SELECT f.table_id, f.data_file_id, (SELECT MAX(next_file_id) FROM ducklake_snapshot) "
        "FROM ducklake_data_file AS f JOIN ducklake_table AS t USING (table_id) "
        "WHERE t.table_name = ?",
        [table],
    ).fetchall()
    new_id = f"{next_id} + n - 1"
    name = _name(0).replace(f"{0:012}", "' || printf('%012d', n) || '")
    changed = {
        "data_file_id": new_id,
        "path": f"'{name}'",
        "row_id_start": "row_id_start + n * record_count",
    }
    _copy(connection, "ducklake_data_file", changed, file_id, more)
    _copy(connection, "ducklake_file_column_stats", {"data_file_id": new_id}, file_id, more)
    connection.execute(
        "UPDATE ducklake_table_stats SET record_count = record_count * :files, "
        "next_row_id = next_row_id * :files, file_size_bytes = file_size_bytes * :files "
        "WHERE table_id = :table",
        {"files": more + 1, "table": table_id},
    )
    connection.execute(
        "UPDATE ducklake_snapshot SET next_file_id = ? "
        "WHERE snapshot_id = (SELECT MAX(snapshot_id) FROM ducklake_snapshot)",
        [next_id + more],
    )


def _copy(
    connection: sqlite3.Connection, name: str, changed: Mapping[str, str], file_id: int, more: int
) -> None:
    columns = [str(row[1]) for row in connection.execute(f"PRAGMA table_info({name})")]
    values = ", ".join(changed.get(column, column) for column in columns)
    connection.execute(
        f"INSERT INTO {name} WITH RECURSIVE numbers(n) AS "
        "(SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :more) "
        f"SELECT {values} FROM {name}, numbers WHERE data_file_id = :file",
        {"more": more, "file": file_id},
    )
