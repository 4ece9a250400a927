"""Change feeds of many small tables: what DuckDB and Spark say of the same ranges."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer

Rows: TypeAlias = list[str]
BATCH = 30


@dataclass(frozen=True)
class Feed:
    """One feed to ask for: its kind (`changes`, `insertions`, `deletions`), table and ends."""

    kind: str
    table: str
    first: int
    last: int

    def arguments(self, lake: str) -> str:
        """The arguments of the table function."""
        return f"('{lake}', 'main', '{self.table}', {self.first}, {self.last})"


@dataclass(frozen=True)
class Story:
    """What happens to a table; `{t}` is the table, `{data}` a folder for files of its own."""

    table: str
    steps: tuple[str, ...]


@dataclass(frozen=True)
class PlayedStory:
    """A story that DuckDB played, and the snapshots before and after it."""

    table: str
    before: int
    head: int

    def feeds(self, *, are_many: bool) -> list[Feed]:
        """The whole story, and what begins or ends in the middle; or also each snapshot alone."""
        middle = (self.before + self.head + 1) // 2
        ends = [(self.before + 1, self.head), (self.before + 1, middle), (middle, self.head)]
        if are_many:
            ends += [(at, at) for at in range(self.before + 1, self.head + 1)]
        found = [Feed("changes", self.table, *end) for end in dict.fromkeys(ends)]
        kinds = ("insertions", "deletions")
        return found + [Feed(kind, self.table, self.before + 1, self.head) for kind in kinds]


def play(lake: Lake, stories: Sequence[Story], limit: int = 5) -> list[PlayedStory]:
    """Plays stories in DuckDB, which keeps inserts and deletes of at most `limit` rows inlined."""
    found = []
    with Peer(lake, f"DATA_INLINING_ROW_LIMIT {limit}") as peer:
        for story in stories:
            before = peer.head()
            for step in story.steps:
                peer.run(step.replace("{t}", story.table).replace("{data}", str(lake.data_path)))
            found.append(PlayedStory(story.table, before, peer.head()))
    return found


def by_duckdb(lake: Lake, feeds: Iterable[Feed]) -> dict[Feed, Rows]:
    """What DuckDB says; the class of its error when it fails."""
    with Peer(lake) as peer:
        return {feed: _asked(peer, feed) for feed in feeds}


def _asked(peer: Peer, feed: Feed) -> Rows:
    query = f"SELECT * FROM ducklake_table_{feed.kind}{feed.arguments('lake')}"
    try:
        relation = peer.connection.execute(query)
        names = [column[0] for column in relation.description]
        return texts([dict(zip(names, row, strict=True)) for row in relation.fetchall()])
    except Exception as error:
        return [type(error).__name__]


def by_spark(spark: SparkSession, catalog: str, feeds: Sequence[Feed]) -> dict[Feed, Rows]:
    """What the table functions say, many in one query."""
    found: dict[Feed, list[dict[str, Any]]] = {feed: [] for feed in feeds}
    for start in range(0, len(feeds), BATCH):
        batch = feeds[start : start + BATCH]
        parts = [
            f"SELECT {number} AS n, to_json(struct(*), map('ignoreNullFields', 'false')) AS row "
            f"FROM ducklake_table_{feed.kind}{feed.arguments(catalog)}"
            for number, feed in enumerate(batch)
        ]
        for row in spark.sql(" UNION ALL ".join(parts)).collect():
            found[batch[row["n"]]].append(json.loads(row["row"]))
    return {feed: texts(rows) for feed, rows in found.items()}


def by_time_travel(lake: Lake, feed: Feed) -> Rows:
    """What a feed of changes must say: the rows at each snapshot less those at the one before.

    An update that changes no value is not seen this way.
    """
    found = []
    with Peer(lake) as peer:
        for version in range(feed.first, feed.last + 1):
            before, after = _rows(peer, feed.table, version - 1), _rows(peer, feed.table, version)
            gone, come = before.items() - after.items(), after.items() - before.items()
            updated = {row_id for row_id, _ in gone} & {row_id for row_id, _ in come}
            for kind, rows in (("preimage", gone), ("postimage", come)):
                plain = "delete" if kind == "preimage" else "insert"
                for row_id, values in rows:
                    change = f"update_{kind}" if row_id in updated else plain
                    own = {"snapshot_id": version, "rowid": row_id, "change_type": change}
                    found.append(own | dict(values))
    return texts(found)


def _rows(peer: Peer, table: str, version: int) -> dict[int, tuple[tuple[str, Any], ...]]:
    """The rows of a table at a snapshot by row id; none where there is no such table."""
    if not peer.rows(
        "SELECT 1 FROM __ducklake_metadata_lake.ducklake_table WHERE table_name = $name AND "
        "begin_snapshot <= $at AND (end_snapshot IS NULL OR end_snapshot > $at)",
        {"name": table, "at": version},
    ):
        return {}
    result = peer.connection.execute(f"SELECT rowid, * FROM {table} AT (VERSION => {version})")
    names = [column[0] for column in result.description][1:]
    return {row[0]: tuple(zip(names, row[1:], strict=True)) for row in result.fetchall()}


def texts(rows: Iterable[dict[str, Any]]) -> Rows:
    """Rows as texts in one order."""
    return sorted(json.dumps(row) for row in rows)


def differences(expected: dict[Feed, Rows], actual: dict[Feed, Rows]) -> dict[Feed, Rows]:
    """What is missing (-) and what is too much (+), by feed."""
    return {
        feed: [f"- {row}" for row in _minus(rows, actual[feed])]
        + [f"+ {row}" for row in _minus(actual[feed], rows)]
        for feed, rows in expected.items()
        if rows != actual[feed]
    }


def _minus(rows: Rows, others: Rows) -> Rows:
    rest = list(others)
    return [row for row in rows if row not in rest or rest.remove(row)]  # type: ignore[func-returns-value]
