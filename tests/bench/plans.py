"""The plans of TPC-DS: whether they are those of bare Parquet, and what planning costs."""

from __future__ import annotations

import re
from time import perf_counter

from pyspark.sql import SparkSession

ROUNDS = 3
"""The first loads classes, and opens each table."""

_CHOICE = re.compile(
    "(BroadcastHashJoin|SortMergeJoin|ShuffledHashJoin|BroadcastNestedLoopJoin|CartesianProduct"
    "|Exchange hashpartitioning|BroadcastExchange).*"
)


def compared(bare: SparkSession, ours: SparkSession, texts: dict[str, str], title: str) -> None:
    """Print the queries whose joins and exchanges differ, and the CPU time of the planning thread.

    Args:
        bare: a session whose names are Parquet over the files of the lake.
        ours: a session whose names are the tables.
        texts: the queries by name.
        title: of the table.
    """
    differ = []
    print(f"\n### {title}\n\n| round | base CPU s | ours CPU s | ratio | s |")
    print("|---|---:|---:|---:|---:|")
    for number in range(ROUNDS):
        begin = perf_counter()
        base = mine = 0.0
        for name, text in texts.items():
            theirs, seconds = _planned(bare, text)
            base += seconds
            own, seconds = _planned(ours, text)
            mine += seconds
            if number == 0 and _choices(theirs) != _choices(own):
                differ.append(f"{name} ({len(_choices(theirs))} and {len(_choices(own))})")
        took = perf_counter() - begin
        print(
            f"| {number} | {base:.2f} | {mine:.2f} | {mine / base:.2f} | {took:.0f} |", flush=True
        )
    print(f"\nOther joins or exchanges than bare Parquet's: {', '.join(differ) or 'none'}")


def _planned(spark: SparkSession, text: str) -> tuple[str, float]:
    """The plan of a query, and the CPU time of the thread that made it."""
    begin = _cpu(spark)
    plan = spark.sql(text)._jdf.queryExecution().executedPlan().toString()
    return str(plan), _cpu(spark) - begin


def _cpu(spark: SparkSession) -> float:
    management = spark._jvm.java.lang.management.ManagementFactory  # type: ignore[union-attr]
    return float(management.getThreadMXBean().getCurrentThreadCpuTime()) / 1e9


def _choices(plan: str) -> list[str]:
    """The joins and exchanges of a plan, in its order, without the numbers of expressions."""
    found = (_CHOICE.search(line) for line in plan.split("\n"))
    return [re.sub(r"#\d+L?|plan_id=\d+", "", one.group()) for one in found if one]
