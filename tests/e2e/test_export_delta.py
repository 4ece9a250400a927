"""`export_delta`: a snapshot of a table for readers of Delta, over the same data files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ducklake_spark as dl
import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.exported import (
    delta_actions,
    export,
    lake_rows,
    same_in_delta,
)
from support.lakes import IN_FILES, Lake
from support.peer import Peer, literal, made

Register = Callable[..., str]

TYPES = """CREATE TABLE t (
    flag BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INTEGER, i64 BIGINT,
    u8 UTINYINT, u16 USMALLINT, u32 UINTEGER, u64 UBIGINT, single FLOAT, double DOUBLE,
    small DECIMAL(9, 2), big DECIMAL(30, 3), day DATE, local TIMESTAMP, millis TIMESTAMP_MS,
    seconds TIMESTAMP_S, instant TIMESTAMPTZ, text VARCHAR, doc JSON, bytes BLOB,
    "odd, name;" INTEGER, s STRUCT(a INTEGER, b STRUCT(c VARCHAR)), l STRUCT(x INTEGER)[],
    m MAP(VARCHAR, STRUCT(y BIGINT)))"""

VALUES = """INSERT INTO t VALUES
    (true, -128, -32768, -1, 9223372036854775807, 255, 65535, 4294967295, 18446744073709551615,
     0.5, -1e300, 1234567.89, 123456789012345678901234567.125, '1969-12-31',
     '2020-02-29 23:59:59.999999', '2020-01-01 00:00:00.123', '2020-01-01 00:00:01',
     '2021-06-01 00:00:00+00', 'Ünï ''q''', '{"a": 1}', '\\x00\\xFF', 7,
     {'a': 1, 'b': {'c': 'x'}}, [{'x': 1}, NULL], MAP {'k': {'y': 5}}),
    (false, 127, 32767, 1, 0, 0, 0, 0, 0, -0.5, 0.0, 0, 0, '9999-12-31',
     '1900-01-01 00:00:00', NULL, NULL, NULL, '', NULL, '', NULL, {'a': NULL, 'b': NULL},
     [], MAP {})"""


def test_all_types_and_nulls(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    nulls = f"INSERT INTO t VALUES ({', '.join(['NULL'] * 25)})"
    made(lake, TYPES, VALUES, nulls)

    lines = export(spark, "delta", register(lake), tmp_path)

    same_in_delta(tmp_path, lake_rows(lake))
    assert lines["version"] == (None, 0, None)
    assert lines["files added"][1] == 2


def test_versions_follow_the_lake(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    steps = [
        "CREATE TABLE t AS SELECT i AS id, 'n' || i AS name FROM range(1000) r(i)",
        "DELETE FROM t WHERE id % 7 = 3",
        "UPDATE t SET name = 'u' || id WHERE id % 11 = 5",
        "ALTER TABLE t ADD COLUMN more INTEGER",
        "INSERT INTO t SELECT i, 'late', i FROM range(5000, 5010) r(i)",
        "DELETE FROM t WHERE id < 900",
        "ALTER TABLE t DROP COLUMN name",
        "TRUNCATE t",
    ]
    expected = []
    for version, step in enumerate(steps):
        made(lake, step)
        assert export(spark, "delta", name, tmp_path)["version"][1] == version
        expected.append(lake_rows(lake))
    for version, found in enumerate(expected):
        same_in_delta(tmp_path, found, version)


def test_a_snapshot_that_is_shown_makes_no_version(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(lake, "CREATE TABLE t AS SELECT 1 AS id FROM range(20)", "DELETE FROM t WHERE rowid < 5")
    export(spark, "delta", name, tmp_path)
    files = sorted(tmp_path.rglob("*"))
    made(lake, "CREATE TABLE other (id INTEGER)")

    again = export(spark, "delta", name, tmp_path)

    assert again["unchanged version"][1] == 0
    assert sorted(tmp_path.rglob("*")) == files
    names = rows(spark, f"SELECT * FROM {name}.system.named_snapshots")
    assert len(names) == 1


def test_an_old_snapshot_by_id_and_by_name(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    first = made(lake, "CREATE TABLE t AS SELECT 1 AS id FROM range(20)")
    made(lake, "DELETE FROM t WHERE rowid < 5", "INSERT INTO t VALUES (5)")
    spark.sql(f"CALL {name}.system.keep_snapshot('start', {first})")

    export(spark, "delta", name, tmp_path)
    export(spark, "delta", name, tmp_path, ", version => 'start'")

    same_in_delta(tmp_path, lake_rows(lake), 0)
    same_in_delta(tmp_path, lake_rows(lake, first), 1)
    assert export(spark, "delta", name, tmp_path, f", version => '{first}'")["unchanged version"]


def test_files_below_the_folder_are_relative(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (p VARCHAR, id INTEGER)",
        "ALTER TABLE t SET PARTITIONED BY (p)",
        "INSERT INTO t VALUES ('a b%/é', 1), (NULL, 2)",
    )
    folder = lake.data_path / "main/t"

    export(spark, "delta", register(lake), folder)

    same_in_delta(folder, lake_rows(lake))
    added = delta_actions(folder, 0)["add"]
    assert sorted(action["path"][:2] for action in added) == ["p=", "p="]


def test_renamed_columns_are_refused_or_found_by_id(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(
        lake,
        "CREATE TABLE t AS SELECT 1 AS a, 2 AS b FROM range(20)",
        "ALTER TABLE t RENAME COLUMN a TO c",
    )
    export(spark, "delta", name, tmp_path)
    same_in_delta(tmp_path, lake_rows(lake))
    made(lake, "INSERT INTO t VALUES (3, 4)")
    call = f"CALL {name}.system.export_delta('t', '{tmp_path}'"

    refused(spark, f"{call})", "DUCKLAKE_UNSUPPORTED", "`c` has several names in files: a, c")
    spark.sql(f"{call}, column_mapping => 'id')")

    settings = delta_actions(tmp_path, 1)["metaData"][0]["configuration"]
    assert settings["delta.columnMapping.mode"] == "id"


def test_a_name_that_another_column_had(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    made(
        lake,
        "CREATE TABLE t AS SELECT 1 AS a, 2 AS b FROM range(20)",
        "ALTER TABLE t DROP COLUMN a",
        "ALTER TABLE t ADD COLUMN a INTEGER",
    )

    export(spark, "delta", name, tmp_path)

    same_in_delta(tmp_path, lake_rows(lake))
    made(lake, "INSERT INTO t VALUES (3, 4)")
    call = f"CALL {name}.system.export_delta('t', '{tmp_path}')"
    refused(spark, call, "DUCKLAKE_UNSUPPORTED", "another column has the name `a` in files")


def test_a_column_renamed_in_the_transaction_that_wrote_its_file(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(
        lake,
        "BEGIN",
        "CREATE TABLE t AS SELECT i AS a FROM range(20) r(i)",
        "ALTER TABLE t RENAME COLUMN a TO b",
        "COMMIT",
    )

    export(spark, "delta", register(lake), tmp_path)

    same_in_delta(tmp_path, lake_rows(lake))


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ("UUID", "uuid"),
        ("TIME", "time"),
        ("INTERVAL", "interval"),
        ("HUGEINT", "int128"),
        ("TIMESTAMP_NS", "timestamp_ns"),
    ],
)
def test_types_that_delta_does_not_have(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, declared: str, shown: str
) -> None:
    made(lake, f"CREATE TABLE t (id INTEGER, s STRUCT(x {declared}))")
    name = register(lake)

    lines = export(spark, "delta", name, tmp_path, ", dry_run => true")

    assert lines["in the way"][0] == f"column `s.x` has the type {shown}"
    call = f"CALL {name}.system.export_delta('t', '{tmp_path}')"
    refused(spark, call, "DUCKLAKE_UNSUPPORTED", f"`s.x` has the type {shown}")
    assert list(tmp_path.iterdir()) == []


def test_rows_in_the_catalog_are_flushed_when_asked(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(lake, "CREATE TABLE t (id INTEGER)", "INSERT INTO t VALUES (1), (2)", limit=10)
    name = register(lake)
    call = f"CALL {name}.system.export_delta('t', '{tmp_path}'"

    refused(spark, f"{call})", "DUCKLAKE_UNSUPPORTED", "2 rows in the catalog")
    planned = rows(spark, f"{call}, dry_run => true, flush => true)")
    assert ("rows to flush", "main.t", 2, None) in planned
    assert "in the way" not in {line[0] for line in planned}
    spark.sql(f"{call}, flush => true)")

    same_in_delta(tmp_path, [(1,), (2,)])


def test_deletes_in_the_catalog(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(
        lake,
        "CREATE TABLE t AS SELECT i AS id FROM range(100) r(i)",
        "DELETE FROM t WHERE id IN (3, 97)",
        limit=10,
    )

    export(spark, "delta", register(lake), tmp_path)

    same_in_delta(tmp_path, lake_rows(lake))


def test_a_default_of_older_files_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(
        lake,
        "CREATE TABLE t AS SELECT 1 AS id FROM range(20)",
        "ALTER TABLE t ADD COLUMN extra INTEGER DEFAULT 5",
    )
    name = register(lake, IN_FILES)
    call = f"CALL {name}.system.export_delta('t', '{tmp_path}')"

    refused(spark, call, "DUCKLAKE_UNSUPPORTED", "`extra` has a default for the rows of 1 older")
    made(lake, "CREATE TABLE u AS SELECT * FROM t", "DELETE FROM t", "INSERT INTO t FROM u")
    spark.sql(call)

    same_in_delta(tmp_path, lake_rows(lake))


def test_added_fields_and_nested_parts(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INTEGER, s STRUCT(a INTEGER), l STRUCT(x INTEGER)[])",
        "INSERT INTO t VALUES (1, {'a': 1}, [{'x': 1}]), (2, NULL, NULL)",
        "ALTER TABLE t ADD COLUMN s.b VARCHAR",
        "ALTER TABLE t ADD COLUMN l.element.y INTEGER",
        "INSERT INTO t VALUES (3, {'a': 2, 'b': 'z'}, [{'x': 2, 'y': 9}])",
        "ALTER TABLE t ADD COLUMN s.c INTEGER",
        "ALTER TABLE t DROP COLUMN s.b",
    )

    export(spark, "delta", register(lake), tmp_path)

    same_in_delta(tmp_path, lake_rows(lake))


def test_a_folder_of_another_table_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    made(lake, "CREATE TABLE t (id INTEGER)", "CREATE TABLE u (id INTEGER)")
    spark.sql(f"CALL {name}.system.export_delta('u', '{tmp_path}')")
    before = sorted(tmp_path.rglob("*"))

    call = f"CALL {name}.system.export_delta('t', '{tmp_path}')"

    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "version 0 no export of main.t wrote")
    (tmp_path / "_delta_log/_last_checkpoint").write_text("{}")
    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "version 0 no export of main.t wrote")
    (tmp_path / "_delta_log/_last_checkpoint").unlink()
    assert sorted(tmp_path.rglob("*")) == before


def test_statistics_prune_and_are_exact(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INTEGER, name VARCHAR, x DOUBLE, ts TIMESTAMP)",
        "INSERT INTO t VALUES (1, 'a', 'nan', '2020-01-01 00:00:00.000001'), (9, NULL, 1, NULL)",
    )

    export(spark, "delta", register(lake), tmp_path)

    (added,) = delta_actions(tmp_path, 0)["add"]
    assert added["stats"] == (
        '{"numRecords":2,"minValues":{"id":1,"name":"a","ts":"2020-01-01T00:00:00.000"},'
        '"maxValues":{"id":9,"name":"a","ts":"2020-01-01T00:00:00.001"},'
        '"nullCount":{"id":0,"name":1,"x":0,"ts":1},"tightBounds":true}'
    )


def test_bounds_of_long_texts_are_not_shown(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """The lake cuts them, so they are no values."""
    made(
        lake,
        "CREATE TABLE t (id INTEGER, low VARCHAR, high VARCHAR)",
        "INSERT INTO t VALUES (1, repeat('a', 300), 'x'), (2, 'b', repeat('y', 300))",
    )

    export(spark, "delta", register(lake), tmp_path)

    (added,) = delta_actions(tmp_path, 0)["add"]
    assert added["stats"] == (
        '{"numRecords":2,"minValues":{"id":1},"maxValues":{"id":2},'
        '"nullCount":{"id":0,"low":0,"high":0},"tightBounds":true}'
    )


def test_cleanup_keeps_files_of_exported_snapshots(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(
        lake,
        "CREATE TABLE t (id INTEGER)",
        "INSERT INTO t VALUES (1)",
        "INSERT INTO t VALUES (2)",
    )
    expected = lake_rows(lake)
    kept, _, _ = export(spark, "delta", name, tmp_path)["kept as"]
    spark.sql(f"CALL {name}.system.merge_adjacent_files('t')")
    spark.sql(f"CALL {name}.system.expire_snapshots(older_than => now())")

    cleanup = f"CALL {name}.system.cleanup_old_files(cleanup_all => true)"

    assert rows(spark, cleanup) == []
    same_in_delta(tmp_path, expected)
    spark.sql(f"CALL {name}.system.release_snapshot({literal(kept)})")
    assert len(rows(spark, cleanup)) == 2


def test_older_names_are_released_when_asked(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake, IN_FILES)
    made(lake, "CREATE TABLE t (id INTEGER)")
    for number in range(4):
        made(lake, f"INSERT INTO t VALUES ({number})")
        export(spark, "delta", name, tmp_path, ", keep_versions => 2" if number == 3 else "")

    names = rows(spark, f"SELECT snapshot_id FROM {name}.system.named_snapshots")

    with Peer(lake) as peer:
        head = peer.head()
    assert sorted(names) == [(head - 1,), (head,)]


@pytest.mark.parametrize("count", [0, 3000000000])
def test_numbers_of_versions_that_nobody_has(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, count: int
) -> None:
    made(lake, "CREATE TABLE t (id INTEGER)")
    path = literal(str(tmp_path))
    call = f"CALL {register(lake)}.system.export_delta('t', {path}, keep_versions => {count})"

    refused(spark, call, "DUCKLAKE_INVALID_ARGUMENT", "keep_versions", "between 1 and 2147483647")


@pytest.mark.parametrize("spelling", ["{}//", "{}/./", "{}/../{name}", "file://{}", "file:/{}//"])
def test_a_folder_has_one_name_in_all_spellings(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, spelling: str
) -> None:
    name = register(lake, IN_FILES)
    made(lake, "CREATE TABLE t AS SELECT 1 AS id")
    kept = export(spark, "delta", name, tmp_path)["kept as"]
    made(lake, "INSERT INTO t VALUES (2)")
    path = spelling.format(tmp_path, name=tmp_path.name)

    again = export(spark, "delta", name, path, ", keep_versions => 1")

    assert again["version"][1] == 1
    names = rows(spark, f"SELECT name FROM {name}.system.named_snapshots")
    assert names == [(again["kept as"][0],)]
    assert kept[0].rsplit(".", 1)[0] == again["kept as"][0].rsplit(".", 1)[0]
    same_in_delta(tmp_path, lake_rows(lake))


def test_methods_of_python(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    first = made(lake, "CREATE TABLE t AS SELECT i AS id FROM range(20) r(i)")
    made(lake, "DELETE FROM t WHERE id < 5")
    found = dl.Lake(spark, register(lake))

    found.export_delta("t", str(tmp_path / "a"), version=first)
    found.table("t").export_delta(str(tmp_path / "b"), keep_versions=1)
    lines = found.table("t").export_iceberg(str(tmp_path / "c"), dry_run=True).collect()

    same_in_delta(tmp_path / "a", lake_rows(lake, first))
    same_in_delta(tmp_path / "b", lake_rows(lake))
    assert [line.what for line in lines] == [
        "snapshot",
        "version",
        "data files",
        "data files with deletes",
    ]
