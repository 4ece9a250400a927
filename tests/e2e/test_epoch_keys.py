"""Partition keys that count from 1970: folders, values, files that filters read, overwrites."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support import adding
from support.asking import column, refused, rows
from support.catalogdb import execute, read_catalog
from support.lakes import IN_FILES, Lake, LakeFactory
from support.lines import LIKE, since
from support.peer import Peer
from support.raising import lower_to_10, raise_to_11

Register = Callable[..., str]

OFFSETS = ("1969-12-31 22:30:00", "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00")
STAMPS = (*OFFSETS, "2020-02-29 12:00:00", "2020-02-29 13:00:00", "0001-01-01 00:00:00")
VALUES = ", ".join(f"({n}, TIMESTAMP '{stamp}')" for n, stamp in enumerate(STAMPS))

# By DuckDB 2.0.0: date_diff(unit, DATE '1970-01-01', stamp).
PARTITIONS = {
    "year": {"-1": [0, 1], "0": [2], "50": [3, 4], "-1969": [5]},
    "month": {"-1": [0, 1], "0": [2], "601": [3, 4], "-23628": [5]},
    "day": {"-1": [0, 1], "0": [2], "18321": [3, 4], "-719162": [5]},
    "hour": {"-2": [0], "-1": [1], "0": [2], "439716": [3], "439717": [4], "-17259888": [5]},
}


@pytest.fixture
def zone(spark: SparkSession) -> Callable[[str], None]:
    """Sets the session's time zone; it is UTC again afterwards."""

    def set_zone(name: str) -> None:
        spark.conf.set("spark.sql.session.timeZone", name)

    yield set_zone  # type: ignore[misc]
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def lake_by(lakes: LakeFactory, unit: str, kind: str = "TIMESTAMP") -> Lake:
    """A lake with the empty table `t`, which has a key that DuckDB 1.5.5 does not know."""
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t (id INTEGER, ts {kind})")
        peer.run(f"ALTER TABLE t SET PARTITIONED BY ({unit}(ts))")
    execute(lake, f"UPDATE ducklake_partition_column SET transform = 'epoch_{unit}'")
    return lake


def values(lake: Lake) -> dict[str, str | None]:
    """The partition value of each live data file by its path."""
    catalog = read_catalog(lake)
    texts = {row["data_file_id"]: row for row in catalog.rows("file_partition_value")}
    return {
        str(row["path"]): texts[row["data_file_id"]]["partition_value"]
        for row in catalog.rows("data_file")
        if row["end_snapshot"] is None
    }


def keys_of(lake: Lake, name: str) -> list[tuple[str, str]]:
    """The present partition keys of a table: transform and column."""
    catalog = read_catalog(lake)
    (table,) = {r["table_id"] for r in catalog.rows("table") if r["table_name"] == name}
    columns = {
        r["column_id"]: r["column_name"] for r in catalog.rows("column") if r["table_id"] == table
    }
    live = {r["partition_id"] for r in catalog.rows("partition_info") if r["end_snapshot"] is None}
    found = [r for r in catalog.rows("partition_column") if r["table_id"] == table]
    found.sort(key=lambda r: r["partition_key_index"])
    return [(r["transform"], columns[r["column_id"]]) for r in found if r["partition_id"] in live]


def without_keys_and_lowered(lake: Lake) -> None:
    """Make it a lake of 1.0 without partition keys, for DuckDB 1.5.5 knows none of these."""
    tables = ("partition_info", "partition_column", "file_partition_value")
    forget = [f"DELETE FROM ducklake_{table}" for table in tables]
    execute(lake, *forget, "UPDATE ducklake_data_file SET partition_id = NULL")
    lower_to_10(lake)


@pytest.mark.parametrize("unit", PARTITIONS)
@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMPTZ"])
def test_rows_are_put_by_their_ordinal(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    zone: Callable[[str], None],
    unit: str,
    kind: str,
) -> None:
    lake = lake_by(lakes, unit, kind)
    table = f"{register(lake, IN_FILES)}.t"
    zone("America/New_York")
    suffix, shown = ("Z", "TIMESTAMP") if kind == "TIMESTAMPTZ" else ("", "TIMESTAMP_NTZ")
    texts = ", ".join(f"({n}, '{stamp}{suffix}')" for n, stamp in enumerate(STAMPS))

    spark.sql(
        f"INSERT INTO {table} SELECT id, CAST(ts AS {shown}) "
        f"FROM VALUES {texts}, (6, CAST(NULL AS STRING)) AS v(id, ts)"
    )

    wanted = {text: ids for text, ids in PARTITIONS[unit].items()}
    found: dict[str | None, list[int]] = {}
    for path, text in values(lake).items():
        folder = text if text is not None else "__HIVE_DEFAULT_PARTITION__"
        assert path.startswith(f"epoch_{unit}={folder}/")
        found[text] = column(spark, f"SELECT id FROM {table} WHERE filename LIKE '%{path}'")
    assert found == {**wanted, None: [6]}


def test_a_filter_reads_the_files_of_its_range_only(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lake_by(lakes, "day")
    table = f"{register(lake, IN_FILES)}.t"
    spark.sql(
        f"INSERT INTO {table} SELECT id, CAST(ts AS TIMESTAMP_NTZ) FROM VALUES {VALUES} v(id, ts)"
    )
    for file in lake.data_path.rglob("*.parquet"):
        if "epoch_day=18321" not in str(file):
            file.write_bytes(b"no Parquet file")

    where = "ts >= TIMESTAMP_NTZ '2020-02-29 12:30:00' AND ts < TIMESTAMP_NTZ '2020-03-01 00:00:00'"
    assert rows(spark, f"SELECT id FROM {table} WHERE {where}") == [(4,)]


def test_partitions_are_replaced_and_deleted(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lake_by(lakes, "month")
    table = f"{register(lake, IN_FILES)}.t"
    spark.sql(
        f"INSERT INTO {table} SELECT id, CAST(ts AS TIMESTAMP_NTZ) FROM VALUES {VALUES} v(id, ts)"
    )

    spark.sql("SELECT 10 AS id, TIMESTAMP_NTZ '1969-12-01 00:00:00' AS ts").writeTo(
        table
    ).overwritePartitions()
    assert column(spark, f"SELECT id FROM {table}") == [2, 3, 4, 5, 10]
    spark.sql(
        f"INSERT INTO {table} REPLACE WHERE ts >= TIMESTAMP_NTZ '2020-02-01 00:00:00' "
        "SELECT 11, TIMESTAMP_NTZ '2020-02-03 00:00:00'"
    )
    assert column(spark, f"SELECT id FROM {table}") == [2, 5, 10, 11]
    spark.sql(f"DELETE FROM {table} WHERE ts < TIMESTAMP_NTZ '1970-01-01 00:00:00'")
    assert column(spark, f"SELECT id FROM {table}") == [2, 11]
    assert set(values(lake).values()) == {"0", "601"}


def test_files_are_registered_by_path_and_by_proof(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lake_by(lakes, "month", "DATE")
    catalog = register(lake)
    folder = lake.data_path.parent / "other"
    row = "SELECT 1 AS id, DATE '2024-02-10' AS ts"
    by_path = adding.parquet(folder / "epoch_month=649" / "a.parquet", row)
    proven = adding.parquet(folder / "b.parquet", f"{row} UNION ALL SELECT 2, DATE '2024-02-29'")
    wrong = adding.parquet(folder / "epoch_month=650" / "c.parquet", row)
    mixed = adding.parquet(folder / "d.parquet", f"{row} UNION ALL SELECT 2, DATE '2024-03-01'")

    for path in (by_path, proven):
        adding.add_by_spark(spark, catalog, path)
    for path in (wrong, mixed):
        call = f"CALL {catalog}.system.add_data_files('t', '{path}')"
        refused(spark, call, "DUCKLAKE_CANNOT_ADD_FILE", "epoch_month")

    assert sorted(values(lake).values(), key=str) == ["649", "649"]


@since(LIKE)
def test_joins_of_tables_with_the_same_periods_need_no_shuffle(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lake_by(lakes, "day")
    raise_to_11(lake)
    catalog = register(lake, IN_FILES)
    spark.sql(f"CREATE TABLE {catalog}.u LIKE {catalog}.t")
    days = ("'2020-01-01 10:00'", "'2020-01-01 11:00'", "'2020-01-03 10:00'", "NULL")
    for name in ("t", "u"):
        texts = ", ".join(f"({n}, {day})" for n, day in enumerate(days))
        spark.sql(
            f"INSERT INTO {catalog}.{name} SELECT id, CAST(ts AS TIMESTAMP_NTZ) "
            f"FROM VALUES {texts} v(id, ts)"
        )
    query = f"SELECT t.id, u.id FROM {catalog}.t JOIN {catalog}.u ON t.ts = u.ts"
    names = {
        "spark.sql.sources.v2.bucketing.enabled": "true",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }
    for name, setting in names.items():
        spark.conf.set(name, setting)
    try:
        frame = spark.sql(query)
        found = sorted(tuple(row) for row in frame.collect())
        plan = frame._jdf.queryExecution().executedPlan().toString()
    finally:
        for name in names:
            spark.conf.unset(name)

    assert found == [(0, 0), (1, 1), (2, 2)]
    assert "Exchange" not in plan


def test_keys_are_shown_by_their_own_names(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lake_by(lakes, "day")
    table = f"{register(lake)}.t"

    described = [tuple(row)[:2] for row in spark.sql(f"DESCRIBE EXTENDED {table}").collect()]
    (created,) = (row[0] for row in spark.sql(f"SHOW CREATE TABLE {table}").collect())

    assert ("Part 0", "epoch_day(ts)") in described
    assert "PARTITIONED BY (epoch_day(ts))" in created


def test_lakes_of_version_1_0_get_keys_of_the_calendar(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE u (ts TIMESTAMP)")
    catalog = register(lake)

    spark.sql(f"CREATE TABLE {catalog}.t (ts TIMESTAMP_NTZ) PARTITIONED BY (days(ts))")
    create = f"CREATE TABLE {catalog}.v (ts TIMESTAMP_NTZ) PARTITIONED BY (epoch_day(ts))"
    refused(spark, create, "DUCKLAKE_UNSUPPORTED", "epoch_day(ts)", "1.0")
    alter = f"ALTER TABLE {catalog}.u SET PARTITIONED BY (epoch_day(ts))"
    refused(spark, alter, "DUCKLAKE_UNSUPPORTED", "epoch_day(ts)", "1.0")

    keys = [row["transform"] for row in read_catalog(lake).rows("partition_column")]
    assert keys == ["year", "month", "day"]


@since(LIKE)
def test_a_copy_of_a_table_brings_no_such_keys_into_a_lake_of_1_0(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    newer, lake = lakes.new("sqlite"), lakes.new("sqlite")
    source = register(newer, {"ducklake-version": "1.1"})
    catalog = register(lake, {"data-path": lake.data_address})
    spark.sql(f"CREATE TABLE {source}.t (ts TIMESTAMP_NTZ) PARTITIONED BY (days(ts))")
    spark.sql(f"CREATE TABLE {source}.plain (ts TIMESTAMP_NTZ) PARTITIONED BY (day(ts))")

    like = f"CREATE TABLE {catalog}.u LIKE {source}.t"
    refused(spark, like, "DUCKLAKE_UNSUPPORTED", "epoch_day", "1.0")
    spark.sql(f"CREATE TABLE {catalog}.v LIKE {source}.plain")
    spark.sql(f"CREATE TABLE {catalog}.w AS SELECT * FROM {source}.t")

    with Peer(lake) as peer:
        assert peer.rows("SHOW TABLES") == [("v",), ("w",)]


KEYS = {
    "t": [("epoch_month", "ts")],
    "u": [("epoch_day", "ts")],
    "v": [("epoch_hour", "ts"), ("identity", "id")],
}
"""The partition keys of each table: transform and column."""


def test_keys_are_set_from_spark_and_hold_for_all_rows(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        for name in "uv":
            peer.run(f"CREATE TABLE {name} (id INTEGER, ts TIMESTAMP)")
            peer.run(f"INSERT INTO {name} VALUES (100, NULL), (101, '2020-02-29 12:30:00')")
    raise_to_11(lake)
    c = register(lake, IN_FILES)

    spark.sql(f"CREATE TABLE {c}.t (id INT, ts TIMESTAMP_NTZ) PARTITIONED BY (months(ts))")
    spark.sql(f"ALTER TABLE {c}.u SET PARTITIONED BY (epoch_day(ts))")
    spark.sql(f"CALL {c}.system.set_partitioned_by('v', array('epoch_hour(ts)', 'id'))")
    spark.sql(f"INSERT INTO {c}.t VALUES (100, NULL), (101, TIMESTAMP_NTZ '2020-02-29 12:30:00')")
    for name in "tuv":
        spark.sql(
            f"INSERT INTO {c}.{name} SELECT id, CAST(ts AS TIMESTAMP_NTZ) "
            f"FROM VALUES {VALUES} v(id, ts)"
        )
        spark.sql(f"UPDATE {c}.{name} SET ts = ts + INTERVAL '1' HOUR WHERE id IN (1, 4, 101)")
        spark.sql(f"DELETE FROM {c}.{name} WHERE ts = TIMESTAMP_NTZ '1970-01-01 00:00:00'")
        spark.sql(
            f"MERGE INTO {c}.{name} t USING (SELECT 3 AS id, TIMESTAMP_NTZ '1969-12-31' AS ts "
            "UNION ALL SELECT 7, NULL) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * "
            "WHEN NOT MATCHED THEN INSERT *"
        )
        spark.sql(f"CALL {c}.system.merge_adjacent_files('{name}')")

    expected = [
        (0, "1969-12-31 22:30:00"),
        (1, "1970-01-01 00:59:59.999999"),
        (3, "1969-12-31 00:00:00"),
        (4, "2020-02-29 14:00:00"),
        (5, "0001-01-01 00:00:00"),
        (7, None),
        (100, None),
        (101, "2020-02-29 13:30:00"),
    ]
    for name, keys in KEYS.items():
        read = f"SELECT id, CAST(ts AS STRING) FROM {c}.{name} ORDER BY id"
        assert rows(spark, read) == expected
        assert keys_of(lake, name) == keys
        early = f"SELECT id FROM {c}.{name} WHERE ts < TIMESTAMP_NTZ '1970-01-01' ORDER BY id"
        assert rows(spark, early) == [(0,), (3,), (5,)]
    spark.sql(f"ALTER TABLE {c}.u SET PARTITIONED BY (years(ts))")
    assert keys_of(lake, "u") == [("epoch_year", "ts")]
    spark.sql(f"CALL {c}.system.reset_partitioned_by('v')")
    assert keys_of(lake, "v") == []
    without_keys_and_lowered(lake)
    with Peer(lake) as peer:
        for name in KEYS:
            assert peer.rows(f"SELECT id, ts::VARCHAR FROM {name} ORDER BY id") == expected
