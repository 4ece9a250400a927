"""Which conditions of a DELETE the catalog decides, and that it decides them rightly."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.deleting import is_known, no_files, same
from support.lakes import IN_FILES, Lake
from support.peer import Peer, connect, made
from support.sweep import swept

Register = Callable[..., str]

TYPED = """CREATE TABLE {t} (id INT, f FLOAT, d DOUBLE, n DECIMAL(9, 2), s VARCHAR, b BOOLEAN,
    day DATE, ts TIMESTAMP, tz TIMESTAMPTZ, u UUID, ms TIMESTAMP_MS, st STRUCT(x INT))"""
VALUES = (
    "i, i, i, i, 'k' || i, i % 2 = 0, DATE '2024-01-01' + i::INT,"
    " TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR,"
    " TIMESTAMPTZ '2024-01-01 00:00:00+00' + INTERVAL (i) HOUR,"
    " ('00000000-0000-0000-0000-0000000000' || (10 + i))::UUID,"
    " TIMESTAMP_MS '2024-01-01 00:00:00.125' + INTERVAL (i) HOUR, {'x': i}"
)
INSERTS = (
    f"INSERT INTO {{t}} SELECT {VALUES} FROM range(20) r(i)",
    f"INSERT INTO {{t}} SELECT {VALUES} FROM range(20, 40) r(i)",
    "INSERT INTO {t} (id, f, d) SELECT i, 'nan', 'nan' FROM range(40, 50) r(i)",
    "INSERT INTO {t} (id, f, d) SELECT i, if(i = 55, 'nan', '7'), -0.0 FROM range(50, 60) r(i)",
    "INSERT INTO {t} (id, s) SELECT i, repeat('z', 300) || i FROM range(60, 70) r(i)",
    "INSERT INTO {t} (id, s, n) VALUES (70, 'k', 1), (71, NULL, NULL), (72, '', -5)",
)
TIME = "TIMESTAMP_NTZ '2024-01-01 20:00:00'"
CONDITIONS = {
    "id < 20": True,
    "id BETWEEN 20 AND 39": True,
    "id < 30": False,
    "id NOT IN (1, 70)": False,
    "id NOT IN (100, NULL)": True,
    "id NOT IN (100, 200)": True,
    "NOT (id < 20 OR id > 59)": True,
    "f IS NULL": True,
    "f >= 20": False,
    "d >= 20": False,
    "d < 20": False,
    "d = 0": False,
    "d = 0 AND id >= 50": True,
    "d = CAST('NaN' AS DOUBLE)": False,
    "NOT d = 0": False,
    "d IS NOT NULL": True,
    "n < 0": False,
    "n >= 0": False,
    "n <= 19 AND id < 20": True,
    "s >= 'z'": True,
    "s > 'zz'": True,
    "s LIKE 'z%'": False,
    "s = 'k' AND id = 70": False,
    "b": False,
    "day < DATE '2024-01-21'": True,
    "day <= DATE '2024-01-20' OR day IS NULL": True,
    f"ts < {TIME}": True,
    f"NOT ts < {TIME}": True,
    "tz < TIMESTAMP '2024-01-01 20:00:00Z'": True,
    "ms >= TIMESTAMP_NTZ '2024-01-01 20:00:00.125'": False,
    "u = '00000000-0000-0000-0000-000000000010'": False,
    "u IS NULL": True,
    "st.x < 20": False,
    "st IS NULL": False,
    "id < 20 AND id * 2 >= 0": False,
    "id IN (SELECT 1)": False,
}


def plain(condition: str) -> str:
    """The condition as DuckDB says it."""
    return condition.replace("TIMESTAMP_NTZ", "TIMESTAMP")


def left_in_duckdb(condition: str) -> list[tuple[object, ...]]:
    """What the same statements leave in a plain table of DuckDB."""
    with connect() as connection:
        for sql in (TYPED, *INSERTS):
            connection.execute(sql.replace("{t}", "t"))
        connection.execute(f"DELETE FROM t WHERE {plain(condition)}")
        return connection.execute("SELECT id FROM t ORDER BY id").fetchall()


@pytest.mark.damages  # by DuckDB: NaN leaves its table statistics too narrow
@pytest.mark.parametrize("limit", [0, 10])
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_conditions_on_all_types_take_what_they_take_from_a_plain_table(
    spark: SparkSession, lake: Lake, register: Register, limit: int
) -> None:
    """Whether the catalog decides is reported too: more would be right only with more knowledge."""
    conditions = list(CONDITIONS) if limit == 0 else swept(list(CONDITIONS), 3)
    tables = {condition: f"t{number}" for number, condition in enumerate(conditions)}
    statements = [sql.replace("{t}", t) for t in tables.values() for sql in (TYPED, *INSERTS)]
    made(lake, *statements, limit=limit)
    catalog = register(lake)
    known = {}

    for condition, table in tables.items():
        known[condition] = is_known(spark, f"{catalog}.{table}", condition)
        spark.sql(f"DELETE FROM {catalog}.{table} WHERE {condition}")

    with Peer(lake) as peer:
        left = {
            condition: peer.rows(f"SELECT id FROM {table} ORDER BY id")
            for condition, table in tables.items()
        }
    assert left == {condition: left_in_duckdb(condition) for condition in conditions}
    if limit == 0:
        assert known == CONDITIONS


def test_columns_that_were_changed_since(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INT, a SMALLINT, f FLOAT, gone INT)",
        "INSERT INTO t SELECT i, i, 0.1, i FROM range(10) r(i)",
        "ALTER TABLE t ALTER a TYPE BIGINT",
        "ALTER TABLE t ALTER f TYPE DOUBLE",
        "ALTER TABLE t RENAME a TO b",
        "ALTER TABLE t DROP COLUMN gone",
        "ALTER TABLE t ADD COLUMN a INTEGER DEFAULT 5",
        "INSERT INTO t SELECT i, i, 0.1, 6 FROM range(10, 20) r(i)",
    )
    catalog = register(lake, IN_FILES)
    table = f"{catalog}.t"

    assert is_known(spark, table, "b < 10")
    assert is_known(spark, table, "b > 9")
    assert is_known(spark, table, "f > 0.05")
    for condition in ("a = 5", "a = 6", "a IS NULL", "f <= 0.1D", "f > 0.1D"):
        assert not is_known(spark, table, condition), condition
    spark.sql(f"DELETE FROM {table} WHERE a = 6")
    assert sorted(same(spark, lake, catalog, "SELECT id FROM {t}")) == [(i,) for i in range(10)]
    with no_files(lake):
        spark.sql(f"DELETE FROM {table} WHERE b < 10")
    assert same(spark, lake, catalog, "SELECT id FROM {t}") == []


def test_layouts_that_were_changed_since(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(
        lake,
        "CREATE TABLE t (id INT, part VARCHAR, day DATE)",
        "INSERT INTO t SELECT i, 'p' || i % 2, DATE '2024-01-01' + i::INT FROM range(20) r(i)",
        "ALTER TABLE t SET PARTITIONED BY (part)",
        "INSERT INTO t SELECT i, 'p' || i % 2, DATE '2024-02-01' FROM range(20, 40) r(i)",
        "ALTER TABLE t SET PARTITIONED BY (year(day), month(day))",
        "INSERT INTO t SELECT i, 'p1', DATE '2024-03-10' FROM range(40, 50) r(i)",
        "ALTER TABLE t SET PARTITIONED BY (bucket(2, id))",
    )
    catalog = register(lake, IN_FILES)
    table = f"{catalog}.t"

    assert not is_known(spark, table, "part = 'p1'")
    assert not is_known(spark, table, "day < DATE '2024-01-10'")
    with no_files(lake):
        spark.sql(f"DELETE FROM {table} WHERE day >= DATE '2024-03-01'")
        spark.sql(f"DELETE FROM {table} WHERE part = 'p1' AND day = DATE '2024-02-01'")
        spark.sql(f"DELETE FROM {table} WHERE day < DATE '2024-02-01'")

    left = [(i, "p0") for i in range(20, 40, 2)]
    assert sorted(same(spark, lake, catalog, "SELECT id, part FROM {t}")) == left


def test_rows_are_read_where_the_bounds_of_a_key_are_cut_off(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    long = "x" * 300
    made(
        lake,
        "CALL lake.set_option('hive_file_pattern', false)",
        "CREATE TABLE t (id INT, part VARCHAR)",
        "ALTER TABLE t SET PARTITIONED BY (part)",
        f"INSERT INTO t SELECT i, '{long}' || i % 2 FROM range(20) r(i)",
    )
    catalog = register(lake, IN_FILES)

    assert not is_known(spark, f"{catalog}.t", f"part = '{long}1'")
    spark.sql(f"DELETE FROM {catalog}.t WHERE part = '{long}1'")

    left = [(i,) for i in range(0, 20, 2)]
    assert sorted(same(spark, lake, catalog, "SELECT id FROM {t}")) == left


def test_files_that_others_made_are_read(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    lake.data_path.mkdir(parents=True, exist_ok=True)
    file = lake.data_path / "theirs.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1::INT AS id FROM range(5)) TO '{file}'")
    made(lake, "CREATE TABLE t (id INT)", f"CALL ducklake_add_data_files('lake', 't', '{file}')")
    catalog = register(lake)

    assert not is_known(spark, f"{catalog}.t", "id = 1")
    spark.sql(f"DELETE FROM {catalog}.t WHERE id = 1")

    assert same(spark, lake, catalog, "SELECT id FROM {t}") == []


def test_hidden_columns_and_collations_are_left_to_spark(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, "CREATE TABLE t AS SELECT i AS id, 'A' AS s FROM range(20) r(i)")
    catalog = register(lake, IN_FILES)

    for condition in ("rowid >= 0", "s = 'a' COLLATE UTF8_LCASE", "snapshot_id = 1"):
        assert not is_known(spark, f"{catalog}.t", condition), condition
    spark.sql(f"DELETE FROM {catalog}.t WHERE s = 'a' COLLATE UTF8_LCASE AND id < 5")

    assert sorted(same(spark, lake, catalog, "SELECT id FROM {t}")) == [(i,) for i in range(5, 20)]
