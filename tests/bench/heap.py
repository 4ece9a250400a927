"""Counts the memory of the driver's JVM, whose heap the tasks of a local session share."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import SparkSession

MEGABYTE = 1024 * 1024
_PAUSE = 0.5


@dataclass
class Peak:
    """The most memory that was in use, in bytes, and how long it took."""

    bytes: int = 0
    seconds: float = 0


def alive(spark: SparkSession) -> int:
    """The bytes of the heap that are in use after collections of garbage."""
    for _ in range(2):
        _collected(spark)
        time.sleep(0.5)
    return _collected(spark)


@contextmanager
def peak(spark: SparkSession) -> Iterator[Peak]:
    """Counts the memory of the heap while the block runs, garbage included."""
    jvm = spark._jvm
    assert jvm is not None
    heap = jvm.java.lang.management.MemoryType.HEAP
    beans = jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    pools = [pool for pool in beans if pool.getType().equals(heap)]
    for pool in pools:
        pool.resetPeakUsage()
    used, start = Peak(), time.perf_counter()
    yield used
    used.seconds = time.perf_counter() - start
    used.bytes = sum(int(pool.getPeakUsage().getUsed()) for pool in pools)


@contextmanager
def most_alive(spark: SparkSession) -> Iterator[Peak]:
    """Counts what is alive while the block runs, more than what was alive before it.

    Garbage is collected twice a second, so the block takes longer than it would.
    """
    before = alive(spark)
    used, ended = Peak(), threading.Event()

    def watch() -> None:
        while not ended.wait(_PAUSE):
            used.bytes = max(used.bytes, _collected(spark) - before)

    watching = threading.Thread(target=watch, daemon=True)
    start = time.perf_counter()
    watching.start()
    try:
        yield used
    finally:
        used.seconds = time.perf_counter() - start
        ended.set()
        watching.join()


def _collected(spark: SparkSession) -> int:
    jvm = spark._jvm
    assert jvm is not None
    jvm.java.lang.System.gc()
    runtime = jvm.java.lang.Runtime.getRuntime()
    return int(runtime.totalMemory() - runtime.freeMemory())
