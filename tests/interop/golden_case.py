"""Statements that mean the same in Spark and in DuckDB, and where their metadata may differ.

A step is one text for both engines, or the text for DuckDB and the text for Spark; `{c}` is the
catalog. Each step is one snapshot, or one transaction in DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Step = str | tuple[str, str]
ONE_FILE = "/*+ COALESCE(1) */"


@dataclass(frozen=True)
class Case:
    """Steps on an empty lake.

    Attributes:
        name: what the steps do.
        steps: in order.
        has_rows: rows are inserted: not compared where DuckDB would inline them.
        has_many_files: a step writes several files, whose order is nobody's business.
        allowed: names of the differences that are met.
    """

    name: str
    steps: tuple[Step, ...]
    has_rows: bool = False
    has_many_files: bool = False
    allowed: tuple[str, ...] = ()

    def of_duckdb(self) -> Iterator[str]:
        """The statements for DuckDB."""
        for step in self.steps:
            text = step if isinstance(step, str) else step[0]
            yield from text.replace("{c}", "lake").split(";")

    def of_spark(self, catalog: str) -> Iterator[str]:
        """The statements for Spark."""
        for step in self.steps:
            text = step if isinstance(step, str) else step[1]
            yield text.replace("{c}", catalog)


VIEW_TEXT = "views keep the text of their engine"
NAN = "no upper bound beside NaN"
UNKNOWN = "an unknown bound removes the row"
NESTED_NULLS = "DuckDB marks fields that it adds or changes NOT NULL"
LAYOUT_AT_ONCE = "a layout given with CREATE is no change of its own"
FILE_ID = "the file id moves with every change of data or of a type"
FILE_ID_AGAIN = "the file id moves so with each of several such changes"
WARNED = "deletes are recorded so that all engines see the conflict"
MISCOUNTED = "DuckDB miscounts fields of structs in lists"
