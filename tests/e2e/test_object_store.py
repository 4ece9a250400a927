"""Lakes whose files are in an S3 bucket: both engines, and what is asked of the store."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import value
from support.lakes import IN_FILES, Lake
from support.lines import FEWEST_REQUESTS, ROW_GROUPS, before, since
from support.objectstore import ObjectStore, secret_of
from support.peer import Peer, made
from support.session import REPOSITORY, store_jars
from support.storeproxy import Request
from support.streams import Feed
from support.sweep import only_in_the_full_sweep

Register = Callable[..., str]

QUICKSTART = REPOSITORY / "python/examples/quickstart.py"


@pytest.fixture
def lake(stored_lake: Lake) -> Lake:
    """In the bucket, with a file of a hundred rows that DuckDB wrote."""
    return stored_lake


def data(requests: list[Request]) -> list[str]:
    """The methods and queries of the requests, without signatures and addresses."""
    return [f"{one.method}{'?' + one.query if one.query else ''}" for one in requests]


def assert_given_up(requests: list[Request]) -> None:
    """Uploads were begun, and all of them aborted."""
    begun = [one for one in data(requests) if one.startswith("POST?uploads")]
    ended = [one for one in data(requests) if one.startswith("DELETE?uploadId")]
    assert len(begun) == len(ended) > 0, data(requests)
    assert not [one for one in data(requests) if one.startswith("POST?uploadId")]


def test_both_engines_write_and_read_one_bucket(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake, IN_FILES)

    spark.sql(f"INSERT INTO {catalog}.t SELECT id, 'y' FROM range(100, 150)")
    spark.sql(f"DELETE FROM {catalog}.t WHERE a < 10")
    spark.sql(f"UPDATE {catalog}.t SET b = 'z' WHERE a % 50 = 20")
    spark.sql(
        f"MERGE INTO {catalog}.t USING (SELECT explode(array(20, 1000)) AS a) s ON t.a = s.a "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, 'new')"
    )
    made(
        lake,
        "INSERT INTO t SELECT i, 'w' FROM range(2000, 2005) r(i)",
        "DELETE FROM t WHERE a = 99",
    )

    question = "SELECT count(*), sum(a), count(DISTINCT b), max(a) FROM {}t"
    with Peer(lake) as peer:
        (expected,) = peer.rows(question.format(""))
        head = peer.head()
    assert tuple(spark.sql(question.format(f"{catalog}.")).first() or ()) == expected
    assert expected == (144, 22021, 91, 2004)
    changes = spark.sql(
        "SELECT change_type, count(*) "
        f"FROM ducklake_table_changes('{catalog}', 'main', 't', 1, {head}) "
        "GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row) for row in changes.collect()] == [
        ("delete", 12),
        ("insert", 156),
        ("update_postimage", 3),
        ("update_preimage", 3),
    ]


def test_upkeep_leaves_the_bucket_tidy(
    spark: SparkSession, lake: Lake, register: Register, store: ObjectStore
) -> None:
    catalog = register(lake, IN_FILES)
    for start in (100, 200, 300):
        spark.sql(f"INSERT INTO {catalog}.t SELECT id, 'y' FROM range({start}, {start + 10}, 1, 1)")
    spark.sql(f"DELETE FROM {catalog}.t WHERE a < 99")
    left = next(lake.data_path.rglob("*.parquet"))
    store.put(left, left.with_name(f"ducklake-{uuid.uuid4()}.parquet"))

    spark.sql(f"CALL {catalog}.system.rewrite_data_files('t', delete_threshold => 0.5)").collect()
    spark.sql(f"CALL {catalog}.system.merge_adjacent_files('t')").collect()
    versions = "SELECT collect_list(snapshot_id) FROM {0}.system.snapshots"
    ((all_of_them,),) = spark.sql(versions.format(catalog)).collect()
    spark.sql(
        f"CALL {catalog}.system.expire_snapshots(versions => array({str(all_of_them[:-1])[1:-1]}))"
    ).collect()
    with store.proxy.listed() as requests:
        cleaned = spark.sql(f"CALL {catalog}.system.cleanup_old_files(cleanup_all => true)").count()
    spark.sql(f"CALL {catalog}.system.delete_orphaned_files(cleanup_all => true)").collect()

    assert cleaned >= 5
    assert data(requests) == ["POST?delete"], "one request deletes them all"
    assert len([path for path in lake.data_path.rglob("*") if path.is_file()]) == 1
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*), min(a) FROM t") == [(31, 99)]


def test_files_in_many_folders_are_found_by_one_listing(
    spark: SparkSession, lake: Lake, register: Register, store: ObjectStore, tmp_path: Path
) -> None:
    catalog = register(lake, IN_FILES)
    with Peer(lake) as peer:
        peer.run(f"COPY (SELECT 1 AS a, 'x' AS b) TO '{tmp_path}/x.parquet' (FORMAT parquet)")
    given = lake.data_path.parent / "given"
    for key in [*(f"k={n}" for n in range(20)), "_temporary/0"]:
        store.put(tmp_path / "x.parquet", given / key / "x.parquet")
    spark.sql(f"CREATE TABLE {catalog}.given (a INT, b STRING)")

    with store.proxy.listed() as requests:
        spark.sql(
            f"CALL {catalog}.system.add_data_files('given', 's3://{given.relative_to(store.root)}')"
        ).collect()

    listings = [one for one in data(requests) if "list-type" in one]
    assert len(listings) <= 3, "the folder is looked up, and listed once"
    assert spark.table(f"{catalog}.given").count() == 20


def test_a_scan_asks_for_no_more_than_bare_parquet(
    spark: SparkSession, lake: Lake, register: Register, store: ObjectStore
) -> None:
    catalog, bare = register(lake, IN_FILES), store.bucket("bare")
    (file,) = lake.data_path.rglob("*.parquet")
    store.put(file, bare.folder / "t" / "part.parquet")
    query = "SELECT sum(a), max(b) FROM {}"

    with store.proxy.listed() as ours:
        answer = spark.sql(query.format(f"{catalog}.t")).collect()
    with store.proxy.listed() as theirs:
        reader = spark.read.schema("a BIGINT, b STRING").options(**bare.s3a())
        reader.parquet("s3a://bare/t").createOrReplaceTempView("bare")
        same = spark.sql(query.format("bare")).collect()

    assert answer == same
    asked = [one for one in theirs if one.path.endswith(".parquet")]
    assert data(ours) == ["GET"], "a small file is read at once"
    assert len(ours) <= len(asked), f"bare Parquet: {data(asked)}"


@since(FEWEST_REQUESTS)
def test_a_search_for_a_value_asks_once_for_all_row_groups(
    spark: SparkSession, stored_lake: Lake, register: Register, store: ObjectStore
) -> None:
    made(
        stored_lake,
        "CALL set_option('parquet_row_group_size', '15000')",
        "CREATE TABLE wide AS SELECT i AS a, uuid()::VARCHAR AS u, ['x', 'z'][1 + i % 2] AS b "
        "FROM range(60000) r(i)",
    )
    catalog, bare = register(stored_lake, IN_FILES), store.bucket("searched")
    (file,) = (stored_lake.data_path / "main/wide").glob("*.parquet")
    assert file.stat().st_size > 1024 * 1024
    store.put(file, bare.folder / "wide/part.parquet")
    reader = spark.read.options(**bare.s3a(), **{"fs.s3a.input.stream.type": "classic"})
    reader.parquet("s3a://searched/wide").createOrReplaceTempView("searched")

    def asked(query: str) -> tuple[int, int]:
        counts = []
        for table in (f"{catalog}.wide", "searched"):
            with store.proxy.listed() as requests:
                spark.sql(query.format(table)).collect()
            counts.append(len(requests))
        return counts[0], counts[1]

    ours, theirs = asked("SELECT sum(a) FROM {} WHERE b = 'y'")
    assert ours == 2 < theirs, "the footer, and the bloom filters of all row groups"
    ours, theirs = asked("SELECT count(b) FROM {} WHERE b >= 'y'")
    assert ours == 1 + 4 < theirs, "the footer and a column of each row group: no dictionary"


@since(FEWEST_REQUESTS)
def test_columns_that_are_not_far_apart_are_one_request_of_each_row_group(
    spark: SparkSession, stored_lake: Lake, register: Register, store: ObjectStore
) -> None:
    made(
        stored_lake,
        "CALL set_option('parquet_row_group_size', '60000')",
        "CREATE TABLE apart AS SELECT i AS a, hash(i) AS between, i * 7 AS c "
        "FROM range(240000) r(i)",
    )
    catalog = register(stored_lake, IN_FILES)
    near = register(stored_lake, IN_FILES | {"hadoop.fs.s3a.vectored.read.min.seek.size": "128K"})

    counts = []
    for each in (catalog, near):
        with store.proxy.listed() as requests:
            assert value(spark, f"SELECT sum(c - 7 * a) FROM {each}.apart") == 0
        assert set(data(requests)) == {"GET"}
        counts.append(len(requests))

    assert counts == [1 + 4, 1 + 2 * 4], "the footer, and the columns of four row groups"


@before(FEWEST_REQUESTS)
def test_each_column_of_a_row_group_is_a_request(
    spark: SparkSession, stored_lake: Lake, register: Register, store: ObjectStore
) -> None:
    made(
        stored_lake,
        "CALL set_option('parquet_row_group_size', '60000')",
        "CREATE TABLE apart AS SELECT i AS a, hash(i) AS between, i * 7 AS c "
        "FROM range(240000) r(i)",
    )
    catalog = register(stored_lake, IN_FILES)

    with store.proxy.listed() as requests:
        assert value(spark, f"SELECT sum(c - 7 * a) FROM {catalog}.apart") == 0

    assert data(requests) == ["GET"] * (1 + 2 * 4)


@since(FEWEST_REQUESTS)
def test_a_delete_file_is_one_request(
    spark: SparkSession, lake: Lake, register: Register, store: ObjectStore
) -> None:
    catalog = register(lake, IN_FILES)
    with store.proxy.listed() as writing:
        spark.sql(f"DELETE FROM {catalog}.t WHERE a IN (3, 5, 97)")
    with store.proxy.listed() as reading:
        assert spark.sql(f"SELECT count(*) FROM {catalog}.t WHERE b > ''").first() == (97,)

    assert [one for one in data(writing) if one != "GET"] == ["PUT"]
    deletes = [one for one in reading if one.path.endswith("-delete.parquet")]
    assert data(deletes) == ["GET"]
    assert set(data(reading)) == {"GET"}


def test_a_written_file_is_one_request(
    spark: SparkSession, lake: Lake, register: Register, store: ObjectStore
) -> None:
    catalog = register(lake, IN_FILES)

    with store.proxy.listed() as requests:
        spark.range(0, 50, 1, 1).selectExpr("id AS a", "'y' AS b").writeTo(f"{catalog}.t").append()

    assert data(requests) == ["PUT"], "bare Parquet also makes folders, lists and renames"


def test_a_large_file_is_as_many_requests_as_it_has_parts(
    spark: SparkSession, lake: Lake, register: Register, store: ObjectStore
) -> None:
    catalog = register(lake, IN_FILES | {"hadoop.fs.s3a.multipart.size": "5M"})
    texts = ", ".join(["uuid()"] * 10)
    rows = spark.range(0, 40000, 1, 1).selectExpr("id AS a", f"concat({texts}) AS b")

    with store.proxy.listed() as requests:
        rows.writeTo(f"{catalog}.t").append()

    size = max(file.stat().st_size for file in lake.data_path.rglob("*.parquet"))
    parts = math.ceil(size / (5 * 1024 * 1024))
    kinds = Counter(re.sub("=[^&]*|&.*", "", one) for one in data(requests))
    assert parts > 1
    assert kinds == {"POST?uploads": 1, "PUT?partNumber": parts, "POST?uploadId": 1}


@since(ROW_GROUPS)
def test_a_write_that_fails_leaves_nothing(
    spark: SparkSession, lake: Lake, register: Register, store: ObjectStore
) -> None:
    made(lake, "CALL set_option('parquet_row_group_size', '10000')")
    catalog = register(lake, IN_FILES | {"hadoop.fs.s3a.multipart.size": "5M"})
    texts = ", ".join(["uuid()"] * 10)
    rows = f"SELECT id AS a, concat({texts}) AS b FROM range(0, 60000, 1, 1)"
    fails = f"SELECT IF(a = 59999, raise_error('stop'), a) AS a, b FROM ({rows})"

    with store.proxy.listed() as requests, pytest.raises(PySparkException, match="stop"):
        spark.sql(f"INSERT INTO {catalog}.t {fails}")

    assert_given_up(requests)
    assert len(list(lake.data_path.rglob("*.parquet"))) == 1


def test_a_merge_that_fails_leaves_nothing(
    spark: SparkSession, lake: Lake, register: Register, store: ObjectStore
) -> None:
    made(lake, "CALL set_option('parquet_row_group_size', '10000')")
    catalog = register(lake, IN_FILES | {"hadoop.fs.s3a.multipart.size": "5M"})
    texts = ", ".join(["uuid()"] * 10)
    for start in (0, 40000):
        rows = spark.range(start, start + 40000, 1, 1).selectExpr("id a", f"concat({texts}) b")
        rows.writeTo(f"{catalog}.t").append()
    files = sorted(lake.data_path.rglob("*.parquet"))

    def refused(one: Request) -> str | None:
        """Nothing is read any more once a part of the new file was sent."""
        has_begun = any(request.query.startswith("partNumber") for request in requests)
        return "AccessDenied" if has_begun and one.method == "GET" else None

    with (
        store.proxy.listed() as requests,
        store.proxy.refusing(refused),
        pytest.raises(PySparkException, match="refused access"),
    ):
        spark.sql(f"CALL {catalog}.system.merge_adjacent_files('t')").collect()

    assert_given_up(requests)
    assert sorted(lake.data_path.rglob("*.parquet")) == files


@only_in_the_full_sweep("a Spark of its own")
def test_the_quickstart_runs_in_a_bucket(store: ObjectStore, tmp_path: Path) -> None:
    bucket = store.bucket("quickstart")
    environment = {
        "AWS_ACCESS_KEY_ID": bucket.key,
        "AWS_SECRET_ACCESS_KEY": secret_of(bucket.key),
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{bucket.port}",
        "DUCKLAKE_STORE_JARS": store_jars(),
        "PYTHONPATH": str(REPOSITORY / "python/src"),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }

    ran = subprocess.run(
        [sys.executable, str(QUICKSTART), str(tmp_path / "lake"), "s3://quickstart/lake/"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "DuckDB and Spark agree everywhere." in ran.stdout
    assert not list((tmp_path / "lake").rglob("*.parquet"))
    assert list((bucket.folder / "lake").rglob("*.parquet"))


def test_a_stream_merges_its_rows_by_key(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    table = f"{register(lake, IN_FILES)}.main.t"
    events = Feed(spark, tmp_path)
    events.add(
        tuple((i, "changed", "u") for i in range(90, 110)),
        ((95, None, "d"), (120, "new", "u")),
        columns=("a", "b", "op"),
    )
    options = {"merge-keys": "a", "delete-when": "op = 'd'"}
    frame = events.frame("a BIGINT, b STRING, op STRING")

    assert events.run(table, frame, options=options) == [0, 1]
    events.forget_last_commit()
    with Peer(lake) as peer:
        head = peer.head()
    events.run(table, frame, options=options)

    with Peer(lake) as peer:
        assert peer.head() == head
        found = peer.rows("SELECT a, b FROM t WHERE a >= 90 ORDER BY a")
        assert peer.value("SELECT count(*) FROM t") == 110
    assert found == [(a, "changed") for a in range(90, 110) if a != 95] + [(120, "new")]
    assert [
        tuple(row) for row in spark.table(table).where("a >= 90").orderBy("a").collect()
    ] == found
