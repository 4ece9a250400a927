"""pgbouncer in front of a test server: each transaction gets any of a few connections."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from support.postgres import PostgresServer
from support.servers import started

_SETTINGS = """
[databases]
* = host={host} port={port} user={user}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
server_reset_query_always = 0
ignore_startup_parameters = extra_float_digits
"""


def program() -> str | None:
    """The path of pgbouncer; None where the machine has none."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


class PgBouncer:
    """A pooler that hands out transactions, as the hosts of PostgreSQL run it.

    Example:
        with PgBouncer(server, size=2) as pooler:
            address = server.keywords(name).replace(str(server.port), str(pooler.port))

    Attributes:
        port: once it has been started.
    """

    def __init__(self, server: PostgresServer, size: int) -> None:
        """Choose a folder; `size` is how many connections each database gets."""
        self._folder = Path(tempfile.mkdtemp(prefix="ducklake-pgbouncer-"))
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self._server, self._size = server, size
        self._folder.chmod(0o755)

    def __enter__(self) -> PgBouncer:
        """Start it and wait until it answers."""
        self._process, self.port = started(self._start, self._folder / "log")
        return self

    def _start(self, port: int) -> subprocess.Popen[bytes]:
        found = program()
        assert found, "no pgbouncer"
        server, place = self._server, self._folder / "pgbouncer.ini"
        settings = _SETTINGS.format(
            host=server.host, port=server.port, user=server.user, own_port=port, size=self._size
        )
        place.write_text(settings)
        as_other = ["-u", "nobody"] if os.geteuid() == 0 else []
        with (self._folder / "log").open("wb") as log:
            return subprocess.Popen([found, *as_other, str(place)], stdout=log, stderr=log)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it and remove its folder."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=30)
        shutil.rmtree(self._folder, ignore_errors=True)
