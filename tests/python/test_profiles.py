"""Profiles of lakes in a TOML file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.places import Place
from ducklake_spark_cli import profiles, spark

from support.commands import command, json_of
from support.lakes import Lake
from support.peer import Peer

pytestmark = pytest.mark.usefixtures("folder")

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


def test_a_profile_holds_keys_of_the_catalog_and_of_spark(folder: Path) -> None:
    (folder / profiles.LOCAL_FILE).write_text(FILE)

    found = profiles.place(None, None)

    assert found == Place(
        "ducklake:postgres:dbname=lake",
        {"data-path": "s3://bucket/lake/", "read-only": True, "retry.max-count": 3},
        {"spark.master": "local[2]", "spark.ui.enabled": "true"},
        "second",
    )
    assert profiles.place("first", None).uri == "ducklake:sqlite:first.sqlite"
    assert profiles.place("ducklake:x.db", None) == Place("ducklake:x.db")
    assert profiles.names(None) == ["first", "second", "third"]


def test_keys_of_hadoop_and_of_drivers_keep_their_names(folder: Path) -> None:
    (folder / profiles.LOCAL_FILE).write_text(FILE)

    found = spark.settings(profiles.place("third", None))

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


def test_a_time_of_toml_is_a_value(folder: Path) -> None:
    text = '[lakes.a]\nuri = "ducklake:x"\nsnapshot-time = 2026-01-31 12:00:00'
    (folder / profiles.LOCAL_FILE).write_text(text)

    found = spark.settings(profiles.place("a", None))

    assert found["spark.sql.catalog.lake.snapshot-time"] == "2026-01-31 12:00:00+00:00"


def test_a_time_without_a_zone_is_utc_whatever_the_zone_of_the_session(folder: Path) -> None:
    text = (
        '[lakes.a]\nuri = "ducklake:x"\nsnapshot-time = "2026-01-31 12:00:00"\n'
        '[lakes.a.spark]\n"spark.sql.session.timeZone" = "Europe/Berlin"'
    )
    (folder / profiles.LOCAL_FILE).write_text(text)

    found = spark.settings(profiles.place("a", None))

    assert found["spark.sql.catalog.lake.snapshot-time"] == "2026-01-31 12:00:00+00:00"


def test_a_key_that_is_not_known_is_named(folder: Path) -> None:
    text = '[lakes.a]\nuri = "ducklake:x"\nname = "x"'
    (folder / profiles.LOCAL_FILE).write_text(text)

    with pytest.raises(Failure, match=r"Setting `name` of profile `a` in .* is not known"):
        spark.settings(profiles.place("a", None))


def test_the_only_profile_is_the_default(folder: Path) -> None:
    (folder / "other.toml").write_text('[lakes.one]\nuri = "ducklake:one.db"')

    assert profiles.place(None, "other.toml").profile == "one"


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
        (
            '[lakes.a]\nuri = "x"\n[lakes.a.spark]\nmaster = "m"',
            "a",
            r"Key `master` of \[lakes\.a\.spark\] .* settings begin with `spark\.`",
        ),
        (
            '[lakes.a]\nuri = "x"\ndata-path = "a"\ndata_path = "b"',
            "a",
            "Profile `a` in .* has `data-path` twice",
        ),
        ('[lakes.a]\nuri = "x"\nspark = "m"', "a", r"below \[lakes\.a\.spark\]"),
        ("[lakes", "a", "cannot be read"),
        ("lakes = 3", None, r"Key `lakes` of ducklake-spark\.toml is not a table\. Write:"),
        ('lakes = ["a"]', "a", r"Key `lakes` of ducklake-spark\.toml is not a table\. Write:"),
        ('default = ["a"]', None, r"Key `default` of ducklake-spark\.toml is not a text"),
        (
            '[lakes.a]\nuri = "x"\nsnapshot-time = 18:00:00',
            "a",
            r"Key `snapshot-time` of .* is no single value\. Write a text, a number, a date",
        ),
        (
            '[lakes.a]\nuri = "x"\ndata-path = ["a"]',
            "a",
            r"Key `data-path` of .* is no single value\. Write a text, a number, a date",
        ),
        (f"x = {'[' * 3000}", "a", r"ducklake-spark\.toml cannot be read: .* nested too deeply"),
        (f"x = {'9' * 5000}", "a", r"ducklake-spark\.toml cannot be read: .*4300 digits"),
        (
            f'[lakes.a]\nuri = "x"\nbusy-timeout = 0x{"f" * 5000}',
            "a",
            r"Key `busy-timeout` of profile `a` in ducklake-spark\.toml is a number of more than",
        ),
        (
            '[lakes.a]\nuri = "x\\u0000"',
            "a",
            r"Key `uri` of profile `a` in ducklake-spark\.toml has a NUL character",
        ),
    ],
)
def test_a_profile_that_cannot_be_used_says_why(
    folder: Path, text: str, lake: str | None, message: str
) -> None:
    (folder / profiles.LOCAL_FILE).write_text(text)

    with pytest.raises(Failure, match=message):
        profiles.place(lake, None)


@pytest.mark.parametrize(
    "address",
    [
        "dbname=lake host=db password=geheim",
        "host=db password='geheim word'",
        "db/lake?user=me&password=geheim",
    ],
)
@pytest.mark.parametrize("by", ["option", "variable", "default"])
def test_an_address_without_its_prefix_shows_no_password(
    folder: Path, monkeypatch: pytest.MonkeyPatch, address: str, by: str
) -> None:
    if by == "variable":
        monkeypatch.setenv("DUCKLAKE_LAKE", address)
    if by == "default":
        (folder / profiles.LOCAL_FILE).write_text(f'default = "{address}"')

    done = command("tables", *(("--lake", address) if by == "option" else ()))

    assert done.exit_code == 1
    assert "There is no profile `" in done.stderr
    assert "password=***` in " in done.stderr
    assert "An address begins with `ducklake:`" in done.stderr
    assert "geheim" not in done.stderr


@pytest.mark.parametrize("text", ["lakes = 3", 'lakes = ["a"]', 'default = ["a"]', "[lakes"])
def test_a_file_that_cannot_be_used_completes_nothing(folder: Path, text: str) -> None:
    (folder / profiles.LOCAL_FILE).write_text(text)

    assert profiles.names(None) == []


def test_a_file_that_is_named_must_be_there() -> None:
    with pytest.raises(Failure, match=r"There is no file no\.toml"):
        profiles.place("first", "no.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("data-pth = '/x'", "`data-pth`{of} is not known. The nearest known is `data-path`."),
        ("extension = false", "Setting `extension`{of} is not known."),
        (
            f"'retry.wait-ms' = '{'9' * 5000}'",
            "Write a whole number from 0 to 9223372036854775807.",
        ),
        ("busy-timeout = '5s'", "`busy-timeout`{of} is `5s`. Write a whole number from 0 to 2147"),
        (f"'pool.size' = '{'0' * 5000}'", "Write a whole number from 1 to 2147"),
        ("busy-timeout = -1", "`busy-timeout`{of} is `-1`. Write a whole number from 0 to 2147"),
        ("'pool.size' = 0", "`pool.size`{of} is `0`. Write a whole number from 1 to 2147"),
        ("'retry.backoff' = 0.5", "`retry.backoff`{of} is `0.5`. Write a number of at least 1."),
        ("override-data-path = 'yes'", "`override-data-path`{of} is `yes`. Write true or false."),
        ("ducklake-version = 2.0", "`ducklake-version`{of} is `2.0`. Write 1.0 or 1.1."),
        ("snapshot-time = 'soon'", "`snapshot-time`{of} is `soon`. Write 2026-01-31 12:00:00."),
        (
            "snapshot-version = 1\nsnapshot-time = 2026-01-31",
            "Settings `snapshot-version` and `snapshot-time`{of} are both given.",
        ),
        (
            "automatic-migration = true\nread-only = true",
            "Setting `automatic-migration`{of} contradicts a read-only or pinned catalog.",
        ),
    ],
)
def test_every_command_refuses_settings_that_spark_refuses(
    folder: Path, text: str, message: str
) -> None:
    (folder / profiles.LOCAL_FILE).write_text(
        f'[lakes.a]\nuri = "ducklake:sqlite:no.sqlite"\n{text}'
    )

    told = message.format(of=" of profile `a` in ducklake-spark.toml")
    for arguments in (["tables"], ["report"], ["sql", "SELECT 1"]):
        done = command(*arguments)
        assert (done.exit_code, told in done.stderr) == (1, True), done.output
    (finding,) = told_wrong()
    assert finding["check"] == "settings"
    assert told in f"{finding['found']} {finding['mend']}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('uri = "ducklake:postgres:host=a..b"', "names a host that cannot be a name"),
        (f'uri = "ducklake:sqlite:{"x" * 5000}"', "cannot be read: File name too long"),
    ],
)
def test_an_address_that_no_system_takes_is_refused_in_words(
    folder: Path, text: str, message: str
) -> None:
    (folder / profiles.LOCAL_FILE).write_text(f"[lakes.a]\n{text}")

    done = command("tables")

    assert (done.exit_code, message in done.stderr) == (1, True), done.output


def test_no_sign_of_a_message_moves_the_cursor(folder: Path) -> None:
    (folder / profiles.LOCAL_FILE).write_text('[lakes.a]\nuri = "x"\n"b\\u0007\\u001b[2J" = 1')

    done = command("tables")

    assert r"Setting `b\x07\x1b[2J` of profile `a`" in done.stderr


def told_wrong() -> list[dict[str, str]]:
    """What `doctor` finds wrong with a lake."""
    found: list[dict[str, str]] = json.loads(command("doctor", "--json").stdout)
    of_lake = ("settings", "data path", "catalog")
    return [each for each in found if each["state"] == "wrong" and each["check"] in of_lake]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_the_data_path_is_that_of_the_lake_or_overrides_it(lake: Lake, folder: Path) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t AS SELECT 1 AS a")
        (file,) = peer.rows("SELECT data_file FROM ducklake_list_files('lake', 't')")[0]
    stored, text = f"{lake.data_path}/", f'[lakes.a]\nuri = "{lake.uri}"\n'

    found = []
    for more in (
        f"data-path = 'file://{lake.data_path.parent}/./data'",
        "override-data-path = true",
        "override-data-path = true\ndata-path = '/else/'",
        "data-path = '/else/'",
    ):
        (folder / profiles.LOCAL_FILE).write_text(text + more)
        done = command("files", "t", "--json")
        rows = json.loads(done.stdout or "[]")
        assert command("tables").exit_code == done.exit_code
        found.append(([row["path"] for row in rows], done.stderr, told_wrong()))

    message = f"Setting `data-path` is `/else/`, but the lake stores its files in `{stored}`."
    mend = "Leave the setting out, or set `override-data-path` to read from the given path."
    assert found == [
        ([file], "", []),
        ([file], "", []),
        ([file.replace(stored, "/else/")], "", []),
        (
            [],
            f"Error: {message} {mend}\n",
            [{"check": "data path", "state": "wrong", "found": message, "mend": mend}],
        ),
    ]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_the_lake_is_named_before_or_behind_the_command(
    lake: Lake, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (a INTEGER)")
    (folder / profiles.LOCAL_FILE).write_text(f'[lakes.mine]\nuri = "{lake.uri}"')

    rows = [json_of("tables"), json_of("tables", "-l", "mine"), json_of("-l", lake.uri, "tables")]
    monkeypatch.setenv("DUCKLAKE_LAKE", "mine")
    rows.append(json_of("tables"))

    assert [[row["table_name"] for row in each] for each in rows] == [["t"]] * 4
