"""Statistics: gross counts, row ids, and bounds that hold for the data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from support.catalogdb import Row
from support.invariants.deletes import inlined_positions, positions, readable
from support.invariants.files import footers_of
from support.invariants.model import Complaint, Complaints, Subject, overlapping
from support.invariants.parquet import ROW_ID_FIELD, connection, scan
from support.invariants.values import (
    TEXTS,
    Truth,
    comparable,
    is_equal,
    of_texts,
    outside,
    todays_columns,
    together,
    true_of_files,
    true_of_inlined,
    type_at_begin,
)
from support.peer import identifier


def live_inlined(subject: Subject, table_id: int) -> list[Row]:
    """The inlined rows of a table that the newest snapshot sees."""
    return [
        row
        for registered in subject.rows("inlined_data_tables")
        if registered["table_id"] == table_id and registered["table_name"] in subject.catalog.tables
        for row in subject.catalog.tables[registered["table_name"]].rows
        if subject.is_live(row)
    ]


def table_stats_are_gross(subject: Subject) -> Complaints:
    """One row per table with data; its counts are at least those of what is live (rule 7)."""
    stats: dict[int, list[Row]] = defaultdict(list)
    for row in subject.rows("table_stats"):
        stats[row["table_id"]].append(row)
    for table_id, table in subject.live_tables.items():
        files = [row for row in subject.live("data_file") if row["table_id"] == table_id]
        rows = sum(row["record_count"] for row in files) + len(live_inlined(subject, table_id))
        size = sum(row["file_size_bytes"] for row in files)
        found = stats[table_id]
        if len(found) > 1 or (rows and not found):
            text = f"{table['table_name']} has {len(found)} rows of statistics"
            yield Complaint(text, table_id)
        elif found and found[0]["record_count"] < rows:
            text = f"record_count {found[0]['record_count']}, but {rows} gross rows"
            yield Complaint(text, table_id)
        elif found and found[0]["file_size_bytes"] < size:
            text = f"file_size_bytes {found[0]['file_size_bytes']}, but {size} in files"
            yield Complaint(text, table_id)


def next_row_ids_are_above_all(subject: Subject) -> Complaints:
    """`next_row_id` is above every row id of files and inlined rows."""
    used: dict[int, int] = defaultdict(lambda: -1)
    footers = footers_of(subject)
    for number, row in subject.data_files.items():
        last = -1
        if number in footers and ROW_ID_FIELD in footers[number].top_ids:
            last = max(_embedded(subject, number), default=-1) if subject.is_small else -1
        elif row["row_id_start"] is not None:
            last = row["row_id_start"] + row["record_count"] - 1
        used[row["table_id"]] = max(used[row["table_id"]], last)
    for registered in subject.rows("inlined_data_tables"):
        for row in subject.rows(registered["table_name"].removeprefix("ducklake_")):
            table = registered["table_id"]
            used[table] = max(used[table], int(row["row_id"]))
    for row in subject.rows("table_stats"):
        if row["next_row_id"] <= used[row["table_id"]]:
            text = f"next_row_id {row['next_row_id']}, but {used[row['table_id']]} is used"
            yield Complaint(text, row["table_id"])


def row_id_ranges_are_disjoint(subject: Subject) -> Complaints:
    """No two live files count the same row ids, by the ids that their rows give them."""
    embedded = {
        number for number, each in footers_of(subject).items() if ROW_ID_FIELD in each.top_ids
    }
    ranges: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in subject.live("data_file"):
        if row["row_id_start"] is not None and row["data_file_id"] not in embedded:
            start = int(row["row_id_start"])
            ranges[row["table_id"]].append((start, start + int(row["record_count"])))
    for table_id, found in ranges.items():
        if overlapping(found):
            yield Complaint(f"row ids of files overlap: {sorted(found)}", table_id)


def row_ids_are_unique(subject: Subject) -> Complaints:
    """No two live rows of a table have one row id, wherever they are (small lakes)."""
    if not subject.is_small or subject.is_encrypted:
        return
    deleted: dict[int, set[int]] = defaultdict(set)
    for row in readable(subject):
        if subject.is_live(row):
            deleted[int(row["data_file_id"])] |= set(positions(subject, row))
    for number, found in inlined_positions(subject).items():
        deleted[number] |= set(found)
    ids: dict[int, list[int]] = defaultdict(list)
    for row in subject.live("data_file"):
        number = int(row["data_file_id"])
        if number in footers_of(subject):
            numbered = enumerate(_row_ids(subject, row))
            ids[row["table_id"]] += [id for at, id in numbered if at not in deleted[number]]
    for table_id in subject.live_tables:
        ids[table_id] += [int(row["row_id"]) for row in live_inlined(subject, table_id)]
    for table_id, numbers in ids.items():
        if len(set(numbers)) < len(numbers):
            yield Complaint("two live rows have one row id", table_id)


def _row_ids(subject: Subject, row: Row) -> list[int]:
    embedded = _embedded(subject, int(row["data_file_id"]))
    if embedded or row["row_id_start"] is None:
        return embedded
    start = int(row["row_id_start"])
    return list(range(start, start + int(row["record_count"])))


def _embedded(subject: Subject, number: int) -> list[int]:
    nodes = footers_of(subject)[number].nodes
    names = [node.name for node in nodes if node.field_id == ROW_ID_FIELD]
    if not names:
        return []
    query = f"SELECT {identifier(names[0])} FROM {scan(subject.files_on_disk[number])}"
    return [int(id) for (id,) in connection().execute(query).fetchall()]


def file_statistics_are_of_leaves(subject: Subject) -> Complaints:
    """One row per file and leaf column; groups have none."""
    seen = set()
    for row in subject.rows("file_column_stats"):
        column = todays_columns(subject, row["table_id"]).get(int(row["column_id"]))
        text = f"statistics of data file {row['data_file_id']}, column {row['column_id']}"
        if column is None or column["column_type"] in ("list", "struct", "map"):
            yield Complaint(f"{text}: no leaf column", row["table_id"])
        if (row["data_file_id"], row["column_id"]) in seen:
            yield Complaint(f"{text}: twice", row["table_id"])
        seen.add((row["data_file_id"], row["column_id"]))


def file_counts_are_true(subject: Subject) -> Complaints:
    """`value_count`, `null_count` and `contains_nan` of a file are those of its data."""
    for row, kind, truth in _stated(subject):
        file = int(row["data_file_id"])
        column = todays_columns(subject, row["table_id"])[int(row["column_id"])]
        for wrong in _wrong_counts(row, kind, truth):
            text = f"data file {file}, column {row['column_id']}: {wrong}"
            yield Complaint(text, row["table_id"], file, column)


def _wrong_counts(row: Row, kind: str, truth: Truth) -> Iterator[str]:
    nulls = truth.slots - truth.values
    if row["value_count"] not in (None, truth.values):
        yield f"value_count {row['value_count']}, {truth.values} values"
    is_wrong = row["null_count"] != nulls if truth.is_flat else (row["null_count"] or 0) < nulls
    if row["null_count"] is not None and is_wrong:
        yield f"null_count {row['null_count']}, {nulls} NULLs"
    is_possible = (None, truth.nans > 0) if kind in ("FLOAT", "DOUBLE") else (None,)
    if row["contains_nan"] not in is_possible:
        yield f"contains_nan {row['contains_nan']} of a {kind} with {truth.nans} NaNs"


def file_bounds_hold(subject: Subject) -> Complaints:
    """No value of a file lies outside the bounds of its column."""
    for row, kind, truth in _stated(subject):
        wrong = outside(kind, truth, row["min_value"], row["max_value"])
        if wrong:
            file = int(row["data_file_id"])
            column = todays_columns(subject, row["table_id"])[int(row["column_id"])]
            text = f"data file {file}, column {row['column_id']}: {wrong}"
            yield Complaint(text, row["table_id"], file, column)


@lru_cache(maxsize=1)
def _stated(subject: Subject) -> list[tuple[Row, str, Truth]]:
    """Statistics of files beside the truth, where it can be compared."""
    if not subject.is_small:
        return []
    truths = _truths(subject)
    found = []
    for row in subject.rows("file_column_stats"):
        truth = truths.get(int(row["data_file_id"]), {}).get(int(row["column_id"]))
        column = todays_columns(subject, row["table_id"]).get(int(row["column_id"]))
        kind = comparable(column["column_type"]) if column else None
        if truth is not None and kind is not None:
            found.append((row, kind, truth))
    return found


@lru_cache(maxsize=1)
def _truths(subject: Subject) -> dict[int, dict[int, Truth]]:
    """What the files hold."""
    return true_of_files(subject)


def table_bounds_contain_the_truth(subject: Subject) -> Complaints:
    """Table-level statistics hold for every row of every snapshot that is left (rule 8)."""
    for row, column, truth in _tables_truth(subject, only_live=False):
        kind = comparable(column["column_type"])
        text = f"table statistics of column {column['column_name']}"
        nulls = truth.slots - truth.values
        if row["contains_null"] is False and nulls:
            yield Complaint(f"{text}: contains_null is false, {nulls} NULLs", row["table_id"])
        if row["contains_nan"] is False and truth.nans:
            yield Complaint(f"{text}: contains_nan is false", row["table_id"])
        if kind is None or truth.least is None:
            continue
        if row["min_value"] is None or row["max_value"] is None:
            unknown = f"{text}: a bound is NULL where values are; the row should not be there"
            yield Complaint(unknown, row["table_id"], column=column)
            continue
        wrong = outside(kind, truth, row["min_value"], row["max_value"])
        if wrong:
            yield Complaint(f"{text}: {wrong}", row["table_id"], column=column)


def table_bounds_are_exact_when_trusted(subject: Subject) -> Complaints:
    """DuckDB answers MIN and MAX from bounds when `record_count` is the number of live rows."""
    for row, column, truth in _tables_truth(subject, only_live=True):
        kind = comparable(column["column_type"])
        is_trusted = _net_rows(subject, row["table_id"]) == _record_count(subject, row["table_id"])
        is_plain = column["column_type"] not in TEXTS and column["parent_column"] is None
        if kind is None or not is_plain or not is_trusted or truth.nans:
            continue
        if _has_mapped_files(subject, row["table_id"]):
            continue
        pairs = ((truth.least, row["min_value"]), (truth.greatest, row["max_value"]))
        if any(said is not None and not is_equal(kind, true, said) for true, said in pairs):
            said = f"bounds {row['min_value']!r}, {row['max_value']!r}"
            text = f"{column['column_name']}: {said}, values {truth.least!r} to {truth.greatest!r}"
            yield Complaint(text, row["table_id"], column=column)


def _has_mapped_files(subject: Subject, table_id: int) -> bool:
    """Whether files are read by names, which this checker does not do."""
    live = (row for row in subject.live("data_file") if row["table_id"] == table_id)
    return any(row["mapping_id"] is not None for row in live)


def _record_count(subject: Subject, table_id: int) -> int | None:
    stats = [row for row in subject.rows("table_stats") if row["table_id"] == table_id]
    return int(stats[0]["record_count"]) if stats else None


def _net_rows(subject: Subject, table_id: int) -> int:
    files = {r["data_file_id"]: r for r in subject.live("data_file") if r["table_id"] == table_id}
    rows = sum(int(row["record_count"]) for row in files.values())
    rows -= sum(
        int(row["delete_count"])
        for row in subject.live("delete_file")
        if row["data_file_id"] in files
    )
    rows -= sum(len(found) for id, found in inlined_positions(subject).items() if id in files)
    return rows + len(live_inlined(subject, table_id))


def _tables_truth(subject: Subject, *, only_live: bool) -> list[tuple[Row, Row, Truth]]:
    """Table-level rows of live columns beside the column and what all its data hold."""
    if not subject.is_small or subject.is_encrypted:
        return []
    found = []
    for table_id in subject.live_tables:
        columns = todays_columns(subject, table_id)
        inlined = true_of_inlined(subject, table_id, only_live=only_live)
        files = _reachable_files(subject, table_id, only_live=only_live)
        for row in subject.rows("table_column_stats"):
            column = columns.get(int(row["column_id"]))
            if row["table_id"] != table_id or column is None or not subject.is_live(column):
                continue
            kind = comparable(column["column_type"])
            if kind is not None:
                parts = [_of_file(column, kind, each, facts) for each, facts in files]
                parts += (
                    [inlined[int(row["column_id"])]] if int(row["column_id"]) in inlined else []
                )
                found.append((row, column, together(kind, parts)))
    return found


def _reachable_files(
    subject: Subject, table_id: int, *, only_live: bool
) -> list[tuple[Row, dict[int, Truth]]]:
    truths = _truths(subject)
    return [
        (row, truths[number])
        for number, row in subject.data_files.items()
        if row["table_id"] == table_id
        and number in truths
        and row["mapping_id"] is None
        and (subject.is_live(row) if only_live else subject.is_reachable(row))
    ]


def _of_file(column: Row, kind: str, file: Row, facts: dict[int, Truth]) -> Truth:
    """What a file holds of a column: its initial default, row by row, when it lacks the column."""
    if int(column["column_id"]) in facts:
        return facts[int(column["column_id"])]
    if column["parent_column"] is not None:
        return Truth(0, 0, 0, None, None)
    one = of_texts(kind, [column["initial_default"]])
    count = int(file["record_count"])
    return Truth(count, one.values * count, one.nans * count, one.least, one.greatest)


def partition_values_are_true(subject: Subject) -> Complaints:
    """Every row of a file has the value that the file's row states for the partition key."""
    if not subject.is_small:
        return
    keys = {
        (row["partition_id"], row["partition_key_index"]): row
        for row in subject.rows("partition_column")
    }
    for value in subject.rows("file_partition_value"):
        number = int(value["data_file_id"])
        file = subject.data_files.get(number)
        key = keys.get((file["partition_id"], value["partition_key_index"])) if file else None
        footer = footers_of(subject).get(number)
        if file is None or key is None or footer is None or not _is_known(key["transform"]):
            continue
        names = [node.name for node in footer.nodes if node.field_id == key["column_id"]]
        file_rows = scan(subject.files_on_disk[number])
        kind = type_at_begin(subject, file, key["column_id"])
        for name in names:
            transformed = _transformed(_as_kept(identifier(name), kind), key["transform"])
            query = f"SELECT DISTINCT CAST({transformed} AS VARCHAR) FROM {file_rows}"
            found = [text for (text,) in connection().execute(query).fetchall()]
            said = value["partition_value"]
            is_rounded = kind in _ROUNDED and [float(text) for text in found] == [float(said)]
            if found != [said] and not is_rounded:
                text = f"data file {number}: partition value {said!r}, data {found[:5]}"
                yield Complaint(text, value["table_id"])


_ROUNDED = ("int128", "uint128")
"""What DuckDB keeps in files as doubles."""


def _as_kept(value: str, kind: str) -> str:
    """A column of a file in its type; files keep seconds as milliseconds, whose text is another."""
    return f"CAST({value} AS {kind})" if kind in ("timestamp_s", "timestamp_ms") else value


def _is_known(transform: str) -> bool:
    return transform in _TRANSFORMS or transform.startswith("bucket(")


_TRANSFORMS = ("identity", "year", "month", "day", "hour")


def _transformed(value: str, transform: str) -> str:
    if transform == "identity":
        return value
    if transform.startswith("bucket("):
        return f"(murmur3_32({value}) & 2147483647) % {transform[7:-1]}"
    return f"{transform}({value})"


INVARIANTS = (
    table_stats_are_gross,
    next_row_ids_are_above_all,
    row_id_ranges_are_disjoint,
    row_ids_are_unique,
    file_statistics_are_of_leaves,
    file_counts_are_true,
    file_bounds_hold,
    table_bounds_contain_the_truth,
    table_bounds_are_exact_when_trusted,
    partition_values_are_true,
)
