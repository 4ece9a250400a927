"""DuckDB in a process of its own, which a broken lake may end, as the judge of rows.

As a program it reads lines of JSON, each with a lake and a question, and answers each by a line.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.lakes import Lake

_SECONDS = 20


class Judge:
    """Asks DuckDB what it reads from a lake; starts it again when it has ended."""

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Judge:
        """The judge itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._end()

    def rows(self, lake: Lake, question: str) -> tuple[list[tuple[str, str]], list[Any]] | str:
        """Names and types of the columns, and the rows as `Peer.texts` has them; or an error."""
        process = self._running()
        assert process.stdin and process.stdout
        place = {"kind": lake.kind, "uri": lake.uri, "data": str(lake.data_path)}
        asked = {**place, "question": question}
        try:
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
            is_there = bool(select.select([process.stdout], [], [], _SECONDS)[0])
            line = process.stdout.readline() if is_there else ""
        except BrokenPipeError:
            line = ""
        gone = {"error": "DuckDB ended, or did not answer"}
        answer: dict[str, Any] = json.loads(line) if line else gone
        if answer["error"]:
            self._end()  # After some errors DuckDB keeps its transaction, and SQLite its lock.
            return str(answer["error"])
        return answer["columns"], answer["rows"]

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "support.fuzz.judge"],
                cwd=Path(__file__).parents[2],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._process

    def _end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _answers() -> None:
    import duckdb

    from support.peer import Peer

    for line in sys.stdin:
        asked = json.loads(line)
        lake = Lake(asked["kind"], asked["uri"], Path(asked["data"]), "")
        answer: dict[str, Any] = {"error": None}
        try:
            with Peer(lake, "READ_ONLY") as peer:
                columns, rows = peer.texts(asked["question"].format(c="lake"))
            answer |= {"columns": [(each.name, each.type) for each in columns], "rows": rows}
        except (duckdb.Error, UnicodeDecodeError) as error:
            answer["error"] = str(error) or type(error).__name__
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _answers()
