"""MERGE, built step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from ducklake_spark import _progress
from ducklake_spark._assign import (
    assignments,
    column_names,
    insertion,
    refuse_other_than_values,
    shared_columns,
)
from ducklake_spark._calls import as_view, run
from ducklake_spark._sql import Value
from ducklake_spark._table_calls import TableCalls

# The order in which SQL wants the clauses.
_KINDS = ("WHEN MATCHED", "WHEN NOT MATCHED", "WHEN NOT MATCHED BY SOURCE")

# Of all columns; which these are is settled when the MERGE is written down.
_UPDATE_ALL = "UPDATE SET *"
_INSERT_ALL = "INSERT *"


@dataclass(frozen=True, repr=False)
class Merge:
    """A MERGE that is being built. `Table.merge` makes it; each step gives a new one.

    In conditions and values the table is `t` and the source `s`: `"s.name"`, `"t.id > 3"`. Values
    that are text are SQL; numbers, dates and the like are themselves. Of the clauses of one kind
    the first whose condition a row fulfils is taken.
    """

    table: TableCalls
    source: DataFrame
    condition: str
    clauses: tuple[tuple[str, str, str], ...] = ()
    schema_evolution: bool = False

    def when_matched_update(
        self, set: Mapping[str, Value] | None = None, condition: str | None = None
    ) -> Merge:
        """Update rows of the table that a row of the source matches.

        Args:
            set: the columns and their new values; when left out, all columns of the source, and
                the table's other columns stay as they are.
            condition: only rows that fulfil it.

        Returns:
            The MERGE with this clause.

        Raises:
            TypeError: the new values are no mapping.
            ValueError: no column is set.
            AnalysisException: by `execute`, when a value or the condition is no SQL, or a column is
                not there.

        Example:
            >>> t = lake.create_table("merged", "id BIGINT, name STRING")
            >>> t.append(spark.createDataFrame([(1, "one"), (2, "two")], "id BIGINT, name STRING"))
            >>> new = spark.createDataFrame([(2, "zwei")], "id BIGINT, name STRING")
            >>> t.merge(new, on="id").when_matched_update({"name": "upper(s.name)"}).execute()
            >>> [row.name for row in t.to_df().orderBy("id").collect()]
            ['one', 'ZWEI']
            >>> lake.drop_table("merged")
        """
        return self._with(_KINDS[0], self._update(set), condition)

    def when_matched_delete(self, condition: str | None = None) -> Merge:
        """Delete rows of the table that a row of the source matches.

        Args:
            condition: only rows that fulfil it.

        Returns:
            The MERGE with this clause.

        Raises:
            AnalysisException: by `execute`, when the condition is no SQL or names a column that is
                not there.

        Example:
            >>> gone = spark.createDataFrame([(2,)], "id BIGINT")
            >>> lake.table("events").merge(gone, on="t.id = s.id").when_matched_delete()
            <Merge into lake.events: 1 clause>
        """
        return self._with(_KINDS[0], "DELETE", condition)

    def when_not_matched_insert(
        self, values: Mapping[str, Value] | None = None, condition: str | None = None
    ) -> Merge:
        """Insert rows of the source that match no row of the table.

        Args:
            values: the columns and their values; when left out, all columns of the source, and
                the table's other columns get their defaults.
            condition: only rows that fulfil it; it can speak of the source alone.

        Returns:
            The MERGE with this clause.

        Raises:
            TypeError: the values are no mapping.
            ValueError: there is none.
            AnalysisException: by `execute`, when a value or the condition is no SQL, or a column is
                not there.

        Example:
            >>> t = lake.create_table("merged", "id BIGINT, name STRING")
            >>> new = spark.createDataFrame([(2, "two")], "id BIGINT, name STRING")
            >>> t.merge(new, on="id").when_not_matched_insert().execute()
            >>> [tuple(row) for row in t.to_df().collect()]
            [(2, 'two')]
            >>> lake.drop_table("merged")
        """
        if values is None:
            return self._with(_KINDS[1], _INSERT_ALL, condition)
        refuse_other_than_values(values)
        targets = column_names(values, self._columns())
        return self._with(_KINDS[1], insertion(targets, values.values()), condition)

    def when_not_matched_by_source_update(
        self, set: Mapping[str, Value], condition: str | None = None
    ) -> Merge:
        """Update rows of the table that no row of the source matches.

        Args:
            set: the columns and their new values; they can speak of the table alone.
            condition: only rows that fulfil it.

        Returns:
            The MERGE with this clause.

        Raises:
            TypeError: the new values are no mapping.
            ValueError: no column is set.
            AnalysisException: by `execute`, when a value or the condition is no SQL, or a column is
                not there.

        Example:
            >>> seen = spark.createDataFrame([(1,)], "id BIGINT")
            >>> merge = lake.table("events").merge(seen, on="id")
            >>> merge.when_not_matched_by_source_update({"name": "'gone'"})
            <Merge into lake.events: 1 clause>
        """
        return self._with(_KINDS[2], self._update(set), condition)

    def when_not_matched_by_source_delete(self, condition: str | None = None) -> Merge:
        """Delete rows of the table that no row of the source matches.

        Args:
            condition: only rows that fulfil it.

        Returns:
            The MERGE with this clause.

        Raises:
            AnalysisException: by `execute`, when the condition is no SQL or names a column that is
                not there.

        Example:
            >>> seen = spark.createDataFrame([(1,)], "id BIGINT")
            >>> lake.table("events").merge(seen, on="id").when_not_matched_by_source_delete()
            <Merge into lake.events: 1 clause>
        """
        return self._with(_KINDS[2], "DELETE", condition)

    def with_schema_evolution(self) -> Merge:
        """Let the source add columns to the table and widen their types.

        Returns:
            The MERGE with schema evolution.

        Raises:
            AnalysisException: by `execute`, when a type of the source does not fit and the column
                cannot get it.

        Example:
            >>> seen = spark.createDataFrame([(1,)], "id BIGINT")
            >>> lake.table("events").merge(seen, on="id").with_schema_evolution().schema_evolution
            True
        """
        return replace(self, schema_evolution=True)

    def execute(self, *, progress: bool | None = None) -> None:
        """Run the MERGE: one snapshot, or none when no row changes.

        Args:
            progress: whether to show a bar; when left out, in a terminal or a notebook.

        Raises:
            ValueError: there is no clause, or the source belongs to another Spark session.
            AnalysisException: all columns of the source are asked for, and the table does not have
                one of them.
            CommitConflictError: another commit changed the same rows meanwhile; run it again.

        Example:
            >>> t = lake.create_table("merged", "id BIGINT, name STRING")
            >>> rows = spark.createDataFrame([(1, "one")], "id BIGINT, name STRING")
            >>> t.merge(rows, on="id").when_matched_update().when_not_matched_insert().execute()
            >>> t.to_df().count()
            1
            >>> lake.drop_table("merged")
        """
        if not self.clauses:
            raise ValueError("a merge needs a clause, such as when_matched_update()")
        spark = self.table.spark
        with as_view(spark, self.source) as view, _progress.shown(spark, "merge", progress):
            run(spark, self.statement(self.table._full_name(), view))

    def statement(self, target: str, source: str) -> str:
        """The SQL of the MERGE between two quoted names.

        Returns:
            One statement, a clause per line.

        Raises:
            AnalysisException: as `execute`.

        Example:
            >>> gone = spark.createDataFrame([(2,)], "id BIGINT")
            >>> merge = lake.table("events").merge(gone, on="id").when_matched_delete("t.id > 1")
            >>> print(merge.statement("`t`", "`v`"))
            MERGE INTO `t` AS t USING `v` AS s
            ON t.`id` = s.`id`
            WHEN MATCHED AND (t.id > 1) THEN DELETE
        """
        evolution = "WITH SCHEMA EVOLUTION " if self.schema_evolution else ""
        lines = [f"MERGE {evolution}INTO {target} AS t USING {source} AS s", f"ON {self.condition}"]
        ordered = sorted(self.clauses, key=lambda clause: _KINDS.index(clause[0]))
        actions = self._actions_on_all()
        for kind, limit, action in ordered:
            lines.append(f"{kind}{limit} THEN {actions.get(action, action)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        """What it merges into, and how many clauses it has."""
        count = len(self.clauses)
        return f"<Merge into {self._name()}: {count} {'clause' if count == 1 else 'clauses'}>"

    def _name(self) -> str:
        return ".".join(filter(None, (self.table.catalog, self.table.schema_name, self.table.name)))

    def _with(self, kind: str, action: str, condition: str | None) -> Merge:
        limit = "" if condition is None else f" AND ({condition})"
        return replace(self, clauses=(*self.clauses, (kind, limit, action)))

    def _update(self, set: Mapping[str, Value] | None) -> str:
        if set is None:
            return _UPDATE_ALL
        return f"UPDATE SET {assignments(set, self._columns())}"

    def _actions_on_all(self) -> dict[str, str]:
        """What the actions on all columns are here: Spark's `*` wants all columns of the table."""
        asked = {action for _, _, action in self.clauses} & {_UPDATE_ALL, _INSERT_ALL}
        if self.schema_evolution or not asked:
            return {}
        case = self.table.spark.conf.get("spark.sql.caseSensitive")
        pairs = shared_columns(
            self.source.columns, self._columns(), self._name(), is_case_sensitive=case == "true"
        )
        return {
            _UPDATE_ALL: "UPDATE SET " + ", ".join(f"{to} = {of}" for to, of in pairs),
            _INSERT_ALL: insertion([to for to, _ in pairs], [of for _, of in pairs]),
        }

    def _columns(self) -> list[str]:
        return self.table._select().columns
