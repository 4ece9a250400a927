"""Queries of a report: about all tables at once, at one snapshot."""

from __future__ import annotations

from dataclasses import dataclass

from ducklake_spark_cli.catalog import Catalog
from ducklake_spark_cli.database import Row

VISIBLE = "begin_snapshot <= ? AND (end_snapshot IS NULL OR end_snapshot > ?)"
"""What a row of a snapshot fulfils; each parameter is the snapshot."""

PREFIXED_VISIBLE = (
    "_ducklake_begin_snapshot <= ? "
    "AND (_ducklake_end_snapshot IS NULL OR _ducklake_end_snapshot > ?)"
)
"""The same for a row of an inlined table in a lake of version 1.1."""


@dataclass(frozen=True)
class Asking:
    """A catalog at one snapshot."""

    catalog: Catalog
    snapshot: int

    def rows(self, query: str) -> list[Row]:
        """The rows of a query in which each parameter is the snapshot."""
        return self.catalog.database.rows(query, *[self.snapshot] * query.count("?"))

    def option(self, name: str, kind: str, otherwise: str) -> str:
        """A query for an option of each table: its own, that of its schema, or of the lake.

        Args:
            name: of the option.
            kind: its SQL type.
            otherwise: the default, in SQL.

        Returns:
            A query with the columns table_id and option_value.
        """
        scopes = {"own": ("table", "t.table_id"), "around": ("schema", "t.schema_id")}
        joins = " ".join(
            f"""LEFT JOIN {{metadata}} AS {alias} ON {alias}."key" = '{name}'
                AND {alias}.scope = '{scope}' AND {alias}.scope_id = {holder}"""
            for alias, (scope, holder) in scopes.items()
        )
        values = ", ".join(f'CAST({alias}."value" AS {kind})' for alias in (*scopes, "whole"))
        return f"""SELECT t.table_id, COALESCE({values}, {otherwise}) AS option_value
            FROM (SELECT * FROM {{table}} WHERE {VISIBLE}) AS t {joins}
            LEFT JOIN {{metadata}} AS whole ON whole."key" = '{name}' AND whole.scope IS NULL"""
