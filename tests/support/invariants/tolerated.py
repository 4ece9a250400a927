"""What only DuckDB 1.5.5 does against the rules, by name.

Tolerated where it wrote last, and in its files, which stay as it wrote them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from support.invariants.deletes import readable
from support.invariants.files import footers_of
from support.invariants.model import Complaint, Subject
from support.invariants.numbers import changes_by_snapshot
from support.invariants.parquet import SNAPSHOT_FIELD, footers
from support.invariants.values import todays_columns

_TOUCHING = {
    "inserted_into_table",
    "inlined_insert",
    "inline_flush",
    "merge_adjacent",
    "rewrite_delete",
    "deleted_from_table",
    "inlined_delete",
    "altered_table",
}


@dataclass(frozen=True)
class Deviation:
    """A rule that DuckDB breaks.

    Attributes:
        name: how it is called.
        reason: what DuckDB does, and where that was seen.
        invariant: the name of the invariant that notices.
        applies: whether a complaint is of this deviation.
        lasts: whether what it leaves stays whoever wrote since, `applies` telling DuckDB's own.
    """

    name: str
    reason: str
    invariant: str
    applies: Callable[[Subject, Complaint], bool]
    lasts: bool = False


def _after(*kinds: str) -> Callable[[Subject, Complaint], bool]:
    """Only on tables that such a change was made to."""

    def applies(subject: Subject, complaint: Complaint) -> bool:
        wanted = {(kind, str(complaint.table_id)) for kind in kinds}
        return any(wanted & set(said) for said in changes_by_snapshot(subject).values())

    return applies


def _after_its_rewrite(subject: Subject, complaint: Complaint) -> bool:
    """Only on tables whose files DuckDB rewrote."""
    own = subject.scope.duckdb_snapshots
    return subject.scope.has_duckdb_rewritten or any(
        ("rewrite_delete", str(complaint.table_id)) in said
        for snapshot, said in changes_by_snapshot(subject).items()
        if own is None or snapshot in own
    )


def _in_its_file(subject: Subject, complaint: Complaint) -> bool:
    footer = footers_of(subject).get(-1 if complaint.file_id is None else complaint.file_id)
    return footer is not None and footer.is_duckdb


def _flushed(subject: Subject, complaint: Complaint) -> bool:
    """Whether DuckDB wrote a delete file of the data file that records the snapshot of each row."""
    if subject.scope.duckdb_snapshots == frozenset():
        return False
    rows = [row for row in readable(subject) if row["data_file_id"] == complaint.file_id]
    found = footers([subject.file_path(row) for row in rows]).values()
    return any(each.is_duckdb and SNAPSHOT_FIELD in each.top_ids for each in found)


def _of_bytes(subject: Subject, complaint: Complaint) -> bool:
    return complaint.column is not None and complaint.column["column_type"] == "blob"


def _in_a_struct_in_a_list(subject: Subject, complaint: Complaint) -> bool:
    """Whether a struct in a list or map holds the column, and DuckDB wrote the file."""
    column, kinds = complaint.column, []
    while column is not None and column["parent_column"] is not None:
        columns = todays_columns(subject, column["table_id"])
        column = columns[int(column["parent_column"])]
        kinds.append(column["column_type"])
    return kinds[:1] == ["struct"] and len(kinds) > 1 and _in_its_file(subject, complaint)


def _of_a_file_that_it_expired(subject: Subject, complaint: Complaint) -> bool:
    return subject.scope.has_duckdb_expired and "not there" in complaint.text


def _of_a_null_bound(subject: Subject, complaint: Complaint) -> bool:
    return "a bound is NULL" in complaint.text


def _became_double(subject: Subject, complaint: Complaint) -> bool:
    """Whether the column was a float until DuckDB made it a double."""
    column, known = complaint.column, subject.scope.duckdb_snapshots
    return column is not None and any(
        row["column_type"] == "float32" and (known is None or row["end_snapshot"] in known)
        for row in subject.rows("column")
        if (row["table_id"], row["column_id"]) == (column["table_id"], column["column_id"])
    )


def _always(subject: Subject, complaint: Complaint) -> bool:
    return True


DEVIATIONS = (
    Deviation(
        "flush redates deletes",
        "a flush that meets an older delete file gives the next one an earlier begin (format 13.1)",
        "a_data_file_has_one_delete_file",
        _flushed,
        lasts=True,
    ),
    Deviation(
        "embedded row ids are counted too",
        "files of UPDATE and flush hold row ids and have a row_id_start all the same (format 5.3); "
        "a rollback copies the file and its row",
        "row_ids_have_one_source",
        _in_its_file,
    ),
    Deviation(
        "fields in lists are miscounted",
        "value_count is 0 for fields of structs in lists, some of which are NULL (observed)",
        "file_counts_are_true",
        _in_a_struct_in_a_list,
    ),
    Deviation(
        "inlined deletes outlive their file",
        "expire_snapshots removes the file and leaves them until the next flush (test_expire.py)",
        "inlined_deletes_name_rows_once",
        _of_a_file_that_it_expired,
        lasts=True,
    ),
    Deviation(
        "comments stay",
        "dropping a column leaves its comment (format 11.1)",
        "comments_of_columns_end_with_them",
        _always,
    ),
    Deviation(
        "rewrite narrows bounds",
        "rewrite_data_files takes table statistics from the files that are left (format 3.4)",
        "table_bounds_contain_the_truth",
        _after_its_rewrite,
        lasts=True,
    ),
    Deviation(
        "bounds of bytes are mixed up",
        "hexadecimal text of files and escapes of inlined rows are compared as text (format 3.2)",
        "table_bounds_contain_the_truth",
        _of_bytes,
    ),
    Deviation(
        "unknown bounds are NULL",
        "a side that is not known becomes NULL instead of removing the row (format 3.4)",
        "table_bounds_contain_the_truth",
        _of_a_null_bound,
    ),
    Deviation(
        "compaction leaves sizes alone",
        "merge_adjacent_files does not change file_size_bytes of the table (format 3.4)",
        "table_stats_are_gross",
        _after("merge_adjacent"),
    ),
    Deviation(
        "inlining switched off",
        "with limit 0 a change of columns makes no inlined table, so the newest is out of date",
        "the_newest_inlined_table_has_todays_columns",
        _always,
    ),
    *(
        Deviation(
            "bounds of floats that became doubles",
            "the text of a float stays and is read as a double, another number (observed)",
            invariant,
            _became_double,
            lasts=True,
        )
        for invariant in (
            "file_bounds_hold",
            "table_bounds_contain_the_truth",
            "table_bounds_are_exact_when_trusted",
        )
    ),
)


def is_tolerated(subject: Subject, invariant: str, complaint: Complaint) -> bool:
    """Whether a complaint is of a deviation of DuckDB, and DuckDB wrote the file, or wrote last."""
    return any(
        each.invariant == invariant
        and each.applies(subject, complaint)
        and (
            each.lasts
            or _duckdb_wrote_last(subject, complaint)
            or _is_of_duckdbs_file(each, subject, complaint)
        )
        for each in DEVIATIONS
    )


def _is_of_duckdbs_file(deviation: Deviation, subject: Subject, complaint: Complaint) -> bool:
    """Whether the deviation is in the file itself, which stays as DuckDB committed it.

    A file that a flush made begins with its oldest row, whoever wrote that. A rollback copies files
    byte by byte, with their numbers; after an expiry the file that was copied may be gone.
    """
    known = subject.scope.duckdb_snapshots or frozenset()
    file = subject.data_files.get(-1 if complaint.file_id is None else complaint.file_id)
    if file is None or deviation.applies is not _in_its_file:
        return False
    footer = footers_of(subject).get(file["data_file_id"])
    is_flushed = footer is not None and SNAPSHOT_FIELD in footer.top_ids
    numbers = ("table_id", "row_id_start", "record_count", "file_size_bytes")
    alike = (
        row
        for row in subject.data_files.values()
        if all(row[number] == file[number] for number in numbers)
    )
    may_be_gone = bool(subject.scope.expired)
    return is_flushed or may_be_gone or any(row["begin_snapshot"] in known for row in alike)


def _duckdb_wrote_last(subject: Subject, complaint: Complaint) -> bool:
    known = subject.scope.duckdb_snapshots
    if known is None:
        return True
    touching = [
        snapshot
        for snapshot, said in changes_by_snapshot(subject).items()
        if any(kind in _TOUCHING and id == str(complaint.table_id) for kind, id in said)
    ]
    return max(touching, default=subject.head) in known
