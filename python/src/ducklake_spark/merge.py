"""MERGE, built step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from pyspark.sql import DataFrame

from ducklake_spark import _progress
from ducklake_spark._assign import column_names, refuse_other_than_values, shared_columns
from ducklake_spark._calls import as_view, refuse_other_sessions, run
from ducklake_spark._clauses import ALL, KINDS, Clause, Values, merge_columns
from ducklake_spark._columns import (
    Condition,
    NewValue,
    has_column,
    refuse_without_extension,
    sql_of,
)
from ducklake_spark._table_calls import TableCalls
from ducklake_spark.translation import translated_errors


class _Target:
    """What a MERGE and its steps ask about their table once: its full name and its columns."""

    def __init__(self, table: TableCalls) -> None:
        """The table of a MERGE; nothing is asked yet."""
        self._table = table

    @cached_property
    def name(self) -> str:
        return self._table._full_name()

    @cached_property
    def columns(self) -> list[str]:
        return run(self._table.spark, f"SELECT * FROM {self.name}").columns


@dataclass(frozen=True, repr=False)
class Merge:
    """A MERGE that is being built. `Table.merge` makes it; each step gives a new one.

    In conditions and values the table is `t` and the source `s`: `"s.name"`, `"t.id > 3"`, or as
    Columns `F.col("s.name")`, `F.col("t.id") > 3`. Values that are text are SQL; Columns, numbers,
    dates and the like are themselves. Of the clauses of one kind the first whose condition a row
    fulfils is taken.
    """

    table: TableCalls
    source: DataFrame
    condition: Condition
    clauses: tuple[Clause, ...] = ()
    schema_evolution: bool = False
    app_id: str | None = None
    version: int | None = None
    _target: _Target = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Ask nothing about the table yet."""
        object.__setattr__(self, "_target", _Target(self.table))

    def when_matched_update(
        self, set: Mapping[str, NewValue] | None = None, condition: Condition | None = None
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
        return self._with(KINDS[0], "UPDATE", self._values(set), condition)

    def when_matched_delete(self, condition: Condition | None = None) -> Merge:
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
        return self._with(KINDS[0], "DELETE", (), condition)

    def when_not_matched_insert(
        self, values: Mapping[str, NewValue] | None = None, condition: Condition | None = None
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
        return self._with(KINDS[1], "INSERT", self._values(values), condition)

    def when_not_matched_by_source_update(
        self, set: Mapping[str, NewValue], condition: Condition | None = None
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
        return self._with(KINDS[2], "UPDATE", self._values(set), condition)

    def when_not_matched_by_source_delete(self, condition: Condition | None = None) -> Merge:
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
        return self._with(KINDS[2], "DELETE", (), condition)

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
        return self._asked(replace(self, schema_evolution=True))

    def execute(self, *, progress: bool | None = None) -> bool | None:
        """Run the MERGE: one snapshot, or none when no row changes.

        Args:
            progress: whether to show a bar; when left out, in a terminal or a notebook.

        Returns:
            With a number, False when the table had the write before; None without.

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
        return self.table._write(lambda: self._run(progress), self.app_id, self.version)

    def _run(self, progress: bool | None) -> None:
        spark = self.table.spark
        if self._has_column():
            refuse_without_extension(spark)
            refuse_other_sessions(spark, self.source)
            with translated_errors(), _progress.shown(spark, "merge", progress):
                merge_columns(
                    self.source.alias("s").hint("ducklake_target", "t"),
                    self._target.name,
                    self.condition,
                    self._settled(),
                    schema_evolution=self.schema_evolution,
                )
        else:
            with as_view(spark, self.source) as view, _progress.shown(spark, "merge", progress):
                run(spark, self.statement(self._target.name, view))

    def statement(self, target: str, source: str) -> str:
        """The SQL of the MERGE between two quoted names.

        Returns:
            One statement, a clause per line.

        Raises:
            AnalysisException: as `execute`.
            ValueError: a condition or a value is a Column, which has no text in SQL.

        Example:
            >>> gone = spark.createDataFrame([(2,)], "id BIGINT")
            >>> merge = lake.table("events").merge(gone, on="id").when_matched_delete("t.id > 1")
            >>> print(merge.statement("`t`", "`v`"))
            MERGE INTO `t` AS t USING `v` AS s
            ON t.`id` = s.`id`
            WHEN MATCHED AND (t.id > 1) THEN DELETE
        """
        evolution = "WITH SCHEMA EVOLUTION " if self.schema_evolution else ""
        start = f"MERGE {evolution}INTO {target} AS t USING {source} AS s"
        lines = [start, f"ON {sql_of(self.condition)}"]
        return "\n".join([*lines, *(clause.sql() for clause in self._settled())])

    def __repr__(self) -> str:
        """What it merges into, and how many clauses it has."""
        count = len(self.clauses)
        return f"<Merge into {self._name()}: {count} {'clause' if count == 1 else 'clauses'}>"

    def _name(self) -> str:
        return ".".join(filter(None, (self.table.catalog, self.table.schema_name, self.table.name)))

    def _has_column(self) -> bool:
        return has_column(
            self.condition,
            *(clause.condition for clause in self.clauses),
            *(value for clause in self.clauses for _, value in clause.values or ()),
        )

    def _with(self, kind: str, action: str, values: Values, condition: Condition | None) -> Merge:
        clause = Clause(kind, action, values, condition)
        return self._asked(replace(self, clauses=(*self.clauses, clause)))

    def _asked(self, made: Merge) -> Merge:
        """The next step, which knows what this one has asked about the table."""
        object.__setattr__(made, "_target", self._target)
        return made

    def _values(self, values: Mapping[str, NewValue] | None) -> Values:
        if values is None:
            return ALL
        refuse_other_than_values(values)
        return tuple(zip(column_names(values, self._target.columns), values.values(), strict=True))

    def _settled(self) -> list[Clause]:
        """The clauses in the order that SQL wants.

        All columns are those of the source, because Spark's `*` wants all columns of the table.
        """
        ordered = sorted(self.clauses, key=lambda clause: KINDS.index(clause.kind))
        if self.schema_evolution or not any(clause.values is None for clause in ordered):
            return ordered
        case = self.table.spark.conf.get("spark.sql.caseSensitive")
        pairs = shared_columns(
            self.source.columns,
            self._target.columns,
            self._name(),
            is_case_sensitive=case == "true",
        )
        return [
            replace(clause, values=tuple(pairs)) if clause.values is None else clause
            for clause in ordered
        ]
