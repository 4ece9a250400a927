"""Random statements by either engine on one lake equal the same statements on a plain table.

After each step both engines read the same rows with the same row ids, and Spark's change feeds of
the step and of a random range, also across changes of columns, lead from snapshot to snapshot; so
does DuckDB's of a step. Old snapshots stay as they were. A walk that fails is repeated on new lakes
with steps left out, and the shortest that fails alike is reported. DUCKLAKE_SEED repeats one seed,
DUCKLAKE_STEPS says how many steps, DUCKLAKE_FULL=1 runs many seeds, and DUCKLAKE_SEEDS of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.lakes import CATALOG_KINDS, CatalogKind, LakeFactory
from support.objectstore import Bucket, ObjectStore
from support.peer import Peer
from support.randomcourse import Taken, planned
from support.randomsteps import CREATE_TABLE
from support.session import INTERPRETED
from support.shrinking import kind_of, shrunk
from support.sweep import FULL
from support.walk import Walk

Register = Callable[..., str]
STEPS = int(os.environ.get("DUCKLAKE_STEPS", "67" if FULL else "20"))
CASES: list[tuple[CatalogKind, int]] = [
    (kind, limit) for kind in CATALOG_KINDS for limit in (0, 10, 1000)
]
OWN_SEEDS = int(os.environ.get("DUCKLAKE_SEEDS", "4" if FULL else "0"))


def seeds(place: int) -> list[int]:
    """The seeds of a case: seed 1, and in a full run others that no other case has.

    A course that went well on one database seldom fails on the next one; another course may.
    """
    if chosen := os.environ.get("DUCKLAKE_SEED"):
        return [int(chosen)]
    return [1, *(2 + place + turn * len(CASES) for turn in range(OWN_SEEDS))]


WALKS = [(*case, seed) for place, case in enumerate(CASES) for seed in seeds(place)]
COMPILED = (10, 9)
"""The limit and the greatest seed of walks whose queries Spark compiles; the others go faster."""

Walks = Callable[[], AbstractContextManager[Walk]]


@pytest.fixture
def bucket(request: pytest.FixtureRequest) -> Bucket | None:
    """Where the files of the lakes go; without a parameter to local folders."""
    if not hasattr(request, "param"):
        return None
    store: ObjectStore = request.getfixturevalue("store")
    return store.bucket(request.param)


@pytest.fixture
def walks(
    kind: CatalogKind,
    limit: int,
    seed: int,
    bucket: Bucket | None,
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
) -> Walks:
    """Makes new lakes with an empty table."""

    @contextmanager
    def new() -> Iterator[Walk]:
        lake, session = lakes.new(kind, bucket), spark.newSession()
        with Peer(lake, f"DATA_INLINING_ROW_LIMIT {limit}") as peer:
            peer.run(CREATE_TABLE.replace("{t}", "t"))
        is_compiled = limit == COMPILED[0] and seed <= COMPILED[1]
        for key, value in () if is_compiled else INTERPRETED.items():
            session.conf.set(key, value)
        catalog = register(lake, {"data-inlining-row-limit": str(limit)}, session)
        with duckdb.connect() as plain, closing(Walk(session, catalog, lake, limit, plain)) as walk:
            plain.execute(CREATE_TABLE.replace("{t}", "t"))
            yield walk

    return new


@pytest.mark.parametrize(("kind", "limit", "seed"), WALKS)
def test_random_steps(walks: Walks, seed: int) -> None:
    go(walks, list(planned(seed, STEPS)), seed)


@pytest.mark.parametrize("bucket", ["walks"], indirect=True)
@pytest.mark.parametrize(("kind", "limit", "seed"), [("sqlite", 4, 5)])
def test_random_steps_in_a_bucket(walks: Walks, seed: int) -> None:
    go(walks, list(planned(seed, STEPS // 2)), seed)


def go(walks: Walks, course: Sequence[Taken], seed: int) -> None:
    """Takes the steps; a failure comes with the shortest course that fails alike."""
    with walks() as walk:
        try:
            walk.go(course, seed)
        except Exception as failure:
            raise AssertionError(report(walks, walk.done, seed, kind_of(failure))) from failure


def report(walks: Walks, done: Sequence[Taken], seed: int, kind: str) -> str:
    """What a report says of a walk that failed."""

    def fails(course: list[Taken]) -> bool:
        with walks() as again:
            try:
                again.go(course, seed)
            except Exception as failure:
                return kind_of(failure) == kind
        return False

    short = shrunk(done, fails)
    return f"{kind}, seed {seed}, {len(short)} of {len(done)} steps:\n" + "\n".join(map(str, short))
