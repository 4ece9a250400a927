"""The jobs that Spark has run."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def known_jobs(spark: SparkSession) -> dict[int, str | None]:
    """The descriptions of all jobs that Spark still knows, in order; None for a job without one."""
    java: Any = spark._jsparkSession
    context = java.sparkContext()
    context.listenerBus().waitUntilEmpty()
    listed = context.statusStore().jobsList(None)
    found = {listed.apply(i).jobId(): listed.apply(i).description() for i in range(listed.size())}
    return {
        number: found[number].get() if found[number].isDefined() else None
        for number in sorted(found)
    }
