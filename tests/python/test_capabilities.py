"""The page about what works, and README's table: every row has tests that are there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import chain

import pytest

from e2e.test_write_types import CASES
from matrix.evidence import Cell, is_about, problems
from matrix.features import FEATURES
from matrix.page import page, readme_table
from matrix.places import OF_DATABASES, ON_EVERY_DATABASE, OTHER_DATABASES, STORES, VERSIONS
from matrix.procedures import PROCEDURES
from matrix.settings import KEYS, OPTIONS
from matrix.statements import STATEMENTS
from matrix.types import TYPES, WRITTEN_AS
from support.pages import DOCS, PAGES, REPOSITORY, rows
from support.sweep import TESTS, dear_tests

PAGE = DOCS / "capabilities.md"
README = PAGES["README.md"]
OPTION_RULES = REPOSITORY / "jvm/catalog/src/main/scala/ducklake/catalog/option/OptionRules.scala"


def cells() -> Iterator[Cell]:
    """Every cell that says something."""
    for feature in FEATURES:
        yield from (feature.reads, feature.writes)
    yield from (statement.holds for statement in STATEMENTS)
    yield from chain(*TYPES.values(), *OF_DATABASES.values(), *VERSIONS.values())
    yield from (*OTHER_DATABASES.values(), *STORES.values())


def by_words() -> Iterator[tuple[str, str]]:
    """Names, with the tests of each."""
    for named in (PROCEDURES, KEYS, OPTIONS):
        yield from ((name, test) for name, tests in named.items() for test in tests)


def names_below(section: str, page: str) -> set[str]:
    """What the first column of the tables below a heading names."""
    return {cells[0].strip("`") for cells in rows(DOCS / page, section)}


def test_the_page_is_what_the_rows_say() -> None:
    if os.environ.get("DUCKLAKE_RECORD") == "1":
        PAGE.write_text(page(), encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("line", dear_tests())
def test_a_test_that_the_gate_leaves_out_is_there(line: str) -> None:
    file, colons, name = line.partition("::")
    assert (TESTS / file).exists()
    if colons:
        test = f"{file.replace('/test_', '/').removesuffix('.py')}::{name.removeprefix('test_')}"
        assert problems(test) == []


def test_the_table_of_the_readme_is_what_the_rows_say() -> None:
    text = README.read_text(encoding="utf-8")
    head = "\n| feature | reads | writes | since | page |\n"
    before, _, rest = text.partition(head)
    table, _, after = rest.partition("\n\n")
    if os.environ.get("DUCKLAKE_RECORD") == "1":
        README.write_text(f"{before}\n{readme_table()}\n{after}", encoding="utf-8")
        return

    assert f"{head}{table}\n" == f"\n{readme_table()}"


def test_each_test_is_there_and_runs() -> None:
    named = {test for cell in cells() for test in cell.tests}
    named |= {test for _, test in by_words()} | set(ON_EVERY_DATABASE.values())

    assert [each for test in sorted(named) for each in problems(test)] == []


def test_each_yes_and_no_has_a_test() -> None:
    claims = [cell for cell in cells() if cell.text.startswith(("yes", "no"))]

    assert [cell for cell in claims if not cell.tests and cell.text != "not tried"] == []
    assert [names for names in (PROCEDURES, KEYS, OPTIONS) if not all(names.values())] == []


@pytest.mark.parametrize(("name", "test"), list(by_words()))
def test_a_test_speaks_of_what_it_shows(name: str, test: str) -> None:
    word = name.removesuffix(".<property>")

    assert is_about(test, (word, word.replace("-", "_")))


def test_no_procedure_is_without_a_row() -> None:
    sections = ("Procedures that read", "Change feeds", "Procedures that change something")

    assert set().union(*(names_below(each, "procedures.md") for each in sections)) == set(
        PROCEDURES
    )


def test_no_key_is_without_a_row() -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    table = text.partition("| --- |")[2].partition("\n\n")[0]

    assert set(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)) == set(KEYS)


def test_no_option_is_without_a_row() -> None:
    rules = OPTION_RULES.read_text(encoding="utf-8").partition("val Encrypted")[0]

    assert set(re.findall(r'Rule\(\s*"([^"]+)"', rules)) == set(OPTIONS)


def test_no_type_is_without_a_row() -> None:
    text = (DOCS / "types.md").read_text(encoding="utf-8")
    table = text.partition("| --- |")[2].partition("\n\n")[0]

    assert set(re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)) == set(TYPES)
    assert set(WRITTEN_AS.values()) <= {case.kind for case in CASES}
