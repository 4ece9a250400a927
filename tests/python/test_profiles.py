"""Profiles of lakes in a TOML file, and what `doctor` finds."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from ducklake_spark_cli import checks, places, spark
from ducklake_spark_cli.failure import Failure
from ducklake_spark_cli.places import Place

from support.commands import command, told
from support.lakes import Lake
from support.peer import Peer
from support.postgres import PostgresServer

FILE = """
default = "second"

[lakes.first]
uri = "ducklake:sqlite:first.sqlite"

[lakes.second]
uri = "ducklake:postgres:dbname=lake"
data-path = "s3://bucket/lake/"
read_only = true
"retry.max-count" = 3

[lakes.second.spark]
"spark.master" = "local[2]"
"spark.ui.enabled" = true

[lakes.third]
uri = "ducklake:sqlite:third.sqlite"
data_path = "/data/third/"
read-only = true
"retry.max-count" = 3
"jdbc.journal_mode" = "WAL"
"hadoop.fs.s3a.access.key" = "A"
"hadoop.fs.s3a.my_own-key" = 7

[lakes.third.hadoop]
"fs.s3a.secret.key" = "S"
"fs.s3a.path.style.access" = true
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to work in, and a home without a configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DUCKLAKE_LAKE", raising=False)
    yield tmp_path


def test_a_profile_holds_keys_of_the_catalog_and_of_spark(folder: Path) -> None:
    (folder / places.LOCAL_FILE).write_text(FILE)

    found = places.place(None, None)

    assert found == Place(
        "ducklake:postgres:dbname=lake",
        {"data-path": "s3://bucket/lake/", "read-only": True, "retry.max-count": 3},
        {"spark.master": "local[2]", "spark.ui.enabled": "true"},
        "second",
    )
    assert places.place("first", None).uri == "ducklake:sqlite:first.sqlite"
    assert places.place("ducklake:x.db", None) == Place("ducklake:x.db")
    assert places.names(None) == ["first", "second", "third"]


def test_keys_of_hadoop_and_of_drivers_keep_their_names(folder: Path) -> None:
    (folder / places.LOCAL_FILE).write_text(FILE)

    found = spark.settings(places.place("third", None))

    assert found == {
        "spark.sql.catalog.lake": "ducklake.spark.DuckLakeCatalog",
        "spark.sql.catalog.lake.uri": "ducklake:sqlite:third.sqlite",
        "spark.sql.catalog.lake.data-path": "/data/third/",
        "spark.sql.catalog.lake.read-only": "true",
        "spark.sql.catalog.lake.retry.max-count": "3",
        "spark.sql.catalog.lake.jdbc.journal_mode": "WAL",
        "spark.sql.catalog.lake.hadoop.fs.s3a.access.key": "A",
        "spark.sql.catalog.lake.hadoop.fs.s3a.my_own-key": "7",
        "spark.sql.catalog.lake.hadoop.fs.s3a.secret.key": "S",
        "spark.sql.catalog.lake.hadoop.fs.s3a.path.style.access": "true",
    }


def test_the_only_profile_is_the_default(folder: Path) -> None:
    (folder / "other.toml").write_text('[lakes.one]\nuri = "ducklake:one.db"')

    assert places.place(None, "other.toml").profile == "one"


@pytest.mark.parametrize(
    ("text", "lake", "message"),
    [
        (FILE, "fourth", "no profile `fourth` in .*: first, second, third"),
        ("", None, "No lake is named. Give --lake with an address"),
        ('[lakes.a]\npath = "x"', "a", "Profile `a` .* has no `uri`"),
        ('[lakes.a]\nuri = "ducklake:x"\nretry.max-count = 3', "a", "Quote a key with dots"),
        (
            '[lakes.a]\nuri = "x"\n[lakes.a.hadoop]\nfs.s3a.endpoint = "e"',
            "a",
            r"Key `fs` of \[lakes\.a\.hadoop\] .* Quote a key with dots: \"fs\.s3a\.endpoint\"",
        ),
        (
            '[lakes.a]\nuri = "x"\n[lakes.a.spark]\nspark.master = "m"',
            "a",
            r"Key `spark` of \[lakes\.a\.spark\] .* Quote a key with dots: \"spark\.master\"",
        ),
        ('[lakes.a]\nuri = "x"\nspark = "m"', "a", r"below \[lakes\.a\.spark\]"),
        ("[lakes", "a", "cannot be read"),
    ],
)
def test_a_profile_that_cannot_be_used_says_why(
    folder: Path, text: str, lake: str | None, message: str
) -> None:
    (folder / places.LOCAL_FILE).write_text(text)

    with pytest.raises(Failure, match=message):
        places.place(lake, None)


def test_a_file_that_is_named_must_be_there() -> None:
    with pytest.raises(Failure, match=r"There is no file no\.toml"):
        places.place("first", "no.toml")


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_the_lake_is_named_before_or_behind_the_command(
    lake: Lake, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER)")
    (folder / places.LOCAL_FILE).write_text(f'[lakes.mine]\nuri = "{lake.uri}"')

    rows = [told("tables"), told("tables", "-l", "mine"), told("-l", lake.uri, "tables")]
    monkeypatch.setenv("DUCKLAKE_LAKE", "mine")
    rows.append(told("tables"))

    assert [[row["table_name"] for row in each] for each in rows] == [["t"]] * 4


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_doctor_finds_nothing_wrong_with_a_good_lake(lake: Lake) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT range AS a FROM range(20)")

    findings = told("doctor", "--lake", lake.uri)

    assert {each["check"]: each["state"] for each in findings} == {
        name: "ok"
        for name in (
            *("Java", "PySpark", "jars"),
            *("address", "catalog", "options", "data path", "catalog file"),
        )
    }


def test_a_doctor_says_how_each_thing_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")

    done = command("doctor", "--lake", "ducklake:sqlite:no.sqlite")

    assert done.exit_code == 1
    assert "wrong   Java: no Java at /nowhere/bin/java\n        -> Install a JDK 17" in done.output
    assert "wrong   catalog: There is no lake at sqlite:" in done.output
    assert command("doctor").output.count("No lake is named") == 1


def test_a_key_that_is_not_known_is_told_with_the_nearest(folder: Path) -> None:
    text = '[lakes.a]\nuri = "ducklake:sqlite:no.sqlite"\nread-onyl = true'
    (folder / places.LOCAL_FILE).write_text(text)

    output = command("doctor", "--lake", "a").output

    assert "wrong   settings: [DUCKLAKE_INVALID_SETTING] Setting `read_onyl` is not" in output
    assert "`read_only`" in output


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
def test_the_rights_of_a_user_are_told(lake: Lake, server: PostgresServer) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT range AS a FROM range(20)")
    with psycopg.connect(server.keywords(lake.database), autocommit=True) as owner:
        owner.execute("CREATE ROLE doctors_reader LOGIN")
        owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO doctors_reader")

    states = []
    for address in (lake.uri, f"{lake.uri} user=doctors_reader"):
        findings = {each["check"]: each for each in told("doctor", "--lake", address)}
        states.append((findings["rights"]["state"], findings["rights"]["found"]))

    assert states[0] == ("ok", f"{server.user} may commit")
    assert states[1] == ("warning", "doctors_reader may only read")


@pytest.mark.parametrize(
    "key", ["password", "hadoop.fs.s3a.secret.key", "hadoop.fs.azure.account.key.a.windows.net"]
)
def test_a_secret_that_others_may_read_is_told(folder: Path, key: str) -> None:
    file = folder / places.LOCAL_FILE
    file.write_text(f'[lakes.a]\nuri = "ducklake:postgres:dbname=x"\n"{key}" = "secret"')

    findings = []
    for mode in (0o644, 0o600):
        file.chmod(mode)
        findings += checks.of_the_profile(places.place("a", None), None)

    assert [each.state for each in findings] == ["warning", "ok"]
    assert all(f" holds {key}, and" in each.found for each in findings)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_of_passwords_is_no_secret(folder: Path) -> None:
    file = folder / places.LOCAL_FILE
    file.write_text('[lakes.a]\nuri = "ducklake:postgres:dbname=x"\npassword-file = "/p"')

    assert [*checks.of_the_profile(places.place("a", None), None)] == []


def test_jars_that_are_missing_are_named(folder: Path) -> None:
    (folder / "ducklake-spark-0.jar").touch()

    found = checks.jars(folder)

    assert (found.state, found.found) == ("wrong", f"no jar duckdb_jdbc-* in {folder}")
    assert "Install the wheel again" in found.mend


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("s3://bucket/x/", "s3://bucket/x/"),
        ("file:///not/there", "/not/there is made by the first write"),
    ],
)
def test_a_data_path_is_looked_at_where_it_is_local(path: str, found: str) -> None:
    finding = checks.data(path)

    assert (finding.state, finding.found) == ("ok", found)
