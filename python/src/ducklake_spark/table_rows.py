"""Rows of a table that come, change and go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame

from ducklake_spark import _progress
from ducklake_spark._assign import assignments, join_condition
from ducklake_spark._calls import as_view, run
from ducklake_spark._sql import Value, refuse_other_than_sql
from ducklake_spark._table_calls import TableCalls
from ducklake_spark.merge import Merge
from ducklake_spark.translation import translated_errors


@dataclass(frozen=True, repr=False)
class TableRows(TableCalls):
    """Writing rows. Each call makes one snapshot, or none when nothing changes.

    `CommitConflictError` says that another commit changed the same rows meanwhile, and that nothing
    happened: run the call again. `progress` is as in `Lake`.
    """

    def append(
        self,
        rows: DataFrame,
        *,
        schema_evolution: bool = False,
        progress: bool | None = None,
    ) -> None:
        """Add rows; their columns are found by name, and the others get their defaults.

        Args:
            rows: a DataFrame.
            schema_evolution: whether the DataFrame may add columns and widen types.
            progress: whether to show a bar.

        Raises:
            TypeError: the rows are no DataFrame.
            AnalysisException: a column is not there, or has a type that does not fit.

        Example:
            >>> t = lake.create_table("numbers", "id BIGINT, name STRING DEFAULT 'none'")
            >>> t.append(spark.range(2))
            >>> [tuple(row) for row in t.to_df().orderBy("id").collect()]
            [(0, 'none'), (1, 'none')]
            >>> lake.drop_table("numbers")
        """
        self._insert("append", rows, "", schema_evolution, progress)

    def overwrite(
        self,
        rows: DataFrame,
        *,
        where: str | None = None,
        schema_evolution: bool = False,
        progress: bool | None = None,
    ) -> None:
        """Replace rows by others, in one snapshot; columns are found by name.

        Args:
            rows: a DataFrame; it may read the table itself. Its rows need not fulfil `where`.
            where: the condition, in SQL, of the rows to replace; all rows when left out.
            schema_evolution: whether the DataFrame may add columns and widen types.
            progress: whether to show a bar.

        Raises:
            TypeError: the rows are no DataFrame.
            AnalysisException: a column is not there, or has a type that does not fit.

        Example:
            >>> t = lake.create_table("numbers", spark.range(4))
            >>> t.overwrite(spark.range(10, 11), where="id > 0")
            >>> [row.id for row in t.to_df().orderBy("id").collect()]
            [0, 10]
            >>> lake.drop_table("numbers")
        """
        refuse_other_than_sql("true" if where is None else where)
        clause = f" REPLACE WHERE {'true' if where is None else where}"
        self._insert("overwrite", rows, clause, schema_evolution, progress)

    def delete(self, condition: str, *, progress: bool | None = None) -> None:
        """Delete the rows that fulfil a condition; `truncate` deletes all.

        Args:
            condition: SQL, such as `"id = 1"`.
            progress: whether to show a bar.

        Raises:
            AnalysisException: the condition is no SQL, or names a column that is not there.
            TypeError: the condition is no text.
            ValueError: the table is one at a snapshot.
            CommitConflictError: another commit changed the same rows meanwhile; run it again.

        Example:
            >>> t = lake.create_table("numbers", spark.range(4))
            >>> t.delete("id > 1")
            >>> t.to_df().count()
            2
            >>> lake.drop_table("numbers")
        """
        refuse_other_than_sql(condition)
        self._refuse_past()
        self._change("delete", f"DELETE FROM {self._full_name()} WHERE {condition}", progress)

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
        set: Mapping[str, Value],
        condition: str | None = None,
        *,
        progress: bool | None = None,
    ) -> None:
        """Set columns of the rows that fulfil a condition.

        Args:
            set: the columns and their new values; text is SQL, such as `"upper(name)"` or
                `"'new'"`, and numbers, dates and the like are themselves.
            condition: SQL, such as `"id = 1"`; all rows when left out.
            progress: whether to show a bar.

        Raises:
            TypeError: the new values are no mapping.

        Example:
            >>> t = lake.create_table("numbers", spark.range(4))
            >>> t.update({"id": "id * 10"}, "id > 1")
            >>> [row.id for row in t.to_df().orderBy("id").collect()]
            [0, 1, 20, 30]
            >>> lake.drop_table("numbers")
        """
        self._refuse_past()
        values = assignments(set, self._select().columns)
        refuse_other_than_sql("true" if condition is None else condition)
        where = "" if condition is None else f" WHERE {condition}"
        self._change("update", f"UPDATE {self._full_name()} SET {values}{where}", progress)

    def merge(self, source: DataFrame | TableCalls | str, on: str | Iterable[str]) -> Merge:
        """Begin a MERGE: add clauses, then `execute()`.

        Args:
            source: a DataFrame, a table of a lake, or the name of any table or view.
            on: which rows match: SQL in which the table is `t` and the source `s`, or the names of
                columns that are equal on both sides.

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
            return Merge(self, rows, join_condition(on, rows.columns))

    def _source(self, source: DataFrame | TableCalls | str) -> DataFrame:
        if isinstance(source, TableCalls):
            return source._select()
        if isinstance(source, str):
            return self.spark.table(source)
        if isinstance(source, DataFrame):
            return source
        raise TypeError(
            f"a source is a DataFrame, a table or a table's name, not a {type(source).__name__}: "
            "spark.createDataFrame(…) makes one of pandas and Arrow data and of lists"
        )

    def _insert(
        self,
        title: str,
        rows: DataFrame,
        clause: str,
        schema_evolution: bool,
        progress: bool | None,
    ) -> None:
        self._refuse_past()
        evolution = "WITH SCHEMA EVOLUTION " if schema_evolution else ""
        with as_view(self.spark, rows) as view:
            start = f"INSERT {evolution}INTO {self._full_name()} BY NAME"
            self._change(title, f"{start}{clause} SELECT * FROM {view}", progress)

    def _change(self, title: str, statement: str, progress: bool | None) -> None:
        with _progress.shown(self.spark, title, progress):
            run(self.spark, statement)
