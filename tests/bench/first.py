"""The first rows of an order, of tables that were written in this order."""

from __future__ import annotations

from collections.abc import Callable

from bench import contest, data
from support.lakes import Lake
from support.peer import Peer

COLUMNS = ", ".join(f"(hash(i, {n}) % 1000)::BIGINT AS c{n}" for n in range(20))

QUERIES = {
    "ORDER BY x LIMIT 100": "SELECT * FROM {} ORDER BY x LIMIT 100",
    "descending, by two keys": "SELECT * FROM {} ORDER BY x DESC, c0 LIMIT 100",
}
FILTERED = {
    "with a filter that bounds decide": "SELECT * FROM {} WHERE x > 150000 ORDER BY x LIMIT 100",
}


def _rows(file: int, rows: int) -> str:
    return f"SELECT i AS x, {COLUMNS} FROM range({file * rows}, {(file + 1) * rows}) r(i)"


def _written(files: int, rows: int) -> Lake:
    """A table of 21 columns in so many files of so many rows, which DuckDB wrote."""

    def fill(peer: Peer) -> None:
        peer.run(f"CREATE TABLE t AS {_rows(0, 0)}")
        peer.run(*(f"INSERT INTO t {_rows(file, rows)}" for file in range(files)))

    return data.lake(f"first-{files}", fill)


def _registered(files: int, rows: int) -> Lake:
    """The same in files that were registered, which is faster for many files."""
    name = f"first-registered-{files}"

    def fill(peer: Peer) -> None:
        folder = data.ROOT / name / "files"
        folder.mkdir()
        for file in range(files):
            to = f"'{folder}/{file:06}.parquet' (FORMAT parquet)"
            peer.run(f"COPY ({_rows(file, rows)}) TO {to}")
        peer.run(f"CREATE TABLE t AS {_rows(0, 0)}")
        peer.run(f"CALL ducklake_add_data_files('lake', 't', '{folder}/*.parquet')")

    return data.lake(name, fill)


def _compared(lake: Lake, queries: dict[str, str], title: str) -> None:
    spark = contest.session({"lake": lake})
    spark.read.parquet(*data.files(lake, "t")).createOrReplaceTempView("bare")

    def asked(text: str, table: str) -> Callable[[], object]:
        return lambda: spark.sql(text.format(table)).collect()

    outcomes = [
        contest.compare(name, asked(text, "bare"), asked(text, "lake.main.t"))
        for name, text in queries.items()
    ]
    contest.show(f"first rows of {title}, against Parquet", outcomes)
    contest.judge("ORDER BY x LIMIT 100 / Parquet", outcomes[0].ratio, 0.1)


def first_rows(scale: float) -> None:
    """`ORDER BY x LIMIT 100` over 400 files of 1000 rows in this order."""
    _compared(_written(400, 1000), QUERIES | FILTERED, "400 files")


def first_rows_of_many(scale: float) -> None:
    """The same over 10,000 files of 100 rows, which were registered."""
    _compared(_registered(10000, 100), QUERIES, "10,000 files")
