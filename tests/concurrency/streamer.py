"""A Spark that writes a stream to a lake, an epoch for each file of a folder; to be killed.

As a process: `python -m concurrency.streamer`, its task as JSON on standard input. It ends when the
stream has written all files.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Write what the task says."""
    from pyspark.sql import SparkSession

    task = json.loads(sys.stdin.readline())
    builder = SparkSession.builder
    for key, value in task["settings"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    files = spark.readStream.schema("batch BIGINT, n INT").option("maxFilesPerTrigger", 1)
    writer = files.json(task["folder"]).writeStream.trigger(availableNow=True)
    query = writer.option("checkpointLocation", task["checkpoint"]).toTable(task["table"])
    query.awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
