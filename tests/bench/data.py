"""Lakes to measure on, written by DuckDB once and kept below `target/bench`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from support import benchmarks
from support.lakes import Lake
from support.objectstore import Bucket
from support.peer import Peer

ROOT = Path(__file__).resolve().parents[2] / "target" / "bench"
TABLES = tuple(benchmarks.SIZES["tpch"])


def lake(
    name: str, fill: Callable[[Peer], None], *options: str, bucket: Bucket | None = None
) -> Lake:
    """The lake of this name on an SQLite catalog, made with these options, filled on first use.

    Args:
        name: of the lake and of its folder.
        fill: makes its tables.
        options: of DuckDB's ATTACH.
        bucket: where its files go; None: beside the catalog.
    """
    folder = ROOT / name
    database = str(folder / "lake.sqlite")
    place = bucket.folder / name if bucket else folder / "data"
    made = Lake("sqlite", f"ducklake:sqlite:{database}", place, database, bucket=bucket)
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        more = ["tpch", "tpcds", *(["httpfs"] if "ENCRYPTED" in options else [])]
        with Peer(made, "DATA_INLINING_ROW_LIMIT 0", *options, extensions=more) as peer:
            fill(peer)
        (folder / "done").touch()
    return made


def tpch(scale: float, bucket: Bucket | None = None) -> Lake:
    """TPC-H's eight tables."""

    def fill(peer: Peer) -> None:
        peer.run("ATTACH ':memory:' AS source", "USE source", f"CALL dbgen(sf = {scale})")
        peer.run("USE lake", *(f"CREATE TABLE {t} AS FROM source.{t}" for t in TABLES))

    return lake(f"tpch-{scale}{'-stored' if bucket else ''}", fill, bucket=bucket)


def tpcds(scale: float) -> Lake:
    """TPC-DS's 24 tables."""

    def fill(peer: Peer) -> None:
        peer.run("ATTACH ':memory:' AS source", "USE source", f"CALL dsdgen(sf = {scale})")
        peer.run(
            "USE lake", *(f"CREATE TABLE {t} AS FROM source.{t}" for t in benchmarks.SIZES["tpcds"])
        )

    return lake(f"tpcds-{scale}", fill)


def deleted(scale: float, percent: int) -> Lake:
    """Lineitem twice: `bare` as it is, `lineitem` with a share of its rows deleted at random."""

    def fill(peer: Peer) -> None:
        peer.run("ATTACH ':memory:' AS source", "USE source", f"CALL dbgen(sf = {scale})")
        peer.run("USE lake", "CREATE TABLE bare AS FROM source.lineitem")
        peer.run("CREATE TABLE lineitem AS FROM source.lineitem")
        peer.run(f"DELETE FROM lineitem WHERE hash(l_orderkey, l_linenumber) % 100 < {percent}")

    return lake(f"deleted-{scale}-{percent}", fill)


def lineitem(name: str, scale: float, *options: str) -> Lake:
    """Lineitem alone."""

    def fill(peer: Peer) -> None:
        peer.run("ATTACH ':memory:' AS source", "USE source", f"CALL dbgen(sf = {scale})")
        peer.run("USE lake", "CREATE TABLE lineitem AS FROM source.lineitem")

    return lake(f"{name}-{scale}", fill, *options)


def by_ship_date(scale: float, files: int) -> Lake:
    """Lineitem sorted by ship date, in so many files."""

    def fill(peer: Peer) -> None:
        peer.run("ATTACH ':memory:' AS source", "USE source", f"CALL dbgen(sf = {scale})")
        peer.run("USE lake", "CREATE TABLE part AS FROM source.part")
        peer.run("CREATE TABLE lineitem AS FROM source.lineitem LIMIT 0")
        rank = f"ntile({files}) OVER (ORDER BY l_shipdate, l_orderkey, l_linenumber)"
        peer.run(f"CREATE TEMP TABLE ranked AS SELECT *, {rank} AS tile FROM source.lineitem")
        for tile in range(1, files + 1):
            rows = f"FROM ranked WHERE tile = {tile} ORDER BY l_shipdate"
            peer.run(f"INSERT INTO lineitem SELECT * EXCLUDE (tile) {rows}")

    return lake(f"sorted-{scale}-{files}", fill)


def files(of: Lake, table: str) -> list[str]:
    """The data files of a table."""
    with Peer(of) as peer:
        rows = peer.rows("SELECT data_file FROM ducklake_list_files('lake', ?)", [table])
    return [str(row[0]) for row in rows]


def queries() -> dict[str, str]:
    """TPC-H's 22 queries as DuckDB's extension words them."""
    return benchmarks.queries("tpch")
