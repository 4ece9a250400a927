"""Declarative pipelines: the project of the page is run twice by `spark-pipelines`.

Spark 4.0 has no such program, and Spark 4.1 runs the part without AUTO CDC.

DuckDB writes the sources, changes them before the second run, and reads what came of them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.errors import PySparkTypeError

from support.forms import shell
from support.lakes import Lake, LakeFactory
from support.lines import AUTO_CDC, AUTO_CDC_HISTORY, PIPELINES, before, since
from support.pages import DOCS, Block, blocks
from support.peer import Peer
from support.session import SESSION_SETTINGS
from support.sweep import only_in_the_full_sweep

dear = only_in_the_full_sweep("two starts of Spark; TypeChangesSpec has the changes")

SOURCES = (
    "CREATE SCHEMA raw",
    "CREATE TABLE raw.visits (id BIGINT, page VARCHAR, place STRUCT(city VARCHAR))",
    "INSERT INTO raw.visits VALUES (1, 'b', {'city': 'Kyiv'}), (2, 'a', NULL), (3, 'b', NULL)",
    "CREATE TABLE raw.changes (id BIGINT, name VARCHAR, moment TIMESTAMPTZ, gone BOOLEAN)",
    "INSERT INTO raw.changes VALUES (1, 'Ann', '2026-01-01 00:00:00+00', false), "
    "(2, 'Bob', '2026-01-01 00:00:00+00', false)",
)
CHANGES = (
    "INSERT INTO raw.visits VALUES (4, 'a', {'city': 'Lviv'})",
    "INSERT INTO raw.changes VALUES (1, 'Anne', '2026-01-02 00:00:00+00', false), "
    "(2, NULL, '2026-01-02 00:00:00+00', true), (3, 'Cid', '2026-01-02 00:00:00+00', false)",
)
WIDER = {
    'spark.readStream.table("lake.raw.visits")': (
        'spark.readStream.table("lake.raw.visits").selectExpr("id", "page", '
        "\"named_struct('city', place.city, 'zip', CAST(NULL AS STRING)) AS place\")"
    ),
    ".count()": '.count().selectExpr("page", "CAST(count AS STRING) AS count")',
}
"""What the second run has in its file: a field more, and a count that is a text."""
ADDRESS = "ducklake:sqlite:/data/lake.sqlite"


def of(language: str, page: str = "pipelines.md", section: str = "Declarative pipelines") -> Block:
    """The only block of a section of a page in a language."""
    (block,) = [
        block
        for block in blocks(DOCS / page)
        if (block.section, block.language) == (section, language)
    ]
    return block


@pytest.fixture
def lake(lakes: LakeFactory) -> Lake:
    """A lake with the sources of the pipeline."""
    made = lakes.new("sqlite")
    with Peer(made) as peer:
        peer.run(*SOURCES)
    return made


@pytest.fixture
def folder(lake: Lake, tmp_path: Path) -> Path:
    """The project of the page."""
    settings = of("properties", "deployment.md", "What every form needs").replaced(
        {ADDRESS: lake.uri}
    )
    own = {key: value for key, value in SESSION_SETTINGS.items() if key != "spark.master"}
    session = "".join(f"{key} {value}\n" for key, value in own.items())
    (tmp_path / "lake.conf").write_text(session + settings)
    spec = of("yaml").replaced({"/data/pipeline": f"{tmp_path}/state"})
    (tmp_path / "spark-pipeline.yml").write_text(spec)
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/visits.py").write_text(of("python").text)
    return tmp_path


def people() -> Block:
    """The second file of the project."""
    return of("python", section="AUTO CDC")


def read(lake: Lake, query: str) -> list[tuple[Any, ...]]:
    """What DuckDB reads."""
    with Peer(lake) as peer:
        return peer.rows(query)


@dear
@since(PIPELINES)
def test_a_pipeline_runs_twice_and_columns_follow_it(lake: Lake, folder: Path) -> None:
    command = of("bash").text

    shell(command, folder)

    assert read(lake, "SELECT id, page, place.city FROM seen ORDER BY id") == [
        (1, "b", "Kyiv"),
        (2, "a", None),
        (3, "b", None),
    ]
    assert read(lake, "FROM pages ORDER BY page") == [("a", 1), ("b", 2)]
    with Peer(lake) as peer:
        peer.run(*CHANGES)
    definitions = of("python").replaced(WIDER)
    (folder / "tables/visits.py").write_text(definitions)

    shell(command, folder)

    assert read(lake, "SELECT id, place.city, place.zip FROM seen ORDER BY id") == [
        (1, "Kyiv", None),
        (2, None, None),
        (3, None, None),
        (4, "Lviv", None),
    ]
    assert read(lake, "FROM pages ORDER BY page") == [("a", "2"), ("b", "2")]
    assert sorted_by(lake) == [("seen", "page")]


@dear
@since(AUTO_CDC)
def test_a_table_follows_a_feed_of_changes(lake: Lake, folder: Path) -> None:
    (folder / "tables/people.py").write_text(people().text)
    command = of("bash").text
    query = "SELECT id, name FROM people ORDER BY id"

    shell(command, folder)
    first = read(lake, query)
    with Peer(lake) as peer:
        peer.run(*CHANGES)
    shell(command, folder)

    assert first == [(1, "Ann"), (2, "Bob")]
    assert read(lake, query) == [(1, "Anne"), (3, "Cid")]


HISTORY = {
    'apply_as_deletes="gone",\n    except_column_list=["moment", "gone"],': (
        'apply_as_deletes="gone",\n    except_column_list=["gone"],\n    stored_as_scd_type=2,'
    )
}
"""What keeps each version of a row, with the times between which it was the right one."""


@dear
@since(AUTO_CDC_HISTORY)
def test_a_pipeline_keeps_the_versions_of_rows(lake: Lake, folder: Path) -> None:
    command = of("bash").text
    (folder / "tables/people.py").write_text(people().replaced(HISTORY))

    shell(command, folder)
    with Peer(lake) as peer:
        peer.run(*CHANGES)
    shell(command, folder)

    first, second = (datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2))
    versions = "SELECT id, name, __START_AT, __END_AT FROM people ORDER BY id, __START_AT"
    assert read(lake, versions) == [
        (1, "Ann", first, second),
        (1, "Anne", second, None),
        (2, "Bob", first, second),
        (3, "Cid", second, None),
    ]


def sorted_by(lake: Lake) -> list[tuple[Any, ...]]:
    """The sort keys of each table."""
    return read(
        lake,
        "SELECT table_name, expression FROM __ducklake_metadata_lake.ducklake_sort_expression "
        "JOIN __ducklake_metadata_lake.ducklake_table USING (table_id) WHERE end_snapshot IS NULL",
    )


@dear
@since(PIPELINES)
def test_spark_looks_for_views_of_a_pipeline_in_its_own_catalog(lake: Lake, folder: Path) -> None:
    (folder / "tables/visits.py").unlink()
    text = "CREATE VIEW places AS SELECT page FROM lake.raw.visits;"
    (folder / "tables/places.sql").write_text(text)

    printed = shell(of("bash").text.rstrip() + " 2>&1", folder)

    assert "Flow 'lake.main.places' has FAILED" in printed
    assert "`spark_catalog`.`main` cannot be found" in printed
    assert read(lake, "SELECT view_name FROM duckdb_views() WHERE NOT internal") == []


@before(PIPELINES)
def test_there_is_no_program_for_pipelines() -> None:
    programs = Path(pyspark.__file__).parent / "bin"

    assert (programs / "spark-submit").exists()
    assert not (programs / "spark-pipelines").exists()


@before(AUTO_CDC)
@since(PIPELINES)
def test_there_is_no_auto_cdc() -> None:
    pipelines = import_module("pyspark.pipelines")

    assert hasattr(pipelines, "create_streaming_table")
    assert not hasattr(pipelines, "create_auto_cdc_flow")


@before(AUTO_CDC_HISTORY)
@since(AUTO_CDC)
def test_auto_cdc_does_not_keep_rows_that_were() -> None:
    flow = {"target": "people", "source": "changes", "keys": ["id"], "sequence_by": "moment"}

    with pytest.raises(PySparkTypeError, match="stored_as_scd_type"):
        import_module("pyspark.pipelines").create_auto_cdc_flow(**flow, stored_as_scd_type=2)
