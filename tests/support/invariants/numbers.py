"""Snapshots, ids and versions: what orders the commits of a lake."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from support.catalogdb import Row
from support.invariants.model import Complaint, Complaints, Subject

_NAME = r'"(?:[^"]|"")+"'
_OBJECT = rf"{_NAME}\.{_NAME}"
_ID = r"\d+"
_KINDS = {
    "created_schema": _NAME,
    "dropped_schema": _ID,
    "created_table": _OBJECT,
    "dropped_table": _ID,
    "created_view": _OBJECT,
    "dropped_view": _ID,
    "created_scalar_macro": _OBJECT,
    "created_table_macro": _OBJECT,
    "dropped_scalar_macro": _ID,
    "dropped_table_macro": _ID,
    "altered_table": _ID,
    "altered_view": _ID,
    "inserted_into_table": _ID,
    "deleted_from_table": _ID,
    "inlined_insert": _ID,
    "inlined_delete": _ID,
    "inline_flush": _ID,
    "merge_adjacent": _ID,
    "rewrite_delete": _ID,
}
_ENTRY = re.compile("|".join(f"({kind}):({value})" for kind, value in _KINDS.items()))
_RESHAPING = ("created_", "dropped_", "altered_")
_DATA = ("inserted_into_table", "inlined_insert", "inline_flush", "merge_adjacent")
_CATALOG_IDS = {
    "schema": "schema_id",
    "table": "table_id",
    "view": "view_id",
    "macro": "macro_id",
    "partition_info": "partition_id",
    "sort_info": "sort_id",
}
_FILE_IDS = {
    "data_file": "data_file_id",
    "delete_file": "delete_file_id",
    "column_mapping": "mapping_id",
}


def changes(text: str) -> list[tuple[str, str]] | None:
    """The kinds and values of a change text; None when it breaks the grammar of format 4.4."""
    found, position = [], 0
    while position < len(text):
        entry = _ENTRY.match(text, position)
        if not entry:
            return None
        found.append((entry[0].partition(":")[0], entry[0].partition(":")[2]))
        position = entry.end()
        if position < len(text):
            if text[position] != "," or position + 1 == len(text):
                return None
            position += 1
    return found


def changes_by_snapshot(subject: Subject) -> dict[int, list[tuple[str, str]]]:
    """What each snapshot says that it changed."""
    return {
        int(row["snapshot_id"]): changes(row["changes_made"] or "") or []
        for row in subject.rows("snapshot_changes")
    }


def snapshot_ids_have_no_gaps(subject: Subject) -> Complaints:
    """Each snapshot is the last one plus one; only expired ones are missing."""
    ids = {int(row["snapshot_id"]) for row in subject.snapshots}
    missing = set(range(min(ids), max(ids) + 1)) - ids - subject.scope.expired
    if missing:
        yield Complaint(f"snapshots {sorted(missing)} are missing")
    if len(ids) < len(subject.snapshots):
        yield Complaint("a snapshot id is there twice")


def each_snapshot_has_one_changes_row(subject: Subject) -> Complaints:
    """As many as snapshots, one for each."""
    rows = Counter(int(row["snapshot_id"]) for row in subject.rows("snapshot_changes"))
    for id in sorted({*rows, *(int(row["snapshot_id"]) for row in subject.snapshots)}):
        known = any(row["snapshot_id"] == id for row in subject.snapshots)
        if rows[id] != 1 or not known:
            yield Complaint(f"snapshot {id} has {rows[id]} changes rows")


def change_texts_follow_the_grammar(subject: Subject) -> Complaints:
    """Known kinds, no blanks, quoted names, plain ids, one entry per table and kind.

    No change is NULL: with an empty text, commits of DuckDB fail that look at it and others.
    """
    for row in subject.rows("snapshot_changes"):
        text = row["changes_made"]
        found = changes(text or "")
        if found is None or text == "":
            yield Complaint(f"snapshot {row['snapshot_id']} has the change text {text!r}")
        elif len(set(found)) < len(found):
            yield Complaint(f"snapshot {row['snapshot_id']} says a change twice: {text!r}")


def change_texts_tell_what_happened(subject: Subject) -> Complaints:
    """Each row that begins or ends in a snapshot is named by the snapshot's change text."""
    said = changes_by_snapshot(subject)
    for snapshot, needed in _happened(subject):
        kinds = said.get(snapshot)
        if kinds is not None and not any(each in kinds for each in needed):
            yield Complaint(f"snapshot {snapshot} should say one of {needed}, says {kinds}")


def _happened(subject: Subject) -> list[tuple[int, list[tuple[str, str]]]]:
    """Snapshots with the changes of which they must name one."""
    found: list[tuple[int, list[tuple[str, str]]]] = []

    def must(snapshot: int | None, id: int, *kinds: str) -> None:
        if snapshot is not None:
            found.append((int(snapshot), [(kind, str(id)) for kind in kinds]))

    compacting = ("inline_flush", "merge_adjacent", "rewrite_delete")
    for row in subject.rows("data_file"):
        if row["partial_max"] is None:
            must(row["begin_snapshot"], row["table_id"], "inserted_into_table", *compacting)
        ending = ("deleted_from_table", "dropped_table", "rewrite_delete", "merge_adjacent")
        must(row["end_snapshot"], row["table_id"], *ending)
    for row in subject.rows("schema"):
        quoted = '"' + row["schema_name"].replace('"', '""') + '"'
        found.append((int(row["begin_snapshot"]), [("created_schema", quoted)]))
        must(row["end_snapshot"], row["schema_id"], "dropped_schema")
    names = _schema_names(subject)
    for row in subject.rows("table"):
        name = f"{names[row['schema_id']]}." + '"' + row["table_name"].replace('"', '""') + '"'
        altered = ("altered_table", str(row["table_id"]))
        found.append((int(row["begin_snapshot"]), [("created_table", name), altered]))
    return found


def _schema_names(subject: Subject) -> dict[int, str]:
    return {
        row["schema_id"]: '"' + row["schema_name"].replace('"', '""') + '"'
        for row in subject.rows("schema")
    }


def next_ids_are_above_all_ids(subject: Subject) -> Complaints:
    """The next ids of each snapshot are above those of what it and older ones made."""
    for counter, tables in (("next_catalog_id", _CATALOG_IDS), ("next_file_id", _FILE_IDS)):
        next_ids = {int(row["snapshot_id"]): int(row[counter]) for row in subject.snapshots}
        for table, column in tables.items():
            for row in subject.rows(table):
                maker = subject.head if _may_be_redated(table, row) else row["begin_snapshot"]
                if int(row[column]) >= next_ids.get(maker, next_ids[subject.head]):
                    yield Complaint(f"{counter} is not above {column} {row[column]}")


def _may_be_redated(table: str, row: Row) -> bool:
    """Whether a row may begin before the commit that made it: flushed and merged files."""
    return table in ("delete_file", "column_mapping") or row.get("partial_max") is not None


def catalog_ids_are_not_shared(subject: Subject) -> Complaints:
    """Schemas, tables, views, macros, layouts and sort orders draw from one sequence."""
    owners: dict[int, set[str]] = {}
    for table, column in _CATALOG_IDS.items():
        for row in subject.rows(table):
            owners.setdefault(int(row[column]), set()).add(table)
    for id, kinds in owners.items():
        if len(kinds) > 1:
            yield Complaint(f"id {id} is used by {sorted(kinds)}")


def file_ids_are_not_shared(subject: Subject) -> Complaints:
    """Data files, delete files and mappings draw from one sequence."""
    seen: dict[int, str] = {}
    for table, column in _FILE_IDS.items():
        for row in subject.rows(table):
            if seen.setdefault(int(row[column]), table) != table:
                yield Complaint(f"id {row[column]} is used by a {table} and a {seen[row[column]]}")


def counters_never_decrease(subject: Subject) -> Complaints:
    """Schema version, catalog id and file id grow or stay from snapshot to snapshot."""
    for older, newer in pairwise(subject.snapshots):
        for counter in ("schema_version", "next_catalog_id", "next_file_id"):
            if newer[counter] < older[counter]:
                yield Complaint(f"{counter} decreases in snapshot {newer['snapshot_id']}")


def counters_move_with_their_changes(subject: Subject) -> Complaints:
    """A change of shape moves the schema version, new data move the file id (format 4.3)."""
    said = changes_by_snapshot(subject)
    for older, newer in pairwise(subject.snapshots):
        if newer["snapshot_id"] != older["snapshot_id"] + 1:
            continue
        for kind, _ in said.get(int(newer["snapshot_id"]), []):
            yield from _unmoved(kind, older, newer)


def _unmoved(kind: str, older: Row, newer: Row) -> Complaints:
    if kind.startswith(_RESHAPING) and newer["schema_version"] == older["schema_version"]:
        yield Complaint(f"snapshot {newer['snapshot_id']}, {kind}: same schema version")
    if kind in _DATA and newer["next_file_id"] == older["next_file_id"]:
        yield Complaint(f"snapshot {newer['snapshot_id']}, {kind}: same next_file_id")


INVARIANTS = (
    snapshot_ids_have_no_gaps,
    each_snapshot_has_one_changes_row,
    change_texts_follow_the_grammar,
    change_texts_tell_what_happened,
    next_ids_are_above_all_ids,
    catalog_ids_are_not_shared,
    file_ids_are_not_shared,
    counters_never_decrease,
    counters_move_with_their_changes,
)
