"""A DuckDB of another environment, so that two of its versions write one lake in turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from support.lakes import Lake
from support.peer import Peer

PYTHON = os.environ.get("DUCKLAKE_OTHER_PYTHON")
"""An interpreter with another DuckDB and its extension from wheels."""


def run(lake: Lake, *statements: str, query: str = "SELECT 1") -> list[list[object]]:
    """Run statements in a process of the other environment, then a query.

    Returns:
        The rows of the query; their values are those of JSON.
    """
    assert PYTHON is not None
    given = {
        "lake": [lake.kind, lake.uri, str(lake.data_path), lake.database],
        "statements": statements,
        "query": query,
    }
    tests = str(Path(__file__).resolve().parents[1])
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("DUCKLAKE_")}
    done = subprocess.run(
        [PYTHON, "-m", "support.elsewhere"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
        cwd=tests,
        env={**inherited, "PYTHONPATH": tests},
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    found: list[list[object]] = json.loads(done.stdout)
    return found


def main() -> None:
    """What the other process does."""
    given = json.load(sys.stdin)
    kind, uri, data_path, database = given["lake"]
    with Peer(Lake(kind, uri, Path(data_path), database)) as peer:
        peer.run(*given["statements"])
        rows = peer.rows(given["query"])
    json.dump([list(row) for row in rows], sys.stdout)


if __name__ == "__main__":
    main()
