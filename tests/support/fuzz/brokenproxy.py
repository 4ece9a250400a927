"""A proxy in front of a web server or an object store, whose answers it damages."""

from __future__ import annotations

import contextlib
import random
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping

from support.storeproxy import read_head

Damage = Callable[[random.Random, bytes, bytes], bytes]
"""Makes an answer of head and body, with the choices of the case."""

FORMER = "former"
"""The damage by which an answer is one that was given before, to any request."""

LATE_SECONDS = 3.0
"""How late an answer is; clients of tests give it less."""

_BLANK = b"\r\n\r\n"


def _status(number: int, words: str) -> Damage:
    def damage(_: random.Random, head: bytes, body: bytes) -> bytes:
        first, _blank, fields = head.partition(b"\r\n")
        return f"{first[:8].decode()} {number} {words}\r\n".encode() + fields + _BLANK + body

    return damage


def _field(name: str, value: Callable[[random.Random, bytes], str]) -> Damage:
    """Another value of a field of the head, which comes in addition when it is not there."""

    def damage(chance: random.Random, head: bytes, body: bytes) -> bytes:
        kept = [line for line in head.split(b"\r\n") if not line.lower().startswith(name.encode())]
        line = f"{name}: {value(chance, body)}".encode("latin-1")
        return b"\r\n".join([*kept, line]) + _BLANK + body

    return damage


def _nothing(chance: random.Random, head: bytes, body: bytes) -> bytes:
    return b""


def _cut(chance: random.Random, head: bytes, body: bytes) -> bytes:
    """Less of the body than the head tells."""
    return head + _BLANK + body[: chance.randrange(len(body) + 1)]


def _short(chance: random.Random, head: bytes, body: bytes) -> bytes:
    """A shorter body, and the head tells so."""
    rest = body[: chance.randrange(len(body) + 1)]
    head = re.sub(rb"(?i)content-length: *\d+", b"Content-Length: %d" % len(rest), head)
    return head + _BLANK + rest


def _noise(chance: random.Random, head: bytes, body: bytes) -> bytes:
    return chance.randbytes(chance.choice((1, 20, 3000)))


def _no_head(chance: random.Random, head: bytes, body: bytes) -> bytes:
    return body


def _long_head(chance: random.Random, head: bytes, body: bytes) -> bytes:
    return head + b"\r\nX-Long: " + b"x" * chance.choice((9000, 300_000)) + _BLANK + body


def _page(chance: random.Random, head: bytes, body: bytes) -> bytes:
    """What a login page or a proxy answers: all is well, and the body is another."""
    html = b"<html><body>Please log in</body></html>"
    told = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d" % len(html)
    return told + _BLANK + html


def _to_itself(chance: random.Random, head: bytes, body: bytes) -> bytes:
    return b"HTTP/1.1 302 Found\r\nLocation: ?again\r\nContent-Length: 0" + _BLANK


def _late(chance: random.Random, head: bytes, body: bytes) -> bytes:
    """The answer, after more time than the client gives."""
    time.sleep(LATE_SECONDS)
    return head + _BLANK + body


DAMAGES: dict[str, Damage] = {
    "nothing": _nothing,
    "late": _late,
    "cut": _cut,
    "short": _short,
    "noise": _noise,
    "no head": _no_head,
    "long head": _long_head,
    "page": _page,
    "redirect": _to_itself,
    "500": _status(500, "Internal Server Error"),
    "503": _status(503, "Slow Down"),
    "403": _status(403, "Forbidden"),
    "404": _status(404, "Not Found"),
    "416": _status(416, "Range Not Satisfiable"),
    "200": _status(200, "OK"),
    "999": _status(999, "Odd"),
    "length": _field(
        "content-length",
        lambda chance, body: str(chance.choice((-1, 0, len(body) + 9, 2**40, 10**30, "x"))),
    ),
    "range": _field(
        "content-range",
        lambda chance, body: chance.choice(("bytes 0-0/1", "bytes */9", "bytes 5-1/x", "")),
    ),
    "coding": _field("content-encoding", lambda chance, _: chance.choice(("gzip", "br", "?"))),
    "tag": _field(
        "etag", lambda chance, _: chance.choice(("\x80\xff", "a\tb", "x" * 9000, "\x01"))
    ),
    "time": _field("last-modified", lambda chance, _: chance.choice(("now", "Thu, 99", "\xe9"))),
    "chunks": _field("transfer-encoding", lambda chance, _: chance.choice(("chunked", "what"))),
}
"""Ways to damage an answer, by names for messages."""


class BrokenProxy:
    """Listens on a free port of loopback, passes requests on, and damages answers when told to."""

    def __init__(
        self,
        server: int,
        damages: Mapping[str, Damage] = DAMAGES,
        in_its_place: Collection[str] = (),
    ) -> None:
        """Start to listen.

        Args:
            server: the port on loopback where the server listens.
            damages: the ways to damage an answer; `FORMER` is always one.
            in_its_place: those by which half of the requests never come to the server.
        """
        self._server, self._damages, self._in_its_place = server, damages, in_its_place
        self._former: deque[bytes] = deque(maxlen=50)
        self._chosen: tuple[str, random.Random, float] | None = None
        self.damaged = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Listen no more."""
        self._socket.close()

    @contextlib.contextmanager
    def damaging(self, name: str, chance: random.Random, share: float) -> Iterator[None]:
        """Answers are damaged in the meantime.

        Args:
            name: one of the damages, or `FORMER`.
            chance: makes the choices.
            share: how many of the answers, from 0 to 1.
        """
        self._former.clear()
        self._chosen = name, chance, share
        self.damaged = 0
        try:
            yield
        finally:
            self._chosen = None

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            reader = client.makefile("rb")
            head = read_head(reader)
            if not head:
                return
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            if re.search(rb"(?i)\r\nexpect: *100-continue", head):
                client.sendall(b"HTTP/1.1 100 Continue" + _BLANK)
            body = reader.read(int(length[1])) if length else b""
            client.sendall(self._answered(head, body))

    def _answer(self, head: bytes, body: bytes) -> bytes:
        """The whole answer of the server, which closes the connection after it."""
        first, _, fields = head.partition(b"\r\n")
        own = (b"connect", b"expect")
        lines = [line for line in fields.split(b"\r\n") if not line.lower().startswith(own)]
        asked = b"\r\n".join([first, b"Connection: close", *lines])
        with socket.create_connection(("127.0.0.1", self._server)) as server:
            server.sendall(asked + body)
            return b"".join(iter(lambda: server.recv(65536), b""))

    def _answered(self, head: bytes, body: bytes) -> bytes:
        chosen = self._chosen
        if not chosen or chosen[1].random() >= chosen[2]:
            answer = self._answer(head, body)
            self._former.append(answer)
            return answer
        name, chance, _ = chosen
        self.damaged += 1
        if name == FORMER:
            self._former.append(self._answer(head, body))
            return chance.choice(self._former)
        is_asked = name not in self._in_its_place or chance.randrange(2)
        answer = self._answer(head, body) if is_asked else b"HTTP/1.1 200 OK" + _BLANK
        answered, _, rest = answer.partition(_BLANK)
        return self._damages[name](chance, answered, rest)
