"""A Spark that runs the code of a page, to be killed.

As a process: `python -m concurrency.pagerunner`, its task as JSON on standard input.
"""

from __future__ import annotations

import json
import sys

from concurrency.starting import spark_with


def main() -> None:
    """Run the code, with a session as `spark`."""
    task = json.loads(sys.stdin.readline())
    spark = spark_with(task["settings"], log_level="ERROR")
    exec(task["code"], {"spark": spark})


if __name__ == "__main__":
    main()
