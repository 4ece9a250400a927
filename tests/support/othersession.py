"""Spark sessions in processes of their own, for what one session per process cannot show."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_SCRIPT = """
import json, sys
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

asked = json.load(sys.stdin)
builder = SparkSession.builder
for key, value in asked["settings"].items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")

def answer(question):
    try:
        if "stream" in question:
            stream = spark.readStream.table(question["stream"]).writeStream
            stream = stream.option("checkpointLocation", question["checkpoint"])
            return stream.trigger(availableNow=True).toTable(question["to"]).awaitTermination()
        if "sql" in question:
            frame = spark.sql(question["sql"])
        else:
            frame = spark.read.options(**question["options"]).table(question["table"])
        return [[str(value) for value in row] for row in frame.collect()]
    except PySparkException as error:
        return {"condition": error.getCondition(), "message": str(error)}

answers = [answer(question) for question in asked["questions"]]
print("ANSWERS" + json.dumps(answers))
"""


def ask_other_session(
    settings: Mapping[str, str],
    questions: Sequence[Mapping[str, Any]],
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    python: str = sys.executable,
) -> list[Any]:
    """The answers of a new session, rows as lists of text or an error as condition and message.

    Args:
        settings: all Spark settings of the session.
        questions: each `{"sql": text}`, or `{"table": name, "options": {...}}`, or of a stream that
            ends by itself `{"stream": table, "to": table, "checkpoint": folder}`.
        cwd: the working directory of the driver; workers write their logs below it.
        environment: more variables of the process.
        python: the interpreter, which has the PySpark of the session.
    """
    asked = json.dumps({"settings": dict(settings), "questions": list(questions)})
    own = {
        "PYSPARK_PYTHON": python,
        "SPARK_WORKER_DIR": str(cwd / "work"),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [python, "-c", _SCRIPT],
        input=asked,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **own, **(environment or {})},
        timeout=300,
        check=False,
    )
    _, found, answers = done.stdout.partition("ANSWERS")
    if not found:
        raise RuntimeError(done.stderr[-4000:])
    parsed: list[Any] = json.loads(answers)
    return parsed
