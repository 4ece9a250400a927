"""Checkpoints in the log of a table that `export_delta` shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.asking import refused
from support.exported import delta_actions, export, lake_rows, same_in_delta
from support.lakes import IN_FILES, Lake
from support.peer import made

Register = Callable[..., str]


def test_checkpoints_stand_for_the_versions_before_them(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Every tenth version; readers and the next export need no older one."""
    name = register(lake, IN_FILES)
    made(
        lake,
        "CREATE TABLE t AS SELECT i AS id, 'n' || i AS \"odd, name;\" FROM range(100) r(i)",
        "COMMENT ON TABLE t IS 'told'",
    )
    for number in range(22):
        step = (
            f"DELETE FROM t WHERE id = {number}" if number % 3 else "INSERT INTO t VALUES (7, '')"
        )
        made(lake, step)
        assert export(spark, "delta", name, tmp_path)["version"][1] == number
    log = tmp_path / "_delta_log"
    assert [file.name for file in sorted(log.glob("*.checkpoint.*"))] == [
        f"{version:020}.checkpoint.parquet" for version in (10, 20)
    ]
    assert json.loads((log / "_last_checkpoint").read_text())["version"] == 20

    for version in range(20):
        (log / f"{version:020}.json").unlink()
    with duckdb_peer.connect() as duck:
        (log / f"{10:020}.checkpoint.parquet").unlink()
        # Version 20 has the first file, and four of the seven rows 7: version 7 deleted three.
        kinds = "count(txn), count(protocol), count(metaData), count(DISTINCT add.path), count(*)"
        found = duck.execute(f"SELECT {kinds} FROM '{log}/*.parquet'").fetchone()
    assert found == (1, 1, 1, 5, 8)

    same_in_delta(tmp_path, lake_rows(lake))
    assert export(spark, "delta", name, tmp_path)["unchanged version"][1] == 21
    made(lake, "INSERT INTO t VALUES (8, 'z')", "DELETE FROM t WHERE id = 50")
    lines = export(spark, "delta", name, tmp_path)
    assert (lines["version"][1], lines["files removed"][1]) == (22, 1)
    assert set(delta_actions(tmp_path, 22)) == {"commitInfo", "txn", "add", "remove"}
    same_in_delta(tmp_path, lake_rows(lake))


def test_a_checkpoint_of_another_table_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(lake, "CREATE TABLE t (id INTEGER)", "CREATE TABLE u (id INTEGER)")
    for folder, table in ((tmp_path / "t", "t"), (tmp_path / "u", "u")):
        for number in range(12):
            made(lake, f"INSERT INTO {table} VALUES ({number})")
            spark.sql(f"CALL {name}.system.export_delta('{table}', '{folder}')")
    checkpoint = f"_delta_log/{10:020}.checkpoint.parquet"
    (tmp_path / "t" / checkpoint).write_bytes((tmp_path / "u" / checkpoint).read_bytes())

    call = f"CALL {name}.system.export_delta('t', '{tmp_path / 't'}')"

    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "another writer changed")
    (tmp_path / "t" / checkpoint).write_bytes(b"PAR1")
    refused(spark, call, "DUCKLAKE_UNREADABLE_FILE", checkpoint)
