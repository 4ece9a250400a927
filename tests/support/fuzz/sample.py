"""The lake that is broken: small, with a row in nearly every table of the catalog."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from support.adding import parquet
from support.fuzz.opened import opened
from support.lakes import Lake, describe
from support.peer import literal, made
from support.postgres import PostgresServer

IN_FILES = (
    "CREATE TABLE plain (id BIGINT NOT NULL, name VARCHAR DEFAULT 'none', amount DECIMAL(9,2))",
    "INSERT INTO plain SELECT i, 'n' || i % 5, i / 2 FROM range(40) r(i)",
    "INSERT INTO plain SELECT i, 'n' || i % 5, i / 2 FROM range(40, 80) r(i)",
    "DELETE FROM plain WHERE id % 10 = 3",
    "ALTER TABLE plain ADD COLUMN since TIMESTAMP",
    "COMMENT ON TABLE plain IS 'of each kind'",
    "COMMENT ON COLUMN plain.name IS 'a name'",
    "CREATE TABLE parted (k VARCHAR, d DATE, v INTEGER)",
    "ALTER TABLE parted SET PARTITIONED BY (k, year(d))",
    "INSERT INTO parted SELECT 'k' || i % 2, DATE '2024-12-30' + i::INT, i FROM range(6) r(i)",
    "ALTER TABLE parted SET SORTED BY (v DESC)",
    "CREATE TABLE nested (id INTEGER, s STRUCT(x INTEGER, y VARCHAR), l INTEGER[],"
    " m MAP(VARCHAR, INTEGER))",
    "INSERT INTO nested SELECT i, {'x': i, 'y': 'y' || i}, [i, NULL], MAP {'k': i}"
    " FROM range(5) r(i)",
    "CREATE TABLE given (a INTEGER, b VARCHAR)",
    "CREATE TABLE merged (a INTEGER)",
    *[f"INSERT INTO merged SELECT i FROM range({n}, {n} + 5) r(i)" for n in (0, 5, 10)],
    "CALL ducklake_merge_adjacent_files('lake')",
    "CREATE SCHEMA s",
    "CREATE TABLE s.other (a INTEGER)",
    "INSERT INTO s.other VALUES (1), (2)",
    "CREATE TABLE s.gone (a INTEGER)",
    "DROP TABLE s.gone",
    "CREATE VIEW rich AS SELECT id, amount FROM plain WHERE amount > 30",
    "CREATE MACRO twice(a) AS a * 2",
)

INLINED = (
    "INSERT INTO plain VALUES (80, 'late', 1.5, NULL), (81, NULL, NULL, NULL)",
    "DELETE FROM plain WHERE id IN (1, 80)",
    "INSERT INTO nested VALUES (9, {'x': 9, 'y': NULL}, [], MAP {})",
    "CREATE TABLE held (i INTEGER, t VARCHAR, d DATE, f DOUBLE)",
    "INSERT INTO held VALUES (1, 'one', '2024-01-02', 0.5), (2, NULL, NULL, 'nan')",
    "INSERT INTO held VALUES (3, '', '1970-01-01', -1)",
    "DELETE FROM held WHERE i = 2",
)


def make_sample(lake: Lake) -> None:
    """Create the lake, and run the statements in DuckDB."""
    made(lake, *IN_FILES)
    file = parquet(lake.data_path.parent / "given.parquet", "SELECT 7::INT AS a, 'seven' AS b")
    made(lake, f"CALL ducklake_add_data_files('lake', 'given', {literal(file)})")
    made(lake, *INLINED, limit=10)


def copied(sample: Lake, folder: Path, server: PostgresServer, web: str = "") -> Lake:
    """A copy of a lake, files and all, which knows that it lies in another folder.

    Args:
        sample: the lake; nobody is connected to it.
        folder: is made, if need be.
        server: of lakes on PostgreSQL.
        web: where a web server shows the folder; empty: the copy is read from the disk.
    """
    folder.mkdir(exist_ok=True)
    shutil.copytree(sample.data_path, folder / "data", copy_function=os.link)
    database = server.copy_database(sample.database) if sample.kind == "postgres" else ""
    copy = describe(sample.kind, folder, database, server)
    if sample.kind != "postgres":
        shutil.copyfile(sample.database, copy.database)
    path = "UPDATE ducklake_metadata SET value = ? WHERE key = 'data_path'"
    with opened(copy) as catalog:
        catalog.execute(path, (f"{web or folder}/data/",))
    return replace(copy, uri=f"ducklake:sqlite:{web}/catalog.sqlite") if web else copy
