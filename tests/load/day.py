"""What `./sbt "day --commits 100000 --database postgres"` starts: `python -m load.day`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import get_args

from concurrency.starting import spark_with
from load.days import HEADER, LEAST, Day, Sample, grown
from support.lakes import CatalogKind, LakeFactory
from support.postgres import PostgresServer
from support.session import SESSION_SETTINGS, jars


def main() -> None:
    """Run, print a line for each tenth, and fail when anything grew, is lost or is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=100_000)
    parser.add_argument("--database", choices=get_args(CatalogKind), default="postgres")
    chosen = parser.parse_args()
    if chosen.commits < LEAST:
        parser.error(f"--commits is at least {LEAST}")
    print(f"{chosen.commits} commits, {chosen.database}\n\n| {HEADER} |", flush=True)
    print(f"|{'--:|' * (HEADER.count('|') + 1)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="ducklake-day-") as folder, PostgresServer() as server:
        lake = LakeFactory(Path(folder), server).new(chosen.database)
        spark = spark_with({**SESSION_SETTINGS, "spark.jars": jars()})
        samples: list[Sample] = []
        wrong = Day(spark, lake, server, chosen.commits).run(lambda each: _show(samples, each))
        wrong += grown(samples)
        spark.stop()
    if wrong:
        sys.exit("\n".join(wrong))


def _show(samples: list[Sample], sample: Sample) -> None:
    samples.append(sample)
    print(f"| {sample.row()} |", flush=True)


if __name__ == "__main__":
    main()
