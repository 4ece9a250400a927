"""What DuckDB finds in Parquet files: footers, schema nodes, expressions for their leaves."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import duckdb

from support.peer import connect, identifier, literal

ROW_ID_FIELD = 2147483540
SNAPSHOT_FIELD = 2147483539


@dataclass
class Node:
    """A node of a Parquet schema; `kind` is the DuckDB type of a leaf."""

    name: str
    field_id: int | None
    kind: str | None
    logical: str | None
    repetition: str
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Footer:
    """What the end of a file says, and its own length."""

    rows: int
    footer_size: int
    created_by: str
    nodes: tuple[Node, ...]

    @property
    def is_duckdb(self) -> bool:
        """Whether DuckDB wrote the file."""
        return self.created_by.startswith("DuckDB")

    @property
    def top_ids(self) -> set[int | None]:
        """The field ids of the top-level columns."""
        return {node.field_id for node in self.nodes}


@dataclass(frozen=True)
class Leaf:
    """A leaf of a file: its field id, and SQL for its value or for the list of its values."""

    field_id: int | None
    expression: str
    is_list: bool


@cache
def connection() -> duckdb.DuckDBPyConnection:
    """The one DuckDB that looks into files."""
    return connect()


_known: dict[tuple[Path, int, int], Footer] = {}


def footers(paths: Sequence[Path]) -> dict[Path, Footer]:
    """The footers of Parquet files; each file is looked at once."""
    keys = {path: _identity(path) for path in paths}
    missing = [path for path, key in keys.items() if key not in _known]
    if missing:
        _known.update({keys[path]: footer for path, footer in _read(missing).items()})
    return {path: _known[key] for path, key in keys.items()}


def _identity(path: Path) -> tuple[Path, int, int]:
    status = os.stat(path)
    return path, status.st_size, status.st_mtime_ns


def scan(path: Path, *options: str) -> str:
    """The rows of a file as DuckDB names them; `c=1` in its path says nothing of a column `c`."""
    return f"read_parquet({', '.join([literal(str(path)), 'hive_partitioning = false', *options])})"


def _read(paths: Sequence[Path]) -> dict[Path, Footer]:
    files = "[" + ", ".join(literal(str(path)) for path in paths) + "]"
    described = connection().execute(
        f"SELECT file_name, num_rows, footer_size, created_by FROM parquet_file_metadata({files})"
    )
    facts = {Path(name): rest for name, *rest in described.fetchall()}
    nodes: dict[Path, list[tuple[Node, int]]] = {path: [] for path in paths}
    schema = connection().execute(
        "SELECT file_name, name, field_id, duckdb_type, logical_type, repetition_type,"
        f" num_children FROM parquet_schema({files})"
    )
    for name, node, field_id, kind, logical, repetition, children in schema.fetchall():
        new = Node(node, field_id, kind, logical, repetition)
        nodes[Path(name)].append((new, children or 0))
    return {
        path: Footer(rows, size, by or "", tuple(_tree(iter(nodes[path])).children))
        for path, (rows, size, by) in facts.items()
    }


def _tree(flat: Iterator[tuple[Node, int]]) -> Node:
    """The first node with its children, which follow it depth first."""
    node, count = next(flat)
    node.children = [_tree(flat) for _ in range(count)]
    return node


def leaves(nodes: Iterable[Node]) -> Iterator[Leaf]:
    """The leaves that have values of plain types; variants have none."""
    for node in nodes:
        yield from _leaves(node, identifier(node.name), is_list=False)


def _leaves(node: Node, value: str, *, is_list: bool) -> Iterator[Leaf]:
    if not node.children:
        yield Leaf(node.field_id, value, is_list)
        return
    names = [child.name for child in node.children]
    if "metadata" in names and "value" in names and len(names) <= 3:
        return
    (middle, *others) = node.children
    if not others and middle.repetition == "REPEATED":
        yield from _repeated(node, middle, value, is_list=is_list)
        return
    for child in node.children:
        inner = f"struct_extract({'x' if is_list else value}, {literal(child.name)})"
        mapped = f"list_transform({value}, lambda x: {inner})" if is_list else inner
        yield from _leaves(child, mapped, is_list=is_list)


def _repeated(node: Node, middle: Node, value: str, *, is_list: bool) -> Iterator[Leaf]:
    def spread(inner: str) -> str:
        each = inner.format("x" if is_list else value)
        return f"flatten(list_transform({value}, lambda x: {each}))" if is_list else each

    if len(middle.children) == 2:
        parts = ("map_keys({})", "map_values({})")
        for child, part in zip(middle.children, parts, strict=True):
            yield from _leaves(child, spread(part), is_list=True)
    else:
        (element,) = middle.children
        yield from _leaves(element, spread("{}"), is_list=True)


def unnumbered(nodes: Iterable[Node]) -> Iterator[str]:
    """Names of nodes without a field id which need one: all but the repeated ones of lists."""
    for node in nodes:
        if node.field_id is None and node.repetition != "REPEATED":
            yield node.name
        if not _is_variant(node):
            yield from unnumbered(node.children)


def _is_variant(node: Node) -> bool:
    """Parquet's variants have parts of fixed names; DuckDB does not report their logical type."""
    names = {child.name for child in node.children if child.field_id is None}
    return {"metadata", "value"} <= names
