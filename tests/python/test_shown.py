"""How lakes and tables show themselves, and how other libraries take their rows."""

from __future__ import annotations

import ducklake_spark as dl
import pyarrow as pa
import pytest
from ducklake_spark import _jvm
from pyspark.sql import SparkSession

from support.lakes import LakeFactory
from support.peer import Peer

ABSENT = "ducklake.spark.Absent"


@pytest.fixture
def lake(session: SparkSession, lakes: LakeFactory) -> dl.Lake:
    """Six snapshots; at the first the lake is empty, then `t` comes, and a table with odd names."""
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (id BIGINT, name VARCHAR DEFAULT 'none', \"a b\" DATE)",
            "INSERT INTO t VALUES (1, 'one', '2026-01-31'), (2, NULL, NULL)",
            'CREATE TABLE "<b>" (a INTEGER)',
            "CREATE TABLE v (v VARIANT)",
            "INSERT INTO v VALUES (NULL), (1::VARIANT)",
        )
    for key, value in dl.settings("lake", made.uri).items():
        session.conf.set(key, value)
    return dl.Lake(session, "lake")


def test_a_lake_shows_its_tables_and_newest_snapshots(lake: dl.Lake) -> None:
    shown = lake._repr_html_()
    tables, snapshots = shown.split("<caption>The newest snapshots</caption>")

    assert repr(lake) == "<Lake lake>"
    assert "<td>main</td><td>&lt;b&gt;</td><td>0</td><td>0 B</td>" in tables
    assert [part.partition("<")[0] for part in snapshots.split("<tr><td>")[1:]] == list("54321")
    assert "<td>tables_created main.t</td>" in snapshots


def test_a_lake_at_a_snapshot_shows_the_tables_that_there_were(lake: dl.Lake) -> None:
    past = lake.at(1)

    assert repr(past) == "<Lake lake at version 1>"
    assert past._repr_html_() == (
        "<table><caption>Lake lake at version 1</caption>"
        "<tr><th>schema</th><th>table</th><th>files</th><th>size</th></tr>"
        "<tr><td>main</td><td>t</td><td>0</td><td>0 B</td></tr></table>"
    )
    assert [row.table_name for row in lake.at(0).table_info().collect()] == []
    with pytest.raises(dl.NoSuchSnapshotError):
        lake.at(99).table_info()


def test_tables_of_one_name_are_shown_with_their_schemas(lake: dl.Lake) -> None:
    lake.create_schema("a")
    lake.create_table("a.t", "id INT")

    names = [part.split("</td><td>")[:2] for part in lake._repr_html_().split("<tr><td>")]

    assert names[1:5] == [["a", "t"], ["main", "&lt;b&gt;"], ["main", "t"], ["main", "v"]]


def test_a_table_shows_its_columns(lake: dl.Lake) -> None:
    lake.create_table("wide", ", ".join(f"c{number} INT" for number in range(25)))

    texts = [repr(each) for each in (lake.table("t"), lake.at(1).table("main.t"))]

    assert texts == [
        "<Table lake.t: id bigint, name string, a b date>",
        "<Table lake.main.t at version 1: id bigint, name string, a b date>",
    ]
    assert repr(lake.table("wide")).endswith(", c18 int, c19 int, … 5 more>")
    assert "<td>a b</td><td>date</td><td>yes</td>" in lake.table("t")._repr_html_()
    assert "<td>&#x27;none&#x27;</td>" in lake.table("t").schema._repr_html_()


def test_a_table_that_is_not_there_shows_its_name(lake: dl.Lake) -> None:
    assert repr(lake.at(time="2001-01-31").table("s.t")) == "<Table lake.s.t at 2001-01-31>"
    assert repr(lake.table("nope")) == "<Table lake.nope>"


def test_a_lake_that_is_not_there_yet_looks_empty(
    session: SparkSession, lakes: LakeFactory
) -> None:
    for key, value in dl.settings("lake", lakes.new("sqlite").uri).items():
        session.conf.set(key, value)

    with pytest.warns(UserWarning, match="There is no lake at"):
        lake = dl.Lake(session, "lake")

    assert [row.schema_name for row in lake.schemas().collect()] == ["main"]
    assert lake.tables().collect() == lake.tables("main").collect() == []
    assert "<td>" not in lake._repr_html_()
    for call in (lake.snapshots, lake.table_info, lake.views):
        with pytest.raises(dl.NoLakeError, match="there is no lake at its address yet") as raised:
            call()
        assert (raised.value.getCondition(), raised.value.getSqlState()) == (
            "DUCKLAKE_NO_LAKE",
            "42704",
        )
    for past in (lake.at(1), lake.at(time="2100-01-01")):
        for list_all in (past.schemas, past.tables):
            with pytest.raises(dl.NoSuchSnapshotError):
                list_all()


def test_a_session_without_the_jar_says_what_to_do(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jvm, "CATALOG_CLASS", ABSENT)
    session.conf.set("spark.sql.catalog.lake", ABSENT)

    with pytest.raises(dl.InvalidSettingError) as raised:
        dl.Lake(session, "lake")

    message = str(raised.value)
    assert "`lake` is registered, but this Spark does not have the connector's jar" in message
    assert (
        _jvm.hint(session.version) in message
        and "--jars $(python -m ducklake_spark jars)" in message
    )
    assert (raised.value.getCondition(), raised.value.getSqlState()) == (
        "DUCKLAKE_INVALID_SETTING",
        "42616",
    )


def test_arrow_and_polars_take_rows(lake: dl.Lake) -> None:
    polars = pytest.importorskip("polars", reason="polars of requirements-dev.txt is not installed")

    table = lake.table("t").to_df().orderBy("id").toArrow()
    frame = polars.from_arrow(table)

    assert table.schema.names == ["id", "name", "a b"]
    assert table.schema.types == [pa.int64(), pa.string(), pa.date32()]
    assert frame.rows() == [tuple(row) for row in lake.table("t").to_df().orderBy("id").collect()]
    assert frame.schema["a b"] == polars.Date


def test_a_null_variant_is_no_arrow_but_its_json_is(lake: dl.Lake) -> None:
    rows = lake.table("v").to_df()

    with pytest.raises(pa.ArrowInvalid):
        rows.toArrow()
    texts = rows.selectExpr("to_json(v) AS v").toArrow().column("v").to_pylist()

    assert sorted(map(str, texts)) == ["1", "None"]
