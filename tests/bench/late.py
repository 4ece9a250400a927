"""Filters that keep few rows of a wide table: what reading the filter's columns first saves."""

from __future__ import annotations

from bench import contest, data
from support.lakes import Lake
from support.peer import Peer

ROWS = 1_000_000
READ = ", ".join(f"sum(hash(c{number}))" for number in range(20))

FILTERS = {
    "0.1 % at random": "k < 1000",
    "0.1 % in a cluster": "m = 500",
    "0.1 % in a cluster, no dictionary": "g BETWEEN 500000 AND 500999",
    "10 % in clusters": "m < 100",
    "a point look-up": "u = 777777",
    "a point look-up of a text": "t = 'key 777777'",
    "nothing": "t = 'key 777777 of none'",
    "10 % at random": "k < 100000",
    "90 % at random": "k < 900000",
}


def _lake(percent: int) -> Lake:
    """A table of 100 columns beside its keys, with a share of its rows deleted at random."""
    kinds = (
        "hash(i, {n})::DECIMAL(20, 0)::VARCHAR",
        "(hash(i, {n}) % 1000000000000)::BIGINT",
        "(hash(i, {n}) % 1000000 / 7)::DOUBLE",
        "'word ' || hash(i, {n}) % 500",
        "(hash(i, {n}) % 3000)::INTEGER",
    )
    columns = ", ".join(f"{kinds[n % 5].format(n=n)} AS c{n}" for n in range(100))

    def fill(peer: Peer) -> None:
        peer.run(
            # Keys in no order, so that no bounds exclude a row group.
            "CREATE TABLE wide AS SELECT (hash(i, 'k') % 1000000)::BIGINT AS k, i AS c,"
            " i // 1000 * 7919 % 1000 AS m, i // 1000 * 7919 % 1000 * 1000 + i % 1000 AS g,"
            " (i * 7919) % 1000003 AS u, 'key ' || (i * 7919) % 1000003 AS t,"
            f" {columns} FROM range({ROWS}) r(i)"
        )
        if percent:
            peer.run(f"DELETE FROM wide WHERE hash(c, 'd') % 100 < {percent}")

    return data.lake(f"wide-keys-{percent}", fill)


def _compared(percent: int) -> None:
    lake = _lake(percent)
    spark = contest.session({"lake": lake})
    bare = spark.newSession()
    bare.read.parquet(*data.files(lake, "wide")).createOrReplaceTempView("wide")
    off = {"late-materialization": "false"}
    for key, value in lake.spark_settings("whole", off).items():
        spark.conf.set(key, value)

    def query(table: str, where: str) -> str:
        return f"SELECT count(*), {READ} FROM {table} WHERE {where}"

    ours = {
        name: contest.compare(
            name,
            lambda where=where: spark.sql(query("whole.main.wide", where)).collect(),
            lambda where=where: spark.sql(query("lake.main.wide", where)).collect(),
        )
        for name, where in FILTERS.items()
    }
    contest.show(f"20 of 100 columns, {percent} % deleted, against all at once", [*ours.values()])
    if percent == 0:
        plain = [
            contest.compare(
                name,
                lambda where=where: bare.sql(query("wide", where)).collect(),
                lambda where=where: spark.sql(query("lake.main.wide", where)).collect(),
            )
            for name, where in FILTERS.items()
        ]
        contest.show("20 of 100 columns, against Parquet over the same files", plain)


def late(scale: float) -> None:
    """Filters on a wide file of DuckDB, against bare Parquet and against ourselves without."""
    _compared(0)


def late_deleted(scale: float) -> None:
    """The same with 1 % of the rows deleted, against ourselves without."""
    _compared(1)
