"""DuckDB and Spark side by side: random queries on random lakes give the same rows.

DuckDB answers from a copy of the table, read whole at the snapshot, so that it judges by its
reading of the lake and its SQL, without its own pruning. DUCKLAKE_SEED repeats one seed,
the full sweep runs many, on every database.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession

from support.canonical import Value
from support.compare import arrow_table, unordered_differences
from support.expected import Column
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer
from support.pools import pool_of
from support.randomlake import RandomLake
from support.randomquery import OTHER, SOURCE, Query, random_query
from support.sweep import FULL

SEEDS = [int(os.environ["DUCKLAKE_SEED"])] if "DUCKLAKE_SEED" in os.environ else [1]
if FULL:
    SEEDS = list(range(1, 8))
STEPS = 40 if FULL else 25
VERSIONS = 12 if FULL else 3
QUERIES = 25 if FULL else 8
TABLES = ("t", "u")


def copied(peer: Peer, table: str, version: int) -> tuple[str, list[str]]:
    """A copy of a table at a snapshot in DuckDB's memory, and the names of its pooled columns."""
    copy = f"memory.main.{table}_{version}"
    peer.run(
        f"CREATE TABLE IF NOT EXISTS {copy} AS"
        f" SELECT rowid, * FROM lake.main.{table} AT (VERSION => {version})"
    )
    columns = [str(row[0]) for row in peer.rows(f"DESCRIBE {copy}")]
    return copy, [name for name in columns if pool_of(name)]


@dataclass(frozen=True)
class Answer:
    """What DuckDB answers to a query at a snapshot."""

    version: int
    query: Query
    columns: tuple[Column, ...]
    rows: list[list[Value]]


def asked(peer: Peer, chance: random.Random, version: int) -> list[Answer]:
    """Random queries at one snapshot, with DuckDB's answers."""
    (t, columns), (u, _) = copied(peer, "t", version), copied(peer, "u", version)
    found = []
    for _ in range(QUERIES):
        query = random_query(chance, columns)
        answer = peer.texts(query.duck.replace(SOURCE, t).replace(OTHER, u))
        found.append(Answer(version, query, *answer))
    return found


def built(lake: Lake, seed: int) -> list[Answer]:
    """Make the lake, and ask DuckDB at its newest snapshot and at random older ones."""
    chance = random.Random(seed)
    with Peer(lake) as peer:
        made = RandomLake(peer, seed)
        for table in TABLES:
            made.create(table)
        first = peer.head()
        for _ in range(STEPS):
            made.step()
        versions = [peer.head(), *chance.sample(range(first, peer.head()), VERSIONS - 1)]
    # The DuckDB that altered a table may show its newer columns at older snapshots too.
    with Peer(lake) as peer:
        return [answer for version in versions for answer in asked(peer, chance, version)]


def differences(spark: SparkSession, catalog: str, answer: Answer) -> list[str]:
    """What Spark answers otherwise."""
    text = answer.query.spark
    for place, table in ((SOURCE, "t"), (OTHER, "u")):
        text = text.replace(place, f"{catalog}.main.{table} VERSION AS OF {answer.version}")
    table = arrow_table(spark.sql(text))
    found = unordered_differences(answer.columns, answer.rows, table)
    return [f"{difference}\n  Spark: {text}" for difference in found]


@pytest.mark.parametrize("seed", SEEDS)
def test_both_engines_answer_alike(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Callable[..., str],
    kind: CatalogKind,
    seed: int,
) -> None:
    print(f"repeat with DUCKLAKE_SEED={seed}")
    lake = lakes.new(kind)
    answers = built(lake, seed)

    catalog = register(lake)
    found = [text for answer in answers for text in differences(spark, catalog, answer)]

    assert not found, "\n".join(found)
