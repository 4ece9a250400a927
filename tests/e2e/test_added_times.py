"""Registered files whose timestamps have more digits than the column: extremes are those read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer

Register = Callable[..., str]

NANOS = pa.timestamp("ns")
MICROS = pa.timestamp("us")
FIRST, LAST = -1_500_500_999, 1_704_067_200_123_456_789
"""1969-12-31 23:59:58.499499001 and 2024-01-01 00:00:00.123456789, in nanoseconds."""


@pytest.mark.parametrize("kind", ["sqlite"])
@pytest.mark.parametrize(
    ("stored", "values", "column", "first", "last"),
    [
        (
            NANOS,
            [FIRST, LAST],
            "TIMESTAMP",
            datetime(1969, 12, 31, 23, 59, 58, 499500),
            datetime(2024, 1, 1, 0, 0, 0, 123456),
        ),
        (
            MICROS,
            [FIRST // 1000, LAST // 1000],
            "TIMESTAMP_S",
            datetime(1969, 12, 31, 23, 59, 58),
            datetime(2024, 1, 1),
        ),
        (
            MICROS,
            [FIRST // 1000, LAST // 1000],
            "TIMESTAMP_MS",
            datetime(1969, 12, 31, 23, 59, 58, 499000),
            datetime(2024, 1, 1, 0, 0, 0, 123000),
        ),
    ],
)
def test_extremes_are_those_of_the_rows(
    lake: Lake,
    register: Register,
    spark: SparkSession,
    tmp_path: Path,
    stored: pa.DataType,
    values: list[int],
    column: str,
    first: datetime,
    last: datetime,
) -> None:
    file = tmp_path / "times.parquet"
    pq.write_table(pa.table({"ts": pa.array(values, stored)}), file)
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t (ts {column})")
    catalog = register(lake)

    spark.sql(f"CALL {catalog}.system.add_data_files('t', '{file}')")

    name = f"{catalog}.t"
    rows = sorted(row.ts for row in spark.table(name).collect())
    assert tuple(spark.sql(f"SELECT min(ts), max(ts) FROM {name}").first() or ()) == tuple(rows)
    with Peer(lake) as peer:
        assert sorted(row[0] for row in peer.rows("SELECT ts FROM t")) == rows
        assert peer.rows("SELECT min(ts), max(ts) FROM t") == [tuple(rows)]
    assert rows == [first, last]


@pytest.mark.parametrize("kind", ["sqlite"])
@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ("TIMESTAMP", datetime(1970, 1, 1, 0, 0, 0, 700600)),
        ("TIMESTAMP_S", datetime(1970, 1, 1, 0, 0, 1)),
        ("TIMESTAMP_MS", datetime(1970, 1, 1, 0, 0, 0, 701000)),
    ],
)
def test_int96_has_the_digits_of_the_column(
    lake: Lake,
    register: Register,
    spark: SparkSession,
    tmp_path: Path,
    column: str,
    shown: datetime,
) -> None:
    file = tmp_path / "int96.parquet"
    times = pa.table({"ts": pa.array([700_600, None], MICROS)})
    pq.write_table(times, file, use_deprecated_int96_timestamps=True)
    with Peer(lake) as peer:
        peer.run(
            f"CREATE TABLE t (ts {column})",
            f"CALL ducklake_add_data_files('lake', 't', '{file}')",
        )
        assert peer.rows("SELECT ts FROM t ORDER BY ts") == [(shown,), (None,)]

    assert [row.ts for row in spark.table(f"{register(lake)}.t").orderBy("ts").collect()] == [
        None,
        shown,
    ]
