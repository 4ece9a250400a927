"""Servers that tests start as programs, each on a free port of loopback."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

IN_USE = "ddress already in use"
"""What a server says when somebody took its port before it did."""
_WAIT_SECONDS = 60
_TRIES = 5


def free_port() -> int:
    """A port of loopback on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def started(
    start: Callable[[int], subprocess.Popen[bytes]], log: Path
) -> tuple[subprocess.Popen[bytes], int]:
    """A server and its port, once it takes connections.

    Args:
        start: starts it on a port; again on another one when somebody else took the first.
        log: what it says.

    Raises:
        RuntimeError: it does not start; with its log.
    """
    for _ in range(_TRIES):
        port = free_port()
        server = start(port)
        try:
            wait_for(server, port, log)
        except RuntimeError as error:
            server.kill()
            server.wait()
            if IN_USE not in str(error):
                raise
        else:
            return server, port
    raise RuntimeError(f"each port is taken: {log.read_text(errors='replace')}")


def wait_for(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Until the server takes connections; an error with its log when it does not."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        with socket.socket() as tried:
            is_answering = tried.connect_ex(("127.0.0.1", port)) == 0
        if is_answering and server.poll() is None:
            return
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')}")
