"""The run that `./sbt "chaos --minutes 10 --database postgres"` starts: `python -m chaos.run`."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import get_args

from chaos.running import Plan, Run
from concurrency.starting import spark_with
from support.lakes import CatalogKind
from support.session import SESSION_SETTINGS, jars, store_jars

FIRST = 20
"""So many faults are printed."""


def main() -> None:
    """Run, and print the figures. When anything is wrong, print it, and keep the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--database", choices=get_args(CatalogKind), default="postgres")
    parser.add_argument("--store", choices=["s3"], help="keep the data in an object store")
    parser.add_argument("--write-ahead-log", action="store_true", help="give it to the SQLite file")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    chosen = parser.parse_args()
    if chosen.write_ahead_log and chosen.database != "sqlite":
        parser.error("--write-ahead-log is for --database sqlite")
    plan = Plan(
        chosen.database,
        chosen.minutes * 60,
        chosen.seed,
        has_store=chosen.store == "s3",
        has_log=chosen.write_ahead_log,
    )
    needed = f"{jars()},{store_jars()}" if plan.has_store else jars()

    folder = Path(tempfile.mkdtemp(prefix="ducklake-chaos-"))
    run = Run(plan, folder)
    found = run.findings(lambda: spark_with({**SESSION_SETTINGS, "spark.jars": needed}))

    print(f"{plan.kind}, seed {plan.seed}, {chosen.minutes:g} minutes")
    print(found.table())
    if found.wrong:
        print("\n".join(found.wrong[:FIRST]))
        sys.exit(f"journals and what processes said are in {folder}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
