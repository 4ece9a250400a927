"""Files without field ids: names stand for the ids, as Iceberg's name mapping says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg import types as ice
from pyiceberg.schema import Schema
from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.asking import refused
from support.iceberg import IcebergTable, call, migrate, read_rows
from support.lakes import Lake

Register = Callable[..., str]

PLAIN = Schema(ice.NestedField(1, "id", ice.LongType(), required=False))
BARE = pa.schema([("id", pa.int64())])

NAMED = Schema(
    ice.NestedField(1, "id", ice.LongType(), required=False),
    ice.NestedField(2, "name", ice.StringType(), required=False),
    ice.NestedField(3, "gone", ice.StringType(), required=False),
    ice.NestedField(
        4,
        "s",
        ice.StructType(
            ice.NestedField(5, "a", ice.IntegerType(), required=False),
            ice.NestedField(6, "b", ice.ListType(7, ice.StringType(), element_required=False)),
        ),
        required=False,
    ),
    ice.NestedField(
        8,
        "m",
        ice.MapType(
            9,
            ice.StringType(),
            10,
            ice.StructType(ice.NestedField(11, "v", ice.LongType(), required=False)),
            value_required=False,
        ),
        required=False,
    ),
)
NAMED_FILE = pa.schema(
    [
        ("m", pa.map_(pa.string(), pa.struct([("v", pa.int64())]))),
        ("s", pa.struct([("b", pa.list_(pa.string())), ("a", pa.int32())])),
        ("gone", pa.string()),
        ("name", pa.string()),
        ("id", pa.int64()),
    ]
)


def test_names_stand_for_field_ids(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Columns are renamed and dropped after a file without ids came; other files have ids.

    Iceberg gives the name of the dropped column to a new one, for the old file, too.
    """
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", NAMED)
    table.set_name_mapping()
    row = {"id": 1, "name": "x", "gone": "g", "s": {"a": 7, "b": ["p", None]}}
    table.append("bare", [row | {"m": [("k", {"v": 5})]}, {"id": 2, "m": []}], bare=NAMED_FILE)
    change = table.table.updateSchema().renameColumn("name", "title").renameColumn("s.a", "aa")
    change.renameColumn("m.v", "w").deleteColumn("gone").commit()
    table.table.updateSchema().addColumn("gone", table.table.schema().findType("title")).commit()
    table.schema = Schema(
        ice.NestedField(1, "id", ice.LongType(), required=False),
        ice.NestedField(12, "gone", ice.StringType(), required=False),
    )
    table.append("with ids", [{"id": 3, "gone": "new"}])

    migrate(spark, name, table.metadata)

    expected = read_rows(table.metadata)
    assert len(expected) == 3
    assert duckdb_rows(lake) == expected
    mine = spark.sql(f"SELECT id, title, s.aa, s.b[0], m['k'].w, gone FROM {name}.main.t")
    assert sorted(tuple(each) for each in mine.collect()) == [
        (1, "x", 7, "p", 5, "g"),
        (2, None, None, None, None, None),
        (3, None, None, None, None, "new"),
    ]
    mapped = "SELECT count(*), count(mapping_id) FROM __ducklake_metadata_lake.ducklake_data_file"
    assert duckdb_rows(lake, mapped) == [(2, 1)]


def test_equality_deletes_of_files_without_field_ids_are_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.set_name_mapping()
    table.append("a", [{"id": 1}], bare=BARE)
    column = pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"})
    table.delete_equal("e", pa.table([pa.array([1])], pa.schema([column])), [1])

    refused(spark, call(register(lake), table.metadata), "DUCKLAKE_UNREADABLE_FILE", "field ids")


def partitioned_by_a_missing_column(spark: SparkSession, folder: Path) -> IcebergTable:
    """A table whose files lack the column of its key, as files do that come from Hive's folders."""
    schema = Schema(*PLAIN.fields, ice.NestedField(2, "dt", ice.StringType(), required=False))
    key = {"name": "dt", "transform": "identity", "source-id": 2, "field-id": 1000}
    table = IcebergTable(spark, folder, schema, [key])
    table.set_name_mapping()
    table.append("null", [{"id": 2}], table.partition_of(None), bare=BARE)
    return table


@pytest.mark.parametrize("evolves", [True, False])
def test_a_partition_column_that_only_the_metadata_has_is_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, evolves: bool
) -> None:
    """Also when the keys have changed since."""
    table = partitioned_by_a_missing_column(spark, tmp_path / "ice")
    table.append("bare", [{"id": 1}], table.partition_of("x"), bare=BARE)
    if evolves:
        table.set_key("ref", "id")

    refused(
        spark,
        call(register(lake), table.metadata),
        "DUCKLAKE_CANNOT_ADD_FILE",
        "bare.parquet",
        "lacks the column `dt`",
    )


def test_a_partition_of_null_needs_no_column(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = partitioned_by_a_missing_column(spark, tmp_path / "ice")
    migrate(spark, register(lake), table.metadata)
    assert duckdb_rows(lake) == [(2, None)]


def test_without_a_name_mapping_they_are_refused(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("a", [{"id": 1}], bare=BARE)

    refused(spark, call(register(lake), table.metadata), "DUCKLAKE_CANNOT_ADD_FILE", "field id")
