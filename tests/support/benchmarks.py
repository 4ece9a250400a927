"""TPC-H and TPC-DS: their queries, and their tables with the sizes of SF 1 but without rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pyspark.sql import SparkSession

from support.lakes import Lake
from support.peer import Peer, connect

Benchmark = Literal["tpch", "tpcds"]

_SCHEMA_ALONE = {"tpch": "CALL dbgen(sf = 0)", "tpcds": "CALL dsdgen(sf = 0)"}

SIZES: dict[Benchmark, dict[str, tuple[int, int]]] = {
    "tpch": {
        "customer": (12388493, 150000),
        "lineitem": (207130047, 6001215),
        "nation": (2319, 25),
        "orders": (56375020, 1500000),
        "part": (6363537, 200000),
        "partsupp": (42643742, 800000),
        "region": (1077, 5),
        "supplier": (793658, 10000),
    },
    "tpcds": {
        "call_center": (6336, 6),
        "catalog_page": (696399, 11718),
        "catalog_returns": (11289717, 144067),
        "catalog_sales": (104412596, 1441548),
        "customer": (5622719, 100000),
        "customer_address": (1091335, 50000),
        "customer_demographics": (7802659, 1920800),
        "date_dim": (1814815, 73049),
        "household_demographics": (31306, 7200),
        "income_band": (837, 20),
        "inventory": (41277048, 11745000),
        "item": (1763162, 18000),
        "promotion": (20854, 300),
        "reason": (1484, 35),
        "ship_mode": (1918, 20),
        "store": (7032, 12),
        "store_returns": (17394869, 287867),
        "store_sales": (137946381, 2880404),
        "time_dim": (1129585, 86400),
        "warehouse": (2886, 5),
        "web_page": (4338, 60),
        "web_returns": (5654684, 71654),
        "web_sales": (50605638, 719384),
        "web_site": (9917, 30),
    },
}
"""Of each table the bytes and the rows at SF 1, in the file that DuckDB 1.5.5 writes."""


def queries(benchmark: Benchmark) -> dict[str, str]:
    """The queries as DuckDB's extension words them, by name."""
    rows = connect(benchmark).execute(f"FROM {benchmark}_queries()").fetchall()
    return {f"Q{number}": str(text) for number, text in rows}


def make_sized(lake: Lake, files: int) -> None:
    """Fills an SQLite lake with the tables of both benchmarks, in a schema each.

    The catalog says that the files have the bytes and rows of SF 1, and nothing of their values, so
    that queries are planned as at SF 1. The files cannot be read.

    Args:
        lake: an empty lake.
        files: how many files a table has.
    """
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0", extensions=list(SIZES)) as peer:
        for benchmark, tables in SIZES.items():
            peer.run("ATTACH ':memory:' AS source", "USE source", _SCHEMA_ALONE[benchmark])
            peer.run("USE lake", f"CREATE SCHEMA {benchmark}")
            for table in tables:
                name = f"{benchmark}.{table}"
                peer.run(f"CREATE TABLE {name} AS FROM source.{table}")
                peer.run(*[f"INSERT INTO {name} DEFAULT VALUES"] * files)
            peer.run("DETACH source")
    with sqlite3.connect(lake.database) as catalog:
        for benchmark, tables in SIZES.items():
            for table, (size, rows) in tables.items():
                catalog.execute(
                    """
                    UPDATE ducklake_data_file SET file_size_bytes = ?, record_count = ?
                    WHERE table_id = (
                        SELECT table_id FROM ducklake_table JOIN ducklake_schema USING (schema_id)
                        WHERE schema_name = ? AND table_name = ?)""",
                    (size // files, rows // files, benchmark, table),
                )
        catalog.execute("DELETE FROM ducklake_file_column_stats")


def view_bare(
    session: SparkSession,
    tables: Mapping[str, tuple[int, int]],
    like: str,
    folder: Path,
    files: int,
) -> None:
    """Views over plain Parquet files of these sizes, which have no content either.

    Args:
        session: where the views are made.
        tables: their sizes.
        like: the schema of the lake whose tables have the columns.
        folder: of the files.
        files: how many files a table has.
    """
    for table, (size, _) in tables.items():
        place = folder / table
        place.mkdir(parents=True)
        for number in range(files):
            with (place / f"{number}.parquet").open("wb") as file:
                file.truncate(size // files)
        columns = session.table(f"{like}.{table}").schema
        session.read.schema(columns).parquet(str(place)).createOrReplaceTempView(table)
