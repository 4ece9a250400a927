"""Two contenders in one JVM, in turn: the ratio of their times, their results compared."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from support.lakes import EXTENSION_CLASS, Lake
from support.session import store_jars

WARM_UPS = 3
RUNS = 7

Contender = Callable[[], Any]


@dataclass(frozen=True)
class Outcome:
    """Times of a comparison in seconds; the ratio is the median of each run's ratio."""

    name: str
    base: float
    ours: float
    ratio: float


def session(lakes: dict[str, Lake], *, stored: bool = False) -> SparkSession:
    """A local session on two cores with our jar and the lakes registered by name.

    Args:
        lakes: by name.
        stored: whether S3A is needed.
    """
    needed = f",{store_jars()}" if stored else ""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", os.environ["DUCKLAKE_JAR"] + needed)
        .config("spark.driver.memory", "8g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.extensions", EXTENSION_CLASS)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    for name, lake in lakes.items():
        for key, value in lake.spark_settings(name).items():
            builder = builder.config(key, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def compare(
    name: str,
    base: Contender,
    ours: Contender,
    *,
    warm_ups: int = WARM_UPS,
    runs: int = RUNS,
    rest: float = 0,
) -> Outcome:
    """Both contenders warmed up, then timed in turn; their results must be equal.

    Args:
        name: of the row.
        base: what ours is compared with.
        ours: what is measured.
        warm_ups: runs of each that are not timed.
        runs: timed runs of each.
        rest: seconds of waiting before each timed run.
    """
    for _ in range(warm_ups):
        expected, actual = _result(base()), _result(ours())
        if expected != actual:
            raise AssertionError(f"{name}: {expected!r} is not {actual!r}")
    pairs = []
    for run in range(runs):
        order = [base, ours] if run % 2 == 0 else [ours, base]
        times = {contender: _seconds(contender, rest) for contender in order}
        pairs.append((times[base], times[ours]))
    ratio = statistics.median(mine / theirs for theirs, mine in pairs)
    medians = [statistics.median(column) for column in zip(*pairs, strict=True)]
    return Outcome(name, medians[0], medians[1], ratio)


def noop(frame: DataFrame) -> None:
    """Read every column of every row, and keep nothing."""
    frame.write.format("noop").mode("overwrite").save()


def show(title: str, outcomes: list[Outcome]) -> None:
    """Print the outcomes as a table, the geometric mean last."""
    print(f"\n### {title}\n\n| query | base s | ours s | ratio |\n|---|---:|---:|---:|")
    for each in outcomes:
        print(f"| {each.name} | {each.base:.3f} | {each.ours:.3f} | {each.ratio:.2f} |")
    if len(outcomes) > 1:
        mean = statistics.geometric_mean(each.ratio for each in outcomes)
        print(f"| geometric mean | | | {mean:.3f} |")


def judge(name: str, value: float, most: float) -> bool:
    """Print a figure beside what it may be at most; whether it is within that."""
    holds = value <= most
    word = "holds" if holds else "IS MISSED"
    print(f"\n{name}: {value:.2f}, at most {most:g}: {word}", flush=True)
    return holds


def insist(name: str, value: float, most: float) -> None:
    """As `judge`, and an error when the figure is larger."""
    if not judge(name, value, most):
        raise AssertionError(f"{name}: {value:.2f} is more than {most:g}")


def _seconds(contender: Contender, rest: float) -> float:
    time.sleep(rest)
    start = time.perf_counter()
    contender()
    return time.perf_counter() - start


def _result(value: Any) -> Any:  # noqa: ANN401
    """Rows with floats rounded: sums depend on the order of addition."""
    if not isinstance(value, list):
        return value
    return [
        tuple(float(f"{cell:.9g}") if isinstance(cell, float) else cell for cell in row)
        for row in value
    ]
