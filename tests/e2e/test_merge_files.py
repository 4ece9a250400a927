"""CALL merge_adjacent_files: the catalog is DuckDB's, and every snapshot says what it said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import read_catalog
from support.compacting import (
    by_duckdb,
    by_spark,
    file_rows,
    make_tables,
    merge,
    scheduled,
    unlike,
)
from support.flushing import Rows, differences
from support.invariants import Scope, check
from support.lakes import CATALOG_KINDS, CatalogKind, LakeFactory
from support.lines import VARIANT_WRITES, since
from support.peer import Peer
from support.sweep import FULL

Register = Callable[..., str]

SAME = {
    "shapes": (
        "CREATE TABLE shapes (i INT, s VARCHAR)",
        *(f"INSERT INTO shapes SELECT i, 's' || i FROM range({n}, {n + 5}) r(i)" for n in (0, 5)),
        "ALTER TABLE shapes ADD COLUMN x INT DEFAULT 7",
        "INSERT INTO shapes VALUES (20, 'a', 1), (21, NULL, 2)",
        "COMMENT ON TABLE shapes IS 'no new shape'",
        "INSERT INTO shapes VALUES (22, 'b', NULL)",
        "ALTER TABLE shapes DROP COLUMN s",
        "ALTER TABLE shapes ALTER COLUMN i TYPE BIGINT",
        "ALTER TABLE shapes RENAME COLUMN x TO y",
        "INSERT INTO shapes VALUES (30, 3)",
        "INSERT INTO shapes VALUES (31, 4)",
        "INSERT INTO shapes VALUES (32, 5)",
    ),
    "parts": (
        "CREATE TABLE parts (k VARCHAR, v INT)",
        "INSERT INTO parts VALUES ('a', 1), ('b', 2)",
        "INSERT INTO parts VALUES ('a', 3), ('b', 4)",
        "ALTER TABLE parts SET PARTITIONED BY (k, bucket(3, v))",
        *(f"INSERT INTO parts SELECT 'a b', 7 + 0 * i FROM range({n}) r(i)" for n in (2, 3, 4)),
        *(f"INSERT INTO parts SELECT NULL, i % 2 FROM range({n}) r(i)" for n in (2, 3)),
        "ALTER TABLE parts RESET PARTITIONED BY",
        "INSERT INTO parts VALUES ('c', 5)",
    ),
    "deleted": (
        "CREATE TABLE deleted (i INT)",
        *(f"INSERT INTO deleted SELECT i FROM range({n}, {n + 9}) r(i)" for n in range(0, 54, 9)),
        "DELETE FROM deleted WHERE i BETWEEN 9 AND 17",
        "DELETE FROM deleted WHERE i = 30",
    ),
    "added": (
        "CREATE TABLE added (i INT, s VARCHAR)",
        "COPY (SELECT 1 AS i, 'f' AS s) TO '{d}/1.parquet'",
        "COPY (SELECT 'g' AS s) TO '{d}/2.parquet'",
        "CALL ducklake_add_data_files('lake', 'added', '{d}/1.parquet')",
        "CALL ducklake_add_data_files('lake', 'added', '{d}/2.parquet', allow_missing => true)",
        "INSERT INTO added VALUES (NULL, 'h')",
    ),
    "kinds": (
        "CREATE TABLE kinds (n STRUCT(x INT, y VARCHAR[]), m MAP(VARCHAR, DOUBLE),"
        " d DECIMAL(38, 4), h HUGEINT, u UBIGINT, f FLOAT, z TIMESTAMPTZ, t TIMESTAMP, a DATE,"
        " c TIME, b BLOB, g UUID, j JSON, e BOOLEAN, l INT[][], ns TIMESTAMP_NS)",
        *(
            "INSERT INTO kinds VALUES ("
            f"{{'x': {n}, 'y': ['p', NULL]}}, MAP {{'k': 1.5, 'l': -2.5}},"
            f" 1234567890123456789012345678901234.567{n}, 170141183460469, 18446744073709551615,"
            " '-inf', '0001-01-01 00:00:00+00', 'infinity', '9999-12-31', '23:59:59.999999',"
            " '\\x00\\xFF'::BLOB, 'f0000000-0000-4000-8000-000000000000', '{\"a\": 1}', true,"
            " [[1], NULL, []], '2026-01-01 00:00:00.123456')"
            for n in (1, 2)
        ),
        "INSERT INTO kinds (e) VALUES (NULL)",
    ),
}
"""Tables of which both engines make the same."""

OTHERS = {
    "updated": (
        "CREATE TABLE updated (i INT, s VARCHAR)",
        "INSERT INTO updated SELECT i, 'a' FROM range(9) r(i)",
        "UPDATE updated SET s = 'b' WHERE i > 3",
        "INSERT INTO updated SELECT i, 'c' FROM range(9, 12) r(i)",
        "INSERT INTO updated SELECT i, 'd' FROM range(12, 15) r(i)",
    ),
    "sorted": (
        "CREATE TABLE sorted (i INT, s VARCHAR)",
        "ALTER TABLE sorted SET SORTED BY (i DESC, s)",
        "INSERT INTO sorted SELECT i, 'a' FROM range(5) r(i)",
        "INSERT INTO sorted SELECT i, 'b' FROM range(2, 7) r(i)",
        "INSERT INTO sorted VALUES (NULL, 'c'), (4, 'c')",
    ),
    "marginal": (
        "CREATE TABLE marginal (v INTERVAL, f DOUBLE)",
        *(
            f"INSERT INTO marginal VALUES (INTERVAL '1 month 2 days {n} us', '{value}'::DOUBLE)"
            for n, value in ((1, "NaN"), (2, "-0.0"), (3, "5e-324"))
        ),
    ),
}
"""Tables whose row ids DuckDB loses: it takes the numbers of the catalog for those of the rows.

In the last, DuckDB counts no intervals and takes no NaN for a bound."""

SETTINGS = {"data-inlining-row-limit": "0"}


def changed(before: dict[Any, Any], after: dict[Any, Any]) -> dict[Any, Any]:
    """What is reported otherwise."""
    assert before.keys() == after.keys()
    return differences(before, after)


def chosen(kind: CatalogKind) -> dict[str, tuple[str, ...]]:
    """The tables that are looked at: a half of them for each kind of catalog database."""
    tables = SAME | OTHERS
    start, step = (0, 1) if FULL else (CATALOG_KINDS.index(kind) % 2, 2)
    return {name: tables[name] for name in list(tables)[start::step]}


@pytest.mark.every_database
def test_the_catalog_is_that_of_duckdb_and_history_stays(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    lake, twin = lakes.new(kind), lakes.new(kind)
    tables = chosen(kind)
    spans = make_tables(lake, tables)
    assert make_tables(twin, tables) == spans
    catalog = register(lake)
    before, ours = by_duckdb(lake, spans), by_spark(spark, catalog, spans)

    found: dict[str, Rows] = {}
    for name in tables:
        with Peer(twin) as peer:
            theirs = peer.rows(f"CALL ducklake_merge_adjacent_files('lake', '{name}')")

        assert sorted(merge(spark, catalog, f"'{name}'")) == sorted(theirs), name
        if name in SAME:
            found[name] = unlike(file_rows(lake, name), file_rows(twin, name))
        assert merge(spark, catalog, f"'{name}'") == []

    assert "\n".join(str(row) for rows in found.values() for row in rows) == ""
    assert changed(before, by_duckdb(lake, spans)) == {}
    assert changed(ours, by_spark(spark, catalog, spans)) == {}
    assert len(scheduled(lake)) == len(scheduled(twin))
    theirs_made, ours_made = read_catalog(twin), read_catalog(lake)
    assert [row["snapshot_id"] for row in ours_made.rows("snapshot")] == [
        row["snapshot_id"] for row in theirs_made.rows("snapshot")
    ]
    assert ours_made.rows("table_stats") != []
    assert check(lake, Scope(None)) == []


LIMITS: dict[str, tuple[int | None, tuple[int, ...], str]] = {
    "every": (None, (3, 3, 3, 60, 3, 3), ""),
    "target": (5000, (3, 3, 3, 60, 3, 3, 3, 3, 3), ""),
    "most": (3000, (3, 3, 3, 3, 3, 3), "max_compacted_files => 2"),
    "below": (None, (3, 60, 3, 60, 3), "max_file_size => 2500"),
    "least": (None, (3, 60, 3, 60, 3), "min_file_size => 2500"),
    "none": (None, (3, 60, 3), "min_file_size => 2500, max_file_size => 2600"),
}
"""By table: the target size, the rows of each file (three are 1.6 kB), and arguments."""


def test_sizes_and_numbers_limit_what_is_merged(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake, twin = lakes.new("sqlite"), lakes.new("sqlite")
    columns = ", ".join(f"c{n} VARCHAR" for n in range(10))
    for each in (lake, twin):
        tables = {}
        for name, (target, files, _) in LIMITS.items():
            values = ", ".join(f"md5(({n} + 7 * i)::VARCHAR)" for n in range(10))
            inserts = [f"INSERT INTO {name} SELECT {values} FROM range({n}) r(i)" for n in files]
            tables[name] = [f"CREATE TABLE {name} ({columns})", *inserts]
            if target:
                option = f"'target_file_size', '{target}B', table_name => '{name}'"
                tables[name].append(f"CALL lake.set_option({option})")
        make_tables(each, tables)
    catalog = register(lake)

    for name, (_, _, arguments) in LIMITS.items():
        with Peer(twin) as peer:
            call = ", ".join(part for part in (f"'lake', '{name}'", arguments) if part)
            theirs = peer.rows(f"CALL ducklake_merge_adjacent_files({call})")
        named = ", ".join(part for part in (f"table_name => '{name}'", arguments) if part)
        assert (name, merge(spark, catalog, named)) == (name, theirs)
        assert (name, unlike(file_rows(lake, name), file_rows(twin, name))) == (name, [])


@since(VARIANT_WRITES)
def test_arguments_and_options_are_obeyed(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    files = ("INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)")
    tables = {
        name: [f"CREATE TABLE {name} (i {kind})", *(each.replace("{t}", name) for each in files)]
        for name, kind in (("a", "INT"), ("b", "INT"), ("lossy", "INT"), ("off", "INT"))
    }
    tables["lossy"].append("ALTER TABLE lossy ADD COLUMN n VARIANT")
    for value in ("{'a': TIME '12:00:00'}", "1"):
        tables["lossy"].append(f"INSERT INTO lossy SELECT 1, {value}::VARIANT")
    tables["off"].append("CALL lake.set_option('auto_compact', 'false', table_name => 'off')")
    make_tables(lake, tables)
    with Peer(lake) as peer:
        peer.run("CREATE SCHEMA s", "CREATE TABLE s.c (i INT)")
        peer.run("CALL lake.set_option('data_inlining_row_limit', '0')")
        peer.run("INSERT INTO s.c VALUES (1)", "INSERT INTO s.c VALUES (2)")
    catalog = register(lake)

    for arguments, argument in (
        ("max_compacted_files => 0", "max_compacted_files"),
        ("max_file_size => 0", "max_file_size"),
        ("min_file_size => -1", "min_file_size"),
        ("min_file_size => 5, max_file_size => 5", "min_file_size"),
    ):
        with pytest.raises(PySparkException, match=f"`?{argument}") as error:
            merge(spark, catalog, arguments)
        assert error.value.getCondition() == "DUCKLAKE_INVALID_ARGUMENT"
    with pytest.raises(PySparkException, match="nothing"):
        merge(spark, catalog, "'nothing'")

    assert merge(spark, catalog, "schema => 's'") == [("s", "c", 2, 1)]
    assert merge(spark, catalog, "'off'") == []
    with pytest.raises(PySparkException, match="column `n` Spark cannot carry") as error:
        merge(spark, catalog)
    assert error.value.getCondition() == "DUCKLAKE_MAINTENANCE_INCOMPLETE"
    assert "2 files of main.a, 2 files of main.b, 2 files of main.lossy" in str(error.value)
    assert merge(spark, catalog, "'a'") == []
    assert len([row for row in file_rows(lake, "lossy") if row[4] == "data_file"]) == 3
    assert check(lake, Scope(None, is_free_of_orphans=True)) == []


@pytest.mark.damages  # a file is lost
@pytest.mark.parametrize("arguments", ["'t'", "'t', max_compacted_files => 1"])
def test_a_group_that_cannot_be_merged_stops_no_other(
    spark: SparkSession, lakes: LakeFactory, register: Register, arguments: str
) -> None:
    lake = lakes.new("sqlite")
    inserts = ["INSERT INTO t SELECT p, 1 FROM range(3) r(p)"] * 2
    partitioned = "ALTER TABLE t SET PARTITIONED BY (p)"
    make_tables(lake, {"t": ["CREATE TABLE t (p INT, i INT)", partitioned, *inserts]})
    catalog = register(lake)
    files = {path.parent.name: path for path in lake.data_path.rglob("*.parquet")}
    files["p=0"].unlink()

    with pytest.raises(PySparkException, match=files["p=0"].name) as error:
        merge(spark, catalog, arguments)

    assert error.value.getCondition() == "DUCKLAKE_MAINTENANCE_INCOMPLETE"
    merged = 2 if "max" in arguments else 4
    assert f"{merged} files of main.t" in str(error.value)
    rows = [row for row in file_rows(lake, "t") if row[4] == "data_file"]
    assert len(rows) == 6 - merged // 2
    with pytest.raises(PySparkException) as error:
        merge(spark, catalog, "'t'")
    condition = "UNREADABLE_FILE" if merged == 4 else "MAINTENANCE_INCOMPLETE"
    assert error.value.getCondition() == f"DUCKLAKE_{condition}"
    found = spark.sql(f"SELECT p, count(*) FROM {catalog}.t WHERE p > 0 GROUP BY p ORDER BY p")
    assert [tuple(row) for row in found.collect()] == [(1, 2), (2, 2)]
    orphans = check(lake, Scope(None, is_free_of_orphans=True))
    assert [problem for problem in orphans if files["p=0"].name not in str(problem)] == []
