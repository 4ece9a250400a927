"""The row-level measures: DELETE, UPDATE and MERGE of lineitem, each run on other rows."""

from __future__ import annotations

import statistics

from pyspark.sql import SparkSession

from bench import contest, data
from bench.writing import seconds
from support.peer import Peer

WARM_UPS = 2
RUNS = 7
_PERCENT = "pmod(hash(l_orderkey, l_linenumber), 100)"


def _statements(table: str, run: int) -> dict[str, str]:
    """One percent of the rows each, of other rows in every run."""
    columns = "l_orderkey, l_linenumber, l_quantity"
    keyed = (
        f"SELECT {columns} FROM source WHERE {_PERCENT} = {run + 60}"
        f" UNION ALL SELECT l_orderkey + {run + 1} * 1000000000L,"
        f" l_linenumber, l_quantity FROM source WHERE {_PERCENT} = {run + 80}"
    )
    return {
        "DELETE 1 %": f"DELETE FROM {table} WHERE {_PERCENT} = {run}",
        "UPDATE 1 %": (
            f"UPDATE {table} SET l_quantity = l_quantity + 1 WHERE {_PERCENT} = {run + 20}"
        ),
        "MERGE 1 % + 1 %": (
            f"MERGE INTO {table} AS t USING ({keyed}) AS s"
            " ON t.l_orderkey = s.l_orderkey AND t.l_linenumber = s.l_linenumber"
            " WHEN MATCHED THEN UPDATE SET l_quantity = s.l_quantity"
            f" WHEN NOT MATCHED THEN INSERT ({columns})"
            " VALUES (s.l_orderkey, s.l_linenumber, s.l_quantity)"
        ),
    }


def measure(spark: SparkSession, table: str, title: str) -> None:
    """Times each statement on a table of lineitem's rows; `source` is a view of them."""
    times: dict[str, list[float]] = {}
    for run in range(WARM_UPS + RUNS):
        for name, text in _statements(table, run).items():
            times.setdefault(name, []).append(seconds(lambda text=text: spark.sql(text).collect()))
    print(f"\n### rows of lineitem changed: {title}\n\n| statement | s |\n|---|---:|")
    for name, each in times.items():
        print(f"| {name} | {statistics.median(each[WARM_UPS:]):.3f} |")
    print(f"\n{spark.sql(f'SELECT count(*), sum(l_quantity) FROM {table}').collect()[0]}")


def rowlevel(scale: float) -> None:
    """DELETE, UPDATE and MERGE of one percent of lineitem's rows."""

    def fill(peer: Peer) -> None:
        peer.run("ATTACH ':memory:' AS source", "USE source", f"CALL dbgen(sf = {scale})")
        peer.run("USE lake", "CREATE TABLE lineitem AS FROM source.lineitem")

    (data.ROOT / f"rowlevel-{scale}" / "done").unlink(missing_ok=True)
    lake = data.lake(f"rowlevel-{scale}", fill)
    spark = contest.session({"lake": lake})
    spark.read.parquet(*data.files(data.tpch(scale), "lineitem")).createOrReplaceTempView("source")
    measure(spark, "lake.main.lineitem", f"ours, SF {scale:g}")
