"""CALL delete_orphaned_files: what nobody knows goes, and nothing else."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import execute
from support.lakes import CatalogKind, Lake, LakeFactory, describe
from support.peer import Peer, literal

Register = Callable[..., str]
OLD = time.time() - 3 * 24 * 3600


def orphan(folder: Path, name: str = "", *, age: float = OLD) -> Path:
    """A file that nobody knows, named as files of a lake are."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / (name or f"ducklake-{uuid.uuid4()}.parquet")
    file.write_text("nothing")
    os.utime(file, (age, age))
    return file


def deleted(spark: SparkSession, catalog: str, arguments: str = "") -> set[Path]:
    """The deleted files."""
    called = spark.sql(f"CALL {catalog}.system.delete_orphaned_files({arguments})")
    assert called.columns == ["path"]
    return {Path(row.path) for row in called.collect()}


def aged(lake: Lake) -> set[Path]:
    """All files of a lake, which are old from now on."""
    files = {path for path in lake.data_path.rglob("*") if path.is_file()}
    for file in files:
        os.utime(file, (OLD, OLD))
    return files


def test_only_files_that_nobody_knows_go(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (i INT)",
            "CREATE TABLE p (k VARCHAR, i INT)",
            "ALTER TABLE p SET PARTITIONED BY (k)",
            "INSERT INTO p SELECT 'a /%20b' || i % 2, i FROM range(40) r(i)",
            "INSERT INTO t SELECT i FROM range(40) r(i)",
            "DELETE FROM t WHERE i < 20",
            "CREATE TABLE dropped AS SELECT i FROM range(40) r(i)",
            "DROP TABLE dropped",
            "CREATE TABLE expired AS SELECT i FROM range(40) r(i)",
            "DROP TABLE expired",
            "CALL ducklake_expire_snapshots('lake', versions => range(10))",
        )
    catalog = register(lake)
    known = aged(lake)
    main = lake.data_path / "main"
    partition = next(path.parent for path in (main / "p").rglob("*.parquet"))
    foreign = [
        orphan(main / "t", "mine.parquet"),
        orphan(main / "t", "ducklake-notes.parquet"),
        orphan(lake.data_path / "b" / "main" / "t"),
    ]
    young = orphan(main / "t", age=time.time())
    lost = {
        orphan(main / "t"),
        orphan(main / "t", f"ducklake-{uuid.uuid4()}-delete.parquet"),
        orphan(main / "t", f"ducklake-{uuid.uuid4()}-delete.puffin"),
        orphan(partition),
        orphan(main / "never" / "k=1" / "l=2"),
    }

    assert deleted(spark, catalog, "dry_run => true") == lost
    assert all(file.exists() for file in lost)
    assert deleted(spark, catalog) == lost
    assert deleted(spark, catalog, "older_than => now() - INTERVAL 1 DAY") == set()
    assert deleted(spark, catalog, "cleanup_all => true") == {young}
    assert not any(file.exists() for file in lost)
    assert all(file.exists() for file in [*known, *foreign])
    called = spark.sql(f"CALL {catalog}.system.remove_orphan_files()")
    assert called.collect() == []


def test_a_lake_below_another_keeps_its_files(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    """DuckDB, asked by the upper lake, deletes the files of the lower one."""
    upper = lakes.new("sqlite")
    lower = describe("sqlite", upper.data_path, "", lakes.server)
    upper.data_path.mkdir()
    for lake in (upper, lower):
        with Peer(lake) as peer:
            peer.run("CREATE TABLE t AS SELECT i FROM range(40) r(i)")
    files = aged(upper)

    assert deleted(spark, register(upper), "cleanup_all => true") == set()
    assert deleted(spark, register(lower), "cleanup_all => true") == set()
    assert all(file.exists() for file in files)


@pytest.mark.parametrize("kind", ["postgres", "duckdb"])
@pytest.mark.parametrize("place", ["", "main"])
def test_a_lake_in_the_same_folders_keeps_its_files(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: CatalogKind, place: str
) -> None:
    """Two lakes of one database, with one data path or with one inside a schema of the other."""
    lake = lakes.new(kind)
    theirs = replace(lake, data_path=lake.data_path / place)
    for one, schema in ((lake, "first"), (theirs, "second")):
        with Peer(one, f"METADATA_SCHEMA '{schema}'", "DATA_INLINING_ROW_LIMIT 0") as peer:
            peer.run("CREATE TABLE t AS SELECT i FROM range(40) r(i)")
    files = aged(lake)
    catalog = register(lake, {"metadata-schema": "first"})

    with pytest.raises(PySparkException, match="`second`") as caught:
        deleted(spark, catalog)

    assert caught.value.getCondition() == "DUCKLAKE_SHARED_FOLDER"
    assert all(file.exists() for file in files)


@pytest.mark.parametrize("spelling", ["file://{}", "{}", "file:{}"])
def test_paths_are_compared_as_places(
    spark: SparkSession, lakes: LakeFactory, register: Register, spelling: str
) -> None:
    """DuckDB deletes a file that is registered in another spelling than its own."""
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT i FROM range(40) r(i)")
    (file,) = aged(lake)
    stored = spelling.format(f"{file.parent.parent}//./t/{file.name}")
    execute(
        lake,
        f"UPDATE ducklake_data_file SET path = {literal(stored)}, path_is_relative = 0",
    )

    assert deleted(spark, register(lake), "cleanup_all => true") == set()
    assert file.exists()


def test_a_folder_that_cannot_be_listed_is_an_error(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT i FROM range(40) r(i)")
    lost = orphan(lake.data_path / "main" / "t")
    execute(lake, "UPDATE ducklake_metadata SET value = 's3://nowhere/' WHERE key = 'data_path'")

    with pytest.raises(PySparkException) as error:
        deleted(spark, register(lake), "cleanup_all => true")

    assert error.value.getCondition() == "DUCKLAKE_MAINTENANCE_INCOMPLETE"
    assert lost.exists()
