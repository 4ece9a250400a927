"""The first rows of an order, of tables that were written in this order."""

from __future__ import annotations

from collections.abc import Callable

from bench import contest, data
from support.lakes import Lake
from support.peer import Peer

QUERIES = {
    "ORDER BY x LIMIT 100": "SELECT * FROM {} ORDER BY x LIMIT 100",
    "descending, by two keys": "SELECT * FROM {} ORDER BY x DESC, c0 LIMIT 100",
    "with a filter that bounds decide": "SELECT * FROM {} WHERE x > 150000 ORDER BY x LIMIT 100",
}


def _lake(files: int, rows: int) -> Lake:
    """A table of 21 columns in so many files of so many rows, which were registered."""
    name = f"first-{files}-{rows}"

    def fill(peer: Peer) -> None:
        columns = ", ".join(f"hash(i, {n})::BIGINT % 1000 AS c{n}" for n in range(20))
        peer.run(f"CREATE TABLE t AS SELECT i AS x, {columns} FROM range(0) r(i)")
        folder = data.ROOT / name / "files"
        folder.mkdir()
        for number in range(files):
            of_file = f"range({number * rows}, {(number + 1) * rows}) r(i)"
            peer.run(
                f"COPY (SELECT i AS x, {columns} FROM {of_file})"
                f" TO '{folder}/{number:06}.parquet' (FORMAT parquet)"
            )
        peer.run(f"CALL ducklake_add_data_files('lake', 't', '{folder}/*.parquet')")

    return data.lake(name, fill)


def _compared(files: int, rows: int) -> None:
    lake = _lake(files, rows)
    spark = contest.session({"lake": lake})
    spark.read.parquet(*data.files(lake, "t")).createOrReplaceTempView("bare")

    def asked(text: str, table: str) -> Callable[[], object]:
        return lambda: spark.sql(text.format(table)).collect()

    outcomes = [
        contest.compare(name, asked(text, "bare"), asked(text, "lake.main.t"))
        for name, text in QUERIES.items()
    ]
    contest.show(f"first rows of {files} files of {rows} rows, against Parquet", outcomes)
    contest.judge("ORDER BY x LIMIT 100 / Parquet", outcomes[0].ratio, 0.1)


def first_rows(scale: float) -> None:
    """`ORDER BY x LIMIT 100` over 400 files."""
    _compared(400, 1000)


def first_rows_of_many(scale: float) -> None:
    """The same over 10,000 files."""
    _compared(10000, 100)
