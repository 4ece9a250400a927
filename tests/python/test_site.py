"""The documentation as a site: whole, and readable without a network."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from support.doctests import run_examples

REPOSITORY = Path(__file__).resolve().parents[2]
SITE = REPOSITORY / "python/site"

LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?(?:https?:)?//"
    r"|<link\b[^>]*\bhref=[\"']?(?:https?:)?//"
    r"|url\([\"']?(?:https?:)?//"
    r"|@import"
)
"""What a browser fetches from another host when it shows a page."""


def build(configuration: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of a configuration as `./sbt docs` does."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "mkdocs", "build", "--strict"),
            *("--config-file", configuration, "--site-dir", target),
        ],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    done = build(SITE / "mkdocs.yml", target)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    """The module that mkdocs calls."""
    spec = importlib.util.spec_from_file_location("pages", SITE / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_in_the_navigation(site: Path) -> None:
    start = (site / "index.html").read_text()
    linked = set(re.findall(r'<a href="([^":#]*\.html)" class="md-nav__link', start))
    docs = REPOSITORY / "jvm/docs"

    pages = {page.relative_to(docs).with_suffix(".html").as_posix() for page in docs.rglob("*.md")}

    assert len(pages) > 40
    assert {page.replace("README", "index") for page in pages} <= linked
    assert {"changelog.html", "contributing.html", "tests.html"} <= linked


def test_nothing_comes_from_another_host(site: Path) -> None:
    texts = [path for path in site.rglob("*") if path.suffix in {".html", ".css"}]

    loading = [path for path in texts if LOADED.search(path.read_text())]

    assert len(texts) > 50
    assert loading == []


def test_the_search_finds_words_of_pages(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text())

    found = {entry["location"] for entry in index["docs"] if "flush_inlined_data" in entry["text"]}

    assert {"maintenance.html#what-grows-and-what-makes-it-smaller"} <= found
    # A page that is opened from a disk cannot fetch the index, nor start a Worker.
    assert (site / "search/search_index.js").read_text().startswith("var __index = {")
    assert '<script src="assets/iframe-worker.js">' in (site / "index.html").read_text()
    assert "EventTarget" in (site / "assets/iframe-worker.js").read_text()


def test_links_of_the_readme_are_links_of_the_site(site: Path) -> None:
    assert 'href="python.html"' in (site / "index.html").read_text()
    assert 'href="index.html#installing"' in (site / "python.html").read_text()


@pytest.mark.parametrize("link", ["nowhere.md", "types.md#nowhere", "../../build.sbt"])
def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path, link: str) -> None:
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "tests/README.md"):
        page = tmp_path / name
        page.parent.mkdir(exist_ok=True)
        page.write_text("# A page\n")
    for name in ("bench", "compat"):
        (tmp_path / "tests" / name).mkdir()
        (tmp_path / "tests" / name / "README.md").write_text("# A page\n")
    shutil.copytree(SITE, tmp_path / "python/site")
    docs = tmp_path / "jvm/docs"
    docs.mkdir(parents=True)
    (docs / "types.md").write_text("# Types\n")
    (docs / "page.md").write_text(f"# A page\n\n[there]({link})\n")

    done = build(tmp_path / "python/site/mkdocs.yml", tmp_path / "made")

    assert done.returncode == 1
    assert link.removeprefix("types.md") in done.stderr


def test_the_examples_of_the_hooks_hold(hooks: ModuleType) -> None:
    results = run_examples(hooks)

    assert (results.attempted, results.failed) == (2, 0)
