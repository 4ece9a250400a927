"""Names of schemas in schemas, which lakes of version 1.1 have, and names with dots."""

from __future__ import annotations

import ducklake_spark as dl
import pytest
from ducklake_spark.lake_at import LakeAt
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from support.lakes import LakeFactory
from support.lines import MADE_VIEWS, since


def made(session: SparkSession, lakes: LakeFactory, version: str) -> dl.Lake:
    """A new lake of a version, with the schemas `a` and `a.b`."""
    settings = dl.settings(
        "lake", lakes.new("sqlite").uri, ducklake_version=version, data_inlining_row_limit=0
    )
    for key, value in settings.items():
        session.conf.set(key, value)
    with pytest.warns(UserWarning, match="There is no lake"):
        lake = dl.Lake(session, "lake")
    lake.create_schema("a")
    lake.create_schema("a.b")
    return lake


@pytest.fixture
def nested(session: SparkSession, lakes: LakeFactory) -> dl.Lake:
    """A lake of 1.1, in which `a.b` is the schema `b` in `a`."""
    return made(session, lakes, "1.1")


@pytest.fixture
def flat(session: SparkSession, lakes: LakeFactory) -> dl.Lake:
    """A lake of 1.0, in which `a.b` is a name with a dot."""
    return made(session, lakes, "1.0")


def fill(lake: dl.Lake, *names: str) -> None:
    """A table of each quoted name, with one row, its own name."""
    for name in names:
        lake.spark.sql(f"CREATE TABLE lake.{name} AS SELECT '{name}' AS name")


def listed(lake: dl.Lake | LakeAt, schema: str | None = None) -> set[tuple[str, str]]:
    """Schemas and names of the tables."""
    return {(row.schema_name, row.table_name) for row in lake.tables(schema).collect()}


PATHS: tuple[tuple[str, str | None, str], ...] = (
    ("a.b.t", None, "a.b.t"),
    ("t", "a.b", "a.b.t"),
    ("t", '"a"."b"', "a.b.t"),
    ('a."b".t', None, "a.b.t"),
    ("a.b.u", None, "a.`b.u`"),
    ("b.u", "a", "a.`b.u`"),
    ("a.b.v", None, "main.`a.b.v`"),
    ("a.b.c.w", None, "a.b.`c.w`"),
)
"""A name and a schema, as a method takes them, and the table that they mean."""


def test_a_path_means_the_same_as_in_a_procedure(nested: dl.Lake) -> None:
    fill(nested, "a.b.t", "a.`b.u`", "main.`a.b.v`", "a.b.`c.w`")
    for name, schema, found in PATHS:
        table = nested.table(name, schema=schema)

        (row,) = table.to_df().collect()
        files = [file.data_file for file in table.files().collect()]
        listed = nested.list_files(name, schema=schema).collect()
        table.delete("false")

        assert (name, schema, row.name) == (name, schema, found)
        assert (name, files) == (name, [file.data_file for file in listed])
        assert table.exists() and table.merge_adjacent_files(progress=False).count() == 0, name


def test_a_schema_of_that_very_name_comes_first(nested: dl.Lake) -> None:
    nested.create_schema('"a.b"')
    fill(nested, "a.b.t", "`a.b`.t")

    names = [
        nested.table("t", schema=schema).to_df().collect()[0].name
        for schema in ("a.b", '"a"."b"', '"a.b"')
    ]
    made = nested.create_table("a.b.x", "id INT")
    nested.drop_table("a.b.t")

    assert names == ["`a.b`.t", "a.b.t", "`a.b`.t"]
    assert nested.spark.table("lake.`a.b`.x").columns == made.to_df().columns == ["id"]
    assert nested.spark.table("lake.a.b.t").count() == 1


def test_a_table_is_made_in_the_innermost_schema(nested: dl.Lake) -> None:
    rows = nested.spark.range(2)

    for table in (
        nested.create_table("a.b.x", "id BIGINT"),
        nested.create_table("y", rows, schema="a.b"),
        nested.create_table("a.c.z", rows),
    ):
        table.append(rows)
    again = nested.create_table("a.b.x", "other INT", if_not_exists=True)

    assert again.schema.names == ("id",)
    assert [nested.spark.table(f"lake.{name}").count() for name in ("a.b.x", "a.b.y")] == [2, 4]
    assert nested.spark.table("lake.a.`c.z`").count() == 4
    nested.drop_table("a.b.x")
    assert not nested.table("a.b.x").exists()
    with pytest.raises(AnalysisException) as caught:
        nested.create_table("nowhere.b.x", "id INT")
    assert caught.value.getCondition() == "SCHEMA_NOT_FOUND"


@since(MADE_VIEWS)
def test_schemas_and_tables_in_schemas_are_listed(nested: dl.Lake) -> None:
    nested.create_schema("a.b.c")
    nested.create_schema('a."d.e"')
    fill(nested, "main.t", "a.t", "a.b.t", "a.b.c.t")
    nested.spark.sql("CREATE VIEW lake.a.b.seen AS SELECT 1 AS one")

    schemas = [row.schema_name for row in nested.schemas().collect()]

    assert schemas == ["a", "a.b", "a.b.c", "a.d.e", "main"]
    assert listed(nested) == {("main", "t"), ("a", "t"), ("a.b", "t"), ("a.b.c", "t")}
    assert listed(nested, "a.b") == {("a.b", "t")}


@since(MADE_VIEWS)
def test_a_snapshot_lists_the_schemas_and_tables_that_there_were(nested: dl.Lake) -> None:
    fill(nested, "a.t", "a.b.t", "main.m")
    nested.spark.sql("CREATE VIEW lake.a.b.seen AS SELECT 1 AS one")
    ((before,),) = nested.current_snapshot().collect()
    ((time,),) = (
        nested.snapshots().where(f"snapshot_id = {before}").select("snapshot_time").collect()
    )
    nested.create_schema('"a.b"')
    fill(nested, "`a.b`.new")
    nested.spark.sql("ALTER TABLE lake.a.t RENAME TO lake.a.renamed")
    nested.drop_schema('"a"."b"', cascade=True)

    for past in (nested.at(before), nested.at(time=time)):
        assert [row.schema_name for row in past.schemas().collect()] == ["a", "a.b", "main"]
        assert listed(past) == {("main", "m"), ("a", "t"), ("a.b", "t")}
        assert listed(past, "A.B") == listed(past, '"a"."b"') == {("a.b", "t")}
    assert listed(nested) == {("main", "m"), ("a", "renamed"), ("a.b", "new")}
    assert listed(nested, "a.b") == {("a.b", "new")}


def test_a_schema_that_is_not_there_lists_no_tables(nested: dl.Lake) -> None:
    ((newest,),) = nested.current_snapshot().collect()
    nested.create_schema("late")

    for lake, schema in ((nested, "nope"), (nested.at(newest), "late")):
        with pytest.raises(AnalysisException, match="has no such schema") as caught:
            lake.tables(schema)
        assert caught.value.getCondition() == "SCHEMA_NOT_FOUND"
    with pytest.raises(dl.NoSuchSnapshotError):
        nested.at(99).tables()


def test_schemas_in_schemas_are_made_and_dropped(nested: dl.Lake) -> None:
    nested.create_schema("a.b", if_not_exists=True)
    fill(nested, "a.b.t")

    for name, condition in (("a.b", "SCHEMA_ALREADY_EXISTS"), ("no.b", "SCHEMA_NOT_FOUND")):
        with pytest.raises(AnalysisException) as caught:
            nested.create_schema(name)
        assert caught.value.getCondition() == condition
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_EMPTY"):
        nested.drop_schema("a.b")
    nested.drop_schema("a.b", cascade=True)
    nested.drop_schema("a.b", if_exists=True)

    assert [row.schema_name for row in nested.schemas().collect()] == ["a", "main"]


def test_dots_are_part_of_names_in_lakes_of_1_0(flat: dl.Lake) -> None:
    fill(flat, "`a.b`.t", "a.`b.u`", "a.`c.v`")
    version = flat.current_snapshot().collect()[0].id
    made = flat.create_table("a.b.x", "id INT")
    flat.create_table("a.c.y", "id INT")
    flat.create_schema("a.b", if_not_exists=True)

    tables = [flat.table(name).to_df().collect()[0].name for name in ("a.b.t", "a.b.u", "a.c.v")]
    shown = listed(flat)
    flat.drop_schema("a.b", cascade=True)

    assert tables == ["`a.b`.t", "a.`b.u`", "a.`c.v`"]
    assert made.schema_name == "a.b"
    assert shown == {("a.b", "t"), ("a", "b.u"), ("a", "c.v"), ("a.b", "x"), ("a", "c.y")}
    assert [row.schema_name for row in flat.schemas().collect()] == ["a", "main"]
    past = flat.at(version).table("t", schema="a.b")
    assert past.to_df().collect()[0].name == "`a.b`.t"
    for call in (
        lambda: flat.create_table("x", "id INT", schema="a.b"),
        lambda: flat.table("t", schema="a.b").to_df(),
    ):
        with pytest.raises(AnalysisException, match="NOT_FOUND"):
            call()
