"""Exported tables in a bucket: metadata and data are read from there by DuckDB's extensions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.asking import refused
from support.exported import export, lake_rows
from support.lakes import Lake
from support.objectstore import Bucket, ObjectStore
from support.peer import literal, made

Register = Callable[..., str]

OWN = "main/t"
"""The table's own folder below the data path."""


def test_delta(spark: SparkSession, stored_lake: Lake, register: Register, bucket: Bucket) -> None:
    """In the folder of the table, for DuckDB's extension knows no addresses of other folders."""
    lake = stored_lake
    address = _address(lake, bucket, OWN)
    name = register(lake)
    export(spark, "delta", name, address)
    first = lake_rows(lake)
    made(lake, "DELETE FROM t WHERE a % 3 = 1", "INSERT INTO t VALUES (500, 'new')")

    export(spark, "delta", name, address)

    with duckdb_peer.connect("httpfs", "delta") as connection:
        connection.execute(bucket.secret())
        scan = f"delta_scan({literal(address)}) ORDER BY ALL"
        assert connection.execute(f"FROM {scan}").fetchall() == lake_rows(lake)
        connection.execute(f"ATTACH {literal(address)} AS d (TYPE delta, VERSION 0)")
        assert connection.execute("FROM d ORDER BY ALL").fetchall() == first


def test_iceberg(
    spark: SparkSession, stored_lake: Lake, register: Register, bucket: Bucket
) -> None:
    lake = stored_lake
    address = _address(lake, bucket, "iceberg")
    name = register(lake)
    export(spark, "iceberg", name, address)
    made(lake, "DELETE FROM t WHERE a % 3 = 1", "INSERT INTO t VALUES (500, 'new')")

    export(spark, "iceberg", name, address)

    with duckdb_peer.connect("httpfs", "avro", "iceberg") as connection:
        connection.execute(bucket.secret())
        scan = f"iceberg_scan({literal(address)}) ORDER BY ALL"
        assert connection.execute(f"FROM {scan}").fetchall() == lake_rows(lake)


def test_addresses_of_hadoop_are_those_of_the_lake(
    spark: SparkSession, stored_lake: Lake, register: Register, bucket: Bucket
) -> None:
    """Other readers know no `s3a`."""
    address = _address(stored_lake, bucket, "spelled")
    name = register(stored_lake)

    first = export(spark, "iceberg", name, address.replace("s3://", "s3a://") + "/./")
    again = export(spark, "iceberg", name, address)

    assert again["unchanged version"][1] == 1
    assert again["kept as"] == first["kept as"]
    place = bucket.folder / address.removeprefix(f"s3://{bucket.name}/")
    metadata = json.loads((place / "metadata/v1.metadata.json").read_text())
    assert metadata["location"] == address


def test_a_version_of_another_writer_is_not_replaced(
    spark: SparkSession,
    stored_lake: Lake,
    register: Register,
    bucket: Bucket,
    store: ObjectStore,
    tmp_path: Path,
) -> None:
    address = _address(stored_lake, bucket, "other")
    other = tmp_path / "0.json"
    other.write_text('{"commitInfo":{}}\n')
    place = bucket.folder / address.removeprefix(f"s3://{bucket.name}/")
    first = place / f"_delta_log/{0:020}.json"
    store.put(other, first)

    call = f"CALL {register(stored_lake)}.system.export_delta('t', '{address}')"

    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "version 0 no export of main.t wrote")
    assert first.read_text() == other.read_text()


def _address(lake: Lake, bucket: Bucket, folder: str) -> str:
    """The table's own folder, or one beside the data path."""
    place = lake.data_path / OWN if folder == OWN else lake.data_path.parent / folder
    return f"s3://{bucket.name}/{Path(place).relative_to(bucket.folder)}"
