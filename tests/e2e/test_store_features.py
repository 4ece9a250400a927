"""In a bucket, too: lakes of older versions, lakes of 1.1, files that are there already."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.adding import parquet
from support.fixtures import Fixture, FixtureStore
from support.lakes import IN_FILES, Lake, LakeFactory
from support.objectstore import Bucket, ObjectStore
from support.peer import Peer, literal

Register = Callable[..., str]

MIGRATED = IN_FILES | {"automatic-migration": "true"}


def in_the_bucket(lake: Lake, name: str, bucket: Bucket, store: ObjectStore, folder: Path) -> Lake:
    """A copy of a lake, with its files in the bucket."""
    catalog = folder / "catalog.sqlite"
    shutil.copy(lake.database, catalog)
    store.put_all(lake.data_path, bucket.folder / name)
    uri = f"ducklake:sqlite:{catalog}"
    place = bucket.folder / name
    return replace(lake, uri=uri, database=str(catalog), data_path=place, bucket=bucket)


def contents(spark: SparkSession, catalog: str) -> dict[str, list[str]]:
    """The rows of the tables of `main`, as texts."""
    names = [row.tableName for row in spark.sql(f"SHOW TABLES IN {catalog}.main").collect()]
    tables = {name: spark.table(f"{catalog}.main.`{name}`") for name in names}
    return {name: sorted(map(str, table.collect())) for name, table in tables.items()}


@pytest.mark.parametrize(
    ("spec", "case"), [("0.2", "dml"), ("0.3", "partitioned"), ("0.4", "dml"), ("1.0", "merged")]
)
def test_lakes_of_older_versions(
    spark: SparkSession,
    register: Register,
    fixture_store: FixtureStore,
    bucket: Bucket,
    store: ObjectStore,
    tmp_path: Path,
    spec: str,
    case: str,
) -> None:
    local = fixture_store.lake(Fixture(spec, "sqlite", case))
    stored = in_the_bucket(local, f"{spec}-{case}", bucket, store, tmp_path)

    expected = contents(spark, register(local))

    assert any(expected.values())
    assert contents(spark, register(stored)) == expected


def test_an_older_lake_is_migrated(
    spark: SparkSession,
    register: Register,
    fixture_store: FixtureStore,
    bucket: Bucket,
    store: ObjectStore,
    tmp_path: Path,
) -> None:
    local = fixture_store.lake(Fixture("0.3", "sqlite", "partitioned"))
    stored = in_the_bucket(local, "migrated", bucket, store, tmp_path)
    before = contents(spark, register(local))
    catalog = register(stored, MIGRATED)

    spark.sql(f"CREATE TABLE {catalog}.main.added AS SELECT id FROM range(7)")

    assert contents(spark, catalog) == before | {"added": [f"Row(id={n})" for n in range(7)]}
    with Peer(stored) as peer:
        assert peer.value("SELECT count(*) FROM main.added") == 7
        for name, rows in before.items():
            assert peer.value(f'SELECT count(*) FROM main."{name}"') == len(rows)


def test_a_lake_of_version_1_1(
    spark: SparkSession, register: Register, lakes: LakeFactory, bucket: Bucket
) -> None:
    lake = lakes.new("sqlite", bucket)
    new = IN_FILES | {"data-path": lake.data_address, "ducklake-version": "1.1"}
    catalog = register(lake, new)

    spark.sql(f"CREATE SCHEMA {catalog}.a")
    spark.sql(f"CREATE SCHEMA {catalog}.a.b")
    spark.sql(f"CREATE TABLE {catalog}.a.b.t (id INT, ts TIMESTAMP_NTZ) PARTITIONED BY (days(ts))")
    spark.sql(
        f"INSERT INTO {catalog}.a.b.t "
        "SELECT id, TIMESTAMP_NTZ '2026-01-01 12:00:00' + make_dt_interval(id) FROM range(3)"
    )
    spark.sql(f"DELETE FROM {catalog}.a.b.t WHERE id = 1")

    found = spark.sql(f"SELECT id FROM {catalog}.a.b.t WHERE ts > '2026-01-02' ORDER BY id")
    assert [row.id for row in found.collect()] == [2]
    assert len(list(lake.data_path.rglob("*.parquet"))) >= 2


def test_files_in_the_bucket_are_added(
    spark: SparkSession,
    stored_lake: Lake,
    register: Register,
    bucket: Bucket,
    store: ObjectStore,
    tmp_path: Path,
) -> None:
    catalog = register(stored_lake, IN_FILES)
    for number in (1, 2, 3):
        rows = f"SELECT i AS a, 'added' AS b FROM range(1000, 100{number}) r(i)"
        file = parquet(tmp_path / f"{number}.parquet", rows)
        store.put(
            Path(file), bucket.folder / "there" / stored_lake.data_path.name / f"{number}.parquet"
        )
    there = f"s3://{bucket.name}/there/{stored_lake.data_path.name}"

    added = f"CALL {catalog}.system.add_data_files('t', '{{}}')"
    one = spark.sql(added.format(f"{there}/1.parquet")).collect()
    with Peer(stored_lake) as peer:
        peer.run(f"CALL ducklake_add_data_files('lake', 't', {literal(f'{there}/2.parquet')})")
    rest = spark.sql(added.format(f"{there}/3*.parquet")).collect()

    assert [row.filename for row in [*one, *rest]] == [f"{there}/1.parquet", f"{there}/3.parquet"]
    question = "SELECT count(*), max(a) FROM {}t WHERE b = 'added'"
    assert spark.sql(question.format(f"{catalog}.")).first() == (6, 1002)
    with Peer(stored_lake) as peer:
        assert peer.rows(question.format("")) == [(6, 1002)]
