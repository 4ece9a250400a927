"""A Spark that follows tables of a lake by streams, again and again; to be killed.

As a process: `python -m concurrency.copier`, its task as JSON on standard input. Each line that
it prints is the number of a round, in which all streams came to the newest snapshot. It ends
after a round that began when the file `over` was there.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from concurrency.following import PLACES
from concurrency.starting import spark_with

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PAUSE = 0.3
"""Seconds between two rounds, in which a DuckDB file is free for others."""

NEWEST = {"merge-keys": "owner, place", "sequence-by": "id"}


def add(changes: DataFrame, number: int) -> None:
    """Add what the changes have moved to the sums, once for a batch."""
    import ducklake_spark as dl
    import pyspark.sql.functions as F

    sign = F.when(F.col("change_type").isin("insert", "update_postimage"), 1).otherwise(-1)
    amount = F.sum(sign * F.col("amount")).alias("amount")
    moved = changes.groupBy("region").agg(F.sum(sign).alias("accounts"), amount)
    sums = dl.Lake(changes.sparkSession, "lake").table("main.sums")
    merge = sums.merge(moved, on="region", app_id="copier", version=number)
    both = {"accounts": "t.accounts + s.accounts", "amount": "t.amount + s.amount"}
    merge.when_matched_update(both).when_not_matched_insert().execute()


def main() -> None:
    """Follow until it is over."""
    task = json.loads(sys.stdin.readline())
    spark = spark_with(task["settings"], log_level="ERROR")
    folder = Path(task["folder"])
    limits = {f"max-{what}-per-trigger": value for what, value in task["limits"].items()}
    for turn in itertools.count():
        is_last = (folder / "over").exists()
        # First what begins at a snapshot: once it has begun, expiry leaves what it needs.
        options = {**limits, "start-snapshot": task["start"]}
        changes = spark.readStream.options(**options).table("lake.main.accounts.changes")
        summed = changes.writeStream.option("checkpointLocation", str(folder / "summed"))
        summed.foreachBatch(add).trigger(availableNow=True).start().awaitTermination()
        events = spark.readStream.options(**limits).table("lake.main.events")
        copied = events.writeStream.option("checkpointLocation", str(folder / "copied"))
        copied.trigger(availableNow=True).toTable("lake.main.copied").awaitTermination()
        placed = events.selectExpr("owner", f"id % {PLACES} AS place", "id").writeStream
        newest = placed.option("checkpointLocation", str(folder / "newest")).options(**NEWEST)
        newest.trigger(availableNow=True).toTable("lake.main.newest").awaitTermination()
        print(turn, flush=True)
        if is_last:
            break
        time.sleep(PAUSE)
    spark.stop()


if __name__ == "__main__":
    main()
