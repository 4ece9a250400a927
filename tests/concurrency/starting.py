"""The Spark of a process that a test starts, and perhaps kills."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def spark_with(settings: Mapping[str, str], log_level: str = "OFF") -> SparkSession:
    """A session with settings of its own. Only the process itself imports PySpark."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel(log_level)
    return spark
