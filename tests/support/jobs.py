"""The jobs that Spark has run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

_GROUP = "spark.jobGroup.id"
_MOST_MILLIS = 120_000
_numbers = itertools.count(1)


def wait_for_the_listeners(spark: SparkSession) -> None:
    """Until Spark knows what has happened so far."""
    context: Any = spark.sparkContext._jsc
    context.sc().listenerBus().waitUntilEmpty(_MOST_MILLIS)


@contextmanager
def described_jobs(spark: SparkSession) -> Iterator[list[str | None]]:
    """The descriptions of the jobs that this thread starts meanwhile, in order.

    None stands for a job without a description. The list is complete when the block has ended.
    """
    java: Any = spark._jsparkSession
    context, group = spark.sparkContext, f"described {next(_numbers)}"
    found: list[str | None] = []
    context.setLocalProperty(_GROUP, group)
    try:
        yield found
    finally:
        context.setLocalProperty(_GROUP, None)  # type: ignore[arg-type]
        wait_for_the_listeners(spark)
        listed = java.sparkContext().statusStore().jobsList(None)
        jobs = [listed.apply(i) for i in range(listed.size())]
        for job in sorted(jobs, key=lambda job: int(job.jobId())):
            if job.jobGroup().contains(group):
                description = job.description()
                found.append(description.get() if description.isDefined() else None)
