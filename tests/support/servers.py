"""Servers that tests start as programs, each on a free port of loopback."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path

_WAIT_SECONDS = 60


def free_port() -> int:
    """A port of loopback on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def wait_for(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Until the server takes connections; an error with its log when it does not."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')}")
