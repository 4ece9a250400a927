"""The forms in which people start Spark: its own programs, servers and a small cluster."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

import pyspark

HOST = "127.0.0.1"

_SPARK_HOME = Path(pyspark.__file__).parent
_MOST_SECONDS = 300


def environment(**more: str) -> dict[str, str]:
    """What a shell has in which PySpark and the package are installed."""
    path = [str(_SPARK_HOME / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    return {
        **os.environ,
        "PATH": os.pathsep.join(path),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(_SPARK_HOME),
        "SPARK_LOCAL_IP": HOST,
        **more,
    }


def shell(command: str, folder: Path, **more: str) -> str:
    """What a command of bash prints on standard output; a failure shows all that it printed."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=_MOST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as chosen:
        chosen.bind((HOST, 0))
        return int(chosen.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex((HOST, port)) == 0


@contextlib.contextmanager
def serving(
    command: str, folder: Path, is_ready: Callable[[], bool], **more: str
) -> Iterator[None]:
    """A server that a command of bash starts, from when it is ready until the block ends.

    Raises:
        RuntimeError: it ended, or was not ready in time; with its log.
    """
    log = folder / f"server{free_port()}.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=folder,
            env=environment(**more),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        end = time.monotonic() + _MOST_SECONDS
        while not is_ready():
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{command}\n{log.read_text()}")
            time.sleep(0.1)
        if server.poll() is not None:
            raise RuntimeError(f"{command}\n{log.read_text()}")  # another server answered
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        server.wait()


@contextlib.contextmanager
def listening(command: str, folder: Path, port: int, **more: str) -> Iterator[None]:
    """A server that is ready when a port answers."""
    with serving(command, folder, lambda: _answers(port), **more):
        yield


@dataclass(frozen=True)
class Cluster:
    """A standalone cluster on loopback: its address, and the folder in which each worker works."""

    address: str
    work: tuple[Path, ...]


@contextlib.contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """A master and workers of one core and one gigabyte each."""
    port, page = free_port(), free_port()
    address = f"spark://{HOST}:{port}"
    master = "spark-class org.apache.spark.deploy.master.Master"
    worker = f"spark-class org.apache.spark.deploy.worker.Worker --host {HOST} --webui-port 0"
    small = {"SPARK_DAEMON_MEMORY": "256m"}

    direct = build_opener(ProxyHandler({}))

    def are_alive(wanted: int) -> bool:
        try:
            with direct.open(f"http://{HOST}:{page}/json/") as answer:
                return bool(json.load(answer)["aliveworkers"] == wanted)
        except (HTTPError, json.JSONDecodeError):  # the server answers before it has this page
            return False

    with contextlib.ExitStack() as running:
        command = f"{master} --host {HOST} --port {port} --webui-port {page}"
        running.enter_context(listening(command, folder, page, **small))
        work = tuple(folder / f"worker{number}" for number in range(1, workers + 1))
        for number, place in enumerate(work, start=1):
            command = f"{worker} --cores 1 --memory 1g --work-dir {place} {address}"
            running.enter_context(serving(command, folder, partial(are_alive, number), **small))
        yield Cluster(address, work)
