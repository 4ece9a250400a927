"""Options of Delta and Iceberg do what ours do where both mean the same, and else name ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, functions

from support.asking import value
from support.lakes import Lake
from support.lines import CHANGES, since
from support.peer import made
from support.streams import Stream

Register = Callable[..., str]
Options = dict[str, str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)


@pytest.fixture
def table(lake: Lake, register: Register) -> str:
    """A table: created by snapshot 1, two rows by 2, an update by 3, a row by 4, a delete by 5."""
    made(
        lake,
        "CREATE TABLE t (id INTEGER, name VARCHAR)",
        "INSERT INTO t VALUES (1, 'one'), (2, 'two')",
        "UPDATE t SET name = 'zwei' WHERE id = 2",
        "INSERT INTO t VALUES (3, 'three')",
        "DELETE FROM t WHERE id = 1",
    )
    return f"{register(lake)}.main.t"


def times(spark: SparkSession, table: str) -> Callable[[Options], Options]:
    """Puts the times of snapshots 2 and 4 into options: `{2}`, `{4}`, and `{ms}`, after 2 in ms."""
    query = f"SELECT snapshot_time FROM {table.split('.')[0]}.system.snapshots WHERE snapshot_id = "
    known: dict[str, Any] = {
        f"at{number}": value(spark, f"SELECT CAST(({query}{number}) AS STRING)")
        for number in (2, 4)
    }
    known["ms"] = value(spark, f"SELECT unix_millis(({query}2))") + 1
    return lambda options: {name: text.format(**known) for name, text in options.items()}


SAME_READS: dict[str, tuple[str, Options, Options]] = {
    "version": ("", {"versionAsOf": "2"}, {"snapshot-version": "2"}),
    "snapshot id": ("", {"snapshot-id": "2"}, {"snapshot-version": "2"}),
    "time": ("", {"timestampAsOf": "{at4}"}, {"snapshot-time": "{at4}"}),
    "milliseconds": ("", {"as-of-timestamp": "4102444800000"}, {"snapshot-time": "2100-01-01"}),
    "versions of a feed": (
        ".changes",
        {"startingVersion": "2", "endingVersion": "3"},
        {"start-snapshot": "2", "end-snapshot": "3"},
    ),
    "times of a feed": (
        ".insertions",
        {"startingTimestamp": "{at2}", "endingTimestamp": "{at4}"},
        {"start-timestamp": "{at2}", "end-timestamp": "{at4}"},
    ),
    "a start alone": (".deletions", {"startingVersion": "3"}, {"start-snapshot": "3"}),
}


@pytest.mark.parametrize("case", SAME_READS)
def test_a_read_has_the_rows_of_our_option(spark: SparkSession, table: str, case: str) -> None:
    what, theirs, ours = SAME_READS[case]
    with_times = times(spark, table)
    wanted = spark.read.options(**with_times(ours)).table(table + what)

    for options in (theirs, ours):
        reader = spark.read.options(**with_times(options))
        for found in (reader.table(table + what), reader.format("ducklake").load(table + what)):
            assert found.columns == wanted.columns
            assert sorted(found.collect(), key=str) == sorted(wanted.collect(), key=str)
    assert wanted.count() > 0


FEEDS: dict[str, Options] = {
    "versions": {"startingVersion": "2", "endingVersion": "4"},
    "a start": {"startingVersion": "3"},
    "times": {"startingTimestamp": "{at2}", "endingTimestamp": "{at4}"},
}


@since(CHANGES)
@pytest.mark.parametrize("word", ["readChangeFeed", "readChangeData"])
@pytest.mark.parametrize("case", FEEDS)
def test_the_feed_of_delta_is_that_of_changes(
    spark: SparkSession, table: str, case: str, word: str
) -> None:
    options = times(spark, table)(FEEDS[case])
    wanted = spark.read.options(**options, computeUpdates="true").changes(table).drop("rowid")

    found = spark.read.format("ducklake").options(**{word: "true"}, **options).load(table)

    assert found.columns == ["id", "name", "_change_type", "_commit_version", "_commit_timestamp"]
    assert found.schema == wanted.schema
    assert sorted(found.collect(), key=str) == sorted(wanted.collect(), key=str)
    assert found.where("_change_type = 'update_postimage'").count() == 1
    updated = found.where(functions.col("_commit_version") == 3).select("name")
    updated.write.saveAsTable(table.replace("main.t", "main.copied"))
    assert spark.table(table.replace("main.t", "main.copied")).count() == 2


@since(CHANGES)
def test_the_feed_of_delta_has_the_columns_at_its_end(spark: SparkSession, table: str) -> None:
    spark.sql(f"ALTER TABLE {table} ADD COLUMN more INT")
    reader = spark.read.format("ducklake").option("readChangeFeed", "true")
    reader.option("startingVersion", "2")

    assert "more" in reader.load(table).columns
    assert "more" not in reader.option("endingVersion", "5").load(table).columns


SAME_STREAMS: dict[str, tuple[str, Options, Options]] = {
    "a version": (
        "t",
        {"startingVersion": "4", "skip-changes": "true"},
        {"start-snapshot": "4", "skip-changes": "true"},
    ),
    "a time": (
        "t.insertions",
        {"startingTimestamp": "{at4}"},
        {"start-timestamp": "{at4}"},
    ),
    "without changes": (
        "t",
        {"startingVersion": "2", "skipChangeCommits": "true"},
        {"start-snapshot": "2", "skip-changes": "true"},
    ),
    "changes": ("t.changes", {"startingVersion": "3"}, {"start-snapshot": "3"}),
}


@pytest.mark.parametrize("case", SAME_STREAMS)
def test_a_stream_has_the_rows_of_our_option(
    spark: SparkSession, table: str, tmp_path: Path, case: str
) -> None:
    what, theirs, ours = SAME_STREAMS[case]
    with_times = times(spark, table)
    name = table.removesuffix("t") + what
    readers = [spark.readStream.options(**with_times(options)) for options in (ours, theirs)]
    frames = [
        readers[0].table(name),
        readers[1].table(name),
        readers[1].format("ducklake").load(name),
    ]

    found = [
        Stream(spark, tmp_path / str(number), "").rows(frame) for number, frame in enumerate(frames)
    ]

    assert found[0]
    assert found[1] == found[0] == found[2]


REFUSED_READS = [
    ("", {"startingVersion": "2"}, "`start-snapshot`"),
    ("", {"endingTimestamp": "2030-01-01"}, "`start-snapshot`"),
    ("", {"readChangeFeed": "false"}, "`start-snapshot`"),
    ("", {"start-snapshot-id": "2", "end-snapshot-id": "3"}, "`start-snapshot`"),
    ("", {"branch": "b"}, "`versionAsOf`"),
    ("", {"tag": "b"}, "`versionAsOf`"),
    ("", {"maxFilesPerTrigger": "1"}, "nearest"),
    (".changes", {"readChangeFeed": "true", "startingVersion": "2"}, "`start-snapshot`"),
    (".changes", {"start-snapshot-id": "2"}, "`start-snapshot`"),
    (".changes", {"startingVersion": "2", "start-snapshot": "2"}, "`start-snapshot`"),
]


@pytest.mark.parametrize(("what", "options", "ours"), REFUSED_READS)
def test_a_read_names_our_option(
    spark: SparkSession, table: str, what: str, options: Options, ours: str
) -> None:
    reader = spark.read.options(**options)

    for read in (reader.table, reader.format("ducklake").load):
        with pytest.raises(PySparkException) as caught:
            read(table + what).collect()
        assert caught.value.getCondition() == "DUCKLAKE_INVALID_SETTING", str(caught.value)
        assert ours in str(caught.value)


FEED_REFUSALS = [
    ({}, "DUCKLAKE_INVALID_ARGUMENT", "`start-timestamp` is required"),
    ({"startingVersion": "latest"}, "DUCKLAKE_INVALID_ARGUMENT", "no snapshot id"),
    ({"startingVersion": "99"}, "DUCKLAKE_NO_SUCH_SNAPSHOT", "99"),
    ({"startingVersion": "2", "versionAsOf": "3"}, "DUCKLAKE_INVALID_SETTING", "versionAsOf"),
    ({"startingVersion": "2", "branch": "b"}, "DUCKLAKE_INVALID_SETTING", "branch"),
]


@since(CHANGES)
@pytest.mark.parametrize(("options", "condition", "words"), FEED_REFUSALS)
def test_a_feed_of_delta_is_refused_clearly(
    spark: SparkSession, table: str, options: Options, condition: str, words: str
) -> None:
    reader = spark.read.format("ducklake").option("readChangeFeed", "true").options(**options)

    with pytest.raises(PySparkException) as caught:
        reader.load(table).collect()

    assert caught.value.getCondition() == condition, str(caught.value)
    assert words in str(caught.value)


REFUSED_STREAMS = [
    ("start-snapshot-id", "`start-snapshot`"),
    ("stream-from-timestamp", "`start-timestamp`"),
    ("endingVersion", "AvailableNow"),
    ("maxFilesPerTrigger", "`max-files-per-trigger`"),
    ("streaming-max-rows-per-micro-batch", "`max-rows-per-trigger`"),
    ("ignoreChanges", "`skip-changes`"),
    ("streaming-skip-overwrite-snapshots", "`skip-changes`"),
    ("readChangeFeed", "`<table>.changes`"),
]


@pytest.mark.parametrize(("option", "ours"), REFUSED_STREAMS)
def test_a_stream_names_our_option(
    spark: SparkSession, table: str, tmp_path: Path, option: str, ours: str
) -> None:
    reader = spark.readStream.option(option, "1")
    stream = Stream(spark, tmp_path, "")

    for frame in (reader.table(table), reader.format("ducklake").load(table)):
        stream.refused(frame, "DUCKLAKE_INVALID_SETTING", ours)


REFUSED_WRITES = [
    ("branch", "no branches"),
    ("userMetadata", "`commit-message`"),
    ("target-file-size-bytes", "`target_file_size`"),
    ("maxRecordsPerFile", "`target_file_size`"),
    ("compression-codec", "`compression`"),
    ("versionAsOf", "nearest"),
]


@pytest.mark.parametrize(("option", "ours"), REFUSED_WRITES)
def test_a_write_names_our_option(spark: SparkSession, table: str, option: str, ours: str) -> None:
    writer = spark.table(table).write.mode("append").option(option, "1")

    for write in (writer.saveAsTable, writer.format("ducklake").save):
        with pytest.raises(PySparkException) as caught:
            write(table)
        assert caught.value.getCondition() == "DUCKLAKE_INVALID_SETTING", str(caught.value)
        assert ours in str(caught.value)
    assert spark.table(table).count() == 2
