"""The pages of the site and their order; mkdocs calls the functions `on_…`.

The pages are those of `jvm/docs`, and a few from elsewhere in the repository, where they are. Links
between them are the ones that work in the repository; here they are turned into links of the site.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = "jvm/docs"

ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "tests/README.md": "tests.md",
    "tests/bench/README.md": "measures.md",
    "tests/compat/README.md": "recorded-lakes.md",
}
"""Files that are pages too, and what the site calls them."""

SECTIONS = {
    "Guides": [
        "deployment.md",
        "dbt.md",
        "pipelines.md",
        "change-data.md",
        "storage.md",
        "from-duckdb.md",
        "from-iceberg-and-delta.md",
        "conflicts.md",
        "maintenance.md",
        "erasing.md",
        "catalog-files.md",
        "security.md",
        "postgresql.md",
        "backups.md",
        "python.md",
        "command-line.md",
    ],
    "Reference": [
        "reading.md",
        "change-feed.md",
        "streaming.md",
        "writing.md",
        "transactions.md",
        "statements.md",
        "procedures.md",
        "configuration.md",
        "types.md",
        "versions.md",
        "capabilities.md",
        "format.md",
        "errors.md",
        "limits.md",
        "glossary.md",
    ],
    "The project": [
        "changelog.md",
        "architecture.md",
        "contributing.md",
        "tests.md",
        "chaos.md",
        "fuzzing.md",
        "load.md",
        "measures.md",
        "recorded-lakes.md",
    ],
}
"""Sections with the pages that come first in each."""

OTHERS = "Guides"
"""The section of a page that no section names."""

DECISIONS = "decisions/"

LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)#\s]+)")
"""The path of a link to a file."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from elsewhere, and make the navigation of all pages."""
    for source, name in ELSEWHERE.items():
        files.append(File.generated(config, name, abs_src_path=str(REPOSITORY / source)))
    worker = Path(__file__).with_name("iframe-worker.js")
    files.append(File.generated(config, f"assets/{worker.name}", abs_src_path=str(worker)))
    config.nav = navigation(file.src_uri for file in files.documentation_pages())
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links of the repository into links of the site."""
    return relinked(markdown, page.file.src_uri)


def navigation(pages: Iterable[str]) -> list[object]:
    """The navigation as mkdocs takes it: each page once, those that SECTIONS names in its order.

    Example:
        >>> navigation(["index.md", "b.md", "python.md", "decisions/01-a.md"])[1]
        {'Guides': ['python.md', 'b.md']}
    """
    present = sorted(pages)
    named = {page for section in SECTIONS.values() for page in section}
    decisions = [page for page in present if page.startswith(DECISIONS)]
    decisions.sort(key=lambda page: page != f"{DECISIONS}README.md")
    others = [page for page in present if page not in {"index.md", *named, *decisions}]
    nav: list[object] = ["index.md"]
    for title, section in SECTIONS.items():
        more = others if title == OTHERS else []
        if entries := [page for page in section if page in present] + more:
            nav.append({title: entries})
    return [*nav, {"Decisions": decisions}] if decisions else nav


def relinked(markdown: str, page: str) -> str:
    """The text of a page with the paths of its links as the site has them.

    A path to a file that is no page stays, and fails the build.

    Args:
        markdown: the text.
        page: the page's name in the site.

    Example:
        >>> relinked("[a](../../README.md#installing)", "python.md")
        '[a](index.md#installing)'
    """
    home = posixpath.dirname(_source(page))

    def in_the_site(found: re.Match[str]) -> str:
        target = _name(posixpath.normpath(posixpath.join(home, found[1])))
        return posixpath.relpath(target, posixpath.dirname(page) or ".") if target else found[1]

    return LINK.sub(in_the_site, markdown)


def _source(page: str) -> str:
    """Where a page of the site is in the repository."""
    sources = {name: source for source, name in ELSEWHERE.items()}
    return sources.get(page, f"{DOCS}/{page}")


def _name(source: str) -> str | None:
    """What the site calls a file of the repository; None when it is no page or picture of it."""
    if source in ELSEWHERE:
        return ELSEWHERE[source]
    return source.removeprefix(f"{DOCS}/") if source.startswith(f"{DOCS}/") else None
