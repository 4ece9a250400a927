"""Puffin containers as DuckDB 2.0 writes them, put in place of a lake's delete files."""

from __future__ import annotations

import json
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from support.catalogdb import execute, read_catalog
from support.invariants.vectors import vector_positions
from support.lakes import Lake
from support.peer import connect, literal

_MAGIC = b"PFA1"
_SMALL = 4096


def vector(positions: Iterable[int]) -> bytes:
    """A deletion vector with sorted arrays as its only containers (format 6.5)."""
    groups: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for position in sorted(positions):
        groups[position >> 32][position >> 16 & 0xFFFF].append(position & 0xFFFF)
    body = b"\xd1\xd3\x39\x64" + struct.pack("<Q", len(groups))
    for high, containers in groups.items():
        body += struct.pack("<I", high) + _bitmap(containers)
    return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))


def _bitmap(containers: Mapping[int, list[int]]) -> bytes:
    assert all(len(lows) <= _SMALL for lows in containers.values())
    heads = b"".join(struct.pack("<HH", key, len(lows) - 1) for key, lows in containers.items())
    data = [struct.pack(f"<{len(lows)}H", *lows) for lows in containers.values()]
    start = 8 + 8 * len(containers)
    offsets = [start + sum(map(len, data[:number])) for number in range(len(data))]
    cookie = struct.pack("<II", 12346, len(containers))
    return cookie + heads + struct.pack(f"<{len(offsets)}I", *offsets) + b"".join(data)


def container(dates: Mapping[int, int], file: str) -> bytes:
    """A container with a cumulative vector for each snapshot; `dates` are those of positions."""
    data, blobs = _MAGIC, []
    for snapshot in sorted(set(dates.values())):
        deleted = [position for position, date in dates.items() if date <= snapshot]
        blob = vector(deleted)
        properties = {
            "referenced-data-file": file,
            "cardinality": str(len(deleted)),
            "ducklake-snapshot-id": str(snapshot),
        }
        blobs.append(
            {
                "type": "deletion-vector-v1",
                "fields": [],
                "snapshot-id": -1,
                "sequence-number": -1,
                "offset": len(data),
                "length": len(blob),
                "properties": properties,
            }
        )
        data += blob
    footer = json.dumps({"blobs": blobs, "properties": {"created-by": "ducklake"}}).encode()
    return data + _MAGIC + footer + struct.pack("<II", len(footer), 0) + _MAGIC


def use_containers(lake: Lake) -> int:
    """Put one container in place of all delete files of each data file.

    Returns:
        The largest number of snapshots in one container.
    """
    catalog = read_catalog(lake)
    histories = defaultdict(list)
    for row in catalog.rows("delete_file"):
        histories[int(row["data_file_id"])].append(row)
    depth = 0
    for rows in histories.values():
        last = max(rows, key=lambda row: int(row["delete_file_id"]))
        dates: dict[int, int] = {}
        for row in sorted(rows, key=lambda row: int(row["begin_snapshot"])):
            for position, snapshot in _dated(next(lake.data_path.rglob(row["path"])), row):
                dates[position] = min(snapshot, dates.get(position, snapshot))
        old = next(lake.data_path.rglob(last["path"]))
        name = old.name.replace(".parquet", ".puffin")
        data = container(dates, str(last["data_file_id"]))
        (old.parent / name).write_bytes(data)
        footer = struct.unpack_from("<I", data, len(data) - 12)[0] + 16
        others = [row for row in rows if row is not last]
        execute(
            lake,
            *(_gone(int(row["delete_file_id"])) for row in others),
            f"UPDATE ducklake_delete_file SET path = {literal(name)}, format = 'puffin', "
            f"delete_count = {len(dates)}, file_size_bytes = {len(data)}, footer_size = {footer}, "
            f"begin_snapshot = {min(dates.values())}, partial_max = {max(dates.values())} "
            f"WHERE delete_file_id = {last['delete_file_id']}",
        )
        for row in rows:
            next(lake.data_path.rglob(row["path"])).unlink()
        depth = max(depth, len(set(dates.values())))
    return depth


def _gone(delete_file: int) -> str:
    return f"DELETE FROM ducklake_delete_file WHERE delete_file_id = {delete_file}"


def _dated(file: Path, row: Mapping[str, object]) -> list[tuple[int, int]]:
    begin = int(str(row["begin_snapshot"]))
    if row["format"] == "puffin":
        return [(position, begin) for position in vector_positions(file.read_bytes())]
    with connect() as connection:
        found = connection.execute(f"SELECT * FROM read_parquet({literal(str(file))})").fetchall()
    return [(pos, rest[0] if rest else begin) for _, pos, *rest in found]
