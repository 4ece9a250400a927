"""Writes that may be repeated: an application numbers them, and a table takes each once."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import SparkSession

from ducklake_spark._calls import about
from ducklake_spark._sql import literal

_TAG = "ducklake-txn:"
"""What the connector looks for in the tags of Spark's operations."""

_KEY = "spark_txn_version."
"""In front of an application's name: the option of a table that has its last number."""


@dataclass(frozen=True)
class WriteNumber:
    """The number of a write of an application."""

    app_id: str
    version: int

    @staticmethod
    def of(app_id: str | None, version: int | None) -> WriteNumber | None:
        """The number that both make; None when both are left out.

        Raises:
            ValueError: only one of the two is given, or one of them cannot be used.
        """
        if app_id is None and version is None:
            return None
        if app_id is None or version is None:
            raise ValueError("app_id and version belong together: give both, or none")
        if not app_id.strip():
            raise ValueError("app_id is blank: give the application a name")
        if isinstance(version, bool) or not 0 <= version < 2**63:
            raise ValueError(f"version is {version}: a whole number from 0 on, which grows")
        return WriteNumber(app_id, version)

    def run(self, spark: SparkSession, catalog: str, table: str, write: Callable[[], None]) -> bool:
        """Write, unless the table has this write or a newer one.

        The commit decides it. A tag of Spark's operations tells it the number, because UPDATE,
        DELETE and MERGE have no options, and settings belong to all threads of a session.

        Args:
            spark: the session.
            catalog: the lake.
            table: schema and name, with dots between them.
            write: runs the statement.

        Returns:
            False when the table had the write before the call. Another call with this number at the
            same time may be the one that is made, and True is returned all the same.
        """
        is_new = self._recorded(spark, catalog, table) < self.version
        name = urlsafe_b64encode(self.app_id.encode()).decode()
        tag = f"{_TAG}{self.version}:{name}"
        spark.addTag(tag)
        try:
            write()
        finally:
            spark.removeTag(tag)
        return is_new

    def _recorded(self, spark: SparkSession, catalog: str, table: str) -> int:
        """The last number of the application in the table; -1 when there is none."""
        chosen = (
            f" WHERE option_name = {literal(_KEY + self.app_id)} AND scope = 'TABLE'"
            f" AND lower(scope_entry) = {literal(table.lower())}"
        )
        rows = about(spark, catalog, "options", chosen).collect()
        exact = [row for row in rows if row["scope_entry"] == table]
        return max((int(row["value"].split(" ")[0]) for row in exact or rows), default=-1)
