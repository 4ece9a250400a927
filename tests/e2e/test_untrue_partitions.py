"""Partition values that are not those of the rows.

A lake as DuckDB's `iceberg_to_ducklake` leaves it has Iceberg's ordinals under `year`, `month`,
`day` and `hour`, and other writers spell values in their own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import SparkSession

from support.adding import duckdb_rows
from support.asking import column, rows
from support.catalogdb import execute, read_catalog
from support.lakes import IN_FILES, Lake, LakeFactory
from support.lines import LIKE, since
from support.peer import Peer, made

Register = Callable[..., str]
pytestmark = pytest.mark.damages("partition values that are not those of the rows")
MODE = "spark.sql.sources.partitionOverwriteMode"

STAMPS = {
    1: "1970-01-01 05:30:00",
    2: "1970-06-12 12:00:00",
    3: "2023-12-31 23:00:00",
    4: "2024-01-01 00:00:00",
    5: "2024-06-15 12:34:56",
}
EPOCH = "TIMESTAMP '1970-01-01'"
"""Iceberg's ordinals, as DuckDB computes them."""
ORDINALS = {
    unit: f"date_diff('{unit}', {EPOCH}, (ts AT TIME ZONE 'UTC')::TIMESTAMP)"
    for unit in ("year", "month", "day", "hour")
}
UNITS = {
    "year": ("year",),
    "month": ("month",),
    "day": ("day",),
    "hour": ("hour",),
    "all": ("year", "month", "day", "hour"),
}
WHERE = [
    "ts >= '2024-01-01'",
    "ts < '1971-01-01'",
    "ts = '2024-06-15 12:34:56'",
    "ts BETWEEN '2023-12-31' AND '2024-01-01'",
    "ts IS NULL",
    "ts <> '2024-01-01'",
]


@pytest.fixture
def dynamic(spark: SparkSession) -> Iterator[None]:
    spark.conf.set(MODE, "dynamic")
    yield
    spark.conf.unset(MODE)


@pytest.fixture
def bucketing(spark: SparkSession) -> Iterator[None]:
    settings = {
        "spark.sql.sources.v2.bucketing.enabled": "true",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }
    for key, value in settings.items():
        spark.conf.set(key, value)
    yield
    for key in settings:
        spark.conf.unset(key)


def from_iceberg(lake: Lake, units: tuple[str, ...], kind: str = "TIMESTAMP") -> None:
    """Table `t` with a file for each row, and Iceberg's ordinals as partition values."""
    keys = ", ".join(f"{unit}(ts)" for unit in units)
    inserts = [f"INSERT INTO t VALUES ({n}, '{stamp}')" for n, stamp in STAMPS.items()]
    made(
        lake,
        f"CREATE TABLE t (id INT, ts {kind})",
        f"ALTER TABLE t SET PARTITIONED BY ({keys})",
        *inserts,
    )
    files = sorted(row["data_file_id"] for row in read_catalog(lake).rows("data_file"))
    for key, unit in enumerate(units):
        ordinals = duckdb_rows(lake, f"SELECT {ORDINALS[unit]} FROM t ORDER BY id")
        for file, (ordinal,) in zip(files, ordinals, strict=True):
            execute(
                lake,
                f"UPDATE ducklake_file_partition_value SET partition_value = '{ordinal}' "
                f"WHERE data_file_id = {file} AND partition_key_index = {key}",
            )


@pytest.mark.every_database
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("kind_of_time", ["TIMESTAMP", "TIMESTAMPTZ"])
def test_filters_find_rows_of_a_lake_that_came_from_iceberg(
    spark: SparkSession, lake: Lake, register: Register, units: str, kind_of_time: str
) -> None:
    from_iceberg(lake, UNITS[units], kind_of_time)
    catalog = register(lake)

    for condition in WHERE:
        query = f"SELECT id FROM {{}} WHERE {condition} ORDER BY id"
        expected = duckdb_rows(lake, query.format("t"))
        assert rows(spark, query.format(f"{catalog}.t")) == expected, condition


@pytest.mark.parametrize("units", UNITS)
def test_statements_change_the_rows_of_such_a_lake(
    spark: SparkSession, lake: Lake, register: Register, units: str
) -> None:
    from_iceberg(lake, UNITS[units])
    table = f"{register(lake, IN_FILES)}.t"

    spark.sql(f"UPDATE {table} SET id = id + 10 WHERE ts >= TIMESTAMP_NTZ '2024-01-01 00:00:00'")
    assert duckdb_rows(lake, "SELECT id FROM t ORDER BY id") == [(1,), (2,), (3,), (14,), (15,)]
    spark.sql(f"DELETE FROM {table} WHERE ts < TIMESTAMP_NTZ '1970-02-01 00:00:00'")
    assert duckdb_rows(lake, "SELECT id FROM t ORDER BY id") == [(2,), (3,), (14,), (15,)]
    spark.sql(
        f"INSERT INTO {table} REPLACE WHERE ts >= TIMESTAMP_NTZ '2024-06-01 00:00:00' "
        "SELECT 20, TIMESTAMP_NTZ '2024-07-01 00:00:00'"
    )
    assert duckdb_rows(lake, "SELECT id FROM t ORDER BY id") == [(2,), (3,), (14,), (20,)]


@pytest.mark.parametrize(
    ("keys", "stamp", "left"),
    [
        (1, "2024-03-01 00:00:00", [1, 2, 3, 9]),
        (1, "1970-03-01 00:00:00", [3, 4, 5, 9]),
        (2, "1970-06-01 00:00:00", [1, 3, 4, 5, 9]),
        (3, "2024-01-01 05:00:00", [1, 2, 3, 5, 9]),
        (4, "2024-06-15 12:00:00", [1, 2, 3, 4, 9]),
    ],
)
def test_a_partition_is_replaced_by_its_rows(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    dynamic: None,
    keys: int,
    stamp: str,
    left: list[int],
) -> None:
    from_iceberg(lake, UNITS["all"][:keys])
    table = f"{register(lake, IN_FILES)}.t"

    spark.sql(f"INSERT OVERWRITE {table} VALUES (9, TIMESTAMP_NTZ '{stamp}')")

    assert [n for (n,) in duckdb_rows(lake, "SELECT id FROM t ORDER BY id")] == left


def test_ordinals_of_another_period_end_no_file(
    spark: SparkSession, lake: Lake, register: Register, dynamic: None
) -> None:
    """The ordinals of June 1970 are 0 and 5, as if it were May of the year 0."""
    from_iceberg(lake, ("year", "month"))
    table = f"{register(lake, IN_FILES)}.t"

    spark.sql(f"INSERT OVERWRITE {table} VALUES (9, TIMESTAMP_NTZ '0000-05-05 00:00:00')")

    with Peer(lake) as peer:
        assert peer.rows("SELECT id FROM t ORDER BY id") == [(1,), (2,), (3,), (4,), (5,), (9,)]


def test_a_merge_gives_its_files_the_values_of_their_rows(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    from_iceberg(lake, ("year",))
    catalog = register(lake)

    spark.sql(f"CALL {catalog}.system.merge_adjacent_files('t')").collect()

    partitions = column(spark, f"SELECT partition['year(ts)'] FROM {catalog}.t.partitions")
    assert partitions == ["1970", "2023", "2024"]
    stored = {
        row["data_file_id"]: row["partition_value"]
        for row in read_catalog(lake).rows("file_partition_value")
    }
    assert sorted(stored.values()) == ["1970", "2024", "53"]
    made(lake, "CALL ducklake_merge_adjacent_files('lake', 't')")
    for condition in WHERE:
        query = f"SELECT id FROM {{}} WHERE {condition} ORDER BY id"
        expected = duckdb_rows(lake, query.format("t"))
        assert rows(spark, query.format(f"{catalog}.t")) == expected, condition


def test_the_table_of_partitions_shows_true_values(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    from_iceberg(lake, ("year", "month"))
    catalog = register(lake)

    shown = rows(
        spark,
        "SELECT partition['year(ts)'], partition['month(ts)'], record_count "
        f"FROM {catalog}.t.partitions ORDER BY ALL",
    )

    assert shown == [
        ("1970", "1", 1),
        ("1970", "6", 1),
        ("2023", "12", 1),
        ("2024", "1", 1),
        ("2024", "6", 1),
    ]


SPELLINGS = {
    "DATE": ("2024-01-01", "2024-02-01", "2024-1-1"),
    "BOOLEAN": ("true", "false", "TRUE"),
    "INTEGER": ("1000", "7", "1e3"),
    "DECIMAL(9,2)": ("1.50", "2.00", "1.5"),
    "DOUBLE": ("1.0", "2.5", "1"),
    "UUID": (
        "aaaaaaaa-0000-0000-0000-000000000001",
        "aaaaaaaa-0000-0000-0000-000000000002",
        "AAAAAAAA-0000-0000-0000-000000000001",
    ),
    "VARCHAR": ("x", "y", "X"),
    "TIMESTAMP": ("2024-01-01 00:00:00", "2024-01-02 00:00:00", "2024-01-01T00:00:00Z"),
}
"""A value, another one, and a spelling of the first that others may use."""


def spelled(lake: Lake, kind: str) -> tuple[str, str]:
    value, other, spelling = SPELLINGS[kind]
    made(
        lake,
        f"CREATE TABLE t (id INT, p {kind})",
        "ALTER TABLE t SET PARTITIONED BY (p)",
        f"INSERT INTO t VALUES (1, '{value}')",
        f"INSERT INTO t VALUES (2, '{other}')",
        "INSERT INTO t VALUES (3, NULL)",
    )
    first = min(row["data_file_id"] for row in read_catalog(lake).rows("data_file"))
    execute(
        lake,
        f"UPDATE ducklake_file_partition_value SET partition_value = '{spelling}' "
        f"WHERE data_file_id = {first}",
    )
    return value, other


@since(LIKE)
@pytest.mark.parametrize("kind_of_key", SPELLINGS)
def test_values_that_others_spell_are_read_replaced_and_joined(
    spark: SparkSession,
    lakes: LakeFactory,
    register: Register,
    bucketing: None,
    dynamic: None,
    kind_of_key: str,
) -> None:
    lake = lakes.new("sqlite")
    value, _ = spelled(lake, kind_of_key)
    catalog = register(lake, IN_FILES)
    t = f"{catalog}.t"

    shown = f"CAST({{}} AS {'TIMESTAMP_NTZ' if kind_of_key == 'TIMESTAMP' else 'STRING'})"
    typed = shown.format(f"'{value}'")
    assert rows(spark, f"SELECT id FROM {t} WHERE p = {typed}") == [(1,)]
    spark.sql(f"CREATE TABLE {catalog}.u LIKE {t}")
    spark.sql(f"INSERT INTO {catalog}.u SELECT id + 10, p FROM {t}")
    joined = rows(spark, f"SELECT t.id, u.id FROM {t} t JOIN {catalog}.u u ON t.p = u.p ORDER BY 1")
    assert joined == [(1, 11), (2, 12)]

    spark.sql(f"INSERT OVERWRITE {t} SELECT 9, p FROM {t} WHERE id = 1")
    assert duckdb_rows(lake, "SELECT id FROM t ORDER BY id") == [(2,), (3,), (9,)]
    spark.sql(f"DELETE FROM {t} WHERE p IS NULL")
    assert duckdb_rows(lake, "SELECT id FROM t ORDER BY id") == [(2,), (9,)]


@pytest.mark.parametrize("stored", ["7", "99", "-1", "x"])
def test_buckets_of_another_hash_lose_no_rows(
    spark: SparkSession, lakes: LakeFactory, register: Register, bucketing: None, stored: str
) -> None:
    """DuckDB finds such rows by ranges only, because it believes every bucket."""
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (i INT)",
        "ALTER TABLE t SET PARTITIONED BY (bucket(4, i))",
        "INSERT INTO t FROM range(8)",
    )
    execute(lake, f"UPDATE ducklake_file_partition_value SET partition_value = '{stored}'")
    catalog = register(lake, IN_FILES)

    assert rows(spark, f"SELECT count(*) FROM {catalog}.t WHERE i IN (0, 1, 2)") == [(3,)]
    assert duckdb_rows(lake, "SELECT count(*) FROM t WHERE i < 3") == [(3,)]
    spark.sql(f"CREATE TABLE {catalog}.u (j INT) PARTITIONED BY (bucket(4, j))")
    spark.sql(f"INSERT INTO {catalog}.u SELECT i FROM {catalog}.t")
    joined = rows(spark, f"SELECT count(*) FROM {catalog}.t JOIN {catalog}.u ON i = j")
    assert joined == [(8,)]


def test_true_buckets_leave_out_files(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (i INT)",
        "ALTER TABLE t SET PARTITIONED BY (bucket(4, i))",
        "INSERT INTO t FROM range(100)",
    )
    catalog = register(lake)

    frame = spark.sql(f"SELECT * FROM {catalog}.t WHERE i = 50")
    plan = frame._jdf.queryExecution().executedPlan().toString()

    assert "1 of 4 files" in plan
    assert [tuple(row) for row in frame.collect()] == [(50,)]


def test_a_value_without_bounds_prunes_and_ends_nothing(
    spark: SparkSession, lake: Lake, register: Register, dynamic: None
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INT, ts TIMESTAMP)",
        "ALTER TABLE t SET PARTITIONED BY (year(ts))",
        "INSERT INTO t VALUES (1, '2024-05-01')",
        "INSERT INTO t VALUES (2, '2023-05-01')",
    )
    execute(
        lake,
        "DELETE FROM ducklake_file_column_stats",
        "UPDATE ducklake_file_partition_value SET partition_value = '2023'",
    )
    table = f"{register(lake, IN_FILES)}.t"

    assert column(spark, f"SELECT id FROM {table} WHERE ts >= '2024-01-01'") == [1]
    spark.sql(f"INSERT OVERWRITE {table} VALUES (9, TIMESTAMP_NTZ '2023-01-01 00:00:00')")
    assert column(spark, f"SELECT id FROM {table}") == [1, 9]
