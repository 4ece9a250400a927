"""What `doctor` finds, and how it says to mend it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import psycopg
import pytest
from ducklake_spark_catalog.places import Place
from ducklake_spark_catalog.redaction import is_secret
from ducklake_spark_cli import checks, profiles

from support.catalogdb import execute
from support.commands import command, json_of
from support.lakes import Lake
from support.peer import Peer
from support.postgres import PostgresServer

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_doctor_finds_nothing_wrong_with_a_good_lake(lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT range AS a FROM range(20)")

    findings = json_of("doctor", "--lake", lake.uri)

    assert {each["check"]: each["state"] for each in findings} == {
        name: "ok"
        for name in (
            *("Java", "PySpark", "jars"),
            *("address", "catalog", "options", "data path", "catalog file"),
        )
    }


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_doctor_names_readers_that_are_late(lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT range AS a FROM range(20)")
    execute(
        lake,
        """INSERT INTO ducklake_metadata VALUES
           ('spark_reader.away', '1 2020-01-01T00:00:00Z', 'table', 1),
           ('spark_reader.live', '1 2099-01-01T00:00:00Z', 'table', 1)""",
    )

    late, live = [each for each in json_of("doctor", "-l", lake.uri) if each["check"] == "readers"]

    assert late["state"] == "warning"
    assert "away of main.t has read up to snapshot 1" in late["found"]
    assert late["mend"].endswith("CALL lake.system.forget_reader('away').")
    assert (live["state"], live["found"]) == ("ok", "1, which need snapshots from 1 on")


def test_a_doctor_says_how_each_thing_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")

    done = command("doctor", "--lake", "ducklake:sqlite:no.sqlite")

    assert done.exit_code == 1
    assert "wrong   Java: no Java at /nowhere/bin/java\n        -> Install a JDK 17" in done.output
    assert "wrong   catalog: There is no lake at sqlite:" in done.output
    assert command("doctor").output.count("No lake is named") == 1


@pytest.mark.parametrize(
    ("content", "mode", "found"),
    [
        ("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2", 0o755, "17 at {}"),
        ("#!/bin/sh\necho 'openjdk version \"1.8.0\"' >&2", 0o755, "1 at {}"),
        ("#!/bin/sh\nprintf '\\377' >&2", 0o755, "{} does not say its version"),
        ("#!/bin/sh\n", 0o644, "{} does not run: [Errno 13] Permission denied: '{}'"),
        ("#!/no/shell\n", 0o755, "{} does not run: [Errno 2] No such file or directory: '{}'"),
        ("no program", 0o755, "{} does not run: [Errno 8] Exec format error: '{}'"),
    ],
)
def test_a_java_that_does_not_run_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, content: str, mode: int, found: str
) -> None:
    program = folder / "bin/java"
    program.parent.mkdir()
    program.write_text(content)
    program.chmod(mode)
    monkeypatch.setenv("JAVA_HOME", str(folder))

    finding = checks.java()

    assert finding.found == found.format(program, program)
    assert finding.state == ("ok" if finding.found.startswith("17") else "wrong")


def test_a_lake_on_the_web_is_left_to_spark() -> None:
    findings = checks.of_the_lake(profiles.place("ducklake:https://example.org/l.ducklake", None))

    shown = [(each.state, each.found, each.mend) for each in findings]

    assert shown == [("ok", "Lakes on the web are read by Spark only.", "Add --spark to open it.")]


def test_a_key_that_is_not_known_is_told_with_the_nearest(folder: Path) -> None:
    text = '[lakes.a]\nuri = "ducklake:sqlite:no.sqlite"\nread-onyl = true'
    (folder / profiles.LOCAL_FILE).write_text(text)

    output = command("doctor", "--lake", "a").output

    assert "wrong   settings: Setting `read-onyl` of profile `a` in " in output
    assert "-> The nearest known is `read-only`." in output


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
def test_the_rights_of_a_user_are_told(lake: Lake, server: PostgresServer) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT range AS a FROM range(20)")
    with psycopg.connect(server.keywords(lake.database), autocommit=True) as owner:
        owner.execute("CREATE ROLE doctors_reader LOGIN")
        owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO doctors_reader")

    states = []
    for address in (lake.uri, f"{lake.uri} user=doctors_reader"):
        findings = {each["check"]: each for each in json_of("doctor", "--lake", address)}
        states.append((findings["rights"]["state"], findings["rights"]["found"]))
    assert f"owns the tables (here {server.user})" in findings["rights"]["mend"]
    assert "jvm/docs/postgresql.md" in findings["rights"]["mend"]

    assert states[0] == ("ok", f"{server.user} may commit")
    assert states[1] == ("warning", "doctors_reader may only read")


INSERTS = "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO doctors_writer"
CHANGES = "GRANT UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO doctors_writer"
CREATES = "GRANT CREATE ON SCHEMA public TO doctors_writer"
LOCK = "LOCK TABLE ducklake_schema IN SHARE UPDATE EXCLUSIVE MODE"
TABLE = "CREATE TABLE ducklake_inlined_data_9_9 (row_id BIGINT)"


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
def test_a_user_who_lacks_a_right_of_a_writer_is_told_which(
    lake: Lake, server: PostgresServer
) -> None:
    writer = server.keywords(lake.database).replace(f"user={server.user}", "user=doctors_writer")
    with psycopg.connect(server.keywords(lake.database), autocommit=True) as owner:
        owner.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        owner.execute("CREATE ROLE doctors_writer LOGIN")

        found = []
        for grant in (INSERTS, CHANGES, CREATES):
            owner.execute(grant)
            with psycopg.connect(writer) as connection:
                done = [_is_allowed(connection, each) for each in (LOCK, TABLE)]
            (rights,) = (
                each
                for each in json_of("doctor", "--lake", f"ducklake:postgres:{writer}")
                if each["check"] == "rights"
            )
            found.append((done, rights["state"], rights["found"]))

    lacks_create = "doctors_writer lacks CREATE in schema public"
    assert [each[:2] for each in found] == [
        ([False, False], "warning"),
        ([True, False], "warning"),
        ([True, True], "ok"),
    ]
    assert found[0][2].startswith(
        f"{lacks_create}, DELETE on ducklake_metadata, UPDATE on ducklake_metadata and "
    )
    assert found[1][2] == f"{lacks_create}: commits may be refused"
    assert found[2][2] == "doctors_writer may commit"


def _is_allowed(connection: psycopg.Connection, statement: str) -> bool:
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege:
        return False
    return True


@pytest.mark.parametrize(
    "key",
    [
        "password",
        "hadoop.fs.s3a.access.key",
        "hadoop.fs.s3a.secret.key",
        "hadoop.fs.s3a.session.token",
        "hadoop.fs.s3a.encryption.key",
        "hadoop.fs.azure.account.key.a.windows.net",
        "hadoop.fs.azure.sas.fixed.token.a.windows.net",
        "hadoop.fs.gs.auth.service.account.private.key",
        "jdbc.sslpassword",
    ],
)
def test_a_secret_that_others_may_read_is_told(folder: Path, key: str) -> None:
    file = folder / profiles.LOCAL_FILE
    file.write_text(f'[lakes.a]\nuri = "ducklake:postgres:dbname=x"\n"{key}" = "secret"')

    findings = []
    for mode in (0o644, 0o600):
        file.chmod(mode)
        findings += checks.of_the_profile(profiles.place("a", None), None)

    assert [each.state for each in findings] == ["warning", "ok"]
    assert all(f" holds {key}, and" in each.found for each in findings)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "uri",
    [
        "ducklake:postgres:dbname=x password=secret",
        "ducklake:postgres:postgresql://h/x?password=secret",
        "jdbc:postgresql://h/x?user=u&sslpassword=secret",
        "ducklake:postgres:postgresql://u:secret@h/x",
        "ducklake:postgres://u:secret@h/x",
        "ducklake:postgres:u:secret@h/x",
    ],
)
def test_a_password_in_the_address_is_told(folder: Path, uri: str) -> None:
    file = folder / profiles.LOCAL_FILE
    file.write_text(f'[lakes.a]\nuri = "{uri}"\n[lakes.a.spark]\n"spark.ssl.keyPassword" = "p"')
    file.chmod(0o644)

    (finding,) = checks.of_the_profile(profiles.place("a", None), None)

    assert finding.state == "warning"
    assert " holds spark.ssl.keyPassword and uri, and others may read it" in finding.found


@pytest.mark.parametrize(
    "key",
    [
        "password-file",
        "hadoop.hadoop.security.credential.provider.path",
        "hadoop.hadoop.security.credstore.java-keystore-provider.password-file",
        "hadoop.fs.azure.sas.token.provider.type",
        "hadoop.fs.azure.account.keyprovider.a.windows.net",
    ],
)
def test_a_key_that_says_where_a_secret_is_holds_none(folder: Path, key: str) -> None:
    file = folder / profiles.LOCAL_FILE
    file.write_text(f'[lakes.a]\nuri = "ducklake:postgres:dbname=x"\n"{key}" = "/p"')

    assert [*checks.of_the_profile(profiles.place("a", None), None)] == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hadoop.fs.s3a.bucket.provider-data.secret.key", "x"),
        ("hadoop.fs.azure.account.key.endpointlogs.dfs.core.windows.net", "x"),
        ("hadoop.fs.s3a.server-side-encryption.customer-provided-key", "x"),
        ("uri", "jdbc:postgresql://h/d?pass%77ord=x"),
    ],
)
def test_a_secret_is_known_in_the_company_of_any_word(key: str, value: str) -> None:
    assert is_secret(key, value)


def test_jars_that_are_missing_are_named(folder: Path) -> None:
    (folder / "4.2").mkdir()
    (folder / "4.2/ducklake-spark-4.2_2.13-thin-0.jar").touch()

    found = checks.jars(folder, "4.3.0")

    absent = "no jar duckdb_jdbc-* and no jar ducklake-spark-common-*"
    assert (found.state, found.found) == ("wrong", f"{absent} in {folder}")
    assert "Install the wheel again" in found.mend


PLACE = Place("ducklake:sqlite:lake.sqlite")
READ_ONLY = [{"read-only": True}, {"snapshot-version": 3}]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("s3://bucket/x/", "s3://bucket/x/"),
        ("file:///not/there", "/not/there is made by the first write"),
        ("~/files/", "{}/home/files"),
        ("~/others/", "{}/home/others is made by the first write"),
    ],
)
def test_a_data_path_is_looked_at_where_it_is_local(folder: Path, path: str, found: str) -> None:
    (folder / "home/files").mkdir(parents=True)

    finding = checks.data(path, PLACE)

    assert (finding.state, finding.found) == ("ok", found.format(folder))


@pytest.mark.parametrize(
    ("path", "refused", "found"),
    [
        ("lake.sqlite", "lake.sqlite", "{0}/lake.sqlite is only read"),
        ("lake.sqlite", "", "{0} is only read"),
        ("files", "files", "{0}/files is only read"),
        (
            "files/not/there",
            "files",
            "{0}/files/not/there is not there, and {0}/files is only read",
        ),
    ],
)
def test_what_cannot_be_written_is_told_unless_nothing_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, path: str, refused: str, found: str
) -> None:
    (folder / "lake.sqlite").touch()
    (folder / "files").mkdir()
    monkeypatch.setattr(checks.os, "access", lambda asked, _: asked != folder / refused)

    warning = checks.writable("x", folder / path, PLACE)
    others = [checks.writable("x", folder / path, Place("x", each)) for each in READ_ONLY]

    assert (warning.state, warning.found) == ("warning", found.format(folder))
    assert warning.mend == (
        f"Give this user the right to write {folder / refused}, or set read-only = true."
    )
    assert {(each.state, each.found) for each in others} == {
        ("ok", f"{folder / path} is only read, as the settings say")
    }


def test_without_a_lake_the_machine_is_looked_at_alone() -> None:
    state = {
        each["check"]: each["state"] for each in json.loads(command("doctor", "--json").stdout)
    }

    assert [*state] == ["Java", "PySpark", "jars", "lake"]
    assert state["lake"] == "ok"
    assert "wrong   lake: No lake is named." in command("doctor", "--spark").output


@pytest.mark.parametrize("where", ["before", "behind"])
def test_it_looks_at_the_file_of_profiles_that_is_named(tmp_path: Path, where: str) -> None:
    file = tmp_path / "lakes.toml"
    file.write_text(
        f"[lakes.own]\nuri = 'ducklake:sqlite:{tmp_path}/none.sqlite'\npassword = 'hidden'\n"
    )
    file.chmod(0o644)
    named = ("--config", str(file))
    words = ("doctor", "--lake", "own")

    done = command(*named, *words) if where == "before" else command(*words, *named)

    assert f"warning profile: {file} holds password, and others may read it" in done.stdout
