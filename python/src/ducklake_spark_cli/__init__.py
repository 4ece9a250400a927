"""The command line `ducklake-spark`.

It is a package of its own, so that commands that read the catalog alone do not load PySpark:
`spark` is the only module here that does.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that the arguments name; say so when the extra `cli` is not installed."""
    try:
        from ducklake_spark_cli.commands import run
    except ModuleNotFoundError as missing:
        if missing.name not in ("click", "rich", "tomli"):
            raise
        sys.exit(f"{missing.name} is not installed: pip install 'ducklake-spark[cli]'")
    run()
