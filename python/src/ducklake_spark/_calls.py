"""Procedures of a lake, as methods call them."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from ducklake_spark._sql import Value, call
from ducklake_spark.table import run


@dataclass(frozen=True)
class LakeCalls:
    """What the methods that call procedures share."""

    spark: SparkSession
    catalog: str

    def _call(self, procedure: str, **arguments: Value) -> DataFrame:
        return run(self.spark, call(self.catalog, procedure, **arguments))
