"""Merges and rewrites copy rows below Spark's types: every bit stays, large row groups too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.compacting import by_duckdb, by_spark, file_rows, make_tables, merge, rewrite
from support.flushing import Rows, differences
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.lines import VARIANT_WRITES, since
from support.peer import Peer, committed_by_peers
from support.rawfiles import chunks, live_files, stored

Register = Callable[..., str]

SETTINGS = {"data-inlining-row-limit": "0"}

COLUMNS = (
    "i INT, ns TIMESTAMP_NS, z TIMETZ, big UHUGEINT, huge HUGEINT, iv INTERVAL, f FLOAT, d DOUBLE,"
    " v VARIANT, s STRUCT(ns TIMESTAMP_NS[], z TIMETZ), m MAP(VARCHAR, TIMETZ), u UUID,"
    " g GEOMETRY, dec DECIMAL(20, 3)"
)
VARIANT = (
    "{{'t': TIME '12:00:0{i}', 'n': '2026-01-01 00:00:00.00000000{i}'::TIMESTAMP_NS}}::VARIANT"
)
ROW = (
    "{i}, '2026-01-01 00:00:00.12345678{i}', '12:00:00.00000{i}+05:30',"
    " 300000000000000000000000000000000000000, -150000000000000000000000000000000000000,"
    f" INTERVAL '{{i}} months {{i}} days 1{{i}} ms', {{nan}}::FLOAT, {{nan}}::DOUBLE, {VARIANT},"
    " {{'ns': ['1970-01-01 00:00:00.00000000{i}', NULL], 'z': '01:02:03-04'}},"
    " MAP {{'k': '23:59:59-0{i}'::TIMETZ}}, '{i}0000000-0000-4000-8000-000000000000',"
    " 'POINT (1 {i})'::GEOMETRY, {i}.5"
)
"""Values that Spark's types do not carry, beside some that they do."""

NANS = ("'nan'", "-('nan'::DOUBLE)", "'-0.0'")


def inserts(table: str) -> list[str]:
    """Three files with a row each that has such values, and one with two rows of NULLs."""
    rows = [ROW.format(i=i, nan=nan) for i, nan in enumerate(NANS, 1)]
    return [
        f"CREATE TABLE {table} ({COLUMNS})",
        *(f"INSERT INTO {table} VALUES ({row})" for row in rows),
        f"INSERT INTO {table} (v) SELECT {VARIANT.format(i=4)} FROM range(2)",
    ]


def all_texts(lake: Lake, table: str = "t") -> Any:  # noqa: ANN401
    """What DuckDB reads, with all digits."""
    with Peer(lake) as peer:
        return peer.rows(f"SELECT rowid, COLUMNS(*)::VARCHAR FROM {table} ORDER BY ALL")


@since(VARIANT_WRITES)
def test_every_bit_stays_in_a_merge(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    spans = make_tables(lake, {"t": inserts("t")})
    catalog = register(lake)
    before, texts = by_duckdb(lake, spans), all_texts(lake)
    bits = stored(live_files(lake, "t"))

    assert merge(spark, catalog, "'t'") == [("main", "t", 4, 1)]

    assert stored(live_files(lake, "t")) == bits
    assert all_texts(lake) == texts
    assert differences(before, by_duckdb(lake, spans)) == {}
    spark_rows = spark.sql(f"SELECT i, ns, z, f, dec FROM {catalog}.t WHERE i = 3").collect()
    assert [tuple(map(str, row)) for row in spark_rows] == [
        ("3", "2026-01-01 00:00:00.123456", "06:30:00.000003+00", "-0.0", "3.500")
    ]
    with Peer(lake) as peer:
        exact = peer.rows("SELECT ns::VARCHAR, iv::VARCHAR, s.ns[1]::VARCHAR FROM t WHERE i = 3")
        assert exact == [
            (
                "2026-01-01 00:00:00.123456783",
                "3 months 3 days 00:00:00.013",
                "1970-01-01 00:00:00.000000003",
            )
        ]
        peer.run("DELETE FROM t WHERE i = 2", "INSERT INTO t (i) VALUES (9)")
    assert check(lake, Scope(committed_by_peers[lake.uri])) == []


@since(VARIANT_WRITES)
def test_every_bit_stays_in_a_rewrite(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    merged = "CALL ducklake_merge_adjacent_files('lake', 't')"
    spans = make_tables(lake, {"t": [*inserts("t"), merged, "DELETE FROM t WHERE i = 2"]})
    catalog = register(lake)
    before, texts = by_duckdb(lake, spans), all_texts(lake)
    bits = [row for row in stored(live_files(lake, "t")) if not row.startswith("('2'")]

    assert rewrite(spark, catalog, "'t', delete_threshold => 0.1") == [("main", "t", 1, 1)]

    assert stored(live_files(lake, "t")) == bits
    assert all_texts(lake) == texts
    past = [
        {k: v for k, v in answer.items() if k[1] != "head"}
        for answer in (before, by_duckdb(lake, spans))
    ]
    assert differences(*past) == {}
    assert check(lake, Scope(committed_by_peers[lake.uri])) == []


def test_files_of_both_engines_and_of_others_become_one(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    """Longer and shorter decimals, required columns, narrower integers, other names and order."""
    lake = lakes.new("sqlite")
    strict = pa.schema(
        [
            pa.field("l", pa.list_(pa.field("item", pa.int32(), nullable=False)), nullable=False),
            pa.field("ns", pa.timestamp("ns"), nullable=False),
            pa.field("n", pa.int32(), nullable=False),
            pa.field("dec", pa.decimal128(20, 3), nullable=False),
            pa.field("s", pa.struct([pa.field("a", pa.int64(), nullable=False)]), nullable=False),
        ]
    )
    rows = [
        {"l": [7], "ns": 1, "n": -7, "dec": 7, "s": {"a": 7}},
        {"l": [], "ns": 2, "n": 8, "dec": 8, "s": {"a": 8}},
    ]
    pq.write_table(pa.Table.from_pylist(rows, strict), tmp_path / "strict.parquet")
    spans = make_tables(
        lake,
        {
            "t": [
                "CREATE TABLE t (n BIGINT, dec DECIMAL(20, 3), l INT[], s STRUCT(a BIGINT),"
                " ns TIMESTAMP_NS)",
                "INSERT INTO t VALUES"
                " (1, -1.5, [1, NULL], {'a': 1}, '2026-01-01 00:00:00.123456789')",
                f"CALL ducklake_add_data_files('lake', 't', '{tmp_path}/strict.parquet')",
                "INSERT INTO t VALUES (NULL, NULL, NULL, NULL, NULL),"
                " (2, 2, [], {'a': NULL}, 'infinity')",
            ]
        },
    )
    catalog = register(lake, SETTINGS)
    spark.sql(
        f"INSERT INTO {catalog}.t VALUES (3, -3.25, array(3), named_struct('a', 3),"
        " TIMESTAMP_NTZ '2026-01-01 00:00:00.123456')"
    )
    texts, ours = all_texts(lake), by_spark(spark, catalog, spans)

    assert merge(spark, catalog, "'t'") == [("main", "t", 4, 1)]

    assert all_texts(lake) == texts
    assert differences(ours, by_spark(spark, catalog, spans)) == {}
    assert [row[2:] for row in texts[:2]] == [
        ("-1.500", "[1, NULL]", "{'a': 1}", "2026-01-01 00:00:00.123456789"),
        ("7.000", "[7]", "{'a': 7}", "1970-01-01 00:00:00.000000001"),
    ]
    assert check(lake, Scope(None)) == []


LARGE = (
    "CREATE TABLE t (i BIGINT, s VARCHAR, d DOUBLE, l INT[])",
    "CALL lake.set_option('parquet_row_group_size', '65536', table_name => 't')",
    *(
        f"INSERT INTO t SELECT i, 'k' || i % 7, CASE WHEN i = 5 THEN 'nan' ELSE i / 3 END,"
        f" [i::INT, NULL] FROM range({first}, {last}) r(i)"
        for first, last in ((0, 70000), (70000, 70100), (70100, 90100))
    ),
)


def asked(lake: Lake) -> Any:  # noqa: ANN401
    """Answers of DuckDB that its statistics and bloom filters may shorten."""
    conditions = (
        "i = 80000",
        "s = 'k3'",
        "s = 'k8'",
        "d = 30000",
        "isnan(d)",
        "i BETWEEN 130000 AND 130005",
    )
    sums = "count(*), sum(i), min(rowid), max(rowid), min(d)::VARCHAR, sum(l[1])"
    with Peer(lake) as peer:
        return [peer.rows(f"SELECT {sums} FROM t WHERE {each}") for each in conditions]


def without_d(rows: Rows) -> Rows:
    """Without the column that has a NaN, which is no bound for DuckDB."""
    return [row for row in rows if "column_id=3" not in row]


def test_large_row_groups_are_copied_as_they_are(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, twin = lakes.new("sqlite"), lakes.new("sqlite")
    for each in (lake, twin):
        make_tables(each, {"t": LARGE})
        catalog = register(each)
        spark.sql(
            f"INSERT INTO {catalog}.t SELECT id, concat('k', id % 7), id / 3, array(int(id))"
            " FROM range(100000, 150000, 1, 1)"
        )
    catalog = register(lake)
    answers, files = asked(lake), live_files(lake, "t")
    pages = {name: chunks(files, name) for name in ("i", "s", "d", "l.list.element")}
    small = {name: chunks(files[1:2], name) for name in pages}

    assert merge(spark, catalog, "'t'") == [("main", "t", 4, 1)]

    (file,) = live_files(lake, "t")
    groups = pq.read_metadata(file)
    sizes = [groups.row_group(at).num_rows for at in range(groups.num_row_groups)]
    assert sizes == [65536, 4564, 20000, 50000]
    for name, known in pages.items():
        new = chunks([file], name)
        assert (name, sum((known & new).values())) == (name, 3)
        assert (name, new & small[name]) == (name, {})
    assert asked(lake) == answers
    with Peer(twin) as peer:
        peer.run("CALL ducklake_merge_adjacent_files('lake', 't')")
    assert without_d(file_rows(lake, "t")) == without_d(file_rows(twin, "t"))
    of_d = [row for row in read_catalog(lake).rows("file_column_stats") if row["column_id"] == 3]
    assert [(row["value_count"], bool(row["contains_nan"])) for row in of_d] == [(140100, True)]
    for condition, expected in (
        ("i = 130000", [130000]),
        ("i IN (4, 69999)", [4, 69999]),
        ("s = 'k8'", []),
    ):
        found = spark.read.parquet(str(file)).where(condition).select("i").collect()
        assert [row.i for row in found] == expected
    assert pq.read_table(file, filters=[("i", "=", 80000)])["s"].to_pylist() == ["k4"]
    assert groups.row_group(3).column(0).has_offset_index
    assert check(lake, Scope(None)) == []

    with Peer(lake) as peer:
        peer.run("DELETE FROM t WHERE i < 10")
    answers = asked(lake)
    assert rewrite(spark, catalog, "'t', delete_threshold => 0") == [("main", "t", 1, 1)]
    (again,) = live_files(lake, "t")
    assert sum((chunks([again], "i") & pages["i"]).values()) == 2
    assert asked(lake) == answers


@since(VARIANT_WRITES)
@pytest.mark.parametrize(
    ("keys", "order"),
    [("i DESC NULLS LAST", [3, 2, 1, None, None]), ("z NULLS FIRST, iv", [None, None, 1, 2, 3])],
)
def test_every_bit_stays_in_sorted_files(
    spark: SparkSession, lakes: LakeFactory, register: Register, keys: str, order: list[int | None]
) -> None:
    lake = lakes.new("sqlite")
    spans = make_tables(lake, {"t": [*inserts("t"), f"ALTER TABLE t SET SORTED BY ({keys})"]})
    catalog = register(lake)
    before, texts = by_duckdb(lake, spans), all_texts(lake)
    bits = stored(live_files(lake, "t"))

    assert merge(spark, catalog, "'t'") == [("main", "t", 4, 1)]

    assert stored(live_files(lake, "t")) == bits
    assert all_texts(lake) == texts
    assert differences(before, by_duckdb(lake, spans)) == {}
    with Peer(lake) as peer:
        found = [row[0] for row in peer.rows("SELECT i FROM t ORDER BY file_row_number")]
    assert found == order
    assert check(lake, Scope(committed_by_peers[lake.uri])) == []


def test_rows_of_many_slices_and_row_groups_are_sorted(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    row = "i, [i, NULL, i + 1], {'a': 'k' || i, 'm': MAP {i::VARCHAR: [i::INT]}}"
    make_tables(
        lake,
        {
            "t": [
                "CREATE TABLE t (i BIGINT, l BIGINT[], s STRUCT(a VARCHAR, m MAP(VARCHAR, INT[])))",
                "CALL lake.set_option('parquet_row_group_size', '2048', table_name => 't')",
                f"INSERT INTO t SELECT {row} FROM range(0, 10000, 2) r(i)",
                f"INSERT INTO t SELECT {row} FROM range(1, 10000, 2) r(i)",
                "INSERT INTO t (l) SELECT CASE WHEN i > 20 THEN [] END FROM range(50) r(i)",
                "ALTER TABLE t SET SORTED BY (i DESC NULLS LAST)",
            ]
        },
    )
    catalog = register(lake)
    texts = all_texts(lake)

    assert merge(spark, catalog, "'t'") == [("main", "t", 3, 1)]

    assert all_texts(lake) == texts
    numbers = "SELECT i FROM t ORDER BY file_row_number"
    with Peer(lake) as peer:
        ids = [row[0] for row in peer.rows(numbers)]
        assert ids == [*range(9999, -1, -1), *(None,) * 50]
        peer.run("DELETE FROM t WHERE i % 3 = 0")
    texts = all_texts(lake)
    assert rewrite(spark, catalog, "'t', delete_threshold => 0.1") == [("main", "t", 1, 1)]
    assert all_texts(lake) == texts
    with Peer(lake) as peer:
        assert [row[0] for row in peer.rows(numbers)] == [i for i in ids if i is None or i % 3]
    assert check(lake, Scope(None)) == []


REFUSED = {
    "unlike": (
        "CREATE TABLE unlike (n VARIANT)",
        "INSERT INTO unlike SELECT {'a': TIME '12:00:00'}::VARIANT",
        "INSERT INTO unlike SELECT 1::VARIANT",
    ),
}
"""Tables whose rows pass through Spark's types, and whose values those do not carry."""


@since(VARIANT_WRITES)
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_copied_is_refused_by_name(
    spark: SparkSession, lakes: LakeFactory, register: Register, name: str
) -> None:
    lake = lakes.new("sqlite")
    make_tables(lake, {name: REFUSED[name]})
    catalog = register(lake)
    before = file_rows(lake, name)

    with pytest.raises(PySparkException, match="column `n` Spark cannot carry") as error:
        merge(spark, catalog, f"'{name}'")

    assert error.value.getCondition() == "DUCKLAKE_UNSUPPORTED"
    assert file_rows(lake, name) == before
    assert check(lake, Scope(None, is_free_of_orphans=True)) == []
