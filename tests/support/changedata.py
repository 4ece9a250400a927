"""Change data: a Kafka broker, and Debezium, which writes the changes of a PostgreSQL into it."""

from __future__ import annotations

import base64
import os
import subprocess
import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import pytest

from support.postgres import PostgresServer
from support.servers import free_port, wait_for
from support.session import REPOSITORY

P = TypeVar("P", bound="_Program")

_STOP_SECONDS = 60


def change_data_jars() -> Path:
    """The folder with the jars of the broker and those of Spark; without it the test is skipped."""
    if chosen := os.environ.get("DUCKLAKE_CHANGE_DATA"):
        return Path(chosen)
    built = Path(f"{REPOSITORY}/target/changedata")
    if not built.is_dir():
        pytest.skip("there is no Kafka: run ./sbt changeDataJars, or set DUCKLAKE_CHANGE_DATA")
    return built


class _Program(ABC):
    """A program of the broker's jars, with its settings and its log in a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        """Nothing runs yet."""
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._log = folder / f"{name}.log"
        self._port = free_port()

    def _settings(self, name: str, settings: Mapping[str, object]) -> str:
        """The path of a file with the settings."""
        path = self._folder / f"{name}.properties"
        path.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        return str(path)

    def _command(self, program: str, *arguments: str) -> list[str]:
        """The command that runs a class of the jars."""
        jars = f"{change_data_jars()}/broker/*"
        own = ["-Xmx512m", "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC"]
        return ["java", *own, "-cp", jars, program, *arguments]

    def _start(self, program: str, *arguments: str) -> None:
        """Start a class of the jars, and wait until it takes connections."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command(program, *arguments), stdout=log, stderr=log
            )
        wait_for(self._process, self._port, self._log)

    @abstractmethod
    def start(self) -> None:
        """Start it, also after a kill: it goes on where it was."""

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(_STOP_SECONDS)
            self._process = None

    def __enter__(self: P) -> P:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        self.kill()


class Broker(_Program):
    """One Kafka broker without ZooKeeper; its topics stay over a kill.

    Attributes:
        address: what clients connect to.
    """

    def __init__(self, folder: Path) -> None:
        """Make its storage; nothing runs yet.

        Args:
            folder: for its topics, settings and log.
        """
        super().__init__(folder, "broker")
        control = free_port()
        self.address = f"127.0.0.1:{self._port}"
        listeners = f"PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{control}"
        self._arguments = self._settings(
            "broker",
            {
                "process.roles": "broker,controller",
                "node.id": 1,
                "controller.quorum.voters": f"1@127.0.0.1:{control}",
                "controller.listener.names": "CONTROLLER",
                "listeners": listeners,
                "advertised.listeners": f"PLAINTEXT://{self.address}",
                "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "log.dirs": folder / "topics",
                "offsets.topic.replication.factor": 1,
                "offsets.topic.num.partitions": 1,
                "num.partitions": 2,
                "group.initial.rebalance.delay.ms": 0,
            },
        )
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        arguments = ["format", f"--cluster-id={cluster}", "-c", self._arguments]
        command = self._command("kafka.tools.StorageTool", *arguments)
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stdout + made.stderr

    def start(self) -> None:
        """Start it, also after a kill."""
        self._start("kafka.Kafka", self._arguments)


class Debezium(_Program):
    """Kafka Connect with Debezium's connector: it follows tables of a database.

    The value of each event is the JSON of Debezium's envelope, without its schema.
    """

    def __init__(
        self,
        folder: Path,
        broker: Broker,
        server: PostgresServer,
        database: str,
        connector: Mapping[str, str],
    ) -> None:
        """Nothing runs yet.

        Args:
            folder: for what it remembers, its settings and log.
            broker: where the events go.
            server: runs with `wal_level=logical`.
            database: whose tables it follows.
            connector: its settings, without those that say where the database is.
        """
        super().__init__(folder, "connect")
        converter = "org.apache.kafka.connect.json.JsonConverter"
        worker = {
            "bootstrap.servers": broker.address,
            "listeners": f"http://127.0.0.1:{self._port}",
            "offset.storage.file.filename": folder / "connect.offsets",
            "offset.flush.interval.ms": 500,
            "key.converter": converter,
            "value.converter": converter,
            "key.converter.schemas.enable": "false",
            "value.converter.schemas.enable": "false",
        }
        own = {
            "name": "changes",
            "database.hostname": server.host,
            "database.port": server.port,
            "database.user": server.user,
            "database.password": "none",
            "database.dbname": database,
        }
        self._arguments = [
            self._settings("worker", worker),
            self._settings("connector", {**own, **connector}),
        ]

    def start(self) -> None:
        """Start it, also after a kill."""
        self._start("org.apache.kafka.connect.cli.ConnectStandalone", *self._arguments)
