"""Numbers of NumPy, pandas and `decimal` wherever a number is taken."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

import ducklake_spark as dl
import numpy as np
import pandas as pd
import pytest
from ducklake_spark._sql import Value, literal, moment_of, option_text, range_options

NUMBERS = [
    (np.int64(7), "7"),
    (np.uint8(200), "200"),
    (np.float64(9.5), "9.5D"),
    (np.float32(0.5), "0.5D"),
    (np.bool_(True), "true"),
    (Decimal("9.50"), "9.50BD"),
    (Decimal("-1E+3"), "-1000BD"),
    (Fraction(1, 4), "0.25D"),
    ([np.int64(1), Decimal("2.5")], "array(1, 2.5BD)"),
]


@pytest.mark.parametrize(("value", "text"), NUMBERS)
def test_a_number_is_the_literal_of_its_value(value: Value, text: str) -> None:
    assert literal(value) == text


@pytest.mark.parametrize("value", [np.float64("nan"), Decimal("NaN"), Decimal("-Infinity")])
def test_a_number_that_sql_cannot_write_is_refused(value: Value) -> None:
    with pytest.raises(ValueError, match="no literal"):
        literal(value)


def test_a_number_is_a_version() -> None:
    assert moment_of(np.int64(3), None, None) == (3, None)
    assert moment_of(None, np.int32(3), None) == (3, None)
    assert range_options(np.int64(1), np.int64(2)) == {
        "start-snapshot": "1",
        "end-snapshot": "2",
    }
    for wrong in (np.float64(3), np.bool_(True), Decimal(3)):
        with pytest.raises(TypeError):
            moment_of(wrong, None, None)  # type: ignore[arg-type]


def test_an_option_is_the_text_of_its_value() -> None:
    given = [np.int64(5), np.bool_(True), np.float64(0.5), Decimal("1E+2")]

    assert [option_text(value) for value in given] == ["5", "true", "0.5", "100"]
    found = dl.settings("lake", "ducklake:sqlite:l.sqlite", read_only=np.bool_(True))
    assert found["spark.sql.catalog.lake.read-only"] == "true"


@pytest.mark.parametrize(
    ("versions", "count"),
    [
        (pd.Series([0, 1]), 2),
        (np.array([1, 2]), 2),
        (np.int64(1), 1),
        (range(3), 3),
        ({0, 2}, 2),
    ],
    ids=["series", "array", "scalar", "range", "set"],
)
def test_snapshots_expire_by_any_numbers(
    example_lake: dl.Lake, versions: Iterable[int], count: int
) -> None:
    expired = example_lake.expire_snapshots(versions=versions, dry_run=True, progress=False)

    assert expired.count() == count


@pytest.mark.parametrize("versions", ["12", [1.0], [True], [Decimal(1)]])
def test_versions_that_are_no_numbers_are_refused(
    example_lake: dl.Lake, versions: list[int]
) -> None:
    with pytest.raises(TypeError, match="a version is the number of a snapshot, not"):
        example_lake.expire_snapshots(versions=versions, dry_run=True)


def test_columns_are_set_to_numbers(example_lake: dl.Lake) -> None:
    table = example_lake.create_table(
        "t", "id BIGINT, amount DOUBLE, price DECIMAL(38, 20), paid BOOLEAN"
    )
    table.append(example_lake.spark.range(1))
    price = Decimal("12345678901234567.12345678901234567890")

    table.update(
        {"id": np.int64(7), "amount": np.float64(9.5), "price": price, "paid": np.bool_(True)}
    )
    table.merge(example_lake.spark.range(8, 9), on="id").when_not_matched_insert(
        {"id": np.int64(8), "price": Decimal("0.5")}
    ).execute()

    rows = [tuple(row) for row in table.to_df().orderBy("id").collect()]
    assert rows == [(7, 9.5, price, True), (8, None, Decimal("0.5"), None)]


def test_a_table_is_looked_at_by_numbers_of_a_frame(example_lake: dl.Lake) -> None:
    snapshots = example_lake.snapshots().select("snapshot_id").toPandas()["snapshot_id"]
    newest = snapshots.max()
    table = example_lake.table("events")

    assert not isinstance(newest, int)
    assert example_lake.at(newest - 1).table("events").to_df().count() == 1
    assert table.at(version=newest).to_df().count() == 2
    assert table.changes(start=newest, end=newest).count() == 1
    assert table.history(np.int64(1)).count() == 1
    table.set_option("target_file_size", np.int64(1_000_000))
    assert table.properties["target_file_size"] == "1000000"
    assert table.rollback_to_snapshot(newest - 1).count() == 1
    assert table.to_df().count() == 1
