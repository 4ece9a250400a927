"""The statements of `jvm/docs/postgresql.md` do what the page says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from support.asking import refused, value
from support.lakes import Lake, LakeFactory
from support.peer import Peer
from support.postgres import PostgresServer
from support.session import REPOSITORY

Register = Callable[..., str]

PAGE = (REPOSITORY / "jvm/docs/postgresql.md").read_text()


def _blocks(heading: str, language: str) -> list[str]:
    (section,) = [part for part in PAGE.split("\n## ") if part.startswith(f"{heading}\n")]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def _shell(server: PostgresServer, commands: str, folder: Path) -> None:
    for command in commands.strip().splitlines():
        program, *arguments = command.replace("lakes.dump", str(folder / "lakes.dump")).split()
        server.run_program(program, *arguments)


def test_the_page_of_postgresql_is_true(
    spark: SparkSession,
    server: PostgresServer,
    lakes: LakeFactory,
    register: Register,
    tmp_path: Path,
) -> None:
    roles, schema, grants = _blocks("Users", "sql")
    (indexes,) = _blocks("Indexes", "sql")
    settings, vacuum = _blocks("Vacuum", "sql")
    (backup,) = _blocks("Backups", "bash")
    for statement in roles.strip().splitlines():
        server.run_sql("postgres", statement)
    server.run_sql("lakes", schema)

    uri = f"ducklake:postgres:{server.keywords('lakes')}"
    lake = Lake("postgres", uri, tmp_path / "data", "lakes")
    named = {"metadata-schema": "sales", "data-path": f"{lake.data_path}/"}
    writer = register(lake, {**named, "user": "lake_writer"})
    reader = register(lake, {**named, "user": "lake_reader"})
    spark.sql(f"CREATE TABLE {writer}.main.t (a INT)")
    server.run_sql("lakes", grants)
    spark.sql(f"INSERT INTO {writer}.t VALUES (1), (2)")

    assert value(spark, f"SELECT sum(a) FROM {reader}.t") == 3
    refused(spark, f"INSERT INTO {reader}.t VALUES (3)", "DUCKLAKE_NOT_PERMITTED")
    for statements in (indexes, settings, vacuum):
        for statement in statements.strip().splitlines():
            server.run_sql("lakes", statement)
    spark.sql(f"INSERT INTO {writer}.t SELECT id FROM range(3, 100)")
    spark.sql(f"DELETE FROM {writer}.t WHERE a = 3")
    with Peer(lake, "METADATA_SCHEMA 'sales'") as peer:
        peer.run("INSERT INTO t VALUES (100)")
        expected = peer.rows("SELECT count(*), sum(a) FROM t")
    asked = "SELECT count(*), sum(a) FROM {}.t"
    assert [tuple(row) for row in spark.sql(asked.format(reader)).collect()] == expected

    _shell(server, backup, lakes.server.folder)
    spark.sql(f"INSERT INTO {writer}.t VALUES (101)")
    restored = Lake("postgres", uri.replace("=lakes ", "=lakes_restored "), lake.data_path, "")
    catalog = register(restored, {**named, "user": "lake_reader"})
    assert [tuple(row) for row in spark.sql(asked.format(catalog)).collect()] == expected
