"""`checksum => true` of moves: both readers must read the same rows, or nothing happens."""

from __future__ import annotations

import datetime as dt
import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg import types as ice
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyspark.sql import SparkSession

from e2e.test_migrate_from_delta import MOVED
from e2e.test_migrate_from_iceberg import PLAIN, TYPES, VALUES
from support import iceberg
from support.adding import duckdb_rows
from support.asking import refused
from support.catalogdb import read_catalog
from support.deltalog import append, commit, write_table
from support.deltasources import DeltaSources
from support.iceberg import IcebergTable, catalog
from support.lakes import Lake
from support.lines import READ_SOURCES, before, since
from support.moving import bytes_below
from support.peer import literal

Register = Callable[..., str]
CHECKED = ", checksum => true"


@pytest.fixture
def shifted(spark: SparkSession) -> Iterator[None]:
    """Spark reads old days as if a Spark before 3.0 had written them."""
    key = "spark.sql.parquet.datetimeRebaseModeInRead"
    spark.conf.set(key, "LEGACY")
    yield
    spark.conf.unset(key)


def call(lake: str, kind: str, source: object, options: str = CHECKED) -> str:
    """The statement that moves a table of a format to table `t`."""
    return f"CALL {lake}.system.migrate_from_{kind}({literal(str(source))}, 't'{options})"


def checked(spark: SparkSession, statement: str) -> tuple[int, str]:
    """The number of rows that a move has compared, and their checksum."""
    lines = [tuple(row) for row in spark.sql(statement).collect()]
    ((_, checksum, count, _),) = [line for line in lines if line[0] == "checksum"]
    return count, checksum


def unchanged(lake: Lake, before: list[Any]) -> None:
    """The lake has no new snapshot, and no file was left in its folder."""
    assert read_catalog(lake).rows("snapshot") == before
    assert list(Path(lake.data_path).rglob("*.parquet")) == []


def double(bits: int) -> float:
    """The number with these bits."""
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


NANS = [double(0x7FF8000000000000), double(0xFFF8000000000123)]
ODD = [
    {"whole": 2, "single": -0.0, "double": -0.0, "text": "", "bytes": b"", "l": [], "m": []},
    {"whole": 3, "single": 0.0, "double": NANS[0], "text": None, "l": [None], "s": {"a": None}},
    {"whole": 4, "single": float("inf"), "double": NANS[1], "l": None, "s": None},
    {"whole": 5, "day": dt.date(1, 1, 1), "local": dt.datetime(1, 1, 1)},
    {"whole": 5, "day": dt.date(9999, 12, 31), "local": dt.datetime(9999, 12, 31, 23, 59, 59)},
]


@since(READ_SOURCES)
def test_all_types_of_iceberg(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = catalog(tmp_path).create_table("db.t", TYPES)
    shape = schema_to_pyarrow(table.schema())
    table.append(pa.Table.from_pylist([VALUES, {"whole": 1}], shape))
    table.append(pa.Table.from_pylist(ODD, shape))

    count, checksum = checked(spark, call(name, "iceberg", table.metadata_location))

    assert (count, len(checksum)) == (7, 32)
    assert len(duckdb_rows(lake)) == 7


def test_all_deletes_of_iceberg(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name = register(lake)
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    first = table.append("a", [{"id": n, "name": f"n{n}"} for n in range(5)])
    table.append("b", [{"id": n} for n in range(5, 8)])
    table.delete("d", [(first, 0), (first, 3)])
    ids = pa.schema([pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"})])
    table.delete_equal("e", pa.Table.from_pylist([{"id": 6}], ids), [1])

    first_count, first_sum = checked(spark, call(name, "iceberg", table.folder))
    table.append("c", [{"id": 9}])
    table.delete("f", [(first, 1)])
    later_count, later_sum = checked(spark, call(name, "iceberg", table.folder))
    nothing = checked(spark, call(name, "iceberg", table.folder))

    assert (first_count, later_count) == (5, 5)
    assert first_sum != later_sum
    assert nothing == (later_count, later_sum)
    assert [row[0] for row in duckdb_rows(lake)] == [2, 4, 5, 7, 9]


@since(READ_SOURCES)
@pytest.mark.parametrize("table", MOVED)
def test_tables_of_delta(
    spark: SparkSession, lake: Lake, register: Register, deltas: DeltaSources, table: str
) -> None:
    name = register(lake)

    count, _ = checked(spark, call(name, "delta", deltas.table(table)))

    assert count == spark.read.parquet(str(Path(deltas.expected(table)).parent)).count()


@since(READ_SOURCES)
def test_a_table_of_delta_that_is_followed(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name, source = register(lake), tmp_path / "delta"
    write_table(source, [1, 2, 3])

    first = checked(spark, call(name, "delta", source))
    append(source, 1, [4])
    later = checked(spark, call(name, "delta", source))

    assert (first[0], later[0]) == (3, 4)
    assert duckdb_rows(lake) == [(1,), (2,), (3,), (4,)]


@before(READ_SOURCES)
@pytest.mark.parametrize(
    ("table", "options"), [("checkpointed", ""), ("types", CHECKED)], ids=["checkpoint", "checksum"]
)
def test_what_the_library_of_delta_cannot_read_is_refused(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    deltas: DeltaSources,
    table: str,
    options: str,
) -> None:
    name, there = register(lake), read_catalog(lake).rows("snapshot")

    move = call(name, "delta", deltas.table(table), options)

    refused(spark, move, "DUCKLAKE_UNSUPPORTED", "migrate_from_delta", "Spark 4.1")
    unchanged(lake, there)


def test_files_of_parquet(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    name, source = register(lake), tmp_path / "in"
    spark.sql(
        "SELECT id, IF(id = 1, '', NULL) AS text, IF(id = 1, -0.0D, double('NaN')) AS number, "
        "ARRAY(NAMED_STRUCT('x', id), NULL) AS l, MAP('k', id) AS m, id % 2 AS p, "
        "TIMESTAMP'1969-12-31 23:59:59.5' AS at FROM RANGE(4)"
    ).write.partitionBy("p").parquet(str(source))

    assert checked(spark, call(name, "parquet", source))[0] == 4


KEYED = Schema(
    ice.NestedField(1, "id", ice.LongType(), required=False),
    ice.NestedField(2, "p", ice.StringType(), required=False),
)


class WithoutStatistics(IcebergTable):
    """A table whose files say nothing about their values."""

    def _written(self, path: str, rows: pa.Table) -> pa.Table:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, path, write_statistics=False)
        return rows


def test_a_value_that_only_icebergs_metadata_has(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Iceberg's reader believes a partition value, the lake the column of the file."""
    name = register(lake)
    key = {"source-id": 2, "field-id": 1000, "name": "p", "transform": "identity"}
    table = WithoutStatistics(spark, tmp_path / "ice", KEYED, [key])
    partition = table.partition_of("a")
    table.append("a", [{"id": 1, "p": "b"}, {"id": 2, "p": "b"}], partition)
    ids = pa.schema([pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"})])
    table.delete_equal("e", pa.Table.from_pylist([{"id": 2}], ids), [1], partition)
    snapshots, files = read_catalog(lake).rows("snapshot"), bytes_below(str(table.folder))

    message = refused(
        spark, call(name, "iceberg", table.folder), "DUCKLAKE_CANNOT_ADD_FILE", "1 rows with"
    )

    assert len(set(word for word in message.split() if len(word.strip(".,")) == 32)) == 2
    unchanged(lake, snapshots)
    assert bytes_below(str(table.folder)) == files
    assert not spark.catalog.tableExists(f"{name}.main.t")


@since(READ_SOURCES)
def test_a_value_that_only_deltas_log_has(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """Delta's reader believes the log, the lake the column of the file."""
    name, source = register(lake), tmp_path / "delta"
    write_table(source, [1])
    log = source / "_delta_log" / f"{0:020}.json"
    protocol, metadata, _ = map(json.loads, log.read_text().splitlines())
    fields = [
        {"name": each, "type": kind, "nullable": True, "metadata": {}}
        for each, kind in (("id", "long"), ("p", "string"))
    ]
    metadata["metaData"]["schemaString"] = json.dumps({"type": "struct", "fields": fields})
    metadata["metaData"]["partitionColumns"] = ["p"]
    file = source / "a.parquet"
    pq.write_table(pa.table({"id": [1, 2], "p": ["b", "b"]}), file, write_statistics=False)
    added = {"path": "a.parquet", "partitionValues": {"p": "a"}, "modificationTime": 0}
    size = {"size": file.stat().st_size, "dataChange": True}
    commit(source, 0, protocol, metadata, {"add": {**added, **size}})
    snapshots = read_catalog(lake).rows("snapshot")

    refused(spark, call(name, "delta", source), "DUCKLAKE_CANNOT_ADD_FILE", "2 rows")

    unchanged(lake, snapshots)


def test_days_that_spark_shifts(
    spark: SparkSession, lake: Lake, register: Register, shifted: None, tmp_path: Path
) -> None:
    name, source = register(lake), tmp_path / "in"
    source.mkdir()
    pq.write_table(pa.table({"d": [dt.date(1500, 1, 1)]}), source / "a.parquet")
    snapshots = read_catalog(lake).rows("snapshot")

    refused(spark, call(name, "parquet", source), "DUCKLAKE_CANNOT_ADD_FILE", "1 rows")

    unchanged(lake, snapshots)
    spark.sql(call(name, "parquet", source, ""))
    assert duckdb_rows(lake) == [(dt.date(1500, 1, 1),)]


@pytest.mark.parametrize("other", ["dry_run", "history"])
def test_a_checksum_is_of_a_move_of_one_version(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path, other: str
) -> None:
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)
    table.append("a", [{"id": 1}])
    both = CHECKED + f", {other} => true"

    refused(
        spark,
        call(register(lake), "iceberg", table.metadata, both),
        "DUCKLAKE_INVALID_ARGUMENT",
        "checksum",
    )


def test_a_table_without_rows(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = IcebergTable(spark, tmp_path / "ice", PLAIN)

    assert checked(spark, iceberg.call(register(lake), table.metadata, CHECKED)) == (0, "0" * 32)
