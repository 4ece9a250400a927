"""A Spark that moves a table of Iceberg into a lake, saying when it begins; to be killed.

As a process: `python -m concurrency.mover`, its Spark settings and the source as JSON on standard
input.
"""

from __future__ import annotations

import json
import sys

from concurrency.starting import spark_with


def main() -> None:
    """Begin a move when Spark runs."""
    given = json.loads(sys.stdin.readline())
    spark = spark_with(given["settings"])
    spark.sql("SELECT * FROM lake.system.snapshots").collect()
    print("ready", flush=True)
    spark.sql(f"CALL lake.system.migrate_from_iceberg('{given['source']}', 't')").collect()
    print("moved", flush=True)


if __name__ == "__main__":
    main()
