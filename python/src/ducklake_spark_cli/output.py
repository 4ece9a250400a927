"""Rows for people and for scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import click
from rich.console import Console
from rich.table import Table

_WIDTH_OF_A_PIPE = 10_000
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


@dataclass(frozen=True)
class Limit:
    """How many rows a command shows at most; 0 shows all."""

    most: int

    @property
    def asked(self) -> int:
        """How many rows to ask for: one more than are shown, which tells of more; 0 for all."""
        return self.most + 1 if self.most else 0


ALL = Limit(0)


def show(
    rows: Sequence[Mapping[str, Any]], *, as_json: bool, empty: str, limit: Limit = ALL
) -> None:
    """Print rows: a table, or with `as_json` an array of objects.

    Args:
        rows: names and values; all have the same names.
        as_json: whether it is for a script.
        empty: what to say where there is no row.
        limit: how many to show. That rows were left out is said on standard error.
    """
    shown = rows[: limit.most] if limit.most else rows
    if as_json:
        click.echo(json.dumps(shown, default=plain, allow_nan=False, indent=2))
    elif shown:
        _table(shown)
    else:
        click.echo(empty)
    if len(shown) < len(rows):
        what = "row is" if limit.most == 1 else f"{limit.most:,} rows are"
        click.echo(f"Only the first {what} shown: --limit 0 shows all.", err=True)


def _table(rows: Sequence[Mapping[str, Any]]) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name, value in rows[0].items():
        is_number = isinstance(value, int) and not isinstance(value, bool)
        table.add_column(_heading(name), justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(name, value) for name, value in row.items()))
    # A pipe has no width: it gets whole lines.
    width = None if Console().is_terminal else _WIDTH_OF_A_PIPE
    Console(highlight=False, markup=False, width=width).print(table)


def unit(number: float) -> int:
    """The place among `UNITS` of the unit that a number of bytes is told in."""
    return min(max(int(number).bit_length() - 1, 0) // 10, len(UNITS) - 1)


def size(number: float) -> str:
    """Bytes in words.

    Example:
        >>> size(512), size(20_000_000)
        ('512 B', '19.1 MiB')
    """
    step = unit(number)
    return f"{number / 1024**step:,.{min(step, 1)}f} {UNITS[step]}"


def _heading(name: str) -> str:
    return name.removesuffix("_bytes").replace("_", " ")


def _cell(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and name.endswith("size_bytes"):
        return size(value)
    if isinstance(value, datetime):
        return str(value)[:19]
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_cell('', each)}" for key, each in value.items())
    if isinstance(value, list):
        return " ".join(_cell("", each) for each in value)
    return str(value)


def plain(value: object) -> object:
    """A value as JSON has it: a number or text."""
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    return value.hex() if isinstance(value, (bytes, bytearray)) else str(value)
