"""The calls of jvm/docs/erasing.md leave no byte of an erased value in a lake."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import duckdb
import psycopg
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.catalogdb import postgres_keywords
from support.lakes import CatalogKind, Lake, LakeFactory
from support.pages import DOCS, blocks
from support.peer import Peer, made

Register = Callable[..., str]

MAIL = "zz.erased.person@example.org"
"""The largest mail of the table, so that it is a bound, too."""


def calls(catalog: str) -> list[str]:
    """The statements of the page, for this catalog and value."""
    (first, *_) = [each for each in blocks(DOCS / "erasing.md") if "DELETE FROM" in each.text]
    text = first.text.replace("ann@example.org", MAIL)
    return [
        re.sub(r"\blake\.(main|system)\.", rf"{catalog}.\1.", each).strip()
        for each in text.split(";")
        if each.strip()
    ]


def places(lake: Lake) -> Iterator[Path]:
    """Every file that has bytes of the lake."""
    yield from (path for path in lake.data_path.rglob("*") if path.is_file())
    if lake.kind == "postgres":
        with psycopg.connect(postgres_keywords(lake), autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
            query = "SELECT oid FROM pg_database WHERE datname = current_database()"
            (oid,) = connection.execute(query).fetchone() or (0,)
            found = connection.execute(
                "SELECT pg_relation_filepath(c.oid) FROM pg_class c "
                "WHERE relkind IN ('r', 't', 'i') AND pg_relation_filepath(c.oid) IS NOT NULL "
                "AND relnamespace <> 'pg_catalog'::regnamespace"
            ).fetchall()
        assert str(oid) in str(found)
        yield from (Path(folder) / name for (name,) in found)
    else:
        file = Path(lake.database)
        yield from file.parent.glob(f"{file.name}*")


def with_the_value(lake: Lake) -> list[str]:
    """The files with the value: as it is, and in hexadecimal digits as PostgreSQL shows bytes."""
    value = MAIL.encode()
    return sorted(
        {
            path.name
            for path in places(lake)
            if path.exists() and any(v in path.read_bytes() for v in (value, value.hex().encode()))
        }
    )


@pytest.mark.every_database
def test_no_byte_of_an_erased_value_is_left(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new(kind)
    made(
        lake,
        "CREATE TABLE people (id INT, mail VARCHAR)",
        "CALL lake.set_option('parquet_compression', 'uncompressed')",
        "INSERT INTO people SELECT i, 'a' || i || '@example.org' FROM range(100) r(i)",
        f"INSERT INTO people SELECT 100 + i, '{MAIL}' FROM range(20) r(i)",
    )
    made(
        lake,
        f"INSERT INTO people VALUES (200, '{MAIL}'), (201, 'b@example.org')",
        f"UPDATE people SET mail = '{MAIL}' WHERE id IN (7, 8)",
        limit=10,
    )
    catalog = register(lake)
    spark.sql(f"INSERT INTO {catalog}.main.people VALUES (300, '{MAIL}')")
    (folder,) = {path.parent for path in lake.data_path.rglob("people/*.parquet")}
    written_with_the_value(folder / f"ducklake-{uuid4()}.parquet")  # of a statement that was killed
    assert len(with_the_value(lake)) >= 3

    for statement in calls(catalog)[:-1]:
        spark.sql(statement).collect()
    kept = with_the_value(lake)
    if kind == "duckdb":
        with pytest.raises(PySparkException, match="COPY FROM DATABASE") as refused:
            spark.sql(calls(catalog)[-1])
        assert refused.value.getCondition() == "DUCKLAKE_UNSUPPORTED"
        copy(Path(lake.database), tmp_path)
    else:
        spark.sql(calls(catalog)[-1]).collect()

    assert kept != []  # what the databases keep until they are vacuumed
    assert with_the_value(lake) == []
    with Peer(lake) as peer:
        assert peer.rows("SELECT count(*), max(mail) FROM people") == [(99, "b@example.org")]
        peer.run("INSERT INTO people VALUES (1, 'c@example.org')")
    assert spark.sql(f"SELECT count(*) FROM {catalog}.main.people").collect() == [(100,)]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_files_outside_of_the_data_path_stay_until_somebody_asks_for_them(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register, tmp_path: Path
) -> None:
    lake = lakes.new(kind)
    added = tmp_path / "added.parquet"
    written_with_the_value(added)
    made(lake, "CREATE TABLE people (id INT, mail VARCHAR)")
    catalog = register(lake)
    spark.sql(f"CALL {catalog}.system.add_data_files('people', '{added}')")

    for statement in calls(catalog):
        spark.sql(statement).collect()
    assert added.exists()
    (outside,) = [each for each in blocks(DOCS / "erasing.md") if "outside_data_path" in each.text]
    look, delete = (
        each.replace("lake.system", f"{catalog}.system")
        for each in outside.text.split(";")
        if each.strip()
    )

    assert [tuple(row) for row in spark.sql(look).collect()] == [(str(added),)]
    assert added.exists()
    spark.sql(delete).collect()
    assert not added.exists()


def written_with_the_value(file: Path) -> None:
    """A Parquet file with a row of the table."""
    row = f"SELECT 1::INT AS id, '{MAIL}' AS mail UNION ALL SELECT 2, 'd@example.org'"
    duckdb.sql(f"COPY ({row}) TO '{file}' (COMPRESSION uncompressed)")


def copy(file: Path, folder: Path) -> None:
    """The statements of the page for a DuckDB file; the copy in its place."""
    (statements,) = [
        each.text for each in blocks(DOCS / "erasing.md") if "COPY FROM DATABASE" in each.text
    ]
    new = folder / "new.ducklake"
    with duckdb.connect() as connection:
        for each in statements.replace("'lake.ducklake'", f"'{file}'").split(";"):
            if each.strip():
                connection.execute(each.replace("'new.ducklake'", f"'{new}'"))
    new.replace(file)


def test_a_vacuum_waits_for_readers_and_then_says_so(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    made(lake, "CREATE TABLE t (i INT)")
    catalog = register(lake, {"busy-timeout": "300"})
    with sqlite3.connect(lake.database, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(PySparkException) as busy:
            spark.sql(f"CALL {catalog}.system.vacuum_catalog()").collect()
        other.execute("ROLLBACK")

    assert busy.value.getCondition() == "DUCKLAKE_CATALOG_BUSY"
    assert spark.sql(f"CALL {catalog}.system.vacuum_catalog()").collect() == []


def test_a_vacuum_of_postgresql_lets_later_readers_pass(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("postgres")
    made(lake, "CREATE TABLE t (i INT)")
    catalog = register(lake, {"busy-timeout": "300"})
    with psycopg.connect(postgres_keywords(lake)) as reader:
        reader.execute("SELECT count(*) FROM ducklake_column")
        with pytest.raises(PySparkException) as busy:
            spark.sql(f"CALL {catalog}.system.vacuum_catalog()").collect()
        assert spark.sql(f"SELECT * FROM {catalog}.t").collect() == []

    assert busy.value.getCondition() == "DUCKLAKE_CATALOG_BUSY"
    assert spark.sql(f"CALL {catalog}.system.vacuum_catalog()").collect() == []
