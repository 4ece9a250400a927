"""Small programs in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys

from concurrency.worker import PATHS


def running(program: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a text of Python with the tools of the tests; it is told and answers by lines."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": PATHS},
    )


def line(program: subprocess.Popen[str]) -> str:
    """The next line that it prints."""
    assert program.stdout
    return program.stdout.readline().strip()
