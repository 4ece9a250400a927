"""Numbers of bytes in words."""

from __future__ import annotations

UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def unit(number: float) -> int:
    """The place among `UNITS` of the unit that a number of bytes is shown in."""
    return min(max(int(number).bit_length() - 1, 0) // 10, len(UNITS) - 1)


def size(number: float) -> str:
    """Bytes in words.

    Example:
        >>> size(512), size(20_000_000)
        ('512 B', '19.1 MiB')
    """
    step = unit(number)
    return f"{number / 1024**step:,.{min(step, 1)}f} {UNITS[step]}"
