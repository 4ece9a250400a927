"""`when_matched_update()` and `when_not_matched_insert()` take the columns of the source."""

from __future__ import annotations

import ducklake_spark as dl
import pytest
from ducklake_spark._assign import shared_columns
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame

Row = tuple[object, ...]


@pytest.fixture
def table(example_lake: dl.Lake) -> dl.Table:
    """A table with two rows, `DEFAULT` and a name that needs quotes."""
    made = example_lake.create_table(
        "t", "id BIGINT, name STRING DEFAULT 'none', `a b` INT", sorted_by="id"
    )
    example_lake.spark.sql("INSERT INTO lake.main.t VALUES (1, 'one', 10), (2, 'two', 20)")
    return made


def merged(table: dl.Table, source: DataFrame) -> dl.Merge:
    """A MERGE of all columns."""
    return table.merge(source, on="id").when_matched_update().when_not_matched_insert()


def rows_of(table: dl.Table) -> list[Row]:
    """All rows in order."""
    return [tuple(row) for row in table.to_df().orderBy("id").collect()]


def test_columns_that_the_source_lacks_stay_and_get_defaults(table: dl.Table) -> None:
    source = table.spark.createDataFrame([(99, 2), (99, 3)], "`A B` INT, ID BIGINT")

    merged(table, source).execute()

    assert rows_of(table) == [(1, "one", 10), (2, "two", 99), (3, "none", 99)]


def test_a_column_that_the_table_lacks_is_an_error_as_for_append(table: dl.Table) -> None:
    source = table.spark.createDataFrame([(2, 1.5, "x")], "id BIGINT, price DOUBLE, name STRING")

    with pytest.raises(AnalysisException) as appended:
        table.append(source)
    with pytest.raises(
        AnalysisException, match=r"lake\.main\.t.*`price`.*with_schema_evolution"
    ) as answer:
        merged(table, source).execute()

    assert answer.value.getCondition() == appended.value.getCondition()
    assert rows_of(table) == [(1, "one", 10), (2, "two", 20)]
    assert not [view for view in table.spark.catalog.listTables() if view.isTemporary]


def test_columns_that_are_named_may_be_some_of_the_source(table: dl.Table) -> None:
    source = table.spark.createDataFrame([(2, 1.5), (3, 2.5)], "id BIGINT, price DOUBLE")

    merge = table.merge(source, on="id").when_matched_update({"a b": "CAST(s.price AS INT)"})
    merge.when_not_matched_insert({"id": "s.id"}).execute()

    assert rows_of(table) == [(1, "one", 10), (2, "two", 1), (3, "none", None)]


@pytest.mark.parametrize("is_asked_first", [True, False])
def test_with_schema_evolution_the_source_adds_columns(
    table: dl.Table, is_asked_first: bool
) -> None:
    source = table.spark.createDataFrame(
        [(2, "zwei", 2, 1.5), (3, "drei", 3, 2.5)],
        "id BIGINT, name STRING, `a b` INT, price DOUBLE",
    )

    merge = table.merge(source, on="id")
    if is_asked_first:
        merge = merge.with_schema_evolution()
    merge = merge.when_matched_update().when_not_matched_insert()
    (merge if is_asked_first else merge.with_schema_evolution()).execute()

    assert rows_of(table) == [
        (1, "one", 10, None),
        (2, "zwei", 2, 1.5),
        (3, "drei", 3, 2.5),
    ]


def test_the_case_of_names_counts_when_spark_says_so(table: dl.Table) -> None:
    source = table.spark.createDataFrame([(2, "zwei")], "id BIGINT, NAME STRING")
    table.spark.conf.set("spark.sql.caseSensitive", "true")

    with pytest.raises(AnalysisException, match="`NAME`"):
        merged(table, source).execute()

    found = shared_columns(["ID", "a"], ["id", "A"], "t", is_case_sensitive=False)
    assert found == [("`id`", "s.`ID`"), ("`A`", "s.`a`")]
