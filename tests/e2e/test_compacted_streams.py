"""Streams that merge the small files and inlined rows they leave, after so many epochs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import IN_FILES, Lake
from support.logs import logged
from support.peer import Peer
from support.streams import Feed, Stream

Register = Callable[..., str]
TABLE = "CREATE TABLE t (id INT, name VARCHAR, n INT)"
EVERY_THIRD = {"compact-after-epochs": "3"}


@pytest.fixture
def feed(spark: SparkSession, tmp_path: Path) -> Feed:
    """No files yet."""
    return Feed(spark, tmp_path)


def batches(first: int, last: int) -> list[tuple[tuple[int, str, int], ...]]:
    """Batches of two rows each."""
    return [((n, f"a{n}", n), (n + 1000, f"b{n}", n)) for n in range(first, last)]


def left(lake: Lake) -> tuple[int, int]:
    """How many data files a table has, and how many rows in the catalog."""
    with Peer(lake) as peer:
        (files,) = peer.rows("SELECT count(*) FROM ducklake_list_files('lake', 't')")[0]
        (all_rows,) = peer.rows("SELECT count(*) FROM t")[0]
        in_files = peer.rows(
            "SELECT sum(record_count) FROM __ducklake_metadata_lake.ducklake_data_file "
            "WHERE end_snapshot IS NULL"
        )[0][0]
    return files, all_rows - int(in_files or 0)


@pytest.mark.parametrize("form", [{}, IN_FILES], ids=["inlined", "files"])
@pytest.mark.parametrize("scope", ["stream", "table", "lake"])
def test_small_files_are_merged_after_epochs(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    feed: Feed,
    scope: str,
    form: dict[str, str],
) -> None:
    with Peer(lake) as peer:
        peer.run(TABLE)
    catalog = register(lake, form)
    if scope == "table":
        spark.sql(f"ALTER TABLE {catalog}.t SET TBLPROPERTIES ('compact-after-epochs' = '3')")
    if scope == "lake":
        spark.sql(f"CALL {catalog}.system.set_option('compact-after-epochs', 3)").collect()
    options = EVERY_THIRD if scope == "stream" else {}

    feed.add(*batches(0, 2))
    feed.run(f"{catalog}.main.t", options=options)
    assert left(lake) == ((2, 0) if form else (0, 4))
    feed.add(*batches(2, 7))
    feed.run(f"{catalog}.main.t", options=options)

    assert left(lake) == ((2, 0) if form else (1, 2))
    expected = sorted(row for batch in batches(0, 7) for row in batch)
    assert rows(spark, f"SELECT * FROM {catalog}.main.t ORDER BY id") == expected
    with Peer(lake) as peer:
        assert peer.rows("SELECT * FROM t ORDER BY id") == expected


def test_each_partition_has_its_turn(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed
) -> None:
    """A run merges four partitions of twelve, each in a commit of its own; four are the oldest."""
    with Peer(lake) as peer:
        peer.run(TABLE, "ALTER TABLE t SET PARTITIONED BY (id)")
    table = f"{register(lake, IN_FILES)}.main.t"
    epochs, partitions = 9, 12
    feed.add(tuple((n, "first", 0) for n in range(4)))
    feed.add(
        *(tuple((n, f"e{epoch}", epoch) for n in range(partitions)) for epoch in range(epochs))
    )

    feed.run(table, options={"compact-after-epochs": "1"})

    with Peer(lake) as peer:
        of_partitions = peer.rows(
            "SELECT count(*) FROM ducklake_list_files('lake', 't') "
            "GROUP BY regexp_extract(data_file, 'id=([0-9]+)', 1)"
        )
        assert len(of_partitions) == partitions
        assert max(count for (count,) in of_partitions) <= 4
        merges = (
            "SELECT count(*) FROM ducklake_snapshots('lake') WHERE changes::VARCHAR LIKE '%merge%'"
        )
        assert peer.value(merges) == 4 * epochs
        assert peer.value("SELECT count(*) FROM t") == 4 + epochs * partitions


def test_it_is_off_and_for_streams_alone(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed
) -> None:
    with Peer(lake) as peer:
        peer.run(TABLE)
    table = f"{register(lake, IN_FILES)}.main.t"
    feed.add(*batches(0, 4))
    feed.run(table)
    feed.add(*batches(4, 5))
    feed.run(table, options={"compact-after-epochs": "0"})
    assert left(lake) == (5, 0)

    batch = spark.createDataFrame([(1, "a", 1)], "id INT, name STRING, n INT")
    with pytest.raises(PySparkException, match="compact-after-epochs"):
        batch.writeTo(table).option("compact-after-epochs", "3").append()
    wrong = f"ALTER TABLE {table} SET TBLPROPERTIES ('compact-after-epochs' = 'often')"
    refused(spark, wrong, "DUCKLAKE_INVALID_OPTION", "often")


def test_upserts_are_merged_too(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed
) -> None:
    with Peer(lake) as peer:
        peer.run(TABLE)
    table = f"{register(lake)}.main.t"
    feed.add(*[((1, f"a{n}", n), (n, f"b{n}", n)) for n in range(2, 8)])

    feed.run(table, options={**EVERY_THIRD, "merge-keys": "id", "sequence-by": "n"})

    expected = [(1, "a7", 7), *((n, f"b{n}", n) for n in range(2, 8))]
    assert rows(spark, f"SELECT * FROM {table} ORDER BY id") == expected
    with Peer(lake) as peer:
        assert peer.rows("SELECT * FROM t ORDER BY id") == expected


@pytest.mark.parametrize("keys", [{}, {"merge-keys": "id"}], ids=["append", "upsert"])
def test_an_epoch_without_rows_counts(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed, keys: dict[str, str]
) -> None:
    with Peer(lake) as peer:
        peer.run(TABLE)
    table = f"{register(lake, IN_FILES)}.main.t"
    feed.add(*batches(0, 4))
    even = feed.frame().where("n % 2 = 0")

    feed.run(table, even, options={"compact-after-epochs": "2", **keys})

    assert left(lake) == (1, 0)
    with Peer(lake) as peer:
        assert peer.rows("SELECT n FROM t ORDER BY ALL") == [(0,), (0,), (2,), (2,)]


@pytest.mark.parametrize("keys", [{}, {"merge-keys": "id"}], ids=["append", "upsert"])
def test_a_wrong_number_fails_the_stream(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed, keys: dict[str, str]
) -> None:
    with Peer(lake) as peer:
        peer.run(TABLE)
    table = f"{register(lake, IN_FILES)}.main.t"
    feed.add(*batches(0, 1))

    with pytest.raises(PySparkException, match="compact-after-epochs"):
        feed.run(table, options={"compact-after-epochs": "often", **keys})


@pytest.mark.damages
def test_a_failure_is_a_warning(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed
) -> None:
    with Peer(lake) as peer:
        peer.run(TABLE)
    table = f"{register(lake, IN_FILES)}.main.t"
    feed.add(*batches(0, 1))
    feed.run(table, options=EVERY_THIRD)
    for file in lake.data_path.rglob("*.parquet"):
        file.unlink()
    feed.add(*batches(1, 4))

    with logged(spark, "ducklake.spark.maintenance.StreamUpkeep") as log:
        assert feed.run(table, options=EVERY_THIRD) == [1, 2, 3]

    assert str(log.toString()).count("WARN Files of main.t are not merged: ") == 1


def test_streams_of_the_table_go_on(
    spark: SparkSession, lake: Lake, register: Register, feed: Feed, tmp_path: Path
) -> None:
    with Peer(lake) as peer:
        peer.run(TABLE)
    catalog = register(lake, IN_FILES)
    table = f"{catalog}.main.t"
    feed.add(*batches(0, 2))
    feed.run(table, options=EVERY_THIRD)
    (tmp_path / "whole").mkdir()
    (tmp_path / "feed-of").mkdir()
    whole = Stream(spark, tmp_path / "whole", catalog)
    changes = Stream(spark, tmp_path / "feed-of", catalog)
    found, fed = [], []
    for part in range(1, 5):
        frame = whole.of(max_files_per_trigger=1)
        found += whole.rows(frame)
        fed += changes.rows(changes.of("t.insertions", start_snapshot=1))
        feed.add(*batches(2 * part, 2 * part + 2))
        feed.run(table, options=EVERY_THIRD)
    found += whole.rows(whole.of(max_files_per_trigger=1))
    fed += changes.rows(changes.of("t.insertions", start_snapshot=1))

    expected = sorted(row for batch in batches(0, 10) for row in batch)
    assert sorted(found) == expected
    assert sorted(row[:3] for row in fed) == expected
    assert left(lake)[0] < 4
