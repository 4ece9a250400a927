"""A real terminal device, with what programs wrote to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import TextIO


@dataclass
class Terminal:
    """The end that programs write to, and, when the block is over, all that they wrote."""

    stream: TextIO
    written: str = ""


@contextmanager
def terminal() -> Iterator[Terminal]:
    """A pseudo-terminal; somebody reads it all the time, as a person's window does."""
    reading, writing = os.openpty()
    parts: list[bytes] = []

    def read() -> None:
        try:
            while part := os.read(reading, 4096):
                parts.append(part)
        except OSError:  # how Linux says that the other end is closed
            return

    reader = Thread(target=read, daemon=True)
    reader.start()
    with os.fdopen(writing, "w") as stream:
        made = Terminal(stream)
        yield made
    reader.join()
    os.close(reading)
    made.written = b"".join(parts).decode()
