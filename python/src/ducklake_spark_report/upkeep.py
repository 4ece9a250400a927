"""What each step of upkeep would gain, and the call for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ducklake_spark_catalog.texts import constant
from ducklake_spark_catalog.units import size
from ducklake_spark_report.facts import Facts, Past, Scheduled, Table
from ducklake_spark_report.words import count, moment

MOST_TABLES = 5
"""A step names no more tables, those that gain most."""

_NO_DELETES = "No file has deleted rows."

Verdict = Literal["worth doing", "nothing to do", "your choice", "not known"]


@dataclass(frozen=True)
class Step:
    """A step of upkeep.

    Attributes:
        name: of the procedure.
        verdict: whether to do it.
        found: what there is to do.
        gain: what it brings; empty when there is nothing to do, or when the catalog cannot say.
        call: the statement for the whole lake.
        command: the same on the command line.
        tables: tables that gain most, each with its statement.
    """

    name: str
    verdict: Verdict
    found: str
    gain: str
    call: str
    command: str
    tables: tuple[tuple[str, str], ...] = ()


def steps(facts: Facts, catalog: str) -> tuple[Step, ...]:
    """The steps in the order in which `checkpoint` does them."""
    return (
        _flush(facts, catalog),
        _expire(facts, catalog),
        _merge(facts, catalog),
        _rewrite(facts, catalog),
        _cleanup(facts, catalog),
        Step(
            "delete_orphaned_files",
            "not known",
            "Files of writers that were killed. Only a listing of the storage finds them.",
            "",
            f"{call(catalog, 'delete_orphaned_files')}(dry_run => true)",
            "ducklake-spark orphans --dry-run",
        ),
    )


def _flush(facts: Facts, catalog: str) -> Step:
    tables, left_out = _taken(facts, lambda table: table.inlined_rows + table.inlined_deletes)
    rows = sum(each.inlined_rows for each in tables)
    deletes = sum(each.inlined_deletes for each in tables)
    kept = f"{count(rows, 'row')} and {count(deletes, 'delete')} of {count(len(tables), 'table')}"
    none = "" if left_out else "The catalog keeps no rows."
    return Step(
        "flush_inlined_data",
        "worth doing" if tables else "nothing to do",
        f"{f'The catalog keeps {kept}.' if tables else none}{left_out}".strip(),
        "Then reads fetch them from files, no longer through the driver." if tables else "",
        f"{call(catalog, 'flush_inlined_data')}()",
        "ducklake-spark flush",
        _of_tables(tables, catalog, "flush_inlined_data", "schema_name"),
    )


def _expire(facts: Facts, catalog: str) -> Step:
    past = facts.past
    source = "an example: how long is yours?"
    if past.is_option:
        source = "the option expire_older_than"
    elif past.unread is not None:
        source = f"an example: {past.unread}, which the option says, is not read by this page"
    is_set = past.is_option or past.unread is not None
    files = f"{count(past.files, 'data file')} with {size(past.size)}" if past.files else "No file"
    when = "" if is_set else f"older_than => now() - INTERVAL {past.age.upper()}"
    return Step(
        "expire_snapshots",
        _expiry(past),
        f"{past.snapshots:,} of {count(facts.snapshots, 'snapshot')} are older than {past.age} "
        f"({source}){_kept(past)}.",
        f"{files} can go with them. Expired snapshots cannot be read." if past.snapshots else "",
        f"{call(catalog, 'expire_snapshots')}({when})",
        "ducklake-spark expire" + ("" if is_set else f" --older-than {past.before:%Y-%m-%d}"),
    )


def _kept(past: Past) -> str:
    """What keeps others that are as old."""
    have = "has" if past.named == 1 else "have"
    name = f" and have no name; {past.named:,} more {have} one" if past.named else ""
    if not past.readers:
        return name
    verb = "keeps" if past.readers == 1 else "keep"
    return f"{name} and needed by no reader; {count(past.readers, 'reader')} {verb} others"


def _expiry(past: Past) -> Verdict:
    if past.unread is not None:
        return "not known"
    if not past.snapshots:
        return "nothing to do"
    return "worth doing" if past.is_option else "your choice"


def _merge(facts: Facts, catalog: str) -> Step:
    tables, left_out = _taken(facts, lambda table: table.compactable - table.compacted_files)
    before = sum(each.compactable for each in tables)
    after = sum(each.compacted_files for each in tables)
    deleted = sum(each.with_deletes for each in tables)
    found = f"{count(before, 'small file')} of {count(len(tables), 'table')} can be put together"
    found += f", {deleted:,} of them with deleted rows." if deleted else "."
    none = "" if left_out else "No small files can be put together."
    option = "apply_deletes => true" if deleted else ""
    return Step(
        "merge_adjacent_files",
        "worth doing" if tables else "nothing to do",
        f"{found if tables else none}{left_out}{_alone(facts)}".strip(),
        f"Then there are about {after:,} instead of {before:,}." if tables else "",
        f"{call(catalog, 'merge_adjacent_files')}({option})",
        f"ducklake-spark compact{' --apply-deletes' if deleted else ''}",
        _of_tables(tables, catalog, "merge_adjacent_files", "schema", option),
    )


def _alone(facts: Facts) -> str:
    """A sentence about small files that stay: nothing lies beside them."""
    alone = sum(each.below_target - each.compactable for each in facts.tables if each.is_compacted)
    if not alone:
        return ""
    verb = "stays: it is" if alone == 1 else "stay: each is"
    return f" {count(alone, 'small file')} {verb} the only one of a partition or of a table."


def _rewrite(facts: Facts, catalog: str) -> Step:
    tables, left_out = _taken(facts, lambda table: table.rewrite_files)
    files = sum(each.rewrite_files for each in tables)
    freed = sum(each.rewrite_size for each in tables)
    deleted = sum(each.deleted for each in facts.tables)
    below = "." if left_out else ", but no file is past the threshold."
    none = f"{count(deleted, 'deleted row')} in files{below}" if deleted else _NO_DELETES
    many = f"{count(files, 'file')} of {count(len(tables), 'table')}"
    return Step(
        "rewrite_data_files",
        "worth doing" if tables else "nothing to do",
        f"{f'Most rows are deleted in {many}.' if tables else none}{left_out}",
        f"Reads save about {size(freed)}." if tables else "",
        f"{call(catalog, 'rewrite_data_files')}()",
        "ducklake-spark rewrite",
        _of_tables(tables, catalog, "rewrite_data_files", "schema"),
    )


def _cleanup(facts: Facts, catalog: str) -> Step:
    due = facts.scheduled.due
    return Step(
        "cleanup_old_files",
        _deletion(facts.scheduled),
        _scheduled(facts.scheduled),
        "It frees their storage. The catalog does not say how much that is." if due else "",
        f"{call(catalog, 'cleanup_old_files')}()",
        "ducklake-spark cleanup",
    )


def _deletion(scheduled: Scheduled) -> Verdict:
    if scheduled.files and scheduled.due is None:
        return "not known"
    return "worth doing" if scheduled.due else "nothing to do"


def _scheduled(scheduled: Scheduled) -> str:
    """How many files wait, and how many of them long enough for a call without arguments."""
    more = ""
    if scheduled.outside:
        more = (
            f" Outside of the data path: {count(scheduled.outside, 'file')}, which only a call "
            "with outside_data_path => true deletes."
        )
    if scheduled.since is None:
        return f"No file is scheduled for deletion.{more}"
    files = f"{count(scheduled.files, 'file')}, the first since {moment(scheduled.since)}"
    if scheduled.due is None:
        due = f"The option delete_older_than, `{scheduled.age}`, is not read by this page."
    else:
        rest = scheduled.files - scheduled.due
        due = f"{scheduled.due:,} for longer than {scheduled.age} (delete_older_than)"
        due += f", {rest:,} not yet." if rest else "."
    return f"Scheduled for deletion: {files}. {due}{more}"


def _taken(facts: Facts, weight: Callable[[Table], int]) -> tuple[list[Table], str]:
    """The tables that upkeep of the whole lake takes, and a sentence about those that it does not.

    Args:
        facts: of the lake.
        weight: how much a step gains in a table; the tables with most come first.
    """
    some = sorted((each for each in facts.tables if weight(each) > 0), key=weight, reverse=True)
    taken = [each for each in some if each.is_compacted]
    left = count(len(some) - len(taken), "table")
    return taken, "" if len(taken) == len(
        some
    ) else f" Left out by the option auto_compact: {left}."


def _of_tables(
    tables: Sequence[Table], catalog: str, procedure: str, parameter: str, option: str = ""
) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            f"{each.schema}.{each.name}",
            f"{call(catalog, procedure)}(table_name => {constant(each.name)}, "
            f"{parameter} => {constant(each.schema)}{f', {option}' if option else ''})",
        )
        for each in tables[:MOST_TABLES]
    )


def call(catalog: str, procedure: str) -> str:
    """A call of a procedure, without its arguments.

    Example:
        >>> call("lake", "checkpoint"), call("my-lake", "checkpoint")
        ('CALL lake.system.checkpoint', 'CALL `my-lake`.system.checkpoint')
    """
    is_plain = catalog.replace("_", "").isalnum() and catalog.isascii()
    name = catalog if is_plain else "`" + catalog.replace("`", "``") + "`"
    return f"CALL {name}.system.{procedure}"
