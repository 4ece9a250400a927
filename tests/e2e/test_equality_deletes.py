"""Iceberg's equality deletes become delete files of the lake. Iceberg's own reader is the judge."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg import types as ice
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.iceberg import IcebergTable, migrate, texts
from support.lakes import Lake

Register = Callable[..., str]
Rows = Sequence[Mapping[str, Any]]


def columns(*fields: tuple[int, str, ice.IcebergType]) -> Schema:
    return Schema(*(ice.NestedField(*field, required=False) for field in fields))


LONG, INT, TEXT, DOUBLE = ice.LongType(), ice.IntegerType(), ice.StringType(), ice.DoubleType()
PLAIN = columns((1, "id", LONG), (2, "name", TEXT))


def delete(
    table: IcebergTable, name: str, rows: Rows, schema: Schema, partition: object = None
) -> None:
    """Adds an equality delete file by all columns of the schema."""
    ids = [field.field_id for field in schema.fields]
    arrow = pa.Table.from_pylist(list(rows), schema_to_pyarrow(schema))
    table.delete_equal(name, arrow, ids, partition)


def moved(
    spark: SparkSession, lake: Lake, register: Register, table: IcebergTable
) -> list[tuple[str, ...]]:
    """The rows of the table in the lake by DuckDB, which are those of Iceberg's reader."""
    name = register(lake)
    migrate(spark, name, table.metadata)
    found = texts(duckdb_rows(lake, "SELECT * FROM t"))
    assert found == table.rows()
    assert texts(spark.table(f"{name}.main.t").collect()) == found
    return found


def test_a_delete_is_about_older_files(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("a", [{"id": 1, "name": "x"}, {"id": 2, "name": None}, {"id": None}])
    delete(table, "d", [{"id": 1}, {"id": None}], columns((1, "id", LONG)))
    table.append("b", [{"id": 1, "name": "new"}])
    delete(table, "e", [{"id": 5}], columns((1, "id", LONG)))

    assert moved(spark, lake, register, table) == [("1", "new"), ("2", "~")]


def test_several_sets_of_columns_and_other_deletes(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """All deletes of a file are one delete file. A file without rows left does not move."""
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    rows = [{"id": n, "name": f"n{n % 3}"} for n in range(8)]
    file = table.append("a", rows)
    table.append("b", rows[:2])
    delete(table, "c", [{"id": 1, "name": "n2"}, {"id": 2, "name": "n2"}], PLAIN)
    delete(table, "d", [{"name": "n0"}], columns((2, "name", TEXT)))
    delete(table, "e", [{"id": 1}], columns((1, "id", LONG)))
    table.delete("p", [(file, 4), (file, 0)])

    assert moved(spark, lake, register, table) == [("5", "n2"), ("7", "n1")]
    files = "SELECT * FROM ducklake_list_files('lake', 't')"
    assert len(duckdb_rows(lake, files)) == 1


def test_deletion_vectors_beside_them(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = IcebergTable(spark, tmp_path / "ice", PLAIN, version=3)
    file = table.append("a", [{"id": n, "name": "x"} for n in range(5)])
    table.delete_by_vector({file: [0, 3]})
    delete(table, "d", [{"id": 3}, {"id": 4}], columns((1, "id", LONG)))

    assert moved(spark, lake, register, table) == [("1", "x"), ("2", "x")]


def test_columns_that_changed(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """A file is older than the column, or has it with a narrower type or another name."""
    old = columns((1, "id", INT), (2, "f", ice.FloatType()), (3, "gone", TEXT))
    table = IcebergTable(spark, tmp_path / "ice", old)
    table.append("a", [{"id": n, "f": n / 10, "gone": f"g{n}"} for n in range(6)])
    delete(table, "d", [{"gone": "g5"}], columns((3, "gone", TEXT)))
    change = table.table.updateSchema().updateColumn("id", _kind(table, "Long"))
    change = change.updateColumn("f", _kind(table, "Double")).renameColumn("f", "double")
    change.deleteColumn("gone").addColumn("added", _kind(table, "String")).commit()
    table.schema = columns((1, "id", LONG), (2, "double", DOUBLE), (4, "added", TEXT))
    table.append("b", [{"id": 1, "double": 0.3, "added": "x"}, {"id": 4}])
    delete(table, "e", [{"id": 1}], columns((1, "id", LONG)))
    delete(table, "g", [{"double": 0.3}], columns((2, "double", DOUBLE)))
    delete(table, "h", [{"id": 4, "added": None}], columns((1, "id", LONG), (4, "added", TEXT)))
    name = register(lake)

    migrate(spark, name, table.metadata)

    # The text of a float as a double is 0.30000001192092896, and no row has g5 any more.
    left = [(0, 0.0, None), (2, pytest.approx(0.2), None), (3, pytest.approx(0.3), None)]
    assert duckdb_rows(lake) == left
    assert spark.table(f"{name}.main.t").count() == 3


def _kind(table: IcebergTable, name: str) -> object:
    """A type of Iceberg."""
    return getattr(table._iceberg.types.Types, f"{name}Type").get()


def test_partitions(spark: SparkSession, lake: Lake, register: Register, tmp_path: Path) -> None:
    """A delete of a partition, one of another partition, and one without a partition."""
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.set_key("ref", "name")
    for name in "xyz":
        rows = [{"id": n, "name": name} for n in range(4)]
        table.append(name, rows, table.partition_of(name))
    by_id = columns((1, "id", LONG))
    delete(table, "d", [{"id": 0}], by_id, table.partition_of("x"))
    delete(table, "e", [{"id": 1}], by_id, table.partition_of("y"))
    delete(table, "f", [{"id": 2}], by_id)

    found = moved(spark, lake, register, table)

    assert found == texts([(1, "x"), (3, "x"), (0, "y"), (3, "y"), (0, "z"), (1, "z"), (3, "z")])


TYPED = columns(
    (1, "id", LONG),
    (2, "flag", ice.BooleanType()),
    (3, "number", DOUBLE),
    (4, "money", ice.DecimalType(20, 2)),
    (5, "day", ice.DateType()),
    (6, "at", ice.TimestampType()),
    (7, "name", TEXT),
    (8, "row", LONG),
)
VALUES: dict[str, list[Any]] = {
    "id": [0, 1, 2, 3, None],
    "flag": [True, False, None],
    "number": [0.0, -0.0, float("nan"), 1.5, None],
    "money": [None, 0, 1, -3],
    "day": [dt.date(1969, 12, 31), dt.date(2024, 2, 29), None],
    "at": [dt.datetime(1969, 12, 31, 23, 59, 59, 1), None],
    "name": ["", "Ünï", None],
}


@pytest.mark.parametrize("seed", range(2))
def test_random_histories(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, seed: int
) -> None:
    """Rows are added, and deleted by random sets of columns."""
    dice = random.Random(seed)
    table = IcebergTable(spark, tmp_path / "ice", TYPED, version=2 + seed % 2)
    flat = Schema(*TYPED.fields[:-1])
    for step in range(12):
        if step % 3 == 0 or dice.random() < 0.3:
            some = [
                {name: dice.choice(values) for name, values in VALUES.items()}
                | {"row": step * 100 + number}
                for number in range(40)
            ]
            table.append(f"f{step}", some)
        else:
            chosen = sorted(dice.sample(range(7), dice.choice([1, 2, 3])))
            schema = Schema(*(flat.fields[place] for place in chosen))
            rows = [
                {field.name: dice.choice(VALUES[field.name]) for field in schema.fields}
                for _ in range(2)
            ]
            delete(table, f"d{step}", rows, schema)
    name = register(lake)

    migrate(spark, name, table.metadata)

    left = [row[-1] for row in table.rows()]
    assert left
    assert [row[-1] for row in texts(duckdb_rows(lake, "SELECT row FROM t"))] == sorted(left)
    assert spark.table(f"{name}.main.t").count() == len(left)
