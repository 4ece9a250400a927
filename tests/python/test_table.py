"""`Lake` and `Table` as people use them, in a classic session and over Spark Connect."""

from __future__ import annotations

import sys
from datetime import date, datetime, timedelta, timezone

import ducklake_spark as dl
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructType, TimestampType

from support.lakes import Lake, LakeFactory
from support.lines import EVOLVING_INSERT, MADE_VIEWS, since
from support.peer import Peer
from support.terminal import terminal


@pytest.fixture
def place(lakes: LakeFactory) -> Lake:
    """Where the lake is, for DuckDB."""
    return lakes.new("sqlite")


@pytest.fixture
def lake(session: SparkSession, place: Lake) -> dl.Lake:
    """A lake with the empty table `t`."""
    with Peer(place, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (id BIGINT, name VARCHAR DEFAULT 'none', \"a b\" DATE)")
    for key, value in dl.settings("lake", place.uri, data_inlining_row_limit=0).items():
        session.conf.set(key, value)
    return dl.Lake(session, "lake")


def rows_of(table: dl.Table) -> list[tuple[object, ...]]:
    """All rows in order."""
    return [tuple(row) for row in table.to_df().orderBy("id").collect()]


def numbered(session: SparkSession, *rows: tuple[int, str]) -> DataFrame:
    """A DataFrame with ids and names."""
    return session.createDataFrame(list(rows), "id BIGINT, name STRING")


def views_left(session: SparkSession) -> list[str]:
    """Temporary views that a call forgot."""
    return [view.name for view in session.catalog.listTables() if view.isTemporary]


def test_rows_are_appended_by_name(lake: dl.Lake, place: Lake) -> None:
    table = lake.table("t")

    table.append(lake.spark.createDataFrame([("one", 1)], "name STRING, id BIGINT"))
    table.append(lake.spark.range(2, 3))

    with Peer(place) as peer:
        assert peer.rows("SELECT id, name FROM t ORDER BY id") == [(1, "one"), (2, "none")]
    assert views_left(lake.spark) == []


@since(EVOLVING_INSERT)
def test_an_append_may_bring_columns(lake: dl.Lake) -> None:
    table = lake.table("t")
    rows = lake.spark.createDataFrame([(1, 2.5)], "id BIGINT, price DOUBLE")

    with pytest.raises(AnalysisException):
        table.append(rows)
    table.append(rows, schema_evolution=True)

    assert table.schema.names == ("id", "name", "a b", "price")
    assert rows_of(table) == [(1, "none", None, 2.5)]
    assert views_left(lake.spark) == []


def test_rows_are_replaced_where_a_condition_holds(lake: dl.Lake) -> None:
    table = lake.table("t")
    table.append(numbered(lake.spark, (1, "one"), (2, "two"), (3, "three")))

    table.overwrite(numbered(lake.spark, (2, "zwei")), where="id = 2")
    replaced = [row[:2] for row in rows_of(table)]
    table.overwrite(table.to_df().where("id > 1"))

    assert replaced == [(1, "one"), (2, "zwei"), (3, "three")]
    assert [row[:2] for row in rows_of(table)] == [(2, "zwei"), (3, "three")]


@pytest.mark.parametrize("rows", [[(1, "one")], {"id": 1}, "t"])
def test_rows_that_are_no_dataframe_are_refused(lake: dl.Lake, rows: object) -> None:
    with pytest.raises(TypeError, match=r"a DataFrame of Spark, .* not a .*spark\.createDataFrame"):
        lake.table("t").append(rows)  # type: ignore[arg-type]


def test_a_dataframe_of_another_session_is_refused(lake: dl.Lake, spark: SparkSession) -> None:
    others = numbered(spark, (1, "one"))

    table = lake.table("t")
    merge = table.merge(others, on="id").when_matched_update(set={"name": F.lit("other")})
    for write in (
        lambda: table.append(others),
        lambda: table.overwrite(others),
        lambda: table.overwrite(others, where="id = 1"),
        lambda: table.merge(others, on="id").when_not_matched_insert().execute(),
        merge.execute,
    ):
        with pytest.raises(ValueError, match="another Spark session"):
            write()

    assert not [name for name in views_left(spark) if name.startswith("ducklake_spark")]


def test_new_values_are_sql_or_themselves(lake: dl.Lake) -> None:
    table = lake.table("t")
    table.append(numbered(lake.spark, (1, "one"), (2, "two")))

    table.update({"name": "upper(name)", "A b": date(2026, 1, 31)}, "id = 2")
    table.update({"id": "id + 10"})
    table.delete("id = 11")

    assert rows_of(table) == [(12, "TWO", date(2026, 1, 31))]


def test_swapped_arguments_say_what_was_meant(lake: dl.Lake) -> None:
    with pytest.raises(TypeError, match=r"a mapping such as \{'name'"):
        lake.table("t").update("id = 1", {"name": "'x'"})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="SQL text such as 'id = 1'"):
        lake.table("t").delete(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no column is set"):
        lake.table("t").update({})
    with pytest.raises(TypeError, match="table_name is the text of a name, not 3"):
        lake.rollback_to_snapshot(3)  # type: ignore[arg-type]


def test_a_merge_has_all_clauses(lake: dl.Lake, place: Lake) -> None:
    table = lake.table("t")
    table.append(numbered(lake.spark, (1, "one"), (2, "two"), (3, "three"), (4, "four")))
    source = numbered(lake.spark, (1, "uno"), (2, "due"), (5, "cinque"), (6, "sei"))

    (
        table.merge(source, on=["id"])
        .when_not_matched_by_source_delete("t.id = 3")
        .when_not_matched_by_source_update({"name": "'left'"})
        .when_not_matched_insert({"id": "s.id", "a b": date(2026, 1, 31)}, "s.id = 5")
        .when_matched_delete("s.name = 'due'")
        .when_matched_update({"name": "concat(t.name, s.name)"})
        .execute()
    )

    with Peer(place) as peer:
        assert peer.rows('SELECT id, name, "a b" FROM t ORDER BY id') == [
            (1, "oneuno", None),
            (4, "left", None),
            (5, "none", date(2026, 1, 31)),
        ]
    assert views_left(lake.spark) == []


def test_a_merge_takes_whole_rows_from_a_table_by_name(lake: dl.Lake) -> None:
    table = lake.create_table("names", "id BIGINT, name STRING")
    table.append(numbered(lake.spark, (1, "one"), (2, "two")))
    new = numbered(lake.spark, (2, "zwei"), (3, "drei"))
    lake.create_schema("s")

    for source in (lake.create_table("s.other", new), "lake.s.other"):
        merge = table.merge(source, on="ID")
        merge.when_matched_update().when_not_matched_insert().execute()

    assert rows_of(table) == [(1, "one"), (2, "zwei"), (3, "drei")]


def test_rows_of_the_table_itself_may_be_merged_into_it(lake: dl.Lake) -> None:
    table = lake.table("t")
    table.append(numbered(lake.spark, (1, "one"), (2, "two")))
    own = table.to_df().where("id > 1").selectExpr("explode(array(id, id + 1)) AS id", "name")

    table.merge(own, on="id").when_matched_delete().when_not_matched_insert().execute()

    assert [row[:2] for row in rows_of(table)] == [(1, "one"), (3, "two")]


def test_a_merge_that_fails_leaves_nothing(lake: dl.Lake) -> None:
    table = lake.table("t")
    source = numbered(lake.spark, (1, "uno"))

    with pytest.raises(ValueError, match="needs a clause"):
        table.merge(source, on="id").execute()
    with pytest.raises(AnalysisException):
        table.merge(source, on="target.id = source.id").when_matched_delete().execute()
    with pytest.raises(TypeError, match="a source is a table"):
        table.merge([(1, "uno")], on="id")  # type: ignore[arg-type]

    assert views_left(lake.spark) == []
    assert table.history().count() == 1


def test_moments_are_what_a_hand_types(lake: dl.Lake) -> None:
    lake.table("t").append(numbered(lake.spark, (1, "one")))
    now = datetime.now(timezone.utc)
    tomorrow = now.date() + timedelta(days=1)

    assert lake.at(1).table("t").to_df().count() == 0
    assert lake.table("t").at(version=1).to_df().count() == 0
    for moment in (2, tomorrow, now, f"{tomorrow}"):
        assert lake.at(moment).table("t").to_df().count() == 1
    assert lake.table("t").at(time=tomorrow).files().count() == 1
    assert lake.changes("t", date(2026, 1, 1), tomorrow).count() == 1
    assert lake.list_files("t", snapshot_time=tomorrow).count() == 1
    assert lake.expire_snapshots(older_than=tomorrow, dry_run=True).count() == 2
    assert lake.expire_snapshots(versions=1, dry_run=True).count() == 1
    assert lake.expire_snapshots(versions=range(2), dry_run=True).count() == 2


def test_a_moment_that_is_none_says_why(lake: dl.Lake) -> None:
    for given in ({}, {"version": 1, "time": "2026-01-31"}, {"moment": 1, "version": 1}):
        with pytest.raises(ValueError, match="give a version or a time"):
            lake.at(**given)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the number of a snapshot, not '1'"):
        lake.at(version="1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a time is a datetime, a date or text, not 1\.5"):
        lake.at(1.5)  # type: ignore[arg-type]


def test_a_past_table_cannot_be_changed(lake: dl.Lake) -> None:
    past = lake.at(1).table("t")

    for change in (
        past.truncate,
        past.flush_inlined_data,
        lambda: past.delete("true"),
        lambda: past.append(lake.spark.range(1)),
        lambda: past.set_option("auto_compact", False),
        lambda: past.merge(lake.spark.range(1), on="id"),
    ):
        with pytest.raises(ValueError, match="a table at a snapshot cannot be changed"):
            change()
    with pytest.raises(ValueError, match="are those of today"):
        _ = past.properties
    assert past.schema.names == ("id", "name", "a b")


def test_a_schema_tells_types_ids_and_defaults(lake: dl.Lake) -> None:
    lake.spark.sql("COMMENT ON TABLE lake.main.t IS 'what'")
    lake.spark.sql("ALTER TABLE lake.main.t ALTER COLUMN id COMMENT 'the key'")
    lake.spark.sql("ALTER TABLE lake.main.t RENAME COLUMN name TO title")
    lake.table("t").set_not_null("id")

    assert lake.table("t").schema.columns == (
        dl.Column("id", "bigint", nullable=False, comment="the key", id=1),
        dl.Column("title", "string", default="'none'", id=2),
        dl.Column("a b", "date", id=3),
    )
    assert repr(lake.table("t").schema).splitlines()[1:] == [
        "id      bigint  no             the key  1",
        "title   string  yes   'none'            2",
        "a b     date    yes                     3",
    ]
    with pytest.raises(KeyError, match="there are: id, title, a b"):
        lake.table("t").schema["name"]


def test_a_table_is_made_with_its_layout(lake: dl.Lake, place: Lake) -> None:
    table = lake.create_table(
        "wide",
        {"id": "BIGINT NOT NULL", "at": "TIMESTAMP_NTZ", "a,b": "STRING DEFAULT 'x'"},
        partitioned_by=["year(at)", "bucket(4, id)"],
        sorted_by=['"a,b" DESC NULLS LAST', "id"],
        comment="it's wide",
        properties={"target_file_size": 64_000_000, "owner of it": "Ada"},
    )

    assert table.partitioning == ("year(at)", "bucket(4, id)")
    assert table.sorting == ('"a,b" DESC NULLS LAST', "id ASC NULLS LAST")
    assert table.properties["owner of it"] == "Ada"
    assert table.properties["target_file_size"] == "64000000"
    with Peer(place) as peer:
        (comment,) = peer.rows("SELECT comment FROM duckdb_tables() WHERE table_name = 'wide'")
    assert comment == ("it's wide",)


def test_a_table_is_made_of_any_description(lake: dl.Lake) -> None:
    inner = StructType().add("x y", LongType(), False)
    struct = StructType().add("id", LongType(), False).add("s", inner).add("n", StringType())

    by_struct = lake.create_table("a", struct)
    by_struct.spark.sql("INSERT INTO lake.main.a SELECT 1, named_struct('x y', 2), 'three'")
    by_rows = lake.create_table("b", by_struct.to_df(), partitioned_by="id")

    assert by_struct.schema["s"].type == "struct<x y:bigint>"
    assert not by_struct.schema["id"].nullable
    assert by_rows.partitioning == ("id",)
    assert rows_of(by_rows) == [(1, (2,), "three")]
    with pytest.raises(TypeError, match="not a list"):
        lake.create_table("c", ["id"])  # type: ignore[arg-type]
    with pytest.raises(AnalysisException):
        lake.create_table("a", "id INT")
    assert lake.create_table("a", "id INT", if_not_exists=True).schema.names == ("id", "s", "n")


def test_an_instant_stays_one_where_timestamp_means_another_type(lake: dl.Lake) -> None:
    moment = StructType().add("at", TimestampType())
    lake.spark.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    try:
        made = lake.create_table("made", StructType().add("at", TimestampType()).add("s", moment))
        assert made.to_df().schema["at"].dataType == TimestampType()
        assert made.to_df().schema["s"].dataType == moment
    finally:
        lake.spark.conf.unset("spark.sql.timestampType")


def test_feeds_with_other_starts_stand_in_one_query(lake: dl.Lake) -> None:
    table = lake.create_table("numbers", "id BIGINT")
    for count in (3, 5):
        table.append(lake.spark.range(count))
    second, first = (row.snapshot_id for row in table.history(2).collect())

    both = table.changes(start=first).union(table.changes(start=second))

    assert both.count() == 8 + 5


@since(MADE_VIEWS)
def test_a_lake_lists_schemas_tables_and_views(lake: dl.Lake) -> None:
    lake.create_schema("odd`na.me")
    lake.create_schema("odd`na.me", if_not_exists=True)
    lake.create_table("x.y", "id INT", schema="odd`na.me")
    lake.create_table("u.v", "id INT", schema="main")
    lake.spark.sql("CREATE VIEW lake.main.seen AS SELECT 1 AS one")

    schemas = {row.schema_name for row in lake.schemas().collect()}
    tables = {tuple(row) for row in lake.tables().collect()}
    views = [(row.schema_name, row.view_name) for row in lake.views().collect()]
    listed = {tuple(row) for row in lake.tables("odd`na.me").collect()}
    lake.drop_table("u.v")
    lake.drop_schema("odd`na.me", cascade=True)
    lake.drop_schema("odd`na.me", if_exists=True)

    assert schemas == {"main", "odd`na.me"}
    assert tables == {("main", "t"), ("main", "u.v"), ("odd`na.me", "x.y")}
    assert listed == {("odd`na.me", "x.y")}
    assert views == [("main", "seen")]
    assert [tuple(row) for row in lake.tables().collect()] == [("main", "t")]
    assert lake.tables("MAIN").collect() == lake.tables("main").collect()


def test_a_bar_shows_the_tasks_of_a_call(lake: dl.Lake, capsys: pytest.CaptureFixture[str]) -> None:
    table = lake.table("t")
    for number in range(3):
        table.append(lake.spark.range(number, number + 1))

    table.merge_adjacent_files(progress=False)
    silent = capsys.readouterr().err
    table.append(lake.spark.range(9, 10))
    (row,) = table.merge_adjacent_files(progress=True).collect()
    shown = capsys.readouterr().err

    assert row.files_processed == 2
    assert "merge_adjacent_files" not in silent
    assert "merge_adjacent_files" in shown
    # A server of Spark Connect reports tasks from time to time, and a short call perhaps never.
    assert ("1/1 tasks" if isinstance(lake.spark, SparkSession) else "tasks") in shown


def test_a_terminal_gets_a_bar_without_being_asked(
    lake: dl.Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    table = lake.table("t")
    for number in range(2):
        table.append(lake.spark.range(number, number + 1))

    with terminal() as screen, monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", screen.stream)
        table.merge_adjacent_files()

    assert "merge_adjacent_files" in screen.written and " tasks " in screen.written
    assert "\x1b[" in screen.written  # drawn, not printed line by line
