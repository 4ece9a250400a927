"""Tasks that Spark runs twice write their rows once and leave no file behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen

from concurrency.worker import PATHS
from support.invariants import Scope, check
from support.lakes import Lake, LakeFactory
from support.peer import Peer, committed_by_peers
from support.session import SESSION_SETTINGS, jars
from support.sweep import only_in_the_full_sweep

ROUNDS = 4
ROWS, MATCHED = 6000, 5000
START_SECONDS, STATEMENTS_SECONDS = 60, 600
SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.multiplier": "1.01",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.minTaskRuntime": "50ms",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "2",
}
SOURCE = f"SELECT slow(id, {ROWS // 3}) AS id, {{b}} AS b FROM range(0, {ROWS}, 1, 3)"
STATEMENTS = (
    f"INSERT INTO lake.t {SOURCE}",
    f"""MERGE INTO lake.t USING ({SOURCE}) AS s
        ON t.id = s.id AND t.b = s.b - 1 AND s.id < {MATCHED}
        WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET b = s.b
        WHEN NOT MATCHED THEN INSERT *""",
    f"INSERT INTO lake.p {SOURCE}",
    f"UPDATE lake.p SET b = {{b}} WHERE slow(id, {ROWS // 4}) % 3 = 0",
)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": PATHS, "SPARK_NO_DAEMONIZE": "1"}


@contextlib.contextmanager
def _process(command: list[str], folder: Path, address: str) -> Iterator[Popen[str]]:
    running = Popen(
        command,
        stdin=PIPE,
        stdout=PIPE,
        stderr=(folder / f"{address}.log").open("a"),
        text=True,
        cwd=folder,
        env={**_environment(), "SPARK_LOCAL_IP": address},
        start_new_session=True,
    )
    try:
        yield running
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def _cluster(folder: Path) -> Iterator[str]:
    """A master and two workers of different addresses: Spark repeats no task on the same host."""
    import pyspark

    home, port = Path(pyspark.__file__).parent, _free_port()
    start = [str(home / "bin" / "spark-class")]
    deploy = "org.apache.spark.deploy"
    url = f"spark://127.0.0.1:{port}"
    master = [*start, f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port)]
    with contextlib.ExitStack() as stack:
        stack.enter_context(_process([*master, "--webui-port", "0"], folder, "127.0.0.1"))
        _wait_for(port)
        for address in ("127.0.0.2", "127.0.0.3"):
            worker = [*start, f"{deploy}.worker.Worker", "--host", address, "--cores", "2"]
            place = ["--memory", "1g", "--webui-port", "0", "--work-dir", str(folder / address)]
            stack.enter_context(_process([*worker, *place, url], folder, address))
        yield url


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        assert time.monotonic() < deadline, "the master does not answer"
        time.sleep(0.1)


def _run(master: str, lake: Lake, statements: list[str], folder: Path) -> int:
    """Run statements; how many tasks were run again."""
    again = folder / "again"
    again.mkdir()
    settings = {**SESSION_SETTINGS, **SPECULATION, **lake.spark_settings("lake")}
    settings |= {"spark.jars": jars(), "spark.master": master}
    given = {"settings": settings, "statements": statements, "again": str(again)}
    command = [sys.executable, "-m", "concurrency.speculating"]
    with _process(command, folder, "127.0.0.1") as running:
        running.communicate(json.dumps(given) + "\n", STATEMENTS_SECONDS)
    assert running.returncode == 0, (folder / "127.0.0.1.log").read_text()[-2000:]
    return len(list(again.iterdir()))


def _meant(rounds: int) -> dict[str, list[tuple[int, int]]]:
    """The rows of both tables, by plain Python."""
    merged: list[tuple[int, int]] = []
    updated: list[tuple[int, int]] = []
    for b in range(0, 10 * rounds, 10):
        merged += [(n, b + 1) for n in range(MATCHED) if n % 2 == 1]
        merged += [(n, each) for n in range(MATCHED, ROWS) for each in (b, b + 1)]
        updated += [(n, b) for n in range(ROWS)]
        updated = [(n, b if n % 3 == 0 else old) for n, old in updated]
    return {"t": sorted(merged), "p": sorted(updated)}


@only_in_the_full_sweep("a cluster of its own takes a minute")
def test_attempts_that_do_not_count_leave_nothing(lakes: LakeFactory, tmp_path: Path) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (id BIGINT, b INTEGER)",
            "CREATE TABLE p (id BIGINT, b INTEGER)",
            "ALTER TABLE p SET PARTITIONED BY (b)",
        )
    every = [
        text.format(b=b + (place == 1))
        for b in range(0, 10 * ROUNDS, 10)
        for place, text in enumerate(STATEMENTS)
    ]

    with _cluster(tmp_path) as master:
        repeated = _run(master, lake, every, tmp_path)

    assert repeated >= len(every) // 2
    for table, rows in _meant(ROUNDS).items():
        with Peer(lake) as peer:
            assert sorted(peer.rows(f"SELECT id, b FROM {table}")) == rows
    scope = Scope(frozenset(committed_by_peers[lake.uri]), is_free_of_orphans=True)
    assert check(lake, scope) == []
