"""A process with sessions of one engine, to be killed: `python -m chaos.worker`.

Its task is a line of JSON on standard input. Each line that it prints is how many operations its
sessions have done. It ends when the file `over` is in its folder.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from chaos.clients import Client, DuckClient, SparkClient
from chaos.history import Journal
from chaos.workload import Role, Session
from concurrency.starting import spark_with
from concurrency.worker import PATIENT
from support.lakes import IN_FILES, Lake
from support.objectstore import Bucket
from support.session import INTERPRETED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Engine = Literal["Spark", "DuckDB"]
OVER = "over"
"""The file that ends a process, in its folder."""
POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Task:
    """What a process does.

    Attributes:
        roles: of its sessions.
        first: the number of its first session; the others follow.
        journal: the file for what its sessions do.
    """

    engine: Engine
    roles: tuple[Role, ...]
    first: int
    seed: int
    folder: str
    journal: str

    def given(self, lake: Lake) -> dict[str, object]:
        """As JSON takes it."""
        return {"task": asdict(self), "lake": _lake_as_json(lake)}


def sessions(task: Task, clients: list[Client]) -> list[Session]:
    """The sessions of a task, one with each client."""
    journal = Journal(Path(task.journal))
    return [
        Session(client, journal, number, role, random.Random(f"{task.seed}/{number}"))
        for number, (client, role) in enumerate(zip(clients, task.roles, strict=True), task.first)
    ]


def spark_clients(spark: SparkSession, lake: Lake, count: int) -> list[Client]:
    """Sessions of one Spark. Every second one writes few rows to files, too."""
    clients: list[Client] = []
    for number in range(count):
        session = spark.newSession()
        options = PATIENT | IN_FILES if number % 2 else PATIENT
        for key, value in (INTERPRETED | lake.spark_settings("lake", options)).items():
            session.conf.set(key, value)
        clients.append(SparkClient(session, "lake"))
    return clients


def duckdb_clients(lake: Lake, count: int) -> list[Client]:
    """DuckDBs in one process. Every second one writes few rows to files, too.

    On PostgreSQL none does, because answers to a COMMIT are lost there: see
    `concurrency/test_lost_answers.py`.
    """
    limits = (1000, 1000) if lake.kind == "postgres" else (10, 0)
    return [
        DuckClient(lake, f"DATA_INLINING_ROW_LIMIT {limits[number % 2]}") for number in range(count)
    ]


def _lake_as_json(lake: Lake) -> dict[str, object]:
    bucket = lake.bucket and {**asdict(lake.bucket), "folder": str(lake.bucket.folder)}
    return {**asdict(lake), "data_path": str(lake.data_path), "bucket": bucket}


def _lake_from_json(own: dict[str, Any]) -> Lake:
    bucket = own["bucket"] and Bucket(**own["bucket"] | {"folder": Path(own["bucket"]["folder"])})
    return Lake(**own | {"data_path": Path(own["data_path"]), "bucket": bucket})


def _work(session: Session, is_over: threading.Event) -> None:
    """What a session does not expect ends the process."""
    try:
        session.work(is_over)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


def main() -> None:
    """Work until it is over."""
    given = json.loads(sys.stdin.readline())
    own = given["task"]
    task, lake = Task(**own | {"roles": tuple(own["roles"])}), _lake_from_json(given["lake"])
    count = len(task.roles)
    if task.engine == "Spark":
        clients = spark_clients(spark_with(given["settings"]), lake, count)
    else:
        clients = duckdb_clients(lake, count)
    is_over, working = threading.Event(), sessions(task, clients)
    threads = [threading.Thread(target=_work, args=(each, is_over)) for each in working]
    for thread in threads:
        thread.start()
    while not (Path(task.folder) / OVER).exists():
        is_over.wait(POLL_SECONDS)
        print(sum(each.count for each in working), flush=True)
    is_over.set()
    for thread in threads:
        thread.join()
    os._exit(0)


if __name__ == "__main__":
    main()
