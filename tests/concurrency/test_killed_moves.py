"""A move that is killed while it writes delete files leaves lake and source as they were."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from pyiceberg import types as ice
from pyiceberg.schema import Schema
from pyspark.sql import SparkSession

from concurrency.test_kills import wait_for_a_file
from concurrency.victims import victim, wait_for_the_server
from support.adding import duckdb_rows
from support.catalogdb import read_catalog
from support.iceberg import IcebergTable, migrate
from support.invariants import Scope, check
from support.lakes import CatalogKind, LakeFactory
from support.moving import bytes_below
from support.peer import Peer, committed_by_peers
from support.postgres import PostgresServer
from support.session import all_jars
from support.sweep import only_in_the_full_sweep

Register = Callable[..., str]
IDS = Schema(ice.NestedField(1, "id", ice.LongType(), required=False))
FILES = 40


@only_in_the_full_sweep("a Spark of its own; test_kills.py kills one that writes in every run")
def test_a_killed_move_changes_nothing(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    server: PostgresServer,
    tmp_path: Path,
    kind: CatalogKind,
) -> None:
    lake = lakes.new(kind)
    table = IcebergTable(spark, tmp_path / "ice", IDS)
    paths = [table.append(f"f{at}", [{"id": 2 * at}, {"id": 2 * at + 1}]) for at in range(FILES)]
    table.delete("d", [(path, 1) for path in paths])
    with Peer(lake) as peer:
        peer.run("CREATE TABLE other AS SELECT 1 AS i")
    catalog, source = read_catalog(lake), bytes_below(str(table.folder))
    own = {"spark.jars": all_jars()}

    task = {"source": str(table.folder)}
    with victim("concurrency.mover", task, lake, tmp_path, "local[1]", own) as running:
        assert running.stdout
        assert running.stdout.readline() == "ready\n", (tmp_path / "errors.txt").read_text()[-4000:]
        wait_for_a_file(lake)
        os.killpg(running.pid, signal.SIGKILL)
        left = running.stdout.read()
        running.wait()
    if kind == "postgres":
        wait_for_the_server(server, lake)

    assert left == "", "the move was done before it was killed"
    assert read_catalog(lake) == catalog
    assert bytes_below(str(table.folder)) == source
    assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []
    migrate(spark, register(lake), str(table.folder), ", checksum => true")
    assert duckdb_rows(lake) == [(2 * at,) for at in range(FILES)]
    with Peer(lake) as peer:
        peer.run("CALL ducklake_delete_orphaned_files('lake', cleanup_all => true)")
    assert duckdb_rows(lake) == [(2 * at,) for at in range(FILES)]
    assert bytes_below(str(table.folder)) == source
