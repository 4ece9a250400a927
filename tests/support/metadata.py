"""Two lakes compared by their metadata: what must differ is replaced, what may differ is listed."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.catalogdb import Catalog, Row

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIMES = {"snapshot_time", "schedule_start"}
_UUIDS = {"schema_uuid", "table_uuid", "view_uuid"}
_SIZES = {"file_size_bytes", "footer_size", "column_size_bytes"}
_OWN_VALUES = {"created_by", "data_path"}

_FILE = ("data_file_id",)
_KEYS: dict[str, tuple[str, ...]] = {
    "ducklake_metadata": ("key", "scope", "scope_id"),
    "ducklake_snapshot": ("snapshot_id",),
    "ducklake_snapshot_changes": ("snapshot_id",),
    "ducklake_schema": ("schema_id", "begin_snapshot"),
    "ducklake_table": ("table_id", "begin_snapshot"),
    "ducklake_view": ("view_id", "begin_snapshot"),
    "ducklake_tag": ("object_id", "key", "begin_snapshot"),
    "ducklake_column_tag": ("table_id", "column_id", "key", "begin_snapshot"),
    "ducklake_column": ("table_id", "column_id", "begin_snapshot"),
    "ducklake_data_file": _FILE,
    "ducklake_file_column_stats": ("data_file_id", "column_id"),
    "ducklake_file_variant_stats": ("data_file_id", "column_id", "variant_path"),
    "ducklake_delete_file": ("delete_file_id",),
    "ducklake_table_stats": ("table_id",),
    "ducklake_table_column_stats": ("table_id", "column_id"),
    "ducklake_partition_info": ("partition_id",),
    "ducklake_partition_column": ("partition_id", "partition_key_index"),
    "ducklake_file_partition_value": ("data_file_id", "partition_key_index"),
    "ducklake_sort_info": ("sort_id",),
    "ducklake_sort_expression": ("sort_id", "sort_key_index"),
    "ducklake_inlined_data_tables": ("table_id", "schema_version"),
    "ducklake_schema_versions": ("table_id", "begin_snapshot"),
    "ducklake_name_mapping": ("mapping_id", "column_id"),
}
_SHAPES = "(columns of the tables)"


@dataclass(frozen=True)
class Allowed:
    """A difference that may be there.

    Attributes:
        name: how it is called.
        reason: why it is right that the lakes differ here.
        table: the metadata table.
        column: its column; None for whole rows that one of the lakes lacks.
        accepts: whether the two values, or the row and None, may differ so.
        of_row: whether a row is one of those that may differ; it is the left one if there is one.
    """

    name: str
    reason: str
    table: str
    column: str | None
    accepts: Callable[[Any, Any], bool]
    of_row: Callable[[Row], bool] = bool


@dataclass(frozen=True)
class Difference:
    """Where two lakes differ: a value of a row that both have, or a row that one of them lacks."""

    table: str
    key: tuple[Any, ...]
    column: str | None
    left_row: Row | None
    right_row: Row | None

    @property
    def left(self) -> Any:  # noqa: ANN401
        """The value, or the whole row."""
        return self._value(self.left_row)

    @property
    def right(self) -> Any:  # noqa: ANN401
        """The value, or the whole row."""
        return self._value(self.right_row)

    def _value(self, row: Row | None) -> Any:  # noqa: ANN401
        return row.get(self.column) if row and self.column else row

    def __str__(self) -> str:
        """One line."""
        where = f"{self.table} {self.key}"
        where += f", {self.column}" if self.column else ", row"
        return f"{where}: {_shown(self.left)} | {_shown(self.right)}"


@dataclass
class Comparison:
    """What differs, and the names of the allowed differences that were met."""

    differences: list[Difference] = field(default_factory=list)
    met: set[str] = field(default_factory=set)

    def report(self, left: str, right: str) -> str:
        """The differences as text; empty when there are none."""
        if not self.differences:
            return ""
        return "\n".join([f"{left} | {right}", *map(str, self.differences)])


def normalised(catalog: Catalog) -> dict[str, list[Row]]:
    """All rows by table, sorted by key; what no two lakes share is replaced by placeholders.

    A UUID is called after the first row that has it, so that two rows with one UUID stay
    recognisable.
    """
    uuids: dict[str, str] = {}
    tables = {
        name: [
            {column: _placeholder(name, row, column, uuids) for column in row}
            for row in sorted(table.rows, key=lambda row: _sort_key(name, row))
        ]
        for name, table in sorted(catalog.tables.items())
    }
    tables[_SHAPES] = [
        {"table": name, "columns": list(table.types.items())}
        for name, table in sorted(catalog.tables.items())
    ]
    return tables


def compare(left: Catalog, right: Catalog, allowed: Sequence[Allowed] = ()) -> Comparison:
    """All differences between two lakes, without the allowed ones."""
    result = Comparison()
    ours, theirs = normalised(left), normalised(right)
    for table in sorted({*ours, *theirs}):
        for difference in _table_differences(table, ours.get(table, []), theirs.get(table, [])):
            entry = next((one for one in allowed if _is_allowed(one, difference)), None)
            if entry:
                result.met.add(entry.name)
            else:
                result.differences.append(difference)
    return result


def with_files_in_order(catalog: Catalog) -> Catalog:
    """The files of each snapshot renumbered in the order of their folders and row counts.

    For statements that write several files: which of them comes first is nobody's business. The
    row ids are given out again in the new order.
    """
    by_snapshot: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in catalog.rows("data_file"):
        by_snapshot[row["table_id"], row["begin_snapshot"]].append(row)
    numbers: dict[int, int] = {}
    starts: dict[int, int | None] = {}
    for files in by_snapshot.values():
        ids = sorted(row["data_file_id"] for row in files)
        start = min((row["row_id_start"] or 0 for row in files), default=0)
        for number, row in zip(ids, sorted(files, key=_folder_key), strict=True):
            numbers[row["data_file_id"]] = number
            starts[number] = None if row["row_id_start"] is None else start
            start += row["record_count"]
    for table in catalog.tables.values():
        for row in table.rows:
            if "data_file_id" in row:
                row["data_file_id"] = numbers.get(row["data_file_id"], row["data_file_id"])
            if "row_id_start" in row:
                row["row_id_start"] = starts[row["data_file_id"]]
    return catalog


def _folder_key(row: Row) -> tuple[str, int]:
    return _UUID.sub("", str(row["path"])), int(row["record_count"])


def _placeholder(table: str, row: Row, column: str, uuids: dict[str, str]) -> Any:  # noqa: ANN401
    value = row[column]
    if value is None:
        return None
    if column in _TIMES:
        return "<time>"
    if column in _UUIDS:
        return uuids.setdefault(str(value), f"<uuid of {_key(table, row)}>")
    if column in _SIZES:
        return "<size>" if int(value) > 0 else value
    if column == "path":
        return _UUID.sub("<uuid>", str(value))
    if column == "encryption_key":
        return "<key>"
    if table == "ducklake_metadata" and column == "value" and row["key"] in _OWN_VALUES:
        return f"<{row['key']}>"
    return value


def _key(table: str, row: Row) -> tuple[Any, ...]:
    columns = _KEYS.get(table, tuple(row)[:1] if table == _SHAPES else tuple(row))
    return tuple(row[column] for column in columns)


def _sort_key(table: str, row: Row) -> list[tuple[bool, str, Any]]:
    values = [*_key(table, row), *(row[c] for c in row if c not in _UUIDS | _TIMES | {"path"})]
    return [(v is None, type(v).__name__, "" if v is None else v) for v in values]


def _keyed(table: str, rows: list[Row]) -> dict[tuple[Any, ...], Row]:
    """Rows by key; rows with equal keys are distinguished by a running number."""
    found: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = _hashable(_key(table, row))
        place = next(
            numbered for number in itertools.count() if (numbered := (*key, number)) not in found
        )
        found[place] = row
    return found


def _hashable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(repr(value) if isinstance(value, list) else value for value in values)


def _table_differences(table: str, left: list[Row], right: list[Row]) -> Iterator[Difference]:
    ours, theirs = _keyed(table, left), _keyed(table, right)
    for key in [*ours, *(key for key in theirs if key not in ours)]:
        one, other = ours.get(key), theirs.get(key)
        if one is None or other is None:
            yield Difference(table, key[:-1], None, one, other)
            continue
        for column in [*one, *(column for column in other if column not in one)]:
            if one.get(column) != other.get(column):
                yield Difference(table, key[:-1], column, one, other)


def _is_allowed(entry: Allowed, difference: Difference) -> bool:
    return (
        entry.table == difference.table
        and entry.column == difference.column
        and entry.accepts(difference.left, difference.right)
        and entry.of_row(difference.left_row or difference.right_row or {})
    )


def _shown(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return "NULL"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}={v}" for k, v in value.items() if v is not None) + "}"
    return repr(value)
