"""What one wants to do from Python, and how each library does it.

Each cell is code that `test_comparison.py` runs on a new table `t` with the columns id and name and
the rows (1, 'one') of snapshot `first` and (2, 'two') of snapshot `second`. `rows` is (3, 'three'),
`news` is (2, 'deux') and (3, 'three'), `file` is a Parquet file with (3, 'three').
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Row = tuple[int, str]
Library = Literal["ours", "duckdb", "delta", "iceberg"]

ONE, TWO, DEUX, THREE = (1, "one"), (2, "two"), (2, "deux"), (3, "three")

VERSIONS: dict[Library, str] = {
    "ours": "ducklake-spark",
    "duckdb": "DuckDB 1.5.5",
    "delta": "delta-spark 4.4.0",
    "iceberg": "PyIceberg 0.12.0",
}


@dataclass(frozen=True)
class Absent:
    """There is no way; names that the library does not have, though one would look for them."""

    names: tuple[str, ...]


Cell = str | Absent


@dataclass(frozen=True)
class Task:
    """Something to do.

    Attributes:
        title: in words.
        ours, duckdb, delta, iceberg: how each library does it.
        after: the rows of the table afterwards; None when they are the two of the beginning.
        found: the rows that the code gives; None when it gives none, or others.
    """

    title: str
    ours: Cell
    duckdb: Cell
    delta: Cell
    iceberg: Cell
    after: tuple[Row, ...] | None = None
    found: tuple[Row, ...] | None = None


TASKS = (
    Task(
        "add rows",
        "table.append(rows)",
        'duck.execute("INSERT INTO t FROM rows")',
        'rows.write.format("delta").mode("append").saveAsTable("t")',
        "table.append(rows)",
        after=(ONE, TWO, THREE),
    ),
    Task(
        "replace all rows",
        "table.overwrite(rows)",
        'duck.execute("CREATE OR REPLACE TABLE t AS FROM rows")',
        'rows.write.format("delta").mode("overwrite").saveAsTable("t")',
        "table.overwrite(rows)",
        after=(THREE,),
    ),
    Task(
        "replace the rows of a condition",
        'table.overwrite(rows, where="id >= 2")',
        'duck.execute("BEGIN; DELETE FROM t WHERE id >= 2; INSERT INTO t FROM rows; COMMIT")',
        'rows.write.format("delta").mode("overwrite").option("replaceWhere", "id >= 2")'
        '.saveAsTable("t")',
        'table.overwrite(rows, overwrite_filter="id >= 2")',
        after=(ONE, THREE),
    ),
    Task(
        "delete rows",
        'table.delete("id = 1")',
        'duck.execute("DELETE FROM t WHERE id = 1")',
        'table.delete("id = 1")',
        'table.delete("id = 1")',
        after=(TWO,),
    ),
    Task(
        "update rows by an expression",
        """table.update({"name": "concat('t', 'wo')"}, "id = 2")""",
        """duck.execute("UPDATE t SET name = 't' || 'wo' WHERE id = 2")""",
        """table.update("id = 2", {"name": "concat('t', 'wo')"})""",
        Absent(("update", "update_rows")),
        after=(ONE, TWO),
    ),
    Task(
        "insert what is new, update the rest",
        'table.merge(news, on="id").when_matched_update().when_not_matched_insert().execute()',
        'duck.execute("MERGE INTO t USING news USING (id) '
        'WHEN MATCHED THEN UPDATE WHEN NOT MATCHED THEN INSERT")',
        'table.alias("t").merge(news.alias("s"), "t.id = s.id")'
        ".whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()",
        'table.upsert(news, join_cols=["id"])',
        after=(ONE, DEUX, THREE),
    ),
    Task(
        "merge with conditions and deletes",
        'table.merge(news, on="id").when_matched_delete("s.name = \'deux\'").execute()',
        'duck.execute("MERGE INTO t USING news AS s ON t.id = s.id '
        "WHEN MATCHED AND s.name = 'deux' THEN DELETE\")",
        'table.alias("t").merge(news.alias("s"), "t.id = s.id")'
        ".whenMatchedDelete(\"s.name = 'deux'\").execute()",
        Absent(("merge", "merge_into")),
        after=(ONE,),
    ),
    Task(
        "read a past snapshot",
        "table.at(first).to_df()",
        'duck.sql(f"FROM t AT (VERSION => {first})")',
        'spark.read.option("versionAsOf", first).table("t")',
        "table.scan(snapshot_id=first)",
        found=(ONE,),
    ),
    Task(
        "see the history",
        "table.history()",
        "duck.sql(\"FROM ducklake_snapshots('lake')\")",
        "table.history()",
        "table.history()",
    ),
    Task(
        "read inserted, updated and deleted rows since a snapshot",
        'table.changes(start=second).select("id", "name")',
        "duck.sql(f\"SELECT id, name FROM ducklake_table_changes('lake', 'main', 't', "
        '{second}, {second})")',
        'spark.read.option("readChangeFeed", True).option("startingVersion", second)'
        '.table("t").select("id", "name")',
        Absent(("changes", "change_feed", "incremental_changelog_scan")),
        found=(TWO,),
    ),
    Task(
        "add a column",
        'spark.sql("ALTER TABLE lake.t ADD COLUMN more INT")',
        'duck.execute("ALTER TABLE t ADD COLUMN more INTEGER")',
        'spark.sql("ALTER TABLE t ADD COLUMN more INT")',
        'table.update_schema().add_column("more", IntegerType()).commit()',
    ),
    Task(
        "partition what comes from now on",
        'table.set_partitioned_by("name")',
        'duck.execute("ALTER TABLE t SET PARTITIONED BY (name)")',
        Absent(("update_spec", "setPartitionedBy")),
        'table.update_spec().add_identity("name").commit()',
    ),
    Task(
        "sort what comes from now on",
        'table.set_sorted_by("id")',
        'duck.execute("ALTER TABLE t SET SORTED BY (id ASC)")',
        'spark.sql("ALTER TABLE t CLUSTER BY (id)")',
        'table.update_sort_order().asc("id", IdentityTransform()).commit()',
    ),
    Task(
        "merge small files",
        "table.merge_adjacent_files()",
        "duck.execute(\"CALL ducklake_merge_adjacent_files('lake', 't')\")",
        "table.optimize().executeCompaction()",
        Absent(("optimize", "compact", "rewrite_data_files")),
    ),
    Task(
        "remove a past snapshot",
        "lake.expire_snapshots(versions=[first])",
        "duck.execute(f\"CALL ducklake_expire_snapshots('lake', versions => [{first}])\")",
        "table.vacuum()",
        "table.maintenance.expire_snapshots().by_id(first).commit()",
    ),
    Task(
        "find files that no commit knows",
        "lake.delete_orphaned_files(dry_run=True)",
        "duck.execute(\"CALL ducklake_delete_orphaned_files('lake', dry_run => true)\")",
        'spark.sql("VACUUM t DRY RUN")',
        Absent(("remove_orphan_files", "delete_orphan_files")),
    ),
    Task(
        "bring a table back to a snapshot",
        "table.rollback_to_snapshot(first)",
        Absent(("ducklake_rollback", "ducklake_rollback_to_snapshot", "ducklake_restore")),
        "table.restoreToVersion(first)",
        "table.manage_snapshots().rollback_to_snapshot(first).commit()",
        after=(ONE,),
    ),
    Task(
        "take over Parquet files where they are",
        "table.add_data_files(file)",
        "duck.execute(f\"CALL ducklake_add_data_files('lake', 't', '{file}')\")",
        Absent(("addFiles", "add_files")),
        "table.add_files([file])",
        after=(ONE, TWO, THREE),
    ),
    Task(
        "list data files",
        "table.files()",
        "duck.sql(\"FROM ducklake_list_files('lake', 't')\")",
        "table.toDF().inputFiles()",
        "table.inspect.files()",
    ),
    Task(
        "change several tables in one commit",
        "with lake.transaction(): table.append(rows); lake.create_table('other', rows)",
        'duck.execute("BEGIN; INSERT INTO t FROM rows; CREATE TABLE other AS FROM rows; COMMIT")',
        Absent(("transaction", "begin")),
        Absent(("begin", "multi_table_transaction")),
        after=(ONE, TWO, THREE),
    ),
    Task(
        "give a snapshot a name",
        "lake.keep_snapshot('kept', first)",
        Absent(("ducklake_create_tag", "ducklake_create_branch")),
        Absent(("create_tag", "createTag")),
        'table.manage_snapshots().create_tag(first, "kept").commit()',
    ),
    Task(
        "get a page that shows growth, files and what upkeep would gain",
        "lake.report()",
        Absent(("ducklake_report",)),
        Absent(("report",)),
        Absent(("report",)),
    ),
)


def page() -> str:
    """The page of the documentation."""
    head = " | ".join(VERSIONS.values())
    lines = [
        "# What one can do from Python",
        "",
        "This page is made from `tests/comparison/tasks.py`. The tests run each piece of code in",
        "it on a table of two rows, and compare the rows of the table afterwards; that of",
        "delta-spark where its jars are at hand. A dash stands where the library has no way of its",
        "own in Python.",
        "",
        f"| | {head} |",
        "|---|" + "---|" * len(VERSIONS),
        *(_line(task) for task in TASKS),
        "",
        "`ducklake-spark` and `delta-spark` need Spark, DuckDB and PyIceberg run in the Python "
        "process. With DuckDB the",
        "table is one of a lake, too: what one of the two does, the other sees. PyIceberg gives "
        "appended rows since a",
        "snapshot (`incremental_append_scan`), and Delta makes a table of a folder of files "
        "(`convertToDelta`).",
    ]
    return "\n".join(lines) + "\n"


def _line(task: Task) -> str:
    cells = (getattr(task, library) for library in VERSIONS)
    return f"| {task.title} | {' | '.join(map(_shown, cells))} |"


def _shown(cell: Cell) -> str:
    return "–" if isinstance(cell, Absent) else f"`{cell.replace('|', chr(92) + '|')}`"
