"""The clock of PostgreSQL jumps back an hour and forward a day while both engines commit.

The server runs with libfaketime, which reads the jump from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import column, rows, value
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.postgres import PostgresServer

Register = Callable[..., str]

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
JUMPS = ("+0", "-1h", "+0", "+1d", "+0", "-1h", "+1d", "+0")


class JumpingServer(PostgresServer):
    """A server whose clock is moved by a file."""

    def start(self) -> None:
        """Start with the right time."""
        self.jump("+0")
        self.environment = {
            "LD_PRELOAD": str(LIBRARIES[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self.folder / "clock"),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        super().start()

    def jump(self, by: str) -> None:
        """Let the clock be off by so much, such as `-1h`, at once."""
        self.place("clock", by).chmod(0o644)


@pytest.fixture
def jumping(tmp_path: Path) -> Iterator[tuple[Lake, JumpingServer]]:
    """A lake with an empty table, and its server."""
    if not LIBRARIES:
        pytest.skip("libfaketime is not there: apt-get install faketime")
    server = JumpingServer()
    with server:
        lake = LakeFactory(tmp_path, server).new("postgres")
        with Peer(lake) as peer:
            peer.run("CREATE TABLE t (id BIGINT, name VARCHAR)")
        yield lake, server


def commit_at_each_jump(
    spark: SparkSession, lake: Lake, name: str, server: JumpingServer, then: Callable[[], None]
) -> None:
    """Each engine commits at each jump: Spark first, at every other one DuckDB."""
    for number, jump in enumerate(JUMPS):
        server.jump(jump)
        statement = f"INSERT INTO {{}} VALUES ({{}}, '{jump}')"
        with Peer(lake) as peer:
            if number % 2:
                peer.run(statement.format("t", 2 * number + 1))
            spark.sql(statement.format(f"{name}.main.t", 2 * number))
        with Peer(lake) as peer:
            if not number % 2:
                peer.run(statement.format("t", 2 * number + 1))
        then()


def snapshots(lake: Lake) -> list[tuple[int, datetime]]:
    with Peer(lake) as peer:
        return [
            (number, time)
            for number, time in peer.rows(
                "SELECT snapshot_id, snapshot_time FROM ducklake_snapshots('lake') ORDER BY 1"
            )
        ]


def test_reads_of_a_time_are_those_of_duckdb(
    spark: SparkSession, jumping: tuple[Lake, JumpingServer], register: Register
) -> None:
    lake, server = jumping
    name = register(lake)

    commit_at_each_jump(spark, lake, name, server, lambda: None)

    kept = snapshots(lake)
    times = sorted(time for _, time in kept)
    assert [number for number, _ in kept] == [*range(len(JUMPS) * 2 + 2)]
    assert times != [time for _, time in kept]
    assert value(spark, f"SELECT count(*) FROM {name}.main.t") == len(JUMPS) * 2
    second = timedelta(seconds=1)
    asked = [times[1], *(time + second for time in times), *(time - second for time in times[3:])]
    with Peer(lake) as peer:
        for time in asked:
            text = f"{time:%Y-%m-%d %H:%M:%S.%f}+00"
            wanted = by_duckdb(peer, f"SELECT id FROM t AT (TIMESTAMP => '{text}') ORDER BY 1")
            query = f"SELECT id FROM {name}.main.t TIMESTAMP AS OF '{text}'"
            assert by_spark(spark, query) == wanted, time
    assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]))) == []


def by_duckdb(peer: Peer, query: str) -> list[int] | str:
    try:
        return [row[0] for row in peer.rows(query)]
    except duckdb.Error:
        return "refused"


def by_spark(spark: SparkSession, query: str) -> list[int] | str:
    try:
        return column(spark, query)
    except PySparkException as error:
        assert error.getCondition() in ("DUCKLAKE_NO_SUCH_SNAPSHOT", "TABLE_OR_VIEW_NOT_FOUND")
        return "refused"


def test_expiry_by_age_keeps_what_is_needed_and_a_stream_loses_nothing(
    spark: SparkSession,
    jumping: tuple[Lake, JumpingServer],
    register: Register,
    tmp_path: Path,
) -> None:
    lake, server = jumping
    name = register(lake)
    target = str(tmp_path / "copied")
    reader = spark.readStream.table(f"{name}.main.t")

    def copied() -> None:
        writer = reader.writeStream.format("parquet").option("path", target)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()
        rows(spark, f"CALL {name}.system.expire_snapshots()")
        rows(spark, f"CALL {name}.system.cleanup_old_files(cleanup_all => true)")

    spark.sql(f"INSERT INTO {name}.main.t VALUES (-1, 'named')")
    rows(spark, f"CALL {name}.system.keep_snapshot('first')")
    rows(spark, f"CALL {name}.system.set_option('expire_older_than', '30 minutes')")
    server.jump("+1d")
    copied()
    commit_at_each_jump(spark, lake, name, server, copied)

    every = [-1, *range(len(JUMPS) * 2)]
    assert column(spark, f"SELECT id FROM parquet.`{target}`") == every
    assert column(spark, f"SELECT id FROM {name}.main.t") == every
    assert column(spark, f"SELECT id FROM {name}.main.t VERSION AS OF 'first'") == [-1]
    with Peer(lake) as peer:
        assert [row[0] for row in peer.rows("SELECT id FROM t ORDER BY 1")] == every
    kept = {number for number, _ in snapshots(lake)}
    newest = len(JUMPS) * 2 + 2
    assert newest in kept
    assert 0 not in kept
    expired = frozenset(range(newest)) - kept
    assert check(lake, Scope(frozenset(committed_by_peers[lake.uri]), expired)) == []
