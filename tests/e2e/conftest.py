"""Shared by modules: the example lake, lakes in a bucket or read as streams, lakes for MERGE."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support import deltasources
from support.deltasources import DeltaSources
from support.example import make_example
from support.invariants import Scope, check
from support.lakes import CatalogKind, Lake, LakeFactory
from support.merging import Stage
from support.objectstore import Bucket, ObjectStore
from support.peer import Peer, committed_by_peers, made
from support.session import delta_jars, delta_python
from support.streams import Stream
from support.sweep import is_left_out


@pytest.fixture(scope="session")
def examples(lakes: LakeFactory) -> Callable[[CatalogKind], Lake]:
    """The example lakes, one made for each kind of catalog database; tests must not change them."""
    found: dict[CatalogKind, Lake] = {}

    def of_kind(kind: CatalogKind) -> Lake:
        if kind not in found:
            found[kind] = lakes.new(kind)
            make_example(found[kind])
        return found[kind]

    return of_kind


@pytest.fixture
def example(examples: Callable[[CatalogKind], Lake], kind: CatalogKind) -> Lake:
    """The example lake on each kind of catalog database."""
    return examples(kind)


@pytest.fixture
def catalog(example: Lake, register: Callable[..., str]) -> str:
    """The name under which the example lake is registered for this test."""
    return register(example)


@pytest.fixture(scope="session")
def deltas(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> DeltaSources:
    """The tables of Delta, which takes a Spark of its own to make; tests must not change them.

    The versions of a table are there for tests that have it as their parameter `versioned`.
    """
    asked = {
        str(item.callspec.params["versioned"])
        for item in request.session.items
        if "deltas" in getattr(item, "fixturenames", ())
        and "versioned" in item.fixturenames
        and not is_left_out(item)
    }
    folder = tmp_path_factory.mktemp("delta tables")
    return deltasources.make(folder, delta_python(), delta_jars(), asked)


@pytest.fixture(scope="session")
def bucket(store: ObjectStore) -> Bucket:
    """The bucket of the tests."""
    return store.bucket("lakes")


@pytest.fixture
def stored_lake(
    request: pytest.FixtureRequest, lakes: LakeFactory, bucket: Bucket
) -> Iterator[Lake]:
    """A lake in the bucket, with a file of a hundred rows that DuckDB wrote."""
    new = lakes.new("sqlite", bucket)
    made(new, "CREATE TABLE t AS SELECT i AS a, 'x' || i AS b FROM range(100) r(i)")
    yield new
    if not request.node.get_closest_marker("damages"):
        assert check(new, Scope(frozenset(committed_by_peers[new.uri]))) == []


@pytest.fixture(scope="module")
def stage(
    request: pytest.FixtureRequest, spark: SparkSession, lakes: LakeFactory
) -> Iterator[Stage]:
    """The lakes on which a module plays those of its `CASES` that the run has."""
    played = {
        (item.callspec.params["number"], item.callspec.params["layout"])
        for item in request.session.items
        if item.path == request.path and "stage" in getattr(item, "fixturenames", ())
    }
    built = Stage(spark, lakes, request.path.stem, request.module.CASES, played)
    yield built
    assert built.complaints() == []


@pytest.fixture
def stream(spark: SparkSession, lake: Lake, register: Callable[..., str], tmp_path: Path) -> Stream:
    """A stream of a lake with a table `t` of three rows, one of them deleted."""
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (id BIGINT, name VARCHAR)",
            "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')",
            "DELETE FROM t WHERE id = 2",
        )
    return Stream(spark, tmp_path, register(lake))
