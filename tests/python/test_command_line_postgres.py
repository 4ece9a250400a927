"""Commands without Spark reach a PostgreSQL server as Spark does, and read it at one moment."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from ducklake_spark_catalog import address, database, postgres
from ducklake_spark_catalog.catalog import catalog
from ducklake_spark_catalog.failure import Failure, RunAgain
from ducklake_spark_catalog.passwords import password_in
from ducklake_spark_catalog.places import Place

from support.commands import command, json_of
from support.lakes import Lake
from support.peer import Peer
from support.postgres import PASSWORD, PostgresServer

ADDRESS = "ducklake:postgres:dbname=d host=h user=u"
ON_POSTGRES = pytest.mark.parametrize("kind", ["postgres"], indirect=True)


def keywords(uri: str = ADDRESS, **settings: str) -> dict[str, str]:
    """What psycopg is given for an address and keys of the catalog, but for what is always so."""
    given = {key.replace("__", "."): value for key, value in settings.items()}
    found = postgres.keywords(address.parse(uri), Place(uri, given))
    assert (found.pop("hostaddr"), found.pop("target_session_attrs")) == ("", "any")
    return found


@pytest.fixture(scope="module")
def guarded() -> Iterator[PostgresServer]:
    """A server that asks for passwords."""
    with PostgresServer(authentication="scram-sha-256") as running:
        yield running


@pytest.fixture
def locked(guarded: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a database on that server, which holds no lake."""
    for name in ("PGPASSWORD", "PGPASSFILE"):
        monkeypatch.delenv(name, raising=False)
    return f"ducklake:postgres:{guarded.keywords(guarded.create_database())}"


def _file(folder: Path, server: PostgresServer, password: str) -> str:
    escaped = password.replace("\\", "\\\\").replace(":", "\\:")
    file = folder / "pgpass"
    file.write_text(f"{server.host}:*:*:*:{escaped}\n")
    # As a secret of Kubernetes, which libpq itself would pass over.
    file.chmod(0o644)
    return str(file)


def test_properties_of_the_driver_are_those_of_libpq() -> None:
    found = keywords(
        jdbc__sslmode="verify-full",
        jdbc__sslrootcert="/root.crt",
        jdbc__sslcert="/own.crt",
        jdbc__sslkey="/own.key",
        jdbc__user="other",
        jdbc__password="hush",
        jdbc__options="-c x=1",
        jdbc__connectTimeout="3",
        jdbc__prepareThreshold="0",
    )

    assert found == {
        "sslmode": "verify-full",
        "sslrootcert": "/root.crt",
        "sslcert": "/own.crt",
        "sslkey": "/own.key",
        "user": "other",
        "password": "hush",
        "options": "-c x=1",
        "connect_timeout": "3",
        **{"dbname": "d", "host": "h", "port": "5432"},
    }


def test_a_jdbc_address_has_properties_of_the_driver() -> None:
    found = keywords("jdbc:postgresql://h:6/d?user=u%40x&sslmode=require&connectTimeout=3")

    assert found == {
        **{"dbname": "d", "host": "h", "port": "6", "user": "u@x"},
        **{"sslmode": "require", "connect_timeout": "3"},
    }


@pytest.mark.parametrize(
    ("uri", "settings", "message"),
    [
        (ADDRESS, {"jdbc__sslfactory": "x"}, r"^Key `jdbc\.sslfactory` is not understood here"),
        ("jdbc:postgresql://h/d?ssl=true", {}, "^Property `ssl` of the address is not understood"),
    ],
)
def test_other_properties_of_the_driver_are_refused(
    uri: str, settings: dict[str, str], message: str
) -> None:
    with pytest.raises(Failure, match=message):
        keywords(uri, **settings)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("service=mine", "the unknown keyword `service`"),
        ("host=h sslcert=/own.crt", "the unknown keyword `sslcert`"),
        ("host=h target_session_attrs=primary", "the unknown keyword `target_session_attrs`"),
        ("postgresql://h/d?ssl=true", "the unknown keyword `ssl`"),
        ("postgresql://h/d?service=mine", "the unknown keyword `service`"),
        ("postgresql://h/d?pass%66ile=/f&sslcrl=/c", "the unknown keyword `sslcrl`"),
        ("host=h password=ab service=hush", "an unknown keyword"),
        ("host=/var/run/postgresql", "a socket folder as host"),
        ("host=@lake", "a socket folder as host"),
        ("postgresql://%2Fvar%2Frun/d", "a socket folder as host"),
        ("postgresql:///d?host=/var/run", "a socket folder as host"),
        (f"host=/{'x' * 70}", "a socket folder as host"),
        ("host=h,i", "several hosts"),
        (f"host={','.join(['x' * 30] * 3)}", "several hosts"),
        ("host=h hostaddr=127.0.0.1,127.0.0.2", "several hosts"),
        ("postgresql://h:1,i:2/d", "several hosts"),
    ],
)
def test_an_address_that_spark_does_not_take_is_refused(address: str, message: str) -> None:
    with pytest.raises(
        Failure, match=f"^The address of PostgreSQL (has|names) {message}"
    ) as caught:
        keywords(f"ducklake:postgres:{address}")

    assert "hush" not in str(caught.value)
    assert caught.value.mend


def test_a_socket_beside_an_address_in_numbers_is_no_name(tmp_path: Path) -> None:
    (tmp_path / "pgpass").write_text("127.0.0.1:*:*:*:mine\n")
    uri = f"ducklake:postgres:host=/run hostaddr=127.0.0.1 user=u passfile={tmp_path}/pgpass"

    found = postgres.keywords(address.parse(uri), Place(uri))

    assert ("host" in found, found["hostaddr"], found["password"]) == (False, "127.0.0.1", "mine")


def test_what_is_not_said_is_not_asked_of_variables_that_spark_ignores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {"PGPORT": "1", "PGDATABASE": "x", "PGHOST": "x", "PGUSER": "me"}.items():
        monkeypatch.setenv(name, value)

    assert keywords("ducklake:postgres:") == {
        **{"host": "localhost", "port": "5432", "user": "me", "dbname": "me"},
        "connect_timeout": "10",
    }


def test_a_variable_does_not_lead_to_another_server(
    locked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGHOSTADDR", "127.0.0.254")
    monkeypatch.setenv("PGTARGETSESSIONATTRS", "standby")

    with database.opened(Place(locked, {"password": PASSWORD})) as opened:
        assert opened.rows("SELECT 1 AS one") == [{"one": 1}]


@pytest.mark.parametrize(
    ("lines", "password"),
    [
        ("h:6:d:u:one\nh:6:d:u:two", "one"),
        ("#h:6:d:u:no\n\nother:*:*:*:no\n*:*:*:u:a:b\\\\c", "a:b\\c"),
        ("h:6:d\\:x:u:no\nh:6:d\\:x:*:no", None),
        ("h:6:d:u", None),
    ],
)
def test_the_first_line_of_a_password_file_that_fits_counts(
    tmp_path: Path, lines: str, password: str | None
) -> None:
    (tmp_path / "pgpass").write_text(lines)

    assert password_in(f"{tmp_path}/pgpass", ("h", "6", "d", "u")) == password


def test_the_name_of_a_database_in_a_jdbc_address_is_decoded() -> None:
    assert keywords("jdbc:postgresql:my%20db", user="u")["dbname"] == "my db"


@pytest.mark.parametrize(
    "uri",
    [
        "ducklake:postgres:dbname=d password=ab hush",
        "ducklake:postgres:dbname=d password='hush",
        "ducklake:postgres:dbname=d password=ab hush=1",
        "ducklake:postgres:postgresql://u:hush@h/d",
        "ducklake:postgres:postgresql://u:hu sh@h/d",
        "ducklake:postgres:postgresql://u:hush/x@h/d",
        "ducklake:postgres://u:hush@h/d",
        "ducklake:postgres:u:hush@h/d",
        "ducklake:postgres:dbname=d u:hush@h",
        "ducklake:postgres:postgresql://u@h/d?password=ab&hush=1",
        "jdbc:postgresql://u:hush@h/d",
        "jdbc:postgresql://h/d?password=ab&hush=1",
        "ducklake:host=h password=hush",
        "ducklake:sqlite:/x://u:hush@h",
        "host=h password=hush",
        "u:hush@h/d",
    ],
)
def test_an_address_that_is_refused_shows_no_password(uri: str) -> None:
    with pytest.raises(Failure) as caught, database.opened(Place(uri)):
        pass

    assert "hush" not in str(caught.value)
    assert "sh@" not in str(caught.value)


def test_a_password_before_the_host_is_refused_as_by_spark() -> None:
    with pytest.raises(Failure, match=r"has a password before the host\..*`password-file`"):
        keywords("ducklake:postgres:postgresql://u:hush@h/d")
    with pytest.raises(Failure, match=r"has a password before the host\..*`password-file`"):
        keywords("ducklake:postgres://u:hush@h/d")


@pytest.mark.parametrize("where", ["key", "address"])
def test_a_password_file_comes_before_the_environment(
    locked: str,
    guarded: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
) -> None:
    file = _file(tmp_path, guarded, PASSWORD)
    monkeypatch.setenv("PGPASSWORD", "wrong")
    place = {
        "key": Place(locked, {"password-file": file}),
        "address": Place(f"{locked} passfile={file}"),
    }[where]

    with database.opened(place) as opened:
        assert opened.rows("SELECT 1 AS one") == [{"one": 1}]


def test_a_password_comes_before_its_file_and_last_comes_the_environment(
    locked: str, guarded: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _file(tmp_path, guarded, "wrong")

    with database.opened(Place(locked, {"password": PASSWORD, "password-file": file})) as opened:
        assert opened.rows("SELECT 1 AS one") == [{"one": 1}]
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with database.opened(Place(locked)) as opened:
        assert opened.rows("SELECT 1 AS one") == [{"one": 1}]
    with pytest.raises(Failure, match="authentication failed"):
        with database.opened(Place(locked, {"password-file": file})):
            pass
    with pytest.raises(Failure, match="The password file /not/there cannot be read"):
        with database.opened(Place(locked, {"password-file": "/not/there"})):
            pass


@ON_POSTGRES
def test_a_server_without_tls_is_not_read_where_the_driver_wants_it(lake: Lake) -> None:
    place = Place(lake.uri, {"jdbc.sslmode": "require"})

    with pytest.raises(Failure, match="server does not support SSL"), database.opened(place):
        pass


@ON_POSTGRES
def test_times_do_not_depend_on_the_style_of_the_server(lake: Lake, server: PostgresServer) -> None:
    with psycopg.connect(server.keywords(lake.database), autocommit=True) as owner:
        owner.execute(f"ALTER DATABASE \"{lake.database}\" SET DateStyle TO 'SQL, DMY'")

    (row,) = json_of("snapshots", "--lake", lake.uri)

    assert row["snapshot_time"].startswith("20")
    assert command("report", "--lake", lake.uri).exit_code == 0


@ON_POSTGRES
def test_all_queries_of_a_server_see_one_moment(lake: Lake) -> None:
    with database.opened(Place(lake.uri)) as opened:
        found = catalog(opened)
        newest = found.check(None)

        with Peer(lake) as peer:
            peer.run("CREATE TABLE t (a INTEGER)")

        assert found.check(None) == newest
        assert found.tables(newest) == []
        assert found.names() == {0: "main"}


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_all_queries_of_a_file_see_one_moment(lake: Lake) -> None:
    with closing(sqlite3.connect(lake.database, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        with database.opened(Place(lake.uri)) as opened:
            before = opened.names()
            other.execute("CREATE TABLE ducklake_later (a INTEGER)")

            assert opened.names() == before
        other.execute("DROP TABLE ducklake_later")


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_what_a_killed_writer_left_is_rolled_back(lake: Lake, tmp_path: Path) -> None:
    left = tmp_path / "left.sqlite"
    with closing(sqlite3.connect(lake.database, isolation_level=None)) as killed:
        before = killed.execute("SELECT count(*) FROM ducklake_metadata").fetchone()
        killed.execute("PRAGMA cache_size = 1")
        killed.execute("BEGIN IMMEDIATE")
        rows = [(f"key {i}", "a text that fills pages") for i in range(10_000)]
        killed.executemany("INSERT INTO ducklake_metadata (key, value) VALUES (?, ?)", rows)
        for ending in ("", "-journal"):
            shutil.copy(f"{lake.database}{ending}", f"{left}{ending}")
        killed.execute("ROLLBACK")

    with database.opened(Place(f"ducklake:sqlite:{left}")) as opened:
        found = opened.connection.execute("SELECT count(*) FROM ducklake_metadata").fetchone()

    assert found == before


@pytest.mark.every_database
def test_a_database_is_not_written(lake: Lake) -> None:
    with pytest.raises(Failure, match=r"read.?only"), database.opened(Place(lake.uri)) as opened:
        opened.connection.execute(f"DELETE FROM {opened.schema}ducklake_tag")


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("table", "kind_of_failure", "message"),
    [
        ("ducklake_inlined_data_9_9", RunAgain, "was changed while it was read"),
        ("ducklake_not_there", Failure, "cannot be read: .*ducklake_not_there"),
        ("ducklake_snapshot_not", Failure, "cannot be read: .*ducklake_snapshot_not"),
    ],
)
def test_a_lake_that_lacks_a_table_is_still_one(
    lake: Lake, table: str, kind_of_failure: type[Failure], message: str
) -> None:
    with pytest.raises(kind_of_failure, match=message) as caught:
        with database.opened(Place(lake.uri)) as opened:
            opened.rows(f"SELECT * FROM {opened.schema}{table}")

    assert "holds no DuckLake catalog" not in str(caught.value)
