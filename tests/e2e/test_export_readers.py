"""Exported tables in Spark, by the libraries of Delta and Iceberg themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support import sparkreads
from support.exported import Rows, export, lake_rows, metadata
from support.iceberg import snapshot_id
from support.lakes import IN_FILES, Lake
from support.peer import literal, made
from support.session import REPOSITORY, delta_jars
from support.sweep import only_in_the_full_sweep
from support.tools import tool

Register = Callable[..., str]

JARS = ("delta-spark", "delta-storage", "iceberg-spark-runtime")

COLUMNS = """
    id INTEGER, i8 TINYINT, small DECIMAL(9, 2), big DECIMAL(30, 3), day DATE, local TIMESTAMP,
    millis TIMESTAMP_MS, seconds TIMESTAMP_S, instant TIMESTAMPTZ, text VARCHAR, doc JSON,
    bytes BLOB, single FLOAT, "odd, name;" INTEGER, s STRUCT(a INTEGER, b VARCHAR), l INTEGER[],
    m MAP(VARCHAR, STRUCT(y BIGINT))"""

STEPS = [
    f"CREATE TABLE t ({COLUMNS})",
    """INSERT INTO t SELECT i, -i, i * 1.25, 123456789012345678901234567.125, '2020-02-29',
        '2020-01-01 10:00:00.123456', '2020-01-01 10:00:00.123', '2020-01-01 10:00:01',
        '2021-06-01 00:00:00+00', 'ü' || i, '{"a": 1}', '\\xFF', i / 2, i, {'a': i, 'b': 'x'},
        [i, NULL], MAP {'k': {'y': i}} FROM range(100) r(i)""",
    f"INSERT INTO t VALUES ({', '.join(['NULL'] * 17)})",
    "DELETE FROM t WHERE id % 7 = 3",
    "UPDATE t SET text = 'changed' WHERE id % 5 = 1",
    "ALTER TABLE t ADD COLUMN more INTEGER",
    "ALTER TABLE t ALTER COLUMN id SET DATA TYPE BIGINT",
    "ALTER TABLE t ALTER COLUMN single SET DATA TYPE DOUBLE",
    "ALTER TABLE t ADD COLUMN s.c INTEGER",
    "ALTER TABLE t RENAME COLUMN text TO words",
    "ALTER TABLE t DROP COLUMN day",
    "ALTER TABLE t ADD COLUMN day DATE",
    "INSERT INTO t (id, words, more, day, s) VALUES "
    "(1000, 'new', 5, '2024-01-01', {'a': 1, 'b': 'y', 'c': 9})",
    "DELETE FROM t WHERE id IN (0, 1000)",
]

BEFORE_RENAMES = 5
"""Versions whose columns have one name in all files."""


def rows_of(folder: Path) -> Rows:
    """The rows of Parquet files, with the types that DuckDB gives them."""
    with duckdb_peer.connect() as connection:
        files = literal(f"{folder}/*.parquet")
        return connection.execute(f"SELECT * FROM read_parquet({files}) ORDER BY ALL").fetchall()


def by_spark(python: Path | str, jars: str, tables: Sequence[str]) -> None:
    """Another Spark reads tables and writes their rows, as `sparkreads` is told."""
    environment = {key: value for key, value in os.environ.items() if key != "SPARK_HOME"}
    command = [str(python), str(sparkreads.__file__), jars, *tables]
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-6000:]


def mapping(number: int) -> str:
    """The option of `export_delta` after this step."""
    return ", column_mapping => 'id'" if number >= BEFORE_RENAMES else ""


@only_in_the_full_sweep("a Spark of its own")
def test_sparks_of_others_read_every_version(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    python = REPOSITORY / "target/sparks/4.1.4/bin/python"
    if not python.exists():
        pytest.skip("there is no Spark 4.1: run ./sbt verifyAll")
    name = register(lake, IN_FILES)
    arguments: list[str] = []
    expected: list[Rows] = []
    for number, step in enumerate(STEPS):
        made(lake, step)
        delta = export(spark, "delta", name, tmp_path / "delta", mapping(number))["version"][1]
        ice = export(spark, "iceberg", name, tmp_path / "ice")["version"][1]
        snapshot = snapshot_id(metadata(tmp_path / "ice", ice))
        for form, folder, version in (("delta", "delta", delta), ("iceberg", "ice", snapshot)):
            target = str(tmp_path / f"{form}{number}")
            arguments += [form, str(tmp_path / folder), str(version), target]
        expected.append(lake_rows(lake))

    by_spark(python, ",".join(map(tool, JARS)), arguments)

    for number, found in enumerate(expected):
        assert rows_of(tmp_path / f"delta{number}") == found, f"Delta after {STEPS[number]}"
        assert rows_of(tmp_path / f"iceberg{number}") == found, f"Iceberg after {STEPS[number]}"


def test_delta_on_the_spark_of_the_lake_reads_every_version(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    jars = delta_jars()
    name = register(lake, IN_FILES)
    arguments: list[str] = []
    expected: list[Rows] = []
    for number, step in enumerate(STEPS):
        made(lake, step)
        version = export(spark, "delta", name, tmp_path / "delta", mapping(number))["version"][1]
        target = str(tmp_path / f"delta{number}")
        arguments += ["delta", str(tmp_path / "delta"), str(version), target]
        expected.append(lake_rows(lake))

    by_spark(sys.executable, jars, arguments)

    for number, found in enumerate(expected):
        assert rows_of(tmp_path / f"delta{number}") == found, f"after {STEPS[number]}"
