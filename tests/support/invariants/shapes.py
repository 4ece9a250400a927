"""What a table looks like: columns, types, defaults, layouts, inlined tables, options."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from support.catalogdb import Row
from support.invariants.model import Complaint, Complaints, Subject
from support.lakes import CatalogKind

_SCALARS = re.compile(
    r"boolean|u?int(8|16|32|64|128)|float(32|64)|decimal\(\d+,\s*\d+\)|date|time|time_ns|timetz"
    r"|timestamp(_us|_s|_ms|_ns|tz)?|interval|varchar|json|blob|uuid|variant"
    r"|geometry|point|linestring|polygon|multipoint|multilinestring|multipolygon"
    r"|geometrycollection|linestring_z|unknown"
)
_CHILDREN = {"list": ["element"], "map": ["key", "value"]}
_TRANSFORMS = re.compile(r"identity|year|month|day|hour|bucket\(\d+\)")
_GLOBAL_KEYS = {"version", "created_by", "data_path", "encrypted"}
_LONGEST_NAME = 63
"""Bytes that a name has at most in PostgreSQL."""
_SYSTEM_COLUMNS = {"cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"}
"""Columns that every table of PostgreSQL has."""
_INLINED_COLUMNS = ["row_id", "begin_snapshot", "end_snapshot"]


def columns_at(subject: Subject, table_id: int, snapshot: int) -> list[Row]:
    """The columns of a table that a snapshot sees, nested ones too, in order."""
    rows = [
        row
        for row in subject.rows("column")
        if row["table_id"] == table_id and subject.is_live(row, snapshot)
    ]
    return sorted(rows, key=lambda row: int(row["column_order"]))


def the_lake_says_what_it_is(subject: Subject) -> Complaints:
    """The four global keys are there once each, and no scope but schema and table."""
    keys = [row["key"] for row in subject.rows("metadata") if row["scope"] is None]
    for key in sorted(_GLOBAL_KEYS):
        if keys.count(key) != 1:
            yield Complaint(f"ducklake_metadata has {keys.count(key)} rows for {key}")
    for row in subject.rows("metadata"):
        if row["scope"] not in (None, "schema", "table"):
            yield Complaint(f"option {row['key']} has the scope {row['scope']!r}")
        if (row["scope"] is None) != (row["scope_id"] is None):
            yield Complaint(f"option {row['key']} has half a scope")
    places = [(row["key"], row["scope"], row["scope_id"]) for row in subject.rows("metadata")]
    if len(set(places)) < len(places):
        yield Complaint("an option is stored twice in one scope")


def columns_make_trees(subject: Subject) -> Complaints:
    """Each table has columns of known types, with the children that their types need."""
    for table_id, table in subject.live_tables.items():
        columns = columns_at(subject, table_id, subject.head)
        if not columns:
            yield Complaint(f"table {table['table_name']} has no columns", table_id)
        children: dict[int | None, list[str]] = defaultdict(list)
        for row in columns:
            children[row["parent_column"]].append(row["column_name"])
        for row in columns:
            text = _wrong_column(row, children[row["column_id"]])
            if text:
                yield Complaint(f"{table['table_name']}.{row['column_name']}: {text}", table_id)


def _wrong_column(row: Row, children: list[str]) -> str:
    kind = row["column_type"]
    if kind in _CHILDREN:
        if children != _CHILDREN[kind]:
            return f"a {kind} with the children {children}"
    elif kind == "struct":
        if not children:
            return "a struct without fields"
    elif not _SCALARS.fullmatch(kind):
        return f"the unknown type {kind}"
    elif children:
        return f"a {kind} with children"
    if row["nulls_allowed"] is None:
        return "nulls_allowed is NULL"
    if row["column_order"] is None:
        return "column_order is NULL"
    return ""


def defaults_can_be_parsed(subject: Subject) -> Complaints:
    """A default has a type that DuckDB knows, and its dialect."""
    for row in subject.rows("column"):
        kind = row["default_value_type"]
        groups = ("list", "map", "struct")
        known = ("literal", "expression", *((None,) if row["default_value"] is None else ()))
        if kind not in known and not (kind == "" and _may_be_untyped(row, groups)):
            text = f"{row['column_name']}: default {row['default_value']!r} of type {kind!r}"
            yield Complaint(text, row["table_id"])


def _may_be_untyped(row: Row, groups: tuple[str, ...]) -> bool:
    return row["column_type"] in groups or row["parent_column"] is not None


def tags_and_aliases_are_legal(subject: Subject) -> Complaints:
    """Columns have no tag but `comment`; the aliases of a view are never NULL."""
    for row in subject.rows("column_tag"):
        if row["key"] != "comment":
            yield Complaint(f"column tag {row['key']!r}", row["table_id"])
    for row in subject.rows("view"):
        if row["column_aliases"] is None or not row["sql"]:
            yield Complaint(f"view {row['view_name']} has aliases {row['column_aliases']!r}")


def layouts_name_live_columns(subject: Subject) -> Complaints:
    """Partition keys are numbered from 0, know their transform, and are top-level columns."""
    keys: dict[int, list[Row]] = defaultdict(list)
    for row in subject.rows("partition_column"):
        keys[row["partition_id"]].append(row)
    for info in subject.rows("partition_info"):
        found = sorted(keys[info["partition_id"]], key=lambda row: int(row["partition_key_index"]))
        if [row["partition_key_index"] for row in found] != list(range(len(found))):
            yield Complaint(f"partition {info['partition_id']}: key indexes", info["table_id"])
        for row in found:
            if not _TRANSFORMS.fullmatch(row["transform"] or ""):
                yield Complaint(f"unknown transform {row['transform']!r}", info["table_id"])
        if subject.is_live(info) and info["table_id"] in subject.live_tables:
            columns = columns_at(subject, info["table_id"], subject.head)
            top = {row["column_id"] for row in columns if row["parent_column"] is None}
            for row in found:
                if row["column_id"] not in top:
                    text = f"partition key {row['column_id']} is no top-level column"
                    yield Complaint(text, info["table_id"])


def sort_orders_are_complete(subject: Subject) -> Complaints:
    """Sort keys are numbered from 0, with directions in the persisted words."""
    keys: dict[int, list[int]] = defaultdict(list)
    for row in subject.rows("sort_expression"):
        keys[row["sort_id"]].append(row["sort_key_index"])
        words = (row["sort_direction"], row["null_order"])
        if words[0] not in ("ASC", "DESC") or words[1] not in ("NULLS_FIRST", "NULLS_LAST"):
            yield Complaint(f"sort key in the order {words}", row["table_id"])
    for info in subject.rows("sort_info"):
        if sorted(keys[info["sort_id"]]) != list(range(len(keys[info["sort_id"]]))):
            yield Complaint(f"sort {info['sort_id']}: key indexes", info["table_id"])


def schema_versions_cover_the_tables(subject: Subject) -> Complaints:
    """Each table has a row where it began; each row has its snapshot's schema version."""
    known = {int(row["snapshot_id"]): row["schema_version"] for row in subject.snapshots}
    begun: dict[int, set[int]] = defaultdict(set)
    for row in subject.rows("schema_versions"):
        if row["table_id"] is None:
            yield Complaint("a row of ducklake_schema_versions has no table")
            continue
        begun[row["table_id"]].add(row["begin_snapshot"])
        version = known.get(row["begin_snapshot"], row["schema_version"])
        if version != row["schema_version"]:
            text = f"schema_versions says {row['schema_version']} at {row['begin_snapshot']}"
            yield Complaint(text, row["table_id"])
    for file in subject.rows("data_file"):
        if not any(begin <= file["begin_snapshot"] for begin in begun[file["table_id"]]):
            text = f"no schema version covers data file {file['data_file_id']}"
            yield Complaint(text, file["table_id"])
    for row in subject.rows("column"):
        table = row["table_id"]
        if subject.is_reachable(row) and row["begin_snapshot"] not in begun[table]:
            text = f"no schema version begins with {row['column_name']} at {row['begin_snapshot']}"
            yield Complaint(text, table)


def inlined_columns(subject: Subject, registered: Row) -> list[Row] | None:
    """The top-level columns that a registered inlined table holds; None: no such version."""
    versions = [
        row
        for row in subject.rows("schema_versions")
        if row["table_id"] == registered["table_id"]
        and row["schema_version"] <= registered["schema_version"]
    ]
    if not versions:
        return None
    begin = max(int(row["begin_snapshot"]) for row in versions)
    columns = columns_at(subject, registered["table_id"], begin)
    return [row for row in columns if row["parent_column"] is None]


def inlined_tables_have_their_columns(subject: Subject) -> Complaints:
    """Each registered table exists, with three columns of its own and those of its version."""
    for row in subject.rows("inlined_data_tables"):
        name, table_id = row["table_name"], row["table_id"]
        expected_name = f"ducklake_inlined_data_{table_id}_{row['schema_version']}"
        if name != expected_name:
            yield Complaint(f"inlined table {name} should be {expected_name}", table_id)
        table = subject.catalog.tables.get(name)
        columns = inlined_columns(subject, row)
        if table is None:
            yield Complaint(f"inlined table {name} is registered and not there", table_id)
        elif columns is None:
            yield Complaint(f"inlined table {name} is of no schema version", table_id)
        else:
            expected = _INLINED_COLUMNS + [column["column_name"] for column in columns]
            if _names(subject, table.types) != _names(subject, expected):
                text = f"inlined table {name} has {list(table.types)}, not {expected}"
                yield Complaint(text, table_id)


def _names(subject: Subject, names: Iterable[str]) -> list[str]:
    """Names as they are compared: DuckDB writes them without quotes on PostgreSQL."""
    is_folded = subject.lake.kind == "postgres"
    return [name.lower() if is_folded else name for name in names]


def inlined_tables_are_registered(subject: Subject) -> Complaints:
    """Each inlined table that exists is registered, once, for a known table."""
    names = [row["table_name"] for row in subject.rows("inlined_data_tables")]
    tables = {row["table_id"] for row in subject.rows("table")}
    for name in subject.catalog.tables:
        if re.fullmatch(r"ducklake_inlined_data_\d+_\d+", name) and names.count(name) != 1:
            yield Complaint(f"{name} is registered {names.count(name)} times")
    for row in subject.rows("inlined_data_tables"):
        if row["table_id"] not in tables:
            yield Complaint(f"{row['table_name']} is registered for no table", row["table_id"])


def the_newest_inlined_table_has_todays_columns(subject: Subject) -> Complaints:
    """DuckDB inserts by position into the newest one: its columns are those of the table.

    While the database cannot hold one of the columns, the rows of the table go to files.
    """
    newest: dict[int, Row] = {}
    for row in subject.rows("inlined_data_tables"):
        older = newest.get(row["table_id"])
        if older is None or older["schema_version"] < row["schema_version"]:
            newest[row["table_id"]] = row
    for table_id, row in newest.items():
        table = subject.catalog.tables.get(row["table_name"])
        if table is None or table_id not in subject.live_tables:
            continue
        columns = columns_at(subject, table_id, subject.head)
        expected = [each["column_name"] for each in columns if each["parent_column"] is None]
        if not all(_is_held(subject.lake.kind, each) for each in columns):
            continue
        if _names(subject, table.types)[3:] != _names(subject, expected):
            yield Complaint(f"{row['table_name']} has {list(table.types)[3:]}", table_id)


def _is_held(kind: CatalogKind, column: Row) -> bool:
    """Whether each version of a lake in this database holds the column in inlined tables."""
    name = column["column_name"]
    if kind == "postgres" and (len(name.encode()) > _LONGEST_NAME or name in _SYSTEM_COLUMNS):
        return False
    return kind == "duckdb" or column["column_type"] != "variant"


INVARIANTS = (
    the_lake_says_what_it_is,
    columns_make_trees,
    defaults_can_be_parsed,
    tags_and_aliases_are_legal,
    layouts_name_live_columns,
    sort_orders_are_complete,
    schema_versions_cover_the_tables,
    inlined_tables_have_their_columns,
    inlined_tables_are_registered,
    the_newest_inlined_table_has_todays_columns,
)
