"""Tables that an export shows, read by readers that know no DuckLake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder
from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.iceberg import read_rows
from support.lakes import Lake
from support.peer import Peer, literal

Rows = list[tuple[Any, ...]]


def lake_rows(lake: Lake, version: int | None = None) -> Rows:
    """The rows of table `t` at a snapshot, by DuckDB."""
    at = "" if version is None else f" AT (VERSION => {version})"
    with Peer(lake) as peer:
        return peer.rows(f"SELECT * FROM t{at} ORDER BY ALL")


def export(
    spark: SparkSession, kind: str, catalog: str, path: Path | str, options: str = ""
) -> dict[str, tuple[Any, ...]]:
    """Exports table `t`; the lines of the result by their first column, of several the last."""
    call = f"CALL {catalog}.system.export_{kind}('t', '{path}'{options})"
    return {row[0]: tuple(row[1:]) for row in spark.sql(call).collect()}


def delta_by_duckdb(path: Path, version: int | None = None) -> Rows:
    """The rows of a table of Delta, by DuckDB's extension."""
    with duckdb_peer.connect("delta") as connection:
        at = "" if version is None else f", VERSION {version}"
        connection.execute(f"ATTACH {literal(str(path))} AS d (TYPE delta{at})")
        return connection.execute("SELECT * FROM d ORDER BY ALL").fetchall()


def delta_by_rust(path: Path, version: int | None = None) -> Rows:
    """The rows of a table of Delta, by delta-rs."""
    table = DeltaTable(str(path), version=version)
    found = pa.table(QueryBuilder().register("t", table).execute("SELECT * FROM t").read_all())
    with duckdb_peer.connect() as connection:
        connection.register("found", found)
        return connection.execute("SELECT * FROM found ORDER BY ALL").fetchall()


def same_in_delta(path: Path, expected: Rows, version: int | None = None) -> None:
    """Both readers of Delta find these rows."""
    assert delta_by_duckdb(path, version) == expected
    assert delta_by_rust(path, version) == expected


def delta_actions(path: Path, version: int) -> dict[str, list[dict[str, Any]]]:
    """The actions of a version of a table of Delta, by kind."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in (path / f"_delta_log/{version:020}.json").read_text().splitlines():
        for kind, content in json.loads(line).items():
            found.setdefault(kind, []).append(content)
    return found


def iceberg_by_duckdb(path: Path, version: int | None = None) -> Rows:
    """The rows of a table of Iceberg, by DuckDB's extension."""
    with duckdb_peer.connect("avro", "iceberg") as connection:
        table = literal(str(metadata(path, version)))
        return connection.execute(f"SELECT * FROM iceberg_scan({table}) ORDER BY ALL").fetchall()


def iceberg_by_python(path: Path, version: int | None = None) -> Rows:
    """The rows of a table of Iceberg, by PyIceberg."""
    return read_rows(str(metadata(path, version)))


def metadata(path: Path, version: int | None = None) -> Path:
    """The metadata file of a version; without one, of the version that the hint names."""
    number = version or int((path / "metadata/version-hint.text").read_text())
    return path / f"metadata/v{number}.metadata.json"


def same_in_iceberg(path: Path, expected: Rows, version: int | None = None) -> None:
    """Both readers of Iceberg find these rows."""
    assert iceberg_by_python(path, version) == expected
    assert iceberg_by_duckdb(path, version) == expected


def delete_files(folder: Path) -> dict[str, int]:
    """How many delete files of each kind an exported table of Iceberg has."""
    kinds = [path.suffix for path in (folder / "data").iterdir() if path.suffix != ".crc"]
    return {kind: kinds.count(kind) for kind in set(kinds)}
