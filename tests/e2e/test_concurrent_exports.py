"""Two exports to one folder at once: one version of each, or a clear error, and none is torn."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.exported import export, lake_rows, same_in_delta, same_in_iceberg
from support.lakes import IN_FILES, Lake
from support.objectstore import Bucket, ObjectStore
from support.peer import literal, made
from support.storeproxy import Request

Register = Callable[..., str]

SAME = {"delta": same_in_delta, "iceberg": same_in_iceberg}
WAIT = 60


class ConditionalWrites:
    """Does for a proxy what S3 does with conditional writes, of which this server knows nothing.

    A write of the file with the name waits for a second one, so that both calls have found no file.
    """

    def __init__(self, name: str) -> None:
        """Nothing is written yet."""
        self.name = name
        self.seen: list[Request] = []
        self._both = threading.Barrier(2)
        self._lock = threading.Lock()
        self._taken: set[str] = set()

    def __call__(self, request: Request) -> str | None:
        """The error code of a write whose name is taken."""
        if request.method != "PUT" or not request.path.endswith(self.name):
            return None
        with self._lock:
            self.seen.append(request)
        self._both.wait(WAIT)
        with self._lock:
            if request.only_new and request.path in self._taken:
                return "PreconditionFailed"
            self._taken.add(request.path)
        return None


def at_once(calls: list[Callable[[], dict[str, Any]]]) -> list[dict[str, Any] | str]:
    """The results of calls that run at the same time; of one that fails its error."""

    def run(call: Callable[[], dict[str, Any]]) -> dict[str, Any] | str:
        try:
            return call()
        except PySparkException as error:
            return str(error)

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


@pytest.mark.parametrize("format", ["delta", "iceberg"])
def test_on_a_local_disk(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, format: str
) -> None:
    name = register(lake, IN_FILES)
    made(lake, "CREATE TABLE t AS SELECT i AS id FROM range(100) r(i)")
    shown = [int(export(spark, format, name, tmp_path)["version"][1])]
    for number in range(4):
        snapshot = made(lake, f"INSERT INTO t SELECT {number} FROM range(3)")
        older = f", version => '{snapshot}'"
        made(lake, f"DELETE FROM t WHERE id = {50 + number}")

        def call(option: str) -> Callable[[], dict[str, Any]]:
            return lambda: export(spark, format, name, tmp_path, option)

        found = at_once([call(""), call(older), call("")])

        lines = [each for each in found if isinstance(each, dict)]
        written = [each["version"][1] for each in lines if "version" in each]
        assert written
        assert sorted(written) == list(range(shown[-1] + 1, shown[-1] + 1 + len(written)))
        assert all("another export wrote meanwhile" in each for each in found if each not in lines)
        shown += sorted(written)
        last = export(spark, format, name, tmp_path)
        if "version" in last:
            shown.append(int(last["version"][1]))
        SAME[format](tmp_path, lake_rows(lake))
        kept = [row.name for row in spark.table(f"{name}.system.named_snapshots").collect()]
        assert last["kept as"][0] in kept


@pytest.mark.parametrize("format", ["delta", "iceberg"])
def test_a_bucket_without_conditional_writes(
    spark: SparkSession, stored_lake: Lake, register: Register, bucket: Bucket, format: str
) -> None:
    """Hadoop refuses to ask for them where its settings say that the store knows none."""
    off = {"hadoop.fs.s3a.create.conditional.enabled": "false"}
    name = register(stored_lake, {**IN_FILES, **off})
    place = stored_lake.data_path / "main/t"
    address = f"s3://{bucket.name}/{place.relative_to(bucket.folder)}"

    export(spark, format, name, address)
    made(stored_lake, "INSERT INTO t VALUES (500, 'second')")
    export(spark, format, name, address)

    scan = f"{format}_scan({literal(address)})"
    with duckdb_peer.connect("httpfs", "avro", "iceberg", "delta") as connection:
        connection.execute(bucket.secret())
        assert connection.execute(f"FROM {scan} ORDER BY ALL").fetchall() == lake_rows(stored_lake)


@pytest.mark.in_every_run
@pytest.mark.parametrize(
    ("format", "file"), [("delta", f"{1:020}.json"), ("iceberg", "v2.metadata.json")]
)
def test_in_a_bucket(
    spark: SparkSession,
    stored_lake: Lake,
    register: Register,
    bucket: Bucket,
    store: ObjectStore,
    format: str,
    file: str,
) -> None:
    """S3 itself decides whose version it is, when both have found no file of its name."""
    name = register(stored_lake, IN_FILES)
    place = stored_lake.data_path / "main/t"
    address = f"s3://{bucket.name}/{place.relative_to(bucket.folder)}"
    export(spark, format, name, address)
    older = made(stored_lake, "INSERT INTO t VALUES (500, 'older')")
    newer = made(stored_lake, "INSERT INTO t VALUES (501, 'newer')")
    writes = ConditionalWrites(file)

    def call(snapshot: int) -> Callable[[], dict[str, Any]]:
        return lambda: export(spark, format, name, address, f", version => '{snapshot}'")

    with store.proxy.refusing(writes):
        found = at_once([call(older), call(newer)])

    assert [each.only_new for each in writes.seen] == [True, True]
    (error,) = [each for each in found if isinstance(each, str)]
    assert "another export wrote meanwhile; call again" in error
    (lines,) = [each for each in found if isinstance(each, dict)]
    won = int(lines["snapshot"][1])
    scan = f"{format}_scan({literal(address)})"
    with duckdb_peer.connect("httpfs", "avro", "iceberg", "delta") as connection:
        connection.execute(bucket.secret())
        rows = connection.execute(f"FROM {scan} ORDER BY ALL").fetchall()
    assert rows == lake_rows(stored_lake, won)
    named = spark.table(f"{name}.system.named_snapshots").collect()
    assert max(row.snapshot_id for row in named if row.name.startswith("export.")) == won
    again = export(spark, format, name, address)
    assert ("version" in again) == (won == older)
