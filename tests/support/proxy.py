"""A proxy between a client and PostgreSQL that can hold or cut a connection at a statement."""

from __future__ import annotations

import contextlib
import itertools
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType

from support.postgres import PostgresServer

_WAIT_SECONDS = 60
_ASKS_FOR_TLS = (80877103,)
_PARSE, _SYNC = b"P", b"S"

Matcher = Callable[[bytes], bool]


class Gate:
    """Where a client waits before a message is passed on.

    Example:
        with proxy.held(begins_a_commit) as gate:
            ...start the statement in a thread...
            gate.wait()
            ...what happens in between...
    """

    def __init__(self, matches: Matcher) -> None:
        """Nobody waits yet."""
        self.matches = matches
        self.has_come = False
        self._moved, self._open = threading.Event(), threading.Event()

    def wait(self, seconds: float = _WAIT_SECONDS) -> None:
        """Wait until a client has come, or the gate was opened without one."""
        if not self._moved.wait(seconds):
            raise TimeoutError("no statement came to the gate")

    def open(self) -> None:
        """Let the client go on; later ones are not held."""
        self._open.set()
        self._moved.set()

    def pass_through(self, message: bytes) -> None:
        """Hold the first message that matches."""
        if not self._moved.is_set() and self.matches(message):
            self.has_come = True
            self._moved.set()
            self._open.wait(_WAIT_SECONDS)


@dataclass
class Cut:
    """A connection is cut at a statement, counted from the first that matches as number 0.

    Attributes:
        starts: the statement that the counting starts at; it goes on until COMMIT.
        has_several: it goes on beyond, for what is done in several transactions.
        number: which statement, counted over all connections.
        is_run: the server runs it, and only the answer is lost.
        is_final: from then on what is blocked is cut.
        blocked: by default the first statement of each transaction that would write.
        happened: whether the statement came.
        is_in_write: whether it came in a transaction that writes.
        refused: whether anything was blocked after it.
    """

    starts: Matcher
    number: int
    has_several: bool = False
    is_run: bool = False
    is_final: bool = True
    blocked: Matcher = field(default_factory=lambda: begins_a_commit)
    happened: bool = False
    is_in_write: bool = False
    refused: bool = False
    _counted: Iterator[int] = field(default_factory=itertools.count)
    _is_counting: bool = False
    _is_over: bool = False
    _is_writing: bool = False

    def is_now(self, message: bytes) -> bool:
        """Whether the cut is at this message."""
        if message[:1] != _PARSE:
            return False
        if self.happened:
            is_blocked = self.is_final and self.blocked(message)
            self.refused = self.refused or is_blocked
            return is_blocked
        is_writing = begins_a_commit(message) or self._is_writing
        self._is_writing = is_writing and not ends(message)
        self._is_counting = self._is_counting or self.starts(message)
        if not self._is_counting or self._is_over:
            return False
        self._is_over = commits(message) and not self.has_several
        self.happened = next(self._counted) == self.number
        self.is_in_write = self.happened and is_writing
        return self.happened


def begins_a_commit(message: bytes) -> bool:
    """The first statement of a transaction that writes: others may still commit before it reads."""
    return b"ISOLATION LEVEL REPEATABLE READ\0" in message


def inserts_the_snapshot(message: bytes) -> bool:
    """The first row of a commit: what others commit now collides with it."""
    return re.search(rb'INSERT INTO \S*ducklake_snapshot["\s]', message) is not None


def begins_a_read(message: bytes) -> bool:
    """The first statement of a transaction that reads."""
    return message[:1] == _PARSE and b"REPEATABLE READ, READ ONLY" in message


def inserts_an_option(message: bytes) -> bool:
    """The row of an option that is set."""
    return re.search(rb'INSERT INTO \S*ducklake_metadata["\s]', message) is not None


def commits(message: bytes) -> bool:
    """The end of a transaction that counts."""
    return message[:1] == _PARSE and b"COMMIT\0" in message


def ends(message: bytes) -> bool:
    """The end of a transaction."""
    return commits(message) or b"ROLLBACK\0" in message


class PostgresProxy:
    """Listens on a port of its own and passes whole messages on to the server."""

    host = "127.0.0.1"

    def __init__(self, server: PostgresServer) -> None:
        """Nothing is listened to before the block begins."""
        self._server = server
        self._listener = socket.socket()
        self._gate: Gate | None = None
        self._cut: Cut | None = None
        self._open: set[socket.socket] = set()
        self._pause = 0.0
        self._unanswered: dict[socket.socket, threading.Event] = {}

    def __enter__(self) -> PostgresProxy:
        """Start to listen."""
        self._listener.bind((self.host, 0))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the port and all connections."""
        _close(self._listener, *self._open)

    def uri(self, database: str) -> str:
        """The address of a lake through the proxy."""
        port = self._listener.getsockname()[1]
        keywords = f"dbname={database} host={self.host} port={port} user={self._server.user}"
        return f"ducklake:postgres:{keywords}"

    @contextlib.contextmanager
    def held(self, matches: Matcher) -> Iterator[Gate]:
        """Hold the first message that matches, until the gate is opened or the block ends."""
        self._gate = Gate(matches)
        try:
            yield self._gate
        finally:
            self._gate.open()
            self._gate = None

    @contextlib.contextmanager
    def cutting(self, cut: Cut) -> Iterator[Cut]:
        """Cut as asked; when the block ends, connections are let through again."""
        self._cut = cut
        try:
            yield cut
        finally:
            self._cut = None

    @contextlib.contextmanager
    def delayed(self, seconds: float) -> Iterator[None]:
        """Each message to the server waits so long."""
        self._pause = seconds
        try:
            yield
        finally:
            self._pause = 0.0

    def point_to(self, server: PostgresServer) -> None:
        """New connections go to another server, as when its address moves."""
        self._server = server

    def cut_all(self) -> int:
        """Cut all connections; how many there were."""
        connections = [*self._open]
        _close(*connections)
        return len(connections) // 2

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection((self.host, self._server.port))
                except OSError:  # the server is down, and so the client finds it
                    client.close()
                    continue
                for connection in (client, server):
                    # Messages are small: else each of them waits for the answer to the last.
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._open |= {client, server}
                for source, target in ((client, server), (server, client)):
                    pump = self._requests if source is client else self._answers
                    threading.Thread(target=pump, args=(source, target), daemon=True).start()

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while content := server.recv(65536):
                if client in self._unanswered:
                    self._unanswered[client].set()
                else:
                    client.sendall(content)
        self._forget(server, client)

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            messages = _messages(client)
            for message in messages:
                if self._gate:
                    self._gate.pass_through(message)
                if self._cut and self._cut.is_now(message):
                    if self._cut.is_run and not self._cut.refused:
                        answered = self._unanswered[client] = threading.Event()
                        _send_until_sync(message, messages, server)
                        answered.wait(_WAIT_SECONDS)
                    break
                if self._pause:
                    time.sleep(self._pause)
                server.sendall(message)
        self._forget(client, server)

    def _forget(self, *connection: socket.socket) -> None:
        _close(*connection)
        self._open -= {*connection}


def _send_until_sync(first: bytes, rest: Iterator[bytes], server: socket.socket) -> None:
    """Pass on a statement with all that belongs to it."""
    server.sendall(first)
    for message in rest:
        server.sendall(message)
        if message[:1] == _SYNC:
            return


def _messages(client: socket.socket) -> Iterator[bytes]:
    """The messages of a client; those before the session starts have no type byte."""
    has_started = False
    while True:
        head = _exactly(client, 5 if has_started else 4)
        if head is None:
            return
        (length,) = struct.unpack("!I", head[-4:])
        body = _exactly(client, length - 4)
        if body is None:
            return
        has_started = has_started or struct.unpack("!I", body[:4]) != _ASKS_FOR_TLS
        yield head + body


def _exactly(source: socket.socket, count: int) -> bytes | None:
    content = b""
    while len(content) < count:
        more = source.recv(count - len(content))
        if not more:
            return None
        content += more
    return content


def _close(*sockets: socket.socket) -> None:
    for each in sockets:
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
