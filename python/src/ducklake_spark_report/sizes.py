"""Classes of file sizes."""

from __future__ import annotations

from collections.abc import Iterable

from ducklake_spark_report.facts import SizeClass

_KIB, _MIB = 1 << 10, 1 << 20
_EDGES = (
    ("below 64 KiB", 64 * _KIB),
    ("64 KiB to 1 MiB", _MIB),
    ("1 to 16 MiB", 16 * _MIB),
    ("16 to 64 MiB", 64 * _MIB),
    ("64 to 256 MiB", 256 * _MIB),
    ("256 MiB to 1 GiB", 1024 * _MIB),
)
SIZE_LABELS = (*(label for label, _ in _EDGES), "1 GiB and more")


def size_class(size: str) -> str:
    """SQL for the place of a size among `SIZE_LABELS`.

    Example:
        >>> size_class("s")[:40]
        'CASE WHEN s < 65536 THEN 0 WHEN s < 1048'
    """
    cases = " ".join(f"WHEN {size} < {edge} THEN {at}" for at, (_, edge) in enumerate(_EDGES))
    return f"CASE {cases} ELSE {len(_EDGES)} END"


def size_classes(rows: Iterable[tuple[int, int, int]]) -> tuple[SizeClass, ...]:
    """All classes of sizes, from rows of place, files and bytes.

    Example:
        >>> size_classes([(1, 3, 200_000)])[1]
        SizeClass(label='64 KiB to 1 MiB', files=3, size=200000)
    """
    found = {place: (files, size) for place, files, size in rows}
    return tuple(
        SizeClass(label, *found.get(place, (0, 0))) for place, label in enumerate(SIZE_LABELS)
    )
