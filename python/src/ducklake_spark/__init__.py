"""DuckLake lakes in Apache Spark.

Example:
    >>> import ducklake_spark as dl
    >>> from pyspark.sql import SparkSession
    >>> builder = dl.configure(SparkSession.builder, "lake", "ducklake:sqlite:lake.sqlite")
    >>> spark = builder.getOrCreate()  # doctest: +SKIP
    >>> dl.Lake(spark, "lake").snapshots().show()  # doctest: +SKIP
"""

from __future__ import annotations

from ducklake_spark._version import __version__
from ducklake_spark.errors import (
    CatalogBusyError,
    CatalogDiskFailedError,
    CatalogQueryFailedError,
    CommitConflictError,
    CommitMessageRequiredError,
    CommitOutcomeUnknownError,
    CommitTimedOutError,
    ConcurrentChangeError,
    ConnectionFailedError,
    CorruptCatalogError,
    DuckLakeError,
    EncryptedLakeError,
    FlushIncompleteError,
    InvalidArgumentError,
    InvalidChangeError,
    InvalidNameError,
    InvalidOptionError,
    InvalidSettingError,
    InvalidUriError,
    InvalidValueError,
    LoginRefusedError,
    NoLakeError,
    NoSuchDatabaseError,
    NoSuchSnapshotError,
    NotADatabaseError,
    NotPermittedError,
    PoolExhaustedError,
    ReadOnlyError,
    StatementInterruptedError,
    UnknownHostError,
    UnreadableFileError,
    UnstorableTypeError,
    UnsupportedError,
    UnsupportedPathError,
    UnsupportedStorageError,
    UnsupportedTypeError,
    UnsupportedVersionError,
    UnusableViewError,
    UnwritableFileError,
    translated_errors,
)
from ducklake_spark.lake import Lake, LakeAt
from ducklake_spark.session import configure, jars, settings
from ducklake_spark.table import Table

__all__ = [
    "CatalogBusyError",
    "CatalogDiskFailedError",
    "CatalogQueryFailedError",
    "CommitConflictError",
    "CommitMessageRequiredError",
    "CommitOutcomeUnknownError",
    "CommitTimedOutError",
    "ConcurrentChangeError",
    "ConnectionFailedError",
    "CorruptCatalogError",
    "DuckLakeError",
    "EncryptedLakeError",
    "FlushIncompleteError",
    "InvalidArgumentError",
    "InvalidChangeError",
    "InvalidNameError",
    "InvalidOptionError",
    "InvalidSettingError",
    "InvalidUriError",
    "InvalidValueError",
    "Lake",
    "LakeAt",
    "LoginRefusedError",
    "NoLakeError",
    "NoSuchDatabaseError",
    "NoSuchSnapshotError",
    "NotADatabaseError",
    "NotPermittedError",
    "PoolExhaustedError",
    "ReadOnlyError",
    "StatementInterruptedError",
    "Table",
    "UnknownHostError",
    "UnreadableFileError",
    "UnstorableTypeError",
    "UnsupportedError",
    "UnsupportedPathError",
    "UnsupportedStorageError",
    "UnsupportedTypeError",
    "UnsupportedVersionError",
    "UnusableViewError",
    "UnwritableFileError",
    "__version__",
    "configure",
    "jars",
    "settings",
    "translated_errors",
]
