"""Rows of Spark as people and scripts read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Any

from pyspark.sql.types import ArrayType, DataType, MapType, StructType, TimestampType

from ducklake_spark_cli.output import plain


def rows_of(collected: Iterable[Sequence[Any]], schema: StructType) -> list[dict[str, Any]]:
    """Rows as names and values. A second column of a name gets a number: `id`, `id_2`.

    PySpark gives instants in the zone of the machine, without saying so: here they are in UTC.
    """
    return [_fields(row, schema) for row in collected]


def _fields(values: Sequence[Any], kind: StructType) -> dict[str, Any]:
    pairs = zip(values, kind.fields, strict=True)
    shown = [_shown(value, field.dataType) for value, field in pairs]
    return dict(zip(distinct(kind.names), shown, strict=True))


def distinct(names: Iterable[str]) -> list[str]:
    """Names that are each there once.

    Example:
        >>> distinct(["id", "x", "id", "id_2"])
        ['id', 'x', 'id_2', 'id_2_2']
    """
    found: dict[str, None] = {}
    for name in names:
        free, number = name, 1
        while free in found:
            number += 1
            free = f"{name}_{number}"
        found[free] = None
    return list(found)


def _shown(value: Any, kind: DataType) -> Any:  # noqa: ANN401
    if value is None:
        return None
    if isinstance(kind, StructType):
        return _fields(value, kind)
    if isinstance(kind, ArrayType):
        return [_shown(each, kind.elementType) for each in value]
    if isinstance(kind, MapType):
        return {
            _key(key, kind.keyType): _shown(each, kind.valueType) for key, each in value.items()
        }
    if isinstance(kind, TimestampType) and isinstance(value, datetime):
        return value.astimezone(timezone.utc)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _key(key: Any, kind: DataType) -> str:  # noqa: ANN401
    """A key of a map; those of JSON are texts."""
    shown = _shown(key, kind)
    return str(shown if isinstance(shown, (dict, list)) else plain(shown))
