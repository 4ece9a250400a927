"""The settings of a catalog: addresses, keys, secrets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, value
from support.lakes import CATALOG_CLASS, Lake, LakeFactory
from support.peer import Peer
from support.postgres import PostgresServer

pytestmark = pytest.mark.every_database

Register = Callable[..., str]

INVALID_SETTING = "DUCKLAKE_INVALID_SETTING"
INVALID_URI = "DUCKLAKE_INVALID_URI"


@pytest.mark.parametrize(
    ("key", "nearest"),
    [("snapshot_version", "snapshot-version"), ("datapath", "data-path"), ("url", "uri")],
)
def test_an_unknown_key_names_the_nearest_known_one(
    spark: SparkSession, example: Lake, register: Register, key: str, nearest: str
) -> None:
    catalog = register(example, {key: "x"})

    refused(spark, f"SHOW TABLES IN {catalog}.main", INVALID_SETTING, key, nearest)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("snapshot-version", "x"),
        ("busy-timeout", "soon"),
        ("read-only", "perhaps"),
        ("snapshot-time", "yesterday-ish"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused(
    spark: SparkSession, example: Lake, register: Register, key: str, text: str
) -> None:
    catalog = register(example, {key: text})

    refused(spark, f"SHOW TABLES IN {catalog}.main", INVALID_SETTING, key)


def test_a_version_and_a_time_contradict_each_other(
    spark: SparkSession, example: Lake, register: Register
) -> None:
    catalog = register(example, {"snapshot-version": "1", "snapshot-time": "2024-01-01"})

    refused(spark, f"SHOW TABLES IN {catalog}.main", INVALID_SETTING, "snapshot-")


def test_keys_of_duckdb_are_accepted_without_effect(
    spark: SparkSession, example: Lake, register: Register
) -> None:
    catalog = register(
        example,
        {
            "metadata-catalog": "x",
            "metadata-path": "x",
            "metadata-parameters": "x",
            "meta-journal-mode": "WAL",
            "write-deletion-vectors": "true",
        },
    )

    assert value(spark, f"SELECT count(*) FROM {catalog}.events") == 92


def test_a_missing_uri_is_named(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.catalog.nowhere", CATALOG_CLASS)

    refused(spark, "SHOW TABLES IN nowhere.main", INVALID_SETTING, "uri")


@pytest.mark.parametrize(
    ("uri", "part"),
    [
        ("postgresql://u@h/d", "ducklake:"),
        ("ducklake:oracle:x", "oracle"),
        ("ducklake:postgres:dbname=d host=/var/run/postgresql", "socket"),
        ("ducklake:postgres:dbname=d colour=blue", "colour"),
        ("ducklake:postgres:postgresql://u:hunter2@h:5432/d", "password-file"),
        ("jdbc:oracle:thin:@x", "oracle"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_with_the_reason(
    spark: SparkSession, register: Register, uri: str, part: str
) -> None:
    catalog = register(Lake("postgres", uri, Path("/nowhere"), ""))

    message = refused(spark, f"SHOW TABLES IN {catalog}.main", INVALID_URI, part)
    assert "hunter2" not in message


def test_mysql_is_refused_by_name(spark: SparkSession, register: Register) -> None:
    catalog = register(Lake("postgres", "ducklake:mysql:db=d host=h", Path("/nowhere"), ""))

    refused(spark, f"SHOW TABLES IN {catalog}.main", "DUCKLAKE_INVALID_URI", "MySQL")


def test_a_jdbc_address_serves_as_well(
    spark: SparkSession, example: Lake, register: Register, server: PostgresServer
) -> None:
    address = {
        "sqlite": f"jdbc:sqlite:{example.database}",
        "duckdb": f"jdbc:duckdb:{example.database}",
        "postgres": f"jdbc:postgresql://127.0.0.1:{server.port}/{example.database}?user=postgres",
    }[example.kind]
    catalog = register(Lake(example.kind, address, example.data_path, example.database))

    assert value(spark, f"SELECT count(*) FROM {catalog}.events") == 92


def test_a_postgres_url_serves_as_well(
    spark: SparkSession, register: Register, lakes: LakeFactory, server: PostgresServer
) -> None:
    lake = lakes.new("postgres")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t AS SELECT 42 AS a")
    uri = f"ducklake:postgres:postgresql://postgres@127.0.0.1:{server.port}/{lake.database}"

    catalog = register(Lake("postgres", uri, lake.data_path, lake.database))

    assert value(spark, f"SELECT a FROM {catalog}.t") == 42


def test_a_relative_path_is_that_of_the_driver(
    spark: SparkSession, example: Lake, register: Register
) -> None:
    if example.kind == "postgres":
        pytest.skip("a PostgreSQL address has no path")
    relative = Path(example.database).relative_to("/")
    up = "../" * (len(Path.cwd().parts) - 1)
    uri = f"ducklake:{example.kind}:{up}{relative}"

    catalog = register(Lake(example.kind, uri, example.data_path, example.database))

    assert value(spark, f"SELECT count(*) FROM {catalog}.events") == 92


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
def test_a_password_is_redacted(spark: SparkSession, example: Lake, register: Register) -> None:
    catalog = register(example, {"password": "hunter2"})

    shown = str(spark.sql("SET").where(f"key LIKE '%{catalog}%'").collect())
    plan = spark.sql(f"EXPLAIN EXTENDED SELECT * FROM {catalog}.events").collect()[0][0]

    assert f"{catalog}.password" in shown
    assert "hunter2" not in shown
    assert "hunter2" not in plan
