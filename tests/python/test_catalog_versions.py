"""Commands that read the catalog without Spark, on lakes of version 1.1 and of its development."""

from __future__ import annotations

import re
from collections.abc import Callable

import ducklake_spark as dl
import pytest
from ducklake_spark_catalog import columns, database, names, schemas
from ducklake_spark_catalog.places import Place
from ducklake_spark_cli import checks
from ducklake_spark_cli.checks import Finding
from ducklake_spark_report import facts_of, upkeep
from pyspark.sql import SparkSession

from support.asking import column
from support.catalogdb import execute
from support.commands import command, json_of
from support.doctests import run_examples
from support.fixtures import Fixture, FixtureStore, all_fixtures
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.peer import Peer, made
from support.raising import raise_to_11
from support.sweep import swept

pytestmark = pytest.mark.every_database

Register = Callable[..., str]

DEVELOPED = [each for each in all_fixtures() if each.spec == "1.1-dev1"]


def test_examples_hold() -> None:
    assert run_examples(schemas).failed == 0
    assert run_examples(names).failed == 0
    assert run_examples(columns).failed == 0


@pytest.fixture
def nested(
    kind: CatalogKind, lakes: LakeFactory, spark: SparkSession, register: Register
) -> tuple[Lake, str]:
    """A lake with `b.t` and `a.b.t`, and the name of its catalog in Spark."""
    lake = lakes.new(kind)
    options = {"ducklake-version": "1.1", "data-path": lake.data_address, **IN_FILES}
    catalog = register(lake, options)
    for statement in (
        "CREATE SCHEMA {}.b",
        "CREATE SCHEMA {}.a",
        "CREATE SCHEMA {}.a.b",
        "CREATE TABLE {}.b.t AS SELECT 1 AS x",
        "CREATE TABLE {}.a.b.t AS SELECT 2 AS x",
        "CREATE TABLE {}.a.b.only AS SELECT 3 AS x",
        "CREATE TABLE {}.a.`b.only` AS SELECT 4 AS x",
        "CALL {}.system.set_option('auto_compact', 'false', schema => 'a.b')",
    ):
        spark.sql(statement.format(catalog))
    return lake, catalog


def test_a_table_is_found_by_its_whole_path(nested: tuple[Lake, str], spark: SparkSession) -> None:
    lake, catalog = nested

    for name in ("b.t", "a.b.t", "A.B.T", "a.b.only", '"a"."b".only'):
        literal = name.replace('"', '\\"')
        expected = column(spark, f'CALL {catalog}.system.list_files("{literal}")')
        rows = json_of("files", name, "--lake", lake.uri)
        assert [row["path"] for row in rows] == expected, name
        assert len(rows) == 1, name

    for name in ("t", "a.t", "c.b.t", "main.b.t"):
        assert f"There is no table `{name}`" in command("files", name, "-l", lake.uri).stderr


def test_schemas_in_schemas_are_shown_by_their_paths(nested: tuple[Lake, str]) -> None:
    lake, _ = nested

    tables = json_of("tables", "--lake", lake.uri)
    changes = [row["changes"] for row in json_of("snapshots", "--lake", lake.uri)]
    options = [row for row in json_of("options", "--lake", lake.uri) if row["scope"] == "schema"]
    facts = facts_of(Place(lake.uri))

    names = [("a", "b.only"), ("a.b", "only"), ("a.b", "t"), ("b", "t")]
    assert [(row["schema_name"], row["table_name"]) for row in tables] == names
    assert sorted((each.schema, each.name) for each in facts.tables) == names
    assert "created_table a.b.t, inserted_into_table a.b.t" in changes
    assert "created_table b.t, inserted_into_table b.t" in changes
    assert [row["scope_entry"] for row in options] == ["a.b"]


@pytest.mark.parametrize("fixture", swept(DEVELOPED, 4), ids=str)
def test_a_lake_of_a_development_version_has_a_report(
    fixture_store: FixtureStore, fixture: Fixture
) -> None:
    lake, newest = fixture_store.lake(fixture), fixture_store.expected(fixture)[-1]
    expected = [(*name, len(newest.relation(*name).rows)) for name in newest.tables]

    tables = json_of("tables", "--lake", lake.uri)
    facts = facts_of(Place(lake.uri))

    assert [(row["schema_name"], row["table_name"]) for row in tables] == sorted(newest.tables)
    assert sorted((each.schema, each.name, each.rows) for each in facts.tables) == sorted(expected)
    assert len(upkeep.steps(facts, "lake")) == 6


def test_a_lake_of_a_development_version_is_only_read(fixture_store: FixtureStore) -> None:
    lake = fixture_store.lake(DEVELOPED[0])

    with database.opened(Place(lake.uri)) as opened:
        found = checks.version(opened)

    assert (found.state, found.found) == ("warning", "version 1.1-dev1, which is only read")
    assert "automatic-migration" not in found.mend


def test_a_lake_of_1_1_is_like_one_of_1_0(lakes: LakeFactory, kind: CatalogKind) -> None:
    lake = lakes.new(kind)
    statements = [f"INSERT INTO t VALUES ({number})" for number in range(3)]
    made(
        lake,
        "CREATE TABLE t (n INTEGER)",
        *statements,
        "DELETE FROM t WHERE n = 1",
        limit=9,
    )
    before = facts_of(Place(lake.uri)).tables
    raise_to_11(lake)

    facts = facts_of(Place(lake.uri))

    assert facts.version == "1.1"
    assert facts.tables == before
    assert facts.tables[0].inlined_rows == 2
    with database.opened(Place(lake.uri)) as opened:
        assert checks.version(opened).state == "ok"


def told_of(lake: Lake) -> Finding:
    """What `doctor` says about the version of a lake."""
    with database.opened(Place(lake.uri)) as opened:
        return checks.version(opened)


def test_the_columns_are_those_of_a_lake_of_1_1_that_spark_made(nested: tuple[Lake, str]) -> None:
    lake, _ = nested

    with database.opened(Place(lake.uri)) as opened:
        own = [name for name in opened.names() if not re.search(r"_\d+$", name)]
        present = opened.columns(own)

    assert present == columns.OF_1_1
    assert told_of(lake) == Finding("catalog", "ok", "version 1.1")


@pytest.mark.damages("columns of a later version")
@pytest.mark.parametrize(
    ("statement", "found", "mend"),
    [
        (
            "ALTER TABLE ducklake_table ADD COLUMN colour VARCHAR",
            "ducklake_table.colour is not known",
            "Update ducklake-spark, or write to it with DuckDB.",
        ),
        (
            "ALTER TABLE ducklake_schema DROP COLUMN parent_schema_id",
            "ducklake_schema.parent_schema_id is missing",
            "Write to it with the DuckDB that made it, or copy its tables to a new lake.",
        ),
    ],
)
def test_a_lake_of_1_1_with_other_columns_is_only_read(
    lake: Lake, register: Register, spark: SparkSession, statement: str, found: str, mend: str
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS n")
    raise_to_11(lake)
    execute(lake, statement)

    finding = told_of(lake)
    catalog = register(lake)
    rows = spark.sql(f"SELECT n FROM {catalog}.t").collect()
    with pytest.raises(dl.DuckLakeError) as refused, dl.translated_errors():
        spark.sql(f"INSERT INTO {catalog}.t VALUES (2)")

    assert finding == Finding(
        "catalog", "warning", f"version 1.1, which is only read: {found}", mend
    )
    assert [row.n for row in rows] == [1]
    assert "Writing to a lake of version 1.1" in str(refused.value)
