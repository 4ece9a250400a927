"""Data files: they exist, and are what their rows say."""

from __future__ import annotations

import os
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

from support.catalogdb import Row
from support.invariants.model import Complaint, Complaints, Subject
from support.invariants.parquet import (
    ROW_ID_FIELD,
    SNAPSHOT_FIELD,
    Footer,
    footers,
    unnumbered,
)

_HADOOP_ONLY = ("file:", "s3a:", "s3n:", "hdfs:", "wasb")


@lru_cache(maxsize=1)
def footers_of(subject: Subject) -> dict[int, Footer]:
    """The footers of the data files that exist and can be read, by file id."""
    if subject.is_encrypted:
        return {}
    whole = {
        number: path
        for number, path in subject.files_on_disk.items()
        if os.path.getsize(path) == subject.data_files[number]["file_size_bytes"]
        and is_parquet(path)
    }
    found = footers(list(whole.values()))
    return {number: found[path] for number, path in whole.items()}


def is_parquet(path: Path) -> bool:
    """Whether a file begins and ends as Parquet does."""
    with path.open("rb") as file:
        start = file.read(4)
        file.seek(max(0, os.path.getsize(path) - 4))
        return start == file.read(4) == b"PAR1"


def files_exist_with_their_size(subject: Subject) -> Complaints:
    """Each data file and delete file is on disk, Parquet, and has exactly the stated size."""
    for kind in ("data_file", "delete_file"):
        for row in subject.rows(kind):
            path, size = subject.file_path(row), row["file_size_bytes"]
            text = f"{kind} {row[f'{kind}_id']}"
            if not path.is_file():
                yield Complaint(f"{text} is not there: {path}", row["table_id"])
            elif size != os.path.getsize(path):
                text = f"{text} has {os.path.getsize(path)} bytes, not {size}"
                yield Complaint(text, row["table_id"])
            elif row.get("format") != "puffin" and not (subject.is_encrypted or is_parquet(path)):
                yield Complaint(f"{text} is not Parquet", row["table_id"])


def paths_are_spelled_for_duckdb(subject: Subject) -> Complaints:
    """No scheme that only Hadoop knows; folders end in a separator; relative where possible."""
    for kind in ("schema", "table", "data_file", "delete_file"):
        for row in subject.rows(kind):
            path = row["path"] or ""
            if path.startswith(_HADOOP_ONLY) or "\\" in path or "//" in path.partition("://")[2]:
                yield Complaint(f"{kind} has the path {path}", row.get("table_id"))
            if kind in ("schema", "table") and path and not path.endswith("/"):
                yield Complaint(f"the folder {path} does not end in /", row.get("table_id"))


def counts_equal_the_footers(subject: Subject) -> Complaints:
    """`record_count` and `footer_size` are those of the file."""
    for number, footer in footers_of(subject).items():
        row = subject.data_files[number]
        if row["record_count"] != footer.rows:
            text = f"data file {number} has {footer.rows} rows, not {row['record_count']}"
            yield Complaint(text, row["table_id"])
        if row["footer_size"] not in (None, footer.footer_size):
            text = f"data file {number}: footer of {footer.footer_size}, not {row['footer_size']}"
            yield Complaint(text, row["table_id"])


def nodes_have_field_ids(subject: Subject) -> Complaints:
    """Every node of a file has a field id, or the file has a name mapping."""
    mappings = {row["mapping_id"] for row in subject.rows("column_mapping")}
    for number, footer in footers_of(subject).items():
        row = subject.data_files[number]
        if row["mapping_id"] is not None:
            if row["mapping_id"] not in mappings:
                yield Complaint(f"data file {number} has no such mapping", row["table_id"])
            continue
        names = list(unnumbered(footer.nodes))
        if names:
            yield Complaint(f"data file {number}: no field id on {names}", row["table_id"])


def top_columns_of_files_are_known(subject: Subject) -> Complaints:
    """Field ids of a file are those of columns that the table has or had.

    A table that came from another format, whose files have absolute paths, may have lost columns
    before: their ids are lower than its last one.
    """
    ids: dict[int, set[int]] = defaultdict(set)
    for row in subject.rows("column"):
        ids[row["table_id"]].add(row["column_id"])
    for number, footer in footers_of(subject).items():
        row = subject.data_files[number]
        known = {ROW_ID_FIELD, SNAPSHOT_FIELD, None} | ids[row["table_id"]]
        if not row["path_is_relative"]:
            known |= {*range(max(ids[row["table_id"]]))}
        strange = footer.top_ids - known
        if strange and row["mapping_id"] is None:
            yield Complaint(f"data file {number}: unknown field ids {strange}", row["table_id"])


def row_ids_have_one_source(subject: Subject) -> Complaints:
    """`row_id_start` is NULL exactly when the file holds its row ids (format 5.3)."""
    for number, footer in footers_of(subject).items():
        row = subject.data_files[number]
        is_embedded = ROW_ID_FIELD in footer.top_ids
        if is_embedded == (row["row_id_start"] is not None):
            text = f"data file {number}: row_id_start {row['row_id_start']}, "
            text += "ids in the file" if is_embedded else "no ids in the file"
            yield Complaint(text, row["table_id"], number)


def partial_files_hold_their_snapshots(subject: Subject) -> Complaints:
    """A file with rows of several snapshots says of each row which it is."""
    for number, footer in footers_of(subject).items():
        row = subject.data_files[number]
        if row["partial_max"] is None:
            continue
        if SNAPSHOT_FIELD not in footer.top_ids:
            yield Complaint(f"data file {number}: no snapshot ids in the file", row["table_id"])
        if row["partial_max"] < row["begin_snapshot"]:
            yield Complaint(f"data file {number}: partial_max before its begin", row["table_id"])


def partition_values_are_complete(subject: Subject) -> Complaints:
    """A file has a layout exactly when it has a value for each key of it (format 8.1)."""
    keys: dict[int, set[int]] = defaultdict(set)
    for row in subject.rows("partition_column"):
        keys[row["partition_id"]].add(row["partition_key_index"])
    owners = {row["partition_id"]: row["table_id"] for row in subject.rows("partition_info")}
    values: dict[int, list[int]] = defaultdict(list)
    for row in subject.rows("file_partition_value"):
        values[row["data_file_id"]].append(row["partition_key_index"])
    for number, row in subject.data_files.items():
        wanted = sorted(keys[row["partition_id"]]) if row["partition_id"] is not None else []
        if sorted(values[number]) != wanted:
            text = f"data file {number}: partition keys {sorted(values[number])}, not {wanted}"
            yield Complaint(text, row["table_id"])
        if row["partition_id"] is not None and owners.get(row["partition_id"]) != row["table_id"]:
            yield Complaint(f"data file {number}: layout of another table", row["table_id"])


def details_belong_to_files(subject: Subject) -> Complaints:
    """Statistics and partition values are of a data file of the same table."""
    for table in ("file_column_stats", "file_variant_stats", "file_partition_value"):
        for row in subject.rows(table):
            file = subject.data_files.get(int(row["data_file_id"]))
            if file is None or file["table_id"] != row["table_id"]:
                yield Complaint(f"{table} of no data file: {row['data_file_id']}", row["table_id"])


def files_are_registered_once(subject: Subject) -> Complaints:
    """No two rows name one file, and none of them is scheduled for deletion."""
    seen: dict[Path, str] = {}
    for kind in ("data_file", "delete_file"):
        for row in subject.rows(kind):
            name = f"{kind} {row[f'{kind}_id']}"
            other = seen.setdefault(subject.file_path(row), name)
            if other != name:
                yield Complaint(f"{name} and {other} are one file", row["table_id"])
    for path in scheduled(subject):
        if path in seen:
            yield Complaint(f"{seen[path]} is scheduled for deletion")


def scheduled(subject: Subject) -> list[Path]:
    """The paths in the garbage list; relative ones are relative to the data path."""
    return [_scheduled(subject, row) for row in subject.rows("files_scheduled_for_deletion")]


def _scheduled(subject: Subject, row: Row) -> Path:
    return subject.data_path / row["path"] if row["path_is_relative"] else Path(row["path"])


def no_file_is_an_orphan(subject: Subject) -> Complaints:
    """Every file below the data path is named by a row; asked for, as others may be writing."""
    if not subject.scope.is_free_of_orphans:
        return
    known = set(scheduled(subject))
    for kind in ("data_file", "delete_file"):
        known |= {subject.file_path(row) for row in subject.rows(kind)}
    for path in sorted(subject.data_path.rglob("*")):
        if path.is_file() and path not in known:
            yield Complaint(f"{path} is an orphan")


INVARIANTS = (
    files_exist_with_their_size,
    paths_are_spelled_for_duckdb,
    counts_equal_the_footers,
    nodes_have_field_ids,
    top_columns_of_files_are_known,
    row_ids_have_one_source,
    partial_files_hold_their_snapshots,
    partition_values_are_complete,
    details_belong_to_files,
    files_are_registered_once,
    no_file_is_an_orphan,
)
