"""WKT and WKB as one nested form, to compare what DuckDB prints with what Spark reads."""

from __future__ import annotations

import math
import re
import struct

KINDS = {
    1: "POINT",
    2: "LINESTRING",
    3: "POLYGON",
    4: "MULTIPOINT",
    5: "MULTILINESTRING",
    6: "MULTIPOLYGON",
    7: "GEOMETRYCOLLECTION",
}

Shape = tuple[object, ...]


def from_wkb(data: bytes) -> Shape:
    """The shape in a WKB value, ISO or EWKB flavour."""
    shape, end = _read(data, 0)
    if end != len(data):
        raise ValueError(f"{len(data) - end} bytes behind the geometry")
    return shape


def _read(data: bytes, at: int) -> tuple[Shape, int]:
    order = "<" if data[at] == 1 else ">"
    (code,) = struct.unpack_from(order + "I", data, at + 1)
    has_z = bool(code & 0x80000000) or (code & 0xFFFF) // 1000 in (1, 3)
    has_m = bool(code & 0x40000000) or (code & 0xFFFF) // 1000 in (2, 3)
    kind, size = KINDS[(code & 0xFFFF) % 1000], 2 + has_z + has_m
    at += 5
    if kind == "POINT":
        point = struct.unpack_from(f"{order}{size}d", data, at)
        empty = all(math.isnan(value) for value in point)
        return (kind, has_z, has_m, () if empty else point), at + 8 * size
    (count,) = struct.unpack_from(order + "I", data, at)
    at += 4
    parts: list[object] = []
    for _ in range(count):
        if kind == "LINESTRING":
            parts.append(struct.unpack_from(f"{order}{size}d", data, at))
            at += 8 * size
        elif kind == "POLYGON":
            (length,) = struct.unpack_from(order + "I", data, at)
            flat = struct.unpack_from(f"{order}{size * length}d", data, at + 4)
            parts.append(tuple(flat[i : i + size] for i in range(0, len(flat), size)))
            at += 4 + 8 * size * length
        else:
            part, at = _read(data, at)
            parts.append(part[3])
    return (kind, has_z, has_m, tuple(parts)), at


def from_wkt(text: str) -> Shape:
    """The shape in a WKT text."""
    match = re.fullmatch(r"([A-Z]+)\s*(ZM|Z|M)?\s*(EMPTY|\(.*\))", text)
    if match is None:
        raise ValueError(f"not WKT: {text!r}")
    kind, dimensions, body = match[1], match[2] or "", match[3]
    points = () if body == "EMPTY" else _coordinates(body)
    inner = points[0] if kind == "POINT" and points else points
    return kind, "Z" in dimensions, "M" in dimensions, inner


def _coordinates(body: str) -> tuple[object, ...]:
    inner = body.strip()[1:-1]
    if "(" not in inner:
        return tuple(tuple(float(v) for v in point.split()) for point in inner.split(","))
    parts = re.findall(r"\((?:[^()]|\([^()]*\))*\)", inner)
    return tuple(_coordinates(part) for part in parts)
