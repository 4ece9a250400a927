"""The command line `ducklake-spark`.

Commands that read the catalog alone do not load PySpark: `spark` and `values` do, which the others
import when they need them.
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
