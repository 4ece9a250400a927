"""`migrate_from_iceberg`: a table of Iceberg becomes one of the lake, its files where they are."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg import types as ice
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.asking import refused
from support.catalogdb import read_catalog
from support.iceberg import IcebergTable, call, catalog, migrate, read_rows
from support.lakes import Lake, LakeFactory
from support.peer import Peer

Register = Callable[..., str]

PLAIN = Schema(
    ice.NestedField(1, "id", ice.LongType(), required=False),
    ice.NestedField(2, "name", ice.StringType(), required=False),
)

TYPES = Schema(
    ice.NestedField(1, "flag", ice.BooleanType(), required=False),
    ice.NestedField(2, "whole", ice.IntegerType(), required=True),
    ice.NestedField(3, "long", ice.LongType(), required=False),
    ice.NestedField(4, "single", ice.FloatType(), required=False),
    ice.NestedField(5, "double", ice.DoubleType(), required=False),
    ice.NestedField(6, "money", ice.DecimalType(12, 3), required=False),
    ice.NestedField(7, "day", ice.DateType(), required=False),
    ice.NestedField(8, "clock", ice.TimeType(), required=False),
    ice.NestedField(9, "local", ice.TimestampType(), required=False),
    ice.NestedField(10, "instant", ice.TimestamptzType(), required=False),
    ice.NestedField(11, "text", ice.StringType(), required=False),
    ice.NestedField(12, "code", ice.UUIDType(), required=False),
    ice.NestedField(13, "bytes", ice.BinaryType(), required=False),
    ice.NestedField(
        14,
        "s",
        ice.StructType(
            ice.NestedField(15, "a", ice.IntegerType(), required=False),
            ice.NestedField(16, "b", ice.StringType(), required=False),
        ),
        required=False,
    ),
    ice.NestedField(17, "l", ice.ListType(18, ice.LongType(), element_required=False)),
    ice.NestedField(
        19,
        "m",
        ice.MapType(20, ice.StringType(), 21, ice.IntegerType(), value_required=False),
    ),
)

VALUES: dict[str, Any] = {
    "flag": True,
    "whole": 7,
    "long": 2**40,
    "single": 0.5,
    "double": -1e300,
    "money": Decimal("123456.789"),
    "day": dt.date(1969, 12, 31),
    "clock": dt.time(1, 2, 3, 4),
    "local": dt.datetime(2020, 2, 29, 23, 59, 59, 999999),
    "instant": dt.datetime(2021, 6, 1, tzinfo=dt.UTC),
    "text": "Ünï",
    "code": uuid.UUID(int=5).bytes,
    "bytes": b"\x00\xff",
    "s": {"a": 1, "b": "x"},
    "l": [1, None, 3],
    "m": [("k", 1), ("n", None)],
}


def same_in_both(spark: SparkSession, lake: Lake, name: str, expected: list[Any]) -> None:
    """Both engines read these rows from table `t`; Spark is asked for their number."""
    assert duckdb_rows(lake) == expected
    assert spark.table(f"{name}.main.t").count() == len(expected)


@pytest.mark.parametrize("form", ["1", "2"])
def test_all_types_and_nulls(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, form: str
) -> None:
    name = register(lake)
    table = catalog(tmp_path).create_table("db.t", TYPES, properties={"format-version": form})
    assert table.format_version == int(form)
    rows = [VALUES, {"whole": 1}]
    table.append(pa.Table.from_pylist(rows, schema_to_pyarrow(table.schema())))

    migrate(spark, name, table.metadata_location)

    same_in_both(spark, lake, name, read_rows(table.metadata_location))


def test_a_dry_run_changes_nothing(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    file = Path(table.append("a", [{"id": 1}, {"id": 2}, {"id": 3}]))
    table.delete("d", [(str(file), 1)])
    size = (tmp_path / "ice/data/d.parquet").stat().st_size
    before = read_catalog(lake).rows("snapshot")

    lines = migrate(spark, name, table.metadata, ", dry_run => true")

    assert lines == [
        ("columns", None, 2, None),
        ("data files", None, 1, file.stat().st_size),
        ("rows before deletes", None, 3, None),
        ("data files with deletes", None, 1, file.stat().st_size),
        ("position delete files", None, 1, size),
    ]
    assert read_catalog(lake).rows("snapshot") == before


def test_files_are_found_by_field_ids_and_need_no_mapping(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """A column is renamed, one is dropped and another takes its name, one is widened, one added."""
    name = register(lake)
    schema = Schema(
        ice.NestedField(1, "a", ice.IntegerType(), required=False),
        ice.NestedField(2, "b", ice.StringType(), required=False),
        ice.NestedField(3, "c", ice.FloatType(), required=False),
        ice.NestedField(4, "last", ice.StringType(), required=False),
    )
    table = catalog(tmp_path).create_table("db.t", schema)
    old = [{"a": 1, "b": "x", "c": 0.1, "last": "gone"}]
    table.append(pa.Table.from_pylist(old, schema_to_pyarrow(table.schema())))
    with table.update_schema() as change:
        change.delete_column("b")
        change.delete_column("last")
    with table.update_schema() as change:
        change.update_column("a", ice.LongType())
        change.rename_column("a", "b")
        change.update_column("c", ice.DoubleType())
    new = [{"b": 2**40, "c": 0.25}]
    table.append(pa.Table.from_pylist(new, schema_to_pyarrow(table.schema())))

    migrate(spark, name, table.metadata_location)

    same_in_both(spark, lake, name, read_rows(table.metadata_location))
    assert {row["mapping_id"] for row in dicts(lake, "data_file")} == {None}


def dicts(lake: Lake, table: str) -> list[dict[str, Any]]:
    """The rows of a metadata table."""
    with Peer(lake) as peer:
        found = peer.connection.execute(f"SELECT * FROM __ducklake_metadata_lake.ducklake_{table}")
        names = [column[0] for column in found.description or []]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_a_new_column_does_not_bring_back_a_dropped_one(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, engine: str
) -> None:
    name = register(lake)
    table = catalog(tmp_path).create_table("db.t", PLAIN)
    table.append(pa.Table.from_pylist([{"id": 1, "name": "x"}], schema_to_pyarrow(table.schema())))
    with table.update_schema() as change:
        change.delete_column("name")
    migrate(spark, name, table.metadata_location)

    if engine == "spark":
        spark.sql(f"ALTER TABLE {name}.main.t ADD COLUMN other STRING")
    else:
        with Peer(lake) as peer:
            peer.run("ALTER TABLE t ADD COLUMN other VARCHAR")

    assert duckdb_rows(lake) == [(1, None)]
    assert [tuple(row) for row in spark.table(f"{name}.main.t").collect()] == [(1, None)]


KEYED = Schema(
    ice.NestedField(1, "id", ice.IntegerType(), required=False),
    ice.NestedField(2, "name", ice.StringType(), required=False),
    ice.NestedField(3, "ts", ice.TimestampType(), required=False),
    ice.NestedField(4, "d", ice.DateType(), required=False),
)
KEYED_ROWS = [
    {
        "id": n,
        "name": f"n{n % 3}" if n % 5 else None,
        "ts": dt.datetime(1969, 11, 30, 22) + dt.timedelta(hours=7 * n) if n % 7 else None,
        "d": dt.date(2020, 2, 20) + dt.timedelta(days=3 * n),
    }
    for n in range(40)
]
MARCH = "SELECT count(*) FROM t WHERE d >= '2020-03-01' AND d < '2020-04-01'"

KEYS = {
    "identity": ("identity", 2, ["name = 'n1'", "name IS NULL", "name > 'n0'"]),
    "bucket": ("bucket[4]", 1, ["id = 3", "id IN (7, 8)"]),
    "bucket of text": ("bucket[3]", 2, ["name = 'n1'"]),
    "bucket of a date": ("bucket[5]", 4, ["d = DATE '2020-02-23'"]),
    "bucket of a time": ("bucket[5]", 3, ["ts = TIMESTAMP '1969-12-01 05:00:00'"]),
    "year": ("year", 3, ["ts < TIMESTAMP '1970-01-01'", "year(ts) = 1969"]),
    "month": ("month", 4, ["d >= DATE '2020-03-01'", "month(d) = 3"]),
    "day": ("day", 4, ["d = DATE '2020-02-23'", "day(d) = 23"]),
    "hour": ("hour", 3, ["ts = TIMESTAMP '1969-12-01 05:00:00'", "hour(ts) = 5"]),
    "truncate": ("truncate[2]", 2, ["name = 'n1'"]),
}


@pytest.mark.parametrize(("version", "form"), [("1.0", 1), ("1.0", 2), ("1.1", 2)])
@pytest.mark.parametrize("key", KEYS)
def test_partitions_prune_and_lose_no_row(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    tmp_path: Path,
    key: str,
    version: str,
    form: int,
) -> None:
    transform, column, filters = KEYS[key]
    lake = lakes.new("sqlite")
    name = register(lake, {"ducklake-version": version, "data-path": lake.data_address})
    field = {"name": "key", "transform": transform, "source-id": column, "field-id": 1000}
    table = IcebergTable(spark, tmp_path / "ice", KEYED, [field], version=form)
    table.append_divided(KEYED_ROWS)

    migrate(spark, name, table.metadata)

    if version == "1.0":
        assert duckdb_rows(lake) == read_rows(table.metadata)
    for condition in filters:
        ours = spark.sql(f"SELECT count(*) FROM {name}.main.t WHERE {condition}").first()
        assert ours is not None
        assert ours[0] == expected_count(table.metadata, condition), condition
        if version == "1.0":
            query = f"SELECT count(*) FROM t WHERE {condition}"
            assert duckdb_rows(lake, query) == [(ours[0],)], condition


def expected_count(metadata: str, condition: str) -> int:
    """The number of rows that DuckDB finds among those that PyIceberg reads."""
    from pyiceberg.table import StaticTable

    from support import peer

    with peer.connect() as connection:
        connection.register("found", StaticTable.from_metadata(metadata).scan().to_arrow())
        row = connection.execute(f"SELECT count(*) FROM found WHERE {condition}").fetchone()
    assert row is not None
    return int(row[0])


def test_files_of_older_keys_have_no_partition(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """A bucket key is left behind: DuckDB would pass over files that have no bucket."""
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", KEYED)
    table.append("old", KEYED_ROWS[:20])
    table.set_key("bucket", "id", 4)
    table.append_divided(KEYED_ROWS[20:])

    lines = migrate(spark, name, table.metadata)

    why = "bucket[4](id): 1 files are older than the key"
    assert ("partition key left behind", why, 1, None) in lines
    same_in_both(spark, lake, name, read_rows(table.metadata))
    assert duckdb_rows(lake, "SELECT count(*) FROM t WHERE id = 3") == [(1,)]


@pytest.mark.parametrize("form", [1, 2])
def test_files_of_older_keys_are_read_beside_those_of_the_key(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, form: int
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", KEYED, version=form)
    table.append("old", KEYED_ROWS[:20])
    table.set_key("month", "d")
    table.append_divided(KEYED_ROWS[20:])

    migrate(spark, name, table.metadata)

    for engine in (
        duckdb_rows(lake, MARCH)[0][0],
        spark.sql(MARCH.replace(" t ", f" {name}.t ")).first()[0],
    ):
        assert engine == expected_count(table.metadata, "d >= '2020-03-01' AND d < '2020-04-01'")


@pytest.mark.parametrize("form", [1, 2])
def test_a_key_that_the_source_has_dropped(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, form: int
) -> None:
    """Format 1 keeps the field of the key, without a value."""
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", KEYED, version=form)
    table.set_key("ref", "name")
    table.append_divided(KEYED_ROWS[:20])
    table.table.updateSpec().removeField("name").commit()
    table.append("new", KEYED_ROWS[20:])

    migrate(spark, name, table.metadata)

    same_in_both(spark, lake, name, read_rows(table.metadata))
    assert duckdb_rows(lake, "SELECT count(*) FROM t WHERE name = 'n1'") == [
        (expected_count(table.metadata, "name = 'n1'"),)
    ]


def test_position_deletes_of_several_files(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    first = table.append("a", [{"id": n} for n in range(5)])
    second = table.append("b", [{"id": n} for n in range(5, 8)])
    third = table.append("c", [{"id": n} for n in range(8, 10)])
    table.delete("d1", [(first, 0), (first, 3), (second, 1), (third, 0)])
    table.delete("d2", [(first, 4), (third, 1)])

    migrate(spark, name, table.metadata)

    same_in_both(spark, lake, name, [(1, None), (2, None), (5, None), (7, None)])
    with Peer(lake) as peer:
        peer.run("DELETE FROM t WHERE id = 2")
    spark.sql(f"DELETE FROM {name}.main.t WHERE id = 7")
    assert duckdb_rows(lake) == [(1, None), (5, None)]


def test_deletion_vectors(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN, version=3)
    first = table.append("a", [{"id": n} for n in range(5)])
    second = table.append("b", [{"id": n} for n in range(5, 8)])
    table.delete_by_vector({first: [0, 4], second: [0, 1, 2]})

    lines = migrate(spark, name, str(table.folder))

    assert ("deletion vectors", 2) in [(line[0], line[2]) for line in lines]
    same_in_both(spark, lake, name, [(1, None), (2, None), (3, None)])


def test_the_change_feed_of_a_move_has_the_rows_that_are_left(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    first = table.append("a", [{"id": n} for n in range(3)])
    table.delete("d", [(first, 1)])

    migrate(spark, name, table.metadata)

    feed = "ducklake_table_changes('lake', 'main', 't', 0, 1)"
    theirs = duckdb_rows(lake, f"SELECT change_type, id FROM {feed} ORDER BY ALL")
    ours = spark.sql(
        f"SELECT change_type, id FROM ducklake_table_changes('{name}', 'main', 't', 0, 1)"
    )
    assert sorted(tuple(row) for row in ours.collect()) == [("insert", 0), ("insert", 2)]
    # DuckDB shows a row that its own commit inserts and deletes as an update of itself, too.
    assert [row for row in theirs if row[0] == "insert"] == [("insert", 0), ("insert", 2)]


FIXED = pa.schema([pa.field("f", pa.binary(4), metadata={"PARQUET:field_id": "3"})])


def test_what_a_lake_has_not_is_listed_and_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    schema = Schema(
        ice.NestedField(1, "id", ice.LongType(), required=False),
        ice.NestedField(
            2, "s", ice.StructType(ice.NestedField(3, "f", ice.FixedType(4), required=False))
        ),
    )
    table = IcebergTable(spark, tmp_path / "ice", schema)
    table.append("a", [{"id": 1, "s": {"f": b"abcd"}}])
    rows = pa.Table.from_arrays([pa.array([b"abcd"], pa.binary(4))], schema=FIXED)
    table.delete_equal("e", rows, [3])

    lines = migrate(spark, name, table.metadata, ", dry_run => true")

    assert [line[1] for line in lines if line[0] == "in the way"] == [
        "column `s.f` has the type fixed[4]",
        "1 data files with equality deletes by the column `s.f` of the type fixed[4]",
    ]
    refused(spark, call(name, table.metadata), "DUCKLAKE_UNSUPPORTED", "equality deletes")


def test_files_with_row_ids_are_written_again(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Files of format 3 that an update has written have their row ids and when they changed.

    DuckDB takes such columns, which it finds by their field ids, for its own.
    """
    row_id = ice.NestedField(2147483540, "_row_id", ice.LongType(), required=False)
    changed = ice.NestedField(
        2147483539, "_last_updated_sequence_number", ice.LongType(), required=False
    )
    table = IcebergTable(spark, tmp_path / "ice", PLAIN, version=3)
    table.append("a", [{"id": 1}, {"id": 2}])
    table.schema = Schema(*PLAIN.fields, row_id, changed)
    own = {"_row_id": 7, "_last_updated_sequence_number": 1000}
    path = table.append("b", [{"id": id, **own} for id in (3, 4, 5)])
    table.delete_by_vector({path: [1]})
    name = register(lake)

    trial = migrate(spark, name, table.metadata, ", dry_run => true")
    migrate(spark, name, table.metadata, ", checksum => true")

    size = Path(path).stat().st_size
    assert ("data files to rewrite", None, 1, size) in trial
    assert duckdb_rows(lake, "FROM t ORDER BY ALL") == [(id, None) for id in (1, 2, 3, 5)]
    assert duckdb_rows(lake, "SELECT count(DISTINCT rowid), max(rowid) < 5 FROM t") == [(4, True)]
    table.append("c", [{"id": 6, **own}])
    table.delete_by_vector({path: [1, 2]})
    assert ("data files to rewrite", 1) in [
        (line[0], line[2]) for line in migrate(spark, name, table.metadata)
    ]
    assert duckdb_rows(lake, "SELECT id FROM t ORDER BY ALL") == [(1,), (2,), (3,), (6,)]
    assert spark.table(f"{name}.main.t").count() == 4


def test_a_file_that_is_not_what_its_table_says_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    path = table.append("a", [{"id": 1}, {"id": 2}])
    pq.write_table(pq.read_table(path).slice(0, 1), path)
    name = register(lake)

    trial = migrate(spark, name, table.metadata, ", dry_run => true")

    (why,) = [line[1] for line in trial if line[0] == "in the way"]
    message = refused(spark, call(name, table.metadata), "DUCKLAKE_CANNOT_ADD_FILE", "1 rows", "2")
    assert why.removeprefix(f"file {path} ") in message


def test_a_file_belongs_to_one_table(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    path = table.append("a", [{"id": 1}])
    migrate(spark, name, table.metadata)

    spark.sql(f"ALTER TABLE {name}.main.t RENAME TO other")

    trial = migrate(spark, name, table.metadata, ", dry_run => true")
    assert trial[-1][:2] == ("in the way", f"file {path} is a file of the lake already")
    refused(spark, call(name, table.metadata), "DUCKLAKE_FILE_ALREADY_REGISTERED")


def test_a_folder_without_metadata(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    refused(spark, call(register(lake), str(tmp_path)), "DUCKLAKE_INVALID_ARGUMENT", "metadata")
