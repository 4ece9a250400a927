"""MERGE into a large table leaves out target rows that no row of the source can match."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import column, refused
from support.jobs import wait_for_the_listeners
from support.lakes import Lake, LakeFactory
from support.logs import logged
from support.peer import Peer

Register = Callable[..., str]

ROWS = 1_000_000
TABLE = (
    "CREATE TABLE t AS SELECT i AS k, 's' || i AS s, (i / 4)::DECIMAL(12, 2) AS d,"
    " make_timestamp(i * 1000000) AS ts, i::DOUBLE AS f, 0 AS v FROM range({rows}) r(i)",
    "INSERT INTO t SELECT NULL, NULL, NULL, NULL, NULL, 0",
    "CREATE TABLE s AS SELECT i AS k, 's' || i AS s, (i / 4)::DECIMAL(12, 2) AS d,"
    " make_timestamp(i * 1000000) AS ts, i::DOUBLE AS f"
    " FROM range({rows} - 500, {rows} + 500) r(i) UNION ALL SELECT NULL, NULL, NULL, NULL, NULL",
)
MERGE = (
    "MERGE INTO {c}.t AS t USING {source} AS s ON {on} WHEN MATCHED THEN UPDATE SET v = 1"
    " WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, 2)"
)
OF_LAKE = "{c}.s"
CHANGED = {0: ROWS - 499, 1: 500, 2: 501}
"""The rows with each `v` afterwards; NULL matches nothing."""


def made(lakes: LakeFactory, rows: int = ROWS) -> Lake:
    """A lake with a table of so many rows, and a source of which half the rows have a match."""
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(*(text.format(rows=rows) for text in TABLE))
    return lake


def is_filtered(spark: SparkSession, statement: str) -> bool:
    """Whether rows of the target are left out."""
    plan = "\n".join(column(spark, f"EXPLAIN {statement}"))
    assert "MergeRows" in plan, plan
    return "might_contain" in plan


def rows_kept(spark: SparkSession, catalog: str) -> int:
    """How many rows of the target the last MERGE in a catalog has joined."""
    wait_for_the_listeners(spark)
    store = spark._jsparkSession.sharedState().statusStore()
    executions = store.executionsList()
    known = (executions.apply(i) for i in range(executions.size()))
    last = max(
        execution.executionId()
        for execution in known
        if "MergeRows" in (plan := execution.physicalPlanDescription()) and f"{catalog}." in plan
    )
    shown = store.executionMetrics(last)
    nodes = store.planGraph(last).allNodes()
    for i in range(nodes.size()):
        node = nodes.apply(i)
        if node.name() == "Filter" and "might_contain" in node.desc():
            for m in range(node.metrics().size()):
                metric = node.metrics().apply(m)
                if metric.name() == "number of output rows":
                    return int(shown.apply(metric.accumulatorId()).replace(",", ""))
    raise AssertionError("no filter")


@pytest.mark.parametrize(
    ("on", "source"),
    [
        ("t.k = s.k", OF_LAKE),
        ("s.k = t.k AND t.s = s.s", OF_LAKE),
        ("t.s = s.s AND t.v < 10", OF_LAKE),
        ("t.d = s.d AND t.k = s.k", OF_LAKE),
        ("t.ts = s.ts", "(SELECT * FROM {c}.s VERSION AS OF 3)"),
        ("CAST(t.k AS STRING) = CAST(s.k AS STRING)", "of_files"),
        ("s.k = t.k AND s.k >= 0 AND t.rowid >= 0", "of_lake"),
        (
            "t.k = s.k",
            "(SELECT k, s FROM {c}.s WHERE k % 2 = 0 UNION ALL SELECT k, s FROM of_files"
            " WHERE k % 2 = 1 OR k IS NULL)",
        ),
    ],
)
def test_the_rows_are_those_of_the_whole_join(
    lakes: LakeFactory,
    spark: SparkSession,
    register: Register,
    tmp_path: Path,
    on: str,
    source: str,
) -> None:
    lake = made(lakes)
    c = register(lake)
    spark.table(f"{c}.s").write.parquet(f"{tmp_path}/s")
    spark.read.parquet(f"{tmp_path}/s").createOrReplaceTempView("of_files")
    spark.table(f"{c}.s").createOrReplaceTempView("of_lake")
    statement = MERGE.format(c=c, source=source.format(c=c), on=on)

    assert is_filtered(spark, statement)
    spark.sql(statement)

    assert 500 <= rows_kept(spark, c) < ROWS / 10
    with Peer(lake) as peer:
        assert dict(peer.rows("SELECT v, count(*) FROM t GROUP BY v")) == CHANGED
        assert peer.rows("SELECT min(k), max(k) FROM t WHERE v = 1") == [(ROWS - 500, ROWS - 1)]


@pytest.fixture(scope="module")
def large(lakes: LakeFactory) -> Lake:
    """A large table that no test changes."""
    return made(lakes)


def test_constant_rows_and_ranges_are_asked_too(
    large: Lake, spark: SparkSession, register: Register
) -> None:
    c = register(large)
    for source in (
        f"(SELECT k + 1 AS k FROM {c}.s WHERE k > 0 UNION ALL SELECT 5L AS k)",
        "(VALUES (1L), (2L) AS x(k))",
        "(SELECT id AS k FROM range(10))",
        f"(SELECT k FROM {c}.t)",
    ):
        assert is_filtered(spark, MERGE.format(c=c, source=source, on="t.k = s.k")), source


def test_the_whole_table_is_joined_where_a_second_look_may_differ_or_does_not_help(
    large: Lake, spark: SparkSession, register: Register, tmp_path: Path
) -> None:
    c = register(large)
    rows = spark.sparkContext.parallelize([(1,)])
    spark.createDataFrame(rows, "k BIGINT").createOrReplaceTempView("rdd")
    spark.udf.register("any_key", lambda k: k, "BIGINT")
    spark.range(10).withColumnRenamed("id", "k").write.parquet(f"{tmp_path}/s")
    lenient = spark.read.option("ignoreMissingFiles", "true").parquet(f"{tmp_path}/s")
    lenient.createOrReplaceTempView("lenient")
    lake = OF_LAKE.format(c=c)
    for source, on in (
        ("rdd", "t.k = s.k"),
        ("lenient", "t.k = s.k"),
        (f"(SELECT any_key(k) AS k FROM {c}.s)", "t.k = s.k"),
        (lake, "t.k = any_key(s.k)"),
        (f"(SELECT k FROM {c}.s WHERE rand() < 0.5)", "t.k = s.k"),
        (f"(SELECT max(k) AS k FROM {c}.s)", "t.k = s.k"),
        (f"(SELECT k FROM {c}.s WHERE k IN (SELECT k FROM {c}.s))", "t.k = s.k"),
        (lake, "t.f = s.f"),
        (lake, "t.k <=> s.k"),
        (lake, "t.k > s.k"),
        (lake, "t.k = s.k OR t.s = s.s"),
        (lake, "t.k = 5"),
    ):
        statement = MERGE.format(c=c, source=source, on=on)
        assert not is_filtered(spark, statement), statement
    statement = MERGE.format(c=c, source=lake, on="t.k = s.k")
    assert not is_filtered(spark, statement + " WHEN NOT MATCHED BY SOURCE THEN DELETE")
    assert not is_filtered(spark, statement.split(" WHEN NOT MATCHED")[0])
    prefix = "spark.sql.optimizer.runtime.bloomFilter"
    for key, value in (("enabled", "false"), ("expectedNumItems", "0")):
        spark.conf.set(f"{prefix}.{key}", value)
        try:
            assert not is_filtered(spark, statement), key
        finally:
            spark.conf.unset(f"{prefix}.{key}")


def test_a_table_whose_files_are_listed_with_each_read_is_not_asked(
    large: Lake, spark: SparkSession, register: Register
) -> None:
    c = register(large)
    stage = "spark_catalog.default.stage_of_merge"
    spark.sql(f"CREATE TABLE {stage} (k BIGINT, d INT) USING parquet PARTITIONED BY (d)")
    try:
        assert not is_filtered(spark, MERGE.format(c=c, source=stage, on="t.k = s.k"))
    finally:
        spark.sql(f"DROP TABLE {stage}")


def test_a_file_that_was_replaced_since_it_was_listed_is_read_once(
    large: Lake, spark: SparkSession, register: Register, tmp_path: Path
) -> None:
    c = register(large)
    for form in ("parquet", "csv"):
        folder = tmp_path / form
        spark.range(10).coalesce(1).selectExpr("id AS k").write.format(form).save(str(folder))
        spark.read.schema("k BIGINT").format(form).load(str(folder)).createOrReplaceTempView(form)
        statement = MERGE.format(c=c, source=form, on="t.k = s.k")
        assert is_filtered(spark, statement)

        (file,) = folder.glob(f"part-*.{form}")
        os.utime(file, (1, 1))

        assert not is_filtered(spark, statement)


def test_a_statement_whose_file_is_replaced_meanwhile_is_not_committed(
    lakes: LakeFactory, spark: SparkSession, register: Register, tmp_path: Path
) -> None:
    lake = made(lakes)
    c = register(lake)
    folder, started, done = tmp_path / "s", tmp_path / "started", tmp_path / "done"
    spark.range(10).coalesce(1).selectExpr("id AS k").write.parquet(str(folder))
    spark.read.parquet(str(folder)).createOrReplaceTempView("replaced")
    (file,) = folder.glob("part-*.parquet")

    def until(file: Path) -> None:
        import time

        deadline = time.monotonic() + 120
        while not file.exists():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{file.name} did not happen")
            time.sleep(0.01)

    def hold(value: int) -> int:
        started.touch()
        until(done)
        return value

    def replace() -> None:
        until(started)
        os.utime(file, (1, 1))
        done.touch()

    spark.udf.register("held", hold, "INT")
    source = "replaced"
    statement = MERGE.format(c=c, source=source, on="t.k = s.k").replace("v = 1", "v = held(t.v)")
    assert is_filtered(spark, statement)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(replace)
        refused(spark, statement, "DUCKLAKE_COMMIT_CONFLICT", file.name, "reads twice")
        other.result()

    with Peer(lake) as peer:
        assert peer.rows("SELECT v, count(*) FROM t GROUP BY v") == [(0, ROWS + 1)]


def test_a_small_table_is_joined_as_it_is(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    c = register(made(lakes, 10_000))

    statement = MERGE.format(c=c, source=OF_LAKE.format(c=c), on="t.k = s.k")
    assert not is_filtered(spark, statement)


def test_an_empty_source_changes_nothing_and_a_full_one_everything(
    lakes: LakeFactory, spark: SparkSession, register: Register
) -> None:
    lake = made(lakes)
    c = register(lake)

    spark.sql(MERGE.format(c=c, source=f"(SELECT k FROM {c}.s WHERE k < 0)", on="t.k = s.k"))
    with Peer(lake) as peer:
        assert peer.rows("SELECT v, count(*) FROM t GROUP BY v") == [(0, ROWS + 1)]

    spark.sql(MERGE.format(c=c, source=f"(SELECT id AS k FROM range({ROWS}))", on="t.k = s.k"))
    with Peer(lake) as peer:
        assert dict(peer.rows("SELECT v, count(*) FROM t GROUP BY v")) == {0: 1, 1: ROWS}


def test_the_filter_makes_no_large_tasks(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    catalog = register(made(lakes))
    statement = MERGE.format(c=catalog, source=OF_LAKE.format(c=catalog), on="t.k = s.k")
    assert is_filtered(spark, statement)

    with logged(spark, "org.apache.spark.scheduler.DAGScheduler") as written:
        spark.sql(statement)

    assert "large task binary" not in written.toString()
    assert rows_kept(spark, catalog) < 0.05 * ROWS
