"""The load that `./sbt "load --sessions 64 --minutes 10"` starts: `python -m load.run`."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path
from typing import get_args

from concurrency.starting import spark_with
from load.running import Load
from support.lakes import CatalogKind, LakeFactory
from support.postgres import PostgresServer
from support.session import SESSION_SETTINGS, jars

FIRST = 20
"""So many faults are printed."""


def main() -> None:
    """Run, and print the figures; when anything is wrong, print it and fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=64)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--database", choices=get_args(CatalogKind), default="postgres")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    chosen = parser.parse_args()
    seconds = chosen.minutes * 60
    print(f"{chosen.sessions} sessions, {chosen.database}, seed {chosen.seed}", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="ducklake-load-") as folder,
        PostgresServer({"max_connections": "300"}) as server,
    ):
        lake = LakeFactory(Path(folder), server).new(chosen.database)
        spark = spark_with({**SESSION_SETTINGS, "spark.jars": jars()})
        tally, wrong = Load(spark, lake, chosen.sessions, seconds, chosen.seed).run()
        spark.stop()
    print(tally.table(seconds))
    if wrong:
        sys.exit("\n".join(wrong[:FIRST]))


if __name__ == "__main__":
    main()
