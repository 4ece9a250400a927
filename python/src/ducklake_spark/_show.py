"""Small tables for people: as text, and as HTML for notebooks."""

from __future__ import annotations

import html as escaping
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone

from pyspark.sql import Row

_ROWS_SHOWN = 50
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def text(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of text, the columns in line.

    Example:
        >>> print(text(("name", "files"), [("events", 12), ("s", None)]))
        name    files
        events  12
        s
    """
    lines = [list(headings), *([_cell(value) for value in row] for row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def html(caption: str, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of HTML with its first rows; everything in it is escaped.

    Example:
        >>> html("t", ("a",), [("<b>",)])
        '<table><caption>t</caption><tr><th>a</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    parts = [f"<caption>{escaping.escape(caption)}</caption>" if caption else ""]
    parts.append(_line("th", headings))
    parts += [_line("td", row) for row in rows[:_ROWS_SHOWN]]
    if (more := len(rows) - _ROWS_SHOWN) > 0:
        parts.append(f'<tr><td colspan="{len(headings)}">… and {more:,} more</td></tr>')
    return f"<table>{''.join(parts)}</table>"


def tables(caption: str, schemas: Iterable[Row], rows: Iterable[Row]) -> str:
    """The rows of `table_info` as a table of HTML, with the names of their schemas."""
    names = {each.schema_id: each.schema_name for each in schemas}
    shown = sorted(
        (names[each.schema_id], each.table_name, each.file_count, size(each.file_size_bytes))
        for each in rows
    )
    return html(caption, ("schema", "table", "files", "size"), shown)


def size(count: int) -> str:
    """Bytes in words.

    Example:
        >>> size(512), size(20_000_000)
        ('512 B', '19.1 MiB')
    """
    step = min(max(count.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    return f"{count / 1024**step:,.{min(step, 1)}f} {_UNITS[step]}"


def utc(instant: datetime) -> str:
    """A time to the second, in UTC; PySpark gives it in the zone of the machine.

    Example:
        >>> utc(datetime.fromisoformat("2026-01-31 18:00:00.5+05:30"))
        '2026-01-31 12:30:00'
    """
    return f"{instant.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S}"


def _line(tag: str, cells: Iterable[object]) -> str:
    inner = "".join(f"<{tag}>{escaping.escape(_cell(cell))}</{tag}>" for cell in cells)
    return f"<tr>{inner}</tr>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
