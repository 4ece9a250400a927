"""Data files as Parquet has them: their rows with all bits, and the bytes of their chunks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from support.catalogdb import read_catalog
from support.lakes import Lake
from support.peer import connect

_BITS = {pa.float32(): pa.uint32(), pa.float64(): pa.uint64()}


def live_files(lake: Lake, table: str) -> list[Path]:
    """The data files of a table at the newest snapshot, in the order of their ids."""
    catalog = read_catalog(lake)
    (id,) = {row["table_id"] for row in catalog.rows("table") if row["table_name"] == table}
    rows = [
        row
        for row in catalog.rows("data_file")
        if row["table_id"] == id and row["end_snapshot"] is None
    ]
    return [
        next(lake.data_path.rglob(row["path"].rpartition("/")[2]))
        for row in sorted(rows, key=lambda row: row["data_file_id"])
    ]


def stored(files: list[Path]) -> list[str]:
    """The rows as they are stored, without the columns that a lake adds.

    DuckDB gives their texts, which have every digit, and floating numbers are their bits beside.
    """
    rows: list[str] = []
    with connect() as duckdb:
        for file in files:
            texts = duckdb.execute(
                "SELECT COLUMNS(c -> c[1] <> '_')::VARCHAR FROM read_parquet(?)",
                [str(file)],
            ).fetchall()
            table = pq.read_table(file)
            bits = [_bits(column) for column in table.columns if column.type in _BITS]
            rows += [f"{text} {bit}" for text, *bit in zip(texts, *bits, strict=True)]
    return sorted(rows)


def _bits(column: pa.ChunkedArray) -> list[int | None]:
    """The bits of floating numbers."""
    kind = _BITS[column.type]
    bits: list[int | None] = []
    for chunk in column.chunks:
        bits += chunk.view(kind).to_pylist()
    return bits


def chunks(files: list[Path], column: str) -> Counter[bytes]:
    """The bytes of each chunk of a column."""
    found: Counter[bytes] = Counter()
    for file in files:
        content = file.read_bytes()
        metadata = pq.read_metadata(file)
        for group in range(metadata.num_row_groups):
            row_group = metadata.row_group(group)
            for at in range(row_group.num_columns):
                chunk = row_group.column(at)
                if chunk.path_in_schema == column:
                    start = chunk.dictionary_page_offset or chunk.data_page_offset
                    found[content[start : start + chunk.total_compressed_size]] += 1
    return found
