"""The example lake, made once for each kind of catalog database; tests must not change it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.example import make_example
from support.lakes import CatalogKind, Lake, LakeFactory

_examples: dict[CatalogKind, Lake] = {}


@pytest.fixture
def example(lakes: LakeFactory, kind: CatalogKind) -> Lake:
    """The example lake."""
    if kind not in _examples:
        _examples[kind] = lakes.new(kind)
        make_example(_examples[kind])
    return _examples[kind]


@pytest.fixture
def catalog(example: Lake, register: Callable[..., str]) -> str:
    """The name under which the example lake is registered for this test."""
    return register(example)
