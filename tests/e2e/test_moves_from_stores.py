"""Moves of tables whose files are in a bucket."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg import types as ice
from pyiceberg.schema import Schema
from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.deltalog import append, write_table
from support.iceberg import IcebergTable, JavaObject
from support.lakes import Lake, LakeFactory
from support.moving import bytes_below
from support.objectstore import Bucket, ObjectStore
from support.peer import Peer, made

Register = Callable[..., str]
IDS = Schema(ice.NestedField(1, "id", ice.LongType(), required=False))


class InBucket(IcebergTable):
    """A table in a bucket, whose metadata names files as `s3://…`."""

    def __init__(
        self, spark: SparkSession, store: ObjectStore, bucket: Bucket, local: Path
    ) -> None:
        """Creates the table in the folder `ice` of the bucket; files are made below `local`."""
        self._store, self._bucket, self._local = store, bucket, local
        jvm: JavaObject = spark._jvm
        hadoop = jvm.org.apache.hadoop.conf.Configuration(spark._jsc.hadoopConfiguration())
        own = {"fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem", **bucket.s3a()}
        for key, value in own.items():
            hadoop.set(key, value)
        super().__init__(spark, f"s3://{bucket.name}/ice", IDS, hadoop=hadoop)

    def _made(self, path: str) -> Path:
        return self._local / path.rsplit("/", 1)[-1]

    def _written(self, path: str, rows: pa.Table) -> pa.Table:
        self._local.mkdir(exist_ok=True)
        pq.write_table(rows, self._made(path))
        place = path.removeprefix(f"s3://{self._bucket.name}/")
        self._store.put(self._made(path), self._bucket.folder / place)
        return rows

    def _size(self, path: str) -> int:
        return self._made(path).stat().st_size


def moved(spark: SparkSession, lake: Lake, name: str, kind: str, source: str) -> int:
    """The number of rows that both readers have read, while the table moved to `t`."""
    called = f"CALL {name}.system.migrate_from_{kind}('{source}', 't', checksum => true)"
    lines = [tuple(row) for row in spark.sql(called).collect()]
    (count,) = [line[2] for line in lines if line[0] == "checksum"]
    return int(count)


def test_a_table_of_delta(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    store: ObjectStore,
    bucket: Bucket,
    tmp_path: Path,
) -> None:
    """The lake follows it there, and leaves its files alone."""
    lake = lakes.new("sqlite", bucket)
    made(lake, "CREATE TABLE other (i INT)")
    name, place = register(lake), bucket.folder / "delta"
    source = f"s3://{bucket.name}/delta"
    write_table(tmp_path / "d", [1, 2])
    store.put_all(tmp_path / "d", place)
    before = bytes_below(str(place))

    assert moved(spark, lake, name, "delta", source) == 2
    assert bytes_below(str(place)) == before
    append(tmp_path / "d", 1, [3])
    store.put_all(tmp_path / "d", place)

    assert moved(spark, lake, name, "delta", source) == 3
    assert duckdb_rows(lake) == [(1,), (2,), (3,)]
    with Peer(lake) as peer:
        (paths,) = peer.rows("SELECT list(data_file) FROM ducklake_list_files('lake', 't')")
    assert all(path.startswith(f"{source}/") for path in paths[0])


def test_a_table_of_iceberg(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    store: ObjectStore,
    bucket: Bucket,
    tmp_path: Path,
) -> None:
    """Its metadata names files as `s3://`, which Hadoop knows as `s3a://`."""
    lake = lakes.new("sqlite", bucket)
    made(lake, "CREATE TABLE other (i INT)")
    name = register(lake)
    table = InBucket(spark, store, bucket, tmp_path / "local")
    first = table.append("a", [{"id": 1}, {"id": 2}])
    table.append("b", [{"id": 3}])
    table.delete("d", [(first, 0)])

    assert moved(spark, lake, name, "iceberg", f"s3://{bucket.name}/ice") == 2
    assert duckdb_rows(lake) == [(2,), (3,)]
    spark.sql(f"DELETE FROM {name}.t WHERE id = 3")
    assert duckdb_rows(lake) == [(2,)]
