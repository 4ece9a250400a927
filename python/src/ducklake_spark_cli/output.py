"""Rows for people and for scripts."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ducklake_spark_catalog.units import size

_MOST_FOLDED = 500
_WIDEST = 300

# Characters that move the cursor, end the line, or turn the direction of a text.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Style:
    """How people see names of columns, and values by these names."""

    heading: Callable[[str], str]
    cell: Callable[[str, object], str]


@dataclass(frozen=True)
class Limit:
    """How many rows a command shows at most; 0 shows all."""

    most: int

    @property
    def asked(self) -> int:
        """How many rows to ask for: one more than are shown, to see that there are more; 0: all."""
        return self.most + 1 if self.most else 0


ALL = Limit(0)


def visible(text: str) -> str:
    r"""A text that a terminal shows and does not obey.

    Example:
        >>> print(visible("a\x1b[2J\nb"))
        a\x1b[2J\nb
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _told(name: str, value: object) -> str:
    if isinstance(value, int) and name.endswith("size_bytes"):
        return size(value)
    return _whole(name, value)


def _whole(_: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, (bool, Mapping, list)):
        return json.dumps(value, default=plain, ensure_ascii=False)
    return str(plain(value) if isinstance(value, (bytes, bytearray)) else value)


IN_WORDS = Style(lambda name: name.removesuffix("_bytes").replace("_", " "), _told)
"""Of what is known about a lake: sizes have units."""

AS_IT_IS = Style(str, _whole)
"""Of data: names and values are those of the rows."""


def show(
    rows: Sequence[Mapping[str, Any]],
    *,
    as_json: bool,
    empty: str,
    limit: Limit = ALL,
    style: Style = IN_WORDS,
) -> None:
    """Print rows: a table, or with `as_json` an array of objects.

    Args:
        rows: names and values; all have the same names.
        as_json: whether it is for a script.
        empty: what to say where there is no row.
        limit: how many to show. That rows were left out is said on standard error.
        style: of the table.
    """
    shown = rows[: limit.most] if limit.most else rows
    if as_json:
        click.echo(json.dumps(shown, default=plain, allow_nan=False, indent=2))
    elif shown:
        _table(shown, style)
    else:
        click.echo(empty)
    if len(shown) < len(rows):
        what = "row is" if limit.most == 1 else f"{limit.most:,} rows are"
        click.echo(f"Only the first {what} shown: --limit 0 shows all.", err=True)


def _table(rows: Sequence[Mapping[str, Any]], style: Style) -> None:
    lines = [[visible(style.heading(name)) for name in rows[0]]]
    lines += [[visible(style.cell(name, value)) for name, value in row.items()] for row in rows]
    numeric = [all(_is_number(row[name]) for row in rows) for name in rows[0]]
    # Folding is slow, and a pipe has no width.
    is_folded = sys.stdout.isatty() and len(rows) <= _MOST_FOLDED
    (_folded if is_folded else _aligned)(lines, numeric)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _folded(lines: Sequence[Sequence[str]], numeric: Sequence[bool]) -> None:
    """Print a table for a terminal: long cells are folded within their columns."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    # Rich changes texts, such as names of emoji, and leaves its own Text alone.
    for heading, is_number in zip(lines[0], numeric, strict=True):
        table.add_column(Text(heading), justify="right" if is_number else "left", overflow="fold")
    for line in lines[1:]:
        table.add_row(*map(Text, line))
    Console().print(table)


def _aligned(lines: Sequence[Sequence[str]], numeric: Sequence[bool]) -> None:
    """Print a table with each row on one line; a cell that is too wide moves those behind it."""
    widths = [min(max(map(len, column)), _WIDEST) for column in zip(*lines, strict=True)]
    if not numeric[-1]:
        widths[-1] = 0
    kinds = [">" if is_number else "<" for is_number in numeric]
    row = "  ".join(f"{{:{kind}{width}}}" for kind, width in zip(kinds, widths, strict=True))
    click.echo("\n".join(row.format(*line) for line in lines))


def plain(value: object) -> object:
    """A value as JSON has it: a number or text."""
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    return value.hex() if isinstance(value, (bytes, bytearray)) else str(value)
