"""Short ways to ask Spark, for tests."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession


def rows(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query, in its order."""
    return [tuple(row) for row in spark.sql(query).collect()]


def value(spark: SparkSession, query: str) -> Any:  # noqa: ANN401
    """The only value of a query."""
    ((only,),) = rows(spark, query)
    return only


def column(spark: SparkSession, query: str) -> list[Any]:
    """The first column of a query, sorted."""
    return sorted(row[0] for row in rows(spark, query))


def refused(spark: SparkSession, query: str, condition: str, *parts: str) -> str:
    """Run a statement that must fail with this very condition; its message names all parts.

    Returns:
        The message.
    """
    with pytest.raises(PySparkException) as caught:
        spark.sql(query).collect()
    message = str(caught.value)
    assert caught.value.getCondition() == condition, message
    missing = [part for part in parts if part not in message]
    assert not missing, f"{missing} not in: {message}"
    return message


def read_metrics(frame: DataFrame) -> dict[str, int]:
    """The metrics of the frame's scans, which its execution has filled."""
    found: dict[str, int] = {}
    plans = [frame._jdf.queryExecution().executedPlan()]
    while plans:
        plan = plans.pop()
        if plan.getClass().getSimpleName() == "AdaptiveSparkPlanExec":
            plan = plan.executedPlan()
        if plan.getClass().getSimpleName().endswith("QueryStageExec"):
            plan = plan.plan()
        names = plan.metrics().keysIterator()
        while names.hasNext():
            name = names.next()
            if name.startswith("ducklake"):
                found[name] = found.get(name, 0) + plan.metrics().apply(name).value()
        children = plan.children().iterator()
        while children.hasNext():
            plans.append(children.next())
    return found
