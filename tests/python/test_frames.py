"""Rows of pandas, Polars, Arrow and DuckDB where a method takes a DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from decimal import Decimal

import duckdb
import ducklake_spark as dl
import pandas
import polars
import pyarrow
import pytest
from ducklake_spark import _frames
from pyspark.errors import PySparkException

from support.doctests import run_examples

DATA = {"id": [1, 2], "name": ["one", None]}
MAKERS: dict[str, Callable[[], object]] = {
    "pandas": lambda: pandas.DataFrame(DATA, index=pandas.Index([7, 8], name="left out")),
    "Polars": lambda: polars.DataFrame(DATA),
    "Arrow": lambda: pyarrow.table(DATA),
    "a batch": lambda: pyarrow.record_batch(DATA),
    "a reader": lambda: pyarrow.table(DATA).to_reader(),
    "DuckDB": lambda: duckdb.sql("FROM (VALUES (1, 'one'), (2, NULL)) AS r(id, name)"),
}


def rows_of(table: dl.Table) -> list[tuple[object, ...]]:
    """All rows in order."""
    return [tuple(row) for row in table.to_df().orderBy("id").collect()]


def test_examples_hold() -> None:
    assert run_examples(_frames).failed == 0


@pytest.mark.parametrize("library", MAKERS)
def test_rows_of_every_library_are_written(example_lake: dl.Lake, library: str) -> None:
    written(example_lake, MAKERS[library])


@pytest.mark.parametrize("library", ["pandas", "Arrow"])
def test_libraries_without_arrows_stream_are_known(
    example_lake: dl.Lake, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    """The oldest ones that PySpark 4.0 takes: pandas 2.0, Arrow 11."""
    if library == "pandas":
        monkeypatch.delattr(pandas.DataFrame, "__arrow_c_stream__")
    else:
        monkeypatch.delattr(pyarrow, "string_view")
        monkeypatch.delattr(pyarrow, "binary_view")

    table = example_lake.create_table("t", MAKERS[library]())  # type: ignore[arg-type]

    assert rows_of(table) == [(1, "one"), (2, None)]


@pytest.fixture
def pandas_api(example_lake: dl.Lake, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The pandas API of the lake's session: here a process has sessions of both kinds.

    Spark 4.0 has it only without ANSI mode.
    """
    if "connect" in type(example_lake.spark).__module__:
        monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    before = example_lake.spark.conf.get("spark.sql.ansi.enabled")
    example_lake.spark.conf.set("spark.sql.ansi.enabled", "false")
    yield
    example_lake.spark.conf.set("spark.sql.ansi.enabled", str(before))


@pytest.mark.usefixtures("pandas_api")
def test_rows_of_the_pandas_api_on_spark_are_written(example_lake: dl.Lake) -> None:
    rows = example_lake.spark.createDataFrame(
        [(7, 1, "one"), (8, 2, None)], "left_out INT, id BIGINT, name STRING"
    )

    written(example_lake, lambda: rows.pandas_api(index_col="left_out"))


def written(lake: dl.Lake, make: Callable[[], object]) -> None:
    """Each method takes the rows of `DATA`, which are made anew for each."""
    table = lake.create_table("t", make())  # type: ignore[arg-type]

    table.append(make())  # type: ignore[arg-type]
    twice = rows_of(table)
    table.overwrite(make(), where="id = 2")  # type: ignore[arg-type]
    replaced = rows_of(table)
    table.delete("id = 2")
    table.merge(make(), on="id").when_not_matched_insert().execute()  # type: ignore[arg-type]

    assert table.schema.names == ("id", "name")
    assert twice == [(1, "one"), (1, "one"), (2, None), (2, None)]
    assert replaced == [(1, "one"), (1, "one"), (1, "one"), (2, None)]
    assert rows_of(table) == [(1, "one"), (1, "one"), (1, "one"), (2, None)]


@pytest.mark.usefixtures("pandas_api")
def test_rows_are_read_into_every_library(example_lake: dl.Lake) -> None:
    rows = example_lake.create_table("t", pyarrow.table(DATA)).to_df().orderBy("id")

    pairs = [(1, "one"), (2, None)]
    arrow = rows.toArrow()
    assert arrow.to_pydict() == DATA
    assert polars.from_arrow(arrow).rows() == pairs  # type: ignore[union-attr]
    assert duckdb.from_arrow(arrow).fetchall() == pairs
    frame = rows.toPandas()
    assert [*frame["id"]] == DATA["id"] and [*frame["name"]] == DATA["name"]
    on_spark = rows.pandas_api()
    assert int(on_spark["id"].sum()) == 3
    assert [*on_spark.sort_values("id").to_pandas()["name"]] == DATA["name"]


def test_missing_values_of_pandas_are_null(example_lake: dl.Lake) -> None:
    data = pandas.DataFrame(
        {
            "id": pandas.array([1, None], dtype="Int64"),
            "x": [0.5, float("nan")],
            "kind": pandas.Categorical(["a", None]),
            "at": pandas.to_datetime(["2026-01-31 12:00:00.123456", None]),
            "utc": pandas.to_datetime(["2026-01-31 12:00:00", None]).tz_localize("UTC"),
        }
    )

    table = example_lake.create_table("t", data)

    assert [each.type for each in table.schema] == [
        *("bigint", "double", "string", "timestamp_ntz", "timestamp")
    ]
    first, second = sorted(map(tuple, table.to_df().collect()), key=lambda row: row[0] is None)
    assert first[:4] == (1, 0.5, "a", datetime(2026, 1, 31, 12, 0, 0, 123456))
    noon = datetime(2026, 1, 31, 12, tzinfo=timezone.utc)
    assert first[4].astimezone(timezone.utc) == noon
    assert second == (None,) * 5


@pytest.mark.parametrize(
    ("values", "kind", "stored"),
    [
        (pyarrow.array([255], pyarrow.uint8()), "smallint", 255),
        (pyarrow.array([65535], pyarrow.uint16()), "int", 65535),
        (pyarrow.array([4294967295], pyarrow.uint32()), "bigint", 4294967295),
        (
            pyarrow.array([18446744073709551615], pyarrow.uint64()),
            "decimal(20,0)",
            Decimal(18446744073709551615),
        ),
        (pyarrow.array([0.5], pyarrow.float16()), "float", 0.5),
        (pyarrow.array(["x"], pyarrow.string_view()), "string", "x"),
        (pyarrow.array(["x"], pyarrow.large_string()), "string", "x"),
        (pyarrow.array(["x"]).dictionary_encode(), "string", "x"),
        (
            pyarrow.array([1000], pyarrow.timestamp("ns")),
            "timestamp_ntz",
            datetime(1970, 1, 1, 0, 0, 0, 1),
        ),
        (pyarrow.array([[255]], pyarrow.list_(pyarrow.uint8())), "array<smallint>", [255]),
        (
            pyarrow.array([{"a": 255}], pyarrow.struct([("a", pyarrow.uint8())])),
            "struct<a:smallint>",
            (255,),
        ),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pyarrow.Array) else "",
)
def test_types_that_spark_has_not_become_wider(
    example_lake: dl.Lake, values: pyarrow.Array, kind: str, stored: object
) -> None:
    table = example_lake.create_table("t", pyarrow.table({"a": values}))

    assert table.schema["a"].type == kind
    assert table.to_df().collect()[0].a == stored


def test_what_does_not_fit_is_refused_and_changes_nothing(example_lake: dl.Lake) -> None:
    before = example_lake.current_snapshot().collect()
    nanoseconds = pyarrow.table({"a": pyarrow.array([1001], pyarrow.timestamp("ns"))})

    with pytest.raises(pyarrow.ArrowInvalid, match="would lose data"):
        example_lake.create_table("t", nanoseconds)
    with pytest.raises(pyarrow.ArrowException, match="Expected"):
        example_lake.create_table("t", pandas.DataFrame({"mixed": ["a", 1]}))
    with pytest.raises(TypeError, match="not a list"):
        example_lake.table("events").append([1])  # type: ignore[arg-type]
    with pytest.raises(PySparkException):
        example_lake.table("events").append(pandas.DataFrame({"id": ["x"], "name": ["y"]}))

    assert example_lake.current_snapshot().collect() == before
