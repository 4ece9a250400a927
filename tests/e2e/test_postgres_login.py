"""How a session proves who it is to PostgreSQL, and how it makes sure of the server: TLS."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, value
from support.keystore import STORES, keep_secret
from support.lakes import CATALOG_CLASS
from support.othersession import ask_other_session
from support.peer import connect, literal
from support.postgres import PASSWORD, PostgresServer
from support.session import jars, shared_classes
from support.sweep import only_in_the_full_sweep

Register = Callable[..., str]

NAME = "lake.invalid"
"""A name that no server of names knows (RFC 2606)."""


@dataclass(frozen=True)
class Certificates:
    """A root that signs, a server's key and certificate for its address and name, another root."""

    root: Path
    key: Path
    certificate: Path
    other_root: Path


def _certificates(folder: Path) -> Certificates:
    folder.mkdir(exist_ok=True)

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    for name in ("root", "other"):
        files = ["-keyout", f"{name}.key", "-out", f"{name}.crt"]
        openssl("req", "-x509", *new, *files, "-subj", f"/CN={name}")
    request = ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server"]
    openssl("req", *new[:-2], *request)
    (folder / "names").write_text(f"subjectAltName=IP:127.0.0.1,DNS:{NAME}")
    signed = ["-CA", "root.crt", "-CAkey", "root.key", "-CAcreateserial", "-extfile", "names"]
    openssl("x509", "-req", "-in", "server.csr", *signed, "-out", "server.crt", "-days", "2")
    files = ("root.crt", "server.key", "server.crt", "other.crt")
    return Certificates(*(folder / name for name in files))


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Made anew for each run."""
    if shutil.which("openssl") is None:
        pytest.skip("this machine has no `openssl`, which makes the certificates")
    return _certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def guarded(certificates: Certificates) -> Iterator[PostgresServer]:
    """A server that asks for passwords and speaks TLS."""
    server = PostgresServer(authentication="scram-sha-256")
    if not server.speaks_tls():
        pytest.skip("this machine has no PostgreSQL that was built with TLS")
    key = server.place("server.key", certificates.key.read_text())
    certificate = server.place("server.crt", certificates.certificate.read_text())
    server.settings |= {"ssl": "on", "ssl_key_file": str(key), "ssl_cert_file": str(certificate)}
    with server as running:
        yield running


@dataclass(frozen=True)
class Site:
    """A lake on the guarded server, made by DuckDB, and how it is registered."""

    spark: SparkSession
    address: str
    name: str

    def catalog(self, address: str = "", settings: Mapping[str, str] | None = None) -> str:
        """Register the lake with more in its address, and with more settings."""
        number = len(self.spark.sql("SET").collect())
        catalog = f"guarded{number}"
        key = f"spark.sql.catalog.{catalog}"
        chosen = {"uri": f"{self.address} {address}", **(settings or {})}
        self.spark.conf.set(key, CATALOG_CLASS)
        for name, setting in chosen.items():
            self.spark.conf.set(f"{key}.{name}", setting)
        return catalog


@pytest.fixture
def site(spark: SparkSession, guarded: PostgresServer, tmp_path: Path) -> Site:
    """A lake with one table of one row."""
    database = guarded.create_database()
    address = f"ducklake:postgres:{guarded.keywords(database)}"
    quoted = PASSWORD.replace("\\", "\\\\").replace("'", "\\'")
    peer = connect()
    attached = literal(f"{address} password='{quoted}'")
    peer.execute(f"ATTACH {attached} AS lake (DATA_PATH {literal(str(tmp_path / 'data'))})")
    peer.execute("CREATE TABLE lake.t AS SELECT 42 AS a")
    peer.close()
    return Site(spark, address, database)


def _reads_and_writes(spark: SparkSession, catalog: str) -> None:
    assert value(spark, f"SELECT max(a) FROM {catalog}.t") == 42
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1)")
    assert value(spark, f"SELECT count(*) FROM {catalog}.t") == 2
    spark.sql(f"DELETE FROM {catalog}.t WHERE a = 1")


def test_the_certificate_of_the_server_is_checked(
    spark: SparkSession, site: Site, certificates: Certificates
) -> None:
    password = {"password": PASSWORD}
    full = f"sslmode=verify-full sslrootcert={certificates.root}"
    other = f"sslmode=verify-full sslrootcert={certificates.other_root}"
    elsewhere = site.address.replace("host=127.0.0.1", "host=localhost")

    catalog = site.catalog(full, password)
    _reads_and_writes(spark, catalog)
    question = "SHOW TABLES IN {}.main"
    refused(
        spark,
        question.format(site.catalog(other, password)),
        "DUCKLAKE_CONNECTION_FAILED",
        "certification path",
    )
    named_otherwise = Site(spark, elsewhere, site.name).catalog(full, password)
    refused(
        spark,
        question.format(named_otherwise),
        "DUCKLAKE_CONNECTION_FAILED",
        "localhost",
        "hostname",
    )


def test_the_certificate_is_that_of_the_host_and_not_of_its_address(
    spark: SparkSession,
    site: Site,
    certificates: Certificates,
    guarded: PostgresServer,
    tmp_path: Path,
) -> None:
    """As libpq does, and so DuckDB: `hostaddr` is only where to connect."""
    pgpass = _pgpass(tmp_path, NAME, guarded)
    full = f"sslmode=verify-full sslrootcert={certificates.root} hostaddr=127.0.0.1"
    secret = f"{full} passfile={pgpass}"
    named = site.address.replace("host=127.0.0.1", f"host={NAME}")
    peer = connect()
    peer.execute(f"ATTACH {literal(f'{named} {secret}')} AS lake (READ_ONLY)")
    assert peer.execute("SELECT max(a) FROM lake.t").fetchall() == [(42,)]
    peer.close()

    _reads_and_writes(spark, Site(spark, named, site.name).catalog(secret))
    password = {"password": PASSWORD}
    other = site.address.replace("host=127.0.0.1", "host=other.invalid")
    question = f"SHOW TABLES IN {Site(spark, other, site.name).catalog(full, password)}.main"
    refused(spark, question, "DUCKLAKE_CONNECTION_FAILED", "other.invalid", "hostname")


def test_the_password_comes_from_a_file_or_from_a_credential_provider(
    spark: SparkSession, site: Site, guarded: PostgresServer, tmp_path: Path
) -> None:
    refused(spark, f"SHOW TABLES IN {site.catalog()}.main", "DUCKLAKE_LOGIN_REFUSED", "password")
    wrong = site.catalog(settings={"password": "wrong"})
    said = refused(spark, f"SHOW TABLES IN {wrong}.main", "DUCKLAKE_LOGIN_REFUSED", "postgres")
    assert "wrong" not in said

    pgpass = _pgpass(tmp_path, "127.0.0.1", guarded)
    _reads_and_writes(spark, site.catalog(settings={"password-file": str(pgpass)}))
    _reads_and_writes(spark, site.catalog(f"passfile={pgpass}"))


HOSTS = {"listed": "127.0.0.1", "other": "localhost"}


@only_in_the_full_sweep("a Spark of its own; the file is named by a setting in every run")
def test_the_password_comes_from_the_file_that_the_environment_names(
    site: Site, guarded: PostgresServer, tmp_path: Path
) -> None:
    """One session with two names of one server, of which the file has the password for one."""
    settings = {"spark.master": "local[1]", "spark.ui.enabled": "false", "spark.jars": jars()}
    settings |= shared_classes()
    for name in HOSTS:
        key = f"spark.sql.catalog.{name}"
        address = site.address.replace("host=127.0.0.1", f"host={HOSTS[name]}")
        settings |= {key: CATALOG_CLASS, f"{key}.uri": address}
    file = _pgpass(tmp_path, HOSTS["listed"], guarded)
    questions = [{"sql": f"SELECT max(a) FROM {name}.t"} for name in HOSTS]

    rows, refusal = ask_other_session(settings, questions, tmp_path, {"PGPASSFILE": str(file)})

    assert rows == [["42"]]
    assert isinstance(refusal, dict)
    assert refusal["condition"] == "DUCKLAKE_LOGIN_REFUSED"


def _pgpass(folder: Path, host: str, server: PostgresServer) -> Path:
    escaped = PASSWORD.replace("\\", "\\\\").replace(":", "\\:")
    file = folder / "pgpass"
    file.write_text(f"{host}:{server.port}:*:postgres:{escaped}\n")
    file.chmod(0o600)
    return file


def test_a_credential_provider_keeps_the_password(
    spark: SparkSession, site: Site, tmp_path: Path
) -> None:
    path = f"localjceks://file{tmp_path}/keys.jceks"
    catalog = site.catalog()
    keep_secret(spark, path, f"spark.sql.catalog.{catalog}.password", PASSWORD)
    with _stores(spark, path):
        _reads_and_writes(spark, catalog)


def test_a_credential_provider_of_the_catalog_keeps_the_password(
    spark: SparkSession, site: Site, tmp_path: Path
) -> None:
    path = f"localjceks://file{tmp_path}/own.jceks"
    catalog = site.catalog()
    keep_secret(spark, path, f"spark.sql.catalog.{catalog}.password", PASSWORD)
    spark.conf.set(f"spark.sql.catalog.{catalog}.hadoop.{STORES}", path)

    _reads_and_writes(spark, catalog)


def test_a_credential_provider_that_cannot_be_read_is_told(
    spark: SparkSession, site: Site, tmp_path: Path
) -> None:
    (tmp_path / "keys.jceks").write_text("no key store")
    catalog = site.catalog()
    question = f"SHOW TABLES IN {catalog}.main"
    with _stores(spark, f"localjceks://file{tmp_path}/keys.jceks"):
        refused(spark, question, "DUCKLAKE_INVALID_SETTING", "password", STORES)


@contextmanager
def _stores(spark: SparkSession, path: str) -> Iterator[None]:
    hadoop = spark._jsc.hadoopConfiguration()
    hadoop.set(STORES, path)
    try:
        yield
    finally:
        hadoop.unset(STORES)
