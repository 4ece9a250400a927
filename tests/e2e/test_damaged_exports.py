"""Exports to folders from which somebody has removed files: repaired, or refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import refused
from support.exported import export, lake_rows, same_in_delta, same_in_iceberg
from support.lakes import IN_FILES, Lake
from support.peer import made

Register = Callable[..., str]

CREATE = "CREATE TABLE t AS SELECT i AS id FROM range(100) r(i)"


def exported(spark: SparkSession, lake: Lake, name: str, folder: Path, versions: int) -> Path:
    """Shows table `t` in so many versions; the folder of the log."""
    made(lake, CREATE)
    for number in range(versions):
        assert export(spark, "delta", name, folder)["version"][1] == number
        made(lake, f"INSERT INTO t SELECT {number} FROM range(3)")
    return folder / "_delta_log"


def hinted(log: Path) -> int:
    """The version that readers take for the last one with a checkpoint."""
    return int(json.loads((log / "_last_checkpoint").read_text())["version"])


@pytest.mark.parametrize("hint", ["", "[", '{"version": 3}', None])
def test_a_hint_is_only_a_hint(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, hint: str | None
) -> None:
    """A call mends one that is wrong; without any, readers list the folder."""
    name = register(lake, IN_FILES)
    log = exported(spark, lake, name, tmp_path, 12)
    (log / "_last_checkpoint").unlink()
    if hint is not None:
        (log / "_last_checkpoint").write_text(hint)

    assert export(spark, "delta", name, tmp_path)["version"][1] == 12

    same_in_delta(tmp_path, lake_rows(lake))
    assert (log / "_last_checkpoint").exists() == (hint is not None)
    if hint is not None:
        assert hinted(log) == 11
    assert export(spark, "delta", name, tmp_path)["unchanged version"][1] == 12


@pytest.mark.parametrize("changes", [True, False])
def test_a_lost_checkpoint_is_written_again(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, changes: bool
) -> None:
    """By the versions before it, also when there is nothing new to show."""
    name = register(lake, IN_FILES)
    log = exported(spark, lake, name, tmp_path, 12)
    if not changes:
        export(spark, "delta", name, tmp_path)
    (log / f"{10:020}.checkpoint.parquet").unlink()

    lines = export(spark, "delta", name, tmp_path)

    assert lines["version" if changes else "unchanged version"][1] == 12
    newest = 11 if changes else 12
    assert hinted(log) == newest
    assert (log / f"{newest:020}.checkpoint.parquet").exists()
    same_in_delta(tmp_path, lake_rows(lake))


def test_a_lost_newest_version_is_shown_again(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    log = exported(spark, lake, name, tmp_path, 3)
    (log / f"{2:020}.json").unlink()

    assert export(spark, "delta", name, tmp_path)["version"][1] == 2

    same_in_delta(tmp_path, lake_rows(lake))


@pytest.mark.parametrize("lost", [0, 1])
def test_a_lost_version_without_a_checkpoint_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, lost: int
) -> None:
    """The error says how to begin anew."""
    name = register(lake, IN_FILES)
    log = exported(spark, lake, name, tmp_path, 3)
    (log / f"{lost:020}.json").unlink()
    call = f"CALL {name}.system.export_delta('t', '{tmp_path}')"

    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", f"no version {lost} (no reader reads it")
    trial = call.replace(")", ", dry_run => true)")
    refused(spark, trial, "DUCKLAKE_INVALID_ARGUMENT", "remove its folder _delta_log")

    for file in log.iterdir():
        file.unlink()
    log.rmdir()
    assert export(spark, "delta", name, tmp_path)["version"][1] == 0
    same_in_delta(tmp_path, lake_rows(lake))


def test_a_version_before_the_checkpoint_is_not_missed(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    log = exported(spark, lake, name, tmp_path, 12)
    (log / f"{4:020}.json").unlink()

    assert export(spark, "delta", name, tmp_path)["version"][1] == 12

    same_in_delta(tmp_path, lake_rows(lake))


def test_half_a_version_and_a_hint_to_nothing_are_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    log = exported(spark, lake, name, tmp_path, 2)
    first = log / f"{0:020}.json"
    first.write_text(first.read_text()[:-20])
    call = f"CALL {name}.system.export_delta('t', '{tmp_path}')"

    refused(spark, call, "DUCKLAKE_UNREADABLE_FILE", first.name)

    for file in log.iterdir():
        file.unlink()
    (log / "_last_checkpoint").write_text('{"version": 10}')
    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "no version at all")


def test_iceberg_without_its_hint_or_its_newest_metadata(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(lake, CREATE)
    for number in range(1, 4):
        assert export(spark, "iceberg", name, tmp_path)["version"][1] == number
        made(lake, "INSERT INTO t SELECT 1 FROM range(3)")
    folder = tmp_path / "metadata"
    (folder / "version-hint.text").unlink()
    (folder / "v1.metadata.json").unlink()
    assert export(spark, "iceberg", name, tmp_path)["version"][1] == 4
    same_in_iceberg(tmp_path, lake_rows(lake))

    (folder / "v4.metadata.json").unlink()
    assert export(spark, "iceberg", name, tmp_path)["version"][1] == 4
    same_in_iceberg(tmp_path, lake_rows(lake))


@pytest.mark.parametrize("pattern", ["snap-*.avro", "*-m0.avro"])
def test_iceberg_without_a_manifest_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, pattern: str
) -> None:
    name = register(lake, IN_FILES)
    made(lake, CREATE)
    export(spark, "iceberg", name, tmp_path)
    made(lake, "INSERT INTO t SELECT 1 FROM range(3)")
    (lost,) = (tmp_path / "metadata").glob(pattern)
    lost.unlink()

    call = f"CALL {name}.system.export_iceberg('t', '{tmp_path}')"
    refused(spark, call, "DUCKLAKE_UNREADABLE_FILE", lost.name)
