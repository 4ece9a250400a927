"""Deleted rows: each position once, in one place, inside its file."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from support.catalogdb import Row
from support.invariants.files import is_parquet
from support.invariants.model import Complaint, Complaints, Subject
from support.invariants.parquet import SNAPSHOT_FIELD, connection, footers, scan
from support.invariants.vectors import last_positions

_FIELDS = [("file_path", 2147483646), ("pos", 2147483645)]
_SNAPSHOT = ("_ducklake_internal_snapshot_id", SNAPSHOT_FIELD)


VECTOR = "puffin"
"""The format of deletion vectors."""


def readable(subject: Subject) -> list[Row]:
    """The delete files that are there: those in Parquet, and deletion vectors."""
    if subject.is_encrypted:
        return []
    return [
        row
        for row in subject.rows("delete_file")
        if subject.file_path(row).is_file()
        and (row["format"] == VECTOR or is_parquet(subject.file_path(row)))
    ]


def in_parquet(subject: Subject) -> list[Row]:
    """The readable delete files that are Parquet files."""
    return [row for row in readable(subject) if row["format"] == "parquet"]


def positions(subject: Subject, row: Row) -> list[int]:
    """The positions of a delete file in its order."""
    if row["format"] == VECTOR:
        return last_positions(subject.file_path(row).read_bytes())
    rows = scan(subject.file_path(row), "file_row_number = true")
    found = connection().execute(f"SELECT pos FROM {rows} ORDER BY file_row_number")
    return [pos for (pos,) in found.fetchall()]


def inlined_positions(subject: Subject) -> dict[int, list[int]]:
    """Positions by data file that are deleted by rows in the catalog."""
    found: dict[int, list[int]] = defaultdict(list)
    for table in {row["table_id"] for row in subject.rows("table")}:
        for row in subject.rows(f"inlined_delete_{table}"):
            found[int(row["file_id"])].append(int(row["row_id"]))
    return found


def delete_files_have_two_or_three_columns(subject: Subject) -> Complaints:
    """`file_path` and `pos`, maybe the snapshot, with the reserved field ids (format 6.2)."""
    rows = in_parquet(subject)
    known = footers([subject.file_path(row) for row in rows])
    for row in rows:
        nodes = known[subject.file_path(row)].nodes
        columns = [(node.name, node.field_id) for node in nodes]
        if columns not in (_FIELDS, [*_FIELDS, _SNAPSHOT]):
            text = f"delete file {row['delete_file_id']} has {columns}"
            yield Complaint(text, row["table_id"])


def delete_counts_equal_the_files(subject: Subject) -> Complaints:
    """`delete_count` and `footer_size` are those of the file."""
    rows = in_parquet(subject)
    known = footers([subject.file_path(row) for row in rows])
    for row in readable(subject):
        footer = known.get(subject.file_path(row))
        count = footer.rows if footer else len(positions(subject, row))
        text = f"delete file {row['delete_file_id']}"
        if row["delete_count"] != count:
            yield Complaint(f"{text}: {count} rows, not {row['delete_count']}")
        if footer and row["footer_size"] not in (None, footer.footer_size):
            yield Complaint(f"{text}: footer of {footer.footer_size}, not {row['footer_size']}")


def positions_increase_within_the_file(subject: Subject) -> Complaints:
    """Positions are strictly increasing and name rows that the data file has."""
    for row in readable(subject):
        found = positions(subject, row)
        file = subject.data_files.get(int(row["data_file_id"]))
        text = f"delete file {row['delete_file_id']}"
        if any(one >= other for one, other in pairwise(found)):
            yield Complaint(f"{text}: positions do not increase", row["table_id"])
        if file and found and not 0 <= min(found) <= max(found) < file["record_count"]:
            yield Complaint(f"{text}: positions beyond the data file", row["table_id"])


def inlined_deletes_name_rows_once(subject: Subject) -> Complaints:
    """A row in the catalog deletes a row that the data file has, and no other row does so too."""
    for file_id, found in inlined_positions(subject).items():
        file = subject.data_files.get(file_id)
        if len(set(found)) < len(found):
            yield Complaint(f"data file {file_id}: a position is deleted twice in the catalog")
        if file is None:
            yield Complaint(f"inlined deletes of data file {file_id}, which is not there")
        elif not 0 <= min(found) <= max(found) < file["record_count"]:
            yield Complaint(f"data file {file_id}: inlined deletes beyond it", file["table_id"])


def a_position_is_deleted_in_one_place(subject: Subject) -> Complaints:
    """No position is both in a live delete file and in the catalog (format 4.6)."""
    inlined = inlined_positions(subject)
    for row in readable(subject):
        if not subject.is_live(row) or int(row["data_file_id"]) not in inlined:
            continue
        both = set(positions(subject, row)) & set(inlined[int(row["data_file_id"])])
        if both:
            text = f"data file {row['data_file_id']}: {sorted(both)[:5]} are deleted twice"
            yield Complaint(text, row["table_id"])


INVARIANTS = (
    delete_files_have_two_or_three_columns,
    delete_counts_equal_the_files,
    positions_increase_within_the_file,
    inlined_deletes_name_rows_once,
    a_position_is_deleted_in_one_place,
)
