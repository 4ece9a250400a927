"""Columns of PySpark as conditions and as values, in a classic session and over Spark Connect."""

from __future__ import annotations

from datetime import date
from typing import Any

import ducklake_spark as dl
import pytest
from ducklake_spark import _clauses, _columns
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession, functions

from support.doctests import run_examples
from support.lines import EVOLVING_MERGE, since


@pytest.fixture
def F(session: SparkSession) -> Any:  # noqa: ANN401
    """The functions that make Columns of the session's kind; a process with one kind has one."""
    if "connect" not in type(session).__module__:
        return functions
    from pyspark.sql.connect import functions as of_connect

    return of_connect


@pytest.fixture
def table(example_lake: dl.Lake) -> dl.Table:
    """A table with four rows, one of them without a name."""
    made = example_lake.create_table("t", "id BIGINT, name STRING, `a b` DATE, s STRUCT<x: INT>")
    rows = [(1, "one"), (2, "two"), (3, "three"), (4, None)]
    made.append(example_lake.spark.createDataFrame(rows, "id BIGINT, name STRING"))
    return made


def rows_of(table: dl.Table) -> list[tuple[object, ...]]:
    """Ids and names in order."""
    return [tuple(row) for row in table.to_df().select("id", "name").orderBy("id").collect()]


@pytest.mark.parametrize("module", [_clauses, _columns])
def test_examples_hold(module: object) -> None:
    assert run_examples(module).failed == 0  # type: ignore[arg-type]


def test_rows_are_deleted_where_a_column_is_true(table: dl.Table, F: Any) -> None:  # noqa: ANN401
    before = table.history(1).collect()[0].snapshot_id

    table.delete((F.col("id") == 1) | F.col("name").startswith("th"))
    table.delete(F.col("name") == "it's")

    assert rows_of(table) == [(2, "two"), (4, None)]
    newest, *_ = table.history(1).collect()
    assert newest.snapshot_id == before + 1
    assert [kind for kind in newest.changes if "delete" in kind] != []


def test_columns_are_set_to_columns(table: dl.Table, F: Any) -> None:  # noqa: ANN401
    table.update({"name": F.concat(F.col("name"), F.lit("'s"))}, F.col("id") < 3)
    table.update({"name": F.lit("none"), "a b": date(2026, 1, 31)}, "name IS NULL")
    table.update({"s": F.struct(F.col("id").cast("int").alias("x")), "id": "id * 10"})
    table.update({"s.x": F.col("s.x") + 1}, F.col("s.x") == 4)

    assert rows_of(table) == [(10, "one's"), (20, "two's"), (30, "three"), (40, "none")]
    assert [row.x for row in table.to_df().orderBy("id").select("s.x").collect()] == [1, 2, 3, 5]
    assert table.to_df().where("id = 40").collect()[0]["a b"] == date(2026, 1, 31)


def test_a_merge_takes_columns_and_text(table: dl.Table, F: Any) -> None:  # noqa: ANN401
    source = table.spark.createDataFrame(
        [(1, "eins"), (2, "gone"), (9, "nine"), (10, "ten")], "key BIGINT, name STRING"
    )
    (
        table.merge(source, on=F.col("t.id") == F.col("s.key"))
        .when_matched_delete(F.col("s.name") == "gone")
        .when_matched_update({"name": F.upper("s.name"), "a b": "current_date()"})
        .when_not_matched_insert({"id": F.col("s.key"), "name": "s.name"}, "s.key < 10")
        .when_not_matched_by_source_update({"name": F.lit("left")}, F.col("t.id") == 3)
        .execute()
    )

    assert rows_of(table) == [(1, "EINS"), (3, "left"), (4, None), (9, "nine")]


def test_all_columns_of_the_source_are_taken(table: dl.Table, F: Any) -> None:  # noqa: ANN401
    source = table.spark.createDataFrame([("zwei", 2), ("five", 5)], "name STRING, id BIGINT")
    merge = table.merge(source, on=F.expr("t.id = s.id")).when_matched_update()
    merge.when_not_matched_insert().execute()

    assert rows_of(table)[1::3] == [(2, "zwei"), (5, "five")]


@since(EVOLVING_MERGE)
def test_a_merge_brings_columns(table: dl.Table, F: Any) -> None:  # noqa: ANN401
    source = table.spark.createDataFrame([("zwei", 2), ("five", 5)], "name STRING, id BIGINT")
    more = source.withColumn("more", F.lit(1))
    bringing = table.merge(more, on=F.col("t.id") == F.col("s.id")).with_schema_evolution()
    bringing.when_matched_update().when_not_matched_insert().execute()
    assert table.schema.names[-1] == "more"


def test_rows_are_replaced_where_a_column_is_true(table: dl.Table, F: Any) -> None:  # noqa: ANN401
    table.overwrite(table.spark.range(7, 8), where=F.col("id") > 1)

    assert rows_of(table) == [(1, "one"), (7, None)]
    with pytest.raises(ValueError, match="is text"):
        table.overwrite(table.spark.range(1), where=F.col("id") > 1, schema_evolution=True)


def test_what_columns_cannot_say_is_refused(table: dl.Table, F: Any) -> None:  # noqa: ANN401
    source = table.spark.range(1)
    merge = table.merge(source, on=F.col("t.id") == F.col("s.id")).when_matched_delete()

    with pytest.raises(ValueError, match="no text in SQL"):
        merge.statement("`t`", "`s`")
    with pytest.raises(AnalysisException, match="nam"):
        table.delete(F.col("nam") == 1)
    with pytest.raises(AnalysisException, match="belongs to another DataFrame"):
        table.delete(table.to_df().id == 1)
    assert len(rows_of(table)) == 4


@since(EVOLVING_MERGE)
def test_a_merge_asks_about_its_table_once(
    table: dl.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    full_name = dl.Table._full_name

    def counted(self: dl.Table) -> str:
        asked.append(self.name)
        return full_name(self)

    monkeypatch.setattr(dl.Table, "_full_name", counted)
    merge = table.merge(table.spark.range(1), on="id").with_schema_evolution()
    for number in range(3):
        merge = merge.when_matched_update({"name": "'x'"}, f"t.id = {number}")
    merge.when_matched_delete().execute()

    assert asked == ["t"]
