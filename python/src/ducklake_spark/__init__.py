"""DuckLake lakes in Apache Spark.

Start here; `help(ducklake_spark.Lake)` and `help(ducklake_spark.Table)` say all that there is.

    >>> import ducklake_spark as dl
    >>> from pyspark.sql import SparkSession
    >>> builder = dl.configure(SparkSession.builder, "lake", "ducklake:sqlite:lake.sqlite")
    >>> spark = builder.getOrCreate()  # doctest: +SKIP
    >>> lake = dl.Lake(spark, "lake")  # doctest: +SKIP

A lake and its tables:

    lake.schemas(), lake.tables()            what is there; every read is a DataFrame
    lake.create_table("t", "id BIGINT")      a new table; lake.drop_table("t") drops it
    lake.table("t").to_df()                  its rows, also of "schema.t"
    lake.at(3).table("t").to_df()            its rows at snapshot 3; at(time=...) takes a time
    lake.history(), lake.snapshots()         what happened, with names; as DuckDB shows it
    lake.options(), lake.settings()          the options, where the lake is

One table, `t = lake.table("t")`:

    t.schema, t.partitioning, t.properties   its columns with types, ids and defaults; its layout
    t.append(df), t.overwrite(df)            rows by the names of their columns: of Spark,
                                             pandas, Polars or Arrow
    t.delete("id = 1")                       rows that fulfil a condition, also F.col("id") == 1
    t.update({"name": "upper(name)"}, "id > 3")
    t.merge(df, on="id").when_matched_update().when_not_matched_insert().execute()
    t.history(), t.files(), t.changes(start=3)

Several statements as one snapshot, or none:

    with lake.transaction(): ...             also lake.begin(), tx.commit(), tx.rollback()

Upkeep, of the lake or of one table:

    lake.checkpoint()                        all of it, as the options of the lake say
    flush_inlined_data, merge_adjacent_files, rewrite_data_files
    lake.expire_snapshots, lake.cleanup_old_files, lake.delete_orphaned_files
    rollback_to_snapshot, lake.undo_commit

What it looks like: lake.report("lake.html"), lake.plot_history(), t.plot_files()

Errors are subclasses of `DuckLakeError`, one for each condition: `help(ducklake_spark.errors)`.
On the command line there is `ducklake-spark`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ducklake_spark._parts import hide as _hide
from ducklake_spark._served import refusal_of_pyspark as _refusal_of_pyspark
from ducklake_spark._version import __version__ as __version__

if _refusal := _refusal_of_pyspark():
    raise ImportError(_refusal)  # the modules below need names that older PySparks lack

from ducklake_spark.errors import (
    CannotAddFileError as CannotAddFileError,
    CatalogBusyError as CatalogBusyError,
    CatalogCancelledError as CatalogCancelledError,
    CatalogDiskFailedError as CatalogDiskFailedError,
    CatalogQueryFailedError as CatalogQueryFailedError,
    ChangesExpiredError as ChangesExpiredError,
    CommitConflictError as CommitConflictError,
    CommitMessageRequiredError as CommitMessageRequiredError,
    CommitOutcomeUnknownError as CommitOutcomeUnknownError,
    CommitTimedOutError as CommitTimedOutError,
    ConcurrentChangeError as ConcurrentChangeError,
    ConnectionFailedError as ConnectionFailedError,
    CorruptCatalogError as CorruptCatalogError,
    DuckLakeError as DuckLakeError,
    EncryptedLakeError as EncryptedLakeError,
    FileAlreadyRegisteredError as FileAlreadyRegisteredError,
    FlushIncompleteError as FlushIncompleteError,
    InvalidArgumentError as InvalidArgumentError,
    InvalidChangeError as InvalidChangeError,
    InvalidNameError as InvalidNameError,
    InvalidOptionError as InvalidOptionError,
    InvalidSettingError as InvalidSettingError,
    InvalidUriError as InvalidUriError,
    InvalidValueError as InvalidValueError,
    LoginRefusedError as LoginRefusedError,
    MaintenanceIncompleteError as MaintenanceIncompleteError,
    NoLakeError as NoLakeError,
    NoSuchDatabaseError as NoSuchDatabaseError,
    NoSuchSnapshotError as NoSuchSnapshotError,
    NotADatabaseError as NotADatabaseError,
    NotPermittedError as NotPermittedError,
    PoolExhaustedError as PoolExhaustedError,
    ReadOnlyError as ReadOnlyError,
    SharedFolderError as SharedFolderError,
    StatementInterruptedError as StatementInterruptedError,
    StreamCannotContinueError as StreamCannotContinueError,
    TooManyFilesError as TooManyFilesError,
    TransactionStateError as TransactionStateError,
    UnknownHostError as UnknownHostError,
    UnreadableFileError as UnreadableFileError,
    UnstorableTypeError as UnstorableTypeError,
    UnsupportedError as UnsupportedError,
    UnsupportedPathError as UnsupportedPathError,
    UnsupportedStorageError as UnsupportedStorageError,
    UnsupportedTypeError as UnsupportedTypeError,
    UnsupportedVersionError as UnsupportedVersionError,
    UnusableViewError as UnusableViewError,
    UnwritableFileError as UnwritableFileError,
    WrongSparkError as WrongSparkError,
)
from ducklake_spark.lake import Lake as Lake
from ducklake_spark.lake_at import LakeAt as LakeAt
from ducklake_spark.merge import Merge as Merge
from ducklake_spark.session import configure as configure, jars as jars, settings as settings
from ducklake_spark.shape import Column as Column, Schema as Schema
from ducklake_spark.table import Table as Table
from ducklake_spark.transactions import Transaction as Transaction
from ducklake_spark.translation import translated_errors as translated_errors

if not _TYPE_CHECKING:
    # For a type checker, a function of this name would make every name one of this module.
    __getattr__ = _hide(globals())
