"""Variants whose values have columns of their own in new files: both engines read the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.catalogdb import execute, read_catalog
from support.lakes import IN_FILES, Lake, LakeFactory
from support.lines import VARIANT_WRITES, since
from support.peer import Peer, made

pytestmark = since(VARIANT_WRITES)

Register = Callable[..., str]

VALUES = (
    "SELECT id, CASE WHEN id % 7 = 0 THEN NULL ELSE to_variant_object(named_struct("
    "'n', id, 't', 'abc' || id, 'd', id * 1.25D, 'price', CAST(id AS DECIMAL(10, 2)),"
    " 'yes', id % 2 = 0, 'day', DATE '2024-01-01' + CAST(id AS INT), 'raw', CAST('x' AS BINARY),"
    " 'at', TIMESTAMP '2024-01-01 00:00:00', 'local', TIMESTAMP_NTZ '2024-01-01 00:00:00',"
    " 'deep', named_struct('p', id, 'q', IF(id % 2 = 0, 'z', NULL)),"
    " 'list', array(1, 2, id), 'things', array(named_struct('w', id)))) END AS v"
    " FROM range({}, {})"
)
MIXED = (
    "SELECT id, parse_json(element_at(array('1', '\"text\"', 'null', '{{\"n\": \"no number\"}}',"
    " '{{\"n\": 5, \"t\": 6, \"other\": [1, {{}}]}}', '{{}}', '[1, [2]]'),"
    " CAST(id % 7 + 1 AS INT))) AS v FROM range({}, {})"
)
STATED = 'STRUCT(n BIGINT, "deep" STRUCT(p BIGINT), list BIGINT[])'
SET = "CALL {}.system.set_option('parquet_shredding', '{}', table_name => 't')"


@pytest.fixture
def table(lakes: LakeFactory, register: Register) -> tuple[Lake, str]:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (id BIGINT, v VARIANT)")
    return lake, register(lake, IN_FILES)


@pytest.fixture
def infers(spark: SparkSession) -> Iterator[None]:
    """A session that gives columns to variants, as it does by default since Spark 4.1."""
    keys = ("spark.sql.variant.inferShreddingSchema", "spark.sql.variant.writeShredding.enabled")
    before = {key: spark.conf.get(key) for key in keys}
    for key in keys:
        spark.conf.set(key, "true")
    yield
    for key, value in before.items():
        spark.conf.set(key, str(value))


def _shape(file: Path) -> list[tuple[str, str | None, str | None]]:
    """The nodes of a file from its variant on: their names, and the types of their columns."""
    with duckdb.connect() as connection:
        found = connection.execute(
            f"SELECT name, type, logical_type FROM parquet_schema('{file}')"
        ).fetchall()
    names = [name for name, _, _ in found]
    return found[names.index("v") + 1 :]


def _files(lake: Lake) -> list[Path]:
    live = [f for f in read_catalog(lake).rows("data_file") if f["end_snapshot"] is None]
    return [next(Path(lake.data_path).rglob(Path(f["path"]).name)) for f in live]


def _typed(file: Path) -> list[str]:
    """The paths of the columns that hold values."""
    with duckdb.connect() as connection:
        found = connection.execute(
            f"SELECT DISTINCT path_in_schema FROM parquet_metadata('{file}')"
        ).fetchall()
    return sorted(
        path for (path,) in found if path.startswith("v, ") and path.endswith("typed_value")
    )


PATHS = (
    ("id", "id"),
    ("v IS NULL", "v IS NULL"),
    ("try_variant_get(v, '$.n', 'string')", "v.n::VARCHAR"),
    ("try_variant_get(v, '$.t', 'string')", "v.t::VARCHAR"),
    ("try_variant_get(v, '$.deep.p', 'bigint')", "v.deep.p::BIGINT"),
    ("try_variant_get(v, '$.deep.q', 'string')", "v.deep.q::VARCHAR"),
    ("try_variant_get(v, '$.price', 'decimal(10,2)')", "v.price::DECIMAL(10, 2)"),
    ("try_variant_get(v, '$.day', 'date')", "v.day::DATE"),
)


def _same(spark: SparkSession, lake: Lake, catalog: str, expected: str) -> None:
    """Both engines read the rows of a query: Spark wholly, DuckDB the values at some paths.

    In a lake NULL is also the variant's own null.
    """
    whole = "SELECT id, to_json(v), schema_of_variant(v) FROM {} ORDER BY id"
    view = f"(SELECT id, CASE WHEN to_json(v) <> 'null' THEN v END AS v FROM ({expected})) AS q"
    assert rows(spark, whole.format(f"{catalog}.t")) == rows(spark, whole.format(view))
    theirs = ", ".join(duck for _, duck in PATHS)
    ours = ", ".join(one for one, _ in PATHS)
    objects = "id < 1000"
    with Peer(lake) as peer:
        assert peer.rows(f"SELECT {theirs} FROM t WHERE {objects} ORDER BY id") == rows(
            spark, f"SELECT {ours} FROM {view} WHERE {objects} ORDER BY id"
        )
        assert peer.rows("SELECT count(*), count(v) FROM t") == rows(
            spark, f"SELECT count(*), count(v) FROM {catalog}.t"
        )


@pytest.mark.usefixtures("infers")
def test_columns_are_those_of_sparks_own_files(
    spark: SparkSession, table: tuple[Lake, str], tmp_path: Path
) -> None:
    lake, catalog = table
    query = VALUES.format(0, 9000)
    spark.sql(f"INSERT INTO {catalog}.t {query}")
    spark.sql(query).coalesce(1).write.parquet(str(tmp_path / "own"))

    (own,) = (tmp_path / "own").glob("*.parquet")
    for file in _files(lake):
        assert _shape(file) == _shape(own)
        assert len(_typed(file)) == 13
    _same(spark, lake, catalog, query)
    known = [f for f in read_catalog(lake).rows("file_column_stats") if f["column_id"] == 2]
    assert sum(f["value_count"] for f in known) == 7714
    assert sum(f["null_count"] for f in known) == 1286
    assert {(f["min_value"], f["max_value"]) for f in known} == {(None, None)}


@pytest.mark.usefixtures("infers")
def test_sparks_settings_are_obeyed(spark: SparkSession, table: tuple[Lake, str]) -> None:
    lake, catalog = table
    spark.conf.set("spark.sql.variant.inferShreddingSchema", "false")
    spark.sql(f"INSERT INTO {catalog}.t {VALUES.format(0, 10)}")
    assert [_typed(file) for file in _files(lake)] == [[]] * len(_files(lake))

    spark.conf.set("spark.sql.variant.inferShreddingSchema", "true")
    spark.sql(f"INSERT OVERWRITE {catalog}.t {MIXED.format(0, 100)}")
    _same(spark, lake, catalog, MIXED.format(0, 100))


@pytest.mark.parametrize("inferring", ["true", "false"])
@pytest.mark.usefixtures("infers")
def test_the_lakes_option_goes_before(
    spark: SparkSession, table: tuple[Lake, str], tmp_path: Path, inferring: str
) -> None:
    lake, catalog = table
    spark.conf.set("spark.sql.variant.inferShreddingSchema", inferring)
    spark.sql(SET.format(catalog, f"V={STATED}"))
    query = f"{VALUES.format(0, 50)} UNION ALL {MIXED.format(1000, 1100)}"
    spark.sql(f"INSERT INTO {catalog}.t {query}")

    paths = ["v, typed_value, deep, typed_value, p, typed_value", "v, typed_value, n, typed_value"]
    paths.insert(1, "v, typed_value, list, typed_value, list, element, typed_value")
    copy = tmp_path / "copy.parquet"
    with Peer(lake) as peer:
        peer.run(f"COPY t TO '{copy}' (FORMAT parquet, SHREDDING {{v: '{STATED}'}})")
    for file in [*_files(lake), copy]:
        assert _typed(file) == paths
    _same(spark, lake, catalog, query)

    spark.sql(SET.format(catalog, "v=NULL"))
    spark.sql(f"INSERT INTO {catalog}.t {VALUES.format(2000, 2001)}")
    assert _typed(_files(lake)[-1]) == []
    spark.sql(SET.format(catalog, "v=VARIANT"))
    spark.sql(f"INSERT INTO {catalog}.t {VALUES.format(2001, 2002)}")
    assert bool(_typed(_files(lake)[-1])) == (inferring == "true")


def test_texts_that_cannot_be_obeyed_are_refused(
    spark: SparkSession, table: tuple[Lake, str]
) -> None:
    lake, catalog = table
    for text, why in (
        ("v", "column=type"),
        ("v=INTERVAL", "have no type INTERVAL"),
        ("id=BIGINT", "no column `id` of type VARIANT"),
        ("w=BIGINT", "no column `w`"),
    ):
        refused(spark, SET.format(catalog, text), "DUCKLAKE_INVALID_OPTION", why)
    spark.sql(f"CALL {catalog}.system.set_option('parquet_shredding', 'w=BIGINT')")
    spark.sql(f"INSERT INTO {catalog}.t {VALUES.format(0, 1)}")

    execute(
        lake, "UPDATE ducklake_metadata SET value = 'v=HUGEINT' WHERE key = 'parquet_shredding'"
    )
    spark.sql(f"REFRESH TABLE {catalog}.t")
    refused(
        spark,
        f"INSERT INTO {catalog}.t {VALUES.format(0, 1)}",
        "DUCKLAKE_INVALID_SETTING",
        "parquet_shredding",
        "HUGEINT",
    )


@pytest.mark.usefixtures("infers")
def test_changes_and_upkeep_of_such_files(spark: SparkSession, table: tuple[Lake, str]) -> None:
    lake, catalog = table
    spark.sql(f"INSERT INTO {catalog}.t {VALUES.format(0, 200)}")
    spark.sql(f"INSERT INTO {catalog}.t {MIXED.format(1000, 1050)}")
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "INSERT INTO t SELECT i, {'n': i, 'deep': {'p': i}}::VARIANT FROM range(200, 250) r(i)"
        )
        peer.run("UPDATE t SET v = {'n': 'new'}::VARIANT WHERE id = 3")
    spark.sql(f"UPDATE {catalog}.t SET v = parse_json('{{\"n\": 7}}') WHERE id IN (4, 240)")
    spark.sql(f"DELETE FROM {catalog}.t WHERE id = 5 OR id BETWEEN 60 AND 200")
    spark.sql(
        f"MERGE INTO {catalog}.t USING (SELECT 6 AS id, 2 AS k UNION ALL SELECT 300, 3) s"
        " ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = to_variant_object(named_struct('n', k))"
        " WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, to_variant_object(array(k)))"
    )
    found = rows(spark, f"SELECT id, to_json(v) FROM {catalog}.t ORDER BY id")
    assert (len(found), dict(found)[4], dict(found)[240]) == (159, '{"n":7}', '{"n":7}')
    assert (dict(found)[3], dict(found)[6], dict(found)[300]) == ('{"n":"new"}', '{"n":2}', "[3]")
    with Peer(lake) as peer:
        before = peer.rows(
            "SELECT id, v.n::VARCHAR FROM t WHERE id < 1000 AND id <> 300 ORDER BY id"
        )

    spark.sql(f"CALL {catalog}.system.rewrite_data_files('t', delete_threshold => 0.1)")
    spark.sql(f"CALL {catalog}.system.merge_adjacent_files('t')")
    assert rows(spark, f"SELECT id, to_json(v) FROM {catalog}.t ORDER BY id") == found
    with Peer(lake) as peer:
        asked = "SELECT id, v.n::VARCHAR FROM t WHERE id < 1000 AND id <> 300 ORDER BY id"
        assert peer.rows(asked) == before
