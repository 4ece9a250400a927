"""A proxy in front of an S3 server: it lists requests, and refuses some in the server's place."""

from __future__ import annotations

import contextlib
import io
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

_PIECE = 64 * 1024

_STATUS = {"PreconditionFailed": "412 Precondition Failed"}


@dataclass(frozen=True)
class Request:
    """A request as the server got it.

    Attributes:
        path: decoded, with the bucket in front.
        query: what follows the question mark; the texts of S3's own operations.
        range: the bytes that are asked for; empty for all.
        only_new: whether the object is only written when there is none of this name.
    """

    method: str
    path: str
    query: str
    range: str
    only_new: bool = False

    def __str__(self) -> str:
        """One line of a report."""
        return f"{self.method} {self.path}{'?' if self.query else ''}{self.query} {self.range}"


Refusing = Callable[[Request], str | None]
"""The error code of S3 with which a request is refused; None to pass it on."""


class StoreProxy:
    """Listens on a free port of loopback, and passes on to another port.

    Example:
        with proxy.listed() as requests:
            ...
        assert [str(one) for one in requests] == ["GET /bucket/file "]
    """

    def __init__(self, server: int) -> None:
        """Start to listen.

        Args:
            server: the port on loopback where the server listens.
        """
        self._server = server
        self._lists: list[list[Request]] = []
        self._refusing: Refusing | None = None
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Listen no more. Open connections end with their clients."""
        self._socket.close()

    @contextlib.contextmanager
    def listed(self) -> Iterator[list[Request]]:
        """The requests that come in the meantime."""
        found: list[Request] = []
        self._lists.append(found)
        try:
            yield found
        finally:
            self._lists.remove(found)

    @contextlib.contextmanager
    def refusing(self, refusing: Refusing) -> Iterator[None]:
        """Requests are refused in the meantime as the function says."""
        self._refusing = refusing
        try:
            yield
        finally:
            self._refusing = None

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with (
            client,
            socket.create_connection(("127.0.0.1", self._server)) as server,
            contextlib.suppress(OSError),
        ):
            threading.Thread(target=_pump, args=(server, client), daemon=True).start()
            reader = client.makefile("rb")
            while head := read_head(reader):
                request, length = _parsed(head)
                for found in self._lists:
                    found.append(request)
                if code := self._refusing and self._refusing(request):
                    client.sendall(_refusal(code))
                    return
                server.sendall(head)
                while length > 0 and (piece := reader.read(min(length, _PIECE))):
                    server.sendall(piece)
                    length -= len(piece)


def _pump(server: socket.socket, client: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := server.recv(_PIECE):
            client.sendall(piece)
        client.shutdown(socket.SHUT_RDWR)


def read_head(reader: io.BufferedReader) -> bytes:
    """The head of a message with its last, empty line; empty at the end of the connection."""
    lines: list[bytes] = []
    while line := reader.readline():
        lines.append(line)
        if line == b"\r\n":
            return b"".join(lines)
    return b""


def _parsed(head: bytes) -> tuple[Request, int]:
    first, *others = head.decode("latin-1").split("\r\n")
    fields = {
        name.lower(): value.strip()
        for name, colon, value in (line.partition(":") for line in others)
        if colon
    }
    method, target, _ = first.split(" ")
    path, _, query = target.partition("?")
    only_new = fields.get("if-none-match") == "*"
    request = Request(method, unquote(path), query, fields.get("range", ""), only_new)
    return request, int(fields.get("content-length", "0"))


def _refusal(code: str) -> bytes:
    status = _STATUS.get(code, "403 Forbidden")
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no: {code}</Message></Error>"
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nConnection: close\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()
