"""The command line: `python -m ducklake_spark jars`."""

from __future__ import annotations

import argparse
import sys

from ducklake_spark.errors import WrongSparkError
from ducklake_spark.session import jars


def main() -> None:
    """Prints the jars of this package with commas between them, as `--jars` takes them."""
    parser = argparse.ArgumentParser(prog="python -m ducklake_spark")
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser(
        "jars", help="print the jars, with commas between them, for --jars"
    )
    listing.add_argument(
        "--spark",
        metavar="VERSION",
        help="of a Spark that is not the one here: a server's, a cluster's",
    )
    chosen = parser.parse_args()
    try:
        print(",".join(jars(chosen.spark)))
    except WrongSparkError as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
