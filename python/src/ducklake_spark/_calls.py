"""How the methods of lakes and tables run statements and call procedures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias
from uuid import uuid4

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from ducklake_spark import _progress
from ducklake_spark._sql import Value, call, identifier
from ducklake_spark.errors import NoLakeError
from ducklake_spark.translation import translated_errors, unlogged_errors

FilePath: TypeAlias = "str | os.PathLike[str]"

_NOT_FOUND = "TABLE_OR_VIEW_NOT_FOUND"
_NO_SCHEMA = "SCHEMA_NOT_FOUND"


def run(spark: SparkSession, statement: str) -> DataFrame:
    """The result of a statement, its errors as the classes of this package."""
    with translated_errors():
        return spark.sql(statement)


def about(spark: SparkSession, catalog: str, name: str, clauses: str = "") -> DataFrame:
    """The rows of a table about a lake.

    Args:
        spark: the session.
        catalog: the lake.
        name: that of the table in `system`.
        clauses: what follows the name, such as the snapshot.

    Raises:
        NoLakeError: there is no lake yet: its catalog looks empty, without these tables.
    """
    try:
        with unlogged_errors():
            return run(spark, f"SELECT * FROM {identifier(catalog, 'system', name)}{clauses}")
    except AnalysisException as failure:
        if failure.getCondition() != _NOT_FOUND:
            raise
        raise NoLakeError(
            f"Cannot read `system.{name}` of catalog `{catalog}`: there is no lake at its address "
            "yet. The first statement that creates something makes the lake. SQLSTATE: 42704",
            NoLakeError.condition,
            {"why": "nothing was created in it yet"},
            sql_state="42704",
        ) from failure


def is_there(spark: SparkSession, name: str, clauses: str) -> bool:
    """Whether there is a table or a view of a quoted name, at the snapshot that clauses name."""
    return _is_known(spark, f"SELECT 1 FROM {name}{clauses} LIMIT 0", _NOT_FOUND)


def is_schema(spark: SparkSession, name: str) -> bool:
    """Whether there is a schema of a quoted name."""
    return _is_known(spark, f"DESCRIBE SCHEMA {name}", _NO_SCHEMA)


def _is_known(spark: SparkSession, statement: str, otherwise: str) -> bool:
    """Whether a statement finds what it names; any other condition is an error."""
    try:
        with unlogged_errors():
            run(spark, statement)
    except AnalysisException as failure:
        if failure.getCondition() != otherwise:
            raise
        return False
    return True


def as_list(given: str | Sequence[str]) -> list[str]:
    """One text or several, as a list.

    Example:
        >>> as_list("year(ts)"), as_list(("a", "b"))
        (['year(ts)'], ['a', 'b'])
    """
    return [given] if isinstance(given, str) else list(given)


def as_paths(given: FilePath | Iterable[FilePath]) -> str | list[str]:
    """One path or several, as texts.

    Example:
        >>> from pathlib import Path
        >>> as_paths(Path("/in")), as_paths(["/in/*.parquet", Path("/more")])
        ('/in', ['/in/*.parquet', '/more'])
    """
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(given)
    return [os.fspath(each) for each in given]


@contextmanager
def as_view(spark: SparkSession, rows: DataFrame) -> Iterator[str]:
    """Rows as a view that a statement of this session can name, dropped at the end.

    Raises:
        ValueError: the rows belong to another session.
    """
    name = f"ducklake_spark_{uuid4().hex}"
    rows.createOrReplaceTempView(name)
    try:
        yield identifier(name)
    except AnalysisException as failure:
        # Only the first line names what was not found; the plan below it has the view, too.
        found = str(failure).strip().partition("\n")[0]
        if failure.getCondition() == _NOT_FOUND and name in found:
            raise ValueError(
                "the DataFrame belongs to another Spark session than the lake"
            ) from failure
        raise
    finally:
        rows.sparkSession.catalog.dropTempView(name)


def refuse_other_sessions(spark: SparkSession, rows: DataFrame) -> None:
    """Refuse rows of another session before a writer runs: it would run in that session.

    Raises:
        ValueError: the rows belong to another session.
    """
    with as_view(spark, rows) as view:
        _ = spark.table(view).schema


@dataclass(frozen=True)
class LakeCalls:
    """What the methods that call procedures share."""

    spark: SparkSession
    catalog: str

    def _call(
        self, procedure: str, *, progress: bool | None = False, **arguments: Value
    ) -> DataFrame:
        for name in ("table_name", "schema", "schema_name"):
            if not isinstance(arguments.get(name), (str, type(None))):
                raise TypeError(f"{name} is the text of a name, not {arguments[name]!r}")
        with _progress.shown(self.spark, procedure, progress):
            return run(self.spark, call(self.catalog, procedure, **arguments))
