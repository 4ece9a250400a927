"""A table of Delta by hand: a Parquet file, and the log that names it."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

IDENTITY = "00000000-0000-0000-0000-000000000001"
Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def write_table(
    folder: Path, ids: list[int], identity: str = IDENTITY, vectors: bool = False
) -> None:
    """Makes a table with the only column `id` and one data file, `a.parquet`.

    Args:
        folder: of the table.
        ids: the rows of the file.
        identity: of the table.
        vectors: whether files may have deletion vectors.
    """
    (folder / "_delta_log").mkdir(parents=True)
    field = {"name": "id", "type": "long", "nullable": True, "metadata": {}}
    metadata = {
        "id": identity,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": [field]}),
        "partitionColumns": [],
        "configuration": {},
    }
    protocol: dict[str, Any] = {"minReaderVersion": 1, "minWriterVersion": 2}
    if vectors:
        features = {key: ["deletionVectors"] for key in ("readerFeatures", "writerFeatures")}
        protocol = {"minReaderVersion": 3, "minWriterVersion": 7, **features}
    commit(
        folder, 0, {"protocol": protocol}, {"metaData": metadata}, _added(folder, ids, "a.parquet")
    )


def append(folder: Path, version: int, ids: list[int], path: str = "b.parquet") -> None:
    """Commits a new data file."""
    commit(folder, version, _added(folder, ids, path))


def delete_file(folder: Path, version: int, path: str) -> None:
    """Commits the end of a data file."""
    removed = {"path": path, "deletionTimestamp": 0, "dataChange": True}
    commit(folder, version, {"remove": removed})


def z85(data: bytes) -> str:
    """Bytes in Z85, filled up to four."""
    padded = data + bytes(-len(data) % 4)
    text = ""
    for start in range(0, len(padded), 4):
        number = int.from_bytes(padded[start : start + 4], "big")
        text += "".join(Z85[number // 85**power % 85] for power in (4, 3, 2, 1, 0))
    return text


def set_vector(
    folder: Path, version: int, path: str, positions: list[int], before: list[int] | None = None
) -> None:
    """Commits other deleted rows of a data file, in the log itself.

    Args:
        folder: of the table.
        version: the new one.
        path: of the data file.
        positions: of the deleted rows, fewer than 65536.
        before: those of the version before; None for none.
    """
    size = (folder / path).stat().st_size
    added = {"path": path, "partitionValues": {}, "size": size, "modificationTime": 0}
    removed: dict[str, Any] = {"path": path, "deletionTimestamp": 0, "dataChange": True}
    if before is not None:
        removed["deletionVector"] = _vector(before)
    add = {**added, "dataChange": True, "deletionVector": _vector(positions)}
    commit(folder, version, {"remove": removed}, {"add": add})


def _vector(positions: list[int]) -> dict[str, Any]:
    bitmap = struct.pack("<IIHHI", 12346, 1, 0, len(positions) - 1, 16)
    bitmap += struct.pack(f"<{len(positions)}H", *positions)
    content = struct.pack("<IqI", 1681511377, 1, 0) + bitmap
    return {
        "storageType": "i",
        "pathOrInlineDv": z85(content),
        "sizeInBytes": len(content),
        "cardinality": len(positions),
    }


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
