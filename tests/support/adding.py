"""Parquet files of no lake, and both engines' calls to add them to a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.lakes import Lake
from support.peer import Peer, literal


def parquet(path: Path, select: str, *options: str) -> str:
    """A Parquet file with the rows of a query, written by DuckDB with options; its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb_peer.connect() as connection:
        form = ", ".join(("FORMAT parquet", *options))
        connection.execute(f"COPY ({select}) TO {literal(str(path))} ({form})")
    return str(path)


@contextmanager
def old_calendar(spark: SparkSession, form: str) -> Iterator[None]:
    """Spark writes dates and instants as its version 2 did, for a while; instants in a form."""
    modes = dict.fromkeys(("datetimeRebaseModeInWrite", "int96RebaseModeInWrite"), "LEGACY")
    settings = modes | {"outputTimestampType": form}
    for key, value in settings.items():
        spark.conf.set(f"spark.sql.parquet.{key}", value)
    try:
        yield
    finally:
        for key in settings:
            spark.conf.unset(f"spark.sql.parquet.{key}")


def edit_footer(file: Path, old: bytes, new: bytes) -> str:
    """Replaces bytes that a Parquet file has once, in its footer; the file's path."""
    content = file.read_bytes()
    size = int.from_bytes(content[-8:-4], "little")
    body, footer = content[: -8 - size], content[-8 - size : -8]
    assert footer.count(old) == 1
    footer = footer.replace(old, new)
    file.write_bytes(body + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    return str(file)


def add_by_spark(spark: SparkSession, catalog: str, path: str, options: str = "") -> list[str]:
    """The files that Spark added to table `t`."""
    rows = spark.sql(f"CALL {catalog}.system.add_data_files('t', '{path}'{options})").collect()
    return [row.filename for row in rows]


def add_by_duckdb(lake: Lake, path: str, options: str = "") -> None:
    """Adds files to table `t` by DuckDB."""
    with Peer(lake) as peer:
        peer.run(f"CALL ducklake_add_data_files('lake', 't', {literal(path)}{options})")


def duckdb_rows(lake: Lake, query: str = "SELECT * FROM t ORDER BY ALL") -> list[tuple[Any, ...]]:
    """The rows of a query by DuckDB."""
    with Peer(lake) as peer:
        return peer.rows(query)
