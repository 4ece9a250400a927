"""One table through every kind of statement, read by both engines."""

from __future__ import annotations

from pyspark.sql import SparkSession

from support.asking import rows, value
from support.lakes import Lake
from support.peer import Peer

TABLE = "CREATE TABLE t (a INTEGER, d DOUBLE, v INTERVAL, s VARCHAR)"


def run_each_kind(spark: SparkSession, catalog: str, lake: Lake) -> None:
    """Changes the empty table `t` of a lake, made by `TABLE`, and compares what both engines read.

    Args:
        spark: a session in which the lake is registered.
        catalog: its name there.
        lake: the same lake as DuckDB reaches it.
    """
    table = f"{catalog}.t"
    spark.sql(
        f"INSERT INTO {table} VALUES (1, 0.30000000000000004D, INTERVAL '1' YEAR, 'ä'), "
        "(2, 0.1D, NULL, NULL)"
    )
    spark.sql(f"INSERT INTO {table} SELECT id, id / 3D, NULL, 'x' FROM range(3, 100)")
    spark.sql(f"UPDATE {table} SET s = 'y' WHERE a = 2")
    spark.sql(f"DELETE FROM {table} WHERE a > 90")
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT 3 AS a UNION ALL SELECT 200) u ON t.a = u.a "
        "WHEN MATCHED THEN UPDATE SET s = 'm' WHEN NOT MATCHED THEN INSERT (a, s) VALUES (u.a, 'n')"
    )
    spark.sql(f"ALTER TABLE {table} ADD COLUMN c INT DEFAULT 7")
    spark.sql(f"CALL {catalog}.system.flush_inlined_data('t')")
    spark.sql(f"CALL {catalog}.system.rewrite_data_files('t', delete_threshold => 0.0)")
    spark.sql(f"CALL {catalog}.system.merge_adjacent_files('t')")

    question = "SELECT a, d, s, c FROM {} ORDER BY a"
    found = rows(spark, question.format(table))
    with Peer(lake) as peer:
        assert found == peer.rows(question.format("t"))
    assert (1, 0.30000000000000004, "ä", 7) in found
    assert [row[2] for row in found if row[0] in (2, 3, 200)] == ["y", "m", "n"]
    head = value(spark, f"SELECT max(snapshot_id) FROM {catalog}.system.snapshots")
    changes = f"ducklake_table_changes('{catalog}', 't', 0, {head})"
    assert value(spark, f"SELECT count(*) FROM {changes} WHERE change_type = 'insert'") == 100
