"""Reading older snapshots, in every form the statement or the options can say it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.asking import refused, rows, value
from support.example import COUNTS, HEAD
from support.lakes import Lake
from support.peer import Peer

NO_SUCH_SNAPSHOT = "DUCKLAKE_NO_SUCH_SNAPSHOT"


def snapshot_times(lake: Lake) -> dict[int, datetime]:
    """When each snapshot was made, as DuckDB says."""
    query = "SELECT snapshot_id, snapshot_time FROM ducklake_snapshots('lake')"
    with Peer(lake) as peer:
        return {int(number): time.replace(tzinfo=None) for number, time in peer.rows(query)}


@pytest.mark.parametrize("version", [1, 4, 5, 6, 7, HEAD])
def test_version_as_of(spark: SparkSession, catalog: str, version: int) -> None:
    forms = (
        f"VERSION AS OF {version}",
        f"VERSION AS OF '{version}'",
        f"FOR VERSION AS OF {version}",
        f"FOR SYSTEM_VERSION AS OF {version}",
    )

    counts = [value(spark, f"SELECT count(*) FROM {catalog}.events {form}") for form in forms]

    assert counts == [COUNTS[version]] * len(forms)


@pytest.mark.every_database
@pytest.mark.parametrize("version", [4, 5, 6])
def test_timestamp_as_of(spark: SparkSession, example: Lake, catalog: str, version: int) -> None:
    time = snapshot_times(example)[version]
    hour_ago = time - timedelta(hours=1)
    forms = (
        f"TIMESTAMP AS OF '{time}'",
        f"TIMESTAMP AS OF TIMESTAMP '{time}'",
        f"FOR SYSTEM_TIME AS OF '{time}'",
        f"TIMESTAMP AS OF TIMESTAMP '{hour_ago}' + INTERVAL 1 HOUR",
    )

    counts = [value(spark, f"SELECT count(*) FROM {catalog}.events {form}") for form in forms]

    assert counts == [COUNTS[version]] * len(forms)


@pytest.mark.every_database
def test_a_time_between_two_snapshots_means_the_older(
    spark: SparkSession, example: Lake, catalog: str
) -> None:
    just_before = snapshot_times(example)[5] - timedelta(microseconds=1)

    query = f"SELECT count(*) FROM {catalog}.events TIMESTAMP AS OF '{just_before}'"
    assert value(spark, query) == COUNTS[4]


def test_a_time_before_the_lake_is_refused(spark: SparkSession, catalog: str) -> None:
    query = f"SELECT * FROM {catalog}.events TIMESTAMP AS OF '2001-01-01'"

    refused(spark, query, NO_SUCH_SNAPSHOT)


@pytest.mark.parametrize("version", [HEAD + 1, -1, 10**12])
def test_a_snapshot_that_is_not_there_is_refused(
    spark: SparkSession, catalog: str, version: int
) -> None:
    refused(spark, f"SELECT * FROM {catalog}.events VERSION AS OF '{version}'", NO_SUCH_SNAPSHOT)


def test_the_message_names_oldest_and_newest(spark: SparkSession, catalog: str) -> None:
    query = f"SELECT * FROM {catalog}.events VERSION AS OF 99"

    refused(spark, query, NO_SUCH_SNAPSHOT, "99", " 0", str(HEAD))


def test_a_version_that_is_no_number_is_refused(spark: SparkSession, catalog: str) -> None:
    query = f"SELECT * FROM {catalog}.events VERSION AS OF 'soon'"

    refused(spark, query, "DUCKLAKE_INVALID_ARGUMENT", "soon")


def test_a_table_is_not_there_before_its_creation(spark: SparkSession, catalog: str) -> None:
    refused(spark, f"SELECT * FROM {catalog}.s.events VERSION AS OF 10", "TABLE_OR_VIEW_NOT_FOUND")


def test_columns_are_those_of_the_snapshot(spark: SparkSession, catalog: str) -> None:
    old = spark.sql(f"SELECT * FROM {catalog}.events VERSION AS OF 5")

    assert old.columns == ["id", "kind", "amount"]
    assert value(spark, f"SELECT kind FROM {catalog}.events VERSION AS OF 5 WHERE id = 4") == "k1"


@pytest.mark.parametrize(
    ("name", "text"), [("versionAsOf", "5"), ("snapshot-version", "5"), ("snapshot-id", "5")]
)
def test_read_options_name_a_version(
    spark: SparkSession, catalog: str, name: str, text: str
) -> None:
    frame = spark.read.option(name, text).table(f"{catalog}.events")

    assert frame.columns == ["id", "kind", "amount"]
    assert frame.count() == COUNTS[5]


def test_read_options_name_a_time(spark: SparkSession, example: Lake, catalog: str) -> None:
    time = snapshot_times(example)[5]
    millis = int((time - datetime(1970, 1, 1)) / timedelta(milliseconds=1)) + 1
    options = {"timestampAsOf": str(time), "snapshot-time": str(time)}

    counts = {
        name: spark.read.option(name, text).table(f"{catalog}.events").count()
        for name, text in options.items()
    }

    assert counts == {"timestampAsOf": 103, "snapshot-time": 103}
    by_millis = spark.read.option("as-of-timestamp", str(millis)).table(f"{catalog}.events")
    assert by_millis.count() in (COUNTS[5], COUNTS[6])


@pytest.mark.parametrize("other", ["versionAsOf", "timestampAsOf", "snapshot-id"])
def test_two_read_options_that_name_a_snapshot_are_refused(
    spark: SparkSession, catalog: str, other: str
) -> None:
    reader = spark.read.option("snapshot-version", "5").option(other, "6")

    with pytest.raises(PySparkException, match="is given together with") as raised:
        reader.table(f"{catalog}.events")
    assert raised.value.getCondition() == "DUCKLAKE_INVALID_ARGUMENT"


@pytest.mark.parametrize("name", ["events.snapshots", "events.options", "system.settings"])
def test_what_tells_of_now_does_not_travel(spark: SparkSession, catalog: str, name: str) -> None:
    query = f"SELECT * FROM {catalog}.{name} VERSION AS OF 5"

    refused(spark, query, "DUCKLAKE_INVALID_ARGUMENT", name, "what holds now")


def test_files_and_current_snapshot_travel(spark: SparkSession, catalog: str) -> None:
    at_5 = f"SELECT id FROM {catalog}.system.current_snapshot VERSION AS OF 5"
    assert value(spark, at_5) == 5
    files = "SELECT count(*) FROM {c}.events.files VERSION AS OF {v}"
    counts = [value(spark, files.format(c=catalog, v=v)) for v in (HEAD, 2)]
    assert counts[0] > counts[1]


def test_at_says_it_in_duckdbs_words(spark: SparkSession, example: Lake, catalog: str) -> None:
    time = snapshot_times(example)[5]

    by_version = f"SELECT count(*) FROM {catalog}.events AT (VERSION => 5)"
    by_time = f"SELECT count(*) FROM {catalog}.events AT (TIMESTAMP => TIMESTAMP '{time}')"
    assert (value(spark, by_version), value(spark, by_time)) == (103, 103)


def test_two_versions_join_in_one_query(spark: SparkSession, catalog: str) -> None:
    query = f"""SELECT count(*), count(new.id) FROM {catalog}.events VERSION AS OF 5 old
                LEFT JOIN {catalog}.events VERSION AS OF 6 new ON old.id = new.id"""

    assert rows(spark, query) == [(103, 92)]


@pytest.mark.parametrize("key", ["snapshot-version", "snapshot-time"])
def test_a_catalog_can_be_pinned(
    spark: SparkSession, example: Lake, register: Callable[..., str], key: str
) -> None:
    text = "9" if key == "snapshot-version" else str(snapshot_times(example)[9])
    catalog = register(example, {key: text})

    assert value(spark, f"SELECT count(*) FROM {catalog}.events") == 92
    assert [row[0] for row in rows(spark, f"SHOW SCHEMAS IN {catalog}")] == ["main"]
    assert rows(spark, f"SELECT * FROM {catalog}.system.views") == []
    refused(spark, f"SELECT * FROM {catalog}.s.events", "TABLE_OR_VIEW_NOT_FOUND")


def test_a_pinned_catalog_ignores_later_commits(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")
    pinned, moving = register(lake, {"snapshot-version": "1"}), register(lake)
    counts = [value(spark, f"SELECT count(*) FROM {name}.t") for name in (pinned, moving)]
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (2)")

    counts += [value(spark, f"SELECT count(*) FROM {name}.t") for name in (pinned, moving)]

    assert counts == [1, 1, 1, 2]


def test_a_renamed_table_has_its_old_name_at_old_snapshots(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE before AS SELECT 1 AS a",
            "ALTER TABLE before RENAME TO after",
            "CREATE TABLE before AS SELECT 'other' AS b",
        )
    catalog = register(lake)

    assert spark.sql(f"SELECT * FROM {catalog}.before VERSION AS OF 1").columns == ["a"]
    assert spark.sql(f"SELECT * FROM {catalog}.before").columns == ["b"]
    assert value(spark, f"SELECT a FROM {catalog}.after VERSION AS OF 2") == 1
    refused(spark, f"SELECT * FROM {catalog}.after VERSION AS OF 1", "TABLE_OR_VIEW_NOT_FOUND")


def test_an_expired_snapshot_is_refused(
    spark: SparkSession, lake: Lake, register: Callable[..., str]
) -> None:
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t AS SELECT 1 AS a",
            "INSERT INTO t VALUES (2)",
            "CALL ducklake_expire_snapshots('lake', versions => [0, 1])",
        )
    catalog = register(lake)

    refused(spark, f"SELECT * FROM {catalog}.t VERSION AS OF 1", NO_SUCH_SNAPSHOT, "2")
    assert value(spark, f"SELECT count(*) FROM {catalog}.t VERSION AS OF 2") == 2
