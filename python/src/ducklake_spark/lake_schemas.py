"""Which schemas a lake has; new ones, and those that go."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from ducklake_spark._calls import LakeCalls, about, is_schema, run
from ducklake_spark._names import Path, first_there, schema_paths, shown_path
from ducklake_spark._sql import identifier
from ducklake_spark.errors import NoLakeError, UnsupportedError
from ducklake_spark.translation import unlogged_errors

# Lakes of these versions have no schemas in schemas.
_FLAT_VERSIONS = ("0.1", "0.2", "0.3", "0.4", "1.0")


@dataclass(frozen=True, repr=False)
class LakeSchemas(LakeCalls):
    """Schemas. Each change is one snapshot.

    In lakes of version 1.1 a schema may hold schemas: `a.b` is the schema `b` in `a`, unless a
    schema has that very name.
    """

    def schemas(self) -> DataFrame:
        """The schemas of the lake, those in other schemas too.

        Returns:
            One row per schema, with the column `schema_name`; where there is no lake yet, `main`.

        Raises:
            ConnectionFailedError: the catalog database does not answer.

        Example:
            >>> [row.schema_name for row in lake.schemas().collect()]
            ['main']
        """
        rows = [(".".join(path),) for path in self._schemas()]
        return self.spark.createDataFrame(rows, "schema_name STRING")

    def create_schema(self, schema: str, *, if_not_exists: bool = False) -> None:
        """Make a schema.

        Args:
            schema: its name. In lakes of version 1.1 `a.b` is the schema `b` in `a`, which must be
                there, and `"a.b"` in double quotes a schema with a dot in its name.
            if_not_exists: whether to do nothing when it is there.

        Raises:
            InvalidNameError: a schema cannot have the name.
            AnalysisException: it is there already, or the schema around it is not.

        Example:
            >>> lake.create_schema("s")
            >>> lake.drop_schema("s")
        """
        start = f"CREATE SCHEMA {'IF NOT EXISTS ' if if_not_exists else ''}"
        path = self._schema(schema)
        try:
            with unlogged_errors():
                run(self.spark, start + identifier(self.catalog, *path))
        except UnsupportedError:
            if len(path) == 1:
                raise
            # A lake without schemas in schemas: the dots are part of the name.
            run(self.spark, start + identifier(self.catalog, schema))

    def drop_schema(self, schema: str, *, cascade: bool = False, if_exists: bool = False) -> None:
        """Drop a schema; past snapshots keep it.

        Args:
            schema: its name.
            cascade: whether to drop what is in it, schemas too; else it must be empty.
            if_exists: whether to do nothing when it is not there.

        Raises:
            AnalysisException: it is not there, or holds something and `cascade` is not given.

        Example:
            >>> lake.create_schema("s")
            >>> lake.drop_schema("s")
        """
        clause = "IF EXISTS " if if_exists else ""
        end = " CASCADE" if cascade else ""
        name = identifier(self.catalog, *self._schema(schema))
        run(self.spark, f"DROP SCHEMA {clause}{name}{end}")

    def _schemas(self) -> list[Path]:
        """All schemas in order, each before those in it."""
        found = self._schemas_in(())
        if self._version() not in _FLAT_VERSIONS:
            for path in found:  # it grows meanwhile
                found += self._schemas_in(path)
        return sorted(found)

    def _schemas_in(self, path: Path) -> list[Path]:
        shown = run(self.spark, f"SHOW SCHEMAS IN {identifier(self.catalog, *path)}")
        return [shown_path(row[0]) for row in shown.collect()]

    def _version(self) -> str:
        """The version of the lake's format; where there is no lake yet, that of a lake of 1.0."""
        version = " WHERE option_name = 'version'"
        try:
            (row,) = about(self.spark, self.catalog, "options", version).collect()
        except NoLakeError:
            return _FLAT_VERSIONS[-1]
        return str(row.value)

    def _schema(self, text: str) -> Path:
        """The schema that a text means."""
        return first_there(schema_paths(text), self._is_schema)

    def _stored(self, path: Path) -> Path:
        """A schema as the lake spells it."""
        known = self._schemas()
        alike = (each for each in known if _folded(each) == _folded(path))
        return path if path in known else next(alike, path)

    def _is_schema(self, path: Path) -> bool:
        return is_schema(self.spark, identifier(self.catalog, *path))


def _folded(path: Path) -> list[bytes]:
    """Names for a comparison that ignores the case of A to Z, and of no other letter."""
    return [name.encode().lower() for name in path]
