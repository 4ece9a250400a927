"""The blocks of code in the pages of the documentation, so that tests can run them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "jvm/docs"

PAGES = {
    "README.md": REPOSITORY / "README.md",
    "python/README.md": REPOSITORY / "python/README.md",
    **{page.name: page for page in sorted(DOCS.glob("*.md"))},
}
"""All pages that are not decisions, by the names that tests give them."""

_PIECE = re.compile(r"^#+ ([^\n]*)$|^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block, the heading above it, and its language, `""` where none is named."""

    section: str
    language: str
    text: str

    def replaced(self, names: Mapping[str, str]) -> str:
        """The text with what a page can only name by example.

        Raises:
            ValueError: one of the names is not in the text.
        """
        text = self.text
        for name, real in names.items():
            if name not in text:
                raise ValueError(f"{name} is not in the block of {self.section}")
            text = text.replace(name, real)
        return text


def blocks(page: Path) -> list[Block]:
    """All blocks of a page, in their order."""
    found = []
    section = ""
    for heading, language, text in _PIECE.findall(page.read_text()):
        section = heading or section
        if not heading:
            found.append(Block(section, language, text))
    return found


def of_properties(line: str) -> tuple[str, str]:
    """Key and value of a line of spark-defaults.conf, as Java's properties read it."""
    key, value = re.split(r"\s*[=:\s]\s*", line.strip(), maxsplit=1)
    return key, re.sub(r"\\(.)", r"\1", value)


def rows(page: Path, section: str) -> list[list[str]]:
    """The cells of the tables below a heading, without the lines that name the columns."""
    _, _, rest = page.read_text().partition(f"\n## {section}\n")
    lines = [line for line in rest.partition("\n## ")[0].splitlines() if line.startswith("|")]
    ends = [number for number, line in enumerate(lines) if line.startswith("| ---")]
    heads = {number for end in ends for number in (end - 1, end)}
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for number, line in enumerate(lines)
        if number not in heads
    ]


def matrix(page: Path, section: str) -> dict[str, dict[str, str]]:
    """The cells of the first table below a heading, by the names of their row and column."""
    _, _, rest = page.read_text().partition(f"\n## {section}\n")
    lines = rest.partition("\n|")[2].partition("\n\n")[0].splitlines()
    head, _, *body = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in body}
