"""A table of Delta by hand: a Parquet file, and the log that names it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def write_table(folder: Path, ids: list[int]) -> None:
    """Makes a table with the only column `id` and one data file."""
    (folder / "_delta_log").mkdir(parents=True)
    file = folder / "a.parquet"
    pq.write_table(pa.table({"id": pa.array(ids, pa.int64())}), file)
    field = {"name": "id", "type": "long", "nullable": True, "metadata": {}}
    metadata = {
        "id": "00000000-0000-0000-0000-000000000001",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": [field]}),
        "partitionColumns": [],
        "configuration": {},
    }
    added = {
        "path": file.name,
        "partitionValues": {},
        "size": file.stat().st_size,
        "modificationTime": 0,
        "dataChange": True,
    }
    actions = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": metadata},
        {"add": added},
    ]
    log = folder / "_delta_log" / f"{0:020}.json"
    log.write_text("\n".join(map(json.dumps, actions)))
