"""What is said of a table before and after its inlined rows and deletes are flushed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, TypeAlias

from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.catalogdb import read_catalog
from support.lakes import Lake
from support.peer import Peer

Rows: TypeAlias = list[tuple[object, ...]]


def made(lake: Lake, *statements: str, limit: int = 10) -> int:
    """Runs statements in DuckDB, which keeps what is small in the catalog; the newest snapshot."""
    return duckdb_peer.made(lake, *statements, limit=limit)


def by_duckdb(lake: Lake, head: int) -> dict[Any, Rows]:
    """What DuckDB says of each snapshot, and of the changes of ranges of snapshots."""
    return answers(lake, [*snapshots(head), *ranges(head)])


def snapshots(head: int) -> list[Any]:
    """What there is to ask of each snapshot: its rows, and how many they are."""
    return [key for version in range(1, head + 1) for key in (version, f"count {version}")]


def ranges(head: int) -> list[Any]:
    """All ranges of snapshots."""
    return list(combinations_with_replacement(range(1, head + 1), 2))


def some_ranges(head: int) -> list[Any]:
    """The ranges of one snapshot, every fourth from the first, every second to the newest."""
    return [
        (a, b)
        for a, b in ranges(head)
        if a == b or (a == 1 and b % 4 == 0) or (b == head and a % 2 == 1)
    ]


def answers(lake: Lake, keys: Iterable[Any]) -> dict[Any, Rows]:
    """What DuckDB says to each question."""
    with Peer(lake) as peer:
        return {key: texts(_answer(peer, key)) for key in keys}


def _answer(peer: Peer, key: Any) -> Rows:  # noqa: ANN401
    match key:
        case (first, last):
            return _changes(peer, first, last)
        case int(version):
            return peer.rows(f"SELECT rowid, snapshot_id, * FROM t AT (VERSION => {version})")
        case _:
            counted = str(key).removeprefix("count ")
            return peer.rows(f"SELECT count(*) FROM t AT (VERSION => {counted})")


def _changes(peer: Peer, first: int, last: int) -> Rows:
    """The feed of a range, by the definition of `ducklake_table_changes`.

    That is a macro, which joins the insertions with the deletions by snapshot and row id only to
    know which are the two images of an update. Now and then its join misses a pair (up to 1.5.5,
    and after DuckDB's own flushes too), and calls an image `insert` or `delete`; why is not known.
    The rows of both parts are right each time, so they are joined here.
    """
    came, gone = (
        peer.rows(
            "SELECT snapshot_id, rowid, * FROM "
            f"ducklake_table_{kind}('lake', 'main', 't', {first}, {last})"
        )
        for kind in ("insertions", "deletions")
    )
    updated = {row[:2] for row in came} & {row[:2] for row in gone}
    return [
        (*row[:2], f"update_{image}" if row[:2] in updated else plain, *row[2:])
        for rows, image, plain in ((came, "postimage", "insert"), (gone, "preimage", "delete"))
        for row in rows
    ]


def by_spark(spark: SparkSession, table: str, head: int) -> dict[int, Rows]:
    """What Spark says of each snapshot."""
    versions = range(1, head + 1)
    sources = [
        f"(SELECT rowid, snapshot_id, * FROM {table} VERSION AS OF {version})"
        for version in versions
    ]
    return dict(zip(versions, together(spark, sources), strict=True))


TOGETHER = 30
"""How many sources one query reads; each query takes longer than the few rows of a source."""


def together(spark: SparkSession, sources: Sequence[str]) -> list[Rows]:
    """The rows of each source as texts that Spark makes: Python has not all of its dates."""
    found: list[Rows] = [[] for _ in sources]
    # The number is a text: a number would stand in the code that Spark compiles for each source.
    for start in range(0, len(sources), TOGETHER):
        parts = [
            f"SELECT '{number}' AS n, to_json(struct(*), map('ignoreNullFields', 'false')) AS row "
            f"FROM {source}"
            for number, source in enumerate(sources[start : start + TOGETHER], start)
        ]
        for row in spark.sql(" UNION ALL ".join(parts)).collect():
            found[int(row["n"])].append((row["row"],))
    return [texts(rows) for rows in found]


def texts(rows: Iterable[tuple[object, ...]]) -> Rows:
    """Rows in one order; as texts, for NaN is not equal to itself."""
    return sorted(tuple(map(str, row)) for row in rows)


def differences(before: Mapping[Any, Rows], after: Mapping[Any, Rows]) -> dict[Any, Rows]:
    """What was reported before and is no more, and what is reported only now."""
    return {
        key: [
            *(("-", *row) for row in rows if row not in after[key]),
            *(("+", *row) for row in after[key] if row not in rows),
        ]
        for key, rows in before.items()
        if rows != after[key]
    }


def flush(spark: SparkSession, catalog: str, arguments: str = "") -> Rows:
    """The result of the procedure."""
    called = spark.sql(f"CALL {catalog}.system.flush_inlined_data({arguments})")
    assert called.columns == ["schema_name", "table_name", "rows_flushed"]
    return [tuple(row) for row in called.collect()]


def kept(lake: Lake) -> int:
    """How many rows and deletes the catalog keeps."""
    catalog = read_catalog(lake)
    inlined = [name for name in catalog.tables if name.startswith("ducklake_inlined_d")]
    names = [name for name in inlined if name != "ducklake_inlined_data_tables"]
    return sum(len(catalog.tables[name].rows) for name in names)
