"""A bar for a long call, in a terminal or a notebook."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING
from uuid import uuid4

from pyspark.sql import SparkSession

from ducklake_spark import _jvm

if TYPE_CHECKING:
    from pyspark.sql.connect.shell.progress import StageInfo
    from rich.progress import Progress

# Told the tasks that are done and all tasks that are known so far.
Report = Callable[[int, int], None]

_SECONDS_BETWEEN_LOOKS = 0.2
_MISSING = "a progress bar needs the package rich: pip install 'ducklake-spark[cli]'"


@contextmanager
def shown(spark: SparkSession, title: str, wanted: bool | None) -> Iterator[None]:
    """Show how far Spark's tasks are while the block runs.

    Args:
        spark: the session that runs them.
        title: what stands before the bar.
        wanted: whether to show it; when None, where there is a terminal or a notebook, the package
            rich, and no bar of Spark's own.

    Raises:
        ImportError: it is wanted, and rich is not installed.
    """
    if not (_is_of_use(spark) if wanted is None else wanted):
        yield
        return
    with _bar() as bar:
        task = bar.add_task(title, total=None)
        follow = _classic if isinstance(spark, SparkSession) else _connect
        with follow(spark, lambda done, known: bar.update(task, completed=done, total=known)):
            yield


def _is_of_use(spark: SparkSession) -> bool:
    """Whether a bar can be seen, and is the only one."""
    if importlib.util.find_spec("rich") is None:
        return False
    if _is_in_notebook():
        return importlib.util.find_spec("ipywidgets") is not None
    if not sys.stderr.isatty() or os.environ.get("SPARK_CONNECT_PROGRESS_BAR_ENABLED") == "1":
        return False
    own = spark.conf.get("spark.ui.showConsoleProgress", "false")
    return own != "true" or not isinstance(spark, SparkSession)


def _is_in_notebook() -> bool:
    """Whether a kernel runs this process. PySpark loads the kernel's package in scripts, too."""
    shells = sys.modules.get("IPython")
    return shells is not None and hasattr(shells.get_ipython(), "kernel")


def _bar() -> Progress:
    """A bar on standard error, or in the notebook."""
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn as Elapsed,
        )
    except ImportError as missing:
        raise ImportError(_MISSING) from missing
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TextColumn("tasks"), Elapsed(), console=Console(stderr=True))


class Tally:
    """The tasks of stages, also of those that Spark has forgotten since.

    Example:
        >>> tally = Tally()
        >>> tally.seen([(1, 4, 4), (2, 10, 3)])
        (7, 14)
        >>> tally.seen([(2, 10, 9)])
        (13, 14)
    """

    def __init__(self) -> None:
        """No stage is known yet."""
        self._stages: dict[int, tuple[int, int]] = {}

    def seen(self, stages: Iterable[tuple[int, int, int]]) -> tuple[int, int]:
        """The tasks done and known, now that stages were seen: number, tasks, tasks done."""
        for stage, tasks, done in stages:
            self._stages[stage] = (tasks, done)
        known = sum(tasks for tasks, _ in self._stages.values())
        return sum(done for _, done in self._stages.values()), known


@contextmanager
def _classic(spark: SparkSession, report: Report) -> Iterator[None]:
    """Look at the jobs of this thread from another one."""
    tally = Tally()
    ended = Event()

    def look() -> None:
        while not ended.wait(_SECONDS_BETWEEN_LOOKS):
            report(*tally.seen(_jvm.stages(spark, tag)))

    tag = f"ducklake_spark_{uuid4().hex}"
    watcher = Thread(target=look, name=tag, daemon=True)
    spark.sparkContext.addJobTag(tag)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        spark.sparkContext.removeJobTag(tag)
    report(*tally.seen(_jvm.stages(spark, tag)))


@contextmanager
def _connect(spark: SparkSession, report: Report) -> Iterator[None]:
    """Let the client of Spark Connect show what the server reports."""
    from pyspark.sql.connect.shell.progress import ProgressHandler

    tally = Tally()

    class Handler(ProgressHandler):
        """Called by the client while it waits."""

        def __call__(
            self,
            stages: Iterable[StageInfo] | None,
            inflight_tasks: int,
            operation_id: str | None,
            done: bool,
        ) -> None:
            given = stages or ()
            found = [(each.stage_id, each.num_tasks, each.num_completed_tasks) for each in given]
            report(*tally.seen(found))

    handler = Handler()
    spark.registerProgressHandler(handler)
    try:
        yield
    finally:
        spark.removeProgressHandler(handler)
