"""New schemas of a lake, and those that go."""

from __future__ import annotations

from dataclasses import dataclass

from ducklake_spark._calls import LakeCalls, is_schema, run
from ducklake_spark._names import Path, first_there, schema_paths
from ducklake_spark._sql import identifier
from ducklake_spark.errors import UnsupportedError
from ducklake_spark.translation import unlogged_errors


@dataclass(frozen=True, repr=False)
class LakeSchemas(LakeCalls):
    """Schemas. Each change is one snapshot.

    In lakes of version 1.1 a schema may hold schemas: `a.b` is the schema `b` in `a`, unless a
    schema has that very name.
    """

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

    def _schema(self, text: str) -> Path:
        """The schema that a text means."""
        return first_there(schema_paths(text), self._is_schema)

    def _is_schema(self, path: Path) -> bool:
        return is_schema(self.spark, identifier(self.catalog, *path))
