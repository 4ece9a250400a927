"""What the parts of `Table` share: its name, its snapshot, and its calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from ducklake_spark._calls import LakeCalls, is_there, run
from ducklake_spark._names import first_there, table_paths
from ducklake_spark._repeats import WriteNumber
from ducklake_spark._sql import Time, Value, as_of, identifier


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
        """The quoted name of the first table that is there of those that may be meant."""
        clauses = as_of(self.version, self.time)
        paths = table_paths(self.schema_name, self.name)
        names = [identifier(self.catalog, *path) for path in paths]
        return first_there(names, lambda name: is_there(self.spark, name, clauses))

    def _write(
        self, write: Callable[[], None], app_id: str | None, version: int | None
    ) -> bool | None:
        """Run a write, with a number that an application may have given it.

        Returns:
            With a number, whether the table did not have the write before; None without.
        """
        number = WriteNumber.of(app_id, version)
        if number is None:
            write()
            return None
        paths = table_paths(self.schema_name, self.name)
        is_meant = {identifier(self.catalog, *path): path for path in paths}
        table = ".".join(is_meant[self._full_name()])
        return number.run(self.spark, self.catalog, table, write)

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
