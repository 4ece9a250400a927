"""Pieces of HTML. All text that is not ours passes through `text`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from ducklake_spark_report.words import shortened

MOST_CHARACTERS = 120
"""Names and messages are cut off there."""

# Marks that turn the direction of what stands behind them, and signs that show nothing.
_UNSEEN = {
    code: "\ufffd"
    for code in (
        *range(0x20),
        *range(0x7F, 0xA0),
        *range(0x200B, 0x2010),
        *range(0x2028, 0x202F),
        *range(0x2060, 0x2070),
        0xFEFF,
    )
}


@dataclass(frozen=True)
class Html:
    """Markup that is ready; any other value in a page is text."""

    markup: str


@dataclass(frozen=True)
class Time:
    """A time in words, which is not broken into lines."""

    words: str


Cell = Html | Time | str | int | float | None


def text(value: object, most: int = MOST_CHARACTERS) -> str:
    r"""A value as text of a page: escaped, cut off, without signs that are not seen.

    Example:
        >>> text("<b>&\u202e"), text(1234), text(None)
        ('&lt;b&gt;&amp;�', '1,234', '')
    """
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return escape(shortened(str(value), most).translate(_UNSEEN))


def cell(value: Cell) -> str:
    """What stands in a cell."""
    if isinstance(value, Html):
        return value.markup
    return text(value.words if isinstance(value, Time) else value)


def table(
    caption: str, headings: Sequence[str], rows: Iterable[Sequence[Cell]], numbers: Iterable[int]
) -> str:
    """A table; the first column names the rows.

    Args:
        caption: for those who do not see it.
        headings: of the columns.
        rows: their cells.
        numbers: the places of the columns that hold numbers.

    Example:
        >>> "<th scope='row'>a</th><td class='n'>1</td>" in table("t", ("x", "y"), [("a", 1)], [1])
        True
    """
    right = set(numbers)

    def mark(place: int, value: Cell = None) -> str:
        if place in right:
            return " class='n'"
        return " class='time'" if isinstance(value, Time) else ""

    head = "".join(
        f"<th scope='col'{mark(at)}>{text(each)}</th>" for at, each in enumerate(headings)
    )
    body = "".join(
        f"<tr><th scope='row'>{cell(first)}</th>"
        + "".join(f"<td{mark(at, each)}>{cell(each)}</td>" for at, each in enumerate(rest, 1))
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f"<div class='scroll'><table><caption>{text(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def bar(label: str, part: float, whole: float) -> Html:
    """A number with a bar of its share."""
    width = 100 * part / whole if whole else 0
    return Html(f"{text(label)}<span class='bar'><i style='width:{width:.1f}%'></i></span>")


def code(statement: str) -> Html:
    """A statement, which is not cut off."""
    return Html(f"<code>{text(statement, 2_000)}</code>")


def section(name: str, title: str, *parts: str) -> str:
    """A part of the page with a heading."""
    inside = "\n".join(filter(None, parts))
    return f"<section aria-labelledby='{name}'><h2 id='{name}'>{text(title)}</h2>{inside}</section>"


def paragraph(words: str) -> str:
    """Words of ours or not, as text."""
    return f"<p class='note'>{text(words, 1_000)}</p>"
