"""Tables that move into a lake: what both engines read then, and what is left of the source."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.lakes import Lake
from support.peer import Peer, literal

ZONE = "SET TimeZone = 'America/New_York'"
"""Another time zone than that of Spark's session and of the tables' writer."""


def bytes_below(folder: str) -> dict[str, str]:
    """Each file of a folder with a checksum."""
    return {
        str(file): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in Path(folder).rglob("*")
        if file.is_file()
    }


def same_in_both(
    spark: SparkSession, lake: Lake, name: str, expected: str, version: int | None = None
) -> None:
    """Both engines read the rows and columns that the source's own reader has read.

    Args:
        spark: the session.
        lake: the lake that has table `t`.
        name: of its catalog.
        expected: the pattern of plain Parquet files with the rows.
        version: the snapshot that is read; the newest when left out.
    """
    with duckdb_peer.connect() as connection:
        connection.execute(ZONE)
        wanted = connection.execute(f"FROM read_parquet({literal(expected)}) ORDER BY ALL")
        columns = [column[0] for column in wanted.description or []]
        rows = wanted.fetchall()
    with Peer(lake) as peer:
        peer.run(ZONE)
        at = "" if version is None else f"AT (VERSION => {version})"
        found = peer.connection.execute(f"FROM t {at} ORDER BY ALL")
        assert [column[0] for column in found.description or []] == columns
        assert repr(found.fetchall()) == repr(rows)
    at = "" if version is None else f"VERSION AS OF {version}"
    ours = spark.sql(f"SELECT * FROM {name}.main.t {at}")
    theirs = spark.read.parquet(str(Path(expected).parent))
    assert ours.columns == theirs.columns
    assert sorted(map(repr, ours.collect())) == sorted(map(repr, theirs.collect()))
