"""The matrix of the page about conflicts says what the tests of all pairs expect."""

from __future__ import annotations

import pytest

from concurrency import pairs
from concurrency.pairs import Mine
from support.pages import DOCS, matrix

ROWS = {
    "insert": (pairs.INSERT, pairs.INLINED_INSERT),
    "delete": (pairs.DELETE, pairs.INLINED_FILE_DELETE),
    "update": (pairs.UPDATE,),
    "merge": (pairs.MERGE_THAT_INSERTS,),
    "delete of an inlined row": (pairs.INLINED_DELETE,),
    "replace where": (pairs.REPLACE,),
    "overwrite": (pairs.OVERWRITE,),
    "truncate": (pairs.TRUNCATE,),
    "flush": (pairs.FLUSH,),
    "merge files": (pairs.MERGE_FILES, pairs.REWRITE_FILES),
    "rollback": (pairs.ROLLBACK,),
}
COLUMNS = {
    "drop": {"drop"},
    "alter": {"alter"},
    "comment": {"comment"},
    "insert": {"insert", "inlined insert"},
    "delete, other rows": {"delete, same file", "delete, other file", "inlined delete"},
    "flush": {"flush"},
    "merge": {"merge"},
    "rewrite": {"rewrite"},
    "rename": {"rename"},
}
"""What others do. Statements that delete the same rows are a row of their own among the pairs."""


MATRIX = matrix(DOCS / "conflicts.md", "The matrix of Spark")


def test_the_matrix_has_all_rows_and_columns() -> None:
    assert set(MATRIX) == set(ROWS)
    assert all(set(cells) == {*COLUMNS, "delete, same rows"} for cells in MATRIX.values())


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_matrix(row: str) -> None:
    found = MATRIX[row]
    for column, kinds in COLUMNS.items():
        assert {found[column]} == {cell(mine, kinds) for mine in ROWS[row]}, column


def cell(mine: Mine, kinds: set[str]) -> str:
    """Whether a statement conflicts with such changes."""
    clashing = mine.clashes & kinds
    assert clashing in (frozenset(), kinds), (mine.name, kinds)
    return "✗" if clashing else "✓"


def test_deletes_of_the_same_rows_are_conflicts() -> None:
    same = pairs.DELETE_OF_THE_SAME_ROW.clashes
    assert {"delete, same file", "inlined delete of file rows"} <= same
    found = {row: cells["delete, same rows"] for row, cells in MATRIX.items()}
    free = {"insert", "truncate", "flush", "merge files"}
    assert found == {row: "✓" if row in free else "✗" for row in ROWS}
