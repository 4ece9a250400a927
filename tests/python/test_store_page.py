"""The page about object stores: its commands and examples are run."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import ducklake_spark as dl
import pyspark
import pytest
from pyspark.sql import SparkSession

from support.keystore import STORES, kept_secret
from support.lakes import LakeFactory
from support.objectstore import ObjectStore, secret_of
from support.pages import DOCS, Block, blocks
from support.peer import connect

HOME = Path(pyspark.__file__).parent


def on_the_page(text: str) -> Block:
    """The block that has a text."""
    (block,) = [each for each in blocks(DOCS / "storage.md") if text in each.text]
    return block


def settings(block: Block, places: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The lines of a block with a key and a value; `…` is the first place, then the next."""
    hidden = iter(places["…"].split())
    for line in block.text.splitlines():
        key, value = line.split(None, 1)
        value = next(hidden) if value == "…" else value
        yield key, places.get(value, value)


def test_the_commands_put_secrets_into_a_store(spark: SparkSession, tmp_path: Path) -> None:
    store = f"jceks://file{tmp_path}/lake.jceks"
    page = on_the_page("CredentialShell").replaced({"jceks://file/etc/spark/lake.jceks": store})
    commands = [shlex.split(line) for line in page.splitlines()]

    for program, *arguments in commands:
        done = subprocess.run(
            [str(HOME / "bin" / program), *arguments, "-value", f"hush {arguments[2]}"],
            env={**os.environ, "SPARK_HOME": str(HOME)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    names = [command[3] for command in commands]
    assert len(names) == 3
    assert {kept_secret(spark, store, name) for name in names} == {f"hush {n}" for n in names}
    assert (tmp_path / "lake.jceks").stat().st_mode & 0o077 == 0
    assert STORES in on_the_page(STORES).text


def test_the_example_registers_a_lake_in_a_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.SparkContext._gateway", None)
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    monkeypatch.setattr("pyspark.SparkContext._jvm", None)
    monkeypatch.setattr(
        "pyspark.core.context.launch_gateway", lambda conf: SimpleNamespace(jvm=None)
    )
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", lambda builder: builder)
    monkeypatch.setenv("LAKE_KEY", "me")
    monkeypatch.setenv("LAKE_SECRET", "hush")
    monkeypatch.setenv("LAKE_TOKEN", "hour")
    names: dict[str, SparkSession.Builder] = {}

    exec(on_the_page("LAKE_SECRET").text, names)

    options = names["builder"]._options
    assert options["spark.sql.catalog.lake.data-path"] == "s3://bucket/lake/"
    assert options["spark.sql.catalog.lake.hadoop.fs.s3a.secret.key"] == "hush"
    assert options["spark.sql.catalog.lake.hadoop.fs.s3a.session.token"] == "hour"
    assert options["spark.jars.packages"].startswith("org.apache.hadoop:hadoop-aws:")


def test_a_server_of_your_own_is_opened_by_both_engines(
    spark: SparkSession, lakes: LakeFactory, store: ObjectStore
) -> None:
    ours, theirs = on_the_page("http://storage:9000"), on_the_page("'storage:9000'")
    bucket, lake = store.bucket("pages"), lakes.new("sqlite")
    key, place = bucket.key, f"127.0.0.1:{bucket.port}"
    session = spark.newSession()
    for name, value in dl.settings("lake", lake.uri, "s3://pages/lake/").items():
        session.conf.set(name, value)
    answer = {"…": f"{key} {secret_of(key)}", "http://storage:9000": f"http://{place}"}
    for name, value in settings(ours, answer):
        session.conf.set(name, value)
    secret = theirs.text.replace("'…'", f"'{key}'", 1).replace("'…'", f"'{secret_of(key)}'", 1)

    session.sql("CREATE TABLE lake.main.t AS SELECT id FROM range(100)").collect()

    assert list((bucket.folder / "lake/main/t").iterdir())
    with connect("httpfs") as duck:
        duck.execute(secret.replace("storage:9000", place))
        duck.execute(f"ATTACH '{lake.uri}' AS lake")
        assert duck.execute("SELECT sum(id) FROM lake.t").fetchall() == [(4950,)]
