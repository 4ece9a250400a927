"""A Spark that inserts batches without end, saying each when it is committed; to be killed.

As a process: `python -m concurrency.looper`, its Spark settings as JSON on standard input.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Insert until killed; every third time a batch takes the place of the one before."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    given = json.loads(sys.stdin.readline())
    for key, value in given["settings"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    batch = int(given["first"])
    while True:
        batch += 1
        rows = f"SELECT CAST({batch} AS BIGINT), CAST(id AS INT) FROM range(0, 20, 1, 2)"
        statement = f"INSERT INTO lake.main.shared {rows}"
        if batch % 3 == 0:
            statement = f"UPDATE lake.main.shared SET batch = {batch} WHERE batch = {batch - 1}"
        spark.sql(statement).collect()
        print(batch, flush=True)


if __name__ == "__main__":
    main()
