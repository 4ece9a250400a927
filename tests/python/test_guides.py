"""The guides: what they show is run, by DuckDB and by Spark on one lake."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import duckdb
import ducklake_spark as dl
import pytest
from pyspark.sql import SparkSession

from support.lakes import Lake, LakeFactory
from support.pages import DOCS, blocks, rows
from support.peer import Peer, connect

Row = tuple[object, ...]
FROM_DUCKDB = DOCS / "from-duckdb.md"
FROM_OTHERS = DOCS / "from-iceberg-and-delta.md"
STATEMENT = re.compile(r"`([^`]+)`")


def registered(session: SparkSession, settings: dict[str, str]) -> SparkSession:
    for key, value in settings.items():
        session.conf.set(key, value)
    return session


@pytest.fixture
def duck(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB that has run the page's first block."""
    first = blocks(FROM_DUCKDB)[0]
    place = {name: str(tmp_path / name) for name in ("lake.sqlite", "lake_files")}
    with connect() as connection:
        connection.execute(first.replaced(place))
        yield connection


def test_both_columns_of_the_page_for_duckdb_users_do_the_same(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    session = registered(
        spark.newSession(), dl.settings("lake", f"ducklake:sqlite:{tmp_path}/lake.sqlite")
    )

    for theirs, ours in rows(FROM_DUCKDB, "Reading"):
        asked = duck.execute(theirs.strip("`")).fetchall()
        found = session.sql(ours.strip("`")).collect()
        assert len(found) == len(asked) > 0, ours
        assert {str(row[0]) for row in asked} <= {str(value) for row in found for value in row}
    for theirs, ours in rows(FROM_DUCKDB, "Writing") + rows(FROM_DUCKDB, "Upkeep"):
        duck.execute(theirs.strip("`")).fetchall()
        session.sql(ours.strip("`")).collect()

    for table in ("events", "notes", "notes2"):
        asked = duck.execute(f"FROM lake.{table} ORDER BY id").fetchall()
        found = session.table(f"lake.{table}").orderBy("id").collect()
        assert [tuple(row) for row in found] == asked
    assert duck.execute("SELECT kind FROM lake.events WHERE id < 3").fetchall() == [("go",)]


def example(lakes: LakeFactory, folder: Path) -> Lake:
    """A lake with the table that the page names, and Parquet files beside it."""
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE events (id INTEGER, kind VARCHAR, day DATE)",
            "INSERT INTO events SELECT i, 'a', DATE '2026-01-01' FROM range(10) AS r(i)",
            "INSERT INTO events SELECT i, 'b', DATE '2026-02-01' FROM range(10, 20) AS r(i)",
            "DELETE FROM events WHERE id = 5",
        )
        for name in ("old", "new"):
            (folder / name).mkdir()
            peer.run(f"COPY (SELECT 1::INTEGER AS id) TO '{folder}/{name}/f.parquet'")
    return made


@pytest.mark.parametrize("other", ["Delta", "Iceberg"])
def test_what_the_page_for_other_formats_shows_runs(
    spark: SparkSession, lakes: LakeFactory, tmp_path: Path, other: str
) -> None:
    lake = example(lakes, tmp_path)
    session = registered(spark.newSession(), dl.settings("lake", lake.uri))
    shown = [
        statement
        for *_, ours in rows(FROM_OTHERS, f"Statements and procedures of {other}")
        for statement in STATEMENT.findall(ours)
    ]

    for statement in shown:
        session.sql(statement.replace("'/data/", f"'{tmp_path}/")).collect()

    with Peer(lake) as peer:
        assert len(shown) > 14
        assert peer.value("SELECT count(*) FROM events") == 20
        assert peer.value(f"SELECT count(*) FROM {'old' if other == 'Delta' else 'imported'}") == 1


def test_a_commit_of_several_tables_is_shown_to_users_of_other_formats(
    spark: SparkSession, lakes: LakeFactory, tmp_path: Path
) -> None:
    lake = example(lakes, tmp_path)
    session = registered(spark.newSession(), dl.settings("lake", lake.uri))
    (block,) = blocks(FROM_OTHERS)

    for statement in block.text.split(";")[:-1]:
        session.sql(statement)

    with Peer(lake) as peer:
        assert peer.head() == 5
        assert peer.rows("SELECT kind FROM kinds ORDER BY kind") == [("a",), ("b",), ("c",)]


def test_a_copy_of_a_lake_is_what_the_lake_was(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copying, moving, using = blocks(DOCS / "backups.md")
    lake = Lake(
        "sqlite", f"ducklake:sqlite:{tmp_path}/lake.sqlite", tmp_path / "files", "lake.sqlite"
    )
    place = {name: f"{tmp_path}/{name}" for name in ("copy.sqlite", "copy_files/")}

    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (id INTEGER)",
            "INSERT INTO t VALUES (1), (2)",
            "INSERT INTO t SELECT i FROM range(3, 103) AS r(i)",
        )
        monkeypatch.chdir(tmp_path)
        exec(copying.text, {})
        peer.run("DELETE FROM t WHERE id > 50", "INSERT INTO t VALUES (1000)")
    shutil.copytree(lake.data_path, tmp_path / "copy_files")
    shutil.rmtree(lake.data_path)
    settings = using.replaced(place).replace(
        "dl.configure(\n    SparkSession.builder,", "dl.settings("
    )
    names: dict[str, dict[str, str]] = {}
    exec(settings, {"dl": dl}, names)
    session = registered(spark.newSession(), names["builder"])

    assert session.sql("SELECT count(*), sum(id) FROM copy.t").collect() == [(102, 5253)]
    with connect() as duck:
        attach = f"ATTACH 'ducklake:sqlite:{tmp_path}/copy.sqlite' AS copy "
        duck.execute(f"{attach} (DATA_PATH '{tmp_path}/copy_files/', OVERRIDE_DATA_PATH true)")
        assert duck.execute("SELECT count(*), sum(id) FROM copy.t").fetchall() == [(102, 5253)]

    with sqlite3.connect(tmp_path / "copy.sqlite") as catalog:
        catalog.execute(moving.replaced({"/copies/copy_files/": f"{tmp_path}/copy_files/"}))
    moved = registered(spark.newSession(), dl.settings("moved", attach.split("'")[1]))
    assert moved.sql("SELECT count(*), sum(id) FROM moved.t").collect() == [(102, 5253)]
    with connect() as duck:
        duck.execute(attach)
        assert duck.execute("SELECT count(*), sum(id) FROM copy.t").fetchall() == [(102, 5253)]
