"""Transactions of both engines: the same statements, what each sees, what a commit leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Row as SparkRow
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


Statement = str | tuple[str, str]
"""A statement for both engines, or one for Spark and one for DuckDB; `{c}` is Spark's catalog."""


@dataclass(frozen=True)
class Content:
    """The names of the columns of a table, and its rows."""

    columns: list[str]
    rows: list[Row]


def tables_of(peer: Peer) -> dict[str, Content]:
    """All tables, as DuckDB sees them."""
    names = peer.rows(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'lake'"
    )
    found: dict[str, Content] = {}
    for schema, table in sorted(names):
        columns = peer.rows(
            "SELECT column_name FROM duckdb_columns() WHERE database_name = 'lake' "
            f"AND schema_name = '{schema}' AND table_name = '{table}' ORDER BY column_index"
        )
        content = in_order(peer.rows(f'SELECT * FROM "{schema}"."{table}"'))
        found[f"{schema}.{table}"] = Content([name for (name,) in columns], content)
    return found


def check_alike(
    spark: SparkSession,
    register: Callable[..., str],
    twins: tuple[Lake, Lake],
    limit: int,
    base: Sequence[str],
    statements: Sequence[Statement],
    *,
    together: bool = True,
) -> str:
    """Run statements in a transaction of Spark, and in one of DuckDB on a twin lake.

    After each statement and after the commit both see the same tables, columns and rows.

    Args:
        spark: the session.
        register: registers a lake in the session.
        twins: the lake of Spark, and the lake of DuckDB.
        limit: how many rows are inlined.
        base: DuckDB runs it on both lakes first.
        statements: the transaction.
        together: whether they are a transaction of DuckDB, too.

    Returns:
        The name of Spark's catalog.
    """
    lake, twin = twins
    inlining = f"DATA_INLINING_ROW_LIMIT {limit}"
    for each in twins:
        with Peer(each, inlining) as peer:
            peer.run(*base)
            before = peer.head()
    catalog = register(lake, {"data-inlining-row-limit": str(limit)})

    spark.sql(f"CALL {catalog}.system.begin_transaction()")
    with Peer(twin, inlining) as duckdb:
        if together:
            duckdb.run("BEGIN")
        for statement in statements:
            ours, theirs = (statement,) * 2 if isinstance(statement, str) else statement
            spark.sql(ours.format(c=catalog, to=f"{catalog}."))
            duckdb.run(theirs.replace("{c}.", "").replace("{to}", ""))
            _check_seen(spark, catalog, tables_of(duckdb), ours)
        if together:
            duckdb.run("COMMIT")
        expected = tables_of(duckdb)
    assert rows(spark, f"CALL {catalog}.system.commit_transaction()") == [(before + 1,)]

    with Peer(lake) as peer:
        assert peer.head() == before + 1
        assert tables_of(peer) == expected
    for table, content in expected.items():
        assert seen_in(spark, f"{catalog}.{table}") == content
        ((count,),) = rows(spark, f"SELECT count(*) FROM {catalog}.{table}")
        assert count == len(content.rows)
    return catalog


def _check_seen(
    spark: SparkSession, catalog: str, seen: dict[str, Content], statement: str
) -> None:
    """Spark sees the same tables as DuckDB, after a statement."""
    shown = {
        f"{row.namespace}.{row.tableName}"
        for row in spark.sql(f"SHOW TABLES IN {catalog}.main").collect()
    }
    assert shown == {table for table in seen if table.startswith("main.")}, statement
    for table, content in seen.items():
        assert seen_in(spark, f"{catalog}.{table}") == content, statement


def seen_in(spark: SparkSession, table: str) -> Content:
    """The columns and rows of a table, as Spark sees them."""
    found = [tuple(map(_plain, row)) for row in rows(spark, f"SELECT * FROM {table}")]
    return Content(spark.table(table).columns, in_order(found))


def _plain(value: Any) -> Any:  # noqa: ANN401
    """A value as DuckDB gives it: a struct is a dictionary."""
    if isinstance(value, SparkRow):
        return {name: _plain(part) for name, part in value.asDict().items()}
    return [_plain(part) for part in value] if isinstance(value, list) else value
