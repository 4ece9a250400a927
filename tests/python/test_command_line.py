"""Commands that read the catalog without Spark: they say what DuckDB says."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import ducklake_spark_cli
import pytest
from ducklake_spark_catalog import (
    address,
    catalog,
    data_folder,
    folders,
    keys,
    moments,
    passwords,
    places,
    redaction,
    texts,
    units,
)
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_cli import options, output, profiles, values
from ducklake_spark_cli.commands import cli

from support.commands import command, json_of
from support.doctests import run_examples
from support.fixtures import FixtureStore, all_fixtures
from support.lakes import Lake
from support.peer import Peer

PAGE = Path(__file__).resolve().parents[2] / "jvm/docs/command-line.md"

STATEMENTS = (
    "CREATE TABLE events (id INTEGER, name VARCHAR)",
    "INSERT INTO events SELECT i, 'n' FROM range(20) AS r(i)",
    "DELETE FROM events WHERE id < 5",
    "CREATE SCHEMA s",
    'CREATE TABLE s."x.y" AS SELECT 1 AS a',
    "CREATE VIEW seen AS SELECT 1 AS one",
    "CALL lake.set_option('parquet_compression', 'zstd', table_name => 'events')",
    "CALL lake.set_option('auto_compact', false, schema => 's')",
)


@pytest.fixture
def made(lake: Lake) -> Lake:
    """A lake with two tables, a view, deletes and options."""
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(*STATEMENTS)
    return lake


@pytest.mark.parametrize(
    "module",
    [
        address,
        catalog,
        data_folder,
        folders,
        keys,
        moments,
        options,
        output,
        passwords,
        places,
        profiles,
        redaction,
        texts,
        units,
        values,
    ],
)
def test_examples_hold(module: object) -> None:
    assert run_examples(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.every_database
def test_tables_are_those_of_duckdb(made: Lake) -> None:
    with Peer(made) as peer:
        expected = peer.rows(
            "SELECT table_name, file_count, file_size_bytes, delete_file_count, "
            "delete_file_size_bytes FROM ducklake_table_info('lake') ORDER BY table_name"
        )

    rows = json_of("tables", "--lake", made.uri)

    assert [row.pop("schema_name") for row in rows] == ["main", "s"]
    assert [(row.pop("row_count"), row.pop("inlined_row_count")) for row in rows] == [
        (15, 0),
        (1, 0),
    ]
    assert [tuple(row.values()) for row in rows] == expected
    (past,) = json_of("tables", "--at", "2", "-l", made.uri)
    assert (past["table_name"], past["row_count"]) == ("events", None)


@pytest.mark.every_database
def test_rows_in_the_catalog_are_counted(made: Lake) -> None:
    with Peer(made, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run("INSERT INTO events VALUES (30, 'x'), (31, 'y')")
        peer.run("DELETE FROM events WHERE id IN (7, 8, 31)")
        counted = peer.rows("SELECT count(*) FROM events")

    events, _ = json_of("tables", "-l", made.uri)

    assert [(events["row_count"],)] == counted
    assert (events["row_count"], events["inlined_row_count"]) == (14, 1)


@pytest.mark.every_database
def test_a_table_is_described(made: Lake) -> None:
    with Peer(made) as peer:
        peer.run(
            "CREATE TABLE s.d (id BIGINT NOT NULL, ts TIMESTAMP, st STRUCT(a INTEGER), x INTEGER"
            " DEFAULT 7)",
            "ALTER TABLE s.d SET PARTITIONED BY (year(ts), bucket(4, id))",
            "ALTER TABLE s.d SET SORTED BY (x DESC, id)",
            "COMMENT ON COLUMN s.d.ts IS 'when'",
        )
        before = peer.head()
        peer.run("ALTER TABLE s.d DROP COLUMN st", "ALTER TABLE s.d RESET PARTITIONED BY")

    past = json_of("describe", "s.d", "--at", str(before), "-l", made.uri)
    now = json_of("describe", "s.d", "-l", made.uri)

    assert [(row["column_name"], row["column_type"], row["nulls_allowed"]) for row in past] == [
        ("id", "int64", False),
        ("ts", "timestamp", True),
        ("st", "struct", True),
        ("st.a", "int32", True),
        ("x", "int32", True),
    ]
    by_name = {row["column_name"]: row for row in past}
    assert by_name["ts"]["comment"] == "when"
    assert by_name["x"]["default_value"] == "7"
    assert by_name["ts"]["partitioned_by"] == "1: year"
    assert by_name["id"]["partitioned_by"] == "2: bucket(4)"
    assert by_name["x"]["sorted_by"] == "1: DESC NULLS LAST"
    assert by_name["id"]["sorted_by"] == "2: ASC NULLS LAST"
    assert [row["column_name"] for row in now] == ["id", "ts", "x"]
    assert {row["partitioned_by"] for row in now} == {None}


@pytest.mark.every_database
def test_the_history_of_a_table_is_that_of_its_changes(made: Lake) -> None:
    with Peer(made) as peer:
        for number in range(12):
            peer.run(f"CREATE TABLE t{number} AS SELECT 1 AS a")
        peer.run("ALTER TABLE events RENAME TO past_events")
        peer.run("INSERT INTO past_events VALUES (1, 'x')")

    rows = json_of("history", "past_events", "-l", made.uri)

    assert [row["changes"].split()[0] for row in rows] == [
        *("inlined_insert", "created_table", "deleted_from_table", "inserted_into_table"),
        "created_table",
    ]
    newest, *_ = json_of("history", "past_events", "--limit", "1", "-l", made.uri)
    assert newest == rows[0]
    assert command("history", "nope", "-l", made.uri).exit_code == 1


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_what_streams_keep_is_not_among_the_options(made: Lake) -> None:
    with closing(sqlite3.connect(made.database)) as connection:
        connection.execute(
            "INSERT INTO ducklake_metadata VALUES ('spark_stream_epoch.q', '7', 'table', 1)"
        )
        connection.commit()

    shown = command("options", "-l", made.uri, "--json")

    assert "spark_stream_epoch" not in shown.stdout
    assert shown.stderr == "Hidden: 1 of streams. The option --all shows them.\n"
    every = json_of("options", "--all", "-l", made.uri)
    assert "spark_stream_epoch.q" in [row["option_name"] for row in every]


def test_the_list_of_commands_has_whole_sentences() -> None:
    shown = " ".join(command("--help").output.split())

    assert "Look at Java, jars, versions, settings and rights; each finding with its mend." in shown
    assert "..." not in shown.partition("Commands:")[2]


@pytest.mark.every_database
def test_deletes_in_the_catalog_are_counted(made: Lake) -> None:
    with Peer(made, "DATA_INLINING_ROW_LIMIT 10") as peer:
        before = peer.head()
        peer.run("DELETE FROM events WHERE id IN (7, 8)")

    (now,) = json_of("files", "events", "-l", made.uri)
    (past,) = json_of("files", "events", "--at", str(before), "-l", made.uri)

    assert (now["delete_count"], past["delete_count"]) == (7, 5)


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.damages(reason="a file has two delete files, as past snapshots may have after a flush")
def test_deletes_in_the_catalog_count_once(made: Lake) -> None:
    with Peer(made, "DATA_INLINING_ROW_LIMIT 10") as peer:
        peer.run("DELETE FROM events WHERE id IN (7, 8)")
    with closing(sqlite3.connect(made.database)) as connection:
        connection.execute(
            "INSERT INTO ducklake_delete_file (delete_file_id, table_id, begin_snapshot, "
            "data_file_id, path, path_is_relative, delete_count, file_size_bytes) "
            "SELECT 99, table_id, begin_snapshot, data_file_id, 'z', 1, 1, 1 "
            "FROM ducklake_delete_file"
        )
        connection.commit()

    rows = json_of("files", "events", "-l", made.uri)

    assert sum(row["delete_count"] for row in rows) == 5 + 1 + 2


@pytest.mark.every_database
def test_a_profile_may_pin_a_snapshot(made: Lake, tmp_path: Path) -> None:
    """Tables and files are those that Spark shows with the same profile."""
    with Peer(made) as peer:
        query = "SELECT snapshot_time FROM ducklake_snapshots('lake') WHERE snapshot_id = 2"
        time = peer.value(query)
    moment = time.replace(tzinfo=None).isoformat(timespec="microseconds")
    for pin in ("snapshot-version = 2", f"snapshot-time = {moment}+00:00"):
        file = tmp_path / "lakes.toml"
        file.write_text(f"[lakes.pinned]\nuri = '{made.uri}'\n{pin}\n")
        asked = ("-l", "pinned", "--config", str(file))

        assert [row["table_name"] for row in json_of("tables", *asked)] == ["events"]
        (found,) = json_of("files", "events", *asked)
        assert found["delete_path"] is None
        assert len(json_of("tables", "--at", "5", *asked)) == 2


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("name", "schema", "table"),
    [("events", "main", "events"), ("MAIN.Events", "main", "events"), ("s.x.y", "s", "x.y")],
)
def test_files_are_those_of_duckdb(made: Lake, name: str, schema: str, table: str) -> None:
    with Peer(made) as peer:
        expected = peer.rows(
            "SELECT data_file, data_file_size_bytes, delete_file FROM "
            f"ducklake_list_files('lake', '{table}', schema => '{schema}')"
        )

    rows = json_of("files", name, "--lake", made.uri)

    assert [(row["path"], row["file_size_bytes"], row["delete_path"]) for row in rows] == expected


@pytest.mark.every_database
def test_snapshots_say_what_changed_by_name(made: Lake) -> None:
    with Peer(made) as peer:
        peer.run("BEGIN", 'DROP TABLE s."x.y"')
        peer.run("CALL lake.set_commit_message('Ada', 'why')", "COMMIT")
        ids = peer.rows("SELECT snapshot_id FROM ducklake_snapshots('lake') ORDER BY 1 DESC")

    rows = json_of("snapshots", "--limit", "0", "--lake", made.uri)

    assert [(row["snapshot_id"],) for row in rows] == ids
    assert [row["changes"] for row in rows] == [
        "dropped_table s.x.y",
        "created_view main.seen",
        "created_table s.x.y, inserted_into_table s.x.y",
        "created_schema s",
        "deleted_from_table main.events",
        "inserted_into_table main.events",
        "created_table main.events",
        "created_schema main",
    ]
    assert (rows[0]["author"], rows[0]["commit_message"]) == ("Ada", "why")
    assert len(json_of("snapshots", "--limit", "2", "--lake", made.uri)) == 2


def test_changes_of_schemas_and_macros_are_told_by_name(lake: Lake) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            'CREATE SCHEMA "s.q"',
            "CREATE SCHEMA s",
            'CREATE TABLE "s.q".t AS SELECT 1 AS a',
            'CREATE TABLE s."q.t" AS SELECT 1 AS a',
            'CREATE MACRO "s.q".m(a) AS a',
            'DROP MACRO "s.q".m',
            'DROP SCHEMA "s.q" CASCADE',
        )

    rows = json_of("snapshots", "--limit", "7", "--lake", lake.uri)

    assert [row["changes"] for row in rows] == [
        'dropped_schema s.q, dropped_table "s.q".t',
        'dropped_scalar_macro "s.q".m',
        'created_scalar_macro "s.q".m',
        "created_table s.q.t, inserted_into_table s.q.t",
        'created_table "s.q".t, inserted_into_table "s.q".t',
        "created_schema s",
        "created_schema s.q",
    ]
    assert len(json_of("files", '"s.q".t', "--at", "4", "-l", lake.uri)) == 1
    assert len(json_of("files", "s.q.t", "--at", "4", "-l", lake.uri)) == 1


@pytest.mark.every_database
def test_options_say_what_they_are_for(made: Lake) -> None:
    rows = json_of("options", "--lake", made.uri)

    scoped = [tuple(row.values()) for row in rows if row["scope"] != "global"]
    assert scoped == [
        ("auto_compact", "false", "schema", "s"),
        ("parquet_compression", "zstd", "table", "main.events"),
    ]
    assert f"{made.data_path}/" in [row["option_value"] for row in rows]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_people_get_tables_and_scripts_get_json(made: Lake) -> None:
    shown = command("files", "events", "--lake", made.uri).output.splitlines()

    assert shown[0].split() == [
        *("path", "file", "size", "record", "count"),
        *("delete", "path", "delete", "count", "begin", "snapshot"),
    ]
    assert ".parquet" in shown[1]
    assert command("tables", "--at", "0", "--lake", made.uri).output == "No table.\n"
    assert json_of("tables", "--at", "0", "--lake", made.uri) == []


def test_brackets_in_names_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    output.show([{"table_name": "[bold]a[/bold]"}], as_json=False, empty="")

    assert capsys.readouterr().out.splitlines()[1].strip() == "[bold]a[/bold]"


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["files", "nope"], 1, "There is no table `nope` at snapshot 6."),
        (["tables", "--at", "99"], 1, "the oldest kept is 0, the newest is 6."),
        (["tables", "--at", "x"], 2, "'x' is not a valid integer"),
        (["rollback", "events"], 2, "Give --version or --time."),
        (["rollback", "--version", "1"], 2, "Give TABLE or --whole-lake."),
        (["expire", "--older-than", "soon"], 2, "and no age such as '7 days'"),
    ],
)
def test_mistakes_end_with_a_message(
    made: Lake, arguments: list[str], code: int, message: str
) -> None:
    done = command(*arguments, "--lake", made.uri)

    assert done.exit_code == code
    assert message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    "fixture",
    [each for each in all_fixtures() if each.case == "dml" and each.kind == "sqlite"],
    ids=str,
)
def test_older_catalogs_are_read(fixture_store: FixtureStore, fixture: object) -> None:
    lake = fixture_store.lake(fixture)  # type: ignore[arg-type]

    tables = json_of("tables", "--lake", lake.uri)
    snapshots = json_of("snapshots", "--limit", "0", "--lake", lake.uri)
    files = json_of("files", tables[0]["table_name"], "--lake", lake.uri)

    assert tables[0]["file_count"] == len(files) > 0
    assert [*snapshots[0]][3:] == ["author", "commit_message"]
    assert [row["changes"] for row in snapshots[-2:]] == [
        "created_table main.t",
        "created_schema main",
    ]


def test_a_catalog_of_a_later_version_is_refused() -> None:
    class Later:
        def rows(self, query: str) -> list[dict[str, str]]:
            return [{"value": "9.0"}]

    with pytest.raises(Failure, match=r"version 9\.0, and this command knows 0\.2"):
        catalog.catalog(Later())  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "arguments",
    [
        *(["snapshots"], ["tables"], ["files", "events"], ["options"]),
        *(["describe", "events"], ["history", "events"], ["report"]),
    ],
)
def test_reading_loads_no_pyspark(made: Lake, arguments: list[str]) -> None:
    code = (
        "import sys; from ducklake_spark_cli import commands; "
        f"commands.cli({[*arguments, '--json', '-l', made.uri]!r}, standalone_mode=False); "
        "print([name for name in ('pyspark', 'py4j', 'psycopg', 'duckdb') if name in sys.modules])"
    )
    folder = Path(ducklake_spark_cli.__file__).parents[1]

    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )

    assert printed.stdout.endswith("}\n]\n[]\n")


def test_a_missing_extra_is_named() -> None:
    code = "import sys; sys.modules['click'] = None; import ducklake_spark_cli as c; c.main()"
    folder = Path(ducklake_spark_cli.__file__).parents[1]

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr == "click is not installed: pip install 'ducklake-spark[cli]'\n"


def test_the_page_names_every_command() -> None:
    listed = re.findall(r"^\| `([a-z-]+)[^|]*`", PAGE.read_text(), re.MULTILINE)

    assert {*listed, "orphans"} == set(cli.commands)


def test_help_lists_every_command() -> None:
    text = command("--help").output

    for name in (
        *("snapshots", "tables", "files", "options", "changes", "sql", "doctor", "completion"),
        *("compact", "rewrite", "flush", "expire", "cleanup", "orphans", "checkpoint"),
        *("statistics", "metadata", "vacuum"),
        *("add-files", "rollback"),
    ):
        assert f"\n  {name} " in text
        assert command(name, "--help").exit_code == 0


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("ducklake-spark --lake p", ["plain,prod", "plain,probe"]),
        ("ducklake-spark --lake pr", ["plain,prod", "plain,probe"]),
        ("ducklake-spark tables -l pro", ["plain,prod", "plain,probe"]),
        ("ducklake-spark --config other.toml --lake p", ["plain,past"]),
        ("ducklake-spark --config other.toml tables --lake p", ["plain,past"]),
        ("ducklake-spark tables --config other.toml --lake p", ["plain,past"]),
        ("ducklake-spark --config no.toml --lake p", []),
        ("ducklake-spark ta", ["plain,tables"]),
    ],
)
def test_a_shell_completes_profiles_and_commands(
    tmp_path: Path, line: str, completed: list[str]
) -> None:
    text = '[lakes.{}]\nuri = "ducklake:sqlite:no.sqlite"\n'
    (tmp_path / profiles.LOCAL_FILE).write_text("".join(map(text.format, ("prod", "probe", "x"))))
    (tmp_path / "other.toml").write_text(text.format("past"))

    done = subprocess.run(
        [sys.executable, "-m", "ducklake_spark_cli"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "_DUCKLAKE_SPARK_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split()) - 1),
        },
        capture_output=True,
        text=True,
        check=True,
    )

    assert sorted(done.stdout.split()) == sorted(completed)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_taught_to_complete(shell: str) -> None:
    assert "_DUCKLAKE_SPARK_COMPLETE" in command("completion", shell).output
