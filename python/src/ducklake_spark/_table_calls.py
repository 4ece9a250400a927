"""What the parts of `Table` share: its name, its snapshot, and its calls."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from ducklake_spark._calls import LakeCalls, is_there, run
from ducklake_spark._sql import Time, Value, as_of, identifier

_MAIN = "main"


@dataclass(frozen=True, repr=False)
class TableCalls:
    """A table by its name, at the newest snapshot or at a past one."""

    spark: SparkSession
    catalog: str
    schema_name: str | None
    name: str
    version: int | None = None
    time: Time | None = None

    def _full_name(self) -> str:
        """The quoted name: of a table with dots in its name in `main`, or of `schema.name`."""
        own = identifier(self.catalog, self.schema_name or _MAIN, self.name)
        holder, dot, name = self.name.partition(".")
        if self.schema_name is not None or not dot:
            return own
        if is_there(self.spark, own, as_of(self.version, self.time)):
            return own
        return identifier(self.catalog, holder, name)

    def _select(self, *suffix: str, options: str = "") -> DataFrame:
        """The rows of the table, or of a table about it."""
        name = ".".join([self._full_name(), *map(identifier, suffix)])
        clauses = as_of(self.version, self.time) + options
        return run(self.spark, f"SELECT * FROM {name}{clauses}")

    def _refuse_past(self) -> None:
        """Refuse to change a past snapshot.

        Raises:
            ValueError: the table is one at a snapshot.
        """
        if self.version is not None or self.time is not None:
            raise ValueError("a table at a snapshot cannot be changed")

    def _call(
        self, procedure: str, *, progress: bool | None = False, **arguments: Value
    ) -> DataFrame:
        self._refuse_past()
        calls = LakeCalls(self.spark, self.catalog)
        return calls._call(procedure, progress=progress, table_name=self.name, **arguments)
