"""Who gets into a bucket, and what the error says when something is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.keystore import STORES, keep_secret
from support.lakes import IN_FILES, Lake, LakeFactory
from support.objectstore import Bucket, ObjectStore, secret_of
from support.peer import Peer, made

Register = Callable[..., str]


@pytest.fixture
def lake(stored_lake: Lake) -> Lake:
    """In the bucket, with a file of a hundred rows that DuckDB wrote."""
    return stored_lake


def test_two_accounts_in_one_session(
    spark: SparkSession,
    lake: Lake,
    lakes: LakeFactory,
    register: Register,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with ObjectStore(tmp_path_factory.mktemp("other"), key="somebodyelse") as other:
        theirs = lakes.new("sqlite", other.bucket("lakes"))
        made(theirs, "CREATE TABLE t AS SELECT 7 AS a, 'their' AS b")
        mine, others = register(lake, IN_FILES), register(theirs, IN_FILES)

        for _ in range(2):
            spark.sql(f"INSERT INTO {others}.t SELECT a, b FROM {mine}.t WHERE a < 2")
            spark.sql(f"INSERT INTO {mine}.t SELECT a, b FROM {others}.t WHERE b = 'their'")
        joined = spark.sql(f"SELECT count(*) FROM {mine}.t m JOIN {others}.t o ON m.a = o.a")

        assert joined.first() == (7,)
        with Peer(theirs) as peer:
            assert peer.value("SELECT count(*) FROM t") == 5


def test_two_sessions_with_accounts_of_their_own(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    assert lake.bucket is not None
    here, there = spark.newSession(), spark.newSession()
    place = replace(lake, bucket=None)
    for session, key in ((here, lake.bucket.key), (there, "nobodyatall")):
        for name, value in (lake.bucket.s3a() | {"fs.s3a.access.key": key}).items():
            session.conf.set(name, value)

    ours, theirs = register(place, session=here), register(place, session=there)

    for _ in range(2):
        assert here.sql(f"SELECT max(a) FROM {ours}.t").first() == (99,)
        with pytest.raises(PySparkException, match="the store refused access"):
            there.sql(f"SELECT max(b) FROM {theirs}.t").collect()


NOBODY = "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"
OF_SESSION = {
    "bucket.lakes.access.key": "nobodyatall",
    "session.token": "of other keys",
    "aws.credentials.provider": NOBODY,
    "bucket.lakes.aws.credentials.provider": NOBODY,
}
"""What a session says of access, each alone."""


@pytest.mark.parametrize("setting", OF_SESSION)
def test_what_a_session_says_of_access_yields(
    spark: SparkSession, lake: Lake, register: Register, setting: str
) -> None:
    session = spark.newSession()
    session.conf.set(f"fs.s3a.{setting}", OF_SESSION[setting])
    catalog = register(lake, IN_FILES, session=session)

    assert session.sql(f"SELECT max(b) FROM {catalog}.t").first() == ("x99",)


def test_the_keys_may_be_in_a_store_of_the_catalog(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    assert lake.bucket is not None
    path = f"localjceks://file{tmp_path}/keys.jceks"
    secrets = {name: value for name, value in lake.bucket.s3a().items() if ".key" in name}
    for name, value in secrets.items():
        keep_secret(spark, path, name, value)
    given = {f"hadoop.{name}": value for name, value in lake.bucket.s3a().items()}
    for name in secrets:
        del given[f"hadoop.{name}"]

    catalog = register(replace(lake, bucket=None), given | IN_FILES | {f"hadoop.{STORES}": path})
    spark.sql(f"INSERT INTO {catalog}.t VALUES (1000, 'y')")

    assert spark.sql(f"SELECT max(b) FROM {catalog}.t").first() == ("y",)


def test_a_container_without_its_account(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    new = lakes.new("sqlite")
    catalog = register(new, IN_FILES | {"data-path": "az://container/lake/"})
    spark.sql(f"CREATE TABLE {catalog}.t (a INT)")

    with pytest.raises(
        PySparkException, match="names a container but no storage account"
    ) as answer:
        spark.sql(f"INSERT INTO {catalog}.t VALUES (1)")

    assert "az://<account>.blob.core.windows.net/<container>/" in str(answer.value)


def test_no_secret_is_shown(spark: SparkSession, lake: Lake, register: Register) -> None:
    catalog = register(lake, IN_FILES)
    assert lake.bucket is not None
    secret = secret_of(lake.bucket.key)

    texts = [
        str(spark.sql(text).collect())
        for text in (
            f"EXPLAIN EXTENDED SELECT * FROM {catalog}.t",
            f"EXPLAIN EXTENDED INSERT INTO {catalog}.t VALUES (1, 'x')",
            f"DESCRIBE EXTENDED {catalog}.t",
            f"SHOW TBLPROPERTIES {catalog}.t",
            f"SELECT * FROM {catalog}.system.settings",
            "SET -v",
            "SET",
        )
    ]

    assert not [text for text in texts if secret in text]


REFUSALS = {
    "RequestTimeTooSkewed": "the clocks of this machine and of the store differ too much",
    "AccessDenied": "the store refused access",
    "InvalidAccessKeyId": "the store refused access (InvalidAccessKeyId)",
}


@pytest.mark.parametrize("code", REFUSALS)
def test_what_the_store_refuses_is_told(
    spark: SparkSession, lake: Lake, register: Register, store: ObjectStore, code: str
) -> None:
    catalog = register(lake, IN_FILES)

    with store.proxy.refusing(lambda _: code):
        with pytest.raises(PySparkException) as reading:
            spark.sql(f"SELECT max(b) FROM {catalog}.t").collect()
        with pytest.raises(PySparkException) as writing:
            spark.sql(f"INSERT INTO {catalog}.t VALUES (1, 'x')")

    assert "DUCKLAKE_UNREADABLE_FILE" in str(reading.value)
    assert "DUCKLAKE_UNWRITABLE_FILE" in str(writing.value)
    for answer in (str(reading.value), str(writing.value)):
        assert REFUSALS[code] in answer and "hush" not in answer


def test_a_key_that_the_store_does_not_know(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    catalog = register(lake, IN_FILES | {"hadoop.fs.s3a.access.key": "nobodyatall"})

    with pytest.raises(PySparkException, match="the store refused access"):
        spark.sql(f"SELECT max(b) FROM {catalog}.t").collect()


def test_a_bucket_that_is_not_there(
    spark: SparkSession, lakes: LakeFactory, bucket: Bucket, register: Register
) -> None:
    gone = replace(bucket, name="nowhere")
    catalog = register(lakes.new("sqlite", gone), IN_FILES | {"data-path": "s3://nowhere/lake/"})
    spark.sql(f"CREATE TABLE {catalog}.t (a INT)")

    with pytest.raises(PySparkException, match="its bucket does not exist"):
        spark.sql(f"INSERT INTO {catalog}.t VALUES (1)")
    assert spark.table(f"{catalog}.t").count() == 0


@pytest.mark.damages
def test_a_file_that_was_deleted_is_named(
    spark: SparkSession, lake: Lake, register: Register, store: ObjectStore
) -> None:
    catalog = register(lake, IN_FILES)
    (file,) = lake.data_path.rglob("*.parquet")
    store.remove(file)

    with pytest.raises(PySparkException, match="it does not exist") as answer:
        spark.sql(f"SELECT max(b) FROM {catalog}.t").collect()

    assert file.name in str(answer.value) and "s3://lakes/" in str(answer.value)
