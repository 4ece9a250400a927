"""Which statements DuckDB refuses beside others of DuckDB: the page about conflicts says it."""

from __future__ import annotations

import duckdb
import pytest

from concurrency.pairs import SETUP, THEIRS
from support.lakes import LakeFactory
from support.pages import DOCS, matrix
from support.peer import Peer

SECOND = {
    "insert": "INSERT INTO {c}.main.t{n} VALUES (5000, 5)",
    "delete": "DELETE FROM {c}.main.t{n} WHERE a < 15",
    "update": "UPDATE {c}.main.t{n} SET b = 9 WHERE a < 15",
    "inlined delete": "DELETE FROM {c}.main.t{n} WHERE a = 1000",
}
"""The two rows of maintenance are not run: a flush in a transaction keeps others waiting."""
FIRST = {each.name: each.duckdb for each in THEIRS}
DELETED_BEFORE, REWRITE = FIRST["rewrite"].split(";")


MATRIX = matrix(DOCS / "conflicts.md", "The matrix of DuckDB 1.5.5")


@pytest.mark.parametrize("second", SECOND)
def test_duckdb_refuses_what_the_page_says(lakes: LakeFactory, second: str) -> None:
    lake = lakes.new("postgres")
    found = {}
    with Peer(lake) as peer, Peer(lake) as other:
        for first in MATRIX[second]:
            names = {"{c}": "lake", "{n}": str(peer.head())}
            setup = f"{SETUP};{DELETED_BEFORE}" if first == "rewrite" else SETUP
            peer.run(*replaced(setup, names))
            peer.run("BEGIN", *replaced(SECOND[second], names))
            other.run(*replaced(REWRITE if first == "rewrite" else FIRST[first], names))
            try:
                peer.run("COMMIT")
                found[first] = "✓"
            except duckdb.Error as error:
                assert "another transaction" in str(error), (first, error)
                found[first] = "✗"
    assert found == MATRIX[second]


def replaced(sql: str, names: dict[str, str]) -> list[str]:
    """The statements with the names of one pair."""
    for name, real in names.items():
        sql = sql.replace(name, real)
    return sql.split(";")
