"""The command line: `python -m ducklake_spark jars`."""

from __future__ import annotations

import argparse

from ducklake_spark.session import jars


def main() -> None:
    """Prints the jars of this package with commas between them, as `--jars` takes them."""
    parser = argparse.ArgumentParser(prog="python -m ducklake_spark")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("jars", help="print the jars, with commas between them, for --jars")
    parser.parse_args()
    print(",".join(jars()))


if __name__ == "__main__":
    main()
