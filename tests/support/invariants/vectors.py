"""Positions in deletion vectors, as DuckDB writes them: one blob, or a Puffin container.

A blob is the length of what follows, a magic number, 64-bit Roaring bitmaps in their portable
form, and a checksum (format 6.5). A container lists its blobs in JSON at its end (format 14.6).
The rules may not take our own reader's word, so here is another.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator

_MAGIC = b"\xd1\xd3\x39\x64"
_WITH_RUNS, _WITHOUT_RUNS = 12347, 12346
_LARGEST_ARRAY = 4096
_OFFSETS_FROM = 4


def last_positions(file: bytes) -> list[int]:
    """The positions of a file's last deletion vector, which holds those of all others."""
    if not file.startswith(b"PFA1"):
        return vector_positions(file)
    (length,) = struct.unpack_from("<I", file, len(file) - 12)
    blobs = json.loads(file[-12 - length : -12])["blobs"]
    last = max(blobs, key=lambda blob: int(blob["properties"]["ducklake-snapshot-id"]))
    return vector_positions(file[last["offset"] : last["offset"] + last["length"]])


def vector_positions(blob: bytes) -> list[int]:
    """The positions, ascending; an error where the blob is no deletion vector."""
    (length,) = struct.unpack_from(">I", blob)
    body = blob[4 : 4 + length]
    (checksum,) = struct.unpack_from(">I", blob, 4 + length)
    if body[:4] != _MAGIC or len(blob) != length + 8 or zlib.crc32(body) != checksum:
        raise ValueError("no deletion vector")
    (count,) = struct.unpack_from("<Q", body, 4)
    found, at = [], 12
    for _ in range(count):
        (high,) = struct.unpack_from("<I", body, at)
        bitmap = _Bitmap(body, at + 4)
        found += [high << 32 | low for low in bitmap.values()]
        at = bitmap.at
    return found


class _Bitmap:
    """A 32-bit Roaring bitmap; `at` is its end once its values were read."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self.at = data, at

    def _numbers(self, count: int, kind: str = "H") -> tuple[int, ...]:
        layout = f"<{count}{kind}"
        found = struct.unpack_from(layout, self._data, self.at)
        self.at += struct.calcsize(layout)
        return found

    def values(self) -> Iterator[int]:
        """Every value, ascending."""
        (cookie,) = self._numbers(1, "I")
        has_runs = cookie & 0xFFFF == _WITH_RUNS
        if not has_runs and cookie != _WITHOUT_RUNS:
            raise ValueError("no Roaring bitmap")
        size = (cookie >> 16) + 1 if has_runs else self._numbers(1, "I")[0]
        runs = self._numbers((size + 7) // 8, "B") if has_runs else (0,) * ((size + 7) // 8)
        heads = [self._numbers(2) for _ in range(size)]
        if not has_runs or size >= _OFFSETS_FROM:
            self._numbers(size, "I")
        for number, (key, last) in enumerate(heads):
            is_run = bool(runs[number // 8] >> number % 8 & 1)
            yield from (key << 16 | low for low in self._container(last + 1, is_run=is_run))

    def _container(self, count: int, *, is_run: bool) -> Iterator[int]:
        if is_run:
            for _ in range(self._numbers(1)[0]):
                start, length = self._numbers(2)
                yield from range(start, start + length + 1)
        elif count <= _LARGEST_ARRAY:
            yield from self._numbers(count)
        else:
            words = self._numbers(1024, "Q")
            yield from (
                at * 64 + bit
                for at, word in enumerate(words)
                for bit in range(64)
                if word >> bit & 1
            )
