"""`export_iceberg`: a snapshot of a table for readers of Iceberg, over the same data files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyiceberg.table import StaticTable
from pyspark.sql import SparkSession

from support import peer as duckdb_peer
from support.asking import refused, rows
from support.exported import (
    delete_files,
    export,
    iceberg_by_duckdb,
    lake_rows,
    same_in_iceberg,
)
from support.lakes import IN_FILES, Lake
from support.peer import literal, made

Register = Callable[..., str]

TYPES = """CREATE TABLE t (
    flag BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INTEGER, i64 BIGINT, single FLOAT, double DOUBLE,
    small DECIMAL(9, 2), big DECIMAL(30, 3), day DATE, clock TIME, local TIMESTAMP,
    millis TIMESTAMP_MS, seconds TIMESTAMP_S, instant TIMESTAMPTZ, text VARCHAR, doc JSON,
    bytes BLOB, code UUID, "odd, name;" INTEGER, s STRUCT(a INTEGER, b STRUCT(c VARCHAR)),
    l INTEGER[],
    m MAP(VARCHAR, BIGINT))"""

VALUES = """INSERT INTO t VALUES
    (true, -128, -32768, -1, 9223372036854775807, 0.5, -1e300, 1234567.89,
     123456789012345678901234567.125, '1969-12-31', '01:02:03.000004',
     '2020-02-29 23:59:59.999999', '2020-01-01 00:00:00.123', '2020-01-01 00:00:01',
     '2021-06-01 00:00:00+00',
     'Ünï ''q''', '{"a": 1}', '\\x00\\xFF', '00000000-0000-0000-0000-000000000005', 7,
     {'a': 1, 'b': {'c': 'x'}}, [1, NULL], MAP {'k': 5}),
    (false, 127, 32767, 1, 0, -0.5, 0.0, 0, 0, '9999-12-31', '00:00:00', '1900-01-01 00:00:00',
     NULL, NULL, NULL, '', NULL, '', NULL, NULL, {'a': NULL, 'b': NULL}, [], MAP {})"""


def test_all_types_and_nulls(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    nulls = f"INSERT INTO t VALUES ({', '.join(['NULL'] * 23)})"
    made(lake, TYPES, VALUES, nulls)

    lines = export(spark, "iceberg", register(lake), tmp_path)

    same_in_iceberg(tmp_path, lake_rows(lake))
    assert lines["version"] == (None, 1, None)
    assert lines["files added"][1] == 2


@pytest.mark.parametrize(
    ("more", "kind_of_deletes"), [("", ".parquet"), (", format_version => 3", ".puffin")]
)
def test_versions_follow_the_lake(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    tmp_path: Path,
    more: str,
    kind_of_deletes: str,
) -> None:
    name = register(lake, IN_FILES)
    steps = [
        "CREATE TABLE t AS SELECT i::INTEGER AS id, 'n' || i AS name FROM range(1000) r(i)",
        "DELETE FROM t WHERE id % 7 = 3",
        "UPDATE t SET name = 'u' || id WHERE id % 11 = 5",
        "ALTER TABLE t ADD COLUMN more INTEGER",
        "INSERT INTO t SELECT i, 'late', i FROM range(5000, 5010) r(i)",
        "ALTER TABLE t RENAME COLUMN more TO less",
        "INSERT INTO t SELECT i, 'later', i FROM range(6000, 6010) r(i)",
        "ALTER TABLE t ALTER COLUMN id SET DATA TYPE BIGINT",
        "DELETE FROM t WHERE id < 900",
        "ALTER TABLE t DROP COLUMN name",
        "ALTER TABLE t ADD COLUMN name VARCHAR",
        "TRUNCATE t",
    ]
    expected = []
    for version, step in enumerate(steps, 1):
        made(lake, step)
        assert export(spark, "iceberg", name, tmp_path, more)["version"][1] == version
        expected.append(lake_rows(lake))
    for version, found in enumerate(expected, 1):
        same_in_iceberg(tmp_path, found, version)
    assert set(delete_files(tmp_path)) == {kind_of_deletes}


def test_the_folder_alone_is_enough_for_duckdb(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t AS SELECT i AS id FROM range(20) r(i)")

    export(spark, "iceberg", register(lake), tmp_path)

    with duckdb_peer.connect("avro", "iceberg") as connection:
        found = connection.execute(f"FROM iceberg_scan({literal(str(tmp_path))}) ORDER BY ALL")
        assert found.fetchall() == lake_rows(lake)


def test_a_snapshot_that_is_shown_makes_no_version(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(lake, "CREATE TABLE t AS SELECT 1 AS id FROM range(20)", "DELETE FROM t WHERE rowid < 5")
    export(spark, "iceberg", name, tmp_path)
    files = sorted(tmp_path.rglob("*"))
    made(lake, "CREATE TABLE other (id INTEGER)")

    again = export(spark, "iceberg", name, tmp_path)

    assert again["unchanged version"][1] == 1
    assert sorted(tmp_path.rglob("*")) == files
    assert len(rows(spark, f"SELECT * FROM {name}.system.named_snapshots")) == 1


@pytest.mark.parametrize("left", ["1", None])
def test_a_hint_that_a_call_left_behind_is_written(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, left: str | None
) -> None:
    """A call may end between the metadata and the hint by which readers find them."""
    name = register(lake, IN_FILES)
    hint = tmp_path / "metadata/version-hint.text"
    made(lake, "CREATE TABLE t AS SELECT 1 AS id")
    export(spark, "iceberg", name, tmp_path)
    made(lake, "INSERT INTO t VALUES (2)")
    export(spark, "iceberg", name, tmp_path)
    hint.unlink()
    if left:
        hint.write_text(left)

    again = export(spark, "iceberg", name, tmp_path)

    assert again["unchanged version"][1] == 2
    assert hint.read_text() == "2"
    assert iceberg_by_duckdb(tmp_path) == lake_rows(lake)


def test_a_refusal_after_a_flush_says_what_was_not_written(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INTEGER, d INTERVAL)",
        "INSERT INTO t VALUES (1, NULL)",
        limit=10,
    )
    call = f"CALL {register(lake)}.system.export_iceberg('t', '{tmp_path}', flush => true)"

    message = refused(spark, call, "DUCKLAKE_UNSUPPORTED", "No version was written")

    assert "Nothing was written" not in message
    assert list(lake.data_path.rglob("*.parquet")) != []


def test_bounds_of_long_texts_are_not_shown(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """The lake cuts them, so they are no values."""
    made(
        lake,
        "CREATE TABLE t (id INTEGER, long VARCHAR, short VARCHAR)",
        "INSERT INTO t VALUES (1, repeat('a', 300), 'x'), (2, 'b', 'y')",
    )

    export(spark, "iceberg", register(lake), tmp_path)

    table = StaticTable.from_metadata(str(tmp_path / "metadata/v1.metadata.json"))
    (file,) = table.inspect.files().to_pylist()
    found = file["readable_metrics"]
    assert (found["short"]["lower_bound"], found["short"]["upper_bound"]) == ("x", "y")
    assert (found["long"]["lower_bound"], found["long"]["upper_bound"]) == (None, None)
    assert len(list(table.scan("long = 'b'").plan_files())) == 1


def test_deletes_that_stay_are_not_written_again(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(
        lake,
        "CREATE TABLE t AS SELECT i AS id FROM range(20) r(i)",
        "INSERT INTO t SELECT i FROM range(100, 120) r(i)",
        "DELETE FROM t WHERE id = 5",
        "DELETE FROM t WHERE id = 105",
    )
    export(spark, "iceberg", name, tmp_path)
    before = set((tmp_path / "data").glob("*.parquet"))
    made(lake, "DELETE FROM t WHERE id = 106")

    export(spark, "iceberg", name, tmp_path)

    same_in_iceberg(tmp_path, lake_rows(lake))
    assert len(before) == 2
    assert len(set((tmp_path / "data").glob("*.parquet")) - before) == 1


def test_partitioned_tables_are_shown_without_keys(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(
        lake,
        "CREATE TABLE t (p VARCHAR, id INTEGER)",
        "ALTER TABLE t SET PARTITIONED BY (p)",
        "INSERT INTO t VALUES ('a b%/é', 1), (NULL, 2)",
        "DELETE FROM t WHERE id = 2",
        "INSERT INTO t VALUES ('a b%/é', 3), ('a b%/é', 4)",
        "DELETE FROM t WHERE id = 4",
    )

    export(spark, "iceberg", register(lake), tmp_path)

    same_in_iceberg(tmp_path, lake_rows(lake))


@pytest.mark.parametrize(
    ("declared", "shown"),
    [("UINTEGER", "uint32"), ("INTERVAL", "interval"), ("TIMESTAMP_NS", "timestamp_ns")],
)
def test_types_that_iceberg_does_not_have(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, declared: str, shown: str
) -> None:
    made(lake, f"CREATE TABLE t (id INTEGER, s STRUCT(x {declared}))")
    name = register(lake)

    lines = export(spark, "iceberg", name, tmp_path, ", dry_run => true")

    assert lines["in the way"][0] == f"column `s.x` has the type {shown}"
    call = f"CALL {name}.system.export_iceberg('t', '{tmp_path}')"
    refused(spark, call, "DUCKLAKE_UNSUPPORTED", f"`s.x` has the type {shown}")
    assert list(tmp_path.iterdir()) == []


def test_types_that_became_others(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(
        lake,
        "CREATE TABLE t (a INTEGER, b FLOAT, c DECIMAL(5, 2))",
        "INSERT INTO t VALUES (1, 0.5, 1.25)",
        "ALTER TABLE t ALTER COLUMN a SET DATA TYPE BIGINT",
        "ALTER TABLE t ALTER COLUMN b SET DATA TYPE DOUBLE",
        "ALTER TABLE t ALTER COLUMN c SET DATA TYPE DECIMAL(10, 2)",
    )
    export(spark, "iceberg", name, tmp_path)
    same_in_iceberg(tmp_path, lake_rows(lake))
    made(lake, "ALTER TABLE t ALTER COLUMN a SET DATA TYPE DOUBLE")

    call = f"CALL {name}.system.export_iceberg('t', '{tmp_path}')"

    refused(spark, call, "DUCKLAKE_UNSUPPORTED", "column `a` has the type int32 in files")


def test_filters_find_what_statistics_allow(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INTEGER, name VARCHAR, x DOUBLE)",
        "INSERT INTO t VALUES (1, 'a', 'nan'), (9, NULL, 1)",
        "INSERT INTO t VALUES (11, 'zz', 5), (19, 'b', 7)",
    )

    export(spark, "iceberg", register(lake), tmp_path)

    table = StaticTable.from_metadata(str(tmp_path / "metadata/v1.metadata.json"))
    assert table.scan("id = 19").to_arrow().to_pylist() == [{"id": 19, "name": "b", "x": 7.0}]
    assert len(list(table.scan("id > 10").plan_files())) == 1
    assert len(list(table.scan("x > 6").plan_files())) == 2
    assert len(list(table.scan("name is null").plan_files())) == 1


def test_a_folder_of_another_table_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    made(lake, "CREATE TABLE t (id INTEGER)", "CREATE TABLE u (id INTEGER)")
    spark.sql(f"CALL {name}.system.export_iceberg('u', '{tmp_path}')")
    call = f"CALL {name}.system.export_iceberg('t', '{tmp_path}')"

    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "is not an export of main.t")
    assert iceberg_by_duckdb(tmp_path) == []
