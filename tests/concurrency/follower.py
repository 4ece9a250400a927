"""A Spark that reads the change feed of a table as a stream into Parquet files; to be killed.

As a process: `python -m concurrency.follower`, its task as JSON on standard input. It ends when the
stream has read all snapshots.
"""

from __future__ import annotations

import json
import sys

from concurrency.starting import spark_with


def main() -> None:
    """Read what the task says."""
    task = json.loads(sys.stdin.readline())
    spark = spark_with(task["settings"], log_level="ERROR")

    reader = spark.readStream.option("max-files-per-trigger", 1).option("start-snapshot", 1)
    changes = reader.table("lake.main.t.changes").select("snapshot_id", "change_type", "id")
    writer = changes.writeStream.trigger(availableNow=True).format("parquet")
    writer = writer.option("checkpointLocation", task["checkpoint"])
    writer.start(task["folder"]).awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
