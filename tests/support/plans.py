"""What Spark chose in a plan: exchanges, joins, subqueries and runtime filters."""

from __future__ import annotations

import re
from collections import Counter

from pyspark.sql import DataFrame

_NODE = re.compile(r"^[\s:+\-|]*(?:\*\(\d+\) )?(\w+)(?: (\w+partitioning|SinglePartition))?")
_SCANS = {"FileScan", "BatchScan", "LocalTableScan"}


def plan_of(frame: DataFrame) -> str:
    """The plan of a frame, as Spark shows it."""
    return str(frame._jdf.queryExecution().executedPlan().toString())


def choices(plan: str) -> Counter[str]:
    """How often a plan has each kind of exchange, join, subquery, scan and runtime filter.

    A subquery that is used once more costs nothing, and is not counted.
    """
    found: Counter[str] = Counter()
    for line in plan.splitlines():
        match = _NODE.match(line)
        name, partitioning = match.groups() if match else ("", None)
        if name in _SCANS:
            found["scan"] += 1
        elif name == "Subquery" or name.endswith(("Exchange", "Join", "Product")):
            found[f"{name} {partitioning}" if partitioning else name] += 1
        found["Bloom filter"] += line.count("might_contain(")
    return +found


def size_of(frame: DataFrame) -> int:
    """The bytes that Spark takes a frame for when it chooses joins."""
    return int(str(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))
