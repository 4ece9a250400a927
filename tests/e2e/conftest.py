"""Shared by modules: the example lake, and the lakes on which cases of MERGE are played."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import SparkSession

from support.example import make_example
from support.lakes import CatalogKind, Lake, LakeFactory
from support.merging import Stage

_examples: dict[CatalogKind, Lake] = {}


@pytest.fixture
def examples(lakes: LakeFactory) -> Callable[[CatalogKind], Lake]:
    """The example lakes, one made for each kind of catalog database; tests must not change them."""

    def of_kind(kind: CatalogKind) -> Lake:
        if kind not in _examples:
            _examples[kind] = lakes.new(kind)
            make_example(_examples[kind])
        return _examples[kind]

    return of_kind


@pytest.fixture
def example(examples: Callable[[CatalogKind], Lake], kind: CatalogKind) -> Lake:
    """The example lake on each kind of catalog database."""
    return examples(kind)


@pytest.fixture
def catalog(example: Lake, register: Callable[..., str]) -> str:
    """The name under which the example lake is registered for this test."""
    return register(example)


@pytest.fixture(scope="module")
def stage(
    request: pytest.FixtureRequest, spark: SparkSession, lakes: LakeFactory
) -> Iterator[Stage]:
    """The lakes on which a module plays its `CASES`."""
    made = Stage(spark, lakes, request.path.stem, request.module.CASES)
    yield made
    assert made.complaints() == []
