"""CALL rollback_to_snapshot of a whole lake: what is in no table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.catalogdb import read_catalog
from support.lakes import LakeFactory
from support.peer import Peer, made

Register = Callable[..., str]

MACROS = {
    "other parameters": (["CREATE MACRO m(a, b) AS a - b"], ["CREATE MACRO m(b, a) AS a - b"]),
    "a default of another type": (
        ["CREATE MACRO m(a := 1) AS typeof(a)"],
        ["CREATE MACRO m(a := '1') AS typeof(a)"],
    ),
    "a schema in another folder": (
        ['CREATE SCHEMA "my s"', 'CREATE MACRO "my s".m() AS 1'],
        ['CREATE SCHEMA "my s"', 'CREATE MACRO "my s".m() AS 1'],
    ),
}
"""What makes a macro, and what makes another one of its name."""


@pytest.mark.parametrize("case", MACROS)
def test_a_lake_with_another_macro_does_not_go_back(
    spark: SparkSession, lakes: LakeFactory, register: Register, case: str
) -> None:
    lake = lakes.new("sqlite")
    before, after = MACROS[case]
    drop = "DROP MACRO m" if len(before) == 1 else 'DROP SCHEMA "my s" CASCADE'
    with Peer(lake) as peer:
        peer.run(*before)
        past = peer.head()
        peer.run(drop, *after)
    catalog = register(lake)
    known = read_catalog(lake)

    call = f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => {past})"
    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "other macros", ".m)")

    assert read_catalog(lake) == known


def test_a_macro_that_was_made_again_is_no_other(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    macro = "CREATE OR REPLACE MACRO s.m(a, b := 2) AS a - b"
    made(lake, "CREATE SCHEMA s", macro, "DROP SCHEMA s CASCADE", "CREATE SCHEMA s", macro)
    made(lake, "CREATE TABLE t (a INT)")
    catalog = register(lake)

    call = f"CALL {catalog}.system.rollback_to_snapshot(snapshot_version => 2)"
    assert rows(spark, call) == [("main", "t", 7)]

    with Peer(lake) as peer:
        assert peer.rows("SELECT s.m(5)") == [(3,)]
