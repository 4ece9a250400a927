"""The options of a lake that decide what upkeep does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import TypeVar

from ducklake_spark_catalog.failure import Failure
from ducklake_spark_report.asking import Asking

_TARGET_SIZE = 512 << 20
_DELETED_SHARE = 0.95
_LARGEST = (1 << 63) - 1

_Number = TypeVar("_Number", int, float)

Scope = tuple[str, str | None, int | None]
"""The name of an option, and what it is set for: a kind, and an id; None for the whole lake."""


@dataclass(frozen=True)
class Limits:
    """What the options say about one table.

    Attributes:
        target_size: bytes from which on a file is not merged.
        deleted_share: the share of deleted rows from which on a file is rewritten.
        is_compacted: whether upkeep of the whole lake includes it.
    """

    target_size: int
    deleted_share: float
    is_compacted: bool


@dataclass(frozen=True)
class Options:
    """The options that are stored, as texts."""

    stored: Mapping[Scope, str]

    def of_lake(self, name: str) -> str | None:
        """What is set for the whole lake."""
        return self.stored.get((name, None, None))

    def limits(self, table: int, schema: int) -> Limits:
        """What counts for a table: its own options, those of its schema, or those of the lake.

        Raises:
            Failure: one of them is no number.

        Example:
            >>> target = ("target_file_size", "table", 1)
            >>> options = Options({target: "0", ("rewrite_delete_threshold", None, None): "nan"})
            >>> options.limits(1, 0)
            Limits(target_size=0, deleted_share=0.0, is_compacted=True)
            >>> options.limits(2, 0).target_size
            536870912
            >>> Options({target: "18446744073709551615"}).limits(1, 0).target_size
            9223372036854775807
        """

        def option(name: str) -> str | None:
            scopes = (("table", table), ("schema", schema), (None, None))
            texts = (self.stored.get((name, *scope)) for scope in scopes)
            return next((text for text in texts if text is not None), None)

        size, share = option("target_file_size"), option("rewrite_delete_threshold")
        return Limits(
            _TARGET_SIZE if size is None else _number("target_file_size", size, _size),
            _DELETED_SHARE if share is None else _number("rewrite_delete_threshold", share, _share),
            option("auto_compact") != "false",
        )


def options(asking: Asking) -> Options:
    """The options of the lake; of one that two sessions stored twice, the last counts."""
    rows = asking.rows('SELECT "key" AS name, "value" AS text, scope, scope_id FROM {metadata}')
    return Options({(row["name"], row["scope"], row["scope_id"]): str(row["text"]) for row in rows})


def _size(text: str) -> int:
    """Bytes. DuckDB takes `-1` for 2^64 - 1, which is more than a database counts."""
    return min(int(text), _LARGEST)


def _share(text: str) -> float:
    """A share. DuckDB takes `nan`, and rewrites every file with deletes then."""
    share = float(text)
    return 0.0 if isnan(share) else share


def _number(name: str, text: str, read: Callable[[str], _Number]) -> _Number:
    try:
        return read(text)
    except ValueError:
        raise Failure(f"The option {name} of the lake is `{text}`, which is no number.") from None
