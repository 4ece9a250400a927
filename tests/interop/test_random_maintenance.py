"""Maintenance of lakes with a random history: Spark's calls give and leave what DuckDB's do.

Two lakes get the same statements from DuckDB. Then DuckDB makes a call on the one, Spark on the
other. DUCKLAKE_SEED repeats one seed, the full sweep makes every call with many.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession

from interop.test_replayed_maintenance import comparable, files, tables
from support.catalogdb import execute, read_catalog
from support.expiring import OWN_COLUMNS, leftovers
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.metadata import compare
from support.peer import Peer, committed_by_peers
from support.randomsteps import CREATE_TABLE, RandomSteps
from support.sweep import FULL

Register = Callable[..., str]
Rows = list[tuple[Any, ...]]

STEPS = 25
INLINED = "DATA_INLINING_ROW_LIMIT 10"
CHOSEN = os.environ.get("DUCKLAKE_SEED")

FLUSH = "flush_inlined_data()"
EXPIRE = "expire_snapshots(versions => [{gone}])"
CALLS = {
    "flush": ([], FLUSH),
    "merge": ([], "merge_adjacent_files()"),
    "rewrite": ([FLUSH], "rewrite_data_files(delete_threshold => 0.2)"),
    "expire": ([], EXPIRE),
    "cleanup": ([EXPIRE], "cleanup_old_files(cleanup_all => true)"),
}
"""What DuckDB calls on both lakes, and the call itself. DuckDB's rewrite fails where the catalog
keeps rows of an older shape of the table."""

RENUMBER = """
UPDATE ducklake_delete_file SET delete_file_id = 1000000 + (
    SELECT COUNT(*) FROM ducklake_delete_file AS other
    WHERE (other.data_file_id, other.begin_snapshot)
        < (ducklake_delete_file.data_file_id, ducklake_delete_file.begin_snapshot))
"""
"""DuckDB numbers the delete files of one statement in no certain order."""

SEEDS = [int(CHOSEN)] if CHOSEN else list(range(1, 21))
CASES = [(call, seed) for seed in SEEDS for call in CALLS]
if not (FULL or CHOSEN):
    CASES = [(call, number + 1) for number, call in enumerate(CALLS)]


def lived(lake: Lake, seed: int) -> Lake:
    """The lake with the history of a seed."""
    random_steps = RandomSteps(seed)
    steps = [random_steps.next() for _ in range(STEPS)]
    with Peer(lake, INLINED) as peer:
        peer.run(CREATE_TABLE.replace("{t}", "t"))
    while steps:
        # Anew after a change of shape: DuckDB takes later bounds of such a column for unknown.
        with Peer(lake, INLINED) as peer:
            while steps:
                step = steps.pop(0)
                peer.run(*step.duckdb.replace("{t}", "t").split("; "))
                if step.kind == "shape":
                    break
    return lake


def of_duckdb(call: str) -> str:
    """The call as DuckDB writes it."""
    name, _, arguments = call.partition("(")
    return f"CALL ducklake_{name}('lake'{', ' if arguments != ')' else ''}{arguments}"


def of_spark(call: str, catalog: str) -> str:
    """The call as Spark writes it."""
    return f"CALL {catalog}.system.{call}".replace("[", "array(").replace("]", ")")


def without_ids(found: dict[str, Rows]) -> dict[str, Rows]:
    """The rows of each table."""
    return {table: sorted((row[1:] for row in rows), key=str) for table, rows in found.items()}


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_spark_maintains_as_duckdb_does(
    lakes: LakeFactory,
    kind: CatalogKind,
    spark: SparkSession,
    register: Register,
    name: str,
    seed: int,
) -> None:
    theirs, ours = lived(lakes.new(kind), seed), lived(lakes.new(kind), seed)
    with Peer(ours) as peer:
        head = peer.head()
    gone = sorted(random.Random(seed).sample(range(1, head), head // 2))
    first, call = CALLS[name]
    *before, call = (each.replace("{gone}", ", ".join(map(str, gone))) for each in (*first, call))
    for lake in (theirs, ours):
        with Peer(lake, INLINED) as peer:
            peer.run(*map(of_duckdb, before))
    known, complaints = tables(ours), check(ours, Scope(frozenset(), frozenset(gone)))

    with Peer(theirs, INLINED) as peer:
        expected = peer.rows(of_duckdb(call))
    found = spark.sql(of_spark(call, register(ours))).drop(*OWN_COLUMNS).collect()

    assert comparable(map(tuple, found)) == comparable(expected)
    assert tables(ours) == known
    assert without_ids(tables(theirs)) == without_ids(known)
    if name != "flush":  # Spark's files of a flush are others (decision 03).
        assert files(ours) == files(theirs)
    expired = frozenset(gone) if name in ("expire", "cleanup") else frozenset()
    is_theirs = frozenset(committed_by_peers[ours.uri])
    scope = Scope(is_theirs, expired, has_duckdb_expired=name == "cleanup")
    assert [new for new in check(ours, scope) if new not in complaints] == []
    if name in ("expire", "cleanup"):
        execute(theirs, *leftovers(theirs), RENUMBER)
        execute(ours, RENUMBER)
        assert compare(read_catalog(theirs), read_catalog(ours)).report("DuckDB", "Spark") == ""
