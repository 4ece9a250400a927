"""What happens to a table, step by step, and what it is at a snapshot."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from support.peer import Peer
from support.shape import Shape, identity, shape


@dataclass(frozen=True)
class State:
    """A table at a snapshot: its columns with their types, its rows with their ids, its shape."""

    columns: list[str]
    rows: Counter[Any]
    shape: Shape

    def is_of(self, other: State) -> bool:
        """Whether both are of one table, and not of two with the same name."""
        return identity(self.shape) == identity(other.shape)


MANY = "SELECT i, 's' || i FROM range({}, {}) r(i)"

HISTORIES: dict[str, tuple[str, ...]] = {
    "inserts": (
        "CREATE TABLE {t} (a INT, b VARCHAR)",
        f"INSERT INTO {{t}} {MANY.format(0, 50)}",
        f"INSERT INTO {{t}} {MANY.format(50, 90)}",
        "INSERT INTO {t} VALUES (1000, 'x')",
    ),
    "deletes": (
        "CREATE TABLE {t} (a INT, b VARCHAR)",
        f"INSERT INTO {{t}} {MANY.format(0, 50)}",
        f"INSERT INTO {{t}} {MANY.format(50, 90)}",
        "DELETE FROM {t} WHERE a BETWEEN 10 AND 40",
        "DELETE FROM {t} WHERE a = 45",
        "DELETE FROM {t} WHERE a < 50",
        "UPDATE {t} SET b = 'new' WHERE a BETWEEN 60 AND 80",
        "UPDATE {t} SET b = 'newer' WHERE a = 60",
        "DELETE FROM {t}",
    ),
    "shared_deletes": (
        "CREATE TABLE {t} (a INT, b VARCHAR)",
        f"INSERT INTO {{t}} {MANY.format(0, 50)}",
        f"INSERT INTO {{t}} {MANY.format(50, 90)}",
        "DELETE FROM {t} WHERE a = 1 OR a = 60",
        "DELETE FROM {t} WHERE a = 2",
        "CALL ducklake_flush_inlined_data('lake', table_name => '{t}')",
        "DELETE FROM {t} WHERE a BETWEEN 3 AND 20",
        "DELETE FROM {t} WHERE a BETWEEN 70 AND 75",
        "CALL ducklake_rewrite_data_files('lake', '{t}', delete_threshold => 0.1)",
        "TRUNCATE {t}",
    ),
    "inlined": (
        "CREATE TABLE {t} (a INT, b VARCHAR)",
        "INSERT INTO {t} VALUES (1, 'a'), (2, 'b'), (3, NULL)",
        "UPDATE {t} SET b = 'c' WHERE a = 2",
        "DELETE FROM {t} WHERE a = 1",
        "INSERT INTO {t} VALUES (4, 'd')",
        "CALL ducklake_flush_inlined_data('lake', table_name => '{t}')",
        "INSERT INTO {t} VALUES (5, 'e')",
        "DELETE FROM {t} WHERE a IN (3, 5)",
        "TRUNCATE {t}",
    ),
    "merged": (
        "CREATE TABLE {t} (a INT, b VARCHAR)",
        f"INSERT INTO {{t}} {MANY.format(0, 20)}",
        f"INSERT INTO {{t}} {MANY.format(20, 40)}",
        f"INSERT INTO {{t}} {MANY.format(40, 60)}",
        "CALL ducklake_merge_adjacent_files('lake', '{t}')",
        "DELETE FROM {t} WHERE a < 30",
        "CALL ducklake_rewrite_data_files('lake', '{t}', delete_threshold => 0.1)",
        "DELETE FROM {t} WHERE a > 50",
        "DELETE FROM {t}",
    ),
    "partitions": (
        "CREATE TABLE {t} (a INT, b VARCHAR)",
        "ALTER TABLE {t} SET PARTITIONED BY (bucket(4, a))",
        f"INSERT INTO {{t}} {MANY.format(0, 40)}",
        "ALTER TABLE {t} SET PARTITIONED BY (b)",
        "INSERT INTO {t} SELECT i, 'p' || (i % 2) FROM range(40, 60) r(i)",
        "DELETE FROM {t} WHERE a % 3 = 0",
        "ALTER TABLE {t} RESET PARTITIONED BY",
        "ALTER TABLE {t} SET SORTED BY (b DESC)",
        "DELETE FROM {t}",
    ),
    "columns": (
        "CREATE TABLE {t} (a INT, b VARCHAR, s STRUCT(x INT))",
        "INSERT INTO {t} SELECT i, 's' || i, {{'x': i}} FROM range(30) r(i)",
        "INSERT INTO {t} VALUES (100, 'small', NULL)",
        "ALTER TABLE {t} ADD COLUMN c INT DEFAULT 7",
        "ALTER TABLE {t} RENAME COLUMN b TO name",
        "UPDATE {t} SET c = 8 WHERE a IN (3, 100)",
        "ALTER TABLE {t} DROP COLUMN name",
        "ALTER TABLE {t} ADD COLUMN s.y VARCHAR",
        "INSERT INTO {t} SELECT i, {{'x': i, 'y': 'y'}}, i FROM range(30, 60) r(i)",
        "COMMENT ON TABLE {t} IS 'wide'",
        "COMMENT ON COLUMN {t}.c IS 'count'",
        "INSERT INTO {t} VALUES (6000, NULL, 1)",
        "ALTER TABLE {t} DROP COLUMN s",
    ),
    "definitions": (
        "CREATE TABLE {t} (a INT NOT NULL, b VARCHAR DEFAULT 'x')",
        f"INSERT INTO {{t}} {MANY.format(0, 30)}",
        "ALTER TABLE {t} ALTER b SET NOT NULL",
        "ALTER TABLE {t} ALTER b SET DEFAULT 'y'",
        "ALTER TABLE {t} ADD COLUMN c INT DEFAULT 5",
        "ALTER TABLE {t} ALTER c SET DEFAULT 6",
        "ALTER TABLE {t} SET SORTED BY (a, b DESC NULLS FIRST)",
        "COMMENT ON TABLE {t} IS 'old'",
        "ALTER TABLE {t} SET SORTED BY (c)",
        "COMMENT ON TABLE {t} IS 'new'",
        "ALTER TABLE {t} ALTER a DROP NOT NULL",
    ),
    "registered": (
        "CREATE TABLE {t} (a BIGINT, b VARCHAR)",
        "COPY (SELECT i AS a FROM range(9) r(i)) TO '{place}/p.parquet'",
        "CALL ducklake_add_data_files('lake', '{t}', '{place}/p*', allow_missing => true)",
        "COPY (SELECT i AS a, 'x' AS b FROM range(9) r(i)) TO '{place}/h' "
        "(FORMAT parquet, PARTITION_BY b)",
        "CALL ducklake_add_data_files('lake', '{t}', '{place}/h/**', hive_partitioning => true)",
        "TRUNCATE {t}",
    ),
    "dropped": (
        "CREATE TABLE {t} (a INT, b VARCHAR)",
        f"INSERT INTO {{t}} {MANY.format(0, 50)}",
        "INSERT INTO {t} VALUES (100, 'small'), (101, 'small')",
        "DELETE FROM {t} WHERE a IN (7, 100)",
        "DROP TABLE {t}",
    ),
    "replaced": (
        "CREATE TABLE {t} (a INT, b VARCHAR)",
        f"INSERT INTO {{t}} {MANY.format(0, 50)}",
        "INSERT INTO {t} VALUES (100, 'small')",
        "CREATE OR REPLACE TABLE {t} AS SELECT 'other' AS z",
    ),
}
"""Statements of DuckDB by what they are about; `{t}` is the table, which has the same name."""


def state(peer: Peer, table: str, version: int) -> State | None:
    """What a table is; None when there is no table."""
    query = f"SELECT rowid, * FROM {table} AT (VERSION => {version})"
    try:
        described = peer.rows(f"DESCRIBE {query}")
    except Exception as error:
        assert "does not exist" in str(error) or "not exist at version" in str(error), error
        assert shape(peer, table, version) == ()
        return None
    columns = [f"{name} {kind}" for name, kind, *_ in described]
    rows = Counter(tuple(map(str, row)) for row in peer.rows(query))
    return State(columns, rows, shape(peer, table, version))
