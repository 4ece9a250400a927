"""The adapter: what dbt asks of a lake, where dbt-spark asks Hive, Delta or Iceberg."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from dbt.adapters.base import AdapterConfig, BaseRelation, available
from dbt.adapters.base.impl import ConstraintSupport
from dbt.adapters.base.relation import InformationSchema
from dbt.adapters.contracts.relation import RelationType
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark import SparkAdapter
from dbt.adapters.sql import SQLAdapter
from dbt_common.clients.agate_helper import table_from_rows
from dbt_common.contracts.constraints import ConstraintType
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ducklake_spark.connections import LakeConnectionManager
from dbt.adapters.ducklake_spark.relation import LakeRelation

if TYPE_CHECKING:
    import agate

_LOG = AdapterLogger("DuckLake_Spark")

DIGITS = 28
"""How many digits of a number in a seed dbt keeps: those of Python's decimal context."""

FORMATS = (None, "ducklake")
"""What `file_format` may be."""

LAKE = "ducklake.spark.DuckLakeCatalog"
"""What Spark has as the class of a catalog that is a lake."""

VIEWS_SINCE = (4, 2)
"""The first version of Spark that makes views of a catalog."""

STRATEGIES = (None, "append", "insert_overwrite", "merge", "microbatch")
"""What `incremental_strategy` may be."""

REFUSED = {
    "buckets": "A lake has no buckets of Hive: say partition_by: bucket(8, id), or sorted_by.",
    "clustered_by": "A lake has no buckets of Hive: say partition_by: bucket(8, id), or sorted_by.",
    "grants": "A lake has no grants: the rights in the catalog database and in the store of the "
    "files decide who may do what.",
    "location_root": "The files of a lake are below its data path.",
    "options": "A lake takes tblproperties.",
    "sql_header": "Spark takes one statement at a time: say pre_hook.",
}
"""Settings of dbt-spark that would have no effect on a lake, and what to do."""


@dataclass
class LakeConfig(AdapterConfig):
    """The settings of a model that are about its table."""

    file_format: str | None = None
    partition_by: list[str] | str | None = None
    sorted_by: list[str] | str | None = None
    tblproperties: dict[str, str] | None = None
    merge_update_columns: list[str] | str | None = None


class DuckLake_SparkAdapter(SparkAdapter):
    """dbt-spark with a lake as its database; dbt finds the module by the name of the class."""

    Relation = LakeRelation
    ConnectionManager = LakeConnectionManager
    AdapterSpecificConfigs = LakeConfig
    CONSTRAINT_SUPPORT = dict.fromkeys(ConstraintType, ConstraintSupport.NOT_SUPPORTED) | {
        ConstraintType.not_null: ConstraintSupport.ENFORCED
    }

    # dbt-spark's own takes a single database.
    get_catalog = SQLAdapter.get_catalog

    def pre_model_hook(self, config: Mapping[str, object]) -> None:
        """Refuse what a lake or this Spark does not have, before anything is done.

        Raises:
            DbtRuntimeError: there is such a setting, or a view where Spark cannot make it.
        """
        _refuse_other(config, "file_format", FORMATS)
        _refuse_other(config, "incremental_strategy", STRATEGIES)
        for name, why in REFUSED.items():
            if config.get(name):
                raise DbtRuntimeError(f"`{name}` is not supported. {why}")
        if config.get("materialized") == "view":
            self.check_views()

    @classmethod
    def convert_number_type(cls, agate_table: agate.Table, col_idx: int) -> str:
        """The type of a seed's numbers: with decimals DOUBLE, else BIGINT or DECIMAL as they fit.

        Raises:
            DbtRuntimeError: an integer has more digits than dbt keeps.
        """
        column = agate_table.columns[col_idx]
        numbers = [number for number in column if number is not None]
        if not all(each.is_finite() and each == each.to_integral_value() for each in numbers):
            return "double"
        if any(len(each.as_tuple().digits) == DIGITS < each.adjusted() + 1 for each in numbers):
            raise DbtRuntimeError(
                f"Column `{column.name}` has an integer of more than {DIGITS} digits, which dbt "
                "rounds. Say its type in column_types, such as decimal(38,0) or string."
            )
        largest = max(map(abs, numbers), default=0)
        if largest < 2**63:
            return "bigint"
        return "decimal(38,0)" if largest < 10**DIGITS else "double"

    @available
    def check_views(self) -> None:
        """Refuse to make a view where Spark cannot, before a table in its place is dropped.

        Raises:
            DbtRuntimeError: Spark is older than 4.2.
        """
        if self._spark() < VIEWS_SINCE:
            raise DbtRuntimeError(
                "A view is not supported. Spark 4.2 and newer make views of a lake; before, Spark "
                "reads those that DuckDB makes. Say materialized: table."
            )

    @available
    def literal(self, value: object) -> str:
        """A value as a text in Spark SQL; None as NULL."""
        if value is None:
            return "NULL"
        text = format(value, "f") if isinstance(value, Decimal) else str(value)
        if isinstance(value, datetime):
            text = value.isoformat(sep=" ")
        # Before it parses, Spark puts settings and variables of the environment in place of ${…}.
        guarded = text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "$\\{")
        return f"'{guarded}'"

    @available
    def check_keys(self, relation: BaseRelation, keys: str | list[str] | None) -> list[str]:
        """The keys of a table whose partitions are overwritten, which are those of its first run.

        Refuses other keys than the model has. Without keys all rows of the table would go.

        Raises:
            DbtRuntimeError: the keys differ.
        """
        wanted = sorted(_key(each) for each in ([keys] if isinstance(keys, str) else keys or []))
        _, rows = self.execute(f"describe {relation}", fetch=True)
        found = sorted(_keys_of([(name, type_name) for name, type_name, *_ in rows]))
        if wanted and wanted != found:
            there = ", ".join(found) or "no keys"
            raise DbtRuntimeError(
                f"{relation} is partitioned by {there}, and the model by {', '.join(wanted)}: an "
                "overwrite would replace other rows than those of its partitions. Run it once with "
                "--full-refresh, or take the table's keys."
            )
        return found

    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        """The tables and views of a schema; none where there is no such schema."""
        where = schema_relation.without_identifier()
        if not self.check_schema_exists(where.database, where.schema):
            return []
        views = self._views(where)
        tables = [name for name in self._listed(f"show tables in {where}") if name not in views]
        return [
            self.Relation.create(
                database=where.database, schema=where.schema, identifier=name, type=kind
            )
            for kind, names in ((RelationType.Table, tables), (RelationType.View, views))
            for name in names
        ]

    def check_schema_exists(self, database: str, schema: str) -> bool:
        """Whether a catalog has a schema; names are compared without regard to case."""
        return schema.lower() in (name.lower() for name in self.list_schemas(database))

    def _spark(self) -> tuple[int, ...]:
        """The minor version of Spark."""
        _, ((version,),) = self.execute("select version()", fetch=True)
        return tuple(int(part) for part in version.split(".")[:2])

    def _views(self, where: BaseRelation) -> list[str]:
        """The views of a schema. Spark lists views of a lake from 4.2 on; the lake has a table."""
        _, ((_, catalog),) = self.execute(f"set spark.sql.catalog.{where.database}", fetch=True)
        if catalog != LAKE:
            return self._listed(f"show views in {where}")
        schema = self.literal(where.schema.lower())
        views = f"select view_name from {where.database}.system.views"
        _, rows = self.execute(f"{views} where lower(schema_name) = {schema}", fetch=True)
        return [name for (name,) in rows]

    def _listed(self, statement: str) -> list[str]:
        """The names that a SHOW gives, without those of temporary views."""
        _, rows = self.execute(statement, fetch=True)
        return [name for _, name, is_temporary in rows if not is_temporary]

    def _get_one_catalog(
        self,
        information_schema: InformationSchema,
        schemas: set[str],
        used_schemas: frozenset[tuple[str, str]],
    ) -> agate.Table:
        """The columns of all tables and views of some schemas, for the documentation.

        What Spark cannot describe is left out with a warning, such as some views of DuckDB.
        """
        found = [
            [row.get(name) for name in self.COLUMN_NAMES]
            for schema in sorted(schemas)
            for relation in self.list_relations(information_schema.database, schema)
            for row in self._described_or_left_out(relation)
        ]
        texts = [name for name in self.COLUMN_NAMES if not name.startswith("stats:")]
        return table_from_rows(found, self.COLUMN_NAMES, text_only_columns=texts)

    def _described_or_left_out(self, relation: BaseRelation) -> list[dict[str, object]]:
        try:
            return list(self._described(relation))
        except DbtRuntimeError as error:
            _LOG.warning(f"{relation} is left out of the documentation: {error}")
            return []

    def _described(self, relation: BaseRelation) -> Iterator[dict[str, object]]:
        """The columns of a table or view, each with what is known of the whole.

        Nothing is known of a whole view where Spark does not make views.
        """
        is_bare = relation.is_view and self._spark() < VIEWS_SINCE
        parts = (relation.database, relation.schema, relation.identifier)
        name = ".".join(f"`{part.replace('`', '``')}`" for part in parts)
        statement = f"describe {name}" if is_bare else f"describe extended {name}"
        _, rows = self.execute(statement, fetch=True)
        columns = self.parse_describe_extended(relation, rows)
        details = {name: value for name, value, _ in list(rows)[len(columns) :]}
        for column, (_, _, comment) in zip(columns, rows, strict=False):
            yield {
                **column.to_column_dict(),
                "table_database": relation.database,
                "table_comment": details.get("Comment"),
                "table_owner": None,
                "column_name": column.name,
                "column_type": column.dtype,
                "column_comment": comment,
            }


def _keys_of(described: list[tuple[str, str]]) -> list[str]:
    """The partition keys in what DESCRIBE says: plain columns by name, or numbered parts."""
    names = [name for name, _ in described]
    start = next((at for at, name in enumerate(names) if name.startswith("# Partition")), None)
    if start is None:
        return []
    behind = [(name, value) for name, value in described[start + 1 :] if name and name[0] != "#"]
    return [_key(value if name.startswith("Part ") else name) for name, value in behind]


def _key(text: str) -> str:
    """A partition key in one spelling: `years(Day)` is `year(day)`."""
    bare = text.replace("`", "").replace(" ", "").lower()
    return re.sub(r"^(year|month|day|hour)s\(", r"\1(", bare)


def _refuse_other(config: Mapping[str, object], name: str, known: tuple[str | None, ...]) -> None:
    """Refuse a value of a setting that is not among the known ones."""
    value = config.get(name)
    if value not in known:
        allowed = ", ".join(filter(None, known))
        raise DbtRuntimeError(f"`{name}: {value}` is not supported. A lake has: {allowed}.")
