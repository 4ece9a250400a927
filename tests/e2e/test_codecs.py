"""Files of DuckDB in each of its compressions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from support.asking import refused, rows
from support.lakes import Lake
from support.peer import made

Register = Callable[..., str]

READ = ("uncompressed", "snappy", "gzip", "zstd", "lz4", "lz4_raw")


def written(codec: str) -> tuple[str, str]:
    """Statements that make a table of the compression's name."""
    select = f"SELECT i AS a, '{codec}' AS b FROM range(1000) r(i)"
    return (
        f"CALL lake.set_option('parquet_compression', '{codec}')",
        f"CREATE TABLE {codec} AS {select}",
    )


@pytest.mark.parametrize("kind", ["sqlite"])
def test_compressions_of_duckdb(lake: Lake, register: Register, spark: SparkSession) -> None:
    made(lake, *(statement for codec in (*READ, "brotli") for statement in written(codec)))
    catalog = register(lake)

    each = " UNION ALL ".join(f"SELECT a, b FROM {catalog}.{codec}" for codec in READ)
    found = rows(spark, f"SELECT b, count(*), sum(a) FROM ({each}) GROUP BY b ORDER BY b")
    assert found == [(codec, 1000, 499500) for codec in sorted(READ)]

    parts = ("compressed by Brotli", "org.apache.hadoop.io.compress.BrotliCodec", "zstd")
    query = f"SELECT sum(a) FROM {catalog}.brotli"
    message = refused(spark, query, "DUCKLAKE_UNREADABLE_FILE", *parts)
    assert "damaged" not in message
    assert "restore" not in message
