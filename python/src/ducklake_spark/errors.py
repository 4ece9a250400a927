"""One exception class per kind of error; `translation` chooses it by the condition."""

from __future__ import annotations

from typing import ClassVar

from pyspark.errors import PySparkException


class DuckLakeError(PySparkException):
    """Any error that the connector raises.

    `getCondition()` says which, `getSqlState()` what the SQL standard calls it, and
    `getMessageParameters()` has the values that the message speaks of; they are None when another
    error of Spark only quotes this one.
    """

    condition: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        errorClass: str | None = None,
        messageParameters: dict[str, str] | None = None,
        *,
        sql_state: str | None = None,
    ) -> None:
        """An error with its message, which does not begin with the condition."""
        super().__init__(message, errorClass, messageParameters)
        self._sql_state = sql_state

    def getSqlState(self) -> str | None:
        """The SQLSTATE; Spark knows none for conditions of others.

        Returns:
            Five characters.

        Example:
            >>> DuckLakeError("Cannot.", "DUCKLAKE_READ_ONLY", sql_state="25006").getSqlState()
            '25006'
        """
        return self._sql_state


class InvalidSettingError(DuckLakeError):
    """A catalog setting that is unknown, has a bad value, or contradicts another."""

    condition = "DUCKLAKE_INVALID_SETTING"


class WrongSparkError(DuckLakeError):
    """A Spark that this package does not serve, or a jar of the connector for another Spark."""

    condition = "DUCKLAKE_WRONG_SPARK"


class InvalidUriError(DuckLakeError):
    """An address that names no catalog database."""

    condition = "DUCKLAKE_INVALID_URI"


class ConnectionFailedError(DuckLakeError):
    """The catalog database cannot be reached, or went away."""

    condition = "DUCKLAKE_CONNECTION_FAILED"


class UnknownHostError(DuckLakeError):
    """The host of the catalog database does not exist."""

    condition = "DUCKLAKE_UNKNOWN_HOST"


class LoginRefusedError(DuckLakeError):
    """The catalog database does not let this user in."""

    condition = "DUCKLAKE_LOGIN_REFUSED"


class NoSuchDatabaseError(DuckLakeError):
    """The server has no database of this name."""

    condition = "DUCKLAKE_NO_SUCH_DATABASE"


class PoolExhaustedError(DuckLakeError):
    """All connections to the catalog database were in use for too long."""

    condition = "DUCKLAKE_POOL_EXHAUSTED"


class TooManyFilesError(DuckLakeError):
    """More files than a plan may have in the memory of the driver."""

    condition = "DUCKLAKE_TOO_MANY_FILES"


class NotPermittedError(DuckLakeError):
    """The user may not do this in the catalog database."""

    condition = "DUCKLAKE_NOT_PERMITTED"


class CatalogDiskFailedError(DuckLakeError):
    """The disk of the catalog database is full or does not work."""

    condition = "DUCKLAKE_CATALOG_DISK_FAILED"


class UnsupportedStorageError(DuckLakeError):
    """The DuckDB file has a storage version that our DuckDB does not read."""

    condition = "DUCKLAKE_UNSUPPORTED_STORAGE"


class CatalogBusyError(DuckLakeError):
    """Another process held the catalog database for longer than we wait."""

    condition = "DUCKLAKE_CATALOG_BUSY"


class CatalogCancelledError(DuckLakeError):
    """The catalog database ended a statement: it took too long, or somebody cancelled it."""

    condition = "DUCKLAKE_CATALOG_CANCELLED"


class CatalogQueryFailedError(DuckLakeError):
    """The catalog database refused a statement of ours."""

    condition = "DUCKLAKE_CATALOG_QUERY_FAILED"


class NotADatabaseError(DuckLakeError):
    """The catalog file is no database of the kind that the address says."""

    condition = "DUCKLAKE_NOT_A_DATABASE"


class NoLakeError(DuckLakeError):
    """The database holds no DuckLake catalog."""

    condition = "DUCKLAKE_NO_LAKE"


class UnsupportedVersionError(DuckLakeError):
    """The catalog has a version that this connector does not read."""

    condition = "DUCKLAKE_UNSUPPORTED_VERSION"


class CorruptCatalogError(DuckLakeError):
    """The catalog's rows contradict each other."""

    condition = "DUCKLAKE_CORRUPT_CATALOG"


class NoSuchSnapshotError(DuckLakeError):
    """A snapshot that does not exist, or no longer."""

    condition = "DUCKLAKE_NO_SUCH_SNAPSHOT"


class ChangesExpiredError(DuckLakeError):
    """Changes that are not complete, because a snapshot has expired."""

    condition = "DUCKLAKE_CHANGES_EXPIRED"


class StreamCannotContinueError(DuckLakeError):
    """A stream that cannot go on from where it was, when it reads a table or writes to it."""

    condition = "DUCKLAKE_STREAM_CANNOT_CONTINUE"


class UnsupportedTypeError(DuckLakeError):
    """A column whose type cannot be read."""

    condition = "DUCKLAKE_UNSUPPORTED_TYPE"


class InvalidValueError(DuckLakeError):
    """A stored value that the type it is read as cannot hold."""

    condition = "DUCKLAKE_INVALID_VALUE"


class UnreadableFileError(DuckLakeError):
    """A data or delete file that is missing or damaged."""

    condition = "DUCKLAKE_UNREADABLE_FILE"


class UnwritableFileError(DuckLakeError):
    """A file that storage does not take."""

    condition = "DUCKLAKE_UNWRITABLE_FILE"


class EncryptedLakeError(DuckLakeError):
    """Something that encryption forbids, or an encryption that lakes do not use."""

    condition = "DUCKLAKE_ENCRYPTED_LAKE"


class UnsupportedPathError(DuckLakeError):
    """A place in storage that cannot be opened."""

    condition = "DUCKLAKE_UNSUPPORTED_PATH"


class ReadOnlyError(DuckLakeError):
    """A write to a catalog that is read-only or pinned to a snapshot."""

    condition = "DUCKLAKE_READ_ONLY"


class TransactionStateError(DuckLakeError):
    """A transaction that is begun twice, ended without a beginning, or not the statement's own."""

    condition = "DUCKLAKE_TRANSACTION_STATE"


class UnsupportedError(DuckLakeError):
    """Something this version does not do."""

    condition = "DUCKLAKE_UNSUPPORTED"


class InvalidArgumentError(DuckLakeError):
    """An argument of a procedure or function that cannot be used."""

    condition = "DUCKLAKE_INVALID_ARGUMENT"


class UnusableViewError(DuckLakeError):
    """A view whose text does not run in Spark."""

    condition = "DUCKLAKE_UNUSABLE_VIEW"


class ConcurrentChangeError(DuckLakeError):
    """Tables of one statement that have no snapshot in common; run the statement again."""

    condition = "DUCKLAKE_CONCURRENT_CHANGE"


class InvalidChangeError(DuckLakeError):
    """A change of a lake's shape that is not legal, or that would lose something."""

    condition = "DUCKLAKE_INVALID_CHANGE"


class InvalidNameError(DuckLakeError):
    """A name that a thing of this kind cannot have."""

    condition = "DUCKLAKE_INVALID_NAME"


class UnstorableTypeError(DuckLakeError):
    """A type that a column of a lake cannot have."""

    condition = "DUCKLAKE_UNSTORABLE_TYPE"


class InvalidOptionError(DuckLakeError):
    """An option that there is not, or a value that it cannot have."""

    condition = "DUCKLAKE_INVALID_OPTION"


class CommitConflictError(DuckLakeError):
    """What others committed since the statement began forbids it; run it again."""

    condition = "DUCKLAKE_COMMIT_CONFLICT"


class CommitTimedOutError(DuckLakeError):
    """Others were faster each time a statement tried to commit."""

    condition = "DUCKLAKE_COMMIT_TIMED_OUT"


class CannotAddFileError(DuckLakeError):
    """An existing file that cannot become a data file of the table; no file was added."""

    condition = "DUCKLAKE_CANNOT_ADD_FILE"


class FileAlreadyRegisteredError(DuckLakeError):
    """An existing file that the lake has already; no file was added."""

    condition = "DUCKLAKE_FILE_ALREADY_REGISTERED"


class FlushIncompleteError(DuckLakeError):
    """A flush of several tables that some of them refused; the others stay flushed."""

    condition = "DUCKLAKE_FLUSH_INCOMPLETE"


class MaintenanceIncompleteError(DuckLakeError):
    """Maintenance ended before all of it was done; a next run does the rest."""

    condition = "DUCKLAKE_MAINTENANCE_INCOMPLETE"


class SharedFolderError(DuckLakeError):
    """Another lake has its files in the same folders; nothing was deleted."""

    condition = "DUCKLAKE_SHARED_FOLDER"


class StatementInterruptedError(DuckLakeError):
    """A statement was cancelled before its commit was done; nothing was changed."""

    condition = "DUCKLAKE_STATEMENT_INTERRUPTED"


class CommitOutcomeUnknownError(DuckLakeError):
    """The connection was lost during a commit; look at the snapshots."""

    condition = "DUCKLAKE_COMMIT_OUTCOME_UNKNOWN"


class CommitMessageRequiredError(DuckLakeError):
    """The lake wants a message with every commit."""

    condition = "DUCKLAKE_COMMIT_MESSAGE_REQUIRED"
