"""Transactions of both engines: the same statements, what each sees, what a commit leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from support.asking import rows
from support.lakes import Lake
from support.peer import Peer

Row = tuple[Any, ...]
TABLES = ("t", "u")

BASE = (
    "CREATE TABLE t (id INT, name VARCHAR, score DOUBLE)",
    "CREATE TABLE u (id INT, part VARCHAR)",
    "INSERT INTO t SELECT i, 'n' || i, i / 2 FROM range(20) r(i)",
    "INSERT INTO t SELECT i, 'n' || i, NULL FROM range(20, 30) r(i)",
    "DELETE FROM t WHERE id = 3",
    "INSERT INTO u SELECT i, 'p' || (i % 3) FROM range(6) r(i)",
)
"""Two tables that both engines change."""


def in_order(found: Sequence[Row]) -> list[Row]:
    """Rows in an order that NULL does not break."""
    return sorted(map(tuple, found), key=repr)


@dataclass(frozen=True)
class Played:
    """A lake on which Spark runs statements, and its twin, on which DuckDB runs the same."""

    spark: SparkSession
    catalog: str
    lake: Lake

    def run(self, statement: str) -> None:
        """Run a statement in Spark; `{t}` stands for a table."""
        names = {name: f"{self.catalog}.{name}" for name in TABLES}
        self.spark.sql(statement.format(**names)).collect()

    def call(self, procedure: str) -> list[Row]:
        """Call a procedure without arguments."""
        return rows(self.spark, f"CALL {self.catalog}.system.{procedure}()")

    def sees(self, table: str) -> list[Row]:
        """The rows that Spark sees, which are as many as it counts."""
        found = rows(self.spark, f"SELECT * FROM {self.catalog}.{table}")
        ((count,),) = rows(self.spark, f"SELECT count(*) FROM {self.catalog}.{table}")
        assert count == len(found)
        ids = rows(self.spark, f"SELECT rowid, snapshot_id FROM {self.catalog}.{table}")
        assert len({rowid for rowid, _ in ids}) == len(found)
        return in_order(found)


def seen_by(peer: Peer, table: str) -> list[Row]:
    """The rows that DuckDB sees."""
    return in_order(peer.rows(f"SELECT * FROM {table}"))


def lived(peer: Peer, table: str, snapshot: int) -> dict[int, Row]:
    """The rows at a snapshot, by row id."""
    at = f"AT (VERSION => {snapshot})"
    return {row[0]: row[1:] for row in peer.rows(f"SELECT rowid, * FROM {table} {at}")}


def net_changes(before: dict[int, Row], after: dict[int, Row]) -> list[Row]:
    """What a feed has to report when the one becomes the other in one snapshot."""
    deleted = [("delete", rowid, *row) for rowid, row in before.items() if rowid not in after]
    inserted = [("insert", rowid, *row) for rowid, row in after.items() if rowid not in before]
    updated: list[Row] = []
    for rowid, row in before.items():
        if rowid in after and after[rowid] != row:
            updated.append(("update_preimage", rowid, *row))
            updated.append(("update_postimage", rowid, *after[rowid]))
    return in_order([*deleted, *inserted, *updated])


def reported(peer: Peer, table: str, snapshot: int) -> list[Row]:
    """What DuckDB's feed reports of a snapshot.

    Rows that had been deleted before are left out: DuckDB reports those with inlined deletes again
    when their file ends.
    """
    lived_before = lived(peer, table, snapshot - 1)
    found = peer.rows(
        "SELECT change_type, rowid, * EXCLUDE (snapshot_id, rowid, change_type) FROM "
        f"ducklake_table_changes('lake', 'main', '{table}', {snapshot}, {snapshot})"
    )
    return in_order([row for row in found if row[0] != "delete" or row[1] in lived_before])


def next_row_id(peer: Peer, table: str) -> int:
    """The row id that the next new row of a table gets."""
    return int(
        peer.value(
            "SELECT next_row_id FROM __ducklake_metadata_lake.ducklake_table_stats JOIN "
            "__ducklake_metadata_lake.ducklake_table USING (table_id) "
            f"WHERE table_name = '{table}' AND end_snapshot IS NULL"
        )
    )
