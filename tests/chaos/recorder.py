"""Looks at the lake's own list of snapshots while it grows, before expiry takes its beginning."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import duckdb

from concurrency.worker import opened
from support.lakes import Lake

SECONDS = 2.0
"""Between two looks; snapshots expire after a minute."""


@dataclass
class Recorder:
    """The snapshots of a lake, read by DuckDB.

    Attributes:
        snapshots: author and message of each.
        missed: why looks failed, while the database was away.
    """

    lake: Lake
    snapshots: dict[int, tuple[str | None, str | None]] = field(default_factory=dict)
    missed: int = 0
    _is_over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Recorder:
        """Begin to look."""
        self._thread = threading.Thread(target=self._look_on)
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        """Look a last time, if all went well."""
        self._is_over.set()
        self._thread.join()
        if failure[0] is None:
            self.look()

    def look(self) -> None:
        """Look once."""
        with opened(self.lake) as peer:
            found = peer.rows(
                "SELECT snapshot_id, author, commit_message FROM ducklake_snapshots('lake')"
            )
        self.snapshots |= {snapshot: (author, message) for snapshot, author, message in found}

    def unseen(self) -> list[int]:
        """Snapshots that were gone before a look."""
        return sorted({*range(max(self.snapshots) + 1)} - self.snapshots.keys())

    def commits(self) -> dict[int, tuple[int, ...]]:
        """The snapshots that carry an id as message, by the id."""
        found: dict[int, tuple[int, ...]] = {}
        for snapshot, (_, message) in sorted(self.snapshots.items()):
            if message is not None:
                found[int(message)] = (*found.get(int(message), ()), snapshot)
        return found

    def by(self, author: str) -> frozenset[int]:
        """The snapshots of an author."""
        return frozenset(id for id, (name, _) in self.snapshots.items() if name == author)

    def _look_on(self) -> None:
        while not self._is_over.wait(SECONDS):
            try:
                self.look()
            except duckdb.Error:  # the server is down; the next look sees as much
                self.missed += 1
