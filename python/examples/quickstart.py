"""DuckDB and Spark on one lake, in five minutes.

DuckDB makes a lake on a SQLite catalog, loads TPC-H data, updates and deletes. Spark lists what is
there, runs the same queries, travels in time, asks for the changes, and tidies up. Both answers
stand side by side.

Run it with `./sbt quickstart`, or: python quickstart.py [folder] [bucket]

With a bucket, as in `quickstart.py lake s3://mine/lake/`, the lake's files are there. Both engines
take the credentials from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the region from AWS_REGION,
and from AWS_ENDPOINT_URL a server that is not Amazon's. Hadoop's S3 client comes from Maven, or
from the jars that DUCKLAKE_STORE_JARS lists with commas.
"""

from __future__ import annotations

import importlib
import math
import os
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import duckdb
from pyspark.sql import DataFrame, SparkSession

import ducklake_spark as dl

SCALE = 0.05  # TPC-H at 1.0 is about 1 GB of text

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")

# What the answers are compared on; the texts run in both engines as they are.
QUERIES = {
    "How many rows does each big table have?": """
        SELECT (SELECT count(*) FROM lake.tpch.lineitem) AS lineitem,
               (SELECT count(*) FROM lake.tpch.orders) AS orders,
               (SELECT count(*) FROM lake.tpch.region) AS region""",
    "Pricing summary (TPC-H query 1, shortened)": """
        SELECT l_returnflag, l_linestatus, sum(l_quantity) AS quantity,
               sum(l_extendedprice * (1 - l_discount)) AS discounted, count(*) AS items
        FROM lake.tpch.lineitem
        WHERE l_shipdate <= DATE '1998-09-02'
        GROUP BY l_returnflag, l_linestatus
        ORDER BY l_returnflag, l_linestatus""",
    "Revenue by nation in Asia, 1994 (TPC-H query 5)": """
        SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
        FROM lake.tpch.customer, lake.tpch.orders, lake.tpch.lineitem, lake.tpch.supplier,
             lake.tpch.nation, lake.tpch.region
        WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
          AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey
          AND n_regionkey = r_regionkey AND r_name = 'ASIA'
          AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01'
        GROUP BY n_name
        ORDER BY revenue DESC""",
    "Orders by priority, after the update": """
        SELECT o_orderpriority, count(*) AS orders
        FROM lake.tpch.orders
        GROUP BY o_orderpriority
        ORDER BY o_orderpriority""",
    "A column that was added later, and a row kept in the catalog itself": """
        SELECT r_regionkey, r_name, r_continents
        FROM lake.tpch.region
        ORDER BY r_regionkey""",
}

Row = tuple[object, ...]


def heading(text: str) -> None:
    """Print what comes next."""
    print(f"\n--- {text}\n")


def connect(folder: Path, data: str) -> duckdb.DuckDBPyConnection:
    """A DuckDB with the extensions of the installed wheels, attached to the lake."""
    connection = duckdb.connect()
    needed = ["json", "parquet", "icu", "tpch", "sqlite_scanner", "ducklake"]
    for name in [*needed, "httpfs"] if is_in_bucket(data) else needed:
        module = importlib.import_module(f"duckdb_extension_{name}")
        (binary,) = Path(str(module.__file__)).parent.glob("extensions/*/*.duckdb_extension")
        connection.execute(f"LOAD '{binary}'")
    if is_in_bucket(data):
        connection.execute(secret())
    attach = f"ATTACH '{address(folder)}' AS lake (DATA_PATH '{data}')"
    print(f"DuckDB  {attach}")
    connection.execute(attach)
    return connection


def address(folder: Path) -> str:
    """The lake's address, the same for both engines."""
    return f"ducklake:sqlite:{folder}/catalog.sqlite"


def is_in_bucket(data: str) -> bool:
    """Whether the lake's files are in S3."""
    return data.startswith("s3://")


def secret() -> str:
    """The statement with which DuckDB gets into the bucket."""
    endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
    scheme, _, host = endpoint.partition("://")
    parts = {
        "KEY_ID": os.environ["AWS_ACCESS_KEY_ID"],
        "SECRET": os.environ["AWS_SECRET_ACCESS_KEY"],
        "REGION": os.environ.get("AWS_REGION", "us-east-1"),
    }
    if endpoint:
        parts |= {"ENDPOINT": host, "URL_STYLE": "path", "USE_SSL": str(scheme == "https")}
    given = ", ".join(f"{name} '{value}'" for name, value in parts.items())
    return f"CREATE SECRET (TYPE s3, {given})"


def hadoop() -> dict[str, str]:
    """The settings with which Spark gets into the bucket."""
    found = {
        "fs.s3a.access.key": os.environ["AWS_ACCESS_KEY_ID"],
        "fs.s3a.secret.key": os.environ["AWS_SECRET_ACCESS_KEY"],
        "fs.s3a.endpoint.region": os.environ.get("AWS_REGION", "us-east-1"),
    }
    if endpoint := os.environ.get("AWS_ENDPOINT_URL"):
        found |= {"fs.s3a.endpoint": endpoint, "fs.s3a.path.style.access": "true"}
    return found


def load(peer: duckdb.DuckDBPyConnection) -> None:
    """Copy generated TPC-H data into the lake."""
    peer.execute(f"CALL dbgen(sf = {SCALE})")
    peer.execute("CREATE SCHEMA lake.tpch")
    for table in TABLES:
        peer.execute(f"CREATE TABLE lake.tpch.{table} AS SELECT * FROM memory.main.{table}")
    print(f"DuckDB  CALL dbgen(sf = {SCALE}), and its {len(TABLES)} tables copied into lake.tpch")


def change(peer: duckdb.DuckDBPyConnection) -> None:
    """Update, delete, insert, and change a table's columns."""
    statements = (
        "DELETE FROM lake.tpch.lineitem WHERE l_shipdate < DATE '1992-06-01'",
        "UPDATE lake.tpch.orders SET o_orderpriority = '0-NOW' WHERE o_orderkey % 50 = 1",
        "ALTER TABLE lake.tpch.region ADD COLUMN r_continents INTEGER DEFAULT 1",
        "INSERT INTO lake.tpch.region VALUES (5, 'ANTARCTICA', 'cold', 0)",
    )
    for statement in statements:
        print(f"DuckDB  {statement}")
        peer.execute(statement)


def start_spark(folder: Path, data: str) -> SparkSession:
    """A session with the lake registered: `configure` does all that Spark needs for it."""
    builder = SparkSession.builder.master("local[2]").config("spark.sql.session.timeZone", "UTC")
    builder = builder.config("spark.log.level", "ERROR").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if not is_in_bucket(data):
        return dl.configure(builder, "lake", address(folder)).getOrCreate()
    if jars := os.environ.get("DUCKLAKE_STORE_JARS"):
        builder = builder.config("spark.jars", jars)
    else:
        builder = builder.config("spark.jars.packages", "org.apache.hadoop:hadoop-aws:3.5.0")
    return dl.configure(builder, "lake", address(folder), hadoop=hadoop()).getOrCreate()


def is_same(left: object, right: object) -> bool:
    """Whether two values are the same number or the same thing."""
    numbers = (int, float, Decimal)
    if isinstance(left, numbers) and isinstance(right, numbers):
        return math.isclose(left, right, rel_tol=1e-12)
    return left == right


def side_by_side(title: str, peer: duckdb.DuckDBPyConnection, spark: DataFrame, sql: str) -> bool:
    """Print both engines' answers to one question and say whether they agree."""
    heading(title)
    print(textwrap.indent(textwrap.dedent(sql).strip(), "  "), end="\n\n")
    left: list[Row] = peer.execute(sql).fetchall()
    right: list[Row] = [tuple(row) for row in spark.collect()]
    width = max([len(text(row)) for row in left] + [6])
    print(f"  {'DuckDB':<{width}} | Spark")
    for number in range(max(len(left), len(right))):
        pair = [text(rows[number]) if number < len(rows) else "" for rows in (left, right)]
        print(f"  {pair[0]:<{width}} | {pair[1]}")
    agree = len(left) == len(right) and all(
        len(a) == len(b) and all(map(is_same, a, b)) for a, b in zip(left, right, strict=False)
    )
    print("  same answer" if agree else "  THE ANSWERS DIFFER")
    return agree


def text(row: Sequence[object]) -> str:
    """A row on one line."""
    return "  ".join(str(value) for value in row)


def time_travel(peer: duckdb.DuckDBPyConnection, spark: SparkSession, version: int) -> bool:
    """The lake as it was before the changes: by SQL text, and by the Python API."""
    then = dl.Lake(spark, "lake").at(version=version)
    prices = "SELECT count(*), sum(l_extendedprice) FROM lake.tpch.lineitem"
    region = then.table("region", schema="tpch").to_df().orderBy("r_regionkey")
    files = then.list_files("lineitem", schema="tpch")
    answers = [
        side_by_side(
            f"Line items at snapshot {version}, before the delete (Spark: VERSION AS OF {version})",
            peer,
            spark.sql(f"{prices} VERSION AS OF {version}"),
            f"{prices} AT (VERSION => {version})",
        ),
        side_by_side(
            f"Regions at snapshot {version} (Spark: lake.at(version={version}).table('region'))",
            peer,
            region.select("r_regionkey", "r_name"),
            f"SELECT r_regionkey, r_name FROM lake.tpch.region AT (VERSION => {version}) "
            "ORDER BY r_regionkey",
        ),
        side_by_side(
            f"Files of the line items at snapshot {version} (Spark: lake.at(…).list_files(…))",
            peer,
            files.selectExpr("count(*)", "sum(data_file_size_bytes)"),
            "SELECT count(*), sum(data_file_size_bytes) FROM ducklake_list_files("
            f"'lake', 'lineitem', schema => 'tpch', snapshot_version => {version})",
        ),
    ]
    return all(answers)


def change_feed(peer: duckdb.DuckDBPyConnection, spark: SparkSession, version: int) -> bool:
    """What happened after that snapshot: in the same words to both, and by the Python API."""
    ((head,),) = peer.execute("SELECT id FROM ducklake_current_snapshot('lake')").fetchall()
    kinds = (
        "SELECT change_type, count(*), min(rowid), max(rowid) FROM ducklake_table_changes("
        f"'lake', 'tpch', 'orders', {version + 1}, {head}) GROUP BY ALL ORDER BY ALL"
    )
    regions = dl.Lake(spark, "lake").table("region", schema="tpch").changes(start=version + 1)
    columns = ("snapshot_id", "rowid", "change_type", "r_name")
    answers = [
        side_by_side("What became of the orders", peer, spark.sql(kinds), kinds),
        side_by_side(
            f"What became of the regions (Spark: table.changes(start={version + 1}))",
            peer,
            regions.select(*columns),
            f"SELECT {', '.join(columns)} FROM ducklake_table_changes("
            f"'lake', 'tpch', 'region', {version + 1}, {head})",
        ),
    ]
    return all(answers)


def upkeep(peer: duckdb.DuckDBPyConnection, spark: SparkSession) -> bool:
    """Spark compacts and lets the past expire; both engines read once more."""
    heading("Spark compacts the lake, and removes its past and the files that only the past had")
    lake = dl.Lake(spark, "lake")
    for name, done in {
        "rewrite_data_files(delete_threshold=0.01)": lake.rewrite_data_files(delete_threshold=0.01),
        "merge_adjacent_files()": lake.merge_adjacent_files(),
    }.items():
        print(f"Spark   lake.{name}")
        done.drop("schema_name").orderBy("table_name").show()
    past = [row.snapshot_id for row in lake.snapshots().collect()]
    expired = lake.expire_snapshots(versions=past).count()
    print(f"Spark   lake.expire_snapshots(versions=[…]): {expired} of {len(past)}")
    deleted = lake.cleanup_old_files(cleanup_all=True).count()
    print(f"Spark   lake.cleanup_old_files(cleanup_all=True): {deleted} files")
    again = list(QUERIES.items())[:2]
    return all(side_by_side(title, peer, spark.sql(sql), sql) for title, sql in again)


def show(spark: SparkSession, folder: Path) -> Path:
    """Write a page about the lake: its growth, its files, and what upkeep would gain."""
    page = folder / "lake.html"
    heading("A page about the lake")
    dl.Lake(spark, "lake").report(page)
    print(f"Spark   lake.report('{page}')")
    return page


def compare(peer: duckdb.DuckDBPyConnection, spark: SparkSession, before: int) -> bool:
    """Everything both engines are asked."""
    heading("Spark lists what DuckDB made")
    spark.sql("SHOW SCHEMAS IN lake").show()
    spark.sql("SHOW TABLES IN lake.tpch").show()
    print("The newest snapshots:")
    snapshots = dl.Lake(spark, "lake").snapshots().select("snapshot_id", "changes")
    snapshots.orderBy(snapshots.snapshot_id.desc()).show(5, truncate=False)
    answers = [side_by_side(title, peer, spark.sql(sql), sql) for title, sql in QUERIES.items()]
    answers += [time_travel(peer, spark, before), change_feed(peer, spark, before)]
    return all([*answers, upkeep(peer, spark)])


def main(folder: Path, bucket: str = "") -> int:
    """Make the lake, ask both engines, and say whether they agree."""
    data = f"{bucket.rstrip('/')}/" if bucket else f"{folder}/data/"
    heading(f"DuckDB makes a lake in {folder}" + (f", with its files in {data}" if bucket else ""))
    with connect(folder, data) as peer:
        load(peer)
        ((before,),) = peer.execute("SELECT id FROM ducklake_current_snapshot('lake')").fetchall()
        change(peer)
        spark = start_spark(folder, data)
        page = show(spark, folder)
        agree = compare(peer, spark, int(before))
        spark.stop()
    print(f"\nThe lake before the upkeep as a page for a browser: {page}")
    heading("DuckDB and Spark agree everywhere." if agree else "DuckDB and Spark DISAGREE.")
    return 0 if agree else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        chosen = Path(sys.argv[1]).absolute()
        shutil.rmtree(chosen, ignore_errors=True)
        chosen.mkdir(parents=True)
        sys.exit(main(chosen, *sys.argv[2:3]))
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(main(Path(scratch)))
