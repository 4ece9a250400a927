"""The proxy in front of PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.postgres import PostgresServer
from support.proxy import PostgresProxy


@pytest.fixture(scope="session")
def proxy(server: PostgresServer) -> Iterator[PostgresProxy]:
    """One proxy for the run."""
    with PostgresProxy(server) as running:
        yield running
