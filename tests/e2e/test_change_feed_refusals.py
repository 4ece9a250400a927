"""Change feeds that cannot be given are refused, and the error says why."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from support.asking import refused
from support.feeds import Feed, Story, by_duckdb, by_spark, differences, play
from support.lakes import Lake, LakeFactory
from support.lines import CHANGES, since
from support.peer import Peer

Register = Callable[..., str]

DROPPED = Story(
    "t",
    (
        "CREATE TABLE {t} AS SELECT 1 AS a",
        "DROP TABLE {t}",
        "CREATE TABLE {t} (a INT, b INT)",
        "INSERT INTO {t} VALUES (3, 3)",
        "CREATE OR REPLACE TABLE {t} AS SELECT i AS z FROM range(9) r(i)",
        "DROP TABLE {t}",
        "CREATE TABLE other (a INT)",
    ),
)
ABSENT = (0, 2, 6, 7)
"""The snapshots without this table."""


@pytest.mark.parametrize("kind", ["changes", "insertions", "deletions"])
def test_a_range_that_ends_without_the_table_is_refused_by_both_engines(
    spark: SparkSession, lakes: LakeFactory, register: Register, kind: str
) -> None:
    made = lakes.new("sqlite")
    (story,) = play(made, [DROPPED])
    lake = register(made)
    ends = [(first, last) for last in range(story.head + 1) for first in range(last + 1)]
    absent = [Feed(kind, "t", *end) for end in ends if end[1] in ABSENT]
    there = [Feed(kind, "t", *end) for end in ends if end[1] not in ABSENT]

    assert set(map(tuple, by_duckdb(made, absent).values())) == {("CatalogException",)}
    for feed in absent:
        query = f"SELECT * FROM ducklake_table_{kind}{feed.arguments(lake)}"
        refused(spark, query, "TABLE_OR_VIEW_NOT_FOUND", "`main`.`t`")
    assert differences(by_duckdb(made, there), by_spark(spark, lake, there)) == {}


@pytest.fixture(scope="module")
def expired(lakes: LakeFactory) -> Lake:
    """A lake with one row more at each of the snapshots 2 to 6, of which 3, 5 and 6 are left."""
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (a INT)", *(f"INSERT INTO t VALUES ({i})" for i in range(5)))
        peer.run("CALL ducklake_expire_snapshots('lake', versions => [0, 1, 2, 4])")
    return made


def condition(spark: SparkSession, query: str) -> tuple[str, str]:
    """The condition of a statement that must fail, and its message."""
    with pytest.raises(PySparkException) as raised:
        spark.sql(query).collect()
    return str(raised.value.getCondition()), str(raised.value)


def test_ranges_that_cannot_be_read_are_refused(
    spark: SparkSession, expired: Lake, register: Register
) -> None:
    lake = register(expired)

    def feed(arguments: str) -> tuple[str, str]:
        return condition(spark, f"SELECT * FROM ducklake_table_changes('{lake}', {arguments})")

    def called(arguments: str) -> tuple[str, str]:
        return condition(spark, f"CALL {lake}.system.table_changes({arguments})")

    for asked in (feed, called):
        found, message = asked("'t', 2, 6")
        assert found == "DUCKLAKE_NO_SUCH_SNAPSHOT"
        assert "oldest" in message and " 3" in message
        assert asked("'t', 3, 99")[0] == "DUCKLAKE_NO_SUCH_SNAPSHOT"
        found, message = asked("'t', 3, 6")
        assert found == "DUCKLAKE_CHANGES_EXPIRED"
        assert "from snapshot 5 on" in message
        assert asked("'t', 3, TIMESTAMP '2099-01-01 00:00:00'")[0] == "DUCKLAKE_INVALID_ARGUMENT"
        assert asked("'t', 3, NULL")[0] == "DUCKLAKE_INVALID_ARGUMENT"
        assert asked("'t', 3.5, 6")[0] == "DUCKLAKE_INVALID_ARGUMENT"
    assert feed("'nope', 5, 6")[0] == "TABLE_OR_VIEW_NOT_FOUND"
    assert feed("'s', 't', 5, 6")[0] == "TABLE_OR_VIEW_NOT_FOUND"
    assert spark.sql(f"SELECT * FROM ducklake_table_changes('{lake}', 't', 6, 5)").collect() == []
    assert spark.sql(f"CALL {lake}.system.table_changes('t', 6, 5)").collect() == []
    with Peer(expired) as peer:
        assert peer.rows("FROM ducklake_table_changes('lake', 'main', 't', 6, 5)") == []
    assert condition(spark, f"SELECT * FROM {lake}.t.changes")[0] == "DUCKLAKE_INVALID_ARGUMENT"
    found, message = condition(
        spark, f"SELECT * FROM {lake}.t.changes WITH ('start-snapshot-id' = '3')"
    )
    assert found == "DUCKLAKE_INVALID_SETTING"
    assert "start-snapshot" in message


FORMS: dict[str, Callable[[SparkSession, str, int], DataFrame]] = {
    "table function": lambda spark, lake, first: spark.sql(
        f"SELECT * FROM ducklake_table_changes('{lake}', 't', {first}, 6)"
    ),
    "call": lambda spark, lake, first: spark.sql(
        f"CALL {lake}.system.table_changes('t', {first}, 6)"
    ),
    "options": lambda spark, lake, first: spark.read.option("start-snapshot", first).table(
        f"{lake}.main.t.changes"
    ),
    "clause": lambda spark, lake, first: spark.sql(
        f"SELECT * FROM {lake}.main.t CHANGES FROM VERSION {first} TO VERSION 6"
    ),
    "options of the clause": lambda spark, lake, first: spark.read.option(
        "startingVersion", first
    ).changes(f"{lake}.main.t"),
}


@pytest.mark.parametrize(
    "form",
    [pytest.param(form, marks=since(CHANGES)) if "clause" in form else form for form in FORMS],
)
def test_an_expired_start_is_refused_in_every_form(
    spark: SparkSession, expired: Lake, register: Register, form: str
) -> None:
    lake = register(expired)

    def story(first: int) -> tuple[str, str]:
        with pytest.raises(PySparkException) as caught:
            FORMS[form](spark, lake, first).collect()
        return str(caught.value.getCondition()), str(caught.value)

    for gone in (0, 2, 4):
        found, message = story(gone)
        assert found == "DUCKLAKE_NO_SUCH_SNAPSHOT"
        assert f"Snapshot {gone}" in message and "oldest kept is 3" in message
    found, message = story(3)
    assert found == "DUCKLAKE_CHANGES_EXPIRED"
    assert "from snapshot 5 on" in message
    assert [row["a"] for row in FORMS[form](spark, lake, 6).collect()] == [4]


def test_call_refuses_a_large_feed(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    made = lakes.new("sqlite")
    with Peer(made) as peer:
        peer.run("CREATE TABLE t AS SELECT i FROM range(100001) r(i)")
    lake = register(made)

    found, message = condition(spark, f"CALL {lake}.system.table_changes('t', 1, 1)")

    assert found == "DUCKLAKE_UNSUPPORTED"
    assert f'.table("{lake}.main.t.changes")' in message
    feed = spark.sql(f"SELECT * FROM ducklake_table_changes('{lake}', 't', 1, 1)")
    assert feed.where("change_type = 'insert'").count() == 100001
