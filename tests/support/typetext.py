"""DuckDB's type names as trees: `STRUCT(a INTEGER, b VARCHAR[])` and the like."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Leaf:
    """A type without children, by DuckDB's name, for instance `DECIMAL(9,2)`."""

    name: str


@dataclass(frozen=True)
class ListOf:
    """`element[]`."""

    element: DuckType


@dataclass(frozen=True)
class StructOf:
    """`STRUCT(name type, ...)`."""

    fields: tuple[tuple[str, DuckType], ...]


@dataclass(frozen=True)
class MapOf:
    """`MAP(key, value)`."""

    key: DuckType
    value: DuckType


DuckType = Leaf | ListOf | StructOf | MapOf


def parse_type(text: str) -> DuckType:
    """The tree of a type name as DuckDB's DESCRIBE prints it.

    Raises:
        ValueError: the text is not such a name.
    """
    text = text.strip()
    if text.endswith("[]"):
        return ListOf(parse_type(text[:-2]))
    if text.startswith("STRUCT(") and text.endswith(")"):
        return StructOf(tuple(_field(part) for part in _split(text[7:-1])))
    if text.startswith("MAP(") and text.endswith(")"):
        key, value = _split(text[4:-1])
        return MapOf(parse_type(key), parse_type(value))
    if not text or text[0] in "()[]," or text.startswith(("STRUCT", "MAP")):
        raise ValueError(f"not a type of DuckDB: {text!r}")
    return Leaf(text)


def _split(text: str) -> list[str]:
    """Cut at the commas that stand outside parentheses and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for position, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif not quoted and char in "()":
            depth += 1 if char == "(" else -1
        elif not quoted and depth == 0 and char == ",":
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def _field(text: str) -> tuple[str, DuckType]:
    """Name and type of one struct field."""
    text = text.strip()
    if not text.startswith('"'):
        name, _, rest = text.partition(" ")
        return name, parse_type(rest)
    end = 1
    while text[end] != '"' or text[end + 1 : end + 2] == '"':
        end += 2 if text[end] == '"' else 1
    return text[1:end].replace('""', '"'), parse_type(text[end + 1 :])
