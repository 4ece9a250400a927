"""The name of a table or view: `lake.schema.name`."""

from __future__ import annotations

from dataclasses import dataclass, field

from dbt.adapters.base.relation import BaseRelation, Policy
from dbt.adapters.contracts.relation import ComponentName


def _unquoted() -> Policy:
    return Policy(database=False, schema=False, identifier=False)


@dataclass(frozen=True, eq=False, repr=False)
class LakeRelation(BaseRelation):
    """A name of three parts, where dbt-spark has two.

    Names are not quoted, because DuckDB cannot run a view whose text has Spark's backquotes.
    """

    quote_policy: Policy = field(default_factory=_unquoted)
    quote_character: str = "`"
    require_alias: bool = False

    def _is_exactish_match(self, field: ComponentName, value: str) -> bool:
        """Compares as Spark does: without regard to case."""
        return bool(self.path.get_lowered_part(field) == value.lower())
