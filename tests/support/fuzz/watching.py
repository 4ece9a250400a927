"""Breaks a statement off that does not end, so that a hang is a fault with a name."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator

from pyspark.sql import SparkSession

LONGEST_SECONDS = 180
"""How long a statement over a broken lake may take, on a busy machine."""

_AFTER_SECONDS = 30


@contextlib.contextmanager
def broken_off(session: SparkSession) -> Iterator[None]:
    """Ends the jobs of a statement that takes too long, and Spark itself when that does not help.

    Spark's threads go to standard error before it ends; what waits for its answer gets an error of
    a lost connection.
    """
    timers = [
        threading.Timer(LONGEST_SECONDS, session.interruptAll),
        threading.Timer(LONGEST_SECONDS + _AFTER_SECONDS, _end, [_process_of(session)]),
    ]
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()


def _process_of(session: SparkSession) -> int:
    jvm = session.sparkContext._jvm
    assert jvm
    return int(jvm.ProcessHandle.current().pid())


def _end(process: int) -> None:
    os.kill(process, signal.SIGQUIT)
    time.sleep(2)
    os.kill(process, signal.SIGKILL)
