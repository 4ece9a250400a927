"""A Spark that runs one transaction and says each step before it begins; to be killed.

As a process: `python -m concurrency.transacting`, its Spark settings and its statements as JSON on
standard input.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Say the number of each statement, run it, and say at last how many there were."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    given = json.loads(sys.stdin.readline())
    for key, value in given["settings"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    for number, statement in enumerate(given["statements"]):
        print(number, flush=True)
        spark.sql(statement).collect()
    print(len(given["statements"]), flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main()
