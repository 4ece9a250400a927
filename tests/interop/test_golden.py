"""The catalog rows of each statement: those of Spark are those that DuckDB writes for the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession

from interop.golden import ALLOWED, CASES
from interop.golden_case import Case
from interop.golden_shapes import VIEWS
from support.catalogdb import Catalog, read_catalog
from support.invariants import Scope, check
from support.lakes import CATALOG_KINDS, CatalogKind, Lake, LakeFactory
from support.lines import MADE_VIEWS, since
from support.metadata import compare, with_files_in_order
from support.peer import Peer
from support.sweep import FULL, only_in_the_full_sweep

Register = Callable[..., str]
LIMITS = (0, 10)


def combinations() -> list[Any]:
    """Rows are compared at limit 0, shapes at both; on SQLite, and in full runs everywhere."""
    return [
        pytest.param(case, kind, limit, marks=[since(MADE_VIEWS)] if case is VIEWS else [])
        for case in CASES
        for kind in CATALOG_KINDS
        for limit in LIMITS
        if not (case.has_rows and limit)
        and (FULL or kind == "sqlite" or (limit == 10 and case.name.startswith("columns")))
    ]


def id_of(value: object) -> str:
    """How a parameter is called in the name of the test."""
    return value.name if isinstance(value, Case) else str(value)


def new_lake(lakes: LakeFactory, kind: CatalogKind, limit: int) -> Lake:
    """A lake that DuckDB created, with its inlining limit stored."""
    made = lakes.new(kind)
    with Peer(made) as peer:
        peer.run(f"CALL lake.set_option('data_inlining_row_limit', {limit})")
    return made


def catalog_of(lake: Lake, case: Case) -> Catalog:
    """The rows of a lake that the case made."""
    read = read_catalog(lake)
    return with_files_in_order(read) if case.has_many_files else read


def by_duckdb(lake: Lake, case: Case) -> Catalog:
    """The case run by DuckDB."""
    with Peer(lake) as peer:
        peer.run(*case.of_duckdb())
    return catalog_of(lake, case)


@pytest.mark.parametrize(("case", "kind", "limit"), combinations(), ids=id_of)
def test_spark_writes_what_duckdb_writes(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    case: Case,
    kind: CatalogKind,
    limit: int,
) -> None:
    theirs, ours = new_lake(lakes, kind, limit), new_lake(lakes, kind, limit)
    expected = by_duckdb(theirs, case)

    for statement in case.of_spark(register(ours)):
        spark.sql(statement).collect()

    compared = compare(expected, catalog_of(ours, case), ALLOWED)
    assert compared.report("DuckDB", "Spark") == ""
    assert compared.met == set(case.allowed)
    assert check(ours, Scope(is_free_of_orphans=True)) == []


@only_in_the_full_sweep("of DuckDB alone, whose version is pinned")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_duckdb_writes_the_same_twice(lakes: LakeFactory, case: Case) -> None:
    limit = 0 if case.has_rows else 10
    one, other = (by_duckdb(new_lake(lakes, "sqlite", limit), case) for _ in range(2))

    assert compare(one, other).report("first", "second") == ""
