"""What statements that change many files hold in a driver of 1 GB, which runs the tasks too.

What a file adds is measured on two tables, one with a tenth of the files: that takes away what the
session and the two running tasks need. A table before them loads the classes. What is left of the
tasks is what they keep by file, so a driver whose tasks run elsewhere has no more.
"""

from __future__ import annotations

import shutil

from pyspark.sql import SparkSession

from bench import contest, data, heap, linked, memory, planning

_DELETED_FILES = 20_000
_DELETED_ROWS = 10_000
_MOST_BYTES_PER_FILE = 64 * 1024

_MERGED_FILES = 100_000
_MERGED_ROWS = 100
_FILES_OF_A_GROUP = 512
"""As many files of a megabyte become one."""

_FLUSHED_ROWS = 10_000_000


def memory_delete(scale: float) -> None:
    """DELETE of half of the rows of 20 000 files of 10 000 rows."""
    tables = _tables(int(_DELETED_FILES * scale))
    lake = linked.lake(data.ROOT / "memory-delete", tables, _DELETED_ROWS)
    spark = planning.session({"lake": lake})
    statement = "DELETE FROM lake.main.{} WHERE id % 2 = 0"
    _head(f"DELETE of every second row, {_DELETED_ROWS} rows a file")
    each = _each(spark, tables, statement)
    for table, files in tables.items():
        left = spark.sql(f"SELECT count(*), min(id % 2) FROM lake.main.{table}").first()
        assert left == (files * _DELETED_ROWS // 2, 1), left
    spark.stop()
    contest.insist("KB for each touched file", each / 1024, _MOST_BYTES_PER_FILE / 1024)


def memory_merge(scale: float) -> None:
    """A merge of 100 000 files, small ones: as many groups as if each had a megabyte."""
    tables = _tables(int(_MERGED_FILES * scale))
    lake = linked.lake(data.ROOT / "memory-merge", tables, _MERGED_ROWS)
    target = linked.size(lake, "many") * _FILES_OF_A_GROUP
    spark = planning.session({"lake": lake})
    spark.sql(f"CALL lake.system.set_option('target_file_size', '{target}')").collect()
    _head(f"merge into files of {_FILES_OF_A_GROUP}")
    _each(spark, tables, "CALL lake.system.merge_adjacent_files('{}')")
    for table, files in tables.items():
        rows = spark.sql(f"SELECT count(*), sum(id) FROM lake.main.{table}").first()
        sum_of_file = _MERGED_ROWS * (_MERGED_ROWS - 1) // 2
        assert rows == (files * _MERGED_ROWS, files * sum_of_file), rows
        merged = len(data.files(lake, table))
        print(f"\n{table}: {files} files became {merged}")
        assert merged <= files // _FILES_OF_A_GROUP + 2, merged
    spark.stop()


def memory_flush(scale: float) -> None:
    """The flush of 10 M inlined rows of three columns."""
    rows = int(_FLUSHED_ROWS * scale)
    folder = data.ROOT / "memory-flush"
    shutil.rmtree(folder, ignore_errors=True)
    spark = planning.session({"lake": memory.inlined(folder, rows)})
    with heap.peak(spark) as used:
        (flushed,) = spark.sql("CALL lake.system.flush_inlined_data('t')").collect()
    assert flushed.rows_flushed == rows, flushed
    counted = spark.sql("SELECT count(name), sum(id) FROM lake.main.t").first()
    assert counted == (rows, rows * (rows - 1) // 2), counted
    print(
        f"\n### flush of {rows} inlined rows, a driver of 1 GB\n\n{used.seconds:.1f} s, "
        f"{used.bytes / heap.MEGABYTE:.0f} MB at most, garbage included"
    )
    spark.stop()


def _tables(files: int) -> dict[str, int]:
    few = max(10, files // 10)
    return {"warm_up": few, "few": few, "many": files}


def _head(title: str) -> None:
    print(f"\n### {title}, a driver of 1 GB\n")
    print("| table | files | s, with collections of garbage | MB alive at most |")
    print("|---|---:|---:|---:|")


def _each(spark: SparkSession, tables: dict[str, int], statement: str) -> float:
    """Runs the statement on all tables; the bytes that each file of the last one adds."""
    peaks = {}
    for table, files in tables.items():
        with heap.most_alive(spark) as used:
            spark.sql(statement.format(table)).collect()
        megabytes = used.bytes / heap.MEGABYTE
        print(f"| {table} | {files} | {used.seconds:.1f} | {megabytes:.1f} |", flush=True)
        peaks[table] = used.bytes
    each = (peaks["many"] - peaks["few"]) / (tables["many"] - tables["few"])
    print(f"\n{each:.0f} bytes for each file")
    return each
