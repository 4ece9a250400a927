"""What each step of upkeep would gain, and the call for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ducklake_spark_cli.output import size
from ducklake_spark_cli.texts import constant
from ducklake_spark_report.facts import Facts, Past, Table
from ducklake_spark_report.words import count, moment

MOST_TABLES = 5
"""A step names no more tables, those that gain most."""

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
    def weight(table: Table) -> int:
        return table.inlined_rows + table.inlined_deletes if table.is_compacted else 0

    tables = _heaviest(facts.tables, weight)
    rows = sum(each.inlined_rows for each in tables)
    deletes = sum(each.inlined_deletes for each in tables)
    kept = f"{count(rows, 'row')} and {count(deletes, 'delete')} of {count(len(tables), 'table')}"
    return Step(
        "flush_inlined_data",
        "worth doing" if tables else "nothing to do",
        f"The catalog keeps {kept}." if tables else "The catalog keeps no rows.",
        "Reads fetch them from files then, no longer through the driver." if tables else "",
        f"{call(catalog, 'flush_inlined_data')}()",
        "ducklake-spark flush",
        _of_tables(tables, catalog, "flush_inlined_data", "schema_name"),
    )


def _expire(facts: Facts, catalog: str) -> Step:
    past = facts.past
    age = f"{past.days:g} days"
    source = "an example: how long is yours?"
    if past.is_option:
        source = "the option expire_older_than"
    elif past.unread is not None:
        source = f"an example: {past.unread}, which the option says, is not read by this page"
    is_set = past.is_option or past.unread is not None
    files = f"{count(past.files, 'data file')} with {size(past.size)}" if past.files else "No file"
    when = "" if is_set else f"older_than => now() - INTERVAL {past.days:g} DAYS"
    return Step(
        "expire_snapshots",
        _expiry(past),
        f"{past.snapshots:,} of {count(facts.snapshots, 'snapshot')} are older than {age} "
        f"({source}).",
        f"{files} can go with them. They can be read no more then." if past.snapshots else "",
        f"{call(catalog, 'expire_snapshots')}({when})",
        "ducklake-spark expire" + ("" if is_set else f" --older-than {past.before:%Y-%m-%d}"),
    )


def _expiry(past: Past) -> Verdict:
    if past.unread is not None:
        return "not known"
    if not past.snapshots:
        return "nothing to do"
    return "worth doing" if past.is_option else "your choice"


def _merge(facts: Facts, catalog: str) -> Step:
    tables = _heaviest(
        [each for each in facts.tables if each.is_compacted],
        lambda table: table.small_files - table.merged_files,
    )
    before = sum(each.small_files for each in tables)
    after = sum(each.merged_files for each in tables)
    return Step(
        "merge_adjacent_files",
        "worth doing" if tables else "nothing to do",
        f"{count(before, 'small file')} of {count(len(tables), 'table')} can be put together."
        if tables
        else "No small files can be put together.",
        f"Then there are about {after:,} instead of {before:,}." if tables else "",
        f"{call(catalog, 'merge_adjacent_files')}()",
        "ducklake-spark compact",
        _of_tables(tables, catalog, "merge_adjacent_files", "schema"),
    )


def _rewrite(facts: Facts, catalog: str) -> Step:
    tables = _heaviest(
        [each for each in facts.tables if each.is_compacted], lambda table: table.rewrite_files
    )
    files = sum(each.rewrite_files for each in tables)
    freed = sum(each.rewrite_size for each in tables)
    deleted = sum(each.deleted_rows for each in facts.tables)
    below = f"{count(deleted, 'deleted row')} in files, but no file is past the threshold."
    return Step(
        "rewrite_data_files",
        "worth doing" if tables else "nothing to do",
        f"Deleted rows are most of {count(files, 'file')} of {count(len(tables), 'table')}."
        if tables
        else (below if deleted else "No file has deleted rows."),
        f"About {size(freed)} less to read." if tables else "",
        f"{call(catalog, 'rewrite_data_files')}()",
        "ducklake-spark rewrite",
        _of_tables(tables, catalog, "rewrite_data_files", "schema"),
    )


def _cleanup(facts: Facts, catalog: str) -> Step:
    since = facts.scheduled_since
    first = "" if since is None else f", the first since {moment(since)}"
    return Step(
        "cleanup_old_files",
        "worth doing" if facts.scheduled else "nothing to do",
        f"Scheduled for deletion: {count(facts.scheduled, 'file')}{first}.",
        "Their storage is free then. The catalog does not say how much." if since else "",
        f"{call(catalog, 'cleanup_old_files')}()",
        "ducklake-spark cleanup",
    )


def _heaviest(tables: Iterable[Table], weight: Callable[[Table], int]) -> list[Table]:
    """The tables that have any of it, the first with most."""
    return sorted((each for each in tables if weight(each) > 0), key=weight, reverse=True)


def _of_tables(
    tables: Sequence[Table], catalog: str, procedure: str, parameter: str
) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            f"{each.schema}.{each.name}",
            f"{call(catalog, procedure)}(table_name => {constant(each.name)}, "
            f"{parameter} => {constant(each.schema)})",
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
