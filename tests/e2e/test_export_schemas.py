"""`export_delta` and `export_iceberg` for all tables of a schema."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ducklake_spark as dl
import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.exported import Rows, same_in_delta, same_in_iceberg
from support.lakes import IN_FILES, Lake
from support.peer import Peer, made

Register = Callable[..., str]
FORMATS = {"delta": same_in_delta, "iceberg": same_in_iceberg}
FIRST = {"delta": 0, "iceberg": 1}


def rows_of(lake: Lake, table: str, version: int | None = None) -> Rows:
    """The rows of a table of schema `s` at a snapshot, by DuckDB."""
    at = "" if version is None else f" AT (VERSION => {version})"
    with Peer(lake) as peer:
        return peer.rows(f'SELECT * FROM s."{table}"{at} ORDER BY ALL')


def export_schema(
    spark: SparkSession, kind: str, catalog: str, path: Path, options: str = ""
) -> list[tuple[Any, ...]]:
    """Exports schema `s`; of each line what it says, the detail and the count."""
    call = f"CALL {catalog}.system.export_{kind}(schema => 's', path => '{path}'{options})"
    return [tuple(row)[:3] for row in spark.sql(call).collect()]


def a_schema(lake: Lake) -> int:
    """Schema `s` with two tables and a view, and a table elsewhere; the last snapshot."""
    return made(
        lake,
        "CREATE SCHEMA s",
        "CREATE TABLE s.a AS SELECT i AS id FROM range(1000) r(i)",
        "DELETE FROM s.a WHERE id % 7 = 3",
        "CREATE TABLE s.\"b c\" AS SELECT 'n' || i AS name FROM range(20) r(i)",
        "CREATE VIEW s.v AS SELECT * FROM s.a",
        "CREATE TABLE elsewhere AS SELECT 1 AS id",
    )


@pytest.mark.parametrize("shown_as", FORMATS)
def test_all_tables_of_a_schema_at_one_snapshot(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, shown_as: str
) -> None:
    name, same, first = register(lake, IN_FILES), FORMATS[shown_as], FIRST[shown_as]
    a_schema(lake)

    planned = export_schema(spark, shown_as, name, tmp_path, ", dry_run => true")
    assert sorted(planned) == [("table", "s.a", 1), ("table", "s.b c", 1)]
    assert not list(tmp_path.iterdir())

    lines = export_schema(spark, shown_as, name, tmp_path)
    assert sorted(lines) == [("version", "s.a", first), ("version", "s.b c", first)]
    assert sorted(found.name for found in tmp_path.iterdir()) == ["a", "b c"]
    for table in ("a", "b c"):
        same(tmp_path / table, rows_of(lake, table))

    made(lake, "INSERT INTO s.a SELECT i FROM range(2000, 2050) r(i)")
    again = export_schema(spark, shown_as, name, tmp_path)
    assert sorted(again) == [("unchanged version", "s.b c", first), ("version", "s.a", first + 1)]
    same(tmp_path / "a", rows_of(lake, "a"))


def test_an_old_snapshot_shows_the_tables_that_it_had(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    old = a_schema(lake)
    made(lake, "DROP VIEW s.v", 'DROP TABLE s."b c"', "CREATE TABLE s.d (id INTEGER)")
    made(lake, "DELETE FROM s.a WHERE id < 100")

    export_schema(spark, "delta", name, tmp_path, f", version => '{old}'")

    assert sorted(found.name for found in tmp_path.iterdir()) == ["a", "b c"]
    for table in ("a", "b c"):
        same_in_delta(tmp_path / table, rows_of(lake, table, old))
    kept = rows(spark, f"SELECT snapshot_id FROM {name}.system.named_snapshots")
    assert kept == [(old,), (old,)]


@pytest.mark.parametrize("shown_as", FORMATS)
def test_nothing_is_written_when_one_table_cannot_be_shown(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, shown_as: str
) -> None:
    name = register(lake, IN_FILES)
    a_schema(lake)
    made(lake, "CREATE TABLE s.z AS SELECT INTERVAL 1 DAY AS i FROM range(20)")

    planned = export_schema(spark, shown_as, name, tmp_path, ", dry_run => true")
    in_the_way = [detail for what, detail, _ in planned if what == "in the way"]
    assert len(in_the_way) == 1
    assert in_the_way[0].startswith("s.z: column `i`")

    call = f"CALL {name}.system.export_{shown_as}(schema => 's', path => '{tmp_path}')"
    refused(spark, call, "DUCKLAKE_UNSUPPORTED", "the schema s", "s.z: column `i`")
    assert not list(tmp_path.iterdir())
    assert not rows(spark, f"SELECT * FROM {name}.system.named_snapshots")


def test_a_folder_of_another_table_stops_all(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    a_schema(lake)
    spark.sql(f"CALL {name}.system.export_delta('elsewhere', '{tmp_path}/b c')")

    call = f"CALL {name}.system.export_delta(schema => 's', path => '{tmp_path}')"
    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "no export of s.b c wrote")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["b c"]


def test_inlined_rows_of_all_tables_are_flushed(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    made(lake, "CREATE SCHEMA s", "CREATE TABLE s.a (id INTEGER)", "CREATE TABLE s.b (id INTEGER)")
    made(lake, "INSERT INTO s.a VALUES (1), (NULL)", "INSERT INTO s.b VALUES (2)", limit=10)
    call = f"CALL {name}.system.export_delta(schema => 's', path => '{tmp_path}')"
    refused(spark, call, "DUCKLAKE_UNSUPPORTED", "s.a: 2 rows in the catalog", "s.b: 1 rows")

    export_schema(spark, "delta", name, tmp_path, ", flush => true")

    for table in ("a", "b"):
        same_in_delta(tmp_path / table, rows_of(lake, table))


def test_what_a_call_may_name(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(lake, "CREATE SCHEMA s", "CREATE SCHEMA t", 'CREATE TABLE t."../x" (id INTEGER)')
    call = f"CALL {name}.system.export_delta"
    invalid = "DUCKLAKE_INVALID_ARGUMENT"

    refused(spark, f"{call}(path => '{tmp_path}')", invalid, "table_name", "is missing")
    refused(spark, f"{call}('t')", invalid, "path", "is missing")
    refused(spark, f"{call}(schema => 's', path => '{tmp_path}')", invalid, "has no tables")
    refused(spark, f"{call}(schema => 't', path => '{tmp_path}/f')", invalid, "`../x`")
    refused(spark, f"{call}(schema => 'u', path => '{tmp_path}')", "SCHEMA_NOT_FOUND", "u")
    assert not list(tmp_path.iterdir())


def test_methods_of_python(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    found = dl.Lake(spark, register(lake, IN_FILES))
    a_schema(lake)

    found.export_delta(None, str(tmp_path / "delta"), schema="s")
    found.export_iceberg(None, str(tmp_path / "iceberg"), schema="s")

    same_in_delta(tmp_path / "delta/a", rows_of(lake, "a"))
    same_in_iceberg(tmp_path / "iceberg/b c", rows_of(lake, "b c"))


def test_after_storage_has_failed_the_next_call_goes_on(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    a_schema(lake)
    (tmp_path / "b c").mkdir()
    obstacle = tmp_path / "b c/_delta_log"
    obstacle.write_text("not a folder")

    call = f"CALL {name}.system.export_delta(schema => 's', path => '{tmp_path}')"
    refused(spark, call, "DUCKLAKE_UNWRITABLE_FILE", "b c")
    same_in_delta(tmp_path / "a", rows_of(lake, "a"))
    assert len(rows(spark, f"SELECT * FROM {name}.system.named_snapshots")) == 1

    obstacle.unlink()
    lines = export_schema(spark, "delta", name, tmp_path)
    assert sorted(lines) == [("unchanged version", "s.a", 0), ("version", "s.b c", 0)]
    same_in_delta(tmp_path / "b c", rows_of(lake, "b c"))
