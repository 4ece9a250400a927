"""dbt in a process of its own: one command a line of standard input, one answer a line.

A program, run by the interpreter that has dbt. All commands share one Spark.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from dbt.cli.main import dbtRunner, dbtRunnerResult


def report(done: dbtRunnerResult) -> dict[str, Any]:
    """Whether a command succeeded, and the status and message of each node."""
    nodes = getattr(done.result, "results", ())
    return {
        "success": done.success,
        "error": str(done.exception or ""),
        "nodes": {each.node.name: [each.status, each.message or ""] for each in nodes},
    }


def main() -> None:
    """Answers go to what was standard output; what dbt and Spark print joins standard error."""
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        runner = dbtRunner()
        for line in sys.stdin:
            print(json.dumps(report(runner.invoke(json.loads(line)))), file=answers, flush=True)


if __name__ == "__main__":
    main()
