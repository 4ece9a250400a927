"""A Spark with a transaction in each of many lakes, all of which stop at a statement; to be killed.

As a process: `python -m concurrency.transacting`, its Spark settings and its tasks as JSON on
standard input. A task has the settings of its session, statements, and the number of the one that
waits for a line on standard input. Each task says its own number when it has come there.
"""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from concurrency.starting import spark_with

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def main() -> None:
    """Run all tasks at once, until the process is killed."""
    given = json.loads(sys.stdin.readline())
    spark, on = spark_with(given["settings"]), threading.Event()
    with ThreadPoolExecutor(len(given["tasks"])) as pool:
        running = [
            pool.submit(transact, spark.newSession(), number, task, on)
            for number, task in enumerate(given["tasks"])
        ]
        sys.stdin.readline()
        on.set()
        for each in running:
            each.result()
        sys.stdin.readline()


def transact(session: SparkSession, number: int, task: dict[str, Any], on: threading.Event) -> None:
    """Run the statements of a task, in a session of its own, up to the one that waits; then it."""
    for key, value in task["settings"].items():
        session.conf.set(key, value)
    for statement in task["statements"][: task["waits"]]:
        session.sql(statement).collect()
    print(number, flush=True)
    on.wait()
    for statement in task["statements"][task["waits"] :][:1]:
        session.sql(statement).collect()


if __name__ == "__main__":
    main()
