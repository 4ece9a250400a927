"""When things are visible: no two versions of one thing at once, nothing without its parent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from support.catalogdb import Row
from support.invariants.model import (
    FOREVER,
    Complaint,
    Complaints,
    Span,
    Subject,
    is_covered,
    overlapping,
    span,
)

_VERSIONED = (
    "schema",
    "table",
    "view",
    "macro",
    "tag",
    "column_tag",
    "column",
    "data_file",
    "delete_file",
    "partition_info",
    "sort_info",
)

_ONE_AT_A_TIME: dict[str, tuple[str, ...]] = {
    "schema": ("schema_id",),
    "table": ("table_id",),
    "view": ("view_id",),
    "macro": ("macro_id",),
    "column": ("table_id", "column_id"),
    "tag": ("object_id", "key"),
    "column_tag": ("table_id", "column_id", "key"),
    "data_file": ("data_file_id",),
    "partition_info": ("table_id",),
    "sort_info": ("table_id",),
}


def lifetimes_are_possible(subject: Subject) -> Complaints:
    """Nothing begins or ends after the newest snapshot, or ends before it begins."""
    for table in _VERSIONED:
        for row in subject.rows(table):
            begin, end = span(row)
            is_future = end != FOREVER and end > subject.head
            if begin > subject.head or is_future or end < begin:
                yield Complaint(f"{table} {_described(row)} lives from {begin} to {end}")


def lifetimes_of_one_thing_do_not_overlap(subject: Subject) -> Complaints:
    """At most one version of each thing is visible in a snapshot."""
    for table, key in _ONE_AT_A_TIME.items():
        for owner, spans in _spans(subject.rows(table), key).items():
            if overlapping(spans):
                yield Complaint(f"{table} {owner}: two versions at once, {sorted(spans)}")


def a_data_file_has_one_delete_file(subject: Subject) -> Complaints:
    """At most one delete file of a data file is visible in a snapshot (format 6.4)."""
    for (file, table), spans in _spans(
        subject.rows("delete_file"), ("data_file_id", "table_id")
    ).items():
        if overlapping(spans):
            text = f"data file {file}: delete files that live at once, {sorted(spans)}"
            yield Complaint(text, table, file)


def versions_of_one_thing_follow_each_other(subject: Subject) -> Complaints:
    """An id that ended is not used again: the next version begins where the last one ended.

    A rollback brings a version back as it was (decision 12).
    """
    for table in ("schema", "table", "view", "column"):
        for owner, rows in _grouped(subject.rows(table), _ONE_AT_A_TIME[table]).items():
            ordered = sorted(rows, key=span)
            for index, (one, other) in enumerate(pairwise(ordered), start=1):
                ended, came = span(one)[1], span(other)[0]
                known = [_content(row) for row in ordered[:index]]
                if ended < came and _content(other) not in known:
                    yield Complaint(f"{table} {owner} ended at {ended}, came back at {came}")


def nothing_outlives_its_parent(subject: Subject) -> Complaints:
    """Whatever is visible in a snapshot belongs to something that is visible in it too."""
    schemas = _spans(subject.rows("schema"), ("schema_id",))
    tables = _spans(subject.rows("table"), ("table_id",))
    columns = _spans(subject.rows("column"), ("table_id", "column_id"))
    views = _spans(subject.rows("view"), ("view_id",))
    taggable = {**schemas, **tables, **views}
    for table, parents, key in (
        ("table", schemas, ("schema_id",)),
        ("view", schemas, ("schema_id",)),
        ("macro", schemas, ("schema_id",)),
        ("column", tables, ("table_id",)),
        ("data_file", tables, ("table_id",)),
        ("partition_info", tables, ("table_id",)),
        ("sort_info", tables, ("table_id",)),
        ("column_tag", tables, ("table_id",)),
        ("tag", taggable, ("object_id",)),
    ):
        for row in subject.rows(table):
            owner = tuple(row[column] for column in key)
            if subject.is_reachable(row) and not is_covered(span(row), parents.get(owner, [])):
                yield Complaint(f"{table} {_described(row)} outlives {key[0]} {owner[0]}")
    for row in subject.rows("column"):
        if row["parent_column"] is not None:
            parent = columns.get((row["table_id"], row["parent_column"]), [])
            if not is_covered(span(row), parent):
                yield Complaint(f"column {_described(row)} outlives its parent", row["table_id"])


def comments_of_columns_end_with_them(subject: Subject) -> Complaints:
    """A tag of a column is visible only while the column is."""
    columns = _spans(subject.rows("column"), ("table_id", "column_id"))
    for row in subject.rows("column_tag"):
        owner = (row["table_id"], row["column_id"])
        if not is_covered(span(row), columns.get(owner, [])):
            yield Complaint(f"column tag {_described(row)} outlives its column", row["table_id"])


def delete_files_have_their_data_file(subject: Subject) -> Complaints:
    """A delete file names a data file of its table that is there, and begins no earlier."""
    for row in subject.rows("delete_file"):
        file = subject.data_files.get(int(row["data_file_id"]))
        text = f"delete file {row['delete_file_id']}"
        if file is None:
            yield Complaint(f"{text} is for no data file")
        elif file["table_id"] != row["table_id"]:
            yield Complaint(f"{text} is for a data file of another table")
        elif row["begin_snapshot"] < file["begin_snapshot"]:
            yield Complaint(f"{text} begins before its data file")


def names_are_unique_in_any_case(subject: Subject) -> Complaints:
    """Tables and views of a schema, schemas, and columns of a parent, whatever their case."""
    named: dict[tuple[Any, ...], list[tuple[Span, int]]] = defaultdict(list)
    for table, name, id in (("table", "table_name", "table_id"), ("view", "view_name", "view_id")):
        for row in subject.rows(table):
            key = ("relation", row["schema_id"], _folded(row[name]))
            named[key].append((span(row), row[id]))
    for row in subject.rows("schema"):
        named["schema", _folded(row["schema_name"])].append((span(row), row["schema_id"]))
    for row in subject.rows("column"):
        place = ("column", row["table_id"], row["parent_column"], _folded(row["column_name"]))
        named[place].append((span(row), row["column_id"]))
    for place, uses in named.items():
        if len({id for _, id in uses}) > 1 and overlapping(each for each, _ in uses):
            yield Complaint(f"{place} is the name of two things at once")


def _folded(name: str) -> str:
    """As DuckDB compares names: A to Z only, of which Python's bytes know no more either."""
    return name.encode().lower().decode()


def _spans(rows: Iterable[Row], key: tuple[str, ...]) -> dict[tuple[Any, ...], list[Span]]:
    return {owner: [span(row) for row in of] for owner, of in _grouped(rows, key).items()}


def _grouped(rows: Iterable[Row], key: tuple[str, ...]) -> dict[tuple[Any, ...], list[Row]]:
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[column] for column in key)].append(row)
    return found


def _content(row: Row) -> dict[str, Any]:
    """The row without its lifetime, and without its schema, which may have come back too."""
    left_out = {"begin_snapshot", "end_snapshot", "schema_id"}
    return {name: value for name, value in row.items() if name not in left_out}


def _described(row: Row) -> str:
    ids = [f"{name} {value}" for name, value in row.items() if name.endswith("_id")]
    names = [str(value) for name, value in row.items() if name.endswith("_name") or name == "key"]
    return " ".join([*names, *ids])


INVARIANTS = (
    lifetimes_are_possible,
    lifetimes_of_one_thing_do_not_overlap,
    a_data_file_has_one_delete_file,
    versions_of_one_thing_follow_each_other,
    nothing_outlives_its_parent,
    comments_of_columns_end_with_them,
    delete_files_have_their_data_file,
    names_are_unique_in_any_case,
)
