"""Variant values of both engines as a pair of kind and text, without the width of numbers.

A time of day is text in Spark, whose variants know no such type; so are columns of that type.
"""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal

from pyspark.sql.types import VariantVal

VariantText = tuple[str, str]

_DUCKDB_KINDS = {
    "BOOL_TRUE": "boolean",
    "BOOL_FALSE": "boolean",
    "TIMESTAMP_MICROS": "timestamp_ntz",
    "TIMESTAMP_MICROS_TZ": "timestamp",
    "TIME_MICROS": "text",
    "DATE": "date",
    "UUID": "uuid",
    "BLOB": "blob",
    "VARCHAR": "text",
    "VARIANT_NULL": "null",
}
_UUID_HEADER = 20 << 2


def from_duckdb(value: dict[str, str | None]) -> VariantText:
    """The pair for a variant that DuckDB printed as `variant_typeof` and text.

    Numbers are one kind: DuckDB itself reads an integer of eight bytes back as one of four.
    """
    kind, text = str(value["type"]), str(value["value"])
    if kind.startswith(("INT", "UINT", "DECIMAL", "DOUBLE", "FLOAT")):
        return "number", _number(float(text) if kind in ("DOUBLE", "FLOAT") else Decimal(text))
    return _DUCKDB_KINDS.get(kind, kind.partition("(")[0].lower()), text


def from_spark(value: bytes, metadata: bytes) -> VariantText:
    """The pair for the two binaries of a Spark variant."""
    if value[0] == _UUID_HEADER:
        return "uuid", str(uuid.UUID(bytes=value[1:17]))
    content = VariantVal(value, metadata).toPython()
    return _kind(content), _text(content)


def _kind(content: object) -> str:
    match content:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float() | Decimal():
            return "number"
        case str():
            return "text"
        case bytes():
            return "blob"
        case datetime.datetime():
            return "timestamp" if content.tzinfo else "timestamp_ntz"
        case datetime.date():
            return "date"
        case list():
            return "array"
        case dict():
            return "object"
    raise TypeError(f"unexpected content of a variant: {content!r}")


def _text(content: object) -> str:
    """The text DuckDB prints for the content."""
    match content:
        case None:
            return "NULL"
        case bool():
            return str(content).lower()
        case float():
            return _number(content)
        case int() | Decimal():
            return _number(content) if isinstance(content, Decimal) else str(content)
        case bytes():
            return "".join(
                chr(b) if 32 <= b < 127 and chr(b) not in "\\'\"" else f"\\x{b:02X}"
                for b in content
            )
        case datetime.datetime():
            text = content.replace(tzinfo=None).isoformat(" ")
            text = text.rstrip("0") if "." in text else text
            return text + "+00" if content.tzinfo else text
        case list():
            return "[" + ", ".join(_text(item) for item in content) + "]"
        case dict():
            pairs = (f"'{name}': {_nested(item)}" for name, item in content.items())
            return "{" + ", ".join(pairs) + "}"
    return str(content)


def _nested(item: object) -> str:
    """Numbers inside an object keep the point that DuckDB prints for a double."""
    if isinstance(item, Decimal):
        return str(float(item))
    return repr(item) if isinstance(item, float) else _text(item)


def _number(value: float | Decimal) -> str:
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    text = f"{exact:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
