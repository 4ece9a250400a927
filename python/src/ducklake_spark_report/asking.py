"""Queries of a report: about all tables at once, at one snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ducklake_spark_catalog.catalog import Catalog
from ducklake_spark_catalog.database import Row
from ducklake_spark_catalog.failure import Failure

VISIBLE = "begin_snapshot <= ? AND (end_snapshot IS NULL OR end_snapshot > ?)"
"""What a row of a snapshot fulfils; each parameter is the snapshot."""

PREFIXED_VISIBLE = (
    "_ducklake_begin_snapshot <= ? "
    "AND (_ducklake_end_snapshot IS NULL OR _ducklake_end_snapshot > ?)"
)
"""The same for a row of an inlined table in a lake of version 1.1."""


TABLES_AT_ONCE = 100
"""A query reads no more of the inlined tables and tables of inlined deletes, one for each table."""


_OF_DAMAGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a value raises that its column cannot have."""


@contextmanager
def told_in_words(address: str) -> Iterator[None]:
    """A block that reads rows of a catalog, which may be damaged.

    Args:
        address: of the catalog database, for messages.

    Raises:
        Failure: a row refers to one that is not there, or a value is none of its column.
    """
    try:
        yield
    except _OF_DAMAGE as error:
        why = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise Failure(f"The catalog at {address} holds rows that cannot be used: {why}.") from error


@dataclass(frozen=True)
class Asking:
    """A catalog at one snapshot."""

    catalog: Catalog
    snapshot: int

    def rows(self, query: str) -> list[Row]:
        """The rows of a query in which each parameter is the snapshot."""
        return self.catalog.database.rows(query, *[self.snapshot] * query.count("?"))
