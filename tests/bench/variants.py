"""Values at paths of variants, against bare Parquet over the same files."""

from __future__ import annotations

from bench import contest, data
from support.lakes import Lake
from support.peer import Peer

ROWS = 1_000_000

QUERIES = {
    "a number": "variant_get(v, '$.n', 'bigint') AS x",
    "a text": "variant_get(v, '$.s', 'string') AS x",
    "a number of an object in it": "variant_get(v, '$.deep.x', 'int') AS x",
    "three of them": "variant_get(v, '$.n', 'bigint') AS x, variant_get(v, '$.s', 'string') AS y,"
    " variant_get(v, '$.deep.x', 'int') AS z",
}

TOTALS = {
    "a sum": "sum(variant_get(v, '$.n', 'bigint'))",
    "a sum of few rows": "sum(variant_get(v, '$.n', 'bigint'))"
    " FILTER (WHERE variant_get(v, '$.deep.x', 'int') < 10)",
}


def _lake() -> Lake:
    """Objects of eight fields, for which DuckDB writes a column each."""

    def fill(peer: Peer) -> None:
        peer.run(
            "CREATE TABLE t AS SELECT i AS id, {'n': i, 's': 'text ' || i % 5000,"
            " 'deep': {'x': (i % 1000)::INT, 'y': 'more ' || i}, 'd': i / 7, 'b': i % 2 = 0,"
            " 'long': hash(i)::VARCHAR || hash(i + 1)::VARCHAR, 'list': [i, i + 1]}::VARIANT AS v"
            f" FROM range({ROWS}) r(i)"
        )

    return data.lake("variants", fill)


def variant(scale: float) -> None:
    """Values at one path and at three of shredded variants, at most 1 is meant."""
    lake = _lake()
    spark = contest.session({"lake": lake})
    bare = spark.newSession()
    bare.read.parquet(*data.files(lake, "t")).createOrReplaceTempView("t")
    projected = [
        contest.compare(
            name,
            lambda columns=columns: contest.noop(bare.sql(f"SELECT {columns} FROM t")),
            lambda columns=columns: contest.noop(spark.sql(f"SELECT {columns} FROM lake.main.t")),
        )
        for name, columns in QUERIES.items()
    ]
    totals = [
        contest.compare(
            name,
            lambda columns=columns: bare.sql(f"SELECT {columns} FROM t").collect(),
            lambda columns=columns: spark.sql(f"SELECT {columns} FROM lake.main.t").collect(),
        )
        for name, columns in TOTALS.items()
    ]
    contest.show(f"values of {ROWS} shredded variants", [*projected, *totals])
    contest.judge("a number / Parquet", projected[0].ratio, 1.0)
