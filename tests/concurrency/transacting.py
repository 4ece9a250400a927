"""A Spark that runs one transaction and says each step before it begins; to be killed.

As a process: `python -m concurrency.transacting`, its Spark settings and its statements as JSON on
standard input.
"""

from __future__ import annotations

import json
import sys

from concurrency.starting import spark_with


def main() -> None:
    """Say the number of each statement, run it, and say at last how many there were."""
    given = json.loads(sys.stdin.readline())
    spark = spark_with(given["settings"])
    for number, statement in enumerate(given["statements"]):
        print(number, flush=True)
        spark.sql(statement).collect()
    print(len(given["statements"]), flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main()
