"""DuckDB and Spark on one lake, in five minutes.

DuckDB makes a lake on a SQLite catalog, loads TPC-H data, updates and deletes. Spark lists what is
there, runs the same queries, travels in time, asks for the changes, and tidies up. Then Spark
appends, adds Parquet files, merges, brings a table back to a past snapshot, and changes two tables
in one; DuckDB sees each at once. Both answers stand side by side. At the end there is a page about
the lake.

Run it with `./sbt quickstart`, or: python quickstart.py [folder] [bucket]

Without a folder it makes one for temporary files, which stays there. A folder that is not empty is
refused, unless it is that of an earlier run, whose lake is replaced.

With a bucket, as in `quickstart.py lake s3://mine/lake/`, the lake's files are there. Both engines
take the credentials from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the region
from AWS_REGION, and from AWS_ENDPOINT_URL a server that is not Amazon's. Hadoop's S3 client comes
from Maven, or from the jars that DUCKLAKE_STORE_JARS lists with commas.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
from answers import heading, side_by_side
from engines import start_duckdb, start_spark
from places import data_path, fresh, page
from pyspark.sql import SparkSession

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

SEGMENTS = """
    SELECT c_mktsegment, count(*) AS customers, sum(c_acctbal) AS balance
    FROM lake.tpch.customer
    GROUP BY c_mktsegment
    ORDER BY c_mktsegment"""


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
            regions.select(*columns).orderBy("snapshot_id", "rowid"),
            f"SELECT {', '.join(columns)} FROM ducklake_table_changes("
            f"'lake', 'tpch', 'region', {version + 1}, {head}) ORDER BY snapshot_id, rowid",
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


def write(peer: duckdb.DuckDBPyConnection, spark: SparkSession) -> bool:
    """Spark appends, adds files, merges, goes back, changes two tables; both read after each."""
    heading("Spark writes, and DuckDB reads it at once")
    lake = dl.Lake(spark, "lake")
    region, customer = (lake.table(name, schema="tpch") for name in ("region", "customer"))
    _, regions = list(QUERIES.items())[-1]
    rows = spark.createDataFrame([(6, "ATLANTIS")], "r_regionkey INT, r_name STRING")
    region.append(rows)
    print("Spark   region.append(rows)")
    answers = [side_by_side("The regions, with Spark's row", peer, spark.sql(regions), regions)]
    answers.append(add_files(peer, spark))

    before = lake.current_snapshot().collect()[0].id
    news = spark.sql("""
        SELECT DISTINCT o_custkey AS c_custkey, 'HURRIED' AS c_mktsegment
        FROM lake.tpch.orders WHERE o_orderpriority = '0-NOW'
        UNION ALL SELECT 1000000 + id, 'NEW' FROM range(3)""")
    merge = customer.merge(news, on="c_custkey")
    merge.when_matched_update().when_not_matched_insert().execute()
    print("\nSpark   customer.merge(news, on='c_custkey')")
    print("            .when_matched_update().when_not_matched_insert().execute()")
    title = "Customers after the merge: those with an urgent order, and three new ones"
    answers.append(side_by_side(title, peer, spark.sql(SEGMENTS), SEGMENTS))

    customer.rollback_to_snapshot(before)
    print(f"\nSpark   customer.rollback_to_snapshot({before})")
    title = "Customers as they were before the merge"
    answers.append(side_by_side(title, peer, spark.sql(SEGMENTS), SEGMENTS))
    answers.append(several_tables(peer, spark))
    return all(answers)


def several_tables(peer: duckdb.DuckDBPyConnection, spark: SparkSession) -> bool:
    """Two tables change in one snapshot; both engines read it."""
    statements = (
        "INSERT INTO lake.tpch.nation VALUES (25, 'POSEIDONIA', 6, 'sunk')",
        "DELETE FROM lake.tpch.region WHERE r_name = 'LEMURIA'",
    )
    print("\nSpark   with lake.transaction() as tx:")
    with dl.Lake(spark, "lake").transaction() as tx:
        for statement in statements:
            print(f"            {statement}")
            spark.sql(statement)
    print(f"Spark   tx.snapshot: {tx.snapshot}")
    both = """
        SELECT r_name, count(n_nationkey) AS nations
        FROM lake.tpch.region LEFT JOIN lake.tpch.nation ON n_regionkey = r_regionkey
        GROUP BY r_name ORDER BY r_name"""
    title = "Regions and their nations, after one snapshot of both"
    return side_by_side(title, peer, spark.sql(both), both)


def add_files(peer: duckdb.DuckDBPyConnection, spark: SparkSession) -> bool:
    """A folder of Parquet becomes files of a table, where it is; both engines read its row."""
    lake, regions = dl.Lake(spark, "lake"), list(QUERIES.values())[-1]
    arrived = f"{lake.settings().collect()[0].data_path.rstrip('/')}/arrived"
    row = "SELECT 7::INTEGER AS r_regionkey, 'LEMURIA' AS r_name"
    copy = f"COPY ({row}) TO '{arrived}' (FORMAT parquet, PER_THREAD_OUTPUT)"
    print(f"\nDuckDB  {copy}")
    peer.execute(copy)
    added = lake.table("region", schema="tpch").add_data_files(arrived, allow_missing=True).count()
    print(f"Spark   region.add_data_files('{arrived}', allow_missing=True): {added} file")
    return side_by_side("The regions, with the file's row", peer, spark.sql(regions), regions)


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
    return all([*answers, upkeep(peer, spark), write(peer, spark)])


def main(folder: Path, bucket: str = "") -> int:
    """Make the lake, ask both engines, and say whether they agree."""
    data = data_path(folder, bucket)
    heading(f"DuckDB makes a lake in {folder}" + (f", with its files in {data}" if bucket else ""))
    with start_duckdb(folder, data) as peer:
        load(peer)
        ((before,),) = peer.execute("SELECT id FROM ducklake_current_snapshot('lake')").fetchall()
        change(peer)
        spark = start_spark(folder, data)
        agree = compare(peer, spark, int(before))
        dl.Lake(spark, "lake").report(page(folder))
        spark.stop()
    heading("DuckDB and Spark agree everywhere." if agree else "DuckDB and Spark DISAGREE.")
    print(f"The lake stays in {folder}\nA page about it, for a browser: {page(folder)}")
    return 0 if agree else 1


if __name__ == "__main__":
    try:
        place = fresh(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    except FileExistsError as refusal:
        sys.exit(str(refusal))
    sys.exit(main(place, *sys.argv[2:3]))
