"""Commands that need Spark; they work beside the session of the tests."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ducklake_spark_cli.checks import Finding
from ducklake_spark_cli.commands import cli
from pyspark.sql import SparkSession

from support.commands import command, json_of
from support.lakes import CatalogKind, Lake
from support.peer import Peer
from support.postgres import PostgresServer
from support.proxy import Gate, PostgresProxy, begins_a_commit
from support.terminal import terminal

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> CatalogKind:
    """One kind of catalog database, unless a test asks for another."""
    chosen: CatalogKind = getattr(request, "param", "sqlite")
    return chosen


@pytest.fixture
def made(lake: Lake) -> Lake:
    """Three files of two rows at snapshots 2 to 4, one row deleted at 5, one row inlined at 6."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t (id BIGINT, name VARCHAR)",
            *(f"INSERT INTO t SELECT i, 'n' FROM range({n}, {n} + 2) AS r(i)" for n in (0, 2, 4)),
            "DELETE FROM t WHERE id = 0",
        )
    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (6, 'inlined')")
    return lake


def ids(lake: Lake) -> list[int]:
    """What DuckDB reads."""
    with Peer(lake) as peer:
        return [id for (id,) in peer.rows("SELECT id FROM t ORDER BY id")]


def test_rows_are_asked_in_sql(made: Lake, spark: SparkSession) -> None:
    before = spark.catalog.currentCatalog()

    rows = json_of("sql", "SELECT id, name FROM t WHERE id > 4 ORDER BY id", "--lake", made.uri)

    assert rows == [{"id": 5, "name": "n"}, {"id": 6, "name": "inlined"}]
    assert len(json_of("sql", "SELECT * FROM lake.main.t", "--limit", "2", "-l", made.uri)) == 2
    assert command("sql", "DELETE FROM t WHERE id = 1", "-l", made.uri).output == "No row.\n"
    assert ids(made) == [2, 3, 4, 5, 6]
    shown = command("sql", "SELECT 2048 AS size_bytes, ':bug:' AS b", "-l", made.uri).output
    assert shown.split() == ["size_bytes", "b", "2048", ":bug:"]
    assert spark.catalog.currentCatalog() == before


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine is in Tokyo."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("elsewhere")
def test_times_are_in_utc_wherever_the_machine_is(made: Lake) -> None:
    instant = "TIMESTAMP '2026-01-01 12:00:00Z'"

    (row,) = json_of(
        "sql",
        f"SELECT {instant} AS at, ARRAY({instant}) AS several, "
        f"NAMED_STRUCT('at', {instant}) AS in, TIMESTAMP_NTZ '2026-01-01 12:00:00' AS local",
        "-l",
        made.uri,
    )

    utc = "2026-01-01T12:00:00+00:00"
    assert row == {"at": utc, "several": [utc], "in": {"at": utc}, "local": utc[:19]}


def test_every_value_is_json(made: Lake) -> None:
    rows = json_of(
        "sql",
        "SELECT 1 AS id, 2 AS id, DOUBLE('NaN') AS nan, ARRAY(DOUBLE('-Infinity')) AS less, "
        "MAP(DATE '2026-01-01', 1) AS days, MAP(NAMED_STRUCT('a', 1), 2) AS structs, "
        "MAP(X'00FF', 3) AS bytes",
        "-l",
        made.uri,
    )

    assert rows == [
        {
            "id": 1,
            "id_2": 2,
            "nan": "NaN",
            "less": ["-Infinity"],
            "days": {"2026-01-01": 1},
            "structs": {"{'a': 1}": 2},
            "bytes": {"00ff": 3},
        }
    ]


def test_a_date_that_python_has_not_is_an_error(made: Lake) -> None:
    done = command("sql", "SELECT DATE '+10000-01-01' AS far", "-l", made.uri)

    assert done.exit_code == 1
    assert done.stderr.startswith("Error: Python has no value for a date or time of the rows: ")


NUMBERS = "SELECT id FROM range(101)"
FEED = ("changes", "t", "--from", "1")


@pytest.mark.parametrize(
    ("arguments", "shown", "most"),
    [
        (("sql", NUMBERS), 100, "first 100 rows are"),
        (("sql", NUMBERS, "--json"), 101, None),
        (("sql", NUMBERS, "--limit", "0"), 101, None),
        (("sql", NUMBERS, "--limit", "101"), 101, None),
        (("sql", NUMBERS, "--limit", "7", "--json"), 7, "first 7 rows are"),
        ((*FEED, "--json"), 8, None),
        ((*FEED, "--limit", "1"), 1, "first row is"),
        (("snapshots", "--limit", "6"), 6, "first 6 rows are"),
        (("snapshots", "--limit", "7"), 7, None),
    ],
)
def test_rows_that_are_left_out_are_told(
    made: Lake, arguments: tuple[str, ...], shown: int, most: str | None
) -> None:
    done = command(*arguments, "--lake", made.uri)

    as_json = "--json" in arguments
    found = len(json.loads(done.stdout)) if as_json else len(done.stdout.splitlines()) - 1
    assert found == shown
    assert done.stderr == (f"Only the {most} shown: --limit 0 shows all.\n" if most else "")


def test_scripts_get_all_snapshots(lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER)", *["INSERT INTO t VALUES (1)"] * 20)

    assert len(json_of("snapshots", "--lake", lake.uri)) == 22
    people = command("snapshots", "--lake", lake.uri)
    assert len(people.stdout.splitlines()) == 21
    assert people.stderr == "Only the first 20 rows are shown: --limit 0 shows all.\n"


def test_a_limit_is_no_negative_number(made: Lake) -> None:
    done = command("sql", NUMBERS, "--limit", "-1", "--lake", made.uri)

    assert (done.exit_code, done.stdout) == (2, "")


def test_changes_are_shown(made: Lake) -> None:
    rows = json_of("changes", "t", "--from", "4", "--to", "5", "--lake", made.uri)

    assert [(row["snapshot_id"], row["change_type"], row["id"]) for row in rows] == [
        (4, "insert", 4),
        (4, "insert", 5),
        (5, "delete", 0),
    ]


def test_a_table_is_kept_in_order(made: Lake) -> None:
    lake = ("--lake", made.uri)

    flushed = json_of("flush", "t", *lake)
    rewritten = json_of("rewrite", "--threshold", "0.5", *lake)
    compacted = json_of("compact", "t", "--max-files", "5", *lake)
    again = command("compact", *lake)
    going = json_of("expire", "--older-than", "2100-01-01", "--dry-run", *lake)
    expired = json_of("expire", *(f"--version={id}" for id in range(6)), *lake)
    kept = json_of("cleanup", "--all", "--dry-run", *lake)
    deleted = json_of("cleanup", "--all", *lake)
    orphans = json_of("orphans", "--dry-run", *lake)

    assert [row["rows_flushed"] for row in flushed] == [1]
    assert [row["files_processed"] for row in rewritten] == [1]
    assert [row["files_created"] for row in compacted] == [1]
    assert again.output == "Nothing to merge.\n"
    assert [row["snapshot_id"] for row in expired] == list(range(6))
    assert len(going) > len(expired)
    assert sorted(row["path"] for row in kept) == sorted(row["path"] for row in deleted) != []
    assert orphans == []
    json_of("statistics", "t", *lake)
    assert command("statistics", *lake).output == "No statistics changed.\n"
    assert command("metadata", "--dry-run", *lake).output == "Nothing to remove.\n"
    assert command("vacuum", *lake).output == "Done.\n"
    assert {row["note"] for row in json_of("checkpoint", *lake)} == {
        *("nothing to do", "expire_older_than is not set"),
    }
    assert ids(made) == [1, 2, 3, 4, 5, 6]


def test_files_are_added_and_a_table_goes_back(made: Lake, tmp_path: Path) -> None:
    with Peer(made) as peer:
        for number in (1, 2):
            peer.run(
                f"COPY (SELECT {number}0::BIGINT AS id, 'x' AS name) "
                f"TO '{tmp_path}/{number}.parquet' (FORMAT parquet)"
            )

    added = json_of("add-files", "t", *(f"{tmp_path}/{n}.parquet" for n in (1, 2)), "-l", made.uri)
    with_them = ids(made)
    back = json_of("rollback", "t", "--version", "2", "--lake", made.uri)
    of_two = ids(made)
    whole = json_of("rollback", "--whole-lake", "--version", "1", "--lake", made.uri)

    assert len(added) == 2
    assert with_them == [1, 2, 3, 4, 5, 6, 10, 20]
    assert (back[0]["table_name"], of_two) == ("t", [0, 1])
    assert (whole[0]["table_name"], ids(made)) == ("t", [])


def test_what_the_lake_says_no_to_is_one_message(made: Lake) -> None:
    unknown = command("sql", "SELECT * FROM nope", "--lake", made.uri)
    refused = command("rewrite", "--threshold", "7", "--lake", made.uri)

    assert (unknown.exit_code, refused.exit_code) == (1, 1)
    assert unknown.stderr.startswith("Error: [TABLE_OR_VIEW_NOT_FOUND] The table or view `nope`")
    assert refused.stderr.startswith("Error: [DUCKLAKE_INVALID_ARGUMENT]")
    assert "stacktrace" not in unknown.stderr + refused.stderr


@pytest.mark.parametrize("arguments", [("sql", "SELECT sum(id) FROM t"), FEED])
def test_a_terminal_gets_a_bar(
    made: Lake, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")

    written = []
    for more in ((), ("--no-progress",)):
        with terminal() as screen, monkeypatch.context() as patched:
            patched.setattr(sys, "stderr", screen.stream)
            cli.main([*arguments, *more, "--lake", made.uri], standalone_mode=False)
        written.append(screen.written)

    assert arguments[0] in written[0] and " tasks " in written[0]
    assert written[1] == ""


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
def test_a_conflict_has_an_exit_code_of_its_own(made: Lake, server: PostgresServer) -> None:
    update = "UPDATE t SET name = 'mine' WHERE id = 3"

    def change(gate: Gate) -> None:
        gate.wait()
        with Peer(made) as peer:
            peer.run("UPDATE t SET name = 'theirs' WHERE id = 3")
        gate.open()

    with (
        PostgresProxy(server) as proxy,
        proxy.held(begins_a_commit) as gate,
        ThreadPoolExecutor(1) as pool,
    ):
        changed = pool.submit(change, gate)
        first = command("sql", update, "--lake", proxy.uri(made.database))
        changed.result()
    again = command("sql", update, "--lake", made.uri)

    assert (first.exit_code, first.stdout) == (3, "")
    assert first.stderr.startswith("Error: [DUCKLAKE_COMMIT_CONFLICT]")
    assert again.exit_code == 0
    with Peer(made) as peer:
        assert peer.rows("SELECT name FROM t WHERE id = 3") == [("mine",)]


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("ducklake:postgres:service=mine", "the unknown keyword `service`"),
        ("ducklake:postgres:host=h sslcert=/own.crt", "the unknown keyword `sslcert`"),
        ("ducklake:postgres:postgresql://h/d?ssl=true", "the unknown keyword `ssl`"),
        ("ducklake:postgres:host=/var/run/postgresql", "a socket folder as host"),
        ("ducklake:postgres:host=h,i", "several hosts"),
        ("jdbc:postgresql://%2Fvar%2Frun/d", "a socket folder as host"),
        ("jdbc:postgresql://h/d?host=h,i", "several hosts"),
        ("ducklake:postgres:host=h port=x", "has a port that is no number from 1 to 65535"),
    ],
)
def test_an_address_is_refused_alike_with_spark_and_without(uri: str, words: str) -> None:
    without = command("tables", "--lake", uri)
    with_spark = command("sql", "SELECT * FROM t", "--lake", uri)

    assert (without.exit_code, with_spark.exit_code) == (1, 1)
    assert words in without.stderr
    assert words in with_spark.stderr


def test_a_doctor_opens_the_lake_in_spark(made: Lake) -> None:
    findings = json_of("doctor", "--spark", "--lake", made.uri)

    assert Finding("Spark", "ok", f"opens sqlite:{made.database}") in [
        Finding(**each) for each in findings
    ]


def test_a_commit_is_undone(made: Lake) -> None:
    rows = json_of("undo", "6", "--lake", made.uri)

    assert [row["table_name"] for row in rows] == ["t"]
    assert ids(made) == [1, 2, 3, 4, 5]
    assert command("undo", "5", "--lake", made.uri).exit_code == 1, "snapshot 7 changed the table"
    assert command("undo", "99", "--lake", made.uri).exit_code == 1


def test_options_are_set(made: Lake) -> None:
    of_lake = json_of("set-option", "expire_older_than", "7 days", "--lake", made.uri)
    of_table = json_of("set-option", "target_file_size", "1MB", "--table", "t", "-l", made.uri)
    wrong = command("set-option", "target_filesize", "1MB", "--lake", made.uri)

    assert [(row["value"], row["scope"]) for row in of_lake] == [("7 days", "GLOBAL")]
    assert [row["scope"] for row in of_table] == ["TABLE"]
    assert wrong.exit_code == 1
    assert "no such option" in wrong.stderr


def test_an_age_is_given_as_people_say_it(made: Lake) -> None:
    assert json_of("expire", "--older-than", "7 days", "--dry-run", "--lake", made.uri) == []
    old = json_of("expire", "--older-than", "0 seconds", "--dry-run", "--lake", made.uri)
    assert [row["snapshot_id"] for row in old] == [0, 1, 2, 3, 4, 5]


def test_a_catalog_is_migrated(made: Lake) -> None:
    before = json_of("snapshots", "--lake", made.uri)

    assert json_of("migrate", "--lake", made.uri) == [{"before": "1.0", "now": "1.0"}]
    assert json_of("migrate", "--to", "1.1", "--lake", made.uri) == [
        {"before": "1.0", "now": "1.1"}
    ]

    after = json_of("snapshots", "--lake", made.uri)
    assert after[-len(before) :] == before
