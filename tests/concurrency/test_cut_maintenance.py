"""Maintenance that breaks off at any step loses nothing, and the next call does the rest."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import Catalog, execute, read_catalog
from support.expiring import (
    FILES,
    cleanup,
    expire,
    flushed,
    history,
    listed,
    made,
    parquet_files,
    placed,
)
from support.flushing import Rows
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.metadata import compare
from support.peer import Peer
from support.postgres import PostgresServer
from support.proxy import Cut, Matcher, PostgresProxy, begins_a_commit, begins_a_read
from support.sweep import FULL

Register = Callable[..., str]

IMPATIENT = {"retry.max-count": "1", "retry.wait-ms": "1"}
STEP = 1 if FULL else 17
ENDINGS = [True, False] if FULL else [True]
"""Whether the connection stays cut, or comes back."""
IDS = ", ".join(map(str, range(40)))
ALL_BUT_THE_NEWEST = f"versions => array({IDS})"
ORPHANS = "delete_orphaned_files(cleanup_all => true)"
OLD_METADATA = "cleanup_old_metadata(inlined_tables => true)"


@dataclass
class Stage:
    """A lake with a history, which is copied for each cut, and what an undisturbed call leaves."""

    spark: SparkSession
    lake: Lake
    server: PostgresServer
    proxy: PostgresProxy
    register: Register
    history: dict[int, Rows]
    expired: Catalog

    def copy(self) -> Lake:
        """A copy of the lake as it was first."""
        database = self.server.copy_database(self.lake.database)
        folder = self.lake.data_path.with_name(database)
        shutil.copytree(self.lake.data_path, folder)
        uri = self.lake.uri.replace(self.lake.database, database)
        copied = replace(self.lake, uri=uri, database=database, data_path=folder)
        old = self.lake.data_path
        execute(
            copied,
            f"UPDATE ducklake_metadata SET value = '{folder}/' WHERE key = 'data_path'",
            f"UPDATE ducklake_data_file SET path = replace(path, '{old}', '{folder}')",
        )
        return copied

    def cut(
        self,
        lake: Lake,
        number: int,
        *,
        is_final: bool,
        call: Callable[[str], object],
        starts: Matcher = begins_a_commit,
    ) -> Cut:
        """Run a call whose connection is cut at a statement, and then at all that match."""
        through = replace(lake, uri=self.proxy.uri(lake.database))
        cut = Cut(starts, number, has_several=True, is_final=is_final, blocked=starts)
        with self.proxy.cutting(cut):
            try:
                call(self.register(through, IMPATIENT))
            except PySparkException as error:
                assert (error.getCondition() or "").startswith("DUCKLAKE_"), error
                assert cut.happened
            else:
                # Only what was read, and could be read again, may have broken off.
                assert not (cut.refused or (cut.is_in_write and is_final))
        return cut

    def holds(self, lake: Lake) -> bool:
        """Whether each snapshot that is left has its rows."""
        assert max(history(lake)) == max(self.history)
        return self.holds_with_compactions(lake)

    def holds_with_compactions(self, lake: Lake) -> bool:
        """Whether each snapshot that is left has its rows, and each new one those of the last."""
        newest = max(self.history)
        left = history(lake)
        assert left == {id: self.history[min(id, newest)] for id in left}
        assert max(left) >= newest
        return True


def run(spark: SparkSession, catalog: str, call: str) -> None:
    """Run a procedure."""
    spark.sql(f"CALL {catalog}.system.{call}").collect()


@pytest.fixture
def stage(
    spark: SparkSession,
    lakes: LakeFactory,
    server: PostgresServer,
    proxy: PostgresProxy,
    register: Register,
) -> Stage:
    """The lake, and the catalog of a copy that has expired."""
    lake = lakes.new("postgres")
    made(lake)
    stage = Stage(spark, lake, server, proxy, register, history(lake), read_catalog(lake))
    whole = stage.copy()
    expire(spark, register(whole), ALL_BUT_THE_NEWEST)
    stage.expired = placed(whole)
    return stage


@pytest.mark.parametrize("is_final", ENDINGS)
def test_an_expiry_that_is_cut_off_is_done_by_the_next_one(stage: Stage, is_final: bool) -> None:
    number = cuts = 0
    while True:
        lake = stage.copy()
        cut = stage.cut(
            lake,
            number,
            is_final=is_final,
            call=lambda catalog: expire(stage.spark, catalog, ALL_BUT_THE_NEWEST),
        )
        if not cut.happened:
            break
        cuts += 1
        assert stage.holds(lake)
        assert {path.name for path in parquet_files(lake)} == listed(lake)
        expire(stage.spark, stage.register(lake), ALL_BUT_THE_NEWEST)
        report = compare(placed(lake), stage.expired).report("cut off", "whole")
        assert report == "", f"cut at statement {number}"
        assert stage.holds(lake)
        number += STEP

    assert cuts * STEP > 20


@pytest.mark.parametrize("is_final", ENDINGS)
def test_a_cleanup_that_is_cut_off_is_done_by_the_next_one(stage: Stage, is_final: bool) -> None:
    with Peer(stage.lake) as peer:
        peer.rows(f"CALL ducklake_expire_snapshots('lake', versions => [{IDS}])")
    number = 0
    while True:
        lake = stage.copy()
        cut = stage.cut(
            lake,
            number,
            is_final=is_final,
            call=lambda catalog: cleanup(stage.spark, catalog, "cleanup_all => true"),
        )
        if not cut.happened:
            break
        assert stage.holds(lake)
        cleanup(stage.spark, stage.register(lake), "cleanup_all => true")
        assert {path.name for path in parquet_files(lake)} == listed(lake)
        assert read_catalog(lake).rows("files_scheduled_for_deletion") == []
        assert check(lake, Scope(None, is_free_of_orphans=True)) == []
        assert stage.holds(lake)
        number += 1 if FULL else 5

    assert number > 3


@pytest.mark.parametrize("is_final", ENDINGS)
def test_a_cleanup_of_metadata_that_is_cut_off_is_done_by_the_next_one(
    stage: Stage, is_final: bool
) -> None:
    with Peer(stage.lake) as peer:
        peer.run(
            *(f"ALTER TABLE t ADD COLUMN c{number} INT" for number in range(3)),
            *(f"ALTER TABLE t SET SORTED BY (c{number})" for number in range(2)),
            "ALTER TABLE t SET PARTITIONED BY (c0)",
            "ALTER TABLE t RESET PARTITIONED BY",
            "INSERT INTO t (i) VALUES (300)",
        )
        newest = peer.head()
        gone = ", ".join(map(str, range(newest)))
        peer.rows(f"CALL ducklake_expire_snapshots('lake', versions => [{gone}])")
    stage.history = history(stage.lake)
    whole = stage.copy()
    run(stage.spark, stage.register(whole), OLD_METADATA)
    cleaned = placed(whole)
    assert cleaned.tables.keys() < read_catalog(stage.lake).tables.keys()
    number = 0
    while True:
        lake = stage.copy()
        cut = stage.cut(
            lake,
            number,
            is_final=is_final,
            call=lambda catalog: run(stage.spark, catalog, OLD_METADATA),
        )
        if not cut.happened:
            break
        assert stage.holds(lake)
        run(stage.spark, stage.register(lake), OLD_METADATA)
        report = compare(placed(lake), cleaned).report("cut off", "whole")
        assert report == "", f"cut at statement {number}"
        assert stage.holds(lake)
        number += 1 if FULL else 3

    assert number > 6


@pytest.mark.parametrize("is_final", ENDINGS)
def test_a_deletion_of_orphans_that_is_cut_off_is_done_by_the_next_one(
    stage: Stage, is_final: bool
) -> None:
    number = 0
    while True:
        lake = stage.copy()
        known = parquet_files(lake)
        for file in known:
            if file.parent != lake.data_path:
                file.with_name(f"ducklake-{uuid.uuid4()}.parquet").write_text("nothing")
        cut = stage.cut(
            lake,
            number,
            is_final=is_final,
            starts=begins_a_read,
            call=lambda catalog: run(stage.spark, catalog, ORPHANS),
        )
        assert parquet_files(lake) >= known
        assert stage.holds(lake)
        run(stage.spark, stage.register(lake), ORPHANS)
        assert parquet_files(lake) == known
        if not cut.happened:
            break
        number += 1 if FULL else 11

    assert number > 5


@pytest.mark.parametrize("is_final", ENDINGS)
def test_a_checkpoint_that_is_cut_off_is_done_by_the_next_one(stage: Stage, is_final: bool) -> None:
    with Peer(stage.lake) as peer:
        peer.run(
            "CALL lake.set_option('expire_older_than', '0 seconds')",
            "CALL lake.set_option('delete_older_than', '0 seconds')",
            "CALL lake.set_option('rewrite_delete_threshold', 0.01)",
        )
    number = 0
    while True:
        lake = stage.copy()
        cut = stage.cut(
            lake,
            number,
            is_final=is_final,
            call=lambda catalog: run(stage.spark, catalog, "checkpoint()"),
        )
        if not cut.happened:
            break
        assert {path.name for path in parquet_files(lake)} >= listed(lake, *FILES)
        assert stage.holds_with_compactions(lake)
        run(stage.spark, stage.register(lake), "checkpoint()")
        assert stage.holds_with_compactions(lake)
        assert flushed(lake) == []
        assert read_catalog(lake).rows("files_scheduled_for_deletion") == []
        assert {path.name for path in parquet_files(lake)} == listed(lake)
        assert check(lake, Scope(None, is_free_of_orphans=True)) == []
        number += 1 if FULL else 61

    assert number > 61
