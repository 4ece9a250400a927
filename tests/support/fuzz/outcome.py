"""What a statement over a broken lake may end in: rows, or an error that names the object."""

from __future__ import annotations

import re
from dataclasses import dataclass

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.compare import arrow_table

SPARKS_OWN = {
    *("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "VIEW_NOT_FOUND", "COLUMN_NOT_FOUND"),
    *("UNRESOLVED_COLUMN.WITH_SUGGESTION", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
    *("FIELD_NOT_FOUND", "FIELD_ALREADY_EXISTS", "TABLE_OR_VIEW_ALREADY_EXISTS"),
    *("SCHEMA_ALREADY_EXISTS", "SCHEMA_NOT_EMPTY", "NOT_NULL_CONSTRAINT_VIOLATION"),
}
"""Errors that Spark itself has for a table that looks like the broken one."""

_BARE = re.compile(
    r"(java|scala|org\.apache|org\.sqlite|sun)\.[a-z.]*[A-Z]\w*|NullPointer|\bNone\b"
)
_TRACE = re.compile(r"\n(JVM stacktrace|\tat |SQLSTATE: \w+;).*", re.DOTALL)


@dataclass(frozen=True)
class Failure:
    """An error: its condition, and its text without Spark's plans and stacks."""

    condition: str | None
    message: str

    @property
    def fault(self) -> str | None:
        """What is wrong with the error itself; None for an error that a person can use."""
        if self.condition is None:
            return "an error without a condition"
        is_known = self.condition.startswith("DUCKLAKE_") or self.condition in SPARKS_OWN
        if not is_known:
            return f"the condition {self.condition}"
        if self.condition not in SPARKS_OWN and (bare := _BARE.search(self.message)):
            return f"a text with {bare[0]}"
        return None


def ended(spark: SparkSession, statement: str) -> object:
    """The rows of a statement as an Arrow table, or its `Failure`."""
    try:
        return arrow_table(spark.sql(statement))
    except PySparkException as error:
        return Failure(error.getCondition(), _TRACE.sub("", str(error)))
    except Py4JError as error:
        return Failure(None, str(error)[:2000])
