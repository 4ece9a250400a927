"""The sizes of scans, in the currency of the thresholds by which Spark chooses joins."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer
from support.plans import choices, plan_of, size_of

Register = Callable[..., str]

NESTED = "{'x': i, 'y': 'some text ' || i}"


def _bare(spark: SparkSession, lake: Lake, table: str) -> SparkSession:
    """A session in which the table is plain Parquet over the same files."""
    with Peer(lake) as peer:
        rows = peer.rows("SELECT data_file FROM ducklake_list_files('lake', ?)", [table])
    session = spark.newSession()
    session.read.parquet(*[str(row[0]) for row in rows]).createOrReplaceTempView("t")
    return session


@pytest.fixture
def four_files(lake: Lake) -> Lake:
    """A table of four files of a thousand rows, one range of ids each, with many types."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (id BIGINT, name VARCHAR, d DATE, price DECIMAL(7, 2), f FLOAT, "
            "l INT[], s STRUCT(x INT, y VARCHAR))"
        )
        for start in range(0, 4000, 1000):
            peer.run(
                "INSERT INTO t SELECT i, 'n' || i, DATE '2024-01-01' + CAST(i % 100 AS INT), "
                f"i / 100, i, [i, i], {NESTED} FROM range({start}, {start + 1000}) r(i)"
            )
    return lake


@pytest.mark.parametrize("where", ["", "WHERE f > 1", "WHERE name LIKE '%1' AND f > 2"])
def test_a_scan_has_the_size_of_its_files(
    spark: SparkSession, four_files: Lake, register: Register, where: str
) -> None:
    catalog = register(four_files)
    bare = _bare(spark, four_files, "t")

    for chosen in ("*", "id", "name", "d, price", "l", "s", "id + f AS sum", "max(name)"):
        ours = size_of(spark.sql(f"SELECT {chosen} FROM {catalog}.t {where}"))
        theirs = size_of(bare.sql(f"SELECT {chosen} FROM t {where}"))
        # Spark rounds down once more where a projection stands in the place of a smaller scan.
        assert theirs - 1 <= ours <= theirs + 1, chosen


def test_fields_of_a_struct_are_a_part_of_its_size(
    spark: SparkSession, four_files: Lake, register: Register
) -> None:
    catalog = register(four_files)
    bare = _bare(spark, four_files, "t")

    ours = size_of(spark.sql(f"SELECT s.x FROM {catalog}.t"))

    assert 1 < ours <= size_of(bare.sql("SELECT s.x FROM t"))


def test_files_that_cannot_match_have_no_size(
    spark: SparkSession, four_files: Lake, register: Register
) -> None:
    catalog = register(four_files)
    whole = size_of(spark.sql(f"SELECT name FROM {catalog}.t WHERE id >= 0"))

    quarter = size_of(spark.sql(f"SELECT name FROM {catalog}.t WHERE id >= 3000"))
    nothing = size_of(spark.sql(f"SELECT name FROM {catalog}.t WHERE id >= 4000"))

    assert 0.2 < quarter / whole < 0.3
    assert nothing == 1


def test_deleted_rows_have_no_size(
    spark: SparkSession, four_files: Lake, register: Register
) -> None:
    catalog = register(four_files)
    before = size_of(spark.sql(f"SELECT name FROM {catalog}.t"))
    with Peer(four_files, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("DELETE FROM t WHERE id % 4 < 3")

    after = size_of(spark.sql(f"SELECT name FROM {catalog}.t"))

    assert after == pytest.approx(before / 4, abs=4)


def test_inlined_rows_have_a_size(spark: SparkSession, lake: Lake, register: Register) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 1000") as peer:
        peer.run("CREATE TABLE t (id BIGINT, name VARCHAR)")
        peer.run("INSERT INTO t SELECT i, 'n' || i FROM range(100) r(i)")
    catalog = register(lake)

    assert size_of(spark.sql(f"SELECT * FROM {catalog}.t")) == 100 * (8 + 8 + 20)
    assert size_of(spark.sql(f"SELECT id FROM {catalog}.t")) == 100 * (8 + 8)


def test_the_factor_of_the_session_counts(
    spark: SparkSession, four_files: Lake, register: Register
) -> None:
    catalog = register(four_files)
    once = size_of(spark.sql(f"SELECT * FROM {catalog}.t"))
    spark.conf.set("spark.sql.sources.fileCompressionFactor", "3.0")
    try:
        thrice = size_of(spark.sql(f"SELECT * FROM {catalog}.t"))
    finally:
        spark.conf.unset("spark.sql.sources.fileCompressionFactor")

    assert thrice == 3 * once


def test_a_change_feed_has_a_part_of_the_size_of_its_files(
    spark: SparkSession, four_files: Lake, register: Register
) -> None:
    catalog = register(four_files)
    rows = size_of(spark.sql(f"SELECT * FROM {catalog}.t"))

    feed, one = (
        size_of(
            spark.sql(
                f"SELECT * FROM {catalog}.main.t.insertions WITH ('start-snapshot' = '{first}')"
            )
        )
        for first in (2, 5)
    )

    assert rows - 4 <= feed <= rows
    assert 0.2 < one / feed < 0.3


@pytest.mark.parametrize(
    "small",
    [
        "(SELECT max(id) AS m FROM {}.t) AS s",
        "(SELECT max(snapshot_id) AS m FROM {}.system.snapshots) AS s",
        "(SELECT snapshot_id AS m FROM {}.system.snapshots) AS s",
    ],
    ids=["answered from the catalog", "aggregate of a metadata table", "metadata table"],
)
def test_rows_from_the_catalog_are_broadcast(
    spark: SparkSession, four_files: Lake, register: Register, small: str
) -> None:
    """Spark takes a source without statistics for an endless one, and would sort both sides."""
    catalog = register(four_files)
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "1000")
    try:
        frame = spark.sql(
            f"SELECT name FROM {catalog}.t JOIN {small.format(catalog)} ON t.id = s.m"
        )
        found = frame.collect()
        chosen = choices(plan_of(frame))
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")

    assert found
    assert chosen["BroadcastHashJoin"] >= 1
    assert chosen["SortMergeJoin"] == 0
