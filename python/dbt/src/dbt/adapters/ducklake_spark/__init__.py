"""The adapter `ducklake_spark`: dbt on lakes that Spark has as catalogs.

It builds on dbt-spark, whose macros apply wherever this package has none of its own.
"""

from __future__ import annotations

from dbt.adapters.base import AdapterPlugin

from dbt.adapters.ducklake_spark.adapter import DuckLake_SparkAdapter
from dbt.adapters.ducklake_spark.credentials import LakeCredentials
from dbt.include import ducklake_spark

Plugin = AdapterPlugin(
    adapter=DuckLake_SparkAdapter,
    credentials=LakeCredentials,
    include_path=ducklake_spark.PACKAGE_PATH,
    dependencies=["spark"],
)
