"""Names of tables, and what the methods that change a lake leave behind."""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable
from dataclasses import replace
from logging.handlers import QueueHandler
from pathlib import Path

import ducklake_spark as dl
import pytest
from pyspark.errors import AnalysisException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, StructField, StructType

from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)


@pytest.fixture
def made(session: SparkSession, lake: Lake, register: Register) -> dl.Lake:
    """A lake whose tables have dots in their names, each with a file and one row, its own name."""
    names = ('main."s.t"', "s.t", "s.u", 's."u.v"', 'main."s.u.w"')
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE SCHEMA s")
        for name in names:
            peer.run(f"CREATE TABLE {name} AS SELECT '{name}' AS name")
    return dl.Lake(session, register(lake, session=session))


NAMES: tuple[tuple[str, str | None, str], ...] = (
    ("s.t", None, 'main."s.t"'),
    ("s.t", "main", 'main."s.t"'),
    ("t", "s", "s.t"),
    ("s.u", None, "s.u"),
    ("s.u.v", None, 's."u.v"'),
    ("u.v", "s", 's."u.v"'),
    ("s.u.w", None, 'main."s.u.w"'),
)
"""A name and a schema, as a method takes them, and the table that they mean."""


def test_a_name_means_the_same_as_in_a_procedure(made: dl.Lake) -> None:
    for name, schema, found in NAMES:
        (row,) = made.table(name, schema=schema).to_df().collect()
        files = made.table(name, schema=schema).files().collect()
        listed = made.list_files(name, schema=schema).collect()

        assert (name, schema, row.name) == (name, schema, found)
        assert (name, [file.data_file for file in files]) == (
            name,
            [file.data_file for file in listed],
        )


def test_looking_a_name_up_logs_no_error(made: dl.Lake) -> None:
    logged: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    handler = QueueHandler(logged)
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    logger.addHandler(handler)
    try:
        assert made.table("s.u").to_df().count() == 1
        assert not made.table("s.nope").exists()
        by_looking = logged.qsize()
        with pytest.raises(AnalysisException):
            made.table("nope").to_df()
    finally:
        logger.removeHandler(handler)

    assert by_looking == 0 < logged.qsize()


def test_a_name_is_looked_up_at_the_snapshot(made: dl.Lake, lake: Lake) -> None:
    with Peer(lake) as peer:
        before = peer.head()
        peer.run('DROP TABLE main."s.t"')

    tables = [each.table("s.t").to_df().collect() for each in (made, made.at(version=before))]

    assert [row.name for (row,) in tables] == ["s.t", 'main."s.t"']


@pytest.mark.parametrize(("name", "schema"), [("nope", None), ("s.nope", None), ("s.u", "main")])
def test_a_table_that_is_not_there_is_sparks_own_error(
    made: dl.Lake, name: str, schema: str | None
) -> None:
    with pytest.raises(AnalysisException) as caught:
        made.table(name, schema=schema).to_df()

    assert caught.value.getCondition() == "TABLE_OR_VIEW_NOT_FOUND"


def test_a_moment_is_a_version_or_a_time(made: dl.Lake) -> None:
    table = made.at(version=3).table("t", schema="s")

    assert (table.version, table.time) == (3, None)
    with pytest.raises(ValueError, match="not both"):
        replace(table, time="2026-01-31").to_df()


def test_changes_are_what_duckdb_sees(made: dl.Lake, lake: Lake) -> None:
    options = "FROM ducklake_options('lake') WHERE scope IN ('TABLE', 'SCHEMA') ORDER BY ALL"

    made.set_option("parquet_compression", "zstd", table_name="s.u")
    made.set_option("sort_on_insert", False, schema="s")
    made.set_commit_message("Ada", "why", extra_info="more")
    made.set_not_null("s.u", "name")
    made.set_partitioned_by("u", ["name"], schema="s")
    made.set_sorted_by("s.u", ["name DESC NULLS LAST"])

    with Peer(lake) as peer:
        assert peer.rows(f"SELECT option_name, value, scope_entry {options}") == [
            ("parquet_compression", "zstd", "s.u"),
            ("sort_on_insert", "false", "s"),
        ]
        ((author, message, info),) = peer.rows(
            "SELECT author, commit_message, commit_extra_info FROM ducklake_snapshots('lake') "
            "WHERE author IS NOT NULL"
        )
        assert (author, message, info) == ("Ada", "why", "more")
        with pytest.raises(Exception, match="NOT NULL"):
            peer.run("INSERT INTO s.u VALUES (NULL)")
    created = made.spark.sql(f"SHOW CREATE TABLE {made.catalog}.s.u").collect()[0][0]
    assert "PARTITIONED BY (name)" in created
    assert '"name" DESC NULLS LAST' in created


def test_a_layout_can_be_taken_back(made: dl.Lake) -> None:
    shown = f"SHOW CREATE TABLE {made.catalog}.s.u"
    before = made.spark.sql(shown).collect()
    made.set_partitioned_by("s.u", ["name"])
    made.set_sorted_by("s.u", ["name"])

    made.reset_partitioned_by("s.u")
    made.reset_sorted_by("u", schema="s")

    assert made.spark.sql(shown).collect() == before


def test_a_change_that_cannot_be_has_an_exception_of_its_own(made: dl.Lake) -> None:
    with pytest.raises(dl.InvalidOptionError):
        made.set_option("colour", "blue")
    with pytest.raises(dl.InvalidChangeError):
        made.set_partitioned_by("s.u", ["nope"])
    with pytest.raises(dl.InvalidArgumentError):
        made.set_sorted_by("s.u", [])
    with pytest.raises(AnalysisException):
        made.set_not_null("s.nope", "name")


@pytest.mark.filterwarnings("ignore:The SQL config 'spark.sql.parser.escapedStringLiterals'")
@pytest.mark.parametrize("escaped", ["false", "true"])
def test_texts_do_not_depend_on_how_the_session_reads_backslashes(
    made: dl.Lake, escaped: str, tmp_path: Path
) -> None:
    text = 'it\'s "1\\2" é ${spark.app.name}'
    made.spark.conf.set("spark.sql.parser.escapedStringLiterals", escaped)

    made.set_commit_message(text, text, extra_info="${spark.app.name}")
    table = made.create_table(
        "odd",
        StructType([StructField("a", IntegerType(), metadata={"comment": text})]),
        comment=text,
        properties={text: text},
    )
    folder = tmp_path / "it's"
    made.spark.range(2).selectExpr("CAST(id AS INT) AS a").coalesce(1).write.parquet(str(folder))

    added = made.add_data_files("odd", [folder]).collect()

    assert [Path(row.filename).parent.name for row in added] == ["it's"]
    assert table.to_df().count() == 2
    last = made.snapshots().where("author IS NOT NULL").collect()
    assert [tuple(row)[-3:] for row in last] == [(text, text, "${spark.app.name}")]
    assert table.schema["a"].comment == text
    assert table.properties[text] == text
    shown = made.spark.sql(f"DESCRIBE EXTENDED {made.catalog}.main.odd")
    assert [row.data_type for row in shown.where("col_name = 'Comment'").collect()] == [text]
    with pytest.raises(AnalysisException, match="it's") as caught:
        made.merge_adjacent_files(text)
    assert text in str(caught.value)
