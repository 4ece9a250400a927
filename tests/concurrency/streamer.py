"""A Spark that writes a stream to a lake, a batch for each file of a folder; to be killed.

As a process: `python -m concurrency.streamer`, its task as JSON on standard input. It ends when the
stream has written all files.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from concurrency.starting import spark_with

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def write_both(batch: DataFrame, number: int) -> None:
    """Append the rows to one table, and add them up in another one, each once for a batch."""
    _write(batch, app_id="streamer", version=number)


def write_both_at_once(batch: DataFrame, number: int) -> None:
    """The same as one transaction, once for a batch."""
    import ducklake_spark as dl

    with dl.Lake(batch.sparkSession, "lake").transaction(app_id="streamer", version=number):
        _write(batch)


def _write(batch: DataFrame, **number: Any) -> None:  # noqa: ANN401
    import ducklake_spark as dl

    lake = dl.Lake(batch.sparkSession, "lake")
    lake.table("t").append(batch, **number)
    sums = batch.groupBy("n").count().toDF("n", "amount")
    merge = lake.table("sums").merge(sums, on="n", **number)
    merge = merge.when_matched_update({"amount": "t.amount + s.amount"})
    merge.when_not_matched_insert().execute()


BATCHES = {"statements": write_both, "transaction": write_both_at_once}
"""What writes a batch to two tables, by name."""


def main() -> None:
    """Write what the task says."""
    task = json.loads(sys.stdin.readline())
    spark = spark_with(task["settings"], log_level="ERROR")

    files = spark.readStream.schema("batch BIGINT, n INT").option("maxFilesPerTrigger", 1)
    writer = files.json(task["folder"]).writeStream.trigger(availableNow=True)
    writer = writer.option("checkpointLocation", task["checkpoint"]).options(**task["options"])
    if task["batches"]:
        query = writer.foreachBatch(BATCHES[task["batches"]]).start()
    else:
        query = writer.toTable(task["table"])
    query.awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
