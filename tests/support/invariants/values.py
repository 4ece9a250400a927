"""What the data of a lake truly hold, column by column, read by DuckDB without the lake."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from support.catalogdb import Row
from support.invariants.files import footers_of
from support.invariants.model import Subject
from support.invariants.parquet import Leaf, Node, connection, leaves, scan
from support.invariants.shapes import inlined_columns
from support.peer import literal

_DUCKDB_TYPES = {
    "boolean": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "date": "DATE",
    "time": "TIME",
    "timestamp": "TIMESTAMP",
    "timestamp_us": "TIMESTAMP",
    "timestamp_s": "TIMESTAMP_S",
    "timestamp_ms": "TIMESTAMP_MS",
    "timestamp_ns": "TIMESTAMP_NS",
    "timestamptz": "TIMESTAMPTZ",
    "varchar": "VARCHAR",
    "json": "VARCHAR",
    "uuid": "UUID",
    "blob": "BLOB",
}
TEXTS = ("varchar", "json", "blob")
FLOATS = ("float32", "float64")


def comparable(column_type: str) -> str | None:
    """The DuckDB type in which values of a column are compared; None: it has no bounds."""
    if column_type.startswith("decimal"):
        return column_type.upper()
    return _DUCKDB_TYPES.get(column_type)


@dataclass(frozen=True)
class Truth:
    """What a leaf holds: slots, values that are not NULL, NaNs, least and greatest as text.

    `is_flat`: one slot for each row, so that NULLs can be counted.
    """

    slots: int
    values: int
    nans: int
    least: str | None
    greatest: str | None
    is_flat: bool = True


@lru_cache(maxsize=100)
def todays_columns(subject: Subject, table_id: int) -> dict[int, Row]:
    """The newest row of each column that the table has or had, by column id."""
    rows = [row for row in subject.rows("column") if row["table_id"] == table_id]
    return {int(r["column_id"]): r for r in sorted(rows, key=lambda r: int(r["begin_snapshot"]))}


def type_at_begin(subject: Subject, file: Row, column_id: int) -> str:
    """The type that a column had when a file came; empty when it had none."""
    begin = int(file["begin_snapshot"])
    types = (
        str(column["column_type"])
        for column in subject.rows("column")
        if (column["table_id"], column["column_id"]) == (file["table_id"], column_id)
        and subject.is_live(column, begin)
    )
    return next(types, "")


def true_of_files(subject: Subject) -> dict[int, dict[int, Truth]]:
    """What each data file holds, by file id and column id.

    Files without field ids are left out, and so is what a name mapping finds elsewhere.
    """
    found: dict[int, dict[int, Truth]] = {}
    mapped: dict[Any, set[tuple[int | None, str]]] = {}
    for row in subject.rows("name_mapping"):
        named = (int(row["target_field_id"]), row["source_name"])
        mapped.setdefault(row["mapping_id"], set()).add(named)
    for number, footer in footers_of(subject).items():
        columns = todays_columns(subject, subject.data_files[number]["table_id"])
        names = {(node.field_id, node.name) for node in _with_parts(footer.nodes)}
        names &= mapped.get(subject.data_files[number]["mapping_id"], names)
        same = {field for field, _ in names}
        known = [
            (leaf, comparable(columns[leaf.field_id]["column_type"]))
            for leaf in leaves(footer.nodes)
            if leaf.field_id in columns and leaf.field_id in same
        ]
        path = subject.files_on_disk[number]
        found[number] = _truths(path, [(leaf, kind) for leaf, kind in known if kind])
    return found


def _with_parts(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _with_parts(node.children)


def _truths(path: Path, wanted: Sequence[tuple[Leaf, str]]) -> dict[int, Truth]:
    """Plain leaves are read at once; a list has slots of its own."""
    flat = [pair for pair in wanted if not pair[0].is_list]
    found: dict[int, Truth] = {}
    for group in filter(None, [flat, *([pair] for pair in wanted if pair[0].is_list)]):
        values = ", ".join(f"{_typed(*pair)} AS v{at}" for at, pair in enumerate(group))
        facts = ", ".join(_aggregates(kind, f"v{at}") for at, (_, kind) in enumerate(group))
        query = f"SELECT {facts} FROM (SELECT {values} FROM {scan(path)})"
        (row,) = connection().execute(query).fetchall()
        for at, (leaf, _) in enumerate(group):
            truth = Truth(*row[_FACTS * at : _FACTS * (at + 1)])
            assert leaf.field_id is not None
            found[leaf.field_id] = replace(truth, is_flat=not leaf.is_list)
    return found


def _typed(leaf: Leaf, kind: str) -> str:
    value = f"unnest({leaf.expression})" if leaf.is_list else leaf.expression
    return f"hex(CAST({value} AS BLOB))" if kind == "BLOB" else f"CAST({value} AS {kind})"


_FACTS = 5
"""How many aggregates tell the truth of a leaf."""


def _aggregates(kind: str, value: str) -> str:
    is_nan = f"isnan({value})" if kind in ("FLOAT", "DOUBLE") else "false"
    kept = f"FILTER (WHERE NOT {is_nan})"
    return (
        f"count(*), count({value}), count(*) FILTER (WHERE {is_nan}),"
        f" CAST(min({value}) {kept} AS VARCHAR), CAST(max({value}) {kept} AS VARCHAR)"
    )


def true_of_inlined(subject: Subject, table_id: int, *, only_live: bool) -> dict[int, Truth]:
    """What the inlined tables of a table hold in their plain top-level columns."""
    values: dict[int, list[Any]] = defaultdict(list)
    types: dict[int, str] = {}
    today = todays_columns(subject, table_id)
    for registered in subject.rows("inlined_data_tables"):
        table = subject.catalog.tables.get(registered["table_name"])
        columns = inlined_columns(subject, registered)
        if registered["table_id"] != table_id or table is None or columns is None:
            continue
        rows = [row for row in table.rows if not only_live or subject.is_live(row)]
        held = {int(column["column_id"]) for column in columns}
        for id in today.keys() - held:
            kind = comparable(today[id]["column_type"])
            if kind is not None and today[id]["parent_column"] is None:
                types[id] = kind
                values[id] += [today[id]["initial_default"]] * len(rows)
        for column in columns:
            id = int(column["column_id"])
            kind = comparable(today[id]["column_type"])
            stored = table.types.get(column["column_name"])
            if kind is not None and stored is not None:
                types[id] = kind
                values[id] += [_text(row[column["column_name"]], kind, stored) for row in rows]
    return {id: of_texts(types[id], texts) for id, texts in values.items()}


def _text(value: Any, kind: str, stored: str) -> str | None:  # noqa: ANN401
    """An inlined value as text: hexadecimal for bytes."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.hex().upper() if kind == "BLOB" else value.decode()
    if stored == "bytea":
        digits = str(value).removeprefix("\\x")
        return digits.upper() if kind == "BLOB" else bytes.fromhex(digits).decode()
    return str(value)


def of_texts(kind: str, texts: Iterable[str | None]) -> Truth:
    """The truth of values that are given as text."""
    given = tuple(texts)
    return _of_texts(kind, given) if given else Truth(0, 0, 0, None, None)


@lru_cache(maxsize=10_000)
def _of_texts(kind: str, given: tuple[str | None, ...]) -> Truth:
    kept = "VARCHAR" if kind == "BLOB" else kind
    source = f"(SELECT CAST(t AS {kept}) AS v FROM (SELECT unnest(CAST(? AS VARCHAR[])) AS t))"
    query = f"SELECT {_aggregates(kind, 'v')} FROM {source}"
    (row,) = connection().execute(query, [list(given)]).fetchall()
    return Truth(*row)


def together(kind: str, truths: Iterable[Truth]) -> Truth:
    """The truth of several sets of values of one column."""
    found = [truth for truth in truths if truth.slots]
    if len(found) == 1:
        return found[0]
    ends = [text for truth in found for text in (truth.least, truth.greatest) if text is not None]
    range_of_all = of_texts(kind, ends)
    return Truth(
        sum(truth.slots for truth in found),
        sum(truth.values for truth in found),
        sum(truth.nans for truth in found),
        range_of_all.least,
        range_of_all.greatest,
        all(truth.is_flat for truth in found),
    )


_HEXADECIMAL = re.compile(r"([0-9A-F]{2})*")


def outside(kind: str, truth: Truth, lower: str | None, upper: str | None) -> str:
    """What is wrong with bounds: not readable, or a value lies beyond; empty when they hold."""
    if truth.least is None or truth.greatest is None:
        return ""
    if lower in (None, truth.least) and upper in (None, truth.greatest):
        return ""
    if kind == "BLOB":
        lower, upper = (_as_hexadecimal(text) for text in (lower, upper))
        kind = "VARCHAR"
    texts = [_or_null(text) for text in (truth.least, truth.greatest, lower, upper)]
    least, greatest, low, high = (f"TRY_CAST({text} AS {kind})" for text in texts)
    ((is_readable, is_below, is_above),) = (
        connection()
        .execute(
            f"SELECT ({texts[2]} IS NULL OR {low} IS NOT NULL)"
            f" AND ({texts[3]} IS NULL OR {high} IS NOT NULL), {least} < {low}, {greatest} > {high}"
        )
        .fetchall()
    )
    if not is_readable:
        return f"bounds {lower!r}, {upper!r} are no {kind}"
    if is_below or is_above:
        return f"bounds {lower!r}, {upper!r}, values {truth.least!r} to {truth.greatest!r}"
    return ""


def is_equal(kind: str, one: str | None, other: str | None) -> bool:
    """Whether two texts are one value."""
    if one == other:
        return True
    ((equal,),) = (
        connection()
        .execute(
            f"SELECT TRY_CAST({_or_null(one)} AS {kind})"
            f" IS NOT DISTINCT FROM TRY_CAST({_or_null(other)} AS {kind})"
        )
        .fetchall()
    )
    return bool(equal)


def _as_hexadecimal(text: str | None) -> str | None:
    """DuckDB spells bytes of a file as hexadecimal, bytes of inlined rows with escapes."""
    if text is None or _HEXADECIMAL.fullmatch(text):
        return text
    query = f"SELECT hex(CAST({literal(text)} AS BLOB))"
    ((found,),) = connection().execute(query).fetchall()
    return str(found)


def _or_null(text: str | None) -> str:
    if text is None:
        return "CAST(NULL AS VARCHAR)"
    if "\0" in text:
        return "(" + " || chr(0) || ".join(map(literal, text.split("\0"))) + ")"
    return literal(text)
