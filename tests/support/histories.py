"""What happens to a table, step by step, and what it is at a snapshot."""

from __future__ import annotations

from collections import Counter
from typing import Any

from support.peer import Peer

State = tuple[list[str], Counter[Any]] | None
"""Columns with their types, and rows with their ids; None when there is no table."""

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


def state(peer: Peer, table: str, version: int) -> tuple[list[str], Counter[Any]] | None:
    """Columns, and rows with their ids; None when there is no table."""
    try:
        relation = peer.connection.sql(f"SELECT rowid, * FROM {table} AT (VERSION => {version})")
    except Exception as error:
        assert "does not exist" in str(error) or "not exist at version" in str(error), error
        return None
    shape = [f"{n} {t}" for n, t in zip(relation.columns, relation.types, strict=True)]
    return shape, Counter(tuple(map(str, row)) for row in relation.fetchall())
