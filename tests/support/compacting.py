"""Tables with small files, what both engines say of them, and the catalog rows of merged files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from pyspark.sql import SparkSession

from support.catalogdb import Row, read_catalog
from support.flushing import Rows, texts, together
from support.lakes import Lake
from support.peer import Peer, literal

Spans: TypeAlias = dict[str, tuple[int, int]]
"""The first and the last snapshot of each table."""

_OWN = {
    *("data_file_id", "delete_file_id", "path"),
    *("file_size_bytes", "footer_size", "column_size_bytes"),
}


def make_tables(lake: Lake, tables: Mapping[str, Iterable[str]]) -> Spans:
    """Make the tables one after another in DuckDB; `{d}` is a folder for other files."""
    spans: Spans = {}
    folder = lake.data_path.parent / "other"
    folder.mkdir(exist_ok=True)
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        for name, statements in tables.items():
            first = peer.head() + 1
            peer.run(*(each.replace("{d}", str(folder)) for each in statements))
            spans[name] = (first, peer.head())
    return spans


def by_duckdb(lake: Lake, spans: Spans) -> dict[Any, Rows]:
    """What DuckDB reads of each table in each of its snapshots, and of all its changes."""
    with Peer(lake) as peer:
        head = peer.head()
        answer: dict[Any, Rows] = {}
        for name, (first, last) in spans.items():
            versions: dict[Any, int] = {id: id for id in range(first, last + 1)} | {"head": head}
            for key, version in versions.items():
                query = f"SELECT rowid, snapshot_id, * FROM {name} AT (VERSION => {version})"
                answer[name, key] = texts(peer.rows(query))
            feed = f"ducklake_table_changes('lake', 'main', {literal(name)}, {first}, {last})"
            answer[name, "feed"] = texts(peer.rows(f"SELECT * FROM {feed}"))
        return answer


def by_spark(spark: SparkSession, catalog: str, spans: Spans) -> dict[Any, Rows]:
    """What Spark reads of each table in its last snapshots, and of all its changes."""
    sources: dict[Any, str] = {}
    for name, (first, last) in spans.items():
        for version in range(max(first, last - 2), last + 1):
            table = f"{catalog}.{name} VERSION AS OF {version}"
            sources[name, version] = f"(SELECT rowid, snapshot_id, * FROM {table})"
        feed = f"ducklake_table_changes('{catalog}', 'main', '{name}', {first}, {last})"
        sources[name, "feed"] = feed
    return dict(zip(sources, together(spark, list(sources.values())), strict=True))


def merge(spark: SparkSession, catalog: str, arguments: str = "") -> Rows:
    """The result of the procedure."""
    return _called(spark, f"CALL {catalog}.system.merge_adjacent_files({arguments})")


def rewrite(spark: SparkSession, catalog: str, arguments: str = "") -> Rows:
    """The result of the procedure."""
    return _called(spark, f"CALL {catalog}.system.rewrite_data_files({arguments})")


def _called(spark: SparkSession, call: str) -> Rows:
    called = spark.sql(call)
    assert called.columns == ["schema_name", "table_name", "files_processed", "files_created"]
    return [tuple(row) for row in called.collect()]


def file_rows(lake: Lake, table: str) -> Rows:
    """What the catalog says of the files of a table, without their ids, names and sizes."""
    catalog = read_catalog(lake)
    (id,) = {row["table_id"] for row in catalog.rows("table") if row["table_name"] == table}
    found: Rows = []
    for file in (row for row in catalog.rows("data_file") if row["table_id"] == id):
        folder = file["path"].rpartition("/")[0] if file["path_is_relative"] else ""
        name = (folder, file["begin_snapshot"], file["partial_max"], file["record_count"])
        found.append((*name, "data_file", *_values(file)))
        for kind in ("file_column_stats", "file_partition_value", "delete_file"):
            rows = catalog.rows(kind)
            own = [row for row in rows if row["data_file_id"] == file["data_file_id"]]
            found += [(*name, kind, *_values(row)) for row in own]
    return sorted(found, key=str)


def unlike(ours: Rows, theirs: Rows) -> Rows:
    """The rows of which the other has none or fewer, with a sign before them."""
    only_ours, only_theirs = Counter(ours) - Counter(theirs), Counter(theirs) - Counter(ours)
    return [("+", *row) for row in only_ours] + [("-", *row) for row in only_theirs]


def _values(row: Row) -> list[Any]:
    return [f"{key}={value}" for key, value in sorted(row.items()) if key not in _OWN]


def scheduled(lake: Lake) -> set[str]:
    """The files that are scheduled for deletion, with the folder of the lake as `data`."""
    rows = read_catalog(lake).rows("files_scheduled_for_deletion")
    return {row["path"].replace(str(lake.data_path.parent), "") for row in rows}
