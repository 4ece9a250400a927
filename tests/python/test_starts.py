"""`configure` in each way that people start Spark; a new JVM for each, in a process of its own.

A plain script that starts Spark itself is in test_examples.py and test_wheel.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import ducklake_spark as dl
import pyspark
import pytest

from support.sweep import only_in_the_full_sweep

SUBMIT = Path(pyspark.__file__).parent / "bin" / "spark-submit"

# A statement of the driver alone, tasks that write and tasks that read, with the extension or not.
USE = """
import json, sys, warnings
from pyspark.sql import SparkSession
import ducklake_spark as dl

def used(spark, table, clause):
    spark.sql(f"CREATE TABLE {table} AS SELECT id FROM range(100)")
    spark.sql(f"UPDATE {table} SET id = -1 WHERE id = 7")
    read = f"SELECT id, count(*) AS rows FROM {table} {clause} WHERE id < 1 GROUP BY id"
    return sorted(map(list, spark.sql(read).collect()))

def command_line():
    from pyspark import SparkContext

    process = SparkContext._jvm.java.lang.ProcessHandle.current().pid()
    return open(f"/proc/{process}/cmdline").read().split(chr(0))

answer = {}
uri = "ducklake:sqlite:l.sqlite"
"""

SUBMITTED = """
builder = dl.configure(SparkSession.builder, "lake", uri, data_inlining_row_limit=0)
spark = dl.configure(builder, "other", uri).getOrCreate()
answer["rows"] = used(spark, "lake.t", "AT (VERSION => 2)")
answer["jars"] = spark.sparkContext.getConf().get("spark.jars").split(",")
"""

# A session that was there before, then one that is built in the same JVM when that was stopped.
BEFORE = """
before = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
with warnings.catch_warnings(record=True) as result:
    builder = dl.configure(SparkSession.builder, "lake", uri, data_inlining_row_limit=0)
answer["result"] = [str(each.message) for each in result]
spark = builder.getOrCreate()
with warnings.catch_warnings(record=True) as result:
    lake = dl.Lake(spark, "lake")
answer["absent"] = [str(each.message) for each in result]
answer["schemas"] = [row[0] for row in spark.sql("SHOW SCHEMAS IN lake").collect()]
answer["rows"] = used(spark, "lake.t", "VERSION AS OF 2")
spark.stop()
spark = dl.configure(SparkSession.builder.master("local[2]"), "lake", uri).getOrCreate()
answer["again"] = used(spark, "lake.t2", "AT (VERSION => 4)")
"""


# What a session shows that was started with secrets in its catalog's settings.
HIDING = """
import urllib.request
hadoop = {name: "hush" for name in SECRETS} | {"fs.s3a.endpoint": "http://shown"}
builder = SparkSession.builder.master("local[1]").config("spark.ui.port", "0")
builder = builder.config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", ".")
builder = builder.config("spark.eventLog.rolling.enabled", "false")
builder = builder.config("spark.eventLog.compress", "false")
spark = dl.configure(builder, "lake", uri, hadoop=hadoop).getOrCreate()
context = spark.sparkContext
page = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/environment"
answer["page"] = dict(json.load(urllib.request.urlopen(page))["sparkProperties"])
answer["set"] = {row.key: row.value for row in spark.sql("SET").collect()}
session = spark.newSession()
answer["read"] = [session.conf.get(f"spark.sql.catalog.lake.hadoop.{n}") for n in SECRETS]
answer["line"] = command_line()
"""

# The same of a server of Spark Connect that PySpark starts itself.
CONNECTED = """
builder = SparkSession.builder.remote("local[1]").config("spark.ui.enabled", "false")
hadoop = {"fs.s3a.secret.key": "hush"}
spark = dl.configure(builder, "providers", uri, hadoop=hadoop).getOrCreate()
answer["kind"] = type(spark).__module__
answer["read"] = spark.conf.get("spark.sql.catalog.providers.hadoop.fs.s3a.secret.key")
answer["line"] = command_line()
import os
from pyspark import SparkContext
token = "SPARK_CONNECT_AUTHENTICATE_TOKEN"
answer["tokens"] = [os.environ.get(token), SparkContext._jvm.java.lang.System.getenv(token)]
"""

SECRETS = [
    "fs.s3a.secret.key",
    "fs.s3a.encryption.key",
    "fs.azure.account.key.lake.dfs.core.windows.net",
    "fs.gs.auth.service.account.private.key",
]


def outcome(folder: Path, body: str, *command: str | Path) -> tuple[dict[str, Any], str]:
    """What a script answers that a program runs, and what is logged."""
    script = folder / "script.py"
    script.write_text(f"{USE}{body}\njson.dump(answer, open('answer.json', 'w'))\nspark.stop()\n")
    done = subprocess.run(
        [str(part) for part in (*command, script)],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_HOME": str(SUBMIT.parents[1]),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "answer.json").read_text()), done.stderr


@pytest.mark.parametrize(
    "jars",
    [
        pytest.param([], id="bare"),
        pytest.param(
            ["--jars", ",".join(dl.jars())],
            id="with_jars",
            marks=only_in_the_full_sweep("a Spark of its own, for jars that are given twice"),
        ),
    ],
)
def test_spark_submit_needs_no_more_than_configure(tmp_path: Path, jars: list[str]) -> None:
    options = ["--master", "local[2]", "--conf", "spark.ui.enabled=false", *jars]

    answer, _ = outcome(tmp_path, SUBMITTED, SUBMIT, *options)

    assert answer["rows"] == [[-1, 1], [0, 1]]
    assert [Path(path).name for path in answer["jars"]] == [Path(path).name for path in dl.jars()]


def test_a_session_that_runs_gets_the_connector(tmp_path: Path) -> None:
    answer, log = outcome(tmp_path, BEFORE, sys.executable)

    (result,) = answer["result"]
    assert "--jars $(python -m ducklake_spark jars)" in result
    assert "spark.sql.extensions=ducklake.spark.DuckLakeExtensions" in result
    assert answer["schemas"] == ["main"]
    assert answer["rows"] == [[-1, 1], [0, 1]]
    assert answer["again"] == [[-1, 1], [0, 1]]
    (absent,) = answer["absent"]
    assert f"There is no lake at sqlite:{tmp_path}/l.sqlite" in absent
    assert log.count(f"There is no lake at sqlite:{tmp_path}/l.sqlite: catalog `lake`") == 1


def test_secrets_of_stores_are_hidden(tmp_path: Path) -> None:
    answer, log = outcome(tmp_path, f"SECRETS = {SECRETS}\n{HIDING}", sys.executable)

    (events,) = tmp_path.glob("local-*")
    keys = [f"spark.sql.catalog.lake.hadoop.{name}" for name in SECRETS]
    shown = "spark.sql.catalog.lake.hadoop.fs.s3a.endpoint"
    for place in (answer["page"], answer["set"]):
        assert {place[key] for key in keys} == {"*********(redacted)"}
        assert place[shown] == "http://shown"
    assert "http://shown" in events.read_text()
    assert "hush" not in events.read_text() + log
    assert answer["read"] == ["hush"] * len(SECRETS)
    assert "spark.sql.catalog.lake.uri=ducklake:sqlite:l.sqlite" in answer["line"]
    assert "hush" not in "".join(answer["line"])


@only_in_the_full_sweep("a Spark of its own; one without a server hides them in every run")
def test_a_server_that_spark_starts_itself_hides_secrets(tmp_path: Path) -> None:
    answer, log = outcome(tmp_path, CONNECTED, sys.executable)

    assert answer["kind"] == "pyspark.sql.connect.session"
    assert answer["read"] == "hush"
    assert "spark.sql.catalog.providers.uri=ducklake:sqlite:l.sqlite" in answer["line"]
    assert "hush" not in "".join(answer["line"]) + log
    warned = [line for line in log.splitlines() if "Failed to set spark." in line]
    # That of the test's own setting stays.
    assert [line for line in warned if "spark.ui.enabled" not in line] == []
    assert warned != []
    ours, of_server = answer["tokens"]
    assert ours == of_server, "a server that has no token lets in everybody"
    assert ours


def test_the_command_prints_the_jars() -> None:
    command = [sys.executable, "-m", "ducklake_spark", "jars"]

    printed = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    found = printed.stdout.removesuffix("\n").split(",")
    assert [Path(jar).resolve() for jar in found] == [Path(jar).resolve() for jar in dl.jars()]
