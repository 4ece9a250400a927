"""The page about object stores: its commands and its example in Python are run."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from support.keystore import STORES, kept_secret
from support.pages import DOCS, Block, blocks

HOME = Path(pyspark.__file__).parent


def on_the_page(text: str) -> Block:
    """The block that has a text."""
    (block,) = [each for each in blocks(DOCS / "storage.md") if text in each.text]
    return block


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
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", lambda builder: builder)
    monkeypatch.setenv("LAKE_KEY", "me")
    monkeypatch.setenv("LAKE_SECRET", "hush")
    names: dict[str, SparkSession.Builder] = {}

    exec(on_the_page("LAKE_SECRET").text, names)

    options = names["builder"]._options
    assert options["spark.sql.catalog.lake.data-path"] == "s3://bucket/lake/"
    assert options["spark.sql.catalog.lake.hadoop.fs.s3a.secret.key"] == "hush"
    assert options["spark.jars.packages"].startswith("org.apache.hadoop:hadoop-aws:")
