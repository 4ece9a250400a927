"""Rows of a table that come, change and go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame

from ducklake_spark import _progress
from ducklake_spark._assign import (
    column_names,
    join_condition,
    refuse_other_than_values,
    settings_of,
)
from ducklake_spark._calls import as_view, refuse_other_sessions, run
from ducklake_spark._clauses import KINDS, Clause, Values, merge_columns
from ducklake_spark._columns import Condition, NewValue, as_column, has_column, sql_of
from ducklake_spark._frames import Rows, as_dataframe
from ducklake_spark._sql import refuse_other_than_condition
from ducklake_spark._table_calls import TableCalls
from ducklake_spark.merge import Merge
from ducklake_spark.translation import translated_errors

_EXTRA_COLUMNS = "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS"


@dataclass(frozen=True, repr=False)
class TableRows(TableCalls):
    """Writing rows. Each call makes one snapshot, or none when nothing changes.

    `CommitConflictError` says that another commit changed the same rows meanwhile, and that nothing
    happened: run the call again. `progress` is as in `Lake`.

    Rows are a DataFrame of Spark, or of pandas or Polars, an Arrow table, a relation of DuckDB, or
    anything else that Arrow can read. These pass through the memory of this process; a missing
    value of pandas is NULL, also NaN, and its index is left out.
    """

    def append(
        self,
        rows: Rows,
        *,
        schema_evolution: bool = False,
        progress: bool | None = None,
        app_id: str | None = None,
        version: int | None = None,
    ) -> bool | None:
        """Add rows; their columns are found by name, and the others get their defaults.

        Args:
            rows: a DataFrame, or rows of pandas, Polars or Arrow.
            schema_evolution: whether the rows may add columns and widen types.
            progress: whether to show a bar.
            app_id: who writes, for a write that may be repeated; with `version`.
            version: the number of the write, which grows. A write that is not newer than the last
                one of the application in this table is not made.

        Returns:
            With a number, False when the table had the write before; None without.

        Raises:
            TypeError: the rows are no rows that Spark or Arrow can read.
            AnalysisException: a column is not there, or has a type that does not fit.

        Example:
            >>> t = lake.create_table("numbers", "id BIGINT, name STRING DEFAULT 'none'")
            >>> t.append(spark.range(2))
            >>> [tuple(row) for row in t.to_df().orderBy("id").collect()]
            [(0, 'none'), (1, 'none')]
            >>> lake.drop_table("numbers")
        """
        return self._write(
            lambda: self._insert("append", rows, "", schema_evolution, progress), app_id, version
        )

    def overwrite(
        self,
        rows: Rows,
        *,
        where: Condition | None = None,
        schema_evolution: bool = False,
        progress: bool | None = None,
        app_id: str | None = None,
        version: int | None = None,
    ) -> bool | None:
        """Replace rows by others, in one snapshot; columns are found by name.

        Args:
            rows: as in `append`; a DataFrame may read the table itself. The rows need not fulfil
                `where`.
            where: which rows to replace: SQL, or a Column; all rows when left out.
            schema_evolution: whether the rows may add columns and widen types.
            progress: whether to show a bar.
            app_id: as in `append`.
            version: as in `append`.

        Returns:
            With a number, False when the table had the write before; None without.

        Raises:
            TypeError: the rows are no rows that Spark or Arrow can read.
            AnalysisException: a column is not there, or has a type that does not fit.

        Example:
            >>> t = lake.create_table("numbers", spark.range(4))
            >>> t.overwrite(spark.range(10, 11), where="id > 0")
            >>> [row.id for row in t.to_df().orderBy("id").collect()]
            [0, 10]
            >>> lake.drop_table("numbers")
        """
        replaced = "true" if where is None else where
        refuse_other_than_condition(replaced)
        if not schema_evolution:
            return self._write(lambda: self._replace(rows, replaced, progress), app_id, version)
        if isinstance(replaced, Column):
            raise ValueError("with schema_evolution=True the condition of an overwrite is text")
        clause = f" REPLACE WHERE {replaced}"
        return self._write(
            lambda: self._insert("overwrite", rows, clause, schema_evolution, progress),
            app_id,
            version,
        )

    def delete(
        self,
        condition: Condition,
        *,
        progress: bool | None = None,
        app_id: str | None = None,
        version: int | None = None,
    ) -> bool | None:
        """Delete the rows that fulfil a condition; `truncate` deletes all.

        Args:
            condition: SQL, such as `"id = 1"`, or a Column, such as `F.col("id") == 1`. With SQL
                whole files may go without being read.
            progress: whether to show a bar.
            app_id: as in `append`.
            version: as in `append`.

        Returns:
            With a number, False when the table had the write before; None without.

        Raises:
            AnalysisException: the condition is no SQL, or names a column that is not there.
            TypeError: the condition is neither text nor a Column.
            ValueError: the table is one at a snapshot.
            CommitConflictError: another commit changed the same rows meanwhile; run it again.

        Example:
            >>> t = lake.create_table("numbers", spark.range(4))
            >>> t.delete("id > 1")
            >>> t.to_df().count()
            2
            >>> lake.drop_table("numbers")
        """
        refuse_other_than_condition(condition)
        self._refuse_past()
        name = self._full_name()

        def write() -> None:
            if isinstance(condition, Column):
                self._change_by_column("delete", name, "DELETE", (), condition, progress)
            else:
                self._change("delete", f"DELETE FROM {name} WHERE {condition}", progress)

        return self._write(write, app_id, version)

    def truncate(self) -> None:
        """Delete all rows. No file is opened.

        Raises:
            AnalysisException: the table is not there.
            ValueError: the table is one at a snapshot.
            CommitConflictError: another commit changed the table meanwhile; run it again.

        Example:
            >>> t = lake.create_table("numbers", spark.range(4))
            >>> t.truncate()
            >>> t.to_df().count()
            0
            >>> lake.drop_table("numbers")
        """
        self._refuse_past()
        run(self.spark, f"TRUNCATE TABLE {self._full_name()}")

    def update(
        self,
        set: Mapping[str, NewValue],
        condition: Condition | None = None,
        *,
        progress: bool | None = None,
        app_id: str | None = None,
        version: int | None = None,
    ) -> bool | None:
        """Set columns of the rows that fulfil a condition.

        Args:
            set: the columns and their new values; text is SQL, such as `"upper(name)"` or
                `"'new'"`, and Columns such as `F.upper("name")`, numbers, dates and the like are
                themselves.
            condition: SQL, such as `"id = 1"`, or a Column; all rows when left out.
            progress: whether to show a bar.
            app_id: as in `append`.
            version: as in `append`.

        Returns:
            With a number, False when the table had the write before; None without.

        Raises:
            TypeError: the new values are no mapping, or the condition is neither text nor a Column.

        Example:
            >>> t = lake.create_table("numbers", spark.range(4))
            >>> t.update({"id": "id * 10"}, "id > 1")
            >>> [row.id for row in t.to_df().orderBy("id").collect()]
            [0, 1, 20, 30]
            >>> lake.drop_table("numbers")
        """
        self._refuse_past()
        refuse_other_than_values(set)
        refuse_other_than_condition("true" if condition is None else condition)
        name = self._full_name()
        columns = run(self.spark, f"SELECT * FROM {name}").columns

        def write() -> None:
            if has_column(set, condition):
                pairs = tuple(zip(column_names(set, columns), set.values(), strict=True))
                chosen = "true" if condition is None else condition
                self._change_by_column("update", name, "UPDATE", pairs, chosen, progress)
            else:
                where = "" if condition is None else f" WHERE {condition}"
                values = settings_of(column_names(set, columns), map(sql_of, set.values()))
                self._change("update", f"UPDATE {name} SET {values}{where}", progress)

        return self._write(write, app_id, version)

    def merge(
        self,
        source: Rows | TableCalls | str,
        on: str | Column | Iterable[str],
        *,
        app_id: str | None = None,
        version: int | None = None,
    ) -> Merge:
        """Begin a MERGE: add clauses, then `execute()`.

        Args:
            source: a DataFrame, rows of pandas, Polars or Arrow, a table of a lake, or the name of
                any table or view.
            on: which rows match: SQL or a Column in which the table is `t` and the source `s`, or
                the names of columns that are equal on both sides.
            app_id: as in `append`.
            version: as in `append`.

        Returns:
            A MERGE without a clause; nothing happens yet.

        Raises:
            TypeError: the source is something else.

        Example:
            >>> t = lake.create_table("numbers", "id BIGINT, name STRING")
            >>> merge = t.merge(lake.table("events"), on="t.id = s.id AND s.id > 1")
            >>> merge.when_not_matched_insert().execute()
            >>> [tuple(row) for row in t.to_df().orderBy("id").collect()]
            [(1, 'one'), (2, 'two')]
            >>> lake.drop_table("numbers")
        """
        self._refuse_past()
        with translated_errors():
            rows = self._source(source)
            condition = join_condition(on, rows.columns)
            return Merge(self, rows, condition, app_id=app_id, version=version)

    def _source(self, source: Rows | TableCalls | str) -> DataFrame:
        if isinstance(source, TableCalls):
            return source._select()
        if isinstance(source, str):
            return self.spark.table(source)
        return as_dataframe(self.spark, source, "a source is a table, the name of a table,")

    def _insert(
        self,
        title: str,
        rows: Rows,
        clause: str,
        schema_evolution: bool,
        progress: bool | None,
    ) -> None:
        self._refuse_past()
        evolution = "WITH SCHEMA EVOLUTION " if schema_evolution else ""
        with as_view(self.spark, self._rows(rows)) as view, _told_of_evolution():
            start = f"INSERT {evolution}INTO {self._full_name()} BY NAME"
            self._change(title, f"{start}{clause} SELECT * FROM {view}", progress)

    def _replace(self, rows: Rows, where: Condition, progress: bool | None) -> None:
        self._refuse_past()
        with (
            translated_errors(),
            _told_of_evolution(),
            _progress.shown(self.spark, "overwrite", progress),
        ):
            frame = self._rows(rows)
            refuse_other_sessions(self.spark, frame)
            frame.writeTo(self._full_name()).overwrite(as_column(where, frame))

    def _rows(self, rows: Rows) -> DataFrame:
        return as_dataframe(self.spark, rows, "rows are")

    def _change(self, title: str, statement: str, progress: bool | None) -> None:
        with _progress.shown(self.spark, title, progress):
            run(self.spark, statement)

    def _change_by_column(
        self,
        title: str,
        name: str,
        action: str,
        values: Values,
        condition: Condition,
        progress: bool | None,
    ) -> None:
        """UPDATE or DELETE with Columns: a MERGE of the table with one row, which matches them all.

        Spark takes Columns in `mergeInto` alone, and over Connect there is no text of a Column.
        """
        one = self.spark.range(1).toDF("__ducklake_spark_row")
        clause = Clause(KINDS[0], action, values, None)
        with translated_errors(), _progress.shown(self.spark, title, progress):
            merge_columns(one, name, condition, [clause])


@contextmanager
def _told_of_evolution() -> Iterator[None]:
    """Say how a table gets the columns that Spark refuses as too many."""
    try:
        yield
    except AnalysisException as failure:
        if failure.getCondition() != _EXTRA_COLUMNS:
            raise
        text = str(failure).partition("\n")[0].removeprefix(f"[{_EXTRA_COLUMNS}] ")
        raise AnalysisException(
            f"{text} Leave the columns out, or say schema_evolution=True, which adds them.",
            _EXTRA_COLUMNS,
            failure.getMessageParameters(),
        ) from failure
