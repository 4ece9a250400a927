"""Values of both engines in one comparable form.

From DuckDB they come as text (the form of expected.jsonl), from Spark as an Arrow table, because
PySpark cannot turn infinite dates and other extremes into Python objects. In the common form

- numbers are `Decimal`, floats their bits (one NaN; -0.0 is not 0.0), dates days since 1970 and
  timestamps microseconds since 1970, infinities the names `+infinity` and `-infinity`;
- lists are tuples, structs tuples of their fields, maps tuples of pairs in stored order;
- everything else is text, blobs as lower-case hex; NULL is None at every level.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from support import geometry, instants, variants
from support.typetext import DuckType, Leaf, ListOf, MapOf, StructOf

Value = Any
"""A value in the common form; hashable and comparable by `==`."""

_NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
_NUMBERS |= {"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}
_STAMPS = {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"}


def _float_bits(value: float, code: str) -> tuple[str, int]:
    if value != value:
        return "float", -1
    return "float", int.from_bytes(struct.pack(f">{code}", value), "big")


def from_text(value: Any, kind: DuckType) -> Value:  # noqa: ANN401
    """The common form of a value in the form of expected.jsonl."""
    if value is None:
        return None
    match kind:
        case ListOf(element):
            return tuple(from_text(item, element) for item in value)
        case MapOf(key, item):
            return tuple((from_text(e["k"], key), from_text(e["v"], item)) for e in value)
        case StructOf(fields):
            return tuple(from_text(value[name], inner) for name, inner in fields)
        case Leaf(name):
            return _leaf_from_text(value, name)


def _leaf_from_text(value: Any, name: str) -> Value:  # noqa: ANN401
    if name in _NUMBERS or name.startswith("DECIMAL("):
        return Decimal(value)
    if name in ("FLOAT", "DOUBLE"):
        return _float_bits(float(value), "f" if name == "FLOAT" else "d")
    if name == "DATE":
        return instants.days(value)
    if name in _STAMPS:
        return instants.micros(value)
    if name == "GEOMETRY":
        return geometry.from_wkt(value)
    return variants.from_duckdb(value) if name == "VARIANT" else value


def from_arrow(array: pa.Array, kind: DuckType) -> list[Value]:
    """The common form of all values of an Arrow array that Spark made."""
    valid = array.is_valid().to_pylist()
    match kind:
        case ListOf(element):
            items = from_arrow(array.values, element)
            return _slices(valid, array.offsets.to_pylist(), items)
        case MapOf(key, item):
            pairs = zip(from_arrow(array.keys, key), from_arrow(array.items, item), strict=True)
            return _slices(valid, array.offsets.to_pylist(), list(pairs))
        case StructOf(fields):
            columns = [from_arrow(array.field(i), inner) for i, (_, inner) in enumerate(fields)]
            rows = zip(*columns, strict=True)
            return [row if ok else None for ok, row in zip(valid, rows, strict=True)]
        case Leaf(name):
            return _leaves_from_arrow(array, name)


def _slices(valid: Sequence[bool], offsets: Sequence[int], items: Sequence[Value]) -> list[Value]:
    ends = zip(valid, offsets, offsets[1:], strict=False)
    return [tuple(items[start:end]) if ok else None for ok, start, end in ends]


def _leaves_from_arrow(array: pa.Array, name: str) -> list[Value]:
    convert = _leaf_converter(name)
    if name == "DATE":
        array = array.view(pa.int32())
    elif name in _STAMPS:
        array = array.view(pa.int64())
    return [None if value is None else convert(value) for value in array.to_pylist()]


def _leaf_converter(name: str) -> Callable[[Any], Value]:
    if name in _NUMBERS or name.startswith("DECIMAL("):
        return Decimal
    if name in ("FLOAT", "DOUBLE"):
        return lambda value: _float_bits(value, "f" if name == "FLOAT" else "d")
    if name == "DATE":
        return lambda value: instants.DATE_ENDS.get(value, value)
    if name in _STAMPS:
        return lambda value: instants.MICROS_ENDS.get(value, value)
    if name == "BOOLEAN":
        return lambda value: str(value).lower()
    if name == "BLOB":
        return lambda value: bytes(value).hex()
    if name == "GEOMETRY":
        return lambda value: geometry.from_wkb(bytes(value))
    if name == "VARIANT":
        return lambda value: variants.from_spark(value["value"], value["metadata"])
    return lambda value: value
