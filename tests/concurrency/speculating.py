"""A Spark that runs slow tasks twice, on two workers.

As a process: `python -m concurrency.speculating`, its settings and statements as JSON on standard
input, with a folder that gets a file for each task that was run again. A statement may call
`slow(n, last)`, which gives `n` back and waits at `last` in the first attempt of a task: the second
attempt ends earlier, or at about the same time.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import cycle
from pathlib import Path

from concurrency.starting import spark_with

WAITS = (4.0, 1.2, 0.9, 1.5)
"""Seconds that the first attempt waits, statement by statement."""


def main() -> None:
    """Run the statements."""
    from pyspark import TaskContext

    given = json.loads(sys.stdin.readline())
    again = Path(given["again"])
    spark = spark_with(given["settings"])
    for statement, wait in zip(given["statements"], cycle(WAITS), strict=False):

        def slow(n: int, last: int, seconds: float = wait) -> int:
            task = TaskContext.get()
            if n == last and task is not None:
                if task.attemptNumber() == 0:
                    time.sleep(seconds)
                else:
                    (again / f"{task.stageId()}").touch()
            return n

        spark.udf.register("slow", slow, "long")
        spark.sql(statement).collect()
    spark.stop()


if __name__ == "__main__":
    main()
