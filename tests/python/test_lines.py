"""The page says what each version of Spark can do: what the tests and their marks say."""

from __future__ import annotations

import os
import re

import pytest

from support.lines import FEATURES, TOOLS, VERSIONS
from support.pages import DOCS, PAGES, REPOSITORY, rows

PAGE = DOCS / "versions.md"
HEADING = "### What each version can do\n"
README_ROWS = [cells[0] for cells in rows(PAGES["README.md"], "What works") if len(cells) == 5]
ROWS = [*README_ROWS, *TOOLS]


def cell(row: str, version: str) -> str:
    """Whether the version has the feature of a row, or what it lacks of it."""
    missing = [
        str(number)
        for number, feature in enumerate(FEATURES.values(), 1)
        if row in feature.rows and not feature.is_in(version)
    ]
    return f"without {', '.join(missing)}" if missing else "yes"


def section() -> str:
    """The end of the page, below its last heading."""
    head = " | ".join(["feature", *(f"Spark {version}" for version in VERSIONS)])
    lines = [f"| {head} |", f"| {' | '.join(['---'] * (len(VERSIONS) + 1))} |"]
    for row in ROWS:
        lines.append(f"| {' | '.join([row, *(cell(row, version) for version in VERSIONS)])} |")
    lines += ["", "| | what | since Spark | before |", "| --- | --- | --- | --- |"]
    for number, feature in enumerate(FEATURES.values(), 1):
        lines.append(f"| {number} | {feature.what} | {feature.since} | {feature.before} |")
    return HEADING + "\n" + "\n".join(lines) + "\n"


def test_the_page_is_what_the_marks_say() -> None:
    written, _, rest = PAGE.read_text(encoding="utf-8").partition(HEADING)
    if os.environ.get("DUCKLAKE_RECORD") == "1":
        PAGE.write_text(written + section(), encoding="utf-8")
        return

    assert HEADING + rest == section()


def marked(mark: str) -> set[str]:
    """The names of the features of all marks in the tests."""
    files = [
        REPOSITORY / "tests" / folder for folder in ("e2e", "interop", "concurrency", "python")
    ]
    texts = [file.read_text(encoding="utf-8") for folder in files for file in folder.glob("*.py")]
    return {name for text in texts for name in re.findall(rf"\b{mark}\((\w+)\)", text)}


@pytest.mark.parametrize("mark", ["since", "before"])
def test_each_entry_has_tests(mark: str) -> None:
    assert set(FEATURES) - marked(mark) == set()


def test_the_rows_are_those_of_the_readme_and_the_tools() -> None:
    assert {row for feature in FEATURES.values() for row in feature.rows} <= set(ROWS)
