"""A reader of PostgreSQL who lacks the right to read a newer table gets no wrong numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import psycopg
import pytest
from ducklake_spark_cli import finding

from support.commands import command, json_of
from support.doctests import run_examples
from support.lakes import Lake
from support.peer import Peer
from support.postgres import PostgresServer

ON_POSTGRES = pytest.mark.parametrize("kind", ["postgres"], indirect=True)
ALL = "GRANT SELECT ON ALL TABLES IN SCHEMA public TO early_reader"


@pytest.fixture
def reader(lake: Lake, server: PostgresServer) -> Iterator[str]:
    """The address for a user who may read the tables of before the first inlined delete."""
    with psycopg.connect(server.keywords(lake.database), autocommit=True) as owner:
        owner.execute("CREATE ROLE early_reader LOGIN")
        with Peer(lake) as peer:
            peer.run("CREATE TABLE t AS SELECT range AS a FROM range(100)")
            owner.execute(ALL)
            for start in range(0, 50, 10):
                peer.run(f"DELETE FROM t WHERE a BETWEEN {start} AND {start + 9}")
        yield lake.uri.replace(f"user={server.user}", "user=early_reader")
        owner.execute("DROP OWNED BY early_reader")
        owner.execute("DROP ROLE early_reader")


@ON_POSTGRES
def test_numbers_without_unreadable_deletes_are_not_told(lake: Lake, reader: str) -> None:
    with Peer(replace(lake, uri=reader), "READ_ONLY") as peer:
        with pytest.raises(duckdb.Error):
            peer.rows("SELECT count(*) FROM t")

    for arguments in (("files", "t"), ("report",)):
        done = command(*arguments, "--lake", reader)
        assert (done.exit_code, done.stdout) == (1, "")
        assert "permission denied for table ducklake_inlined_delete_1" in done.stderr
    assert [row["delete_count"] for row in json_of("files", "t", "--lake", lake.uri)] == [50]


@ON_POSTGRES
def test_doctor_names_the_tables_that_a_user_may_not_read(
    lake: Lake, reader: str, server: PostgresServer, tmp_path: Path
) -> None:
    done = command("doctor", "--lake", reader)
    with psycopg.connect(server.keywords(lake.database), autocommit=True) as owner:
        owner.execute(ALL)
    mended = command("doctor", "--lake", reader)

    assert "wrong   rights: early_reader may not read ducklake_inlined_delete_1\n" in done.stdout
    assert f"As {server.user}: {ALL}; and ALTER DEFAULT PRIVILEGES" in done.stdout
    assert "may not read" not in mended.stdout
    assert "warning rights: early_reader may only read" in mended.stdout

    config = tmp_path / "config.toml"
    config.write_text(f"[lakes.seen]\nuri = '{reader}'\nread-only = true\n")
    reading = command("doctor", "--lake", "seen", "--config", str(config))
    assert "ok      rights: early_reader may only read, as the settings say" in reading.stdout


def test_examples_hold() -> None:
    assert run_examples(finding).failed == 0
