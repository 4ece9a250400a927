"""A table of Delta by hand: a Parquet file, and the log that names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

IDENTITY = "00000000-0000-0000-0000-000000000001"


def write_table(folder: Path, ids: list[int], identity: str = IDENTITY) -> None:
    """Makes a table with the only column `id` and one data file, `a.parquet`."""
    (folder / "_delta_log").mkdir(parents=True)
    field = {"name": "id", "type": "long", "nullable": True, "metadata": {}}
    metadata = {
        "id": identity,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": [field]}),
        "partitionColumns": [],
        "configuration": {},
    }
    protocol = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
    commit(folder, 0, protocol, {"metaData": metadata}, _added(folder, ids, "a.parquet"))


def append(folder: Path, version: int, ids: list[int], path: str = "b.parquet") -> None:
    """Commits a new data file."""
    commit(folder, version, _added(folder, ids, path))


def delete_file(folder: Path, version: int, path: str) -> None:
    """Commits the end of a data file."""
    removed = {"path": path, "deletionTimestamp": 0, "dataChange": True}
    commit(folder, version, {"remove": removed})


def _added(folder: Path, ids: list[int], path: str) -> dict[str, Any]:
    file = folder / path
    pq.write_table(pa.table({"id": pa.array(ids, pa.int64())}), file)
    size = file.stat().st_size
    added = {"path": path, "partitionValues": {}, "size": size, "modificationTime": 0}
    return {"add": {**added, "dataChange": True}}


def commit(folder: Path, version: int, *actions: dict[str, Any]) -> None:
    """Writes a version of the log."""
    log = folder / "_delta_log" / f"{version:020}.json"
    log.write_text("\n".join(map(json.dumps, actions)))
