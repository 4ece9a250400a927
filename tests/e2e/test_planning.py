"""What a scan leaves undone: files that cannot match, rows beyond a limit, shuffles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import read_metrics, rows
from support.catalogdb import execute
from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]


@pytest.fixture
def ten_files(lake: Lake) -> Lake:
    """A lake with a table of ten files of a hundred rows, one range of ids each."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (id BIGINT, name VARCHAR)")
        for start in range(0, 1000, 100):
            peer.run(f"INSERT INTO t SELECT i, 'n' || i FROM range({start}, {start + 100}) r(i)")
    return lake


@contextmanager
def _settings(spark: SparkSession, **settings: str) -> Iterator[None]:
    before = {key: spark.conf.get(key.replace("_", "."), None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key.replace("_", "."), value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key.replace("_", "."))
            else:
                spark.conf.set(key.replace("_", "."), old)


def test_files_that_cannot_match_are_not_opened(
    spark: SparkSession, ten_files: Lake, register: Register
) -> None:
    catalog = register(ten_files)

    frame = spark.sql(f"SELECT name FROM {catalog}.t WHERE id = 450")

    assert [tuple(row) for row in frame.collect()] == [("n450",)]
    metrics = read_metrics(frame)
    assert metrics["ducklakeFilesListed"] == 10
    assert metrics["ducklakeFilesPruned"] == 9
    assert metrics["ducklakeFilesRead"] == 1


def test_a_limit_reads_as_few_files_as_it_needs(
    spark: SparkSession, ten_files: Lake, register: Register
) -> None:
    catalog = register(ten_files)

    frame = spark.sql(f"SELECT id FROM {catalog}.t LIMIT 150")

    assert len(frame.collect()) == 150
    assert read_metrics(frame)["ducklakeFilesRead"] <= 2


@pytest.mark.damages
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_limit_lists_no_file_after_those_that_it_needs(
    spark: SparkSession, ten_files: Lake, register: Register
) -> None:
    """The last of the files that are added behind the ten are of no format."""
    execute(
        ten_files,
        "WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 300)"
        " INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, path,"
        " path_is_relative, file_format, record_count, file_size_bytes, footer_size, row_id_start)"
        " SELECT 1000 + id, table_id, begin_snapshot, 'none', 1,"
        " CASE WHEN id < 200 THEN 'parquet' ELSE 'torn' END, 100, 1000, 10, 100000 FROM ids,"
        " (SELECT * FROM ducklake_data_file ORDER BY data_file_id DESC LIMIT 1)",
    )
    catalog = register(ten_files)

    frame = spark.sql(f"SELECT id FROM {catalog}.t LIMIT 150")

    assert len(frame.collect()) == 150
    assert read_metrics(frame)["ducklakeFilesListed"] == 310


def test_a_join_prunes_files_while_it_runs(
    spark: SparkSession, ten_files: Lake, register: Register
) -> None:
    catalog = register(ten_files)
    spark.sql("SELECT 205 AS key, 'yes' AS wanted").createOrReplaceTempView("few")

    frame = spark.sql(
        f"SELECT t.name FROM {catalog}.t AS t JOIN few ON t.id = few.key WHERE few.wanted = 'yes'"
    )

    assert [tuple(row) for row in frame.collect()] == [("n205",)]
    metrics = read_metrics(frame)
    assert metrics["ducklakeFilesListed"] == 10
    assert metrics["ducklakeFilesRead"] == 1


def test_joins_of_tables_bucketed_alike_need_no_shuffle(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        for name in ("a", "b"):
            peer.run(
                f"CREATE TABLE {name} (id BIGINT, v VARCHAR)",
                f"ALTER TABLE {name} SET PARTITIONED BY (bucket(4, id))",
                f"INSERT INTO {name} SELECT i, '{name}' || i FROM range(200) r(i)",
            )
    catalog = register(lake)
    query = f"SELECT a.id, a.v, b.v FROM {catalog}.a JOIN {catalog}.b ON a.id = b.id"

    with _settings(
        spark,
        spark_sql_sources_v2_bucketing_enabled="true",
        spark_sql_autoBroadcastJoinThreshold="-1",
    ):
        frame = spark.sql(query)
        found = sorted(tuple(row) for row in frame.collect())
        plan = frame._jdf.queryExecution().executedPlan().toString()

    assert found == [(i, f"a{i}", f"b{i}") for i in range(200)]
    assert "Exchange" not in plan


def test_nan_is_one_group_whatever_its_bucket(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    """A computed NaN has its sign bit set, and is in another bucket than a written one."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (c DOUBLE, n INT)",
            "ALTER TABLE t SET PARTITIONED BY (bucket(100, c))",
            "INSERT INTO t VALUES ('nan', 1), (1.5, 3)",
            "INSERT INTO t VALUES ('inf'::DOUBLE - 'inf'::DOUBLE, 2)",
        )
        files = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")
    assert len({str(file).rpartition("/")[0] for (file,) in files}) == 3
    catalog = register(lake)

    sums = spark.sql(f"SELECT sum(n) AS s FROM {catalog}.t GROUP BY c ORDER BY s").collect()
    distinct = spark.sql(f"SELECT count(DISTINCT c) FROM {catalog}.t").collect()

    assert [row.s for row in sums] == [3, 3]
    assert distinct[0][0] == 2


def test_off_heap_vectors_give_the_same_rows(
    spark: SparkSession, ten_files: Lake, register: Register
) -> None:
    with Peer(ten_files, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("DELETE FROM t WHERE id % 7 = 0")
    catalog = register(ten_files)
    query = f"SELECT id, name, rowid FROM {catalog}.t ORDER BY id"
    right = rows(spark, query)

    with _settings(spark, spark_sql_columnVector_offheap_enabled="true"):
        found = rows(spark, query)

    assert found == right
    assert len(found) == 857


def test_registered_files_with_old_timestamps(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    """INT96, which older writers wrote: both engines read the same times."""
    with _settings(spark, spark_sql_parquet_outputTimestampType="INT96"):
        frame = spark.sql("SELECT 1 AS id, TIMESTAMP'2024-02-29 12:34:56.789Z' AS moment")
        frame.coalesce(1).write.parquet(str(tmp_path / "old"))
    (file,) = (tmp_path / "old").glob("*.parquet")
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (id INT, moment TIMESTAMP)",
            f"CALL ducklake_add_data_files('lake', 't', '{file}')",
        )
        ((theirs,),) = peer.rows("SELECT CAST(moment AS VARCHAR) FROM t")
    catalog = register(lake)

    ((ours,),) = rows(spark, f"SELECT CAST(moment AS STRING) FROM {catalog}.t")

    assert ours == theirs == "2024-02-29 12:34:56.789"
