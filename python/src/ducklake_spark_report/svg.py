"""matplotlib's pictures as a part of a page: small, and in the colours of its theme."""

from __future__ import annotations

import re
from html import escape
from io import StringIO

from matplotlib import rc_context
from matplotlib.figure import Figure

COLOURS = {
    "ink": "#1f2933",
    "muted": "#566270",
    "grid": "#d5dbe1",
    "blue": "#2f6fb7",
    "teal": "#22867a",
    "amber": "#b8720a",
    "violet": "#7b5ea7",
    "grey": "#76828e",
}
"""The colours of pictures; a page may give each of them another value, as `--ink` and so on."""

_DROPPED = re.compile(
    r"<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>|<!--.*?-->", re.DOTALL
)
_ID = re.compile(r' id="([^"]*)"')
_FONT = re.compile(r"font: ([0-9.]+px) [^;\"]*")
_NUMBER = re.compile(r"(\d+\.\d\d)\d+")
_SPACE = re.compile(r">\s+<")


def inline(figure: Figure, title: str) -> str:
    """A picture as an element of HTML, without scripts, fonts and links.

    Args:
        figure: the picture.
        title: what it shows, for those who do not see it; it is escaped.

    Returns:
        One `svg` element. Its texts are in the font of the page.
    """
    written = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
        figure.savefig(written, format="svg", metadata={"Date": None})
    whole = _DROPPED.sub("", written.getvalue())
    body = whole[whole.index("<svg") : whole.rindex("</svg>")]
    opening, _, inside = body.partition(">")
    box = re.findall(r'viewBox="([^"]*)"', opening)[0]
    inside = _FONT.sub(r"font-size: \1", _NUMBER.sub(r"\1", _unnamed(inside)))
    for name, value in COLOURS.items():
        inside = inside.replace(value, f"var(--{name}, {value})")
    inside = _SPACE.sub("><", inside.strip())
    return f'<svg viewBox="{box}" role="img" aria-label="{escape(title)}">{inside}</svg>'


def _unnamed(inside: str) -> str:
    """Without the ids that nothing refers to, for a page has several pictures.

    Example:
        >>> _unnamed('<g id="axes_1"><path id="p"/><use href="#p"/></g>')
        '<g><path id="p"/><use href="#p"/></g>'
    """
    return _ID.sub(lambda found: found[0] if f"#{found[1]}" in inside else "", inside)
