"""Addresses of lakes, and catalog databases that cannot be read."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from ducklake_spark_catalog import catalog, database
from ducklake_spark_catalog.places import Place

from support.commands import command, json_of
from support.lakes import CatalogKind, Lake, LakeFactory
from support.peer import Peer, literal
from support.postgres import PostgresServer


@pytest.fixture
def made(lake: Lake) -> Lake:
    """A lake with two tables."""
    with Peer(lake) as peer:
        peer.run("CREATE TABLE a (id INTEGER)", "CREATE TABLE b (id INTEGER)")
    return lake


@pytest.mark.parametrize("kind", ["", "sqlite:", "duckdb:"])
@pytest.mark.parametrize("scheme", ["https", "HTTP"])
def test_a_lake_on_the_web_is_left_to_spark(kind: str, scheme: str) -> None:
    done = command("tables", "-l", f"ducklake:{kind}{scheme}://example.org/lake.db")

    assert done.exit_code == 1
    assert done.stderr.startswith("Error: Lakes on the web are read by Spark only. Use a command")


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
def test_every_address_of_a_server_is_understood(made: Lake, server: PostgresServer) -> None:
    where = f"//{server.user}@{server.host}:{server.port}/{made.database}"
    jdbc = f"jdbc:postgresql://{server.host}:{server.port}/{made.database}?user={server.user}"

    for uri in (f"ducklake:postgres:postgres:{where}", f"ducklake:postgresql:{where}", jdbc):
        assert len(json_of("tables", "--lake", uri)) == 2


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
@pytest.mark.parametrize(
    ("given", "host"),
    [
        ({"hostaddr": "127.0.0.1"}, None),
        ({"hostaddr": "127.0.0.1", "host": "db.example"}, "db.example"),
        ({"host": "127.0.0.1"}, "127.0.0.1"),
        ({}, "localhost"),
    ],
)
def test_the_host_is_localhost_only_where_the_address_says_nothing(
    made: Lake, server: PostgresServer, given: dict[str, str], host: str | None
) -> None:
    words = {"dbname": made.database, "port": str(server.port), "user": server.user, **given}
    address = " ".join(f"{key}={value}" for key, value in words.items())

    with database.opened(Place(f"ducklake:postgres:{address}")) as opened:
        parameters = opened.connection.info.get_parameters()

    assert parameters.get("host") == host


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("ducklake:sqlite:{}/no.sqlite", "the file is not there. Create the lake first"),
        ("ducklake:sqlite:{}/empty.sqlite", "holds no DuckLake catalog"),
        ("ducklake:{}/empty.ducklake", "holds no DuckLake catalog"),
        ("ducklake:sqlite:{}/text.sqlite", "file is not a database"),
        ("ducklake:mysql:db=lake", "MySQL database is not supported yet"),
        ("ducklake:odd:/data", "names no kind of catalog database"),
        ("ducklake:sqlite::memory:", "names no local sqlite file"),
        ("postgres:dbname=lake", "names no kind of catalog database"),
        ("ducklake:postgres:port=1", "connection failed"),
    ],
)
def test_a_lake_that_is_not_there_says_so(tmp_path: Path, uri: str, message: str) -> None:
    (tmp_path / "empty.sqlite").touch()
    (tmp_path / "text.sqlite").write_text("no database" * 100)
    duckdb.connect(str(tmp_path / "empty.ducklake")).close()

    done = command("tables", "--lake", uri.format(tmp_path))

    assert done.exit_code == 1
    assert message in done.stderr


@pytest.mark.parametrize("kind", ["duckdb"], indirect=True)
def test_a_file_that_another_process_has_open_is_asked_again(made: Lake) -> None:
    hold = f"import duckdb; c = duckdb.connect({made.database!r}); print(1, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        other.stdout.readline()
        done = command("tables", "--lake", made.uri)
        other.communicate(b"\n")

    assert done.exit_code == 3
    assert "Another process has it open" in done.stderr


def test_a_file_of_another_kind_is_told(tmp_path: Path) -> None:
    """DuckDB would fetch its extension for SQLite."""
    file = tmp_path / "lake.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE ducklake_snapshot (snapshot_id BIGINT)")

    done = command("tables", "--lake", f"ducklake:{file}")

    assert done.exit_code == 1
    assert done.stderr == (
        f"Error: duckdb:{file} is a file of SQLite. Write `ducklake:sqlite:{file}`.\n"
    )


def test_a_broken_file_is_not_busy(tmp_path: Path) -> None:
    file = tmp_path / "blocks.ducklake"
    file.write_text("no database" * 1000)

    done = command("tables", "--lake", f"ducklake:{file}")

    assert done.exit_code == 1
    assert "blocks.ducklake cannot be read: " in done.stderr


@pytest.mark.parametrize("kind", ["duckdb"], indirect=True)
def test_no_extension_is_loaded(made: Lake) -> None:
    with database.opened(Place(made.uri)) as opened:
        rows = opened.rows(
            "SELECT value FROM duckdb_settings() WHERE name LIKE 'auto%_known_extensions'"
        )

    assert rows == [{"value": "false"}] * 2


@pytest.mark.parametrize("kind", ["postgres", "duckdb"], indirect=True)
def test_the_schema_of_the_metadata_may_have_any_name(
    lakes: LakeFactory, kind: CatalogKind
) -> None:
    made, schema = lakes.new(kind), 'a}{b}?%s%"'
    with Peer(made, f"METADATA_SCHEMA {literal(schema)}", "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")
    place = Place(made.uri, {"metadata-schema": schema})

    with database.opened(place) as opened:
        found = catalog.catalog(opened)
        tables = found.tables(1)
        files = found.files(found.table("t", 1), 1, "")

    assert [(row["table_name"], row["file_count"]) for row in tables] == [("t", 1)]
    assert len(files) == 1
