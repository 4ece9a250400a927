"""Rows of other libraries as DataFrames: those of pandas, also on Spark, Polars, Arrow, DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

if TYPE_CHECKING:
    import pyarrow


@runtime_checkable
class ArrowStream(Protocol):
    """Rows that Arrow can read: a DataFrame of pandas or Polars, a table of Arrow, and the like."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows, as Arrow's interface of C has them."""


@runtime_checkable
class PandasOnSpark(Protocol):
    """A DataFrame of the pandas API on Spark."""

    def to_spark(self) -> DataFrame:
        """Its rows, without its index."""


Rows: TypeAlias = "DataFrame | PandasOnSpark | ArrowStream"
"""A DataFrame of Spark or of its pandas API, or rows that Arrow can read."""


def as_dataframe(spark: SparkSession, rows: object, what: str) -> DataFrame:
    """Rows as a DataFrame of Spark.

    Rows of other libraries pass through Arrow and through the memory of this process. A missing
    value of pandas is NULL, also NaN, and its index is left out. A time without a zone is a
    TIMESTAMP_NTZ, which is TIMESTAMP in DuckDB.

    Args:
        spark: the session.
        rows: a DataFrame of Spark or of its pandas API, or what Arrow can read.
        what: what the rows are, for the error.

    Raises:
        TypeError: they are none of these.
    """
    if isinstance(rows, DataFrame):
        return rows
    if isinstance(rows, PandasOnSpark):
        return rows.to_spark()
    if isinstance(rows, ArrowStream) or _library(rows) in ("pandas", "pyarrow"):
        # The oldest versions that PySpark 4.0 takes have no such stream.
        table = _readable(_arrow(rows))
        return spark.createDataFrame(
            table, from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
        )
    raise TypeError(
        f"{what} a DataFrame of Spark, pandas or Polars, or an Arrow table, not a "
        f"{type(rows).__name__}: spark.createDataFrame(…) makes one of lists"
    )


def _library(rows: object) -> str:
    return type(rows).__module__.partition(".")[0]


def _arrow(rows: object) -> pyarrow.Table:
    import pyarrow

    if isinstance(rows, pyarrow.Table):
        return rows
    if _library(rows) == "pandas":
        return pyarrow.Table.from_pandas(rows, preserve_index=False)
    if _library(rows) == "polars" and hasattr(rows, "to_arrow"):
        # Of Polars' own stream Arrow cannot convert every type.
        return rows.to_arrow()
    return pyarrow.table(rows)


def _readable(table: pyarrow.Table) -> pyarrow.Table:
    """The table with types that Spark reads: the next wider one, where it has not the very type."""
    import pyarrow

    return table.cast(pyarrow.schema([_field(field) for field in table.schema]))


def _field(field: pyarrow.Field) -> pyarrow.Field:
    return field.with_type(_type(field.type))


def _type(kind: pyarrow.DataType) -> pyarrow.DataType:
    """The type of a column for Spark, which knows no unsigned numbers, and microseconds alone."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(kind):
        return _type(kind.value_type)
    if types.is_timestamp(kind):
        return pyarrow.timestamp("us", kind.tz)
    if types.is_duration(kind):
        return pyarrow.duration("us")
    if types.is_struct(kind):
        return pyarrow.struct([_field(kind.field(place)) for place in range(kind.num_fields)])
    if types.is_map(kind):
        return pyarrow.map_(_type(kind.key_type), _type(kind.item_type))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pyarrow.list_(_field(kind.value_field))
    wider = {
        pyarrow.uint8(): pyarrow.int16(),
        pyarrow.uint16(): pyarrow.int32(),
        pyarrow.uint32(): pyarrow.int64(),
        pyarrow.uint64(): pyarrow.decimal128(20, 0),
        pyarrow.float16(): pyarrow.float32(),
        pyarrow.date64(): pyarrow.date32(),
    }
    if hasattr(pyarrow, "string_view"):  # since Arrow 16
        wider |= {
            pyarrow.string_view(): pyarrow.string(),
            pyarrow.binary_view(): pyarrow.binary(),
        }
    return wider.get(kind, kind)
