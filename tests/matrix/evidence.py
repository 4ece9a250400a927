"""Tests by their names: `e2e/insert::every_way_to_append`, and specs by that of their class."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
_SPECS = TESTS.parent / "jvm"


@dataclass(frozen=True)
class Cell:
    """What a page says, and the tests that show it.

    Attributes:
        text: the words of the cell.
        tests: names of tests or specs; none where the cell says nothing that could be wrong.
    """

    text: str
    tests: tuple[str, ...] = ()


NOTHING = Cell("–")
"""There is nothing to do: a feature that only reads has nothing to write."""


def yes(*tests: str) -> Cell:
    """It works, and these tests show it."""
    return Cell("yes", tests)


def no(*tests: str) -> Cell:
    """It is refused, and these tests show how."""
    return Cell("no", tests)


def partly(text: str, *tests: str) -> Cell:
    """It works as far as the text says."""
    return Cell(text, tests)


def path(test: str) -> Path:
    """The file of a test or spec.

    Raises:
        LookupError: there is none of that name.
    """
    if "::" not in test:
        found = [*_SPECS.glob(f"*/src/test/**/{test}.scala")]
        if len(found) != 1:
            raise LookupError(f"there are {len(found)} specs {test}")
        return found[0]
    folder, _, name = test.partition("::")[0].partition("/")
    file = TESTS / folder / f"test_{name}.py"
    if not file.exists():
        raise LookupError(f"there is no file {file.relative_to(TESTS)}")
    return file


@cache
def _functions(file: Path) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def problems(test: str) -> list[str]:
    """Why a test cannot show anything: it is not there, or each run skips it."""
    try:
        file = path(test)
    except LookupError as error:
        return [str(error)]
    if "::" not in test:
        return []
    function = _functions(file).get(f"test_{test.partition('::')[2]}")
    if function is None:
        return [f"{test} is no test"]
    marks = [ast.unparse(mark) for mark in function.decorator_list]
    return [f"{test} is skipped" for mark in marks if re.search(r"mark\.skip\b", mark)]


def is_about(test: str, words: tuple[str, ...]) -> bool:
    """Whether one of the words stands in the file of the test, as a word of its own."""
    text = path(test).read_text(encoding="utf-8")
    return any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in words)
