"""The names that keep exported snapshots, when calls fail or overlap."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.exported import export, iceberg_by_python, lake_rows
from support.lakes import IN_FILES, Lake, LakeFactory
from support.peer import literal, made
from support.postgres import PostgresServer
from support.proxy import PostgresProxy, begins_a_commit

Register = Callable[..., str]

FORMS = pytest.mark.parametrize("form", ["delta", "iceberg"])

TABLE = ["CREATE TABLE t (id INTEGER)", "INSERT INTO t SELECT i FROM range(20) r(i)"]


def named(spark: SparkSession, catalog: str) -> list[int]:
    """The snapshots that exports keep."""
    found = f"SELECT snapshot_id FROM {catalog}.system.named_snapshots WHERE name LIKE 'export.%'"
    return sorted(number for (number,) in rows(spark, found))


@pytest.mark.parametrize("is_same", [True, False], ids=["one-snapshot", "two"])
@FORMS
def test_of_two_exports_of_one_version_the_first_keeps_its_name(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    server: PostgresServer,
    tmp_path: Path,
    form: str,
    is_same: bool,
) -> None:
    lake = lakes.new("postgres")
    first = made(lake, *TABLE)
    last = first if is_same else made(lake, "INSERT INTO t VALUES (100)")
    catalog = register(lake, IN_FILES)
    with PostgresProxy(server) as proxy, ThreadPoolExecutor(1) as pool:
        slow = register(replace(lake, uri=proxy.uri(lake.database)), IN_FILES)
        call = f"CALL {slow}.system.export_{form}('t', '{tmp_path}', version => '{first}')"
        with proxy.held(begins_a_commit) as gate:
            late = pool.submit(
                lambda: refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "another export wrote")
            )
            gate.wait()
            export(spark, form, catalog, tmp_path)
            gate.open()
            late.result()

    assert named(spark, catalog) == [last]


def test_the_name_stays_when_a_failed_call_has_written_the_version(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    first = made(lake, *TABLE)
    catalog = register(lake, IN_FILES)
    hint = tmp_path / "metadata/version-hint.text"
    (hint / "taken").mkdir(parents=True)

    call = f"CALL {catalog}.system.export_iceberg('t', '{tmp_path}')"
    refused(spark, call, "DUCKLAKE_UNWRITABLE_FILE", "version-hint.text")

    assert named(spark, catalog) == [first]
    shutil.rmtree(hint)
    expected = lake_rows(lake)
    made(lake, "DELETE FROM t")
    export(spark, "iceberg", catalog, tmp_path)
    spark.sql(f"CALL {catalog}.system.expire_snapshots(older_than => now())")
    spark.sql(f"CALL {catalog}.system.cleanup_old_files(cleanup_all => true)")
    assert iceberg_by_python(tmp_path, 1) == expected


@pytest.mark.parametrize("is_expired", [False, True], ids=["kept", "expired"])
@FORMS
def test_a_version_that_has_lost_its_name_gets_one_again(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    tmp_path: Path,
    form: str,
    is_expired: bool,
) -> None:
    first = made(lake, *TABLE)
    catalog = register(lake, IN_FILES)
    kept, _, _ = export(spark, form, catalog, tmp_path)["kept as"]
    last = made(lake, "CREATE TABLE other (id INTEGER)")
    spark.sql(f"CALL {catalog}.system.release_snapshot({literal(kept)})")
    if is_expired:
        spark.sql(f"CALL {catalog}.system.expire_snapshots(older_than => now())")

    again = export(spark, form, catalog, tmp_path)

    assert "unchanged version" in again
    assert named(spark, catalog) == [last if is_expired else first]


@FORMS
def test_an_unchanged_version_releases_older_names_when_asked(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, form: str
) -> None:
    made(lake, *TABLE)
    catalog = register(lake, IN_FILES)
    export(spark, form, catalog, tmp_path)
    last = made(lake, "INSERT INTO t VALUES (100)")
    export(spark, form, catalog, tmp_path)
    assert len(named(spark, catalog)) == 2

    assert "unchanged version" in export(spark, form, catalog, tmp_path, ", keep_versions => 1")

    assert named(spark, catalog) == [last]
