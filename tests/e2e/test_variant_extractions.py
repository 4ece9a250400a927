"""`variant_get` reads only the columns that hold the value: it finds what the whole variant has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from support.lakes import Lake
from support.lines import VARIANT_WRITES, since
from support.peer import Peer

Register = Callable[..., str]

PUSHED = "spark.sql.variant.pushVariantIntoScan"

OBJECTS = """
    SELECT i AS id, CASE WHEN i % 10 <> 7 THEN {'a': i, 'b': 's' || i, 'half': i / 2,
      'price': (i / 4)::DECIMAL(9, 2), 'day': DATE '2020-01-01' + i::INT, 'yes': i % 2 = 0,
      'at': TIMESTAMPTZ '2020-01-01 00:00:00+00' + to_hours(i), 'small': i::TINYINT,
      'local': TIMESTAMP '2020-01-01' + to_hours(i), 'raw': ('x' || i)::BLOB,
      'time': TIME '01:02:03', 'deep': {'x': i * 10, 'y': {'z': 'z' || i}},
      'list': [i, i + 1], 'things': [{'k': i}, {'k': -i}], 'number': i::VARCHAR,
      'nothing': NULL}::VARIANT END AS v
    FROM range(40) r(i)"""

MIXED = (
    "(100, 42), (101, 'text'), (102, {'a': 'a text'}), (103, {'a': 7, 'other': 8}), (104, NULL),"
    " (106, {'a': {'x': 1}}), (107, {'deep': 5, 'list': 6}), (108, true),"
    " (109, {'A': 3}), (110, {'a': 1.5::DOUBLE, 'deep': {'x': 'no number', 'w': 1}}),"
    " (111, {'a': 99999999999, 'b': 1, 'b.c': 2}), (112, DATE '2020-02-03'), (113, {'a': NULL})"
)

# DuckDB cannot flush this value from the catalog to a file.
LIST = "(105, [1::VARIANT, {'a': 2}::VARIANT])"

TYPES = {
    "a": ("bigint", "int", "tinyint", "string", "double", "decimal(10,2)", "boolean", "timestamp"),
    "b": ("string", "int"),
    "half": ("double", "float", "bigint", "string", "decimal(5,1)"),
    "price": ("decimal(9,2)", "double", "int", "string"),
    "day": ("date", "string", "timestamp", "timestamp_ntz"),
    "yes": ("boolean", "string", "int"),
    "at": ("timestamp", "timestamp_ntz", "string", "date"),
    "local": ("timestamp_ntz", "timestamp", "string"),
    "raw": ("binary", "string"),
    "time": ("string",),
    "small": ("tinyint", "smallint", "bigint"),
    "deep": ("string", "variant", "struct<x:bigint,y:struct<z:string>>", "int"),
    "deep.x": ("bigint", "string"),
    "deep.y.z": ("string",),
    "list": ("array<bigint>", "string", "variant"),
    "list[1]": ("bigint",),
    "list[5]": ("bigint",),
    "things[0].k": ("bigint", "string"),
    "things[1]": ("map<string,bigint>", "variant"),
    "number": ("int", "double", "string"),
    "nothing": ("string", "variant"),
    "missing": ("string", "int"),
    "other": ("int",),
    "A": ("int",),
}


@pytest.fixture
def table(lake: Lake, register: Register) -> str:
    """Shredded and other variants of DuckDB in files, with deleted rows and a second file."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            f"CREATE TABLE t AS {OBJECTS}",
            "ALTER TABLE t ADD COLUMN n INT",
            f"INSERT INTO t (id, v) VALUES {MIXED}, {LIST}",
            "DELETE FROM t WHERE id IN (3, 17, 101)",
        )
    return register(lake) + ".main.t"


@pytest.fixture
def settings(spark: SparkSession) -> Iterator[Callable[[str, str], None]]:
    before = {}

    def put(key: str, value: str) -> None:
        before.setdefault(key, spark.conf.get(key))
        spark.conf.set(key, value)

    yield put
    for key, value in before.items():
        spark.conf.set(key, value)


def _shown(frame: DataFrame, column: str = "v") -> list[str]:
    """The types in which the scans of a query show a column."""
    leaves = frame._jdf.queryExecution().sparkPlan().collectLeaves()
    found = []
    for scan in range(leaves.size()):
        output = leaves.apply(scan).output()
        for at in range(output.size()):
            if output.apply(at).name() == column:
                found.append(output.apply(at).dataType().catalogString())
    return found


def _outcome(frame: Callable[[], DataFrame]) -> tuple[str, Any]:
    """The rows of a query as text, which tells -0.0 and NaN; or the condition of its error.

    Which of the wrong values an error names depends on the task that meets one first.
    """
    try:
        return ("rows", [[repr(value) for value in row] for row in frame().collect()])
    except PySparkException as error:
        parameters = error.getMessageParameters() or {}
        return ("error", [error.getCondition(), parameters.get("dataType")])


def _same(spark: SparkSession, query: str, *, pushed: bool | None = True) -> tuple[str, Any]:
    """What a query gives with extractions in the scan, which is what it gives without.

    Args:
        spark: the session.
        query: reads variants named `v`.
        pushed: whether the scan shows values of the variants; None where versions of Spark differ.
    """
    spark.conf.set(PUSHED, "false")
    whole = _outcome(lambda: spark.sql(query))
    spark.conf.set(PUSHED, "true")
    found = _outcome(lambda: spark.sql(query))
    assert found == whole, query
    shown = _shown(spark.sql(query))
    assert shown, query
    if pushed is not None:
        assert all(one.startswith("struct<") for one in shown) == pushed, (query, shown)
    return found


@pytest.fixture(autouse=True)
def _pushed(settings: Callable[[str, str], None], spark: SparkSession) -> None:
    settings(PUSHED, "true")


@pytest.mark.parametrize("path", TYPES)
def test_values_are_those_of_the_whole_variant(spark: SparkSession, table: str, path: str) -> None:
    for target in TYPES[path]:
        tried = f"try_variant_get(v, '$.{path}', '{target}')"
        shown = f"to_json({tried})" if target == "variant" else tried
        kind, rows = _same(spark, f"SELECT id, {shown} FROM {table} ORDER BY id")
        assert (kind, len(rows)) == ("rows", 51)
        strict = f"variant_get(v, '$.{path}', '{target}')"
        shown = f"to_json({strict})" if target == "variant" else strict
        _same(spark, f"SELECT id, {shown} FROM {table} ORDER BY id")
        _same(spark, f"SELECT id, {shown} FROM {table} WHERE id < 40 ORDER BY id")


def test_duckdb_finds_the_same(spark: SparkSession, lake: Lake, table: str) -> None:
    ours = spark.sql(
        "SELECT id, try_variant_get(v, '$.a', 'bigint'), try_variant_get(v, '$.b', 'string'),"
        " try_variant_get(v, '$.half', 'double'), try_variant_get(v, '$.deep.x', 'bigint'),"
        " try_variant_get(v, '$.deep.y.z', 'string'), try_variant_get(v, '$.day', 'date'),"
        " try_variant_get(v, '$.price', 'decimal(9,2)'), try_variant_get(v, '$.list[1]', 'int')"
        f" FROM {table} WHERE id < 40 ORDER BY id"
    )
    with Peer(lake) as peer:
        theirs = peer.rows(
            "SELECT id, v.a::BIGINT, v.b::VARCHAR, v.half::DOUBLE, v.deep.x::BIGINT,"
            " v.deep.y.z::VARCHAR, v.day::DATE, v.price::DECIMAL(9, 2), v.list[2]::INT"
            " FROM t WHERE id < 40 ORDER BY id"
        )

    assert [tuple(row) for row in ours.collect()] == theirs
    assert len(theirs) == 38
    assert _shown(ours)[0].startswith("struct<0:bigint,1:string,2:double,")


def test_filters_and_aggregates_extract(spark: SparkSession, lake: Lake, table: str) -> None:
    a = "try_variant_get(v, '$.a', 'bigint')"
    with Peer(lake) as peer:
        theirs = peer.rows("SELECT sum(v.a::BIGINT), count(v.b) FROM t WHERE id < 40")

    assert _same(
        spark,
        f"SELECT sum({a}), count(variant_get(v, '$.b')) FROM {table} WHERE id < 40",
    ) == ("rows", [[repr(value) for value in theirs[0]]])
    _same(spark, f"SELECT id FROM {table} WHERE {a} BETWEEN 5 AND 20 ORDER BY id")
    _same(spark, f"SELECT id FROM {table} WHERE {a} IS NULL AND v IS NOT NULL ORDER BY id")
    _same(spark, f"SELECT id, v IS NULL, {a} FROM {table} ORDER BY id")
    _same(spark, f"SELECT {a} % 3 AS g, count(*), max({a}) FROM {table} GROUP BY 1 ORDER BY 1")
    _same(spark, f"SELECT count(DISTINCT {a}), collect_set({a} % 2) FROM {table}")
    _same(spark, f"SELECT {a} AS a, id FROM {table} ORDER BY a, id LIMIT 5")
    _same(
        spark,
        f"SELECT l.id, r.id FROM (SELECT id, {a} AS a FROM {table}) l"
        f" JOIN (SELECT id, {a} AS a FROM {table}) r ON l.a = r.a + 1 ORDER BY 1",
    )


def test_casts_of_whole_variants_extract(spark: SparkSession, table: str) -> None:
    for target in ("int", "string", "boolean", "date", "double"):
        _same(spark, f"SELECT id, try_cast(v AS {target}) FROM {table} ORDER BY id")
        _same(spark, f"SELECT id, CAST(v AS {target}) FROM {table} ORDER BY id")


def test_a_query_that_needs_the_variant_reads_it(spark: SparkSession, table: str) -> None:
    a = "try_variant_get(v, '$.a', 'bigint')"
    _same(spark, f"SELECT id, to_json(v), {a} FROM {table} ORDER BY id", pushed=False)
    _same(spark, f"SELECT id, v IS NULL FROM {table} ORDER BY id", pushed=False)
    # Spark 4.3 computes the values below such aggregates itself.
    _same(spark, f"SELECT sum({a}) FILTER (WHERE id < 9) FROM {table}", pushed=None)
    _same(spark, f"SELECT sum({a}), count(v) FROM {table}", pushed=None)
    path = "concat('$.', if(id % 2 = 0, 'a', 'b'))"
    text = f"try_variant_get(v, {path}, 'string')"
    _same(spark, f"SELECT id, {text} FROM {table} ORDER BY id", pushed=False)
    _same(spark, f"SELECT variant_get(v, 'no path', 'int') FROM {table}", pushed=False)


def test_a_cast_fails_only_for_rows_that_are_asked(spark: SparkSession, table: str) -> None:
    strict = "variant_get(v, '$.a', 'int')"
    kind, why = _same(spark, f"SELECT {strict} FROM {table}")
    assert (kind, why[0]) == ("error", "INVALID_VARIANT_CAST")
    kind, _ = _same(spark, f"SELECT CASE WHEN id < 40 THEN {strict} END FROM {table} ORDER BY id")
    assert kind == "rows"
    # Spark 4.3 casts all rows below an aggregate, also without our extension and for bare Parquet.
    if spark.version < "4.3":
        kind, _ = _same(spark, f"SELECT sum(CASE WHEN id < 40 THEN {strict} END) FROM {table}")
        assert kind == "rows"
    kind, _ = _same(spark, f"SELECT count(*) FROM {table} WHERE id < 40 AND {strict} > 3")
    assert kind == "rows"


@pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles", "Asia/Kolkata"])
def test_times_have_the_zone_of_the_session(
    spark: SparkSession, table: str, zone: str, settings: Callable[[str, str], None]
) -> None:
    settings("spark.sql.session.timeZone", zone)
    for path in ("at", "local", "day"):
        for target in ("string", "timestamp", "timestamp_ntz", "date"):
            value = f"CAST(try_variant_get(v, '$.{path}', '{target}') AS STRING)"
            _same(spark, f"SELECT id, {value} FROM {table} ORDER BY id")


def test_other_columns_stay_unread(spark: SparkSession, table: str) -> None:
    frame = spark.sql(f"SELECT variant_get(v, '$.b', 'string') FROM {table} WHERE id < 40")

    leaves = frame._jdf.queryExecution().sparkPlan().collectLeaves()
    output = leaves.apply(0).output()
    assert {output.apply(at).name() for at in range(output.size())} == {"v", "id"}


def test_time_travel_and_the_change_feed(spark: SparkSession, lake: Lake, table: str) -> None:
    catalog = table.split(".")[0]
    a = "try_variant_get(v, '$.a', 'bigint')"
    with Peer(lake) as peer:
        first = peer.value("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')") - 1

    kind, rows = _same(spark, f"SELECT id, {a} FROM {table} VERSION AS OF {first} ORDER BY id")
    assert (kind, len(rows)) == ("rows", 54)
    _same(
        spark,
        f"SELECT change_type, id, {a} FROM ducklake_table_changes('{catalog}', 't', 0, {first})"
        " ORDER BY id, change_type",
        pushed=False,
    )


@pytest.mark.parametrize("kind", ["duckdb"], indirect=True)
def test_inlined_rows(spark: SparkSession, lake: Lake, register: Register) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 1000") as peer:
        peer.run(
            f"CREATE TABLE t AS {OBJECTS}",
            f"INSERT INTO t VALUES {MIXED}",
            "DELETE FROM t WHERE id IN (3, 17, 101)",
        )
        assert peer.value("SELECT count(*) FROM ducklake_list_files('lake', 't')") == 0
        theirs = peer.rows(
            "SELECT v.a::BIGINT, v.deep.y.z::VARCHAR FROM t WHERE id < 40 ORDER BY id"
        )
    table = register(lake) + ".main.t"

    for path in ("a", "b", "deep", "deep.x", "list[1]", "things[0].k", "at", "missing"):
        for target in ("bigint", "string", "variant"):
            value = f"try_variant_get(v, '$.{path}', '{target}')"
            shown = f"to_json({value})" if target == "variant" else value
            _same(spark, f"SELECT id, {shown} FROM {table} ORDER BY id")
            strict = shown.replace("try_", "")
            kept = f"CASE WHEN id < 40 THEN CAST({strict} AS STRING) ELSE 'other' END"
            _same(spark, f"SELECT id, {kept} FROM {table} ORDER BY id")
    ours = spark.sql(
        "SELECT variant_get(v, '$.a', 'bigint'), variant_get(v, '$.deep.y.z', 'string')"
        f" FROM {table} WHERE id < 40 ORDER BY id"
    )
    assert [tuple(row) for row in ours.collect()] == theirs


@since(VARIANT_WRITES)
def test_files_of_spark(spark: SparkSession, lake: Lake, register: Register) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (id BIGINT, v VARIANT)")
    table = register(lake) + ".main.t"
    spark.sql(
        f'INSERT INTO {table} SELECT id, parse_json(concat(\'{{"a": \', id, \', "b": "s\', id,'
        ' \'", "half": \', id / 2, \', "deep": {"x": [\', id, \', null]}}\')) FROM range(30)'
    )
    spark.sql(f"INSERT INTO {table} VALUES (50, NULL), (51, parse_json('[1]'))")

    for path, targets in {
        "a": ("bigint", "string", "double"),
        "b": ("string", "int"),
        "half": ("double", "decimal(5,1)"),
        "deep.x[0]": ("int",),
        "deep": ("string", "struct<x:array<int>>"),
    }.items():
        for target in targets:
            _same(
                spark,
                f"SELECT id, try_variant_get(v, '$.{path}', '{target}') FROM {table} ORDER BY 1",
            )
    ours = spark.sql(
        f"SELECT id, variant_get(v, '$.a', 'bigint'), variant_get(v, '$.b', 'string') FROM {table}"
        " ORDER BY id"
    ).collect()
    with Peer(lake) as peer:
        assert [tuple(row) for row in ours] == peer.rows(
            "SELECT id, CASE WHEN id < 50 THEN v.a::BIGINT END, CASE WHEN id < 50 THEN v.b::VARCHAR"
            " END FROM t ORDER BY id"
        )


def test_a_column_that_became_a_variant(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (id INT, v INT)",
            "INSERT INTO t VALUES (1, 10), (2, NULL), (3, 300)",
            "ALTER TABLE t ALTER COLUMN v TYPE VARIANT",
            "INSERT INTO t VALUES (4, {'a': 4})",
            "ALTER TABLE t ADD COLUMN w VARIANT",
        )
    table = register(lake) + ".main.t"

    for value in ("try_cast(v AS INT)", "cast(v AS STRING)", "try_variant_get(v, '$.a', 'int')"):
        _same(spark, f"SELECT id, {value} FROM {table} ORDER BY id")
    assert spark.sql(f"SELECT try_cast(w AS INT), w IS NULL FROM {table}").distinct().collect() == [
        (None, True)
    ]
