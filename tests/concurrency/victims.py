"""Sparks in processes of their own, to be killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import Popen

from concurrency.worker import PATHS
from support.lakes import Lake
from support.postgres import PostgresServer
from support.session import SESSION_SETTINGS, jars, store_jars

SETTLE_SECONDS = 30
_ERRORS = "errors.txt"
"""The file of what a Spark says, in its folder."""


@contextlib.contextmanager
def victim(
    program: str,
    task: Mapping[str, object],
    lake: Lake,
    folder: Path,
    master: str = "local[2]",
    own_settings: Mapping[str, str] | None = None,
) -> Iterator[Popen[str]]:
    """A program that makes a Spark; its executors keep to the same session.

    Args:
        program: the module; it reads its Spark settings and its task as one line of JSON.
        task: what else it has to know.
        lake: registered as `lake`.
        folder: for the program to work in.
        master: of the Spark.
        own_settings: of the Spark, which come before those of every test.

    Raises:
        AssertionError: it ended by itself, with what it said.
    """
    needed = f"{jars()},{store_jars()}" if lake.bucket else jars()
    settings = {**SESSION_SETTINGS, **lake.spark_settings("lake"), "spark.jars": needed}
    settings |= {"spark.master": master, **(own_settings or {})}
    own = {
        "PYTHONPATH": PATHS,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(folder / "work"),
    }
    with (folder / _ERRORS).open("w") as errors:
        running = Popen(
            [sys.executable, "-m", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=folder,
            env={**os.environ, **own},
            start_new_session=True,
        )
    given = {"settings": settings, **task}
    print(json.dumps(given), file=running.stdin, flush=True)
    try:
        yield running
    except ValueError as ended:
        raise AssertionError((folder / _ERRORS).read_text()[-4000:]) from ended
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()


def wait_for_the_server(server: PostgresServer, lake: Lake) -> None:
    """Until the server, too, has ended what the killed process had sent."""
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    deadline = time.monotonic() + SETTLE_SECONDS
    while server.run_sql(lake.database, others).strip() != "1":
        assert time.monotonic() < deadline, "the connections of a killed process are still there"
