"""Transactions over several statements of a lake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from pyspark.sql import Row

from ducklake_spark._calls import LakeCalls
from ducklake_spark.errors import DuckLakeError, TransactionStateError


class Transaction:
    """A transaction of a session that has begun: its statements are one snapshot, or none.

    It belongs to the session and the lake, not to this object: every statement of the session on
    the lake is part of it until `commit` or `rollback`.

    Attributes:
        base: the snapshot that its statements read.
        snapshot: the snapshot that its commit made. None before that, and when nothing changed.
        is_open: whether it was neither committed nor rolled back by this object.
    """

    def __init__(self, lake: LakeCalls, base: int) -> None:
        """Describe a transaction that has begun."""
        self._lake = lake
        self.base = base
        self.snapshot: int | None = None
        self.is_open = True

    def __repr__(self) -> str:
        """Its base, and how it ended."""
        state = "open" if self.is_open else f"ended, snapshot {self.snapshot}"
        return f"<Transaction of {self._lake.catalog} on snapshot {self.base}, {state}>"

    def commit(self) -> int | None:
        """Make one snapshot of all its statements.

        Returns:
            The snapshot; None when nothing changed, or when the transaction was made before.

        Raises:
            CommitConflictError: another commit conflicts with it. Nothing was changed.
            TransactionStateError: the session has no open transaction of the lake.

        Example:
            >>> tx = lake.begin()
            >>> tx.commit()
        """
        (row,) = self._end("commit_transaction")
        self.snapshot = row.snapshot_id
        return self.snapshot

    def rollback(self) -> None:
        """Drop all its statements; their files are deleted.

        Raises:
            TransactionStateError: the session has no open transaction of the lake.

        Example:
            >>> tx = lake.begin()
            >>> tx.rollback()
        """
        self._end("rollback_transaction")

    def _end(self, procedure: str) -> list[Row]:
        """The rows of a call that ends it. Without an answer of the lake it may be open still."""
        try:
            rows = self._lake._call(procedure).collect()
        except DuckLakeError:
            self.is_open = False
            raise
        self.is_open = False
        return rows


@dataclass(frozen=True, repr=False)
class LakeTransactions(LakeCalls):
    """Transactions. A session has at most one of each lake."""

    @contextmanager
    def transaction(
        self,
        *,
        author: str | None = None,
        message: str | None = None,
        extra_info: str | None = None,
        app_id: str | None = None,
        version: int | None = None,
    ) -> Iterator[Transaction]:
        """Make the statements of a `with` block one snapshot, or none when it raises.

        Args:
            author: who; of the snapshot.
            message: why; of the snapshot.
            extra_info: anything else; of the snapshot.
            app_id: who writes, for a transaction that may be repeated; with `version`.
            version: its number, which grows. It is not made when one of the tables that it changes
                has a write of the application that is not older.

        Raises:
            CommitConflictError: at the end, another commit conflicts with it.
            TransactionStateError: the session has an open transaction of the lake.

        Example:
            >>> with lake.transaction(author="Ada", message="two tables") as tx:
            ...     lake.table("events").delete("id = 7")
            >>> tx.is_open
            False
        """
        begun = self.begin(
            author=author, message=message, extra_info=extra_info, app_id=app_id, version=version
        )
        try:
            yield begun
            if begun.is_open:
                begun.commit()
        except BaseException:
            if begun.is_open:
                with suppress(TransactionStateError):  # a statement of the block has ended it
                    begun.rollback()
            raise

    def begin(
        self,
        *,
        author: str | None = None,
        message: str | None = None,
        extra_info: str | None = None,
        app_id: str | None = None,
        version: int | None = None,
    ) -> Transaction:
        """Begin a transaction, which `Transaction.commit` or `Transaction.rollback` ends.

        Args:
            author: who; of the snapshot.
            message: why; of the snapshot.
            extra_info: anything else; of the snapshot.
            app_id: who writes, for a transaction that may be repeated; with `version`.
            version: its number, which grows. It is not made when one of the tables that it changes
                has a write of the application that is not older.

        Raises:
            TransactionStateError: the session has an open transaction of the lake.

        Example:
            >>> tx = lake.begin(message="several cells of a notebook")
            >>> tx.rollback()
        """
        begun = self._call(
            "begin_transaction",
            author=author,
            message=message,
            extra_info=extra_info,
            app_id=app_id,
            version=version,
        )
        (row,) = begun.collect()
        return Transaction(self, row.snapshot_id)
