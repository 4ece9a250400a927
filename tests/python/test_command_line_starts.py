"""The command line starts Spark itself, from a profile, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.lakes import Lake
from support.peer import Peer
from support.session import jars
from support.sweep import only_in_the_full_sweep

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

PROFILE = """
[lakes.mine]
uri = "{uri}"
"retry.max-count" = 7
"hadoop.fs.s3a.endpoint.region" = "here"

# With a secret it is this package that starts the JVM, with the settings of Spark below.
"hadoop.fs.s3a.secret.key" = "hush"

[lakes.mine.hadoop]
"fs.s3a.path.style.access" = true

[lakes.mine.spark]
"spark.master" = "local[1]"
"spark.jars" = "{jars}"
"spark.sql.shuffle.partitions" = 3
"""

# Spark puts settings of the session in place of these before it reads the statement.
SETTINGS = {
    "retries": "spark.sql.catalog.lake.retry.max-count",
    "region": "spark.sql.catalog.lake.hadoop.fs.s3a.endpoint.region",
    "style": "spark.sql.catalog.lake.hadoop.fs.s3a.path.style.access",
    "master": "spark.master",
    "parts": "spark.sql.shuffle.partitions",
}


@pytest.fixture
def made(lake: Lake) -> Lake:
    """A table of three files with two rows each."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (id BIGINT)",
            *(f"INSERT INTO t SELECT i FROM range({n}, {n} + 2) AS r(i)" for n in (0, 2, 4)),
        )
    return lake


def printed(folder: Path, lake: Lake, *arguments: str) -> list[dict[str, Any]]:
    """The whole standard output of a command, which is JSON and nothing else."""
    file = folder / "lakes.toml"
    file.write_text(PROFILE.format(uri=lake.uri, jars=jars()))
    done = subprocess.run(
        [sys.executable, "-m", "ducklake_spark_cli", "--config", str(file), *arguments, "--json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def test_a_statement_runs_with_all_keys_of_the_profile(made: Lake, tmp_path: Path) -> None:
    asked = ", ".join(f"'${{{key}}}' AS {name}" for name, key in SETTINGS.items())
    statement = f"SELECT count(*) AS rows, sum(id) AS total, {asked} FROM t"

    rows = printed(tmp_path, made, "--lake", "mine", "sql", statement)

    assert rows == [
        {
            **{"rows": 6, "total": 15, "retries": "7", "region": "here", "style": "true"},
            **{"master": "local[1]", "parts": "3"},
        }
    ]


@only_in_the_full_sweep("a Spark of its own; test_command_line_spark.py merges in ours")
def test_small_files_are_merged(made: Lake, tmp_path: Path) -> None:
    rows = printed(tmp_path, made, "compact", "t", "--lake", "mine")

    assert rows == [
        {
            "schema_name": "main",
            "table_name": "t",
            "files_processed": 3,
            "files_created": 1,
            "partition": None,
        }
    ]
    with Peer(made) as peer:
        assert peer.value("SELECT count(*) FROM ducklake_list_files('lake', 't')") == 1
        assert peer.rows("SELECT id FROM t ORDER BY id") == [(id,) for id in range(6)]
