"""The two engines as a session of the run uses them; an error says what became of the commit."""

from __future__ import annotations

from typing import Any, Protocol

import duckdb
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from chaos.history import Outcome
from concurrency.worker import opened
from support.lakes import Lake
from support.peer import Peer

Rows = list[tuple[Any, ...]]
_MAINTENANCE = (
    "flush_inlined_data()",
    "merge_adjacent_files()",
    "rewrite_data_files(delete_threshold => 0)",
    "expire_snapshots(older_than => now() - INTERVAL 60 SECONDS)",
    "cleanup_old_files(older_than => now() - INTERVAL 60 SECONDS)",
    "delete_orphaned_files(older_than => now() - INTERVAL 120 SECONDS)",
    "checkpoint()",
)
_CONFLICTS = ("onflict", "maximum retry count", "could not serialize access")


class RefusedError(Exception):
    """An engine has not done what it was asked.

    Attributes:
        outcome: of the operation.
    """

    def __init__(self, outcome: Outcome, text: str) -> None:
        """Keep the text in one line."""
        super().__init__(" ".join(text.split()))
        self.outcome = outcome


class KeptLockError(Exception):
    """DuckDB 1.5 keeps the lock of a SQLite file, until its process ends.

    It does when its COMMIT finds a reader for longer than it waits, which is five seconds. To close
    the connection changes nothing. Until then nobody else can read or write.
    """


class Client(Protocol):
    """A session with an engine. All methods raise RefusedError.

    Attributes:
        prefix: of the names of tables.
        past: what follows a table's name for a snapshot, whose number is left open.
        maintenance: statements that keep the lake in shape.
    """

    prefix: str
    past: str
    maintenance: tuple[str, ...]

    def begin(self, id: int) -> None:
        """Begin a transaction whose commit carries the id."""

    def rows(self, sql: str) -> Rows:
        """Run a statement, within a transaction or alone."""

    def commit(self) -> int | None:
        """End the transaction; the snapshot that it became, if it changed anything."""

    def rollback(self) -> None:
        """End the transaction without a trace."""

    def alone(self, id: int, sql: str) -> int | None:
        """A commit of one statement, which carries the id; its snapshot."""

    def head(self) -> int:
        """The newest snapshot."""

    def rest(self) -> None:
        """After each operation: let others at what only one may have."""


class SparkClient:
    """A session of a Spark that may have others."""

    past = "VERSION AS OF {}"

    def __init__(self, session: SparkSession, catalog: str) -> None:
        """The session is this client's own."""
        self._session, self._catalog = session, catalog
        self.prefix = f"{catalog}.main."
        self.maintenance = tuple(f"CALL {catalog}.system.{call}" for call in _MAINTENANCE)
        session.conf.set("spark.ducklake.commit.author", "spark")

    def begin(self, id: int) -> None:
        """See Client."""
        self._session.conf.set("spark.ducklake.commit.message", str(id))
        self._call("begin_transaction()")

    def rows(self, sql: str) -> Rows:
        """See Client."""
        try:
            return [tuple(row) for row in self._session.sql(sql).collect()]
        except PySparkException as error:
            is_unknown = "DUCKLAKE_COMMIT_OUTCOME_UNKNOWN" in str(error)
            raise RefusedError("unknown" if is_unknown else "failed", str(error)) from error

    def commit(self) -> int | None:
        """See Client."""
        ((snapshot,),) = self._call("commit_transaction()")
        return None if snapshot is None else int(snapshot)

    def rollback(self) -> None:
        """See Client."""
        self._call("rollback_transaction()")

    def alone(self, id: int, sql: str) -> int | None:
        """See Client."""
        self._session.conf.set("spark.ducklake.commit.message", str(id))
        self.rows(sql)
        ((snapshot,),) = self._call("last_committed_snapshot()")
        return None if snapshot is None else int(snapshot)

    def head(self) -> int:
        """See Client."""
        return int(self._call("current_snapshot()")[0][0])

    def rest(self) -> None:
        """See Client."""

    def _call(self, procedure: str) -> Rows:
        return self.rows(f"CALL {self._catalog}.system.{procedure}")


class DuckClient:
    """A DuckDB of its own.

    After an error it attaches the lake again. A catalog in a DuckDB file it leaves after each
    operation, as others wait for it.
    """

    prefix = "lake.main."
    past = "AT (VERSION => {})"
    maintenance: tuple[str, ...] = ()
    """It harms a lake to which others commit, see `concurrency/worker.py`."""

    def __init__(self, lake: Lake, *options: str) -> None:
        """Nothing is attached yet.

        Args:
            lake: to work on.
            options: of ATTACH.
        """
        self._lake, self._options = lake, options
        self._peer: Peer | None = None
        self._keeps_a_lock = False

    def begin(self, id: int) -> None:
        """See Client."""
        self.rows("BEGIN")
        self.rows(f"CALL lake.set_commit_message('duckdb', '{id}')")

    def rows(self, sql: str) -> Rows:
        """See Client."""
        return self._run(sql, "failed")

    def commit(self) -> int | None:
        """See Client. On SQLite DuckDB may report a failure after its commit."""
        self._run("COMMIT", "unknown")
        last = "SELECT id FROM ducklake_last_committed_snapshot('lake')"
        ((snapshot,),) = self._run(last, "unknown")
        return None if snapshot is None else int(snapshot)

    def rollback(self) -> None:
        """See Client. After an error the transaction has ended with the connection."""
        if self._peer is not None:
            self.rows("ROLLBACK")

    def alone(self, id: int, sql: str) -> int | None:
        """See Client."""
        self.begin(id)
        self.rows(sql)
        return self.commit()

    def head(self) -> int:
        """See Client."""
        return int(self.rows("SELECT id FROM ducklake_current_snapshot('lake')")[0][0])

    def rest(self) -> None:
        """See Client. Errors: KeptLockError, after which the process has to end."""
        if self._keeps_a_lock:
            raise KeptLockError
        if self._lake.kind == "duckdb":
            self._leave()

    def _run(self, sql: str, after_an_error: Outcome) -> Rows:
        try:
            if self._peer is None:
                self._peer = opened(self._lake, *self._options)
            return self._peer.connection.execute(sql).fetchall()
        except duckdb.Error as error:
            self._leave()
            self._keeps_a_lock = 'query "COMMIT": database is locked' in str(error)
            is_conflict = any(text in str(error) for text in _CONFLICTS)
            is_certain = is_conflict and self._lake.kind != "sqlite"
            raise RefusedError("failed" if is_certain else after_an_error, str(error)) from error

    def _leave(self) -> None:
        if self._peer is not None:
            peer, self._peer = self._peer, None
            peer.connection.close()
